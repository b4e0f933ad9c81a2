"""Every stage: inputs, outputs, built-in variables, textures, images, subgroups, tasks and meshes, on both engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tgsi
from backends.formats import Format
from tests.unit.spirv.modules import f32, module

pytestmark = pytest.mark.light
ENGINES = ["jit", "interp"]
OUT = tgsi.File.OUT


def run(name: str, inputs: Any = None, **arguments: Any) -> tuple[tgsi.RunResult, dict[str, int]]:
    """The results of a module, and its outputs by semantic."""
    program = tgsi.read_spirv(module(name), name=name)
    return tgsi.run(program, inputs, **arguments), {str(item.semantic): item.first for item in program.declared(OUT)}


@pytest.mark.parametrize("engine", ENGINES)
def test_vertex_outputs_share_registers_by_component(engine: str) -> None:
    a = f32([[1, 2, 3, 4], [5, 6, 7, 8]])
    inputs = np.zeros((2, 4, 4), np.float32)
    inputs[:, 0], inputs[:, 3, :2] = a, [[0, 9], [1, 9]]
    values = {"VERTEXID": np.array([3, 4]), "INSTANCEID": np.array([1, 1]), "BASEINSTANCE": np.array([10, 10])}
    result, at = run("varyings.vert", inputs, system_values=values, engine=engine)
    floats = result.floats
    assert floats[:, at["GENERIC[5]"], :3].tolist() == [[0, 9, 4], [1, 9, 8]]
    assert (floats[:, at["GENERIC[6]"]] == a[:, ::-1]).all()
    assert floats[0, at["GENERIC[7]"], 2] == 5
    assert floats[0, at["GENERIC[8]"], :3].tolist() == [1, 2, 3]
    assert floats[1, at["GENERIC[8]"], :3].tolist() == [5, 6, 5]
    assert (floats[:, at["POSITION"]] == a + [[3, 11, 0, 0], [4, 11, 0, 0]]).all()
    assert floats[:, at["PSIZE"], 0].tolist() == [3, 3]
    assert (floats[:, at["CLIPDIST"]] == np.c_[a[:, :3], [7, 7]]).all()
    assert floats[:, at["CLIPDIST[1]"], 0].tolist() == [8, 8]


@pytest.mark.parametrize("engine", ENGINES)
def test_fragment_built_ins(engine: str) -> None:
    inputs = np.zeros((4, 4, 4), np.float32)
    inputs[:, 0, :2] = [[0.5, 0.5], [1.5, 0.5], [0.5, 1.5], [1.5, 1.5]]
    inputs.view(np.int32)[:, 2, 0] = [1, 2, 3, 4]
    inputs[:, 3] = [[0, 0, 1, 0], [2, 1, 1, 0], [0, 4, 1, 0], [2, 5, 1, 0]]
    result, at = run("pixels.frag", inputs, face=-1.0, coverage=np.array([1, 1, 1, 1]), engine=engine)
    assert result.alive.tolist() == [True, True, False, True]
    assert result.floats[0, at["COLOR"]].tolist() == [0.5, 0.5, -1, 2 + 1 + 4]
    assert result.outputs[3, at["COLOR[2]"], :2].tolist() == [4, 1]
    assert result.floats[0, at["POSITION"], 2] == 0.5
    assert result.outputs[0, at["SAMPLEMASK"], 0] == 5


@pytest.mark.parametrize("engine", ENGINES)
def test_geometry_shaders_emit_rows_of_blocks(engine: str) -> None:
    inputs = np.zeros((2, 3, 4, 4), np.float32)  # position, color, id[0], id[1]
    inputs[:, :, 0] = np.arange(24).reshape(2, 3, 4)
    inputs[:, :, 1] = np.arange(24).reshape(2, 3, 4) * 10
    ids = np.arange(12).reshape(2, 3, 2)
    inputs.view(np.int32)[:, :, 2:, 0] = ids
    result, at = run("pass.geom", inputs, engine=engine)
    assert result.strips[0].tolist() == [3, 3, 3, 3]
    emitted = result.emitted[0].reshape(2, 2, 3, -1, 4)
    for p in range(2):
        for n in range(2):
            for i in range(3):
                vertex = emitted[p, n, i]
                assert (vertex[at["POSITION"]].view(np.float32) == inputs[p, i, 0] * (n + 1)).all()
                assert (vertex[at["GENERIC[0]"]].view(np.float32) == inputs[p, 2 - i, 1] + ids[p, i, 1]).all()
                assert vertex[at["GENERIC[1]"], 0] == p * 10 + ids[p, i, n]


@pytest.mark.parametrize("engine", ENGINES)
def test_tessellation_shaders_share_a_patch(engine: str) -> None:
    random = np.random.default_rng(5)
    inputs = random.random((2, 3, 2, 4), np.float32)
    result, at = run("levels.tesc", inputs, engine=engine)
    outputs = result.floats.reshape(2, 3, -1, 4)
    b = inputs[:, :, 1] + np.roll(inputs[:, :, 1], -1, axis=1)
    assert np.allclose(outputs[:, :, at["GENERIC[0]"]], b)
    assert np.allclose(outputs[:, 0, at["PATCH[1]"]], b.mean(1))
    assert outputs[0, 0, at["TESSOUTER"], :3].tolist() == [2, 3, 4]
    assert outputs[0, 0, at["TESSINNER"], 0] == 5

    patches = random.random((2, 3, 3, 4), np.float32)  # position, b, centre
    coordinates = f32([[1, 0, 0], [0.5, 0.25, 0.25]] * 2)
    levels = np.repeat(f32([[1, 2, 3, 4], [5, 6, 7, 8]]), 2, axis=0)
    values = {"TESSCOORD": coordinates, "TESSOUTER": levels, "TESSINNER": levels[:, :2] * 10}
    result, at = run("points.tese", patches, system_values=values, engine=engine)
    position = np.einsum("pc,pcr->pr", coordinates, np.repeat(patches[:, :, 0], 2, axis=0))
    assert np.allclose(result.floats[:, at["POSITION"]], position)
    rest = np.repeat(patches[:, 1, 1] + patches[:, 0, 2], 2, axis=0)
    extra = np.c_[levels[:, 1], levels[:, 0] * 10, [0, 0, 1, 1], [0] * 4]
    assert np.allclose(result.floats[:, at["GENERIC[0]"]], rest + extra)


@pytest.mark.parametrize("engine", ENGINES)
def test_subgroups_are_quads(engine: str) -> None:
    result, _ = run("subgroups.comp", buffers={0: bytes(8 * 48)}, engine=engine)
    r = np.frombuffer(result.buffers[0].tobytes(), np.uint32).reshape(8, 3, 4)
    for n in range(8):
        i, first = n % 4, n // 4 * 4
        assert r[n, 0].tolist() == [4, i, n // 4, 2]
        assert r[n, 1].tolist() == [0b1100, first * 5, first + 2 + 7, 3]
        below = ((1 << i) - 1) * 16
        assert r[n, 2].tolist() == [(first == 4) + below, (n < 4) + below, 1 + below, (i == 0) + below]


def texels(array: np.ndarray) -> np.ndarray:
    """Values (layers, height, width, channels) as bytes of texels."""
    return np.ascontiguousarray(array).view(np.uint8).reshape(*array.shape[:3], -1)


@pytest.mark.parametrize("engine", ENGINES)
def test_images_and_texels(engine: str) -> None:
    random = np.random.default_rng(6)
    picture, texture = random.random((1, 4, 4, 4), np.float32), random.random((1, 4, 8, 4), np.float32)
    layers = random.integers(0, 99, (3, 4, 4, 4)).astype(np.uint32)
    images = {
        0: tgsi.TextureData(Format.R32_UINT, (texels(np.zeros((1, 2, 5, 1), np.uint32)),)),
        1: tgsi.TextureData(Format.R32G32B32A32_FLOAT, (texels(picture),)),
        2: tgsi.TextureData(Format.R32G32B32A32_FLOAT, (texels(np.zeros_like(picture)),)),
    }
    textures = {
        3: tgsi.TextureData(Format.R32G32B32A32_FLOAT, (texels(texture), texels(texture[:, :2, :4].copy()))),
        4: tgsi.TextureData(Format.R32G32B32A32_UINT, (texels(layers),)),
    }
    result, _ = run("images.comp", images=images, textures=textures, buffers={0: bytes(17 * 16)}, engine=engine)
    counts = result.images[0].view(np.uint32).reshape(2, 5)
    assert counts.tolist() == [[12, 12, 0, 0, 0]] * 2
    expected = (picture[0].transpose(1, 0, 2) + texture[0, :, :4]) * 2
    assert (result.images[2].view(np.float32).reshape(4, 4, 4) == expected).all()
    r = np.frombuffer(result.buffers[0].tobytes(), np.int32).reshape(17, 4)
    assert (r[:16, :3] == [5, 2, 8]).all()
    assert (r[:16, 3].reshape(4, 4) == layers[1, :, :, 1]).all()
    assert r[16].tolist() == [4, 4, 3, 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_tasks_launch_meshes_with_a_payload(engine: str) -> None:
    tasks, _ = run("launch.task", grid=(2, 1, 1), engine=engine)
    assert tasks.tasks.tolist() == [[1, 2, 1], [2, 2, 1]]
    assert tasks.payload[0].view(np.float32)[0] == 2.5
    assert tasks.payload[1].view(np.int32)[1] == 8
    result, at = run("triangle.mesh", grid=(1, 1, 1), payload=tasks.payload[0].tobytes(), engine=engine)
    (mesh,) = result.meshes
    assert np.asarray(mesh.indices).tolist() == [[0, 2, 1]]
    vertices = np.asarray(mesh.vertices).view(np.float32)
    assert vertices[:, at["POSITION"]].tolist() == [[i, 2.5, 8, 1] for i in range(3)]
    assert vertices[:, at["GENERIC[0]"], 0].tolist() == [0, 2, 4]
    assert len(result.faults) == 0


def test_a_chain_of_modules_links() -> None:
    vertex, fragment = tgsi.read_spirv(module("varyings.vert")), tgsi.read_spirv(module("textures.frag"))
    table = tgsi.link(vertex, fragment)
    assert {str(row.semantic) for row in table.rows} == {"GENERIC[0]"}
