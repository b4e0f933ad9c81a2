"""Helper threads: who is waited for, and who is not."""

from __future__ import annotations

import threading

import pytest

from backends.device.threads import Helpers


def test_a_helper_that_has_not_begun_is_not_waited_for_and_makes_no_call() -> None:
    helpers, gate, begun, calls = Helpers(1, "helper"), threading.Event(), threading.Event(), list[int]()

    def occupy(worker: int) -> None:
        if worker == 1:
            begun.set()
            gate.wait(60)
        else:
            begun.wait(60)

    other = threading.Thread(target=helpers.run, args=(2, occupy, gate.set))
    other.start()
    assert begun.wait(60)
    finished = threading.Thread(target=helpers.run, args=(2, calls.append, gate.set), daemon=True)
    finished.start()
    finished.join(30)
    is_done = not finished.is_alive()
    gate.set()
    other.join()
    finished.join()
    helpers.run(2, lambda worker: None, gate.set)  # the thread of the one that was not waited for helps again
    helpers.close()
    assert is_done
    assert calls == [0]


def test_a_helper_that_has_begun_is_waited_for() -> None:
    helpers, begun, calls = Helpers(1, "helper"), threading.Event(), list[int]()

    def work(worker: int) -> None:
        if worker == 1:
            begun.set()
            threading.Event().wait(0.05)
        else:
            begun.wait(60)
        calls.append(worker)

    helpers.run(2, work, begun.set)
    helpers.close()
    assert calls == [0, 1]


def test_an_error_of_a_helper_is_raised_after_all_have_ended() -> None:
    helpers, begun, ended = Helpers(1, "helper"), threading.Event(), threading.Event()

    def work(worker: int) -> None:
        if worker == 1:
            begun.set()
            raise ValueError("of the helper")
        begun.wait(60)

    with pytest.raises(ValueError, match="of the helper"):
        helpers.run(2, work, ended.set)
    helpers.close()
    assert ended.is_set()
