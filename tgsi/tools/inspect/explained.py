"""Explanations of pixels for the page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from backends.gallium.tracing.steps import DRAWS, Step, commands_in, write_steps

if TYPE_CHECKING:
    from tgsi.gallium import Screen

_NUMBERED = re.compile(r"(?:draw \d+|clear|\w+) \(call (?P<call>\d+)\)|^call (?P<first>\d+)(?:, draw \d+)?:")
"""Numbers of calls in explanations."""
_MOST_EVENTS, _MOST_DRAWS = 400, 300


def explained(screen: Screen, steps: Sequence[Step], pixel: tuple[int, int], touching: Set[int]) -> dict[str, Any]:
    """The explanation of a pixel of the target that was bound last, with the numbers of the page's draws.

    touching: draws that may have fragments at the pixel; in long traces all others are skipped.
    """
    from tgsi.insight.answers import explain_trace
    from tgsi.insight.wording import event_lines

    numbers = _draws_of(steps)
    is_long = len(numbers) > _MOST_DRAWS
    try:
        explanation = explain_trace(
            screen, bytearray(write_steps(steps)), *pixel, is_wanted=lambda number: not is_long or numbers.get(number) in touching
        )
    except (ValueError, RuntimeError, MemoryError) as error:
        return {"sentence": "", "notes": [f"The pixel is not explained: {error}"], "events": []}
    events = []
    for event in explanation.events[-_MOST_EVENTS:]:
        first, *rest = event_lines(event)
        events.append({"text": _renumbered(first, numbers), "lines": rest, "draw": numbers.get(event.number, 0)})
    notes = list(explanation.notes)
    if is_long:
        notes.append(f"Of the {len(numbers)} draws, only those with fragments in the tile of the pixel are examined.")
    if len(explanation.events) > _MOST_EVENTS:
        notes.append(f"The first {len(explanation.events) - _MOST_EVENTS} events are left out.")
    return {"sentence": _renumbered(f"{explanation.verdict}: {explanation.sentence}", numbers), "notes": notes, "events": events}


def _renumbered(text: str, numbers: Mapping[int, int]) -> str:
    """A text with the page's draw numbers instead of the recording's."""

    def renumber(match: re.Match[str]) -> str:
        number = numbers.get(int(match["call"] or match["first"]))
        return match[0] if number is None else f"draw {number}{':' if match['first'] else ''}"

    return _NUMBERED.sub(renumber, text)


def _draws_of(steps: Sequence[Step]) -> Mapping[int, int]:
    """Numbers of the page's draws by the numbers of their commands, as `write_steps` writes them."""
    numbers, number, draw = {}, 0, 0
    for step in steps:
        number += commands_in([step])
        if step.name in DRAWS:
            draw += 1
            numbers[number - 1] = draw
    return numbers
