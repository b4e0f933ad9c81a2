"""The pass resolve-addresses."""

from __future__ import annotations

from dataclasses import replace

from passes.analysis.access import is_computed, is_direct
from passes.analysis.values import UNWRITTEN, Values
from passes.edit import with_operands
from passes.form import Form, Rewriter
from passes.optimise.evaluate import evaluate, signed
from passes.validate.context import Context
from tgsi.language.facts.enums import File
from tgsi.language.facts.limits import SOFTWARE
from tgsi.language.ir import DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.record import record


@record(slots=False)
class ResolveAddresses(Rewriter):
    """Name a register directly whose address is a constant.

    Registers outside of their array, file or primitive stay indirect: the language reads 0 there, and refuses them by number.
    """

    name = "resolve-addresses"

    def visit(self, form: Form, place: int, item: Instruction) -> bool:
        """See `Rewriter.visit`."""
        for operand in item.src:
            if operand.register.indirect is not None or operand.register.dimension is not None:
                break
        else:
            if not any(map(_is_indexed, item.dst)):
                return False
        resolver = _Resolver(form, place)
        src = tuple(_source(operand, resolver.register(operand.register)) for operand in item.src)
        dst = tuple(_target(operand, resolver.register(operand.register)) for operand in item.dst)
        if not resolver.found:
            return False
        form.values.put(place, with_operands(item, dst, src))
        form.is_stale = True
        return True


def _is_indexed(operand: DstOperand) -> bool:
    return operand.register.indirect is not None or operand.register.dimension is not None


def _is_constant(register: RegisterRef) -> bool:
    return register.file is File.IMM and is_direct(register)


def _source(operand: SrcOperand, register: RegisterRef) -> SrcOperand:
    return operand if register is operand.register else replace(operand, register=register)


def _target(operand: DstOperand, register: RegisterRef) -> DstOperand:
    return operand if register is operand.register else replace(operand, register=register)


class _Resolver:
    """The constant addresses of one instruction; `found` is true if there are any."""

    def __init__(self, form: Form, place: int) -> None:
        self.form, self.place = form, place
        self.values: Values = form.values
        self.found = False

    def register(self, register: RegisterRef) -> RegisterRef:
        """Return a register without the addresses that are constants."""
        if register.indirect is not None and (word := self._word(register.indirect)) is not None:
            made = replace(register, index=signed(register.index + word & 0xFFFFFFFF), indirect=None, array_id=0)
            if self._exists(register, made):
                self.found = True
                register = made
        dimension = register.dimension
        if dimension is not None and dimension.indirect is not None and (word := self._word(dimension.indirect)) is not None:
            row = signed(dimension.index + word & 0xFFFFFFFF)
            made = replace(register, dimension=replace(dimension, index=row, indirect=None, array_id=0))
            if self._has_row(made, row):
                self.found = True
                register = made
        return register

    def _word(self, ref: IndirectRef) -> int | None:
        if ref.file is File.IMM:
            return self.form.immediates.items[ref.index].words[ref.component]
        cells = self.values.cells.of(RegisterRef(ref.file, ref.index), (ref.component,))
        maker = self.values.writer(cells[0], self.place) if cells and cells[0] >= 0 else None
        if maker is None:
            return None
        if maker == UNWRITTEN:
            return 0
        item = self.values.items[maker]
        if item is None or not is_computed(item.opcode) or any(not _is_constant(source.register) for source in item.src):
            return None
        immediates = self.form.immediates.items
        words = evaluate(item, [[immediates[source.register.index].words[c] for c in source.swizzle] for source in item.src])
        return words.get(ref.component) if words is not None else None

    def _exists(self, register: RegisterRef, made: RegisterRef) -> bool:
        program = self.form.program
        if register.array_id:
            array = next((d for d in program.declared(register.file) if d.array_id == register.array_id), None)
            if array is not None and not array.covers(made.index):
                return False
        if register.file is File.IMM:
            return 0 <= made.index < len(program.immediates)
        context = self._context()
        dimension = made.dimension
        buffer = dimension.index if dimension is not None and made.file is File.CONST else 0
        known = context.registers.get((made.file, buffer))
        return (
            known is not None and known.has(made.index) and (dimension is None or dimension.indirect is None or made.file is not File.CONST)
        )

    def _has_row(self, register: RegisterRef, row: int) -> bool:
        context = self._context()
        if register.file is File.CONST:
            known = context.registers.get((File.CONST, row))
            return register.indirect is None and known is not None and known.has(register.index)
        return context.is_per_vertex(register.file) and context.layout is None and 0 <= row < context.vertices

    def _context(self) -> Context:
        notes = self.form.notes
        if "context" not in notes:
            notes["context"] = Context(self.form.program, SOFTWARE)
        found: Context = notes["context"]
        return found
