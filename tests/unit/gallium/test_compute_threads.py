"""Grids on several threads: atomics in any order, bindings that share memory, and interruptions between two calls of a kernel."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np
import pytest

from backends.abi.keys import ImageKey
from backends.compute import dispatch
from backends.llvm.kernels import time_slices as pace
from backends.llvm.kernels.grids import GridKey, build_grid_kernel
from tests.unit.gallium.compute_cases import WHERE, buffer, launch, words, zeros
from tgsi import gallium as g
from tgsi.language.text.parser import parse

pytestmark = pytest.mark.light

THREADS, PLACES = 1 << 15, 7
OPCODES: dict[str, Callable[[int, int], int]] = {
    "ATOMUADD": lambda a, b: (a + b) & 0xFFFFFFFF,
    "ATOMAND": lambda a, b: a & b,
    "ATOMOR": lambda a, b: a | b,
    "ATOMXOR": lambda a, b: a ^ b,
    "ATOMUMIN": min,
    "ATOMUMAX": max,
    "ATOMIMIN": lambda a, b: min(a, b, key=_signed),
    "ATOMIMAX": lambda a, b: max(a, b, key=_signed),
}
TARGETS = {
    "BUFFER[0]": "DCL BUFFER[0]\n",
    "HWATOMIC[0][ADDR[0].x]": "DCL HWATOMIC[0][0..9]\nDCL ADDR[0]\n",
    "MEMORY[0]": "DCL MEMORY[0], GLOBAL\n",
    "IMAGE[0]": "DCL IMAGE[0], 1D, PIPE_FORMAT_R32_UINT, WR\n",
}


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def _program(opcode: str, target: str, places: int = PLACES, tail: str = "") -> str:
    """Program in which thread t applies the word t * 2654435761 to word t mod `places`."""
    is_image = target == "IMAGE[0]"
    suffix = ", 1D, PIPE_FORMAT_R32_UINT" if is_image else ""
    return f"""COMP
{WHERE}{TARGETS[target]}DCL TEMP[0..1]
IMM[0] UINT32 {{2654435761, {places}, {1 if is_image else 4}, 0}}
UMAD TEMP[0].x, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx
UMUL TEMP[0].y, TEMP[0].xxxx, IMM[0].xxxx
UMOD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
{"UARL ADDR[0].x, TEMP[0].xxxx" if "ADDR" in target else "UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz"}
{opcode} TEMP[1].x, {target}, TEMP[0], TEMP[0].yyyy{suffix}
{tail}END
"""


def _expected(opcode: str, places: int = PLACES, start: int = 0x1234) -> list[int]:
    given = (np.arange(THREADS, dtype=np.uint64) * 2654435761 & 0xFFFFFFFF).tolist()
    return [reduce(OPCODES[opcode], given[place::places], start) for place in range(places)]


def _run(ctx: g.Context, text: str, target: str, count: int) -> list[int]:
    start = np.full(count, 0x1234, np.uint32)
    grid: dict[str, Any] = {"grid": (THREADS // 64, 1, 1), "block": (64, 1, 1)}
    if target == "IMAGE[0]":
        made = ctx.screen.resource_create(target="TEXTURE_1D", format="R32_UINT", width0=count)
        made.blocks()[...] = start.view(np.uint8).reshape(made.blocks().shape)
        ctx.set_shader_images("COMPUTE", [made])
        launch(ctx, text, **grid)
        return [int(word) for word in np.ascontiguousarray(made.blocks()).view(np.uint32).reshape(-1)]
    made = buffer(ctx, start)
    if target.startswith("HWATOMIC"):
        ctx.set_hw_atomic_buffers([made])
    elif target.startswith("MEMORY"):
        ctx.set_global_binding([made])
    launch(ctx, text, *([made] if target == "BUFFER[0]" else []), **grid)
    return [int(word) for word in words(made)[:count]]


@pytest.fixture(params=[(0, 8), (1, 16), (3, 64)])
def ctx(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[g.Context]:
    threads, lanes = request.param
    monkeypatch.setattr(dispatch, "compute_units", lambda threads: threads + 1)
    monkeypatch.setattr(dispatch, "LOCKED", 0)
    with g.Screen(threads=threads, lanes=lanes).context_create() as context:
        yield context


@pytest.mark.parametrize("opcode", OPCODES)
@pytest.mark.parametrize("places", [1, PLACES])
def test_atomics_lose_nothing_on_several_threads(ctx: g.Context, opcode: str, places: int) -> None:
    assert _run(ctx, _program(opcode, "BUFFER[0]", places), "BUFFER[0]", places) == _expected(opcode, places)


@pytest.mark.parametrize("target", TARGETS)
def test_all_shared_memory_has_them(ctx: g.Context, target: str) -> None:
    assert _run(ctx, _program("ATOMUADD", target), target, PLACES) == _expected("ATOMUADD")


@pytest.mark.parametrize("target", TARGETS)
def test_only_kernels_of_several_threads_use_instructions_that_lock(target: str) -> None:
    free, seen = _program("ATOMUADD", target), _program("ATOMUADD", target, tail="STORE BUFFER[1].x, TEMP[0], TEMP[1]\n")
    seen = seen.replace("DCL TEMP", "DCL BUFFER[1]\nDCL TEMP")
    kinds = ((0, ImageKey(g.Format.R32_UINT)),) if target == "IMAGE[0]" else ()
    locks = {}
    for name, text in (("free", free), ("seen", seen)):
        for is_threaded in (False, True):
            key = GridKey(lanes=16, images=kinds, is_threaded=is_threaded)
            locks[name, is_threaded] = "atomicrmw" in build_grid_kernel(parse(text), key).text()
    assert locks == {("free", False): False, ("free", True): True, ("seen", False): False, ("seen", True): False}


def test_bindings_that_share_memory_keep_to_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    run = dispatch.Dispatcher._run

    def note(self: Any, plan: Any) -> None:
        seen.append(plan.workers)
        run(self, plan)

    monkeypatch.setattr(dispatch, "compute_units", lambda threads: 2)
    monkeypatch.setattr(dispatch, "LOCKED", 0)
    monkeypatch.setattr(dispatch.Dispatcher, "_run", note)
    with g.Screen(threads=1).context_create() as ctx:
        one, other = zeros(ctx, 64), zeros(ctx, 64)
        text = _program("ATOMUADD", "BUFFER[0]")
        grid: dict[str, Any] = {"grid": (THREADS // 64, 1, 1), "block": (64, 1, 1)}
        launch(ctx, text, one, other, **grid)
        launch(ctx, text, one, one, **grid)
        launch(ctx, text.replace("END", "LOAD TEMP[1], BUFFER[0], TEMP[0].xxxx\nEND"), one, **grid)
        monkeypatch.undo()
        monkeypatch.setattr(dispatch.Dispatcher, "_run", note)
        launch(ctx, text, one, other, **grid)  # too little work apart from the atomic: one thread without locks is faster
        launch(ctx, text.replace("END", "BGNLOOP\nBRK\nENDLOOP\nEND"), one, other, **grid)
    assert seen == [2, 1, 1, 1, 2]


def test_a_signal_is_seen_between_two_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fake time passes quickly, so every call works on one unit, and Ctrl-C arrives after the third."""
    now = [0.0]

    def clock() -> float:
        now[0] += 1.0
        if now[0] == 6.0:
            signal.raise_signal(signal.SIGINT)
        return now[0]

    monkeypatch.setattr(pace, "clock", clock)
    with g.Screen(threads=0).context_create() as ctx:
        made = zeros(ctx, 64)
        text = _program("ATOMUADD", "BUFFER[0]", 64).replace("IMM[0] UINT32 {2654435761", "IMM[0] UINT32 {1")
        text = text.replace("ATOMUADD TEMP[1].x, BUFFER[0], TEMP[0], TEMP[0].yyyy", "ATOMUADD TEMP[1].x, BUFFER[0], TEMP[0], SV[2].yyyy")
        text = text.replace("DCL TEMP[0..1]", "DCL TEMP[0..1]\nDCL TEMP[2]").replace("END\n", "BGNLOOP\nBRK\nENDLOOP\nEND\n")
        with pytest.raises(KeyboardInterrupt):
            launch(ctx, text, made, grid=(1 << 12, 1, 1), block=(256, 1, 1))
        assert words(made)[:64].tolist() == [3 * 256 // 64] * 64
        launch(ctx, text, made, grid=(4, 1, 1), block=(64, 1, 1))
        assert words(made)[:64].tolist() == [3 * 256 // 64 + 4] * 64


def test_pieces_grow_while_they_are_done_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 0.001, 1.0, 1.01, 2.0, 2.07, 3.0, 4.0, 5.0, 5.001])
    monkeypatch.setattr(pace, "clock", lambda: next(times))
    work, sizes = pace.TimeSlices(100, 30), []
    for _ in range(5):
        sizes.append(work.begin())
        work.end()
    assert [*sizes, work.size] == [30, 60, 100, 100, 10, 20]
