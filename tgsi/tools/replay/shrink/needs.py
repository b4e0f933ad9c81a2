"""Selections of calls as traces: adds the objects that a call uses, and removes state that no work reads."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence, Set
from typing import Any

from backends.device.calls.row import Does
from backends.device.commands.layout import Command, pack
from backends.gallium.tracing.steps import COMPARED, WORK, Step, with_outcome
from backends.pipe.enums import ShaderType, lookup

_NO_STATE = {"begin_query", "end_query", "emit_string_marker", "set_stream_output_targets", "set_active_query_state", "rebind_viewports"}
"""Calls after which an equal call has an effect again."""


def does(step: Step) -> Does | None:
    """The kind of a call; None for FORGET."""
    return step.call.row.does if step.call is not None else None


def makes(step: Step) -> bool:
    """True for a call that creates an object."""
    return step.call is not None and step.call.result != 0


def uncompared(steps: Sequence[Step]) -> list[Step]:
    """The steps without the checks at the end and without comparisons of outcomes, because fewer calls have other outcomes."""
    return [with_outcome(step, None) for step in steps if step.name != "check_content"]


def ends(step: Step) -> bool:
    """True for a call that ends objects."""
    return step.call is None or does(step) is Does.DESTROY


def only_looks(step: Step) -> bool:
    """True for a call that reads, queries, or was refused when it was recorded."""
    return step.name in COMPARED or does(step) in (Does.NUMBER, Does.FLUSH) or (step.call is not None and step.call.raises)


def selected(steps: Sequence[Step], chosen: Set[int], *, is_pruned: bool = True) -> list[Step]:
    """A trace of the chosen steps, with the calls that create what they use.

    is_pruned: without state that is overwritten before any work reads it.
    """
    needed_steps = set(_seen(steps, chosen) if is_pruned else chosen)
    needed: set[int] = set()
    living = set[int]()
    for k in range(len(steps) - 1, -1, -1):
        step = steps[k]
        if step.call is None or does(step) is Does.DESTROY:
            continue
        if k in needed_steps or (step.call.result and step.call.result in needed):
            needed_steps.add(k)
            needed.update(step.call.handles)
            living.add(step.call.result)
    selection = []
    for k in sorted(needed_steps):
        step = steps[k]
        if step.call is None:
            handles = tuple(handle for handle in step.forgets if handle in living)
            if handles:
                selection.append(Step(step.number, pack(Command.FORGET, *handles), None, handles))
        elif does(step) is not Does.DESTROY or set(step.call.handles) <= living:
            selection.append(step)
    return selection


def _seen(steps: Sequence[Step], chosen: Set[int]) -> set[int]:
    """The chosen steps without state that is overwritten before any work reads it, or that no work follows."""
    seen = set(chosen)
    later: dict[Hashable, int] | None = None
    for k in sorted(chosen, reverse=True):
        step = steps[k]
        slot = _slot(step)
        if slot is None:
            if step.name in WORK or does(step) in (Does.SET, Does.OWN):
                later = {}
        elif later is None:  # no work follows
            seen.discard(k)
        else:
            place, size = slot
            if later.get(place, -1) >= size:
                seen.discard(k)
            else:
                later[place] = size
    return seen


def _slot(step: Step) -> tuple[Hashable, int] | None:
    """The state that a call sets, and its number of items; None for a call with other effects."""
    if step.call is None or step.name in WORK or step.name in _NO_STATE or does(step) is not Does.SET or step.call.raises:
        return None
    named = step.named
    stage: Any = named.get("stage")
    try:
        where = int(lookup(ShaderType, stage, "stage")) if stage is not None else -1
    except (ValueError, TypeError):
        return None
    items = next((item for item in named.values() if isinstance(item, (list, tuple))), ())
    places = tuple(item for key in ("start", "index") if isinstance(item := named.get(key), int))
    return (step.name, where, places), len(items)


def numbers(steps: Sequence[Step], wanted: Callable[[Step], bool]) -> set[int]:
    """Numbers of the required steps."""
    return {k for k, step in enumerate(steps) if wanted(step)}
