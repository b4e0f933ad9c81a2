"""The work of every stage before LLVM grows with the text, not with its square: counted in calls of functions, so that no clock matters."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import tgsi
from backends.llvm.kernels import fragments, listing
from passes.analysis.graph import flow_graph
from tests.fuzz.bombs import BOMBS, HEAD, TAIL
from tgsi.language.diagnostics import TgsiError
from tgsi.language.program import Program

STAGES: dict[str, Callable[[Program], object]] = {
    "print": lambda program: program.text,
    "dump": lambda program: tgsi.dump(program, style="mesa"),
    "tokens": lambda program: tgsi.decode(tgsi.encode(program)),
    "validate": tgsi.validate,
    "graph": flow_graph,
    "optimize": tgsi.optimize,
    "build": lambda program: listing.build(program, lanes=8).text(),
}
ONCE_QUADRATIC = ("unmatched ends", "cases", "uniform cases", "calls")
FEW, TIMES = 120, 4


def calls(work: Callable[[], object]) -> int:
    """Number of calls of functions, and of steps of generators, that `work` takes. A `TgsiError` ends it.

    Python collects no garbage meanwhile: that of other tests has finalizers, whose calls would count.
    """
    count = 0

    def note(frame: Any, event: str, argument: object) -> None:
        nonlocal count
        count += 1

    gc.collect()
    gc.disable()
    sys.setprofile(note)
    try:
        work()
    except TgsiError:
        pass
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def growth(name: str, few: int) -> dict[str, float]:
    """Growth of the calls of each stage, as a factor, when a construct is repeated `TIMES` as often as `few`."""
    texts = [BOMBS[name](n) for n in (few, few * TIMES)]
    found = {"parse": [calls(partial(tgsi.parse, text)) for text in texts]}
    try:
        programs = [tgsi.parse(text) for text in texts]
    except TgsiError:
        programs = []
    for program in programs:
        for stage, work in STAGES.items():
            found.setdefault(stage, []).append(calls(partial(work, program)))
    return {stage: many / max(few, 2000) for stage, (few, many) in found.items()}


@pytest.mark.parametrize("name", ONCE_QUADRATIC)
def test_work_grows_with_the_text(name: str) -> None:
    tgsi.parse(BOMBS[name](2))
    assert all(found < 1.5 * TIMES for found in growth(name, FEW).values()), growth(name, FEW)


@pytest.mark.nightly
@pytest.mark.parametrize("name", BOMBS)
def test_work_grows_with_every_text(name: str) -> None:
    tgsi.parse(BOMBS["MOVs"](2))
    found = growth(name, 400)
    assert all(times < 1.5 * TIMES for times in found.values()), found


def test_a_switch_of_many_arms_has_few_edges() -> None:
    graph = flow_graph(tgsi.parse(BOMBS["cases"](1000)))
    assert sum(map(len, graph.successors)) < 8 * 1000


def test_a_text_grows_no_more_by_its_indentation_than_by_its_lines() -> None:
    few, many = (tgsi.parse(BOMBS["deep IFs"](n)) for n in (1000, 2000))
    for printed in (lambda program: program.text, lambda program: tgsi.dump(program, style="mesa")):
        assert len(printed(many)) < 2.1 * len(printed(few))


def test_reading_inputs_at_other_places_walks_the_program_a_fixed_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    walks = []
    for reads in (4, 32):
        program = tgsi.parse(HEAD + "INTERP_OFFSET TEMP[0], IN[5], TEMP[1]\n" * reads + TAIL)
        count = 0

        def counted(walked: Program, targets: Callable[[Program], int] = fragments.color_targets) -> int:
            nonlocal count
            count += 1
            return targets(walked)

        with monkeypatch.context() as patch:
            patch.setattr(fragments, "color_targets", counted)
            listing.build(program, lanes=8)
        walks.append(count)
    assert walks[0] == walks[1]
