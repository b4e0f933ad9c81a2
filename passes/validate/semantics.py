"""Semantic limits: the indices that semantics between two stages may have.

The rules are those of the linkage proposal of 2010. The smallest set holds the names of shader model 3, which every device can take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from passes.validate.context import MAX_FINDINGS, Context
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import MESH_SEMANTICS, SEMANTICS, Semantic
from tgsi.language.ir import Declaration
from tgsi.language.program import Program
from tgsi.language.record import record

MAX_RENDER_TARGETS = 8
"""Gallium's number of render targets; the index of a fragment program's COLOR output is the number of one."""

_APART = frozenset({"POSITION", "PSIZE", "FACE"}) | MESH_SEMANTICS
"""Semantics that take no interpolator."""

_SM3 = "shader model 3 has 14 names of 16 indices (224); POSITION0, PSIZE0, COLOR0, COLOR1 and FOG0 are taken"


@record(kw_only=True)
class SemanticLimits:
    """A limit set. GENERIC has indices 0 to `generic` - 1, or `generic_with_back` - 1 if the program has a BCOLOR; None: any.

    `distinct` bounds the different semantics that one program may use for varyings at once. `dense` requires GENERIC indices 0 to n - 1
    without gaps. The reasons end the messages.
    """

    name: str
    generic: int | None
    generic_with_back: int | None
    reason: str
    reason_with_back: str = ""
    distinct: int | None = None
    dense: bool = False

    def generics(self, has_back: bool) -> int | None:
        """Return the number of GENERIC indices, or None if any index is legal."""
        return self.generic_with_back if has_back else self.generic

    def limited(self, distinct: int | None, reason: str = "") -> SemanticLimits:
        """Return the same set with another number of different semantics at once."""
        return replace(self, distinct=distinct, reason=reason or self.reason)


def _same(name: str, generic: int | None, reason: str, **more: int | bool | None) -> SemanticLimits:
    return SemanticLimits(name=name, generic=generic, generic_with_back=generic, reason=reason, **more)  # type: ignore[arg-type]


SM3 = SemanticLimits(
    name="sm3", generic=219, generic_with_back=217, reason=_SM3, reason_with_back=f"{_SM3}, and two names are held for BCOLOR"
)
"""The names that every device can take: 14 x 16 less five, and less two if back colors are in use."""

BYTE = _same("byte", 256, "the index is one byte")
"""The indices that nearly every device takes."""

ARBITRARY = _same("arbitrary", None, "")
"""Any index."""

LIMITS: Mapping[str, SemanticLimits] = MappingProxyType(
    {
        "sm3": SM3,
        "byte": BYTE,
        "arbitrary": ARBITRARY,
        "a": _same("a", 128, "option a of the proposal takes 128, which a shader model 3 API rarely exceeds"),
        "b": _same("b", 256, "option b of the proposal takes 256, which a shader model 3 API never exceeds"),
        "c": replace(SM3, name="c"),
        "d": _same("d", None, "option d of the proposal has the API number them without gaps", dense=True),
        "e": _same("e", None, ""),
        "f": _same("f", 8, "option f of the proposal takes as many as there are interpolators", distinct=8),
    }
)
"""Limit sets by name; a to f are the options that the proposal discusses."""


def interpolators(count: int) -> SemanticLimits:
    """Return option f for a device with `count` interpolators."""
    return replace(LIMITS["f"], generic=count, generic_with_back=count, distinct=count)


def is_interface(program: Program, item: Declaration) -> bool:
    """Return true if the declaration faces another programmable stage, or the rasterizer's varyings."""
    if item.semantic is None or program.processor is Processor.COMP:
        return False
    return (item.file is File.IN and program.processor is not Processor.VERT) or (
        item.file is File.OUT and program.processor is not Processor.FRAG
    )


def legal(semantic: Semantic, limits: SemanticLimits, has_back: bool) -> bool:
    """Return true if the semantic may stand between two stages; `dense` and `distinct` do not concern a single semantic."""
    if semantic.name == "NORMAL":
        return False
    count = SEMANTICS[semantic.name].indices
    if count is None:
        count = limits.generics(has_back)
    return count is None or semantic.index < count


def check(context: Context, limits: SemanticLimits) -> None:
    """Check S010 to S015."""
    program = context.program
    items = [item for item in program.declarations if is_interface(program, item)]
    has_back = any(item.semantic is not None and item.semantic.name == "BCOLOR" for item in items)
    rules = _Rules(context, limits, has_back, items)
    for item in program.declarations:
        if len(context.found) >= MAX_FINDINGS:
            return
        if item.semantic is None or item.file not in (File.IN, File.OUT):
            continue
        if item.semantic.name == "NORMAL":
            context.error("S010", "NORMAL is no semantic of a shader any more", item, hint=rules.generic_hint(0))
        elif is_interface(program, item):
            rules.check_index(item, item.semantic)
        elif item.file is File.OUT and item.semantic.name == "COLOR":
            _check_target(context, item, item.semantic)
    rules.check_distinct()
    if limits.dense:
        rules.check_dense()


def _check_target(context: Context, item: Declaration, semantic: Semantic) -> None:
    last = semantic.index + item.last - item.first
    if last >= MAX_RENDER_TARGETS:
        text = f"COLOR[{last}]: a fragment program writes render targets 0 to {MAX_RENDER_TARGETS - 1}"
        context.error("S012", text, item, hint=f"the nearest is COLOR[{MAX_RENDER_TARGETS - 1}]")


def _least(first: int | None, count: int | None) -> int | None:
    return min((value for value in (first, count) if value is not None), default=None)


class _Rules:
    """One program's interface under one limit set."""

    def __init__(self, context: Context, limits: SemanticLimits, has_back: bool, items: list[Declaration]) -> None:
        self.context, self.limits, self.has_back, self.items = context, limits, has_back, items

    def spans(self, name: str, file: File | None = None) -> Iterator[tuple[int, int]]:
        """Return the first and last index of each declaration of a name."""
        for item in self.items:
            if item.semantic is not None and item.semantic.name == name and file in (None, item.file):
                yield item.semantic.index, item.semantic.index + item.last - item.first

    def free(self, name: str, wanted: int, count: int | None) -> int | None:
        """Return the unused index nearest to `wanted`, below `count`, or None if all are in use."""
        found: list[int] = []
        before = 0  # the first index after the ranges seen so far
        for first, last in [*sorted(self.spans(name)), (None, None)]:
            end = _least(first, count)  # indices before..end-1 are free
            if end is None:
                found.append(max(before, wanted))
            elif before < end:
                found.append(min(max(before, wanted), end - 1))
            before = max(before, (last or 0) + 1)
        return min(found, key=lambda index: (abs(index - wanted), index), default=None)

    def generic_hint(self, wanted: int) -> str:
        """Return a hint that names the free GENERIC index nearest to `wanted`."""
        found = self.free("GENERIC", wanted, self.limits.generics(self.has_back))
        return "no GENERIC index is free" if found is None else f"the nearest free index is GENERIC[{found}]"

    def check_index(self, item: Declaration, semantic: Semantic) -> None:
        """Check the index of one declaration; a range is judged by its last index."""
        last = Semantic(semantic.name, semantic.index + item.last - item.first)
        if legal(last, self.limits, self.has_back):
            return
        count = SEMANTICS[semantic.name].indices
        if count is None:
            self._check_generic(item, last.index)
        elif semantic.name in ("COLOR", "BCOLOR"):
            found = self.free(semantic.name, last.index, count)
            hint = self.generic_hint(0) if found is None else f"the nearest free index is {semantic.name}[{found}]"
            self.context.error("S012", f"{last}: {semantic.name} has the indices 0 and 1, for two-sided and flat shading", item, hint=hint)
        else:
            allowed = "only index 0" if count == 1 else f"the indices 0 to {count - 1}"
            found = self.free(semantic.name, last.index, count)
            nearest = f"{semantic.name}[{found}]" if found is not None and count > 1 else semantic.name
            hint = self.generic_hint(0) if found is None else f"the nearest free index is {nearest}"
            self.context.error("S011", f"{semantic.name}[{last.index}]: {semantic.name} has {allowed}", item, hint=hint)

    def _check_generic(self, item: Declaration, last: int) -> None:
        count = self.limits.generics(self.has_back)
        reason = (self.has_back and self.limits.reason_with_back) or self.limits.reason
        text = f"GENERIC[{last}]: the limit set `{self.limits.name}` has GENERIC 0 to {(count or 0) - 1}; {reason}"
        self.context.error("S013", text, item, hint=self.generic_hint(last))

    def check_distinct(self) -> None:
        """Check S014: the number of semantics that one direction uses at once. Those of `_APART` do not count."""
        limit = self.limits.distinct
        for file in (File.IN, File.OUT):
            count = 0
            for item in self.items:
                if limit is None or item.file is not file or item.semantic is None or item.semantic.name in _APART:
                    continue
                count += max(0, item.last - item.first + 1)
                if count > limit:
                    text = f"more than {limit} different semantics are in use at once; {self.limits.reason}"
                    self.context.error("S014", text, item, hint="use fewer varyings, or pack two into one")
                    break

    def check_dense(self) -> None:
        """Check S015: GENERIC indices have no gaps."""
        for file in (File.IN, File.OUT):
            expected = 0
            for first, last in sorted(self.spans("GENERIC", file)):
                if first > expected:
                    item = next(i for i in self.items if i.file is file and i.semantic == Semantic("GENERIC", first))
                    text = f"GENERIC[{first}]: indices {expected} to {first - 1} are not used; {self.limits.reason}"
                    self.context.error("S015", text, item, hint=f"the nearest free index is GENERIC[{expected}]")
                    break
                expected = max(expected, last + 1)
