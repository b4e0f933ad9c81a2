"""What a compute program asks of its surroundings, found once a program."""

from __future__ import annotations

from dataclasses import dataclass, replace

from backends.compute.packet import ComputeShader
from backends.llvm.abi import MAX_CONSTANT_BUFFERS
from backends.llvm.grids import memory_kinds
from backends.llvm.plan import plan_of, registers_of
from backends.llvm.reads import RESOURCES
from backends.raster.environment import Demand
from backends.textures import MAX_IMAGES
from tgsi.enums import File, MemoryType
from tgsi.ir import Instruction, Program, RegisterRef

MAX_VIEWS = 32

_OWN = frozenset({MemoryType.SHARED, MemoryType.PRIVATE})


@dataclass(frozen=True, slots=True)
class Needs:
    """What a program asks for.

    bindings: constants and textures; images: how many units; memory: kinds of MEMORY; waits: threads wait for each other at barriers;
    meets: blocks change memory in turns, so that one thread has to run them.
    """

    bindings: Demand
    images: int
    memory: frozenset[MemoryType]
    waits: bool
    meets: bool


def find_needs(program: Program) -> Needs:
    """Computed from declarations and operands. Errors: those of the control tree."""
    registers = [r for i in program.instructions for r in registers_of(i)]
    handles = any(_reads_handle(i) for i in program.instructions)
    images = max((r.index + 1 for r in registers if r.file is File.IMAGE), default=0)
    if handles or any(r.file is File.IMAGE and r.indirect is not None for r in registers):
        images = MAX_IMAGES
    return Needs(
        bindings=_bindings(program, registers, handles),
        images=min(max(images, program.file_size(File.IMAGE)), MAX_IMAGES),
        memory=memory_kinds(program),
        waits=plan_of(program).waits,
        meets=any(_meets(program, i) for i in program.instructions),
    )


def needs_of(shader: ComputeShader, program: Program) -> Needs:
    """The needs of one of a shader's programs, kept with it."""
    key = f"needs {id(program)}"
    found = shader.derived.get(key)
    if found is None:
        found = shader.derived[key] = find_needs(program)
    assert isinstance(found, Needs)
    return found


def _bindings(program: Program, registers: list[RegisterRef], handles: bool) -> Demand:
    """As of other stages, and what LOAD reads of CONSTBUF, and what handles may name."""
    found = Demand.of(program)
    constants = {number: (size, is_whole) for number, size, is_whole in found.constants}
    loaded = [r for r in registers if r.file is File.CONSTBUF]
    numbers = set(range(MAX_CONSTANT_BUFFERS)) if any(r.indirect is not None for r in loaded) else {r.index for r in loaded}
    for number in numbers:
        if number < MAX_CONSTANT_BUFFERS:
            constants[number] = (constants.get(number, (0, True))[0], True)
    table = tuple((number, size, is_whole) for number, (size, is_whole) in sorted(constants.items()))
    return replace(found, constants=table, units=MAX_VIEWS, is_paired=False) if handles else replace(found, constants=table)


def _reads_handle(instruction: Instruction) -> bool:
    """Is a texture or image named by a value register?"""
    if instruction.texture is not None:
        return bool(instruction.src) and instruction.src[-1].register.file not in RESOURCES
    if instruction.opcode.name == "STORE":
        return instruction.dst[0].register.file not in RESOURCES
    is_memory = instruction.opcode.name in ("LOAD", "RESQ") or instruction.opcode.name.startswith("ATOM")
    return is_memory and instruction.src[0].register.file not in RESOURCES


def _meets(program: Program, instruction: Instruction) -> bool:
    """Does an instruction change memory that blocks share by what it holds? The order of blocks is seen in its results."""
    if not instruction.opcode.name.startswith("ATOM"):
        return False
    register = instruction.src[0].register
    if register.file is not File.MEMORY or register.indirect is not None:
        return True
    kinds = {d.memory or MemoryType.SHARED for d in program.declared(File.MEMORY) if d.covers(register.index)}
    return not kinds <= _OWN
