"""The sentences of explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tgsi.insight.events import ELSEWHERE, Event, Fate, Fragment, Verdict

_SHOWN_FRAGMENTS = 12


def numbers(values: Sequence[float]) -> str:
    """Values of a pixel, rounded."""
    return "(" + ", ".join(f"{v:.6g}" for v in values) + ")"


def verdict_of(events: Sequence[Event]) -> tuple[Verdict, str]:
    """The verdict about a pixel, and the first sentence."""
    draws = [event for event in events if event.kind == "draw"]
    writers = [event for event in events if event.wrote]
    if writers and writers[-1].kind == "draw":
        end = 1 + max(k for k, event in enumerate(events) if event is writers[-1])
        return Verdict.WRITTEN, _written(writers, [event for event in events[end:] if event.kind == "draw"])
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
    idle = [event for event in events if event.reasons and event.kind != "draw"]
    return Verdict.NOTHING_DREW, f"{_nothing(draws or idle)}; {value}"


def _name(event: Event) -> str:
    if event.command:
        return event.command
    what = f"draw {event.draw}" if event.draw is not None else event.call.partition("(")[0]
    return f"{what} (call {event.number})"


def _left(writers: Sequence[Event]) -> str:
    if not writers:
        return "the pixel still has its first value."
    return f"{numbers(writers[-1].after)} comes from {_name(writers[-1])}."


def _written(writers: Sequence[Event], later: Sequence[Event]) -> str:
    event = writers[-1]
    passed = [item for item in event.fragments if item.fate is Fate.PASSED]
    text = f"{_name(event)} wrote {numbers(event.after)}"
    if not passed:
        return f"{text}."
    item = passed[-1]
    outputs = [f"{name} = {numbers(value)}" for name, value in item.outputs.items() if "COLOR" in name] or [f"depth {item.depth:.6g}"]
    text += f": primitive {item.primitive}, {', '.join(outputs[:2])}"
    if item.inputs:
        shown = [
            f"{name} = {numbers(value)}" + (f" of the {item.provoking}" if name in item.flat else "") for name, value in item.inputs.items()
        ]
        text += f", from {', '.join(shown[:2])}" + (" and more" if len(shown) > 2 else "")
    if item.detail:
        text += f", {'by' if item.detail.startswith('the ') else 'blended:'} {item.detail}"
    because = list(_because(writers, item, later))
    return f"{text}{''.join(f'; {part}' for part in because)}" + "." * (not because or because[-1][-1] not in "?.")


def _because(writers: Sequence[Event], item: Fragment, later: Sequence[Event]) -> Iterator[str]:
    """Facts that explain the last written value if it may be unintended. later: later draws that wrote nothing."""
    event = writers[-1]
    commands = {writer.command for writer in writers if writer.command}
    if odd := [draw for draw in later if draw.fragments and (_is_odd(draw) or (draw.command in commands and _is_left(draw)))]:
        yield f"later, {_rejected(odd)}"
    if event.missing:
        yield event.missing[0]
        return
    if hidden := _hidden(writers, item):
        yield hidden
    if cause := item.cause():
        yield cause
    if event.doubts:
        yield event.doubts[0]


_USUAL = {Fate.CULLED, Fate.OTHER_LAYER, Fate.SCISSOR, Fate.DISCARDED, Fate.MASKED, Fate.NO_OUTPUT}
"""Fates that are intended in many scenes: back faces, cut-outs, occlusion proxies."""


def _is_odd(event: Event) -> bool:
    """True if all fragments of a draw were rejected for an unusual reason, not because they lie behind others or face away."""
    fates = {item.fate for item in event.fragments}
    if fates & {Fate.PASSED} or fates <= _USUAL:
        return False
    if Fate.DEPTH in fates:
        details = [item.detail for item in event.fragments if item.fate is Fate.DEPTH]
        return any("viewport" in text or text.startswith("NEVER") for text in details)
    return True


def _is_left(event: Event) -> bool:
    """True if state left over from other draws rejects a draw whose command wrote the pixel before."""
    return {item.fate for item in event.fragments} <= {Fate.SCISSOR, Fate.MASKED, Fate.WINDOW_RECTANGLE}


def _hidden(writers: Sequence[Event], item: Fragment) -> str:
    """A nearer opaque fragment that the last, opaque one replaced because there was no depth test."""
    event = writers[-1]
    sign = {"LESS": "<", "LEQUAL": "<", "off": "<", "GREATER": ">", "GEQUAL": ">"}.get(event.depth_func)
    for earlier in reversed(writers[:-1]):
        if earlier.kind != "draw" or sign is None or item.detail:
            return ""
        passed = [f for f in earlier.fragments if f.fate is Fate.PASSED and not f.detail]
        if not passed or not (passed[-1].depth < item.depth if sign == "<" else passed[-1].depth > item.depth):
            continue
        text = f"{_name(earlier)} had written a nearer fragment, {passed[-1].depth:.6g} {sign} {item.depth:.6g}"
        if event.depth_func == "off":
            return f"{text}, and the depth test is off"
        if not earlier.writes_depth:
            return f"{text}, and did not store its depth (writemask of the depth test)"
    return ""


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
    if draws[-1].reasons and draws[-1].reasons[0].startswith(ELSEWHERE):
        return f"no draw went to this target; the last one, {_name(draws[-1])}, {draws[-1].reasons[0].removeprefix('it ')}"
    if draws[-1].draw is None and draws[-1].reasons:
        return f"{_name(draws[-1])} did not reach the pixel: {draws[-1].reasons[0]}"
    reasons = [(event, event.reasons[0]) for event in draws if event.reasons]
    if reasons:
        event, reason = reasons[-1]
        more = (event.missing or event.doubts)[:1]
        return f"{_name(event)} has no fragment here: {reason}{''.join(f'; {item}' for item in more)}"
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
    yield from (f"    doubtful: {reason}" for reason in event.doubts)
    if event.proof:
        yield f"    not proved: {event.proof}"


def _fragment(item: Fragment) -> Iterator[str]:
    facing = "front" if item.is_front else "back"
    yield f"    primitive {item.primitive}, {facing}, depth {item.depth:.9g}: {item.fate}" + (f", {item.detail}" if item.detail else "")
    for name, value in (*item.inputs.items(), *item.outputs.items()):
        yield f"        {name} = {numbers(value)}"
    if item.coverage != 1:
        yield f"        coverage {item.coverage:.6g}, by which alpha is multiplied (the primitive is smooth)"
    if len(item.samples) > 1:
        counts = Counter(str(s.fate) for s in item.samples)
        yield f"        samples: {', '.join(f'{n} {fate}' for fate, n in counts.items())}"
    change = [s for s in item.samples if s.before != s.after]
    if change:
        yield f"        {numbers(change[0].before)} -> {numbers(change[0].after)}"
