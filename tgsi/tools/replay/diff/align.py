"""The calls of two traces in pairs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from backends.gallium.tracing.printing import Handle, plain
from backends.gallium.tracing.steps import Step
from tgsi.language.record import record

_MOST_MATCHED = 20_000
"""Most calls of one side that are aligned by content. Longer sequences, between the common beginning and end, are paired in order."""


@record(eq=False)
class Pair:
    """A call of each side; one of them may be missing.

    first, second: their numbers among the steps. is_same: name, arguments and outcome are the same.
    """

    first: int | None
    second: int | None
    is_same: bool


class Objects:
    """Objects of the first trace with their counterparts in the second."""

    def __init__(self) -> None:
        self._of: dict[int, int] = {}

    def pair(self, first: int, second: int) -> None:
        """Make two new objects counterparts."""
        if first and second:
            self._of[first] = second

    def of(self, handle: int) -> int:
        """The handle in the second trace; 0 if there is none."""
        return self._of.get(handle, 0)

    def is_same(self, one: Handle, other: Handle) -> bool:
        """True if two objects are counterparts."""
        return self.of(one.number) == other.number


def align(first: Sequence[Step], second: Sequence[Step]) -> tuple[list[Pair], Objects]:
    """All calls of both traces in order. Objects are counterparts if the calls that created them are a pair."""
    objects, pairs = Objects(), []
    for a, b in _matched(first, second):
        if a is None or b is None:
            pairs.append(Pair(a, b, False))
            continue
        one, other = first[a], second[b]
        pairs.append(Pair(a, b, _is_same(one, other, objects.of)))
        if one.call is not None and other.call is not None:
            objects.pair(one.call.result, other.call.result)
    return pairs, objects


def _is_same(one: Step, other: Step, of: Callable[[int], int]) -> bool:
    if one.call is None or other.call is None:
        return one.call is other.call and [of(handle) for handle in one.forgets] == list(other.forgets)
    if one.words == other.words and all(of(handle) == handle for handle in one.call.handles):
        return True
    return one.name == other.name and _text(one, of) == _text(other, lambda handle: handle)


def _text(step: Step, of: Callable[[int], int] | None) -> str:
    """Name, arguments and outcome of a call. of: maps handles to those of counterparts; None omits objects."""
    assert step.call is not None
    outcome = step.call.outcome if step.call.has_outcome else None
    shown = {"arguments": plain(step.named), "outcome": plain(outcome), "raises": step.call.raises}
    return step.name + json.dumps(_renamed(shown, of), sort_keys=True)


def _renamed(value: Any, of: Callable[[int], int] | None) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"handle"} and isinstance(value["handle"], int):
            return {"handle": of(value["handle"]) if of is not None else None}
        return {key: _renamed(item, of) for key, item in value.items()}
    return [_renamed(item, of) for item in value] if isinstance(value, list) else value


def _matched(first: Sequence[Step], second: Sequence[Step]) -> Iterator[tuple[int | None, int | None]]:
    """Pairs of step numbers."""
    if [step.name for step in first] == [step.name for step in second]:
        yield from ((k, k) for k in range(len(first)))
        return
    one, other = ([_text(step, None) if step.call is not None else "" for step in steps] for steps in (first, second))
    begin = 0
    while begin < min(len(one), len(other)) and one[begin] == other[begin]:
        begin += 1
    end = 0
    while end < min(len(one), len(other)) - begin and one[-1 - end] == other[-1 - end]:
        end += 1
    yield from ((k, k) for k in range(begin))
    middle = one[begin : len(one) - end], other[begin : len(other) - end]
    if max(map(len, middle)) > _MOST_MATCHED:
        blocks = [("replace", 0, len(middle[0]), 0, len(middle[1]))]
    else:
        blocks = list(SequenceMatcher(None, *middle).get_opcodes())
    for _, a, a_end, b, b_end in blocks:
        yield from _in_order(first, second, range(begin + a, begin + a_end), range(begin + b, begin + b_end))
    yield from ((len(one) - k, len(other) - k) for k in range(end, 0, -1))


def _in_order(first: Sequence[Step], second: Sequence[Step], ours: range, others: range) -> Iterator[tuple[int | None, int | None]]:
    """Pair the steps of two blocks in order while their names are equal."""
    a, b = 0, 0
    while a < len(ours) and b < len(others) and first[ours[a]].name == second[others[b]].name:
        yield ours[a], others[b]
        a, b = a + 1, b + 1
    yield from ((k, None) for k in ours[a:])
    yield from ((None, k) for k in others[b:])


def names_of_objects(steps: Sequence[Step]) -> Callable[[Handle], str]:
    """Names of objects for messages: ``rasterizer #12``."""
    kinds = {step.call.result: step.name.removeprefix("create_").removesuffix("_create") for step in steps if step.call is not None}

    def name(handle: Handle) -> str:
        return f"{kinds.get(handle.number, 'object').removesuffix('_state').replace('_', ' ')} #{handle.number}"

    return name
