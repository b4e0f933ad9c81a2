"""Facts of a program are computed once, are freed with it, and keep no other program alive."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref

import pytest

import tgsi
from passes.analysis import facts
from tests.texts import VS_POSITION
from tgsi.language.program import Program


def length(program: Program) -> list[int]:
    return [len(program.instructions)]


def joint(first: Program, second: Program | None, number: int) -> list[int]:
    return [len(first.instructions), 0 if second is None else len(second.instructions), number]


def test_a_fact_is_one_object_for_each_program_and_maker() -> None:
    a, b = tgsi.parse(VS_POSITION), copy.deepcopy(tgsi.parse(VS_POSITION))
    assert facts.of(a, length) is facts.of(a, length)
    assert facts.of(a, length) is not facts.of(b, length)
    assert facts.of(a, joint, b, 1) is facts.of(a, joint, b, 1)
    assert facts.of(a, joint, b, 1) is not facts.of(a, joint, b, 2)
    assert facts.of(a, joint, None, 1) is not facts.of(a, joint, b, 1)


def test_none_is_a_fact() -> None:
    calls: list[Program] = []
    program = tgsi.parse(VS_POSITION)
    for _ in range(2):
        assert facts.of(program, calls.append) is None
    assert calls == [program]


def test_a_fact_holds_no_partner_and_is_not_mistaken_for_that_of_a_later_one() -> None:
    first = tgsi.parse(VS_POSITION)
    for count in range(1, 50):  # Python reuses ids
        second = tgsi.parse(VS_POSITION.replace("END", "MOV OUT[0], IN[0]\n" * count + "END"))
        gone = weakref.ref(second)
        assert facts.of(first, joint, second, 0) == [2, count + 2, 0]
        del second
        gc.collect(0)  # the program is young; a full collection looks at the whole suite
        assert gone() is None


def test_facts_die_with_their_program() -> None:
    class Fact:
        pass

    program = copy.deepcopy(tgsi.parse(VS_POSITION))
    fact = weakref.ref(facts.of(program, lambda _: Fact()))
    assert fact() is not None
    del program
    gc.collect()
    assert fact() is None


def test_joint_facts_are_bounded() -> None:
    program = tgsi.parse(VS_POSITION)
    for number in range(facts.MAX_JOINT + 10):
        facts.of(program, joint, None, number)
    assert len(program.__dict__["_facts"].joint) <= facts.MAX_JOINT


def test_a_maker_that_raises_leaves_nothing() -> None:
    calls = []

    def fails(program: Program) -> int:
        calls.append(program)
        raise ValueError("no fact")

    program = tgsi.parse(VS_POSITION)
    for _ in range(2):
        with pytest.raises(ValueError, match="no fact"):
            facts.of(program, fails)
    assert len(calls) == 2


def test_facts_take_no_part_in_equality_pickles_and_deep_copies() -> None:
    program, other = tgsi.parse(VS_POSITION), tgsi.parse(VS_POSITION + "# a comment\n")
    kept = facts.of(program, lambda _: threading.Lock())  # an object that cannot be pickled
    assert program == other
    for twin in (pickle.loads(pickle.dumps(program)), copy.deepcopy(program)):
        assert twin == program
        assert facts.of(twin, length) is not facts.of(program, length)
    assert kept


def test_threads_get_the_same_object() -> None:
    for _ in range(20):
        program = copy.deepcopy(tgsi.parse(VS_POSITION))
        found: list[list[int]] = []
        barrier = threading.Barrier(8)

        def ask(program: Program = program, barrier: threading.Barrier = barrier, found: list[list[int]] = found) -> None:
            barrier.wait()
            found.append(facts.of(program, joint, None, 7))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({id(fact) for fact in found}) == 1
