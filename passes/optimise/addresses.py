"""The pass resolve-addresses."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_

from passes.analysis.access import is_direct
from passes.analysis.values import UNWRITTEN
from passes.edit import with_operands, with_register
from passes.form import Form, Rewriter
from passes.optimise.evaluate import evaluate, signed
from passes.validate.context import Context
from tgsi.language._forks import cached_property
from tgsi.language.facts.enums import IMM, File
from tgsi.language.facts.limits import SOFTWARE
from tgsi.language.ir import CHOSEN, Dimension, IndirectRef, Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class ResolveAddresses(Rewriter):
    """Name a register directly whose address is a constant.

    Registers outside of their array, file or primitive stay indirect: the language reads 0 there, and refuses them by number.
    """

    name = "resolve-addresses"

    def begin(self, form: Form) -> bool:
        """See `Rewriter.begin`. Instructions get no address that none has now."""
        return form.values.is_indexed

    def visit(self, form: Form, place: int, item: Instruction, makers: int) -> bool:
        """See `Rewriter.visit`."""
        for operand in item.src:
            if operand.register.cell == CHOSEN:
                break
        else:
            for target in item.dst:
                if target.register.cell == CHOSEN:
                    break
            else:
                return False
        resolver = form.notes.get(self.name)
        if resolver is None:
            resolver = form.notes[self.name] = Resolver(form.program)
        resolved = resolver.resolved(item, lambda ref: _word(form, place, ref))
        if resolved is item:
            return False
        form.values.put(place, resolved)
        form.is_stale = True
        return True


def _is_constant(register: RegisterRef) -> bool:
    return register.file is IMM and is_direct(register)


def _word(form: Form, place: int, ref: IndirectRef) -> int | None:
    """Return the word of an index register at a place, or None if it is not a constant."""
    values, immediates = form.values, form.immediates.items
    if ref.file is IMM:
        return immediates[ref.index].words[ref.component]
    cells = values.cells.index_cell(ref)
    maker = values.writer(cells[0], place) if cells and cells[0] >= 0 else None
    if maker is None:
        return None
    if maker == UNWRITTEN:
        return 0
    item = values.items[maker]
    if item is None or not item.opcode.is_computed or any(not _is_constant(source.register) for source in item.src):
        return None
    words = evaluate(item, [[immediates[source.register.index].words[c] for c in source.swizzle] for source in item.src])
    return words.get(ref.component) if words is not None else None


class Resolver:
    """The registers that constant addresses of a program may name."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def resolved(self, item: Instruction, word: Callable[[IndirectRef], int | None]) -> Instruction:
        """Return an instruction without the addresses whose word is known."""
        src = tuple([with_register(operand, self._register(operand.register, word)) for operand in item.src])
        dst = tuple([with_register(operand, self._register(operand.register, word)) for operand in item.dst])
        return item if all(map(is_, src, item.src)) and all(map(is_, dst, item.dst)) else with_operands(item, dst, src)

    def _register(self, register: RegisterRef, word: Callable[[IndirectRef], int | None]) -> RegisterRef:
        if register.indirect is not None and (known := word(register.indirect)) is not None:
            index = signed(register.index + known & 0xFFFFFFFF)
            fixed = RegisterRef(register.file, index, register.dimension)
            if self._exists(register, fixed):
                register = fixed
        dimension = register.dimension
        if dimension is not None and dimension.indirect is not None and (known := word(dimension.indirect)) is not None:
            row = signed(dimension.index + known & 0xFFFFFFFF)
            fixed = RegisterRef(register.file, register.index, Dimension(row), register.indirect, register.array_id)
            if self._has_row(fixed, row):
                register = fixed
        return register

    def _exists(self, register: RegisterRef, fixed: RegisterRef) -> bool:
        program = self.program
        if register.array_id:
            array = next((d for d in program.declared(register.file) if d.array_id == register.array_id), None)
            if array is not None and not array.covers(fixed.index):
                return False
        if register.file is IMM:
            return 0 <= fixed.index < len(program.immediates)
        context = self._context
        dimension = fixed.dimension
        buffer = dimension.index if dimension is not None and fixed.file is File.CONST else 0
        known = context.registers.get((fixed.file, buffer))
        return (
            known is not None
            and known.has(fixed.index)
            and (dimension is None or dimension.indirect is None or fixed.file is not File.CONST)
        )

    def _has_row(self, register: RegisterRef, row: int) -> bool:
        context = self._context
        if register.file is File.CONST:
            known = context.registers.get((File.CONST, row))
            return register.indirect is None and known is not None and known.has(register.index)
        return context.is_per_vertex(register.file) and context.layout is None and 0 <= row < context.vertices

    @cached_property
    def _context(self) -> Context:
        return Context(self.program, SOFTWARE)
