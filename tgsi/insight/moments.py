"""Moments of a recording: the state right before a draw or a grid, reached by replaying the earlier calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from backends.gallium.context.recording.decoder import Call
from backends.gallium.screen.screen import Screen
from tgsi.insight.replaying import Draw, Replay
from tgsi.language.program import Program

T = TypeVar("T")


class _Reached(BaseException):
    """The moment was reached, and the replay stops. The player lets this exception through because it is not the refusal of a call."""


def counts_of(like: Screen, data: bytearray) -> tuple[int, int]:
    """The number of draws and of grids of a recording."""
    draws = grids = 0

    def count_draw(draw: Draw, carry_out: Callable[[], Sequence[str]]) -> Sequence[str]:
        nonlocal draws
        draws += 1
        return carry_out()

    def count_grid(call: Call) -> None:
        nonlocal grids
        grids += call.row.name == "launch_grid"

    replay = Replay(like, lambda call: None, count_grid)
    replay.context.watched.watch = count_draw
    try:
        replay.run(data)
    finally:
        replay.close()
    return draws, grids


def at_draw(
    like: Screen, data: bytearray, number: int, act: Callable[[Replay, Draw], T], programs: Mapping[int, Program] | None = None
) -> T:
    """The result of `act` right before a draw, after all earlier work. programs: see `Replay`.

    LookupError: there is no such draw.
    """
    results: list[T] = []
    failed: list[Exception] = []
    passed = -1

    def watch(draw: Draw, carry_out: Callable[[], Sequence[str]]) -> Sequence[str]:
        nonlocal passed
        passed += 1
        if passed < number:
            return carry_out()
        replay.context.watched.inner.flush()
        _act(lambda: act(replay, draw), results, failed)
        raise _Reached

    replay = Replay(like, lambda call: None, lambda call: None, programs)
    replay.context.watched.watch = watch
    _play(replay, data)
    if failed:
        raise failed[0]
    if not results:
        raise LookupError(f"the recording has no draw {number}")
    return results[0]


def at_grid(
    like: Screen, data: bytearray, number: int, act: Callable[[Replay, Call], T], programs: Mapping[int, Program] | None = None
) -> T:
    """The result of `act` right before a grid. programs: see `Replay`. LookupError: there is no such grid."""
    results: list[T] = []
    failed: list[Exception] = []
    passed = -1

    def watch(call: Call) -> None:
        nonlocal passed
        if call.row.name != "launch_grid":
            return
        passed += 1
        if passed == number:
            replay.context.order.synchronize()
            _act(lambda: act(replay, call), results, failed)
            raise _Reached

    replay = Replay(like, watch, lambda call: None, programs)
    _play(replay, data)
    if failed:
        raise failed[0]
    if not results:
        raise LookupError(f"the recording has no grid {number}")
    return results[0]


def _act(act: Callable[[], T], results: list[T], failed: list[Exception]) -> None:
    """Note the result, or the error, which the player would mistake for a refused call."""
    try:
        results.append(act())
    except Exception as error:
        failed.append(error)


def _play(replay: Replay, data: bytearray) -> None:
    try:
        replay.run(data)
    except _Reached:
        pass
    finally:
        replay.close()
