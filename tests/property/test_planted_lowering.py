"""The comparison of direct and lowered mesh programs finds faults that are planted in the lowering, one at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

import tgsi
from backends.nvk.emulator.compare import compare
from backends.nvk.lower import lowering, memory, outputs, prologue
from backends.nvk.lower.code import Access
from backends.nvk.lower.writer import Writer
from tests.property.mesh_pairs import generate
from tests.property.settings import MESH_PAIRS

Right = Callable[..., Any]


def _moved(access: Access, bytes_: int) -> Access:
    return replace(access, address=replace(access.address, offset=access.address.offset + bytes_))


FAULTS: Mapping[str, tuple[object, str, Callable[[Right], Right]]] = {
    "stores and loads swap two channels": (memory, "_access", lambda right: lambda s, p, c=0: right(s, p, (0, 2, 1, 3)[c])),
    "words beyond shared memory are there": (memory, "_inside", lambda right: lambda *given: True),
    "words lie one word on": (memory, "_place", lambda right: lambda w, operand: _later(w, right(w, operand))),
    "rows that do not exist are written": (outputs, "_row", lambda right: lambda *given: _inside_always(right(*given))),
    "the second corner is the third": (outputs, "_index_access", lambda right: lambda c, m, r, k: right(c, m, r, (0, 2, 1)[k])),
    "culling is forgotten": (
        outputs,
        "_write_mask",
        lambda right: lambda c, m, r, name, v: None if name == "CULL_PRIMITIVE" else right(c, m, r, name, v),
    ),
    "an array of outputs has another step": (outputs, "_step", lambda right: lambda *given: right(*given) + 4),
    "attributes of primitives lie one word on": (
        outputs,
        "_attribute_access",
        lambda right: lambda w, m, r, per, offset: _moved(right(w, m, r, per, offset), 4 * per),
    ),
    "y and z of a grid are swapped": (prologue, "split", lambda right: lambda w, n, width, height, t: right(w, n, height, width, t)),
    "memory is not cleared": (lowering, "clear_output", lambda right: lambda c, task, size: right(c, task, 0)),
}
"""Places of the lowering and their faulty versions."""


def _later(w: Writer, place: memory.Place) -> memory.Place:
    return place + 4 if isinstance(place, int) else w.op("UADD", place, w.constant(4))


def _inside_always(row: Any) -> Any:
    return row if row is None else replace(row, inside=None)


def _found_by(pairs: Iterable[int]) -> int | None:
    """Number of the first pair that reveals a fault."""
    run = partial(tgsi.run, engine="interp")
    for seed in pairs:
        pair = generate(seed)
        mesh, task = tgsi.parse(pair.mesh), tgsi.parse(pair.task) if pair.task else None
        try:
            found = compare(mesh, task, run, pair.grid, draw_id=seed, **pair.arguments)
        except (ValueError, IndexError):  # the emulator refuses what a faulty program writes
            return seed
        if found.differences:
            return seed
    return None


@pytest.mark.nightly
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_by_the_pairs_of_the_day(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, spoil = FAULTS[fault]
    monkeypatch.setattr(module, name, spoil(getattr(module, name)))
    assert _found_by(range(MESH_PAIRS)) is not None


def test_a_wrong_last_word_of_shared_memory_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A workgroup of one thread sees the word from before its atomic, never the word that the atomic leaves."""

    def more(right: Right) -> Right:
        return lambda w, old, operands: w.op("UADD", right(w, old, operands), w.constant(1))

    def is_alone(text: str) -> bool:
        return "CS_FIXED_BLOCK_WIDTH 1\n" in text and "CS_FIXED_BLOCK_HEIGHT 1\n" in text and bool(re.search("ATOM.*MEMORY.0.", text))

    chosen = next(seed for seed in range(1000) if is_alone(generate(3 * seed).mesh))
    monkeypatch.setattr(memory, "_NEW_WORDS", {name: more(right) for name, right in memory._NEW_WORDS.items()})
    assert _found_by([3 * chosen]) is not None


def test_nothing_is_found_where_nothing_is_planted() -> None:
    assert _found_by(range(3)) is None
