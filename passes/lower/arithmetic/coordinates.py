"""The pass lower-saturate-coords."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from passes.base import Pass
from passes.edit import rebuilt
from passes.lower.arithmetic.floats import txp
from passes.lower.expansion import Expansion, Room
from passes.lower.operands.indirect import LowerIndirect
from passes.lower.operands.roomy import with_room
from tgsi.language.channels import source_channels
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import TARGETS, File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import DstOperand, Instruction, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_BORDERS = {"1D": 1, "2D": 3, "3D": 7}
"""Channels in which coordinates run from 0 to 1, by the first word of a target; cubes, rectangles and buffers have none."""


@record(slots=False)
class LowerSaturateCoords(Pass):
    """Saturate texture coordinates, to emulate PIPE_TEX_WRAP_CLAMP with samplers that clamp to their border or edge.

    `s`, `t` and `r` are masks of samplers: bit n saturates x, y or z of the coordinates for sampler n. Unchanged are layers, reference
    values, coordinates of cubes, rectangles and buffers, and coordinates of fetches and queries. TXP is divided first (see
    `lower-opcodes`). The implicit level of detail follows the saturated coordinates. If an address chooses between samplers with
    different masks, `lower-indirect` removes it first; handles are refused.
    """

    name = "lower-saturate-coords"
    s: int = 0
    t: int = 0
    r: int = 0

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        if any(self._differs(program, item) for item in program.instructions):
            program = LowerIndirect("SAMP").run(program)
        return with_room(program, self._saturated)

    def _saturated(self, program: Program) -> Program:
        room = Room(program)
        views = {
            number: item.view.target
            for item in program.declared(File.SVIEW)
            if item.view is not None
            for number in range(item.first, item.last + 1)
        }
        return room.finish(rebuilt(program, [self._lowered(program, room, views, item) for item in program.instructions]))

    def _lowered(self, program: Program, room: Room, views: dict[int, str], item: Instruction) -> Sequence[Instruction]:
        traits = item.opcode.traits
        if Trait.FILTER not in traits or Trait.QUERY in traits or not item.opcode.has_offsets:
            return (item,)
        place = len(item.src) - 1 if Trait.TEX in traits else 2
        target = item.texture or "2D" if Trait.TEX in traits else views.get(item.src[1].register.index, "2D")
        mask = self._mask(program, item, item.src[place]) & _BORDERS.get(target.removeprefix("SHADOW").partition("_")[0], 0)
        if "MSAA" in target or TARGETS[target].dimensions < mask.bit_length():
            mask &= (1 << TARGETS[target].dimensions) - 1 if "MSAA" not in target else 0
        if not mask:
            return (item,)
        work = Expansion(room, item)
        if item.opcode is OPCODES["TXP"]:
            txp(work)
            item = work.code.pop()
            coordinates = item.src[0]
        else:
            read = source_channels(item, 0)
            coordinates = work.make("MOV", 0, read & ~mask, item.src[0]) if read & ~mask else SrcOperand(room.scratch(0))
        source = coordinates if work.item.opcode is OPCODES["TXP"] else item.src[0]
        moved = Instruction(
            OPCODES["MOV"], (DstOperand(coordinates.register, mask),), (source,), saturate=True, precise=item.precise, span=item.span
        )
        return [*work.code, moved, replace(item, src=(coordinates, *item.src[1:]))]

    def _differs(self, program: Program, item: Instruction) -> bool:
        """True if an address chooses between samplers that saturate different channels."""
        chosen = [operand.register for operand in item.src if operand.register.file is File.SAMP and operand.register.indirect is not None]
        return bool(chosen) and len(self._masks(program)) > 1

    def _masks(self, program: Program) -> set[int]:
        """The channels that the declared samplers saturate."""
        units = {number for declared in program.declared(File.SAMP) for number in range(declared.first, declared.last + 1)}
        return {self._channels(number) for number in units} or {0}

    def _mask(self, program: Program, item: Instruction, sampler: SrcOperand) -> int:
        """The channels that a sampler saturates. Raise UnsupportedError if that depends on a handle."""
        register = sampler.register
        if register.file is File.SAMP and register.indirect is None:
            return self._channels(register.index)
        if register.file is not File.SAMP:
            if not self.s | self.t | self.r:
                return 0
            text = f"{item.opcode.name} takes its sampler from a handle, which any sampler may have"
            raise UnsupportedError.at("B052", text, item.span, hint="name the sampler, as SAMP[0]")
        return self._masks(program).pop()

    def _channels(self, number: int) -> int:
        return sum((axis >> number & 1) << place for place, axis in enumerate((self.s, self.t, self.r)))
