"""Pipelines: run passes one after another, and validate the result.

The text of a pipeline names passes and sets their options: ``"remove-dead-code,if-to-select{instructions=4}"``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import groupby
from typing import Any

from passes.analysis import facts
from passes.analysis.access import flows_of
from passes.base import Pass
from passes.fitting import fitted
from passes.form import Form, FormPass, Rewriter, Walk
from passes.optimise.dead import RemoveDeadCode
from passes.optimise.repeat import Repeat
from passes.optimise.split import SplitRegisters
from passes.plugins import generation
from passes.registry import find
from passes.rounds import Rounds
from passes.validate import validate
from tgsi.language import budgets
from tgsi.language._collector import collector_paused
from tgsi.language._forks import cached_property
from tgsi.language.diagnostics import DiagnosticError
from tgsi.language.facts.enums import File
from tgsi.language.facts.limits import MANY_TEMPORARIES, SOFTWARE
from tgsi.language.facts.traits import SWITCH
from tgsi.language.program import Program
from tgsi.language.record import record

Callback = Callable[[Pass, Program], None]
Group = tuple[Sequence[Pass], Callable[[Form], bool] | None, int, int]
"""Passes, the function to call with a form for those that work on one, and two sets of opcodes that the form must have for that."""


@record(slots=False)
class Pipeline:
    """Passes that run one after another."""

    passes: tuple[Pass, ...]

    @classmethod
    def parse(cls, text: str) -> Pipeline:
        """Read ``"a,b{n=2,m=yes}"``; blanks are ignored, and an empty text is an empty pipeline.

        Raises:
            ValueError: a pass or option is unknown, or a value has the wrong form; the message names it and the likeliest correction.
        """
        return _parsed(text, generation())

    def run(self, program: Program, *, after: Callback | None = None, is_valid: bool = False) -> Program:
        """Run all passes, and validate the result. `after` is called with the program after each pass.

        `is_valid`: the program was validated before, so unchanged parts are not validated again, nor the output of the optimiser's own
        passes, which tests validate for programs of every kind.

        Passes that work on a form share it, and consecutive rewriters share a walk: `after` is called once for all of them.

        Raises:
            ValidationError, LimitError: the program is not valid; a note names the pass at fault, unless the given program was invalid.
            UnsupportedError: a lowering pass met a construct that it cannot lower.
        """
        with collector_paused(promote=False):
            result = self._run(program, after)
            if result is not program and not (is_valid and self._is_own):
                self._verify(program, result, is_valid)
            return result

    @cached_property
    def _is_own(self) -> bool:
        """True if all passes are from `passes.optimise`."""
        return all(map(_is_own, self.passes))

    @cached_property
    def _groups(self) -> Sequence[Group]:
        """The passes in order, with consecutive rewriters in one group."""
        groups: list[Group] = []
        for alike, items in groupby(self.passes, _is_rewriter):
            if alike:
                rewriters = [item for item in items if isinstance(item, Rewriter)]
                groups.append((rewriters, Walk(rewriters).rewrite, -1, -1))
            else:
                groups += [((item,), *_on_form(item)) for item in items]
        return groups

    def _run(self, program: Program, after: Callback | None) -> Program:
        """Run all passes; with `repeat`, run those of the optimiser around it again on some programs until nothing changes."""
        if not self.rounds:
            return self._once(program, after)[0]
        before, core, rest = self._parts
        first = before._once(program, after)[0] if before.passes else program
        current, is_settled = core._once(first, after)
        old = first
        for _ in range(self.rounds):
            if is_settled or current is old:
                break
            if current == old:
                current = old
                break
            old = current
            current, is_settled = core._once(old, after)
        return rest._once(current, after)[0] if rest.passes else current

    @cached_property
    def _parts(self) -> tuple[Pipeline, Pipeline, Pipeline]:
        """The passes around the first `repeat` that are the optimiser's own, and those before and after them.

        All other passes run once: a lowering that inserts an alpha test would insert a second one.
        """
        passes = self.passes
        first = next(number for number, item in enumerate(passes) if isinstance(item, Repeat))
        end = first + 1
        while first and _is_own(passes[first - 1]):
            first -= 1
        while end < len(passes) and _is_own(passes[end]):
            end += 1
        return Pipeline(passes[:first]), Pipeline(passes[first:end]), Pipeline(passes[end:])

    @cached_property
    def rounds(self) -> int:
        """Most rounds of the passes; 0 without `repeat`."""
        return max((item.rounds for item in self.passes if isinstance(item, Repeat)), default=0)

    @cached_property
    def _end(self) -> int:
        """The number of the group that is `repeat`; -1 if there is none."""
        return next((number for number, (group, *_) in enumerate(self._groups) if isinstance(group[0], Repeat)), -1)

    @cached_property
    def _start(self) -> int:
        """The number of the first group that works on a form."""
        return next(number for number, (_, rewrite, *_) in enumerate(self._groups) if rewrite is not None)

    @cached_property
    def _last_walk(self) -> int:
        """The number of the last group of rewriters in front of `repeat`; -1 if there is none."""
        return max((number for number, (group, *_) in enumerate(self._groups[: self._end]) if isinstance(group[0], Rewriter)), default=-1)

    def _once(self, program: Program, after: Callback | None) -> tuple[Program, bool]:
        """Run all passes, `repeat` inside of a form; also return true if another run would change nothing.

        See `Rounds.begin_another`.
        """
        current, form = fitted(program), None
        turn = Rounds(0)
        groups, walk, end, most = self._groups, self._last_walk, self._end, self.rounds
        place, has_blocks = 0, False
        while place < len(groups):
            budgets.check()
            group, rewrite, needed, also = groups[place]
            if rewrite is None:
                current, form = group[0].run(current if form is None else _finished(form)), None
            else:
                if form is None:
                    form, turn = Form(current), Rounds(place)
                elif form.values is None:
                    form.read()
                kinds = form.values.opcodes.bits
                if kinds & needed and kinds & also and rewrite(form):
                    turn.note(place, is_split=isinstance(group[0], SplitRegisters))
                    if after is not None:
                        current = form.finish()
                elif place == turn.seen:
                    turn.skip()
                    place = end - 1
                elif place == end:
                    if turn.begin_another(form, walk, most, is_whole_run=turn.first == self._start):
                        place = turn.first - 1
                    else:
                        has_blocks = not form.values.layout.is_whole
                        form = turn.held if turn.held is not None and turn.held.values.layout.is_whole else form
                        current = current if after is None else form.finish()
            place += 1
            if after is not None:
                for item in group:
                    after(item, current)
        current = current if form is None else _finished(form)
        return current, turn.is_settled and not (has_blocks and self._finds_more(current))

    def _finds_more(self, program: Program) -> bool:
        """Return true if a pass in front of the first form would change a program with blocks, or if merged registers show dead code.

        An arm of a switch binds what it writes to what all later arms read. Once two webs share a register, one may overwrite the other.
        """
        if SWITCH in facts.of(program, flows_of) and RemoveDeadCode().run(program) is not program:
            return True
        return any(group[0].run(program) is not program for group, *_ in self._groups[: self._start])

    def _verify(self, before: Program, result: Program, is_valid: bool) -> None:
        """Validate the result. If it is invalid, run the passes one by one to find the culprit."""
        try:
            validate(result, good=before if is_valid else None)
        except DiagnosticError as error:
            validate(before)  # if this raises, no pass is to blame
            for item in self.passes:
                before = item.run(before)
                try:
                    validate(before)
                except DiagnosticError as found:
                    found.add_note(f"this is a bug in pass {item.name!r}")
                    raise found from None
            error.add_note(f"this is a bug in passes {str(self)!r} together")
            raise

    def __str__(self) -> str:
        return ",".join(map(str, self.passes))


@lru_cache(maxsize=64)
def _parsed(text: str, _generation: int) -> Pipeline:
    """The pipeline of a text. Passes of users may change from one generation of the registry to the next."""
    return Pipeline(tuple(_pass(name, options) for name, options in _split(text)))


def _finished(form: Form) -> Program:
    """Return the program of a form. Registers that were split into too many are merged again."""
    program = form.finish()
    if form.is_split and (program.file_size(File.TEMP) > MANY_TEMPORARIES or program.file_size(File.ADDR) > SOFTWARE.addresses):
        merge = find("merge-temporaries")()
        assert isinstance(merge, FormPass)
        merge.rewrite(form)
        program = form.finish()
    return program


def _is_own(item: Pass) -> bool:
    """Return true for passes of `passes.optimise`."""
    return type(item).__module__.rpartition(".")[0] == Repeat.__module__.rpartition(".")[0]


def _on_form(item: Pass) -> tuple[Callable[[Form], bool] | None, int, int]:
    """Return the rest of the group of one pass."""
    if not isinstance(item, FormPass):
        return None, -1, -1
    needed, also, *_ = (*item.needs, -1, -1)
    return item.rewrite, needed, also


def _is_rewriter(item: Pass) -> bool:
    return isinstance(item, Rewriter)


_ITEM = re.compile(r"\s*([^\s,{}]+)\s*(?:\{([^{}]*)\})?\s*(,|$)")


def _split(text: str) -> Sequence[tuple[str, str]]:
    parts, position = [], 0
    while text[position:].strip():
        match = _ITEM.match(text, position)
        if match is None:
            raise ValueError(f"pipeline: cannot read `{text[position:].strip()}`; write `pass,pass{{option=value}}`")
        parts.append((match[1], match[2] or ""))
        position = match.end()
    if parts and text.rstrip().endswith(","):
        raise ValueError("pipeline: a pass is missing after the last comma")
    return parts


def _pass(name: str, options: str) -> Pass:
    cls = find(name)
    known = cls.options()
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
    return cls(**values)


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
            raise ValueError(f"pass {name}: {key}: `{text}` is not an integer") from None
    if isinstance(default, float):
        try:
            return float(text)
        except ValueError:
            raise ValueError(f"pass {name}: {key}: `{text}` is not a number") from None
    return text
