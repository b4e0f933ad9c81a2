"""Explanations of pixels for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from backends.gallium.tracing.steps import DRAWS, Step, commands_in, write_steps

if TYPE_CHECKING:
    from tgsi.gallium import Screen

_MOST_EVENTS, _MOST_DRAWS = 400, 300


def explained(screen: Screen, steps: Sequence[Step], pixel: tuple[int, int], touching: Set[int]) -> dict[str, Any]:
    """The explanation of a pixel of the target that was bound last, with the numbers of the page's draws.

    touching: draws that may have fragments at the pixel. Of long traces the others are not looked at.
    """
    from tgsi.insight.answers import explain_trace
    from tgsi.insight.wording import event_lines

    numbers = _draws_of(steps)
    is_long = len(numbers) > _MOST_DRAWS
    try:
        found = explain_trace(
            screen, bytearray(write_steps(steps)), *pixel, is_wanted=lambda number: not is_long or numbers.get(number) in touching
        )
    except (ValueError, RuntimeError, MemoryError) as error:
        return {"sentence": "", "notes": [f"The pixel is not explained: {error}"], "events": []}
    events = []
    for event in found.events[-_MOST_EVENTS:]:
        first, *rest = event_lines(event)
        events.append({"text": first, "lines": rest, "draw": numbers.get(event.number, 0)})
    notes = list(found.notes)
    if is_long:
        notes.append(f"Of the {len(numbers)} draws, only those with fragments in the tile of the pixel are looked at.")
    if len(found.events) > _MOST_EVENTS:
        notes.append(f"The first {len(found.events) - _MOST_EVENTS} events are left out.")
    return {"sentence": f"{found.verdict}: {found.sentence}", "notes": notes, "events": events}


def _draws_of(steps: Sequence[Step]) -> Mapping[int, int]:
    """Numbers of the page's draws by the numbers of their commands, as `write_steps` writes them."""
    found, number, draw = {}, 0, 0
    for step in steps:
        number += commands_in([step])
        if step.name in DRAWS:
            draw += 1
            found[number - 1] = draw
    return found
