"""Generator of docs/caps.md, docs/coverage.md and docs/passes.md.

``python -m tests.promises.pages [DIRECTORY]`` rewrites them; a test compares them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from backends.gallium.screen.caps import CAPFS, CAPS, COMPUTE_CAPS, shader_caps
from backends.pipe.enums import ShaderType
from tests.promises.tables import ROOT, Row, Test, read
from tests.proof.pages import passes_page

_HEAD = "<!-- Written by `python -m tests.promises.pages` from tables. Edit the tables. -->"
OF_THE_MACHINE = ("VIDEO_MEMORY", "MAX_COMPUTE_UNITS")
"""Capabilities whose values are not the same everywhere."""


def _test(test: Test) -> str:
    return f"[{str(test).removeprefix('test_')}](../{test.path})"


def _held(row: Row) -> str:
    """The last cell of a row: its tests, and its rows of deviations."""
    found = [*map(_test, row.tests), *(f"[deviations](deviations.md): {name}" for name in row.deviations)]
    return "; ".join(found).replace("|", "\\|")


def _cells(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _heads(*names: str) -> Iterator[str]:
    yield _cells(*names)
    yield "|" + "---|" * len(names)


def _values(kind: str, name: str) -> tuple[object, ...]:
    """The value of a capability; one for each stage of shaders."""
    if name in OF_THE_MACHINE:
        return ("the machine's",)
    if kind == "PIPE_SHADER_CAP":
        return tuple(shader_caps(stage)[name] for stage in ShaderType)
    values = {"PIPE_CAP": CAPS, "PIPE_CAPF": CAPFS, "PIPE_COMPUTE_CAP": COMPUTE_CAPS}[kind]
    value = values[name]
    return (" x ".join(map(str, value)) if isinstance(value, tuple) else value if value != "" else "empty",)


def caps() -> Iterator[str]:
    """Lines of docs/caps.md."""
    yield "# Capabilities: values, reasons, tests"
    yield ""
    yield "Answers of `get_param`, `get_paramf`, `get_shader_param` and `get_compute_param`, why, and the tests that use the feature or"
    yield "reach the limit, or the row of [deviations](deviations.md)."
    section = ""
    for row in read("caps.txt"):
        (name,) = row.names
        if row.section != section:
            section = row.section
            stages = tuple(stage.name for stage in ShaderType) if section == "PIPE_SHADER_CAP" else ("Value",)
            yield from ("", f"## {section}_*", "", *_heads("Name", *stages, "Why", "Tests"))
        yield _cells(f"`{name}`", *_values(section, name), row.text, _held(row))


def _sections(table: str, *heads: str) -> Iterator[str]:
    """The rows of a table below the headlines of its sections."""
    section = ""
    for row in read(table):
        if row.section != section:
            section = row.section
            yield from ("", f"### {section}", "", *_heads(*heads))
        names = [f"`{name}`" for name in row.names] if len(heads) == 3 else []
        yield _cells(*([", ".join(names)] if names else []), row.text.replace("|", "\\|"), _held(row))


def coverage() -> Iterator[str]:
    """Lines of docs/coverage.md."""
    yield "# Promises of context.rst and screen.rst, and the tests that hold them"
    yield ""
    yield "Each sentence about behavior, in our own words, with its tests or its row of [deviations](deviations.md). Capabilities have"
    yield "[a page of their own](caps.md). The third document of 2010, about linkage, is that of [linkage](linkage.md)."
    yield ""
    context, screen, flags, answers = (len(read(f"{name}.txt")) for name in ("context", "screen", "flags", "caps"))
    yield f"{context} promises of context.rst, {screen} of screen.rst, {flags} rows of flags, {answers} of capabilities."
    yield ""
    yield "## context.rst (both revisions)"
    yield from _sections("context.txt", "Promise", "Held by")
    yield ""
    yield "## screen.rst"
    yield from _sections("screen.txt", "Promise", "Held by")
    yield ""
    yield "## Flags and kinds"
    yield from _sections("flags.txt", "Names", "Meaning", "Held by")


def pages() -> dict[str, str]:
    """Every generated file as (path from the root, text)."""
    documents = {"caps": caps(), "coverage": coverage(), "passes": passes_page()}
    return {f"docs/{name}.md": "\n".join([_HEAD, "", *lines]).rstrip() + "\n" for name, lines in documents.items()}


def main(arguments: list[str]) -> int:
    """Write every generated file below a directory: the root unless another one is given."""
    root = Path(arguments[0]) if arguments else ROOT
    for name, text in pages().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
