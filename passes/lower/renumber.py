"""Renumbering of semantics: linked programs get legal semantics, by the same change in all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from passes.validate.semantics import SemanticLimits, is_interface, legal
from tgsi.language.diagnostics import Diagnostic, LimitError, Severity
from tgsi.language.facts.enums import File, Interpolation
from tgsi.language.facts.semantics import SEMANTICS, TOKEN_INDICES, Semantic
from tgsi.language.ir import Declaration
from tgsi.language.program import Program
from tgsi.language.record import record


@record
class Renumbering:
    """The changed programs, in the order of the arguments, and the new semantic for each one that they use."""

    programs: tuple[Program, ...]
    mapping: Mapping[Semantic, Semantic]


def renumber(programs: Sequence[Program], limits: SemanticLimits, *, reserve: Iterable[int] = ()) -> Renumbering:
    """Give the GENERIC semantics of linked programs legal indices, the same in each; legal indices do not change.

    A semantic that the limit set refuses (NORMAL, FOG[1], COLOR[2], GENERIC[300]) becomes a free GENERIC. A declared range stays in one
    piece. For limit sets that allow no gaps, all indices are assigned anew, in rising order.

    Args:
        programs: stages that link with each other, such as a vertex and a fragment program.
        limits: the limit set.
        reserve: GENERIC indices held free for other programs, e.g. ``range(8)`` for fixed texture coordinates used with GLSL.

    Raises:
        LimitError: there are not enough legal indices.

    Source: the linkage proposal of 2010 (GLSL together with fixed texture coordinates).
    """
    blocks = _blocks(programs)
    has_back = any(name == "BCOLOR" for name, _, _ in blocks)
    end = min(limits.generics(has_back), TOKEN_INDICES)
    taken = bytearray(TOKEN_INDICES)
    for index in reserve:
        if 0 <= index < TOKEN_INDICES:
            taken[index] = 1
    held = bytes(taken)
    moving: list[tuple[str, int, int]] = []
    mapping: dict[Semantic, Semantic] = {}
    for block in blocks:
        name, first, last = block
        if name != "GENERIC" and legal(Semantic(name, last), limits, has_back):
            mapping |= {Semantic(name, i): Semantic(name, i) for i in range(first, last + 1)}
        elif name == "GENERIC" and not limits.dense and first >= 0 and last < end and not any(held[first : last + 1]):
            taken[first : last + 1] = bytes([1]) * (last + 1 - first)
            mapping |= {Semantic(name, i): Semantic(name, i) for i in range(first, last + 1)}
        else:
            moving.append(block)
    for name, first, last in moving:
        size = last - first + 1
        place = taken.find(bytes(size), 0, end) if size <= end else -1
        if place < 0:
            raise _full(limits, name, first, last, end)
        taken[place : place + size] = bytes([1]) * size
        mapping |= {Semantic(name, first + i): Semantic("GENERIC", place + i) for i in range(size)}
    return Renumbering(tuple(_apply(program, mapping) for program in programs), mapping)


def _blocks(programs: Sequence[Program]) -> list[tuple[str, int, int]]:
    """Return the ranges of indices that move in one piece, of all programs together: name, first, last; GENERIC comes first."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    for program in programs:
        for item in program.declarations:
            if is_interface(program, item) and item.semantic is not None:
                first = item.semantic.index
                ranges.setdefault(item.semantic.name, []).append((first, first + max(0, item.last - item.first)))
    blocks: list[tuple[str, int, int]] = []
    for name in sorted(ranges, key=lambda name: (name != "GENERIC", SEMANTICS[name].number)):
        merged: list[tuple[int, int]] = []
        for first, last in sorted(ranges[name]):
            if merged and first <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(last, merged[-1][1])
            else:
                merged.append((first, last))
        blocks += [(name, first, last) for first, last in merged]
    return blocks


def _apply(program: Program, mapping: Mapping[Semantic, Semantic]) -> Program:
    return replace(program, declarations=tuple(_declaration(program, item, mapping) for item in program.declarations))


def _declaration(program: Program, item: Declaration, mapping: Mapping[Semantic, Semantic]) -> Declaration:
    if not is_interface(program, item) or item.semantic is None:
        return item
    new = mapping[item.semantic]
    if new == item.semantic:
        return item
    mode = item.interpolation
    if mode is None and item.semantic.name == "COLOR" and item.file is File.IN:
        mode = Interpolation.COLOR  # a color without a mode follows the flatshade state; a GENERIC would be constant
    return replace(item, semantic=new, interpolation=mode)


def _full(limits: SemanticLimits, name: str, first: int, last: int, end: int) -> LimitError:
    what = f"{name}[{first}]" if first == last else f"{name}[{first}] to [{last}]"
    text = f"{what}: no legal GENERIC index is free; the limit set `{limits.name}` has 0 to {end - 1}"
    return LimitError((Diagnostic("S013", Severity.ERROR, f"{text}; {limits.reason}" if limits.reason else text),))
