"""The context of all lints: the program, its graph and its live channels, the places that a lane can reach, and the findings."""

from __future__ import annotations

from passes.analysis.access import results
from passes.analysis.graph import Graph
from passes.analysis.liveness import Liveness
from passes.analysis.uses import KEPT
from passes.analysis.values import UNWRITTEN, Values
from tgsi.language._forks import cached_property
from tgsi.language.diagnostics import Diagnostic, Diagnostics, Label, Severity
from tgsi.language.facts.enums import CHANNELS, File
from tgsi.language.facts.traits import Flow, Mode, Trait
from tgsi.language.ir import Declaration, Immediate, Instruction
from tgsi.language.printer import print_declaration, print_instruction
from tgsi.language.program import Program
from tgsi.language.text.locate import operand_span

MAX_FINDINGS = 200
"""Findings after which a program is not described further."""

_MAX_COPIES = 16
"""Copies that are followed from a register to the immediate in it."""


class Context:
    """One run of the lints over a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.found = Diagnostics()

    @cached_property
    def live(self) -> Liveness:
        """The channels that are needed after each instruction."""
        return Liveness(self.program)

    @property
    def graph(self) -> Graph:
        """Basic blocks and the ways between them."""
        return self.live.graph

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """The blocks that follow each block. The end of a loop leads to its start alone: lanes without fuel do not count."""
        flows = [self.program.instructions[block.stop - 1].opcode.flow if block else None for block in self.graph.blocks]
        return tuple(
            tuple(one for one in following if flow is not Flow.ENDLOOP or one <= number)
            for number, (flow, following) in enumerate(zip(flows, self.graph.successors, strict=True))
        )

    @cached_property
    def reached(self) -> frozenset[int]:
        """Blocks that a lane can come to."""
        return self.blocks_from(0)

    @cached_property
    def values(self) -> Values:
        """The instructions that may have made each value."""
        return Values(self.program)

    @cached_property
    def block_of(self) -> list[int]:
        """The number of the block of each instruction."""
        return [number for number, block in enumerate(self.graph.blocks) for _ in block]

    def blocks_from(self, start: int) -> frozenset[int]:
        """Return the blocks that a lane can come to from a block, itself included."""
        seen = {start} if self.graph.blocks else set()
        waiting = list(seen)
        while waiting:
            for successor in self.successors[waiting.pop()]:
                if successor not in seen:
                    seen.add(successor)
                    waiting.append(successor)
        return frozenset(seen)

    def is_reached(self, place: int) -> bool:
        """Return true if a lane can come to an instruction."""
        return self.block_of[place] in self.reached

    @cached_property
    def addressed(self) -> int:
        """The channels that some instruction may write through an address, at an unknown time."""
        cells = 0
        for item in self.program.instructions:
            for operand in results(item):
                if operand.register.indirect is not None:
                    cells |= self.live.channels.cells(operand.register, 15)
        return cells

    def needed(self, place: int, item: Instruction) -> int | None:
        """Return the written channels that something reads later; None for an instruction whose reads are needed as a whole."""
        if self.live.is_dead(place):
            return 0
        target = item.dst[0].register if len(item.dst) == 1 else None
        if target is None or target.file not in KEPT or target.indirect is not None or target.dimension is not None:
            return None
        if item.opcode.mode is not Mode.COMPONENTWISE or not item.opcode.is_computed:
            return None
        return item.dst[0].write_mask & self.live.after[place] >> self.live.channels.shift(target)

    def constant(self, place: int, operand: int, channel: int) -> int | None:
        """Return the word that a source reads in a channel (before its swizzle, without its modifiers), if it is always the same.

        The word comes from an immediate, directly or through plain copies.
        """
        item = self.program.instructions[place]
        for _ in range(_MAX_COPIES):
            source = item.src[operand]
            register = source.register
            if register.file is File.IMM and register.indirect is None and register.index < len(self.program.immediates):
                return self.program.immediates[register.index].words[source.swizzle[channel]]
            definition = self.values.definition(place, operand, channel)
            if definition is None or definition == UNWRITTEN:
                return None
            writer = self.program.instructions[definition]
            plain = Trait.COPY in writer.opcode.traits and not writer.saturate and len(writer.src) == 1
            if not plain or writer.src[0].negate or writer.src[0].absolute:
                return None
            place, item, operand, channel = definition, writer, 0, source.swizzle[channel]
        return None

    def warn(self, code: str, message: str, item: Declaration | Immediate | Instruction, operand: int = -1, hint: str = "") -> None:
        """Warn of a certain mistake, at a statement or at one of its operands."""
        self._add(Severity.WARNING, code, message, item, operand, hint)

    def note(self, code: str, message: str, item: Declaration | Immediate | Instruction, operand: int = -1, hint: str = "") -> None:
        """Report what may be meant."""
        self._add(Severity.NOTE, code, message, item, operand, hint)

    def _add(
        self, severity: Severity, code: str, message: str, item: Declaration | Immediate | Instruction, operand: int, hint: str
    ) -> None:
        if len(self.found) >= MAX_FINDINGS:
            return
        span = operand_span(item, operand) if operand >= 0 and isinstance(item, Instruction) else item.span
        if span is None:
            message += f" (in `{self._text(item)}`)"
        self.found.add(Diagnostic(code, severity, message, (Label(span),) if span is not None else (), hint))

    def _text(self, item: Declaration | Immediate | Instruction) -> str:
        if isinstance(item, Instruction):
            return print_instruction(item)
        return print_declaration(item, self.program.processor) if isinstance(item, Declaration) else "IMM"


def letters(mask: int) -> str:
    """Return the channels of a mask, with a point before them; nothing for all four."""
    return "" if mask == 15 else "." + "".join(letter for channel, letter in enumerate(CHANNELS) if mask >> channel & 1)
