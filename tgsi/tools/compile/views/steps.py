"""``tgsi-compile --steps``: the difference that each pass makes, before and after side by side."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from tgsi.language.facts.enums import File
from tgsi.language.record import record
from tgsi.tools.compile.errors import UsageError
from tgsi.tools.compile.files import inputs, report, write
from tgsi.tools.compile.front import checked
from tgsi.tools.compile.passes import chosen_pipeline

if TYPE_CHECKING:
    from passes.base import Pass
    from tgsi.language.program import Program

_NUMBER = re.compile(r"^\s*\d+: ")
_CONTEXT = 2
"""Equal lines that are shown around a change."""
_WIDEST, _PLAIN = 64, 160
"""Columns of one side at most where the output is not a terminal, and of a terminal whose width is unknown."""
_COLORS = {"<": ("31", ""), ">": ("", "32"), "|": ("31", "32"), " ": ("", "")}
"""Color of the left and of the right side by the mark between them: red goes, green comes."""


@record(kw_only=True)
class Step:
    """A pass with the lines of the program before and after it, and the sizes of both."""

    title: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    sizes: tuple[tuple[int, int], tuple[int, int]]

    @property
    def is_change(self) -> bool:
        """True if the pass changed the program."""
        return self.before != self.after


def show_steps(options: argparse.Namespace) -> int:
    """Show the steps of each shader. Returns the exit code."""
    from tgsi.language.diagnostics import DiagnosticError

    for name in ("emit", "print_after"):
        if getattr(options, name):
            raise UsageError(f"--{name.replace('_', '-')}: not allowed with --steps")
    if options.format not in ("text", "json"):
        raise UsageError(f"--format {options.format}: --steps writes text or json")
    if options.passes is None and options.lower is None:
        options.passes = "default"
    try:
        passes = chosen_pipeline(options).passes
    except ValueError as error:
        raise UsageError(str(error)) from None
    findings: list[Any] = []
    shown: list[Any] = []
    failed = False
    for shader in inputs(options):
        try:
            program, found = checked(shader, options)
            findings += found
            if any(item.severity.value == "error" for item in found):
                failed = True
                continue
            shown.append((shader.heading, _steps(program, passes)))
        except DiagnosticError as error:
            findings += error.diagnostics
            failed = True
    report(options, findings, failed)
    if shown:
        write(options, _json(shown) if options.format == "json" else _text(shown, options))
    return int(failed)


def _steps(program: Program, passes: Sequence[Pass]) -> list[Step]:
    """The passes one after another."""
    from passes.pipeline import Pipeline

    steps = []
    for item in passes:
        result = Pipeline((item,)).run(program)
        before, after = _lines(program), _lines(result)
        steps.append(Step(title=str(item), before=before, after=after, sizes=(_size(program), _size(result))))
        program = result
    return steps


def _lines(program: Program) -> tuple[str, ...]:
    return tuple(str(program).splitlines())


def _size(program: Program) -> tuple[int, int]:
    """Instructions and temporaries."""
    info = program.info
    return info.num_instructions, info.file_count[File.TEMP]


def _json(shown: Sequence[tuple[str, Sequence[Step]]]) -> str:
    shaders = [
        {
            "file": name,
            "steps": [
                {
                    "pass": step.title,
                    "changed": step.is_change,
                    "instructions": [size[0] for size in step.sizes],
                    "temporaries": [size[1] for size in step.sizes],
                    **({"before": "\n".join(step.before), "after": "\n".join(step.after)} if step.is_change else {}),
                }
                for step in steps
            ],
        }
        for name, steps in shown
    ]
    return json.dumps({"shaders": shaders}, indent=1) + "\n"


def _text(shown: Sequence[tuple[str, Sequence[Step]]], options: argparse.Namespace) -> str:
    """All steps as text, in columns."""
    to_terminal = options.output in (None, "-") and sys.stdout.isatty()
    colored = to_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    limit = (shutil.get_terminal_size((_PLAIN, 24)).columns - 3) // 2 if to_terminal else _WIDEST
    parts = []
    for name, steps in shown:
        first, last = steps[0].sizes[0] if steps else (0, 0), steps[-1].sizes[1] if steps else (0, 0)
        parts.append(f"# {name}: {_counted(*first)}\n")
        lines = [line for step in steps if step.is_change for line in (*step.before, *step.after)]
        width = max(min(max(map(len, lines), default=20), limit), 20)
        parts += [_step(step, width, colored) for step in steps]
        parts.append(f"# {name}: {_counted(*last)} after {len(steps)} pass{'es' * (len(steps) != 1)}; {_counted(*first)} before\n")
    return "".join(parts)


def _counted(instructions: int, temporaries: int) -> str:
    return f"{instructions} instruction{'s' * (instructions != 1)}, {temporaries} TEMP{'s' * (temporaries != 1)}"


def _step(step: Step, width: int, colored: bool) -> str:
    """A step: one line if it changes nothing, otherwise the changed places with their neighbors."""
    if not step.is_change:
        return f"{step.title}: no change\n"
    (a, temps_a), (b, temps_b) = step.sizes
    sizes = [f"{x} -> {y} {word}" for x, y, word in ((a, b, "instructions"), (temps_a, temps_b, "TEMPs")) if x != y]
    rows = list(_rows(step.before, step.after))
    count = sum(row is not None and row[1] != " " for row in rows)
    head = f"{step.title}: {', '.join(sizes) or f'{count} line' + 's' * (count != 1)}"
    lines = [f"\033[1m{head}\033[0m" if colored else head]
    for row in rows:
        lines.append("  ..." if row is None else _columns(*row, width, colored))
    return "\n".join(lines) + "\n"


def _columns(left: str, mark: str, right: str, width: int, colored: bool) -> str:
    """A line of both sides; long lines are cut, and end with dots."""
    cells = [text if len(text) <= width else f"{text[: width - 3]}..." for text in (left, right)]
    if not colored:
        return f"{cells[0]:{width}} {mark} {cells[1]}".rstrip()
    padded = (f"{cells[0]:{width}}", cells[1])
    first, second = (f"\033[{color}m{text}\033[0m" if color and text else text for color, text in zip(_COLORS[mark], padded))
    return f"{first} {mark} {second}"


_LONG = 5000
"""Lines of programs whose difference is found faster, and may be larger than it has to be."""
Row = tuple[str, str, str]


def _rows(before: Sequence[str], after: Sequence[str]) -> Iterator[Row | None]:
    """Left line, mark and right line of each row; None for omitted equal lines. Numbers of instructions are not compared."""
    keys = [[_NUMBER.sub("", line).strip() for line in lines] for lines in (before, after)]
    matcher = SequenceMatcher(None, keys[0], keys[1], autojunk=len(before) > _LONG)
    groups = list(matcher.get_grouped_opcodes(_CONTEXT))
    end = 0
    for group in groups:
        if group[0][1] > end:
            yield None
        for kind, a, a_end, b, b_end in group:
            yield from _block(kind, before[a:a_end], after[b:b_end])
        end = group[-1][2]
    if end < len(before):
        yield None


def _block(kind: str, left: Sequence[str], right: Sequence[str]) -> Iterator[Row]:
    """The rows of a part of the difference. Replaced and new lines with the same first word are shown side by side."""
    if kind != "replace" or len(left) == len(right):
        mark = " " if kind == "equal" else "|"
        for k in range(max(len(left), len(right))):
            a, b = left[k] if k < len(left) else "", right[k] if k < len(right) else ""
            yield a, mark if k < min(len(left), len(right)) else "<" if k < len(left) else ">", b
        return
    words = [[_NUMBER.sub("", line).partition(" ")[0] for line in lines] for lines in (left, right)]
    for part, start, a_end, other, b_end in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes():
        common = min(a_end - start, b_end - other) if part in ("equal", "replace") else 0
        yield from ((left[start + k], "|", right[other + k]) for k in range(common))
        yield from ((line, "<", "") for line in left[start + common : a_end])
        yield from (("", ">", line) for line in right[other + common : b_end])
