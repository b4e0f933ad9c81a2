"""Texts of old and embedded GLSL compile, run, and draw the same pictures as through Mesa and the server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from tests.mesa_glsl.old_texts import SIZE, STYLES, OldText, attribute, old_texts, texels, uniform
from tests.nights import sampled
from tests.unit.glsl.glslang import needs_glslang
from tgsi.language.diagnostics import TgsiError
from tgsi.language.facts.enums import File
from tgsi.language.interface import Interface

ROOT = Path(__file__).parents[2]


def compiled(item: OldText) -> list[tgsi.Program]:
    return [tgsi.compile(text, stage=stage, defines=names) for stage, text, names in item.shaders]


def draw(item: OldText) -> NDArray[np.float32]:
    """The picture of a text in a Context, rows from the lower edge."""
    vertex, fragment = compiled(item)
    with tgsi.Screen() as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=SIZE, height0=SIZE)
        depth = screen.resource_create(format="Z24X8_UNORM", width0=SIZE, height0=SIZE)
        ctx.set_framebuffer_state(cbufs=[target], zsbuf=depth)
        ctx.set_viewport_states([{"scale": (SIZE / 2, -SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}])
        ctx.bind_vs_state(ctx.create_vs_state(vertex))
        ctx.bind_fs_state(ctx.create_fs_state(fragment))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(front_ccw=True, half_pixel_center=True, clip_plane_enable=1))
        ctx.clear("COLOR|DEPTH", color=(0.25, 0.5, 0.75, 1.0), depth=1.0)
        inputs = interface(vertex).inputs
        ctx.set_vertices({name: attribute(name, int(port.type[-1]) if "vec" in port.type else 1) for name, port in inputs.items()})
        ctx.set_uniforms({**uniforms(vertex), **uniforms(fragment)})
        names = [name for program in (vertex, fragment) for name in interface(program).samplers]
        sampled = screen.texture_from(texels())
        nearest = dict.fromkeys(("min_img_filter", "mag_img_filter"), "NEAREST") | {"wrap_s": "REPEAT", "wrap_t": "REPEAT"}
        if names:
            ctx.set_textures(dict.fromkeys(names, (sampled, nearest)))
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        return np.asarray(target).reshape(SIZE, SIZE, 4)[::-1].copy()


def interface(program: tgsi.Program) -> Interface:
    assert program.interface is not None
    return program.interface


def uniforms(program: tgsi.Program) -> dict[str, NDArray[np.generic]]:
    block = interface(program).uniforms
    made: dict[str, NDArray[np.generic]] = {}
    for name, member in block.members.items() if block is not None else ():
        if name.startswith("gl_"):  # state that GLSL calls built in
            continue
        count = int(np.prod(member.sizes)) if member.sizes else 1
        value = uniform(name, member.scalar, member.rows, member.columns, count).swapaxes(1, 2)  # rows outside, as numpy has them
        made[name] = value.reshape([n for n in (count if member.sizes else 1, member.rows, member.columns) if n > 1] or [1])
        if not made[name].shape[1:] and made[name].size == 1 and not member.sizes:
            made[name] = made[name].reshape(())
        if member.scalar == "bool":
            made[name] = made[name] != 0
    return made


def test_there_are_24_texts_of_each_of_nine_styles() -> None:
    found = [item.name for style in STYLES for item in old_texts(style)]
    assert len(set(found)) == len(found) == 216
    assert {style: len(old_texts(style)) for style in STYLES} == dict.fromkeys(STYLES, 24)


@needs_glslang
@pytest.mark.parametrize("style", sampled(STYLES, 3))
def test_old_texts_compile_to_programs_that_run_and_color_their_fragments(style: str) -> None:
    refused = {}
    for item in old_texts(style):
        for stage, text, names in item.own:
            try:
                program = tgsi.compile(text, stage=stage, defines=names)
            except TgsiError as error:
                refused[f"{item.name} {stage}"] = str(error)
                continue
            semantics = {declared.semantic.name for declared in program.declared(File.OUT) if declared.semantic is not None}
            assert semantics & {"COLOR", "POSITION"}, item.name
            inputs = np.full((4, max(1, program.file_size(File.IN)), 4), 0.5, np.float32)
            results = [tgsi.run(program, inputs, engine=engine).outputs for engine in ("interp", "jit")]
            assert results[0].shape == results[1].shape
    assert refused == {}


@needs_glslang
@pytest.mark.nightly
@pytest.mark.peers
def test_old_texts_that_mesa_takes_draw_as_through_the_server(tmp_path: Path) -> None:
    pytest.importorskip("moderngl")
    file = tmp_path / "pictures.npz"
    command = [sys.executable, "-m", "tgsi.tools.vtest.cli", "run", "--headless", "--quiet", "--"]
    client = [sys.executable, "-m", "tests.mesa_glsl.old_client", str(file)]
    ran = subprocess.run([*command, *client], cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
    if not file.exists():
        pytest.skip(f"no picture came from Mesa: {ran.stderr[-300:]}")
    found = np.load(file)
    pictures = {name.replace("~", "/"): found[name] for name in found.files if name != "refused"}
    assert len(pictures) > 200
    wrong: dict[str, object] = {}
    for style in STYLES:
        for item in old_texts(style):
            if item.name in pictures:
                try:
                    apart = np.abs(draw(item) - pictures[item.name]).max(axis=-1)
                except TgsiError as error:
                    wrong[item.name] = str(error)
                    continue
                if not (apart < 1e-3).mean() > 0.99:
                    wrong[item.name] = float(np.nan_to_num(apart, nan=9.0).max())
    assert wrong == {}
