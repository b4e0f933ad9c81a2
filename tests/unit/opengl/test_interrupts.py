"""Ctrl-C inside of commands reaches the program when it is back in Python."""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Iterator

import pytest

from tgsi.opengl import interrupts

CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)


@pytest.fixture(autouse=True)
def default_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_signal_in_a_callback_is_raised_after_it() -> None:
    seen = []

    def command(value: int) -> int:
        signal.raise_signal(signal.SIGINT)
        seen.append(value)
        return value + 1

    function = CALL(interrupts.uninterrupted(command))
    with pytest.raises(KeyboardInterrupt):
        function(1)
    assert seen[0] == 1
    assert not interrupts.pending


def test_a_signal_outside_is_raised_at_once() -> None:
    interrupts.uninterrupted(lambda: None)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_handler_of_the_program_stays() -> None:
    seen: list[int] = []

    def handler(number: int, frame: object) -> None:
        seen.append(number)

    signal.signal(signal.SIGINT, handler)

    def command(value: int) -> int:
        signal.raise_signal(signal.SIGINT)
        return value

    CALL(interrupts.uninterrupted(command))(1)
    assert seen == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is handler
