"""Refused memory, threads and files: the n-th request of a frame fails; then the same context renders the right picture."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import ArgumentError
from functools import cache

import pytest

from backends.device.calls.errors import RecordingError
from backends.device.region import aligned
from backends.gallium.resource import layout
from tests.campaigns import injector
from tests.campaigns.frames import KINDS, Frames
from tests.fuzz.guard import replace_everywhere

EACH = 8
"""Injections of a seed, all into one kind of frame, through one context."""

_KINDS = ("numpy", "mapping", "python", "python", "thread", "file")


@cache
def expected(name: str) -> bytes:
    """The picture of a frame when nothing is refused."""
    fresh = Frames(threads=0)
    try:
        return KINDS[name](fresh)
    finally:
        fresh.close()


def prepare() -> None:
    """Nothing is refused to what the campaign needs itself."""
    assert injector.works(), "numpy's table of functions is another one"
    for name in KINDS:
        expected(name)


def _choice(seed: int) -> tuple[random.Random, str, str, bool]:
    chance = random.Random(f"faults {seed}")
    return chance, _KINDS[seed % len(_KINDS)], tuple(KINDS)[seed // len(_KINDS) % len(KINDS)], chance.random() < 0.4


def may_raise(error: BaseException, kind: str, name: str) -> bool:
    """True if the documents name this error for the refused call."""
    if kind == "thread":
        return False  # the caller draws alone
    if kind == "file":
        return name == "traced" and isinstance(error, OSError) and bool(error.strerror)
    if kind == "python" and isinstance(error, (SystemError, ArgumentError)):
        return True  # CPython and ctypes report some of their own refusals so
    if isinstance(error, RecordingError) and isinstance(error.__cause__, MemoryError):
        return "command " in str(error)
    return isinstance(error, MemoryError) and (kind == "python" or bool(str(error)))


@contextmanager
def _without_interfaces(kind: str) -> Iterator[None]:
    """Ask for addresses in another way: `__array_interface__` of numpy 2.4 itself reads address 0 where it finds no memory."""
    with pytest.MonkeyPatch.context() as patch:
        if kind == "python":
            replace_everywhere(patch, layout.address_of, lambda array: array.ctypes.data)
            replace_everywhere(patch, layout.allocate, aligned)
        yield


def inject(frames: Frames, kind: str, name: str, number: int | None) -> tuple[str, int]:
    """Draw a frame whose request of this number is refused. Returns what happened and the number of requests."""
    counter = injector.Counter(number)
    try:
        with _without_interfaces(kind), injector.hooked(kind, counter):
            found = KINDS[name](frames)
    except Exception as error:
        if not may_raise(error, kind, name):
            raise AssertionError(f"request {number} of kind {kind} in the frame {name} was refused: {error!r}") from error
        del error
        return "refused", counter.count
    assert found == expected(name), f"request {number} of kind {kind} in the frame {name} was refused, and its picture is wrong"
    return "not needed" if counter.is_hit else "not reached", counter.count


def check(frames: Frames, *names: str) -> None:
    """Draw frames through a context, undisturbed."""
    for name in names:
        assert KINDS[name](frames) == expected(name), f"the next picture of the frame {name} is wrong"


def attempt(seed: int) -> Counter[str]:
    """Inject into a context that knows the frame, or into a new one."""
    chance, kind, name, is_new = _choice(seed)
    other = chance.choice(tuple(KINDS))
    counts: Counter[str] = Counter()
    threads = 0 if kind == "python" else seed // 3 % 3  # CPython waits for a thread whose first objects are refused
    fresh = Frames(threads)
    try:
        if not is_new:
            check(fresh, name)
        sample = Frames(threads) if is_new else fresh
        most = inject(sample, kind, name, None)[1]
        if is_new:
            sample.close()
        if not most:
            return Counter({"nothing to refuse": 1})
        for number in chance.sample(range(most), min(EACH, most)):
            try:
                counts[f"{kind}: {inject(fresh, kind, name, number)[0]}"] += 1
                check(fresh, name)
            except Exception as error:
                raise AssertionError(f"seed {seed}: {kind}, request {number}, frame {name}, {'new' if is_new else 'known'}") from error
        check(fresh, other)
    finally:
        fresh.close()
    return counts


def given(seed: int) -> str:
    """Kind of requests, and the frame."""
    _, kind, name, is_new = _choice(seed)
    return f"requests of kind {kind} in the frame {name}, to a {'new' if is_new else 'known'} context"
