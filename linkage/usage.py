"""What a program really reads and writes of its interface: declared but untouched varyings cost no slot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from tgsi._record import record
from tgsi.enums import TARGETS, File, Interpolation, Location
from tgsi.ir import XYZW, Declaration, Instruction, Program, RegisterRef
from tgsi.opcodes import Mode
from tgsi.semantics import Semantic
from tgsi.source import Span

SPECIAL_INPUTS = frozenset({"POSITION", "FACE", "PCOORD", "PRIM_ID"})
"""Fragment inputs that the rasterizer provides."""

FLAT_INPUTS = frozenset({"LAYER", "VIEWPORT_INDEX"})
"""Integer varyings: never interpolated, whatever the declaration says."""


@record
class Input:
    """One input register that the instructions read, and the channels that they read of it."""

    semantic: Semantic
    register: int
    usage_mask: int
    interpolation: Interpolation
    location: Location
    is_implicit: bool = False  # the declaration states no interpolation
    span: Span | None = field(default=None, compare=False, repr=False)


@record
class Output:
    """One declared output register."""

    semantic: Semantic
    register: int
    span: Span | None = field(default=None, compare=False, repr=False)


@record
class Interface:
    """What a program shows to its neighbors: used inputs by register, outputs by semantic."""

    varyings: tuple[Input, ...]
    specials: tuple[Input, ...]
    outputs: tuple[Output, ...]
    by_semantic: dict[Semantic, int]
    duplicates: tuple[tuple[Output, Output], ...]


def interface_of(program: Program) -> Interface:
    """The interface of a program, computed once for each program object in O(declarations + instructions)."""
    known = program.__dict__.get("_interface")
    if known is None:
        known = _interface(program)
        # A Program is frozen, but a derived value may live beside its fields, as functools.cached_property keeps it.
        program.__dict__["_interface"] = known
    assert isinstance(known, Interface)
    return known


def read_masks(program: Program, file: File = File.IN) -> dict[int, int]:
    """Channels that instructions read of each register of a file, by register number. Registers never read are absent.

    An indirect read keeps its whole array; without an array it keeps every declared register of the file.
    """
    masks: dict[int, int] = {}
    declarations = program.declared(file)
    for instruction in program.instructions:
        for register, mask in _reads(instruction):
            if register.file is not file:
                continue
            if register.indirect is None:
                masks[register.index] = masks.get(register.index, 0) | mask
                continue
            for declaration in declarations:
                if register.array_id in (0, declaration.array_id):
                    for index in range(declaration.first, declaration.last + 1):
                        masks[index] = masks.get(index, 0) | mask
    return masks


def _reads(instruction: Instruction) -> Iterator[tuple[RegisterRef, int]]:
    for position, operand in enumerate(instruction.src):
        needed = needed_channels(instruction, position)
        mask = 0
        for channel in range(4):
            if needed >> channel & 1:
                mask |= 1 << operand.swizzle[channel]
        yield operand.register, mask
    for offset in instruction.offsets:
        yield offset.register, sum(1 << channel for channel in set(offset.swizzle))


REPLICATE_READS = {"DP2": 3, "DP3": 7, "DP4": 15, "PK2H": 3, "PK2US": 3, "PK4B": 15, "PK4UB": 15}
"""Channels that opcodes with one result for all channels read; the others read x."""


def needed_channels(instruction: Instruction, position: int) -> int:
    """Channels (before the swizzle, bit 0 is x) that an instruction takes of its source `position`; may be too many, never too few."""
    opcode = instruction.opcode
    wide = any(kind in ("double", "int64", "uint64") for kind in (*opcode.dst_types, *opcode.src_types))
    if opcode.mode is Mode.COMPONENTWISE and not wide:
        return instruction.dst[0].write_mask if instruction.dst else XYZW
    if opcode.mode is Mode.REPLICATE and not wide:
        return REPLICATE_READS.get(opcode.name, 1)
    target = TARGETS.get(instruction.texture or "")
    if target is not None and position == 0 and opcode.name in ("TEX", "TEX_LZ"):
        reference = {"z": 4, "w": 8}.get(target.shadow, 0)
        return ((1 << target.coords) - 1 or XYZW) | reference
    return XYZW


def default_interpolation(semantic: Semantic) -> Interpolation:
    """What holds where the declaration states no interpolation: COLOR follows flatshade, all others are constant, as in Mesa."""
    return Interpolation.COLOR if semantic.name == "COLOR" else Interpolation.CONSTANT


def _interface(program: Program) -> Interface:
    reads = read_masks(program)
    varyings: dict[int, Input] = {}
    specials: dict[int, Input] = {}
    for declaration in program.declared(File.IN):
        for register in range(declaration.first, declaration.last + 1):
            mask = reads.get(register, 0)
            found = mask and _input(declaration, register, mask)
            if found:
                (specials if found.semantic.name in SPECIAL_INPUTS else varyings)[register] = found
    outputs: list[Output] = []
    by_semantic: dict[Semantic, int] = {}
    duplicates: list[tuple[Output, Output]] = []
    for declaration in program.declared(File.OUT):
        for register in range(declaration.first, declaration.last + 1):
            semantic = _semantic(declaration, register)
            if semantic is None:
                continue
            output = Output(semantic, register, declaration.span)
            if by_semantic.setdefault(semantic, register) != register:
                duplicates.append((next(o for o in outputs if o.semantic == semantic), output))
            outputs.append(output)
    return Interface(
        tuple(varyings[register] for register in sorted(varyings)),
        tuple(specials[register] for register in sorted(specials)),
        tuple(outputs),
        by_semantic,
        tuple(duplicates),
    )


def _semantic(declaration: Declaration, register: int) -> Semantic | None:
    base = declaration.semantic
    if base is None or register == declaration.first:
        return base
    return Semantic(base.name, base.index + register - declaration.first)


def _input(declaration: Declaration, register: int, mask: int) -> Input | None:
    semantic = _semantic(declaration, register)
    if semantic is None:
        return None
    stated = declaration.interpolation
    if semantic.name in FLAT_INPUTS:
        stated = Interpolation.CONSTANT
    return Input(
        semantic,
        register,
        mask,
        default_interpolation(semantic) if stated is None else stated,
        declaration.location,
        stated is None,
        declaration.span,
    )
