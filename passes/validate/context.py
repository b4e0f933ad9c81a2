"""The context of all rules: the program, its register tables, and the findings."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import TypeAlias

from tgsi.language._forks import cached_property
from tgsi.language.diagnostics import Diagnostic, Diagnostics, Fix, Label, Severity
from tgsi.language.facts.brackets import TESS_VERTICES, VERTICES, per_vertex
from tgsi.language.facts.enums import File, Primitive, Processor
from tgsi.language.facts.limits import ShaderLimits
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.stages import PATCH_STAGES
from tgsi.language.ir import Declaration, Immediate, Instruction, Property
from tgsi.language.mesh import MeshLayout, mesh_layout
from tgsi.language.program import Program
from tgsi.language.source import Span

Item: TypeAlias = Declaration | Immediate | Instruction | Property
MAX_FINDINGS = 200
"""Findings after which a program is not described further."""


class Registers:
    """The declared ranges of one file and dimension, for questions about single registers."""

    __slots__ = ("_merged", "_starts", "ranges")

    def __init__(self, *ranges: Declaration) -> None:
        self.ranges = list(ranges)
        self._starts: list[int] | None = None
        self._merged: list[tuple[int, int]] = []

    def has(self, index: int) -> bool:
        """Return true if the register lies in a declared range."""
        if self._starts is None:
            self._merge()
        at = bisect_right(self._starts or [], index) - 1
        return at >= 0 and index <= self._merged[at][1]

    def count(self, most: int) -> int:
        """Return a number below which all numbers are declared; at most `most`."""
        end = 0
        for item in self.ranges:
            if item.first > end:
                return self._count(most)
            if item.last >= end:
                end = item.last + 1
        return min(end, most)

    def _count(self, most: int) -> int:
        """Return the result of `count` for ranges with gaps or in another order."""
        if self._starts is None:
            self._merge()
        first, last = self._merged[0]
        return 0 if first > 0 or last < 0 else min(last + 1, most)

    def _merge(self) -> None:
        spans = [(item.first, item.last) for item in self.ranges]
        for first, last in sorted(spans) if len(spans) > 1 else spans:
            if self._merged and first <= self._merged[-1][1] + 1:
                self._merged[-1] = self._merged[-1][0], max(last, self._merged[-1][1])
            else:
                self._merged.append((first, last))
        self._starts = [first for first, _ in self._merged]

    def __str__(self) -> str:
        self.has(0)
        shown = [f"{first}" if first == last else f"{first}..{last}" for first, last in self._merged[:4]]
        return ", ".join(shown) + (", ..." if len(self._merged) > 4 else "")


_opcode = attrgetter("opcode")
_MESH = Processor.MESH


class Context:
    """One run of the rules over a program."""

    def __init__(self, program: Program, limits: ShaderLimits, good: Program | None = None) -> None:
        self.program = program
        self.limits = limits
        self.is_made = good is not None
        """True if the program was made from a valid one, so that the order of its text was checked."""

        shared = set(map(id, good.declarations)) if good is not None else ()
        self.declarations = tuple([item for item in program.declarations if id(item) not in shared]) if shared else program.declarations
        """Declarations to check: those that are not shared with the valid program `good`."""

        self.properties = () if good is not None and good.properties is program.properties else program.properties
        """Properties to check."""

        self.opcodes: frozenset[OpcodeInfo] = frozenset(map(_opcode, program.instructions))
        """The opcodes of the program."""

        self.layout: MeshLayout | None = mesh_layout(program) if program.processor is _MESH else None
        """The shape of a mesh program's output."""

        self.unusual: list[Instruction] = []
        """Instructions with more than registers that are read as values and written as results; the rules of operands find them."""

        self.found = Diagnostics()
        self._seen: set[tuple[str, str]] = set()
        self.registers: dict[tuple[File, int], Registers] = {}
        """Declared registers by file and dimension, where no dimension counts as 0."""
        for item in program.declarations:
            key = item.file, item.dimension or 0
            if key in self.registers:
                self.registers[key].ranges.append(item)
            else:
                self.registers[key] = Registers(item)

    @cached_property
    def files(self) -> frozenset[File]:
        """Files with at least one declaration; immediates count as declarations."""
        used = {item.file for item in self.program.declarations}
        return frozenset(used | {File.IMM} if self.program.immediates else used)

    @cached_property
    def arrays(self) -> frozenset[tuple[File, int]]:
        """Declared array numbers by file."""
        return frozenset((item.file, item.array_id) for item in self.program.declarations if item.array_id)

    @cached_property
    def vertices(self) -> int:
        """Number of vertices that the first bracket of a per-vertex register may name; 0 if the program does not give it."""
        if self.program.processor in PATCH_STAGES:
            return TESS_VERTICES
        if not any(item.name == "GS_INPUT_PRIMITIVE" for item in self.program.properties):
            return 0
        number = self.program.property("GS_INPUT_PRIMITIVE")
        return VERTICES.get(Primitive(number), 1) if number in Primitive.__members__.values() else 0

    def is_per_vertex(self, file: File) -> bool:
        """Return true if registers of this file have a vertex in their first bracket."""
        return per_vertex(self.program.processor, file)

    def error(
        self,
        code: str,
        message: str,
        item: Item | None = None,
        operand: int = -1,
        hint: str = "",
        also: tuple[Label, ...] = (),
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        """Report a broken rule at a statement, or at one of its operands. A message is reported once for each place."""
        self._add(Severity.ERROR, code, message, item, operand, hint, also, fixes)

    def warning(
        self, code: str, message: str, item: Item | None = None, operand: int = -1, hint: str = "", also: tuple[Label, ...] = ()
    ) -> None:
        """Report a construct that is allowed, but surely a mistake."""
        self._add(Severity.WARNING, code, message, item, operand, hint, also)

    def _add(
        self,
        severity: Severity,
        code: str,
        message: str,
        item: Item | None,
        operand: int,
        hint: str,
        also: tuple[Label, ...],
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        span: Span | None = item.span if item is not None else None
        if operand >= 0 and isinstance(item, Instruction):
            from tgsi.language.text.locate import operand_span

            span = operand_span(item, operand)
        if span is None and item is not None:
            message += f" (in `{self._text(item)}`)"
        key = code, f"{message}@{span.start if span else -1}"
        if key in self._seen or len(self._seen) >= MAX_FINDINGS:
            return
        self._seen.add(key)
        labels = (Label(span), *also) if span is not None else ()
        self.found.add(Diagnostic(code, severity, message, labels, hint, fixes))

    def _text(self, item: Item) -> str:
        from tgsi.language.printer import print_declaration, print_instruction  # right programs never need it

        if isinstance(item, Instruction):
            return print_instruction(item)
        if isinstance(item, Declaration):
            return print_declaration(item, self.program.processor)
        return f"PROPERTY {item.name}" if isinstance(item, Property) else "IMM"
