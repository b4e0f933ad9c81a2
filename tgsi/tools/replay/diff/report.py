"""``tgsi-replay A --diff B``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backends.device.calls.errors import RecordingError
from backends.gallium.tracing.steps import Step, commands_in, write_steps
from tgsi.language.record import record
from tgsi.tools.parsing import reason
from tgsi.tools.replay.diff.align import Objects, Pair, align, names_of_objects
from tgsi.tools.replay.diff.drawn import Difference, first_difference, number_of_draw
from tgsi.tools.replay.diff.marks import marked, one_line
from tgsi.tools.replay.images import difference, save
from tgsi.tools.replay.played import PlayedTrace, load_steps

if TYPE_CHECKING:
    from tgsi.gallium import Screen


@record(eq=False, kw_only=True)
class _Sides:
    """Both traces."""

    paths: tuple[Path, Path]
    steps: tuple[Sequence[Step], Sequence[Step]]
    pairs: Sequence[Pair]
    objects: Objects

    def place(self, side: int, number: int | None) -> str:
        """A call's place as text."""
        steps, name = self.steps[side], f"{'AB'[side]}, {self.paths[side].name}"
        if number is None:
            return f"missing in {name}"
        return f"command {steps[number].number} of {name}"


@record(frozen=False, kw_only=True)
class DiffReport:
    """The result of a comparison.

    code: 0 if the traces are equal, 1 if they differ, 2 if one is invalid. lines: for people. data: for JSON.
    """

    code: int
    lines: list[str]
    data: dict[str, Any]


def diff(screen: Screen, first: Path, second: Path, directory: Path | None = None) -> DiffReport:
    """Compare two traces. directory: of the picture of both sides, None: the current one."""
    sides = []
    for path in (first, second):
        try:
            sides.append(load_steps(path))
        except OSError as error:
            return _wrong(path, reason(error))
        except RecordingError as error:
            return _wrong(path, str(error))
    pairs, objects = align(*sides)
    both = _Sides(paths=(first, second), steps=(sides[0], sides[1]), pairs=pairs, objects=objects)
    report = DiffReport(code=0, lines=[], data={"first": str(first), "second": str(second)})
    differing = next((pair for pair in pairs if not pair.is_same), None)
    if differing is None:
        report.lines.append(f"equal: {len(sides[0])} calls")
        report.data["equal"] = True
        return report
    report.code, report.data["equal"] = 1, False
    _note_calls(both, differing, report)
    try:
        with PlayedTrace(screen, sides[0]) as one, PlayedTrace(screen, sides[1]) as other:
            difference = first_difference(one, other, pairs, objects)
    except RecordingError as error:
        report.lines.append(f"the draws were not compared: {error}")
        report.data["not_compared"] = str(error)
        return report
    _note_difference(both, difference, report)
    if difference is not None and difference.layout is not None:
        _explain(screen, both, difference, report)
    if difference is not None and difference.layout is not None:
        _save(both, difference, directory, report)
    return report


def _wrong(path: Path, reason: str) -> DiffReport:
    text = f"{path}: {reason}"
    return DiffReport(code=2, lines=[f"tgsi-replay: {text}"], data={"error": text})


def _note_calls(both: _Sides, pair: Pair, report: DiffReport) -> None:
    changed = sum(not item.is_same for item in both.pairs if item.first is not None and item.second is not None)
    alone = [sum(getattr(item, side) is None for item in both.pairs) for side in ("second", "first")]
    report.lines.append(f"{changed} calls differ, {alone[0]} are in A only, {alone[1]} in B only")
    names = tuple(names_of_objects(steps) for steps in both.steps)
    numbers = pair.first, pair.second
    report.lines.append(f"first differing call: {both.place(0, pair.first)}; {both.place(1, pair.second)}")
    ours, theirs = (None if k is None else both.steps[side][k] for side, k in enumerate(numbers))
    if ours is not None and theirs is not None and ours.name == theirs.name:
        report.lines += [f"  {ours.name or 'FORGET'}", *marked(ours, theirs, (names[0], names[1]), both.objects.is_same)]
    else:
        for letter, step, name in zip("AB", (ours, theirs), names):
            report.lines.append(f"  {letter}  {one_line(step, name) if step is not None else '(no call)'}")
    report.data |= {
        "calls_that_differ": changed,
        "calls_in_one": alone,
        "first_call": [
            None if k is None else {"command": both.steps[side][k].number, "name": both.steps[side][k].name}
            for side, k in enumerate(numbers)
        ],
    }


def _note_difference(both: _Sides, difference: Difference | None, report: DiffReport) -> None:
    if difference is None:
        report.lines.append("no target differs after any draw, and no resource at the end")
        report.data["first_draw"] = None
        return
    x, y, layer = difference.place
    shown = report.data["first_draw"] = {"target": difference.target, "handles": list(difference.handles), "count": difference.count}
    if difference.layout is None:
        report.lines.append(
            f"first difference at the end, in buffer #{difference.handles[0]}: {difference.count} bytes, from byte {x}: "
            f"{' | '.join(difference.pixels)}"
        )
        shown |= {"byte": x, "values": list(difference.pixels)}
        return
    where = f"pixel ({x}, {y})" + (f" of layer {layer}" if difference.layout.layers > 1 else "")
    if difference.pair is None:
        report.lines.append(
            f"first difference at the end, in {difference.target} of handle {difference.handles[0]}: {difference.count} pixels differ"
        )
    else:
        numbers = difference.pair.first, difference.pair.second
        shown["draws"] = [None if k is None else number_of_draw(both.steps[side], k) for side, k in enumerate(numbers)]
        names = [
            "none" if k is None else f"{both.steps[side][k].name} {number_of_draw(both.steps[side], k)} ({both.place(side, k)})"
            for side, k in enumerate(numbers)
        ]
        report.lines.append(f"first differing draw: {names[0]} | {names[1]}")
        report.lines.append(f"  {difference.count} pixels of {difference.target} differ")
    report.lines.append(f"  {where}: {difference.pixels[0]} | {difference.pixels[1]}")
    shown |= {"pixel": [x, y, layer], "values": list(difference.pixels)}


def _explain(screen: Screen, both: _Sides, difference: Difference, report: DiffReport) -> None:
    """Explain for both sides how the first differing pixel got its value."""
    from backends.gallium.tracing.history import Recorded
    from tgsi.insight.answers import explain_recording
    from tgsi.insight.place import Place
    from tgsi.insight.wording import event_lines

    x, y, layer = difference.place
    sentences = report.data["first_draw"]["explanations"] = []
    for side, letter in enumerate("AB"):
        steps = both.steps[side][: difference.ends[side]]
        try:
            place = Place(difference.handles[side], difference.level, difference.first_layer + layer, x, y)
            recorded, last = Recorded(bytearray(write_steps(steps)), {}, {}, (), 0, True), commands_in(steps[:-1])
            told = explain_recording(screen, recorded, place, is_wanted=lambda number, last=last: number >= last)  # type: ignore[misc]
        except (ValueError, RuntimeError, MemoryError) as error:
            sentences.append("")
            report.lines.append(f"  {letter}  the pixel is not explained: {error}")
            continue
        sentences.append(f"{told.verdict}: {told.sentence}")
        report.lines.append(f"  {letter}  {told.verdict}: {told.sentence}")
        report.lines += [f"       {line}" for event in told.events[-1:] for line in event_lines(event)]


def _save(both: _Sides, first: Difference, directory: Path | None, report: DiffReport) -> None:
    assert first.layout is not None
    assert first.mask is not None
    path = (directory or Path()) / f"{both.paths[0].stem}.diff.png"
    save(path, difference(first.layout, *first.data, first.mask.reshape(-1)), enlarge=True)
    report.lines.append(f"  A, B and their difference side by side: {path}")
    report.data["picture"] = str(path)


def run(screen: Screen, options: Any) -> int:
    """The command; returns its exit code."""
    report = diff(screen, options.scenes[0], options.diff, options.output)
    print(json.dumps(report.data, indent=1) if options.format == "json" else "\n".join(report.lines))
    return report.code
