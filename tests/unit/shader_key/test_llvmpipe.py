"""Emitted GLSL for a state, on Mesa's llvmpipe, draws the picture of the original program in a Context with that state on."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tgsi
from tests.unit.shader_key.drawn import Case, Scene, eligible

moderngl = pytest.importorskip("moderngl", reason="moderngl is not installed")


pytestmark = [pytest.mark.peers, pytest.mark.light]

MIXED = """FRAG
DCL IN[0], COLOR, COLOR
DCL IN[1], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..1]
DCL SVIEW[0..1], 2D, FLOAT
DCL CONST[0..1]
DCL CONST[1][0]
DCL TEMP[0..1]
TEX TEMP[0], IN[1], SAMP[0], 2D
TEX TEMP[1], IN[1].yxzw, SAMP[1], 2D
MAD TEMP[0], TEMP[0], CONST[1], IN[0]
MAD TEMP[0], TEMP[1], CONST[1][0], TEMP[0]
ADD OUT[0], TEMP[0], -CONST[0].xxxx
END
"""
PLACE = """FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
MUL OUT[0], IN[0], IN[0]
END
"""
TARGETS = MIXED.replace("FRAG\n", "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n")

SPRITES = {"sprite_coord_enable": 1, "point_quad_rasterization": True}
CASES = {
    "no state": (MIXED, Case(state="")),
    "two sides": (MIXED, Case(state="two-side", rasterizer={"light_twoside": True})),
    "flat colors": (MIXED, Case(state="flat-shade", rasterizer={"flatshade": True}, varies=True)),
    "flat colors, two sides": (
        MIXED,
        Case(state="flat-shade,two-side", rasterizer={"flatshade": True, "light_twoside": True}, varies=True),
    ),
    "clamped colors": (MIXED, Case(state="clamp-color", rasterizer={"clamp_fragment_color": True})),
    "alpha test": (MIXED, Case(state="alpha-test=GREATER:0.5", alpha=("GREATER", 0.5))),
    "alpha test, clamped colors": (
        MIXED,
        Case(state="alpha-test=LESS:0.75,clamp-color", alpha=("LESS", 0.75), rasterizer={"clamp_fragment_color": True}),
    ),
    "a reference that is a constant": (
        MIXED,
        Case(state="alpha-test=LEQUAL:0:5", alpha=("LEQUAL", 0.625), constants={5: (0.625, 0, 0, 0)}),
    ),
    "point coordinates": (MIXED, Case(state="point-coord=1", mode="POINTS", rasterizer=SPRITES)),
    "point coordinates from below": (
        MIXED,
        Case(state="point-coord=1:yes", mode="POINTS", rasterizer=SPRITES | {"sprite_coord_mode": "LOWER_LEFT"}),
    ),
    "clip planes": (
        MIXED,
        Case(state="", vertex="clip-planes=3:2", first=2, planes=((1, 0, 0, 0.5), (0, -1, 0, 0.5)), rasterizer={"clip_plane_enable": 3}),
    ),
    "clamped vertex colors": (MIXED, Case(state="", vertex="clamp-color", rasterizer={"clamp_vertex_color": True}, scale=2.0)),
    "polygon stipple": (
        MIXED,
        Case(
            state="polygon-stipple=8", rasterizer={"poly_stipple_enable": True}, stipple=tuple(0x9E3779B9 * k % 2**32 for k in range(1, 33))
        ),
    ),
    "positions": (PLACE, Case(state="")),
    "rows upside down": (PLACE, Case(state="origin=LOWER_LEFT", is_upward=True)),
    "whole pixel centers": (PLACE, Case(state="pixel-center=INTEGER", properties={"FS_COORD_PIXEL_CENTER": "INTEGER"})),
    "positions of a device": (PLACE, Case(state="window-position=LOWER_LEFT:INTEGER")),
    "sample shading": (PLACE, Case(state="per-sample", samples=4)),
    "per-sample of inputs": (MIXED, Case(state="per-sample,flat-shade", samples=4, varies=True, rasterizer={"flatshade": True})),
    "three targets": (TARGETS, Case(state="color-targets=3", targets=3)),
    "bindings and names": (MIXED, Case(state="bindings=SAMP:3+CONST:2,names=SAMP[1]:detail+CONST[1]:Lights+OUT[0]:result")),
    "a constant buffer as a block": (MIXED, Case(state="bindings=CONST[0]:4")),
}


@pytest.fixture(scope="module")
def context() -> Any:
    try:
        made = moderngl.create_context(standalone=True, backend="egl", require=450)
    except Exception as error:  # moderngl raises Exception itself
        pytest.skip(f"no OpenGL 4.5 without a screen: {error}")
    if "llvmpipe" not in made.info["GL_RENDERER"]:
        pytest.skip(f"the driver is {made.info['GL_RENDERER']}, not llvmpipe")
    yield made
    made.release()


SAME = (
    "no state",
    "positions",
    "positions of a device",
    "bindings and names",
    "a constant buffer as a block",
    "a reference that is a constant",
)
"""States with which no picture differs, or whose constants only the lowered program has."""


@pytest.mark.parametrize("name", CASES)
def test_a_state_draws_its_picture(context: Any, name: str) -> None:
    text, case = CASES[name]
    scene = Scene(tgsi.parse(text), case)
    ours = scene.ours()
    assert scene.compared(ours, scene.mesa(context)) == []
    if name not in SAME:  # the picture shows the state
        plain = Scene(tgsi.parse(text), replace(case, state="", vertex=""))
        assert scene.compared(ours, plain.mesa(context)) != []


@pytest.mark.parametrize("version", ["310 es", "320 es", "430"])
def test_versions_that_want_equal_qualifiers_link_and_draw(context: Any, version: str) -> None:
    text, case = CASES["per-sample of inputs"]
    assert Scene(tgsi.parse(text), case).differences(context, version) == []


# The corpus: programs with 2D textures and inputs of a vertex program.
OPEN = {"FRAG-b8c35dcd79056ee5": "a texture at coordinates that are not numbers"}
"""Programs that this test cannot judge, and why."""

OVER_ALL = {
    name: case
    for name, (_, case) in CASES.items()
    if case.targets == 1 and not (case.properties or case.planes or case.constants or case.stipple)
}


def judged(context: Any, shared: Path, first: int, step: int, count: int) -> tuple[int, int, dict[str, list[str]]]:
    """Pictures, refusals and differences: `count` of the states for each program, others for the next one."""
    drawn, refused, wrong = 0, 0, {}
    names = list(OVER_ALL)
    for place, file in enumerate(sorted((shared / "corpus").glob("FRAG*.tgsi"))[first::step]):
        program = tgsi.parse(file.read_text())
        if not eligible(program) or file.stem in OPEN:
            continue
        for name in (names[(place * count + k) % len(names)] for k in range(count)):
            scene = Scene(program, OVER_ALL[name], zlib.crc32(file.stem.encode()))
            try:
                found = scene.differences(context)
            except tgsi.UnsupportedError:
                refused += 1
                continue
            drawn += 1
            if found:
                wrong[f"{file.stem} {name}"] = found
    return drawn, refused, wrong


def test_some_programs_of_the_corpus_draw_their_pictures(context: Any, shared: Path) -> None:
    drawn, refused, wrong = judged(context, shared, 5, 90, 2)
    assert wrong == {}
    assert drawn > 8
    assert refused == 0


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(20))
def test_the_corpus_draws_its_pictures(context: Any, shared: Path, first: int) -> None:
    drawn, refused, wrong = judged(context, shared, first, 20, 6)
    print(drawn, refused)
    assert wrong == {}
    assert drawn > 100
