"""Semantic limits: the indices that semantics between two stages may have.

The rules are those of the linkage proposal of 2010; docs/linkage-rules.md lists them. The smallest set holds the names
of shader model 3, which every device can take. Semantics that are younger than the proposal have the indices of their rows in
`tgsi/language/facts/semantics.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from passes.validate.context import MAX_FINDINGS, Context
from tgsi.language.diagnostics import Diagnostic
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.limits import SOFTWARE as SIZES
from tgsi.language.facts.semantics import INDICES, MESH_SEMANTICS, SEMANTICS, TOKEN_INDICES, Semantic
from tgsi.language.ir import Declaration
from tgsi.language.program import Program
from tgsi.language.record import record

__all__ = [
    "ARBITRARY",
    "BYTE",
    "LIMITS",
    "MAX_RENDER_TARGETS",
    "SM3",
    "SOFTWARE",
    "SemanticLimits",
    "broken_rule",
    "has_back_color",
    "interpolators",
    "is_interface",
    "judge",
    "legal",
]

MAX_RENDER_TARGETS = 8
"""Gallium's number of render targets; the index of a fragment program's COLOR output is the number of one."""

_APART = frozenset({"POSITION", "PSIZE", "FACE"}) | MESH_SEMANTICS
"""Semantics that take no interpolator."""

_FILES = frozenset({File.IN, File.OUT, File.SV})

_SM3 = "shader model 3 has 14 names of 16 indices (224); POSITION0, PSIZE0, COLOR0, COLOR1 and FOG0 are taken"


@record(kw_only=True)
class SemanticLimits:
    """A limit set. GENERIC has indices 0 to `generic` - 1, or `generic_with_back` - 1 if a BCOLOR is in use; None: all that 32 bits hold.

    A BCOLOR is in use if any of the linked programs has it. `distinct` bounds the different semantics that one program may use for
    varyings at once. `dense` requires GENERIC indices 0 to n - 1 without gaps. The reasons end the messages.
    """

    name: str
    generic: int | None
    generic_with_back: int | None
    reason: str
    reason_with_back: str = ""
    distinct: int | None = None
    dense: bool = False

    def generics(self, has_back: bool) -> int:
        """Return the number of GENERIC indices."""
        count = self.generic_with_back if has_back else self.generic
        return INDICES if count is None else count

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

ARBITRARY = _same("arbitrary", None, "an index has 32 bits")
"""Any index."""

SOFTWARE = _same("software", TOKEN_INDICES, "a token holds 16 bits of an index")
"""The indices that our own screen promises (MAX_GENERIC_INDICES)."""

LIMITS: Mapping[str, SemanticLimits] = MappingProxyType(
    {
        "sm3": SM3,
        "byte": BYTE,
        "arbitrary": ARBITRARY,
        "a": _same("a", 128, "option a of the proposal takes 128, which a shader model 3 API rarely exceeds"),
        "b": _same("b", 256, "option b of the proposal takes 256, which a shader model 3 API never exceeds"),
        "c": replace(SM3, name="c"),
        "d": _same("d", None, "option d of the proposal has the API number them without gaps", dense=True),
        "e": _same("e", None, "option e of the proposal takes any 32-bit index"),
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
    """Return true if the semantic may stand between two stages; `dense` and `distinct` do not apply to a single semantic."""
    if semantic.name == "NORMAL":
        return False
    count = SEMANTICS[semantic.name].indices
    return 0 <= semantic.index < (limits.generics(has_back) if count is None else count)


def broken_rule(program: Program, item: Declaration, limits: SemanticLimits, has_back: bool) -> str:
    """Return the code of the rule that one declaration breaks, or the empty string. A range is judged by its last index.

    Inputs of vertex programs are not varyings: their semantics are ignored, so every one is accepted.
    """
    semantic = item.semantic
    if semantic is None or item.file not in _FILES or (item.file is File.IN and program.processor is Processor.VERT):
        return ""
    name = semantic.name
    if name == "NORMAL":
        return "S010"
    last = Semantic(name, semantic.index + max(0, item.last - item.first))
    if item.file is File.OUT and program.processor is Processor.FRAG and name == "COLOR":
        return "" if 0 <= last.index < MAX_RENDER_TARGETS else "S012"
    count = SEMANTICS[name].indices
    if count is None and not is_interface(program, item):
        return ""
    if legal(last, limits, has_back):
        return ""
    return "S013" if count is None else "S012" if name in ("COLOR", "BCOLOR") else "S011"


def _interface(program: Program) -> list[Declaration]:
    return [item for item in program.declarations if is_interface(program, item)]


def has_back_color(program: Program) -> bool:
    """Return true if the program hands on or reads a back color."""
    return any(item.semantic is not None and item.semantic.name == "BCOLOR" for item in _interface(program))


def check(context: Context, limits: SemanticLimits, partners: Sequence[Program] = ()) -> None:
    """Check S010 to S015. `partners` are the programs that link with this one: they may have a BCOLOR, and indices that fill gaps."""
    program = context.program
    rules = _Rules(context, limits, partners)
    for item in program.declarations:
        if len(context.found) >= MAX_FINDINGS:
            return
        code = broken_rule(program, item, limits, rules.has_back)
        if item.semantic is None:
            continue
        if code == "S010":
            context.error(code, "NORMAL is not a semantic of a shader any more", item, hint=rules.generic_hint(0))
        elif code:
            rules.report(code, item, item.semantic)
        elif item.semantic.name == "NORMAL" and item.file is File.IN:
            context.warning("S010", "NORMAL is not a semantic of a shader any more; a vertex program's input needs none", item)
    rules.check_distinct()
    if limits.dense:
        rules.check_dense()


def judge(program: Program, limits: SemanticLimits, partners: Sequence[Program] = ()) -> tuple[Diagnostic, ...]:
    """Return the findings of `check` alone, in the order of their places."""
    context = Context(program, SIZES)
    check(context, limits, partners)
    return context.found.sorted()


def _allowed(count: int) -> str:
    return "only index 0" if count == 1 else f"the indices 0 to {count - 1}"


class _Rules:
    """One program's interface under one limit set."""

    def __init__(self, context: Context, limits: SemanticLimits, partners: Sequence[Program]) -> None:
        self.context, self.limits = context, limits
        self.items = _interface(context.program)
        self.others = [item for partner in partners for item in _interface(partner)]
        self.has_back = any(True for _ in self.spans("BCOLOR"))

    def spans(self, name: str) -> Iterator[tuple[int, int]]:
        """Return the first and last index of each declaration of a name, in this program and its partners."""
        for item in (*self.items, *self.others):
            if item.semantic is not None and item.semantic.name == name:
                yield item.semantic.index, item.semantic.index + max(0, item.last - item.first)

    def free(self, name: str, wanted: int, count: int) -> int | None:
        """Return the index nearest to `wanted`, below `count`, that neither this program nor a partner uses, or None."""
        indices: list[int] = []
        before = 0  # the first index after the ranges seen so far
        for first, last in [*sorted(self.spans(name)), (count, count)]:
            end = min(first, count)  # indices before..end-1 are free
            if before < end:
                indices.append(min(max(before, wanted), end - 1))
            before = max(before, last + 1)
        return min(indices, key=lambda index: (abs(index - wanted), index), default=None)

    def generic_hint(self, wanted: int) -> str:
        """Return a hint that names the free GENERIC index nearest to `wanted`."""
        free = self.free("GENERIC", wanted, self.limits.generics(self.has_back))
        return "no GENERIC index is free" if free is None else f"the nearest free index is GENERIC[{free}]"

    def report(self, code: str, item: Declaration, semantic: Semantic) -> None:
        """Report the broken rule of one declaration."""
        name, last = semantic.name, semantic.index + max(0, item.last - item.first)
        count = SEMANTICS[name].indices
        if count is None:
            self._report_generic(code, item, last)
        elif not is_interface(self.context.program, item):
            is_target = name == "COLOR" and item.file is File.OUT
            count = MAX_RENDER_TARGETS if is_target else count
            rule = f"a fragment program writes render targets 0 to {count - 1}" if is_target else f"{name} has {_allowed(count)}"
            nearest = f"the nearest is {Semantic(name, min(max(last, 0), count - 1))}"
            self.context.error(code, f"{name}[{last}]: {rule}", item, hint=nearest)
        else:
            two = "the indices 0 and 1, for two-sided and flat shading"
            free = self.free(name, last, count)
            hint = self.generic_hint(0) if free is None else f"the nearest free index is {Semantic(name, free)}"
            self.context.error(code, f"{name}[{last}]: {name} has {two if code == 'S012' else _allowed(count)}", item, hint=hint)

    def _report_generic(self, code: str, item: Declaration, last: int) -> None:
        count = self.limits.generics(self.has_back)
        reason = (self.has_back and self.limits.reason_with_back) or self.limits.reason
        text = f"GENERIC[{last}]: the limit set `{self.limits.name}` has GENERIC 0 to {count - 1}; {reason}"
        hint = self.generic_hint(last)
        if name := self._name_of(item):
            hint = f"stages find `{name}` by its name, whose number is large; give it a location in both: layout(location = 0), 1, ..."
        self.context.error(code, text, item, hint=hint)

    def _name_of(self, item: Declaration) -> str:
        """The name of an input or output of GLSL that has no location; empty for others."""
        interface = self.context.program.interface
        if interface is None:
            return ""
        ports = (*interface.inputs.values(), *interface.outputs.values())
        return next((port.name for port in ports if port.location < 0 and port.semantic == str(item.semantic)), "")

    def check_distinct(self) -> None:
        """Check S014: the number of semantics that one direction uses at once. Stages in `_APART` do not count."""
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
        expected = 0
        for first, last in sorted(self.spans("GENERIC")):
            if first > expected:
                item = next((item for item in self.items if item.semantic == Semantic("GENERIC", first)), None)
                if item is not None:  # otherwise a partner's declaration
                    text = f"GENERIC[{first}]: indices {expected} to {first - 1} are not used; {self.limits.reason}"
                    self.context.error("S015", text, item, hint=f"the nearest free index is GENERIC[{expected}]")
                return
            expected = max(expected, last + 1)


def __dir__() -> list[str]:
    """The public names."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
