"""The sentences of explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tgsi.insight.events import Event, Fate, Fragment, Verdict

_SHOWN_FRAGMENTS = 12


def numbers(values: Sequence[float]) -> str:
    """Numbers of a pixel, in short."""
    return "(" + ", ".join(f"{v:.6g}" for v in values) + ")"


def verdict_of(events: Sequence[Event]) -> tuple[Verdict, str]:
    """The verdict about a pixel, and the first sentence."""
    draws = [event for event in events if event.kind == "draw"]
    writers = [event for event in events if event.wrote]
    if writers and writers[-1].kind == "draw":
        return Verdict.WRITTEN, _written(writers)
    wrote = [event for event in writers if event.kind == "draw"]
    if wrote:
        last = writers[-1]
        return Verdict.REPLACED, (
            f"{_name(last)} replaced what {_name(wrote[-1])} had written: {numbers(wrote[-1].after)} became {numbers(last.after)}."
        )
    rejected = [event for event in draws if event.fragments]
    value = _left(writers)
    if rejected:
        return Verdict.REJECTED, f"{_rejected(rejected)}; {value}"
    return Verdict.NOTHING_DREW, f"{_nothing(draws)}; {value}"


def _name(event: Event) -> str:
    if event.command:
        return event.command
    what = f"draw {event.draw}" if event.draw is not None else event.call.partition("(")[0]
    return f"{what} (call {event.number})"


def _left(writers: Sequence[Event]) -> str:
    if not writers:
        return "the pixel still has its first value."
    return f"{numbers(writers[-1].after)} comes from {_name(writers[-1])}."


def _written(writers: Sequence[Event]) -> str:
    event = writers[-1]
    passed = [item for item in event.fragments if item.fate is Fate.PASSED]
    text = f"{_name(event)} wrote {numbers(event.after)}"
    if not passed:
        return f"{text}."
    item = passed[-1]
    outputs = [f"{name} = {numbers(value)}" for name, value in item.outputs.items() if "COLOR" in name] or [f"depth {item.depth:.6g}"]
    text += f": primitive {item.primitive}, {', '.join(outputs[:2])}"
    if item.inputs:
        shown = [f"{name} = {numbers(value)}" for name, value in item.inputs.items()]
        text += f", from {', '.join(shown[:2])}" + (" and more" if len(shown) > 2 else "")
    if item.detail:
        text += f", blended: {item.detail}"
    if event.missing:
        text += f"; {event.missing[0]}"
    return f"{text}."


_WORDS = {
    Fate.CULLED: "all triangles here are culled",
    Fate.DEPTH: "the depth test rejects all of it",
    Fate.STENCIL: "the stencil test rejects all of it",
    Fate.SCISSOR: "the scissor leaves the pixel out",
    Fate.DISCARDED: "the shader discards all of it",
    Fate.ALPHA: "the alpha test rejects all of it",
    Fate.MASKED: "the color mask lets nothing through",
    Fate.NO_OUTPUT: "the shader writes no color for this target",
    Fate.RASTERIZER_DISCARD: "rasterizer_discard drops all of it",
    Fate.SAMPLE_MASK: "the sample mask lets nothing through",
    Fate.WINDOW_RECTANGLE: "the window rectangles leave the pixel out",
    Fate.DEPTH_BOUNDS: "the depth bounds reject all of it",
    Fate.ALPHA_TO_COVERAGE: "alpha to coverage covers no sample",
    Fate.SHADER_MASK: "the shader's sample mask lets nothing through",
    Fate.OTHER_LAYER: "it goes to another layer",
}


def _rejected(events: Sequence[Event]) -> str:
    event = events[-1]
    item = max(event.fragments, key=lambda item: list(Fate).index(item.fate))
    text = f"{_name(event)} reached the pixel, and {_WORDS.get(item.fate, str(item.fate))}"
    return f"{text}: {item.detail}" if item.detail else text


def _nothing(draws: Sequence[Event]) -> str:
    if not draws:
        return "no draw went to this target"
    given = [(event, event.reasons[0]) for event in draws if event.reasons]
    if given:
        event, reason = given[-1]
        missing = f"; {event.missing[0]}" if event.missing else ""
        return f"{_name(event)} has no fragment here: {reason}{missing}"
    return f"no primitive of {len(draws)} draw{'s' * (len(draws) != 1)} covers the pixel"


# -- the whole text ----------------------------------------------------------------------------------------------------------
def event_lines(event: Event) -> Iterator[str]:
    """An event as text."""
    draw = f", draw {event.draw}" if event.draw is not None else ""
    marker = f" [{event.marker}]" if event.marker else ""
    if event.command:
        yield f"{event.command}{marker}"
        yield f"    call {event.number}{draw}: {event.call}"
    else:
        yield f"call {event.number}{draw}: {event.call}{marker}"
    change = f"{numbers(event.before)} -> {numbers(event.after)}" if event.before != event.after else f"stays {numbers(event.after)}"
    yield f"    {change}" if event.wrote else "    leaves the pixel as it is"
    for item in event.fragments[:_SHOWN_FRAGMENTS]:
        yield from _fragment(item)
    rest = event.fragments[_SHOWN_FRAGMENTS:]
    if rest:
        counts = Counter(str(item.fate) for item in rest)
        yield f"    and {len(rest)} more fragments: {', '.join(f'{n} {fate}' for fate, n in counts.items())}"
    yield from (f"    {reason}" for reason in event.reasons)
    yield from (f"    missing: {reason}" for reason in event.missing)
    if event.proof:
        yield f"    not proved: {event.proof}"


def _fragment(item: Fragment) -> Iterator[str]:
    facing = "front" if item.is_front else "back"
    yield f"    primitive {item.primitive}, {facing}, depth {item.depth:.9g}: {item.fate}" + (f", {item.detail}" if item.detail else "")
    for name, value in (*item.inputs.items(), *item.outputs.items()):
        yield f"        {name} = {numbers(value)}"
    if len(item.samples) > 1:
        counts = Counter(str(s.fate) for s in item.samples)
        yield f"        samples: {', '.join(f'{n} {fate}' for fate, n in counts.items())}"
    change = [s for s in item.samples if s.before != s.after]
    if change:
        yield f"        {numbers(change[0].before)} -> {numbers(change[0].after)}"
