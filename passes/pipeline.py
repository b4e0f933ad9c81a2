"""Pipelines: run passes one after another, and validate the result of each.

The text of a pipeline names passes and sets their options: ``"remove-dead-code,if-to-select{instructions=4}"``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from passes.base import Pass
from passes.registry import find
from passes.validate import validate
from tgsi.language.diagnostics import DiagnosticError
from tgsi.language.program import Program
from tgsi.language.record import record

Callback = Callable[[Pass, Program], None]


@record(slots=False)
class Pipeline:
    """Passes that run one after another."""

    passes: tuple[Pass, ...]

    @classmethod
    def parse(cls, text: str) -> Pipeline:
        """Read ``"a,b{n=2,m=yes}"``; blanks do not matter, and an empty text is an empty pipeline.

        Raises:
            ValueError: a pass or option is unknown, or a value has the wrong form; the message names it and the likeliest correction.
        """
        return cls(tuple(_pass(name, options) for name, options in _split(text)))

    def run(self, program: Program, *, after: Callback | None = None) -> Program:
        """Run all passes. The result of each is validated, then passed to `after`.

        Raises:
            ValidationError, LimitError: the program is not valid; a note names the pass at fault, unless the given program was invalid.
            UnsupportedError: a lowering pass met a construct that it cannot lower.
        """
        for item in self.passes:
            made = item.run(program)
            if made is not program:
                self._verify(item, program, made)
            program = made
            if after is not None:
                after(item, program)
        return program

    @staticmethod
    def _verify(item: Pass, before: Program, made: Program) -> None:
        try:
            validate(made)
        except DiagnosticError as error:
            validate(before)  # if this raises, the pass is not to blame
            error.add_note(f"this is a bug in pass {item.name!r}")
            raise

    def __str__(self) -> str:
        return ",".join(map(str, self.passes))


_ITEM = re.compile(r"\s*([^\s,{}]+)\s*(?:\{([^{}]*)\})?\s*(,|$)")


def _split(text: str) -> Sequence[tuple[str, str]]:
    found, position = [], 0
    while text[position:].strip():
        match = _ITEM.match(text, position)
        if match is None:
            raise ValueError(f"pipeline: cannot read `{text[position:].strip()}`; write `pass,pass{{option=value}}`")
        found.append((match[1], match[2] or ""))
        position = match.end()
    if found and text.rstrip().endswith(","):
        raise ValueError("pipeline: a pass is missing after the last comma")
    return found


def _pass(name: str, options: str) -> Pass:
    made = find(name)
    known = made.options()
    values: dict[str, Any] = {}
    for item in filter(None, (part.strip() for part in options.split(","))):
        key, equals, value = (part.strip() for part in item.partition("="))
        if key not in known:
            close = get_close_matches(key, known, 1)
            hint = f"did you mean `{close[0]}`?" if close else f"it has {', '.join(known)}" if known else "it has none"
            raise ValueError(f"pass {name}: unknown option `{key}`; {hint}")
        if key in values:
            raise ValueError(f"pass {name}: option `{key}` is given twice")
        values[key] = _value(name, key, value if equals else "yes", known[key])
    return made(**values)


def _value(name: str, key: str, text: str, default: Any) -> Any:
    """Return the value of an option, of the type of its default."""
    if isinstance(default, bool):
        words = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
        if text.lower() in words:
            return words[text.lower()]
        raise ValueError(f"pass {name}: {key}: `{text}` is neither yes nor no")
    if isinstance(default, int):
        try:
            return int(text, 0)
        except ValueError:
            raise ValueError(f"pass {name}: {key}: `{text}` is no integer") from None
    return text
