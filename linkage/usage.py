"""The used part of a program's interface: declared but untouched varyings take no slot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from passes.analysis import facts
from passes.analysis.access import indices_of
from passes.analysis.operands import registers_of as operands_of
from tgsi.language.channels import read_mask
from tgsi.language.facts.enums import File, Interpolation, Location, Processor
from tgsi.language.facts.semantics import SEMANTICS, Semantic
from tgsi.language.ir import Declaration, Instruction, RegisterRef
from tgsi.language.mesh import registers_of
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.source import Span

SPECIAL_INPUTS = frozenset({"POSITION", "FACE", "PCOORD", "PRIM_ID"})
"""Fragment inputs that the rasterizer provides, if their index is 0. With another index they are varyings like any other."""

FLAT_INPUTS = frozenset({"LAYER", "VIEWPORT_INDEX"})
"""Integer varyings, which are never interpolated, regardless of the declaration."""


def key_of(semantic: Semantic) -> int:
    """A semantic as a single number."""
    return SEMANTICS[semantic.name].number | semantic.index << 8


@record(kw_only=True)
class Input:
    """One input register that the instructions read, and the channels that are read."""

    semantic: Semantic
    register: int
    usage_mask: int
    interpolation: Interpolation
    location: Location
    key: int  # `key_of` the semantic
    is_implicit: bool = False  # the declaration has no interpolation
    span: Span | None = field(default=None, compare=False, repr=False)


@record
class Output:
    """A register with its semantic, usually a declared output."""

    semantic: Semantic
    register: int
    span: Span | None = field(default=None, compare=False, repr=False)


@record(kw_only=True)
class Interface:
    """A program's interface to its neighbors: used inputs by register, outputs by semantic."""

    varyings: tuple[Input, ...]
    specials: tuple[Input, ...]
    outputs: tuple[Output, ...]
    by_semantic: dict[Semantic, int]
    by_key: dict[int, int]  # as by_semantic, with `key_of` numbers as keys: such a dictionary is several times as fast
    duplicates: tuple[tuple[Output, Output], ...]
    torn_inputs: tuple[tuple[Output, Output], ...]  # read registers that carry two semantics; below, output registers
    torn_outputs: tuple[tuple[Output, Output], ...]
    first_free: int  # one more than the highest output register
    implicit: tuple[Input, ...]  # varyings without an interpolation mode, except colors, which follow the flatshade state
    per_primitive: frozenset[int]  # output registers of a mesh program that exist once a primitive
    parts: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)  # parts of link tables that are the same in every link

    @property
    def is_faulty(self) -> bool:
        """True if the outputs cannot be linked: two carry one semantic, or one carries two."""
        return bool(self.duplicates or self.torn_outputs)


def interface_of(program: Program) -> Interface:
    """The interface of a program, computed once for each program object in O(declarations + instructions)."""
    return facts.of(program, _interface)


def read_masks(program: Program, file: File = File.IN) -> dict[int, int]:
    """Channels that instructions read of each register of a file, by register number. Unread registers are absent.

    An indirect read adds its whole array, or without an array every declared register of the file.
    """
    masks: dict[int, int] = {}
    arrays: dict[int, int] = {}
    for instruction in program.instructions:
        for register, mask in _reads(instruction):
            if register.file is file:
                if register.indirect is None:
                    masks[register.index] = masks.get(register.index, 0) | mask
                else:
                    arrays[register.array_id] = arrays.get(register.array_id, 0) | mask
    for index, array_id in _members(program, file) if arrays else ():
        mask = arrays.get(0, 0) | (arrays.get(array_id, 0) if array_id else 0)
        if mask:
            masks[index] = masks.get(index, 0) | mask
    return masks


def _members(program: Program, file: File) -> Iterator[tuple[int, int]]:
    for declaration in program.declared(file):
        for index in range(declaration.first, declaration.last + 1):
            yield index, declaration.array_id


def write_masks(program: Program, file: File = File.OUT) -> dict[int, int]:
    """Channels that instructions write of each register; an indirect write adds its whole array, or the whole file."""
    masks: dict[int, int] = {}
    arrays: dict[int, int] = {}
    for instruction in program.instructions:
        for operand in instruction.dst:
            register = operand.register
            if register.file is file:
                table, key = (masks, register.index) if register.indirect is None else (arrays, register.array_id)
                table[key] = table.get(key, 0) | operand.write_mask
    for index, array_id in _members(program, file) if arrays else ():
        mask = arrays.get(0, 0) | (arrays.get(array_id, 0) if array_id else 0)
        if mask:
            masks[index] = masks.get(index, 0) | mask
    return masks


def _reads(instruction: Instruction) -> Iterator[tuple[RegisterRef, int]]:
    for position, operand in enumerate(instruction.src):
        yield operand.register, read_mask(instruction, position)
    for offset in instruction.offsets:
        yield offset.register, sum(1 << channel for channel in set(offset.swizzle))
    for item in (item for register in operands_of(instruction) for item in indices_of(register)):
        yield RegisterRef(item.file, item.index), 1 << item.component


def default_interpolation(semantic: Semantic) -> Interpolation:
    """Interpolation of a declaration that states none: COLOR follows flatshade; all other system values are constant, as in Mesa."""
    return Interpolation.COLOR if semantic.name == "COLOR" else Interpolation.CONSTANT


def _interface(program: Program) -> Interface:
    reads = read_masks(program)
    is_fragment = program.processor is Processor.FRAG
    inputs: dict[int, Output] = {}
    torn_inputs: list[tuple[Output, Output]] = []
    varyings: dict[int, Input] = {}
    specials: dict[int, Input] = {}
    for declaration in program.declared(File.IN):
        for register in range(declaration.first, declaration.last + 1):
            mask = reads.get(register, 0)
            used = mask and _input(declaration, register, mask)
            if used:
                item = Output(used.semantic, register, declaration.span)
                if inputs.setdefault(register, item).semantic != item.semantic:
                    torn_inputs.append((inputs[register], item))
                is_special = is_fragment and used.semantic.name in SPECIAL_INPUTS and not used.semantic.index
                (specials if is_special else varyings)[register] = used
    outputs: list[Output] = []
    by_semantic: dict[Semantic, int] = {}
    own: dict[int, Output] = {}
    duplicates: list[tuple[Output, Output]] = []
    torn_outputs: list[tuple[Output, Output]] = []
    for declaration in program.declared(File.OUT):
        for register in range(declaration.first, declaration.last + 1):
            semantic = semantic_of(declaration, register)
            if semantic is None:
                continue
            output = Output(semantic, register, declaration.span)
            if own.setdefault(register, output).semantic != semantic:
                torn_outputs.append((own[register], output))
            if by_semantic.setdefault(semantic, register) != register:
                duplicates.append((next(o for o in outputs if o.semantic == semantic), output))
            outputs.append(output)
    return Interface(
        varyings=tuple(varyings[register] for register in sorted(varyings)),
        specials=tuple(specials[register] for register in sorted(specials)),
        outputs=tuple(outputs),
        by_semantic=by_semantic,
        by_key={key_of(semantic): register for semantic, register in by_semantic.items()},
        duplicates=tuple(duplicates),
        torn_inputs=tuple(torn_inputs),
        torn_outputs=tuple(torn_outputs),
        first_free=max((output.register for output in outputs), default=-1) + 1,
        implicit=tuple(item for item in varyings.values() if item.is_implicit and item.semantic.name != "COLOR"),
        per_primitive=registers_of(d for d in program.declared(File.OUT) if d.per_primitive),
    )


def semantic_of(declaration: Declaration, register: int) -> Semantic | None:
    """The semantic of one register of a declared range: its index increases with the register."""
    base = declaration.semantic
    if base is None or register == declaration.first:
        return base
    return Semantic(base.name, base.index + register - declaration.first)


def _input(declaration: Declaration, register: int, mask: int) -> Input | None:
    semantic = semantic_of(declaration, register)
    if semantic is None:
        return None
    stated = declaration.interpolation
    if semantic.name in FLAT_INPUTS:
        stated = Interpolation.CONSTANT
    return Input(
        semantic=semantic,
        register=register,
        usage_mask=mask,
        interpolation=default_interpolation(semantic) if stated is None else stated,
        location=declaration.location,
        key=key_of(semantic),
        is_implicit=stated is None,
        span=declaration.span,
    )
