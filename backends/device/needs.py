"""The needs of a program: the constants, textures, images and memory that it uses in addition to its inputs, derived once."""

from __future__ import annotations

from typing import Protocol

from backends.abi.limits import MAX_ARRAY_BYTES, MAX_LANES
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_SAMPLER_VIEWS, MAX_SHADER_IMAGES
from passes.analysis import facts
from passes.analysis.effects import NONE, Effects, effects_of
from passes.analysis.operands import RESOURCES, registers_of
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Reads
from tgsi.language.ir import Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record

_LEAST_LANES = 8
_REGISTERS = {File.TEMP, File.IN, File.OUT, File.SV, File.ADDR}
ORDERED_LANES = 16  # vector width of programs whose results depend on the order of invocations; the same on every machine


@record(kw_only=True)
class ShaderNeeds:
    """The resources that a program reads.

    Attributes:
        constants: (buffer, declared bytes, whether all of it is needed) of each constant buffer. Buffers with indirect addressing are
        needed whole, all others up to their declared size.
        units: number of texture units that are sampled.
        is_paired: sampler k is used with view k only.
        images: number of image units.
        effects: effects of the program on memory.
        handles: textures or images are named by values (bindless).
        most_lanes: the widest vectors for which the program's arrays have room.
    """

    constants: tuple[tuple[int, int, bool], ...]
    units: int
    is_paired: bool = True
    images: int = 0
    effects: Effects = NONE
    handles: bool = False  # textures or images are named by values
    most_lanes: int = MAX_LANES

    @property
    def reaches_memory(self) -> bool:
        """True if the program reads or writes shader buffers, images or counters, or names textures by handles."""
        return bool(self.effects.touches or self.handles)

    @staticmethod
    def of(program: Program) -> ShaderNeeds:
        """Derive the needs of a program from its declarations and operands."""
        registers = [r for i in program.instructions for r in registers_of(i)]
        effects, handles = effects_of(program), reads_handles(program)
        views = program.file_size(File.SVIEW)
        units = MAX_SAMPLER_VIEWS if handles else max(program.file_size(File.SAMP), views)
        return ShaderNeeds(
            constants=_constants(program, registers),
            units=units,
            is_paired=views == 0 and not handles,
            images=_images(program, registers, handles),
            effects=effects,
            handles=handles,
            most_lanes=_most_lanes(program, registers),
        )


NOTHING = ShaderNeeds(constants=(), units=0)


class HasProgram(Protocol):
    """A handle of a shader."""

    @property
    def program(self) -> Program:
        """The validated program."""
        ...


def needs_of(shader: HasProgram | None) -> ShaderNeeds:
    """Return the needs of a shader's program, which are cached with the program. None means an empty shader."""
    return NOTHING if shader is None else facts.of(shader.program, ShaderNeeds.of)


def _most_lanes(program: Program, registers: list[RegisterRef]) -> int:
    """Return the widest vectors for which indirectly addressed registers fit on the stack of generated code."""
    files = {r.file for r in registers if r.indirect is not None and r.file in _REGISTERS}
    lanes, size = MAX_LANES, 16 * sum(map(program.file_size, files))
    while lanes > _LEAST_LANES and size * lanes > MAX_ARRAY_BYTES:
        lanes //= 2
    return lanes


def _constants(program: Program, registers: list[RegisterRef]) -> tuple[tuple[int, int, bool], ...]:
    """Return the needs of CONST registers, and of buffers that LOAD and RESQ name as CONSTBUF, which are needed whole."""
    every = set(range(MAX_CONSTANT_BUFFERS))
    constants = [r for r in registers if r.file is File.CONST]
    loaded = [r for r in registers if r.file is File.CONSTBUF]
    whole = {r.dimension.index if r.dimension is not None else 0 for r in constants if r.indirect is not None}
    whole |= {r.index for r in loaded}
    if any(r.dimension is not None and r.dimension.indirect is not None for r in constants) or any(r.indirect is not None for r in loaded):
        whole = every
    sizes = {k: 16 * program.file_size(File.CONST, k) for k in every}
    return tuple((k, size, k in whole) for k, size in sorted(sizes.items()) if size or k in whole)


def _images(program: Program, registers: list[RegisterRef], handles: bool) -> int:
    """Return one more than the highest image unit that the program may use."""
    named = [r for r in registers if r.file is File.IMAGE]
    if handles or any(r.indirect is not None for r in named):
        return MAX_SHADER_IMAGES
    return min(max(program.file_size(File.IMAGE), *(r.index + 1 for r in named), 0), MAX_SHADER_IMAGES)


def reads_handles(program: Program) -> bool:
    """Return true if any instruction names a texture or image by a value."""
    return any(_reads_handle(i) for i in program.instructions)


def _reads_handle(instruction: Instruction) -> bool:
    """Return true if the instruction names its texture or image by a value register."""
    if instruction.texture is not None:
        return bool(instruction.src) and instruction.src[-1].register.file not in RESOURCES
    if instruction.opcode.stores_to_dst:
        return instruction.dst[0].register.file not in RESOURCES
    return Reads.RESOURCE in instruction.opcode.reads and instruction.src[0].register.file not in RESOURCES
