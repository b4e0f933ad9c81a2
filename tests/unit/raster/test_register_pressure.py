"""Live values of programs, and the vector width chosen from their number."""

from __future__ import annotations

import pytest

from backends.llvm.engine.kernel_cache import KernelCache
from backends.raster.kernels import Kernels
from backends.raster.tile.register_pressure import live_values
from tests.unit import picture
from tests.unit.raster.canvas import shader
from tgsi.gallium import Screen

HEAD = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..9]\n"


def live(body: str) -> int:
    return live_values(shader(HEAD + body + "END\n").program)


def test_inputs_live_from_the_start() -> None:
    assert live("MOV OUT[0], IN[0]\n") == 4


def test_a_value_dies_with_its_last_use() -> None:
    assert live("MOV TEMP[0].x, IN[0].xxxx\nMOV TEMP[1].x, TEMP[0].xxxx\nMOV TEMP[2].x, TEMP[1].xxxx\nMOV OUT[0].x, TEMP[2].xxxx\n") == 1


def test_what_a_loop_reads_lives_through_the_loop() -> None:
    begin = "MOV TEMP[0].xy, IN[0].xyyy\n"
    rest = "MOV TEMP[2].x, TEMP[1].xxxx\nMOV TEMP[3].x, TEMP[2].xxxx\n"
    fresh = "ADD TEMP[1].x, TEMP[0].xxxx, TEMP[0].yyyy\n"
    carried = "MAD TEMP[1].x, TEMP[1].xxxx, TEMP[0].xxxx, TEMP[0].yyyy\n"
    assert live(begin + fresh + rest) == 2
    assert live(begin + "BGNLOOP\n" + fresh + rest + "BRK\nENDLOOP\n") == 3
    assert live(begin + "BGNLOOP\n" + carried + rest + "BRK\nENDLOOP\n") == 4


@pytest.mark.parametrize(
    ("live", "loops", "textures", "texel", "few", "lanes"),
    [
        (5, False, 0, 4, True, 32),
        (8, True, 0, 4, True, 64),
        (8, True, 1, 4, True, 32),
        (9, True, 0, 4, True, 64),
        (15, False, 0, 4, True, 16),
        (15, True, 0, 4, True, 64),
        (15, True, 1, 4, True, 16),
        (25, True, 0, 4, True, 16),
        (5, False, 0, 8, True, 16),
        (5, False, 0, 4, False, 32),
        (5, False, 1, 4, False, 16),
    ],
)
def test_width_follows_live_values_with_avx512(live: int, loops: bool, textures: int, texel: int, few: bool, lanes: int) -> None:
    from backends.raster.tile.fragment import NO_FRAGMENTS, FragmentInfo

    kernels = Kernels(KernelCache("x86-64-v4"))
    info = FragmentInfo(emit=NO_FRAGMENTS.emit, live=live, has_loops=loops, texture_units=textures, instructions=5)
    assert kernels.fragment_lanes(info, texel, few) == lanes


@pytest.mark.parametrize(("cpu", "lanes"), [("x86-64", 8), ("x86-64-v2", 8), ("x86-64-v3", 16)])
def test_below_avx512_two_registers_hold_a_value(cpu: str, lanes: int) -> None:
    from backends.raster.tile.fragment import NO_FRAGMENTS

    assert Kernels(KernelCache(cpu)).fragment_lanes(NO_FRAGMENTS, 4, True) == lanes


@pytest.mark.parametrize(
    ("cpu", "live", "textures", "few", "lanes"),
    [
        ("x86-64-v2", 24, 0, True, 16),
        ("x86-64-v3", 24, 0, True, 32),
        ("x86-64-v3", 25, 0, True, 16),
        ("x86-64-v3", 8, 1, True, 16),
        ("x86-64-v3", 8, 0, False, 16),
    ],
)
def test_below_avx512_loops_with_few_values_have_four_registers_a_value(cpu: str, live: int, textures: int, few: bool, lanes: int) -> None:
    from backends.raster.tile.fragment import NO_FRAGMENTS, FragmentInfo

    info = FragmentInfo(emit=NO_FRAGMENTS.emit, live=live, has_loops=True, texture_units=textures, instructions=5)
    assert Kernels(KernelCache(cpu)).fragment_lanes(info, 4, few) == lanes


@pytest.mark.parametrize(
    ("cpu", "instructions", "few", "lanes"),
    [("x86-64-v2", 2, True, 8), ("x86-64-v3", 2, True, 32), ("x86-64-v3", 2, False, 16), ("x86-64-v3", 5, True, 16)],
)
def test_on_avx2_programs_that_only_sample_have_four_registers_a_value(cpu: str, instructions: int, few: bool, lanes: int) -> None:
    from backends.raster.tile.fragment import NO_FRAGMENTS, FragmentInfo

    info = FragmentInfo(emit=NO_FRAGMENTS.emit, texture_units=1, instructions=instructions)
    assert Kernels(KernelCache(cpu)).fragment_lanes(info, 4, few) == lanes


LOOP = "BGNLOOP\nMAD TEMP[0], TEMP[0], IN[0], IN[0]\nBRK\nENDLOOP\n"


@pytest.mark.parametrize(("body", "tiny", "lanes"), [("", False, 16), (LOOP, False, 32), (LOOP, True, 8)])
def test_vertex_shaders_with_loops_are_wider(body: str, tiny: bool, lanes: int) -> None:
    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\n"
    program = shader(text + body + "MOV OUT[0], TEMP[0]\nEND\n").program
    assert Kernels(KernelCache("x86-64-v3")).vertex_lanes(program, tiny) == lanes


@pytest.mark.parametrize("count", [1025, 4096])
def test_arrays_too_large_for_the_lanes_are_drawn_with_fewer(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..{count - 1}], ARRAY(1)\nDCL ADDR[0]\nIMM[0] UINT32 {{{count - 1}, 0, 0, 0}}\n"
    text += "IMM[1] FLT32 {1, 2, 3, 4}\nUARL ADDR[0].x, IMM[0].xxxx\nBGNLOOP\nMOV TEMP[ADDR[0].x](1), IMM[1]\nBRK\nENDLOOP\n"
    text += "MOV OUT[0], TEMP[ADDR[0].x](1)\nEND\n"
    with Screen(threads=0, lanes=64) as screen:
        monkeypatch.setattr(picture, "screen", lambda: screen)
        assert (picture.Picture(8, 8).draw(text).pixels() == (1, 2, 3, 4)).all()


@pytest.mark.parametrize("count", [2049, 4096])
def test_vertex_programs_with_large_arrays_take_fewer_lanes_too(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..{count - 1}], ARRAY(1)\nDCL ADDR[0]\n"
    text += f"IMM[0] UINT32 {{{count - 1}, 0, 0, 0}}\nUARL ADDR[0].x, IMM[0].xxxx\n"
    text += "MOV TEMP[ADDR[0].x](1), IN[0]\nMOV OUT[0], TEMP[ADDR[0].x](1)\nEND\n"
    with Screen(threads=0, lanes=64) as screen:
        monkeypatch.setattr(picture, "screen", lambda: screen)
        assert (picture.Picture(8, 8).draw(vertex=text).pixels() == 1).all()
