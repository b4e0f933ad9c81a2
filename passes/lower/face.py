"""Sides of polygons: two-sided color from FACE, and FACE from two-sided color, for devices that have only one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from passes.analysis.access import indices_of
from passes.analysis.operands import registers_of
from passes.edit import rebuilt
from passes.lower.insert import exits, insert, next_register
from passes.lower.state.additions import is_again, prologue
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, ImmediateType, Interpolation
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import STAGES
from tgsi.language.ir import Declaration, DstOperand, Immediate, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program

_X = (0, 0, 0, 0)
_ONE, _TWO, _MINUS_ONE = 0x3F800000, 0x40000000, 0xBF800000


def two_sided_from_face(program: Program, indices: tuple[int, ...] = (0, 1)) -> Program:
    """Return a fragment program whose COLOR inputs select by FACE between COLOR and BCOLOR, as under two-sided light.

    Only colors in `indices` are changed: pass those for which the vertex program writes a BCOLOR.

    Raises:
        UnsupportedError: inputs are indexed indirectly, or a color shares a declared range with other inputs.
    """
    colors = {
        item.first: item
        for item in program.declared(File.IN)
        if item.semantic is not None and item.semantic.name == "COLOR" and item.semantic.index in indices
    }
    if not colors:
        return program
    _check(program, list(colors.values()))
    number = next_register(program, File.IN)
    added: list[Declaration] = []
    face = next((item.first for item in program.declared(File.IN) if item.semantic == Semantic("FACE")), None)
    if face is None:
        face, number = number, number + 1
        added.append(Declaration(File.IN, face, face, semantic=Semantic("FACE"), interpolation=Interpolation.CONSTANT))
    first = next_register(program, File.TEMP)
    added.append(Declaration(File.TEMP, first, first + len(colors) - 1))
    start = []
    replaced: dict[int, RegisterRef] = {}
    backs: dict[int, int] = {}
    for temp, (register, item) in enumerate(colors.items(), first):
        assert item.semantic is not None
        mode = item.interpolation if item.interpolation is not None else Interpolation.COLOR
        added.append(replace(item, first=number, last=number, semantic=Semantic("BCOLOR", item.semantic.index), interpolation=mode))
        start.append(
            _op("CMP", RegisterRef(File.TEMP, temp), _source(File.IN, face, _X), _source(File.IN, number), _source(File.IN, register))
        )
        replaced[register] = RegisterRef(File.TEMP, temp)
        backs[register] = number
        number += 1
    changed = _redirect(program, replaced)
    changed = rebuilt(changed, [_again(item, replaced, backs, face, first + len(colors)) for item in changed.instructions])
    if any(is_again(item) for item in changed.instructions):
        added.append(Declaration(File.TEMP, first + len(colors), first + len(colors) + 1))
    return prologue(replace(changed, declarations=(*program.declarations, *added)), start)


def _again(item: Instruction, colors: Mapping[int, RegisterRef], backs: Mapping[int, int], face: int, temp: int) -> Sequence[Instruction]:
    """Return the replacement of an instruction: INTERP of a color interpolates both sides at the other place, then selects one."""
    if not is_again(item) or item.src[0].register.index not in colors:
        return (item,)
    front, back = RegisterRef(File.TEMP, temp), RegisterRef(File.TEMP, temp + 1)
    source = item.src[0]
    both = [
        replace(item, dst=(DstOperand(to),), src=(_source(File.IN, number), *item.src[1:]), saturate=False)
        for to, number in ((front, source.register.index), (back, backs[source.register.index]))
    ]
    chosen = _op("CMP", front, _source(File.IN, face, _X), SrcOperand(back), SrcOperand(front))
    return [*both, chosen, replace(item, opcode=OPCODES["MOV"], src=(replace(source, register=front),))]


def face_from_back_color(vertex: Program, fragment: Program) -> tuple[Program, Program]:
    """Return a pair of programs whose fragment program computes FACE from a two-sided color.

    Draw the pair with two-sided light. The vertex program writes 1 to a color that neither program uses, and 0 to its back color; clamping
    keeps both. The fragment program computes FACE from it (1 in front, -1 behind, then 0, 0, 1).

    Raises:
        UnsupportedError: the first program is a mesh program, both colors are in use, or FACE shares a declared range or is indexed.
    """
    faces = [item for item in fragment.declared(File.IN) if item.semantic == Semantic("FACE")]
    if not faces:
        return vertex, fragment
    _check(fragment, faces)
    if STAGES[vertex.processor].is_mesh:
        raise UnsupportedError.at("B001", "a mesh program has no place where the back colors of all its vertices could be written")
    index = _free_color(vertex, fragment)
    out, one = next_register(vertex, File.OUT), len(vertex.immediates)
    written = (
        Declaration(File.OUT, out, out, semantic=Semantic("COLOR", index)),
        Declaration(File.OUT, out + 1, out + 1, semantic=Semantic("BCOLOR", index)),
    )
    stores = (
        _op("MOV", RegisterRef(File.OUT, out), _source(File.IMM, one)),
        _op("MOV", RegisterRef(File.OUT, out + 1), _source(File.IMM, one, (1, 1, 1, 1))),
    )
    lowered = replace(
        vertex,
        declarations=(*vertex.declarations, *written),
        immediates=(*vertex.immediates, Immediate(ImmediateType.FLT32, (_ONE, 0, 0, _ONE))),
    )
    lowered = insert(lowered, dict.fromkeys(exits(lowered), stores))
    register, temp, two = faces[0].first, next_register(fragment, File.TEMP), len(fragment.immediates)
    changed = _redirect(fragment, {register: RegisterRef(File.TEMP, temp)})
    changed = replace(changed, instructions=tuple(_unmoved(item, register, RegisterRef(File.TEMP, temp)) for item in changed.instructions))
    color = replace(faces[0], semantic=Semantic("COLOR", index), interpolation=Interpolation.CONSTANT)
    changed = replace(
        changed,
        declarations=(*(color if item is faces[0] else item for item in changed.declarations), Declaration(File.TEMP, temp, temp)),
        immediates=(*fragment.immediates, Immediate(ImmediateType.FLT32, (_TWO, _MINUS_ONE, 0, _ONE))),
    )
    place = RegisterRef(File.TEMP, temp)
    sign = _op("MAD", place, _source(File.IN, register, _X), _source(File.IMM, two, _X), _source(File.IMM, two, (1, 1, 1, 1)), mask=1)
    rest = _op("MOV", place, _source(File.IMM, two, (2, 2, 2, 3)), mask=14)
    return lowered, insert(changed, {0: (sign, rest)})


def _unmoved(item: Instruction, face: int, value: RegisterRef) -> Instruction:
    """Return INTERP of FACE as a copy, because FACE is the same at every place; other instructions unchanged."""
    if not is_again(item) or item.src[0].register != RegisterRef(File.IN, face):
        return item
    return replace(item, opcode=OPCODES["MOV"], src=(replace(item.src[0], register=value),))


def _op(name: str, dst: RegisterRef, *src: SrcOperand, mask: int = 15) -> Instruction:
    return Instruction(OPCODES[name], (DstOperand(dst, mask),), src)


def _source(file: File, index: int, swizzle: tuple[int, int, int, int] = (0, 1, 2, 3)) -> SrcOperand:
    return SrcOperand(RegisterRef(file, index), swizzle)


def _free_color(vertex: Program, fragment: Program) -> int:
    used = {
        item.semantic.index + offset
        for items in (vertex.declared(File.OUT), fragment.declared(File.IN))
        for item in items
        if item.semantic is not None and item.semantic.name in ("COLOR", "BCOLOR")
        for offset in range(item.last - item.first + 1)
    }
    free = [index for index in (0, 1) if index not in used]
    if not free:
        raise UnsupportedError.at("K037", "FACE needs a two-sided color, and both colors are in use")
    return free[0]


def _check(program: Program, items: list[Declaration]) -> None:
    for item in items:
        if item.first != item.last:
            raise UnsupportedError.at("K037", f"{item.semantic} stands in a range with other inputs", item.span, hint="declare it alone")
    for instruction in program.instructions:
        for operand in instruction.src:
            if operand.register.file is File.IN and operand.register.indirect is not None:
                raise UnsupportedError.at("K037", "inputs are indexed, so the reads of one of them are unknown", instruction.span)


def _redirect(program: Program, replaced: dict[int, RegisterRef]) -> Program:
    """Return the program with reads of some inputs replaced by reads of other registers."""

    for item in program.instructions:
        for ref in (ref for register in registers_of(item) for ref in indices_of(register)):
            if ref.file is File.IN and ref.index in replaced:
                raise UnsupportedError.at("K037", f"IN[{ref.index}] is an index", item.span, hint="copy it to ADDR first")

    def source(operand: SrcOperand) -> SrcOperand:
        register = operand.register
        if register.file is File.IN and register.index in replaced:
            return replace(operand, register=replaced[register.index])
        return operand

    def changed(item: Instruction) -> Instruction:
        first = item.src[:1] if is_again(item) else ()
        offsets = tuple(
            replace(offset, register=replaced.get(offset.register.index, offset.register)) if offset.register.file is File.IN else offset
            for offset in item.offsets
        )
        return replace(item, src=(*first, *map(source, item.src[len(first) :])), offsets=offsets)

    return replace(program, instructions=tuple(map(changed, program.instructions)))
