"""The table of expansions: one row for each opcode that can be written with others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY
from difflib import get_close_matches
from types import MappingProxyType

from passes.edit import rebuilt
from passes.lower.arithmetic import floats, powers
from passes.lower.arithmetic.floats import Expand
from passes.lower.expansion import Expansion, Full, Room
from tgsi.language.ir import Instruction
from tgsi.language.program import Program
from tgsi.language.record import record


@record
class Row:
    """An opcode and its expansion.

    gives: the opcodes of the expansion besides MOV. slots: number of scratch registers. formula: the expansion in words; a, b, e are the
    sources, t and u scratch registers. is_exact: the result keeps every bit. is_usual: the opcode is expanded if the pass names none.
    """

    opcode: str
    expand: Expand
    gives: tuple[str, ...]
    formula: str
    slots: int = 1
    _: KW_ONLY
    is_exact: bool = True
    is_usual: bool = True


def _gives(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_DOT = "products are added one by one, from left to right"
_ROWS = (
    Row("LRP", floats.lrp, _gives("ADD MAD"), "ADD t, b, -e; MAD d, a, t, e"),
    Row("DP2", floats.dot(2), _gives("MUL MAD"), _DOT),
    Row("DP3", floats.dot(3), _gives("MUL MAD"), _DOT),
    Row("DP4", floats.dot(4), _gives("MUL MAD"), _DOT),
    Row("DST", floats.dst, _gives("MUL ADD"), "1, a.y * b.y, a.z + -0.0, b.w + -0.0"),
    Row("FRC", floats.frc, _gives("FLR ADD SGE CMP"), "a - FLR a; 0 where a is infinite", 2),
    Row("CEIL", floats.ceil, _gives("FLR"), "FLR t, -a; FLR d, -t"),
    Row("TRUNC", floats.trunc, _gives("FLR CMP"), "FLR t, -a; FLR u, a; CMP d, a, -t, u", 2),
    Row("SGT", floats.swapped("SLT"), _gives("SLT"), "SLT d, b, a", 0),
    Row("SLE", floats.swapped("SGE"), _gives("SGE"), "SGE d, b, a", 0),
    Row("EXP", powers.exp, _gives("FLR EX2 ADD"), "EX2(FLR a.x), a.x - FLR a.x, EX2 a.x, 1", 2),
    Row(
        "LOG",
        powers.log,
        _gives("LG2 FLR EX2 MUL MAD ADD SLT SGE CMP"),
        "k = FLR(LG2 abs a.x) and the mantissa abs a.x * EX2(-k), both corrected where the mantissa is not in [1, 2)",
        2,
    ),
    Row("TXP", floats.txp, _gives("DIV TEX"), "DIV t, a, a.wwww; TEX d, t", is_usual=False),
    Row("LIT", powers.lit, _gives("MAX MIN LG2 MUL EX2 CMP"), "z: EX2(w * LG2 y) with w in [-128, 128], 1 where w is 0", 2, is_exact=False),
    Row("POW", powers.pow_, _gives("LG2 MUL EX2 SGE CMP"), "EX2(b.x * LG2 a.x); 1 where b.x is 0", is_exact=False),
    Row("MAD", floats.mad, _gives("MUL ADD"), "MUL t, a, b; ADD d, t, e", is_usual=False),
    Row("UMAD", floats.umad, _gives("UMUL UADD"), "UMUL t, a, b; UADD d, t, e", is_usual=False),
    Row("FLR", floats.flr, _gives("FRC ADD"), "FRC t, a; ADD d, a, -t", is_usual=False),
    Row("SEQ", floats.seq, _gives("SGE MUL"), "SGE t, a, b; SGE u, b, a; MUL d, t, u", 2, is_usual=False),
    Row("SNE", floats.sne, _gives("SGE MUL ADD"), "1 minus SEQ", 2, is_usual=False),
    Row("SSG", floats.ssg, _gives("SLT ADD"), "SLT t, 0, a; SLT u, a, 0; ADD d, t, -u", 2, is_usual=False),
    Row("ARR", floats.arr, _gives("ADD ARL"), "ADD t, a, 0.5; ARL d, t", is_usual=False),
    Row("DIV", floats.div, _gives("RCP MUL"), "RCP t.c, b.c; MUL d, a, t", is_exact=False, is_usual=False),
    Row("SQRT", floats.sqrt, _gives("RSQ RCP"), "RSQ t, a.x; RCP d, t", is_exact=False, is_usual=False),
)

EXPANSIONS: Mapping[str, Row] = MappingProxyType({row.opcode: row for row in _ROWS})
"""Rows by opcode."""


def read_names(text: str, where: str, rows: Mapping[str, Row]) -> frozenset[str]:
    """Return the opcodes of a text like ``"LRP+DP3"``; the usual ones of `rows` for an empty text. `where` begins each message.

    Raises:
        ValueError: there is no row for an opcode, or two opcodes need each other; the message names them.
    """
    if not text:
        return frozenset(name for name, row in rows.items() if row.is_usual)
    names = [name.strip().upper() for name in text.split("+")]
    for name in names:
        if name not in rows:
            close = get_close_matches(name, rows, 1)
            hint = f"; did you mean `{close[0]}`?" if close else ""
            raise ValueError(f"{where}: `{name}` is not one of {', '.join(rows)}{hint}")
    for name in names:
        if name in _needs(name, names):
            others = sorted(other for other in _needs(name, names) if name in _needs(other, names) and other != name)
            raise ValueError(f"{where}: the expansions of {name} and {', '.join(others)} need each other; name only one of them")
    return frozenset(names)


def _needs(name: str, names: Iterable[str]) -> set[str]:
    """The opcodes among `names` that the expansion of an opcode contains, directly or through other expansions."""
    needs: set[str] = set()
    due = [name]
    while due:
        for other in EXPANSIONS[due.pop()].gives:
            if other in names and other not in needs:
                needs.add(other)
                due.append(other)
    return needs


def expanded(program: Program, names: frozenset[str], *, must: bool) -> Program:
    """Return the program with opcodes expanded, including those in expansions; the same object if the program has none of them.

    Args:
        program: the program to change.
        names: the opcodes.
        must: raise Full if there is no room for a scratch register; otherwise such an instruction is kept.
    """
    if not any(item.opcode.name in names for item in program.instructions):
        return program
    room = Room(program)
    code: list[Sequence[Instruction]] = []
    for item in program.instructions:
        try:
            code.append(_expand(room, item, names, 0))
        except Full:
            if must:
                raise
            code.append((item,))
    return room.finish(rebuilt(program, code))


def _expand(room: Room, item: Instruction, names: frozenset[str], first: int) -> list[Instruction]:
    if item.opcode.name not in names:
        return [item]
    row = EXPANSIONS[item.opcode.name]
    work = Expansion(room, item, first)
    row.expand(work)
    return [new for part in work.code for new in _expand(room, part, names, first + row.slots)]
