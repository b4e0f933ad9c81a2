"""Arguments of runs: the order of invocations in lanes, defaults of system values, refused values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tgsi.api
from backends.formats import Format
from backends.pipe.enums import Swizzle, TexFilter, TexWrap
from backends.pipe.state import SamplerState
from backends.run.arguments import prepare
from backends.run.result import Emission
from backends.run.shapes import patch_registers
from backends.run.textures import TextureData
from tgsi.language.facts.enums import File, MemoryType
from tgsi.language.text.parser import parse

COMP = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 3\nPROPERTY CS_FIXED_BLOCK_HEIGHT 2\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n{}END\n"
OF_COMP = ("THREAD_ID", "BLOCK_ID", "GRID_SIZE", "BLOCK_SIZE", "SUBGROUP_INVOCATION")
COMP_VALUES = "".join(f"DCL SV[{i}], {name}\n" for i, name in enumerate(OF_COMP))
GEOM = """GEOM
PROPERTY GS_INPUT_PRIMITIVE LINES
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
PROPERTY GS_INVOCATIONS 2
{}END
"""
CONTROL = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], GENERIC[0]
DCL OUT[][0], POSITION
DCL OUT[1], TESSOUTER
DCL OUT[2], PATCH
{}END
"""
EVALUATION = """TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL IN[][0], POSITION
DCL IN[1], PATCH
DCL SV[0], TESSCOORD
DCL SV[1], VERTICESIN
END
"""
FRAG = "FRAG\nDCL SV[0], SAMPLEMASK\nDCL SV[1], SAMPLEPOS\nDCL SV[2], SAMPLEID\nEND\n"


def test_blocks_are_padded_to_whole_quads() -> None:
    arguments = prepare(parse(COMP.format("")), grid=(2, 1, 1))
    assert (arguments.invocations, arguments.lanes, arguments.shape.group) == (12, 16, 8)
    assert arguments.places.tolist() == [*range(6), *range(8, 14)]


def test_threads_and_blocks_count_x_first() -> None:
    arguments = prepare(parse(COMP.format(COMP_VALUES)), grid=(2, 3, 1))
    values = {name: value[arguments.places] for name, value in arguments.system_values.items()}
    assert values["THREAD_ID"][:6].tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0], [2, 1, 0, 0]]
    assert values["BLOCK_ID"][::6].tolist() == [[x, y, 0, 0] for y in range(3) for x in range(2)]
    assert values["GRID_SIZE"][0].tolist() == [2, 3, 1, 0]
    assert values["BLOCK_SIZE"][0].tolist() == [3, 2, 1, 0]
    assert values["SUBGROUP_INVOCATION"][6:9, 0].tolist() == [0, 1, 2]


def test_geometry_runs_each_primitive_as_often_as_it_says() -> None:
    text = GEOM.format("DCL IN[][0], PRIM_ID\nDCL SV[0], INVOCATIONID\nDCL SV[1], PRIM_ID\n")
    arguments = prepare(parse(text), np.zeros((3, 2, 1, 4), np.uint32))
    assert arguments.invocations == 6
    assert arguments.shape.primitive[arguments.places].tolist() == [0, 0, 1, 1, 2, 2]
    assert arguments.system_values["INVOCATIONID"][arguments.places, 0].tolist() == [0, 1] * 3
    assert arguments.system_values["PRIM_ID"][arguments.places, 0].tolist() == [0, 0, 1, 1, 2, 2]
    assert arguments.vertices[:, :, 0, 0].tolist() == [[0, 0], [1, 1], [2, 2]]


def test_a_patch_is_a_group() -> None:
    program = parse(CONTROL.format("DCL SV[0], INVOCATIONID\nDCL SV[1], VERTICESIN\n"))
    arguments = prepare(program, np.zeros((2, 5, 1, 4), np.float32))
    assert (arguments.invocations, arguments.shape.group, arguments.shape.groups) == (6, 4, 2)
    assert arguments.system_values["INVOCATIONID"][arguments.places, 0].tolist() == [0, 1, 2] * 2
    assert (arguments.system_values["VERTICESIN"] == 5).all()
    assert patch_registers(program, File.OUT) == {1, 2}


def test_tessellation_coordinates_give_the_invocations() -> None:
    arguments = prepare(parse(EVALUATION), np.zeros((2, 3, 2, 4), np.float32), system_values={"TESSCOORD": np.zeros((6, 4), np.float32)})
    assert arguments.shape.primitive[arguments.places].tolist() == [0, 0, 0, 1, 1, 1]
    with pytest.raises(ValueError, match="not a multiple of 2 patches"):
        prepare(parse(EVALUATION), np.zeros((2, 3, 2, 4), np.float32), system_values={"TESSCOORD": np.zeros((5, 4), np.float32)})


def test_the_centroid_is_the_first_covered_sample_of_a_part() -> None:
    table = np.array([[0.25, 0.25], [0.75, 0.25], [0.5, 0.75]], np.float32)
    arguments = prepare(parse(FRAG), sample_positions=table, coverage=[7, 6, 0, 4], system_values={"SAMPLEID": [0, 1, 2, 9]})
    assert arguments.centroid_offset.tolist() == [[0, 0], [0.25, -0.25], [0, 0], [0, 0.25]]
    assert arguments.sample_offset.tolist() == [[-0.25, -0.25], [0.25, -0.25], [0, 0.25], [0, 0.25]]
    assert arguments.system_values["SAMPLEMASK"][:, 0].tolist() == [7, 6, 0, 4]
    assert arguments.system_values["SAMPLEPOS"].view(np.float32)[1].tolist() == [0.75, 0.25, 0, 0]


def test_what_a_run_writes_is_a_copy() -> None:
    buffer, texels = np.zeros(4, np.uint32), np.zeros((1, 2, 2, 4), np.uint8)
    image = TextureData(Format.R8G8B8A8_UNORM, (texels,))
    arguments = prepare(parse(COMP.format("")), buffers={0: buffer}, images={1: image}, counters={2: b"\0" * 8}, memory={"GLOBAL": buffer})
    arguments.buffers[0][:] = 1
    arguments.images[1].texels[:] = 1
    arguments.memory[MemoryType.GLOBAL][:] = 1
    assert not buffer.any()
    assert not texels.any()
    assert arguments.counters[2].tolist() == [0, 0]


WRONG: dict[str, tuple[str, Any, dict[str, Any], str]] = {
    "grid of a vertex program": ("VERT\nEND\n", None, {"grid": (1, 1, 1)}, "grid belongs to COMP, TASK and MESH programs, not to VERT"),
    "framebuffer of a vertex program": ("VERT\nEND\n", None, {"framebuffer": {}}, "framebuffer belongs to FRAG"),
    "no block": ("COMP\nEND\n", None, {}, "block must be given"),
    "other block": (COMP.format(""), None, {"block": (4, 2, 1)}, "the program fixes"),
    "large block": ("COMP\nEND\n", None, {"block": (64, 64, 1)}, "4096 threads"),
    "huge grid": ("COMP\nEND\n", None, {"block": (64, 1, 1), "grid": (1 << 20, 1 << 20, 1)}, "grid has .* invocations"),
    "negative grid": (COMP.format(""), None, {"grid": (-1, 1, 1)}, "grid must be three integers of at least 0"),
    "vertices of geometry": (GEOM.format("DCL IN[][0], POSITION\n"), np.zeros((1, 3, 1, 4)), {}, r"\(primitives, 2, registers, 4\)"),
    "vertices of patches": (CONTROL.format(""), np.zeros((1, 33, 1, 4)), {}, "1 to 32 vertices"),
    "memory": (COMP.format(""), None, {"memory": {"SHARED": [0]}}, "neither 'GLOBAL' nor 'INPUT'"),
    "shared memory": (COMP.format(""), None, {"shared_memory": 1 << 30}, "shared_memory: 1073741824 is not in 0"),
    "counter number": (COMP.format(""), None, {"counters": {32: [0]}}, "counters: 32 is not a number"),
    "sample positions": (FRAG, None, {"sample_positions": [[2.0, 0.0]]}, "sample_positions must have shape"),
    "coverage and samples": (FRAG, None, {"coverage": [1] * 4, "system_values": {"SAMPLEID": [0] * 8}}, "invocations differ"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_fit_is_named(case: str) -> None:
    text, inputs, options, message = WRONG[case]
    with pytest.raises(ValueError, match=message):
        prepare(parse(text), inputs, **options)


def test_images_have_one_level_and_colors() -> None:
    level = np.zeros((1, 1, 1, 4), np.uint8)
    swizzle = (Swizzle.X, Swizzle.Y, Swizzle.Z, Swizzle.W)
    two = TextureData(Format.R8G8B8A8_UNORM, (np.zeros((1, 2, 2, 4), np.uint8), level), swizzle)
    with pytest.raises(ValueError, match="must have one level"):
        prepare(parse(COMP.format("")), images={0: two})
    with pytest.raises(ValueError, match="images hold colors"):
        prepare(parse(COMP.format("")), images={0: TextureData(Format.Z32_FLOAT, (level,))})


def test_samples_divide_the_planes() -> None:
    with pytest.raises(ValueError, match="divide the 3 planes"):
        prepare(parse("FRAG\nEND\n"), textures={0: TextureData(Format.R8G8B8A8_UNORM, (np.zeros((3, 1, 1, 4), np.uint8),), samples=2)})


def test_emitted_vertices_are_collected_by_stream_and_primitive() -> None:
    counts = np.array([3, 0, 2])
    words = np.arange(3 * 1 * 3 * 4, dtype=np.uint32).reshape(3, 1, 3, 4)
    marks = np.array([[4, 0, 4 | 1], [0, 0, 4], [4, 0, 0]], np.uint32)
    emitted, strips = Emission(counts, words, marks).collect()
    assert [len(vertices) for vertices in emitted] == [4, 1, 0, 0]
    assert emitted[0][:, 0, 0].tolist() == [0, 12, 24, 20]
    assert [lengths.tolist() for lengths in strips] == [[2, 1, 1], [1], [], []]


ODD: dict[str, list[Any]] = {
    **{key: [1, "x", [], np.zeros(2)] for key in ("constants", "system_values", "textures", "samplers", "buffers", "images", "counters")},
    **{key: [None, 1.5, "x", -1, 1 << 40, np.zeros(2)] for key in ("fuel", "shared_memory")},
    "face": [None, "x", [1]],
    "framebuffer": [(1, 2)],
    "flatshade_color": [None, "yes", np.zeros(2)],
    **{key: [7, np.zeros((2, 2)), "x"] for key in ("memory", "grid", "block")},
    **{key: [[[1], [2, 3]]] for key in ("inputs", "coefs", "sample_positions", "coverage")},
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in ODD.items() for value in values])
def test_errors_of_wrong_types_name_the_argument(name: str, value: Any) -> None:
    comp = name in ("memory", "grid", "block")
    given: dict[str, Any] = {"block": (1, 1, 1)} if comp else {} if name in ("inputs", "coefs") else {"inputs": np.zeros((4, 1, 4))}
    given |= {"quad_pos": np.zeros((4, 4))} if name == "coefs" else {}
    program = parse("COMP\nEND\n") if comp else parse("FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nEND\n")
    with pytest.raises((TypeError, ValueError), match=name):
        prepare(program, **(given | {name: value}))


def test_numbers_may_be_those_of_numpy() -> None:
    one = np.int64(1)
    given: dict[str, Any] = {"grid": (one, one, one), "shared_memory": np.int32(8), "fuel": np.uint8(3), "buffers": {one: [1]}}
    arguments = prepare(parse(COMP.format("")), **given)
    assert (arguments.shape.grid, arguments.shared_words, arguments.fuel, list(arguments.buffers)) == ((1, 1, 1), 2, 3, [1])


def test_points_of_no_patch_are_refused() -> None:
    with pytest.raises(ValueError, match="not a multiple of 0 patches"):
        prepare(parse(EVALUATION), np.zeros((0, 3, 2, 4)), system_values={"TESSCOORD": np.zeros((4, 4))})


@pytest.mark.parametrize("wrong", [{"format": "R8_UNORM"}, {"levels": None}, {"swizzle": (9, 9, 9, 9)}, {"swizzle": ()}, {"samples": 1.0}])
def test_errors_of_fields_of_textures_name_them(wrong: dict[str, Any]) -> None:
    texture = replace(TextureData(Format.R8_UNORM, (np.zeros((1, 1, 1, 1), np.uint8),)), **wrong)
    with pytest.raises((TypeError, ValueError), match=rf"textures\[2\].*{next(iter(wrong))}"):
        prepare(parse("FRAG\nEND\n"), textures={2: texture})


@pytest.mark.parametrize("wrong", [{"wrap_s": 99}, {"lod_bias": "x"}, {"border_color": (1.0, 2.0)}, {"border_color": None}])
def test_errors_of_fields_of_samplers_name_them(wrong: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"samplers\[3\].*{next(iter(wrong))}"):
        prepare(parse("FRAG\nEND\n"), samplers={3: SamplerState(**wrong)})


def test_fields_of_samplers_may_be_numbers_and_names() -> None:
    given: dict[str, Any] = {"wrap_s": 2, "min_img_filter": "LINEAR", "border_color": (1 << 30, -1, 0, 7)}
    state = prepare(parse("FRAG\nEND\n"), samplers={0: SamplerState(**given)}).samplers[0]
    assert (state.wrap_s, state.min_img_filter, state.border_color) == (TexWrap(2), TexFilter.LINEAR, given["border_color"])
    assert isinstance(state.wrap_s, TexWrap)


def test_texels_that_changed_between_runs_are_read_as_they_are() -> None:
    program = parse("FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL SAMP[0]\nTEX OUT[0], IN[0], SAMP[0], 2D\nEND\n")
    texture = TextureData(Format.R8_UNORM, (np.zeros((1, 1, 1, 1), np.uint8),))
    other = replace(texture, levels=(np.full((1, 1, 1, 1), 51, np.uint8),))
    given: dict[str, Any] = {"inputs": np.zeros((4, 1, 4)), "samplers": {0: SamplerState()}}
    for engine in tgsi.api.ENGINES:
        assert tgsi.run(program, engine=engine, textures={0: texture}, **given).floats[0, 0, 0] == 0
        assert tgsi.run(program, engine=engine, textures={0: other}, **given).floats[0, 0, 0] == np.float32(0.2)
        texture.levels[0][:] = 255
        assert tgsi.run(program, engine=engine, textures={0: texture}, **given).floats[0, 0, 0] == 1
        texture.levels[0][:] = 0


def test_what_is_always_a_float_may_be_given_as_whole_numbers() -> None:
    program = parse(FRAG)
    quads = [[0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]]
    arguments = prepare(program, quad_pos=quads, sample_positions=[[0, 1]], coefs=np.zeros((0, 3, 4), np.int32))
    assert arguments.quad_pos is not None
    assert (arguments.quad_pos.tolist(), arguments.sample_positions.tolist()) == (quads, [[0, 1]])
    bits = prepare(program, quad_pos=np.array(quads, np.float32).view(np.uint32), coefs=np.zeros((0, 3, 4))).quad_pos
    assert bits is not None
    assert bits.tolist() == quads


def test_system_values_may_have_fewer_channels() -> None:
    arguments = prepare(parse(EVALUATION), np.zeros((1, 3, 2, 4)), system_values={"TESSCOORD": [[1, 0, 0], [0, 1, 0]]})
    coordinates = arguments.system_values["TESSCOORD"][arguments.places].view(np.float32)
    assert coordinates.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0]]


def test_a_grid_that_is_too_large_is_named() -> None:
    with pytest.raises(ValueError, match="grid has 10000000000 blocks of 6 threads, more than 16777216 invocations"):
        prepare(parse(COMP.format("")), grid=(100000, 100000, 1))


def test_without_samplers_all_textures_have_the_default() -> None:
    textures = {2: TextureData(Format.R8_UNORM, (np.zeros((1, 1, 1, 1), np.uint8),))}
    assert prepare(parse("FRAG\nEND\n"), textures=textures).samplers == {2: SamplerState()}
    assert prepare(parse("FRAG\nEND\n"), textures=textures, samplers={}).samplers == {}


@pytest.mark.parametrize("engine", tgsi.api.ENGINES)
def test_a_trace_is_asked_for_with_a_boolean(engine: str) -> None:
    with pytest.raises(TypeError, match="trace must be True or False, not list"):
        tgsi.run(parse("VERT\nEND\n"), engine=engine, trace=[1])  # type: ignore[arg-type]


def test_blocks_of_one_thread_count_as_whole_quads() -> None:
    assert prepare(parse("COMP\nEND\n"), grid=(64, 1, 1), block=(1, 1, 1)).lanes == 256
    with pytest.raises(ValueError, match="more than 16777216 invocations in whole quads"):
        prepare(parse("COMP\nEND\n"), grid=(1 << 23, 1, 1), block=(1, 1, 1))


@pytest.mark.parametrize("engine", tgsi.api.ENGINES)
def test_memory_outside_of_compute_programs_says_where_it_is(engine: str) -> None:
    program = parse("VERT\nDCL TEMP[0]\nDCL MEMORY[0], SHARED\nLOAD TEMP[0].x, MEMORY[0], TEMP[0].xxxx\nEND\n")
    with pytest.raises(tgsi.UnsupportedError, match="only COMP, TASK and MESH programs have MEMORY") as caught:
        tgsi.run(program, engine=engine)
    span = caught.value.diagnostics[0].labels[0].span
    assert (span.line, span.column) == (4, 1)
