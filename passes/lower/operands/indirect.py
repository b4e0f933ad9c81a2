"""The pass lower-indirect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from passes.analysis.access import indices_of, is_direct
from passes.base import Pass
from passes.edit import rebuilt, with_parts
from passes.lower.expansion import Expansion, Full, Room, broadcast
from passes.lower.operands.addresses import every_register, without_addresses
from passes.lower.operands.candidates import Candidates, Finder
from passes.lower.stored import by_pairs, stored_channels
from passes.validate.roles import HANDLES, Role, destination_role, source_roles
from tgsi.language.channels import read_mask
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import TARGETS, File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Flow, Trait
from tgsi.language.ir import Declaration, DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

FILES = ("TEMP", "CONST", "IN", "OUT", "IMM", "SV", "ADDR", "SAMP", "SVIEW", "IMAGE", "BUFFER", "CONSTBUF", "HWATOMIC")
_ONE, _WORD = 0x3F800000, 0xFFFFFFFF
_TEST, _ROW, _HELD = range(3)
"""Scratch registers: results of four comparisons, result of a row's comparison, then one register for each operand."""

_HANDLES = (OPCODES["SAMP2HND"], OPCODES["IMG2HND"])

Act = Callable[[SrcOperand, RegisterRef], None]
Registers = Sequence[RegisterRef | None]


@record(slots=False)
class LowerIndirect(Pass):
    """Replace indirect operands by comparisons of their address, for devices without indirect operands.

    `files` names register files, joined by +; an empty text means all. UCMP selects a source among the registers of its array, or among all
    declared ones, and a written TEMP likewise. Writes to OUT, and instructions with an indirect texture or buffer, are repeated in an IF
    for each candidate. An address out of range reads 0, from a texture 0, 0, 0, 1. If no remaining operand needs ADDR, its registers become
    TEMPs, and ARL becomes FLR and F2I. Refused are indirect operands of CASE, and operands that may name more than 16,384 registers. Lanes
    that skip a branch keep their old coordinates, which affects only derivatives in branches.
    """

    name = "lower-indirect"
    files: str = ""

    def __post_init__(self) -> None:
        """Check `files`.

        Raises:
            ValueError: `files` names an unknown register file, or one without indirect operands.
        """
        for name in self._names():
            if name not in FILES:
                raise ValueError(f"pass {self.name}: files: `{name}` is not one of {', '.join(FILES)}")

    def _names(self) -> Sequence[str]:
        return [name.strip().upper() for name in self.files.split("+")] if self.files else FILES

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        return _Work(program, frozenset(File[name] for name in self._names())).run()


class _Work:
    """One run of the pass on a program. Registers may be added if no remaining indirect operand can reach them."""

    def __init__(self, program: Program, files: frozenset[File]) -> None:
        self._program, self._files = program, files
        instructions = tuple(self._kept(item) for item in program.instructions if any(not is_direct(r) for r in every_register(item)))
        self._room = Room(with_parts(program, instructions=instructions))
        self._finder = Finder(program)

    def _kept(self, item: Instruction) -> Instruction:
        """Return an instruction without the operands that are lowered."""
        sources = tuple(operand for operand in item.src if not self._is_chosen(operand.register))
        return replace(item, src=sources, dst=tuple(operand for operand in item.dst if not self._is_chosen(operand.register)))

    def _is_chosen(self, register: RegisterRef) -> bool:
        return register.file in self._files and not is_direct(register)

    def run(self) -> Program:
        """Return the program without addresses, the same object if it has none."""
        program = self._program
        if not any(self._is_chosen(register) for item in program.instructions for register in every_register(item)):
            return program
        code: list[Sequence[Instruction]] = []
        for item in program.instructions:
            try:
                code.append(self._lowered(item, 0))
            except Full:
                text = f"{item.opcode.name} needs one more register, and the program has too many, or indexes all that it has"
                raise UnsupportedError.at("B052", text, item.span, hint="lower all files") from None
        holes = self._finder.holes() if self._finder.reaches_holes else ()
        declared = (*program.declarations, *(Declaration(File.TEMP, first, last) for first, last in holes))
        lowered = with_parts(rebuilt(program, code), declarations=declared)
        return self._room.finish(without_addresses(lowered, self._room))

    def _lowered(self, item: Instruction, first: int) -> list[Instruction]:
        """Return the expansion of an instruction. Scratch registers below `first` belong to an enclosing expansion."""
        if not any(map(self._is_chosen, every_register(item))):
            return [item]
        item = self._plain(item)
        if not any(map(self._is_chosen, every_register(item))):
            return [item]
        if item.opcode.flow is Flow.CASE:
            hint = "move the value to a TEMP before the SWITCH"
            raise UnsupportedError.at("B052", "a CASE reads a register that an address chooses", item.span, hint=hint)
        parts = by_pairs(item)
        if len(parts) > 1 and any(operand.register.file is item.dst[0].register.file for operand in item.src):
            return [instruction for part in parts for instruction in self._lowered(part, first)]
        choice = _Choice(self._room, self._finder, item, first)
        item = self._with_values(choice)
        roles = (*source_roles(item.opcode.name), *(destination_role(item.opcode.name) for _ in item.dst))
        for number, register in enumerate([operand.register for operand in item.src] + [operand.register for operand in item.dst]):
            if self._is_chosen(register) and roles[number] not in (Role.VALUE, Role.RESULT):
                self._by_resource(choice, item, number)
                return choice.code
        self._with_results(choice, item)
        return choice.code

    def _plain(self, item: Instruction) -> Instruction:
        """Return an instruction without addresses that the language ignores."""
        plain = self._finder.plain
        sources = tuple(replace(operand, register=plain(operand.register)) for operand in item.src)
        targets = tuple(replace(operand, register=plain(operand.register)) for operand in item.dst)
        return replace(item, src=sources, dst=targets)

    def _with_values(self, choice: _Choice) -> Instruction:
        """Select the values of indirect sources, handles and texel offsets. Return the instruction with direct operands for them."""
        item = choice.item
        roles = source_roles(item.opcode.name)
        sources, targets, offsets = list(item.src), list(item.dst), list(item.offsets)
        for number, operand in enumerate(sources):
            register = operand.register
            is_value = roles[number] is Role.VALUE or (roles[number] is not Role.VARYING and register.file in HANDLES)
            if self._is_chosen(register) and is_value:
                sources[number] = replace(operand, register=choice.read(register, read_mask(item, number)))
        for number, target in enumerate(targets):
            if item.opcode.stores_to_dst and self._is_chosen(target.register) and target.register.file in HANDLES:
                targets[number] = replace(target, register=choice.read(target.register, 3))
        for number, offset in enumerate(offsets):
            if self._is_chosen(offset.register):
                mask = sum({1 << channel for channel in offset.swizzle})
                offsets[number] = replace(offset, register=choice.read(offset.register, mask))
        return replace(item, src=tuple(sources), dst=tuple(targets), offsets=tuple(offsets))

    def _with_results(self, choice: _Choice, item: Instruction) -> None:
        """Append an instruction, and code that stores its results to registers chosen by addresses."""
        chosen = [number for number, operand in enumerate(item.dst) if self._is_chosen(operand.register)]
        targets = list(item.dst)
        for number in chosen:
            targets[number] = DstOperand(choice.hold(), item.dst[number].write_mask)
        choice.code.append(replace(item, dst=tuple(targets)))
        for number in chosen:
            choice.store(item.dst[number].register, stored_channels(item, number), SrcOperand(targets[number].register))

    def _by_resource(self, choice: _Choice, item: Instruction, number: int) -> None:
        """Repeat an instruction for each texture, buffer or varying that one of its operands may select, each in an IF."""
        operands: list[SrcOperand | DstOperand] = [*item.src, *item.dst]
        has_result = bool(item.dst) and not item.opcode.stores_to_dst
        held = choice.hold() if has_result else None
        if held is not None:
            choice.put_absent(DstOperand(held, item.dst[0].write_mask), item)

        def act(flag: SrcOperand, register: RegisterRef) -> None:
            parts = list(operands)
            parts[number] = replace(parts[number], register=register)
            targets = parts[len(item.src) :]
            if held is not None:
                targets = [DstOperand(held, item.dst[0].write_mask)]
            direct = replace(item, src=tuple(parts[: len(item.src)]), dst=tuple(targets))  # type: ignore[arg-type]
            choice.inside(flag, self._lowered(direct, choice.next))

        choice.compare(operands[number].register, act)
        if held is not None:
            moved = Instruction(OPCODES["MOV"], item.dst, (SrcOperand(held),), precise=item.precise, span=item.span)
            choice.code += self._lowered(moved, choice.next)


class _Choice(Expansion):
    """The expansion of an instruction with indirect operands. next: the first free scratch register."""

    def __init__(self, room: Room, finder: Finder, item: Instruction, first: int) -> None:
        super().__init__(room, item, first)
        self._finder = finder
        self.next = first + _HELD

    def hold(self) -> RegisterRef:
        """Return a scratch register for one operand of the instruction."""
        self.next += 1
        return self.room.scratch(self.next - 1)

    def put_absent(self, target: DstOperand, item: Instruction) -> None:
        """Write the result of an instruction whose resource does not exist: 0, 0, 0, 1 as a texel, otherwise 0."""
        traits = item.opcode.traits
        is_texel = Trait.QUERY not in traits and not traits.isdisjoint({Trait.FILTER, Trait.FETCH})
        words = [0, 0, 0, _ONE] if is_texel else [0] * 4
        if item.opcode is OPCODES["TG4"]:  # all four texels have the one channel that the second source names
            is_shadow = TARGETS[item.texture or "2D"].is_shadow
            number = self.make("AND", _TEST, 1, broadcast(item.src[1], 0), self.room.words([0 if is_shadow else 3] * 4))
            is_last = self.make("USEQ", _TEST, 1, number, self.room.words([3] * 4))
            self.put("AND", target, broadcast(is_last, 0), self.room.words([_ONE] * 4))
            return
        if item.opcode is OPCODES["GATHER4"]:
            words = [words[item.src[2].swizzle[0]]] * 4
        elif Trait.SAMPLE in traits:
            words = [words[channel] for channel in item.src[1].swizzle]
        self.put("MOV", target, self.room.words(words))
        register = item.src[0].register
        if item.opcode in _HANDLES and register.indirect is not None and target.write_mask & 1:  # any number has a handle
            number = self.room.words([register.index + 1 & _WORD] * 4)
            self.put("UADD", DstOperand(target.register, 1), _address(register.indirect), number)

    def read(self, register: RegisterRef, mask: int) -> RegisterRef:
        """Return a scratch register with a copy of channels of the register that an address chooses."""
        target = DstOperand(self.hold(), mask or 1)
        value = SrcOperand(target.register)
        self.put("MOV", target, self.room.words([0] * 4))
        self.compare(register, lambda flag, chosen: self.put("UCMP", target, flag, SrcOperand(chosen), value))
        return target.register

    def store(self, register: RegisterRef, mask: int, value: SrcOperand) -> None:
        """Write channels of the register that an address chooses. UCMP rewrites the other TEMPs with their old values."""
        if not mask:
            return
        register = self._with_copied_addresses(register)

        def act(flag: SrcOperand, chosen: RegisterRef) -> None:
            target = DstOperand(chosen, mask)
            if register.file is File.OUT:
                self.inside(flag, [Instruction(OPCODES["MOV"], (target,), (value,), precise=self.item.precise, span=self.item.span)])
            else:
                self.put("UCMP", target, flag, value, SrcOperand(chosen))

        self.compare(register, act)

    def _with_copied_addresses(self, register: RegisterRef) -> RegisterRef:
        """Return a register with its addresses in scratch registers, if the writes could change them."""
        if not any(ref.file is register.file for ref in indices_of(register)):
            return register

        def copied(ref: IndirectRef | None) -> IndirectRef | None:
            if ref is None:
                return None
            held = self.hold()
            self.put("MOV", DstOperand(held, 1), _address(ref))
            return IndirectRef(File.TEMP, held.index)

        dimension = register.dimension
        if dimension is not None:
            dimension = replace(dimension, indirect=copied(dimension.indirect))
        return replace(register, dimension=dimension, indirect=copied(register.indirect))

    def inside(self, flag: SrcOperand, code: Sequence[Instruction]) -> None:
        """Add instructions for the lanes whose flag is set."""
        span = self.item.span
        self.code += [Instruction(OPCODES["UIF"], (), (flag,), span=span), *code, Instruction(OPCODES["ENDIF"], span=span)]

    def compare(self, register: RegisterRef, act: Act) -> None:
        """Call `act` for each register that an operand may name, with a flag that is ~0 in the lanes whose address chooses it."""
        place = self._finder.find(register, self.item)
        for row, registers in zip(place.rows, place.registers):
            flag = None
            if place.outer is not None and row is not None:
                flag = broadcast(self.make("USEQ", _ROW, 1, _address(place.outer), self.room.words([row & _WORD] * 4)), 0)
            if place.inner is not None:
                self._compare_columns(place, registers, flag, act)
            elif flag is not None:
                for chosen in filter(None, registers):
                    act(flag, chosen)

    def _compare_columns(self, candidates: Candidates, registers: Registers, row: SrcOperand | None, act: Act) -> None:
        """Compare the inner address with four numbers at a time."""
        assert candidates.inner is not None
        address = _address(candidates.inner)
        there = [(column, chosen) for column, chosen in zip(candidates.columns, registers) if column is not None and chosen is not None]
        for first in range(0, len(there), 4):
            group = there[first : first + 4]
            mask = (1 << len(group)) - 1
            words = [column & _WORD for column, _ in group]
            flags = self.make("USEQ", _TEST, mask, address, self.room.words([*words, *[None] * (4 - len(words))]))
            if row is not None:
                flags = self.make("AND", _TEST, mask, flags, row)
            for place, (_, chosen) in enumerate(group):
                act(broadcast(flags, place), chosen)


def _address(ref: IndirectRef) -> SrcOperand:
    return SrcOperand(RegisterRef(ref.file, ref.index), (ref.component,) * 4)
