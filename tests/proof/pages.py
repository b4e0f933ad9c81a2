"""Lines of docs/passes.md: every pass, and every rule with its proof or its bound."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from passes.lower.arithmetic.table import EXPANSIONS
from passes.lower.options import ROWS
from passes.optimise.rules.kinds import MEANINGS
from passes.optimise.rules.rule import Rule
from passes.optimise.rules.table import FAMILIES, SOURCES
from passes.optimise.rules.terms import Modified, Term, Variable, Word
from passes.registry import DEFAULT, PASSES, find
from tests.proof.refuted import REFUTED, WORDS

_FLOATS = {0x3F800000: "1.0", 0xBF800000: "-1.0", 0x80000000: "-0.0", 0x40000000: "2.0"}
"""Words that are shown as floats where a float is read."""


def shown(term: Term, kind: str = "untyped") -> str:
    """A term as text; `kind` is the type of the source that it is."""
    if isinstance(term, Variable):
        return term.name + (f":{term.kind}" if term.kind else "")
    if isinstance(term, Word):
        if kind == "float":
            return _FLOATS.get(term.value, "0.0" if term.value == 0 else hex(term.value))
        if term.value == 0xFFFFFFFF:
            return "~0"
        return str(term.value) if term.value < 256 else _FLOATS.get(term.value, hex(term.value)) if kind != "int" else hex(term.value)
    if isinstance(term, Modified):
        inner = shown(term.term, kind)
        return ("-" if term.negate else "") + (f"|{inner}|" if term.absolute else inner)
    arguments = (shown(argument, type_) for argument, type_ in zip(term.arguments, term.opcode.src_types))
    return f"{term.opcode.name}{'_SAT' if term.saturate else ''}({', '.join(arguments)})"


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


def _row(rule: Rule, *more: str) -> str:
    when = "; ".join(map(shown, rule.when))
    kind = rule.window.opcode.dst_types[0] if rule.window.opcode.dst_types else "uint"
    return (
        f"| {rule} | {_code(shown(rule.window))} | {_code(shown(rule.result, kind))} | {_code(when) if when else ''} | {' | '.join(more)} |"
    )


def _proof(rule: Rule) -> str:
    if rule.bound:
        return f"bounded: {rule.bound}"
    return "proved" if rule.any_product else "proved, not for MUL_ZERO_WINS"


_INTRODUCTION = """# Passes and rules

`tgsi.optimize(program)` runs the default pipeline, `tgsi.optimize(program, "a,b{n=2}")` another one. A pass keeps every bit that the
interpreter computes ([execution](execution.md)), unless its name begins with `lower-`. Tests run generated programs, measured
programs and a corpus before and after each pass (tests/property/test_passes.py).

"""

_WINDOWS = """A window is an instruction, together with those that computed its sources; the result takes the place of its last instruction.
x, y, z, w are sources with any modifiers, k, m, n constants of the program. A result of constants alone is computed. Sources of
opcodes that commute may stand in either order. A variable may have a kind:

"""

_PROOFS = """Proved means: of all 32-bit words that fit the kinds and the condition, z3 finds none for which both sides differ in a bit
(tests/proof/test_rules.py). Its model of the opcodes is written apart from the interpreter and compared with it
(tests/proof/test_model.py). Floats are those of IEEE 754 with the canonical NaN. Some proofs hold for all sums and products that
commute and see only one NaN. That sums commute, and that sums and products see one NaN, is proved; that products commute is
sampled, a million pairs. A bounded rule is tested as its row says. Every rule is also run in generated programs, before and
after (tests/property/test_rules.py). In programs with MUL_ZERO_WINS, rules of products apply only if they hold there, too.
"""

_SOURCES = """A source that reads the window may read the result instead. Negation and absolute value of integers go into sources that take
the modifiers of integers. The others hold up to the bits of a NaN; they go into sources that do not show them: those of
arithmetic, comparisons, conversions, and the conditions of IF, CMP and KILL_IF.

"""


_LOWERINGS = """These passes take away a feature that a device lacks. `tgsi.lower(program, ...)` and `tgsi-compile --lower ...` run them in
this order, by the words of their headings ([lowering](lowering.md)).

"""

_EXPANSIONS = """The results of `lower-opcodes` and, for rows that keep every bit, of `expand-opcodes`. d is the destination, a, b and e
are the sources, t and u scratch registers; the last instruction alone is saturated and writes d. The usual rows are taken if none
is named. Opcodes that an expansion gives are expanded, too, if they are named.

Exact rows of opcodes that work channel by channel are proved for all words, as is `lower-64-bit` except for U64MUL
(tests/proof/test_lowerings.py). Tests run each row over words of all sorts in both engines (tests/unit/passes/test_expansions.py), and
5,000 generated programs before and after (tests/property/test_lowering.py).

"""


def _lowerings() -> Iterator[str]:
    """The lowerings in their order, with their definitions."""
    yield from ("## Lowerings", "", *_LOWERINGS.splitlines())
    for row in ROWS:
        found = find(row.lowering)
        options = ", ".join(f"{name}={value}" if value != "" else name for name, value in found.options().items())
        yield from (f"### {row.word}", "")
        yield f"`{row.sample}` runs `{row.lowering}`" + (f", whose options are {options}." if options else ".")
        lines = [line.strip() for line in (found.__doc__ or "").strip().splitlines()]
        yield from ("", *(line.replace("<", "&lt;") for line in lines), "")


def _expansions() -> Iterator[str]:
    """The table of expansions."""
    yield from ("## Expansions of opcodes", "", *_EXPANSIONS.splitlines())
    yield "| Opcode | Expansion | Opcodes that it gives | Every bit | Usual |"
    yield "|---|---|---|---|---|"
    for name, row in EXPANSIONS.items():
        given = ", ".join(row.gives)
        yield f"| {name} | {row.formula} | {given} | {'yes' if row.is_exact else 'no'} | {'yes' if row.is_usual else ''} |".replace(
            "||", "\\|\\|"
        )
    yield ""


def passes_page() -> Iterator[str]:
    """Lines of docs/passes.md."""
    yield from _INTRODUCTION.splitlines()
    yield "## Passes"
    yield ""
    yield "| Pass | What it does | Default |"
    yield "|---|---|---|"
    for name, (module, attribute) in PASSES.items():
        times = sum(item.partition("{")[0] == name for item in DEFAULT.split(","))
        summary = getattr(import_module(module), attribute).summary()
        yield f"| `{name}` | {summary} | {('yes' if times == 1 else f'{times} times') if times else ''} |"
    yield ""
    yield from (Path(__file__).with_name("own_passes.md").read_text(encoding="utf-8")).splitlines()
    yield ""
    yield from _lowerings()
    yield from _expansions()
    yield "## Rules of simplify-instructions"
    yield ""
    yield from _WINDOWS.splitlines()
    yield from (f"- `{kind}`: {meaning}" for kind, meaning in MEANINGS.items())
    yield ""
    yield from _PROOFS.splitlines()
    for family, rules in FAMILIES.items():
        yield from ("", f"### {family}", "", "| Rule | Window | Result | Condition | Held by |", "|---|---|---|---|---|")
        yield from (_row(rule, _proof(rule)) for rule in rules)
    yield ""
    yield "### Sources"
    yield ""
    yield from _SOURCES.splitlines()
    yield "| Rule | Window | Result | Condition | Held by |"
    yield "|---|---|---|---|---|"
    yield from (_row(rule, _proof(rule)) for rule in SOURCES)
    yield ""
    yield "## Rules that do not hold"
    yield ""
    yield "z3 finds operands for which these differ, so they are not used. The last column gives some of the operands; z3 finds the rest."
    yield ""
    yield "| Rule | Window | Result | Condition | Differs for |"
    yield "|---|---|---|---|---|"
    for rule in REFUTED:
        words = ", ".join(f"{name} = {word:#010x}" for name, word in WORDS.get(rule.name, {}).items())
        yield _row(rule, words)
