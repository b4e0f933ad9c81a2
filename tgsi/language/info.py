"""Facts of a shader that drivers need before compiling it, with the names and values of Mesa 18.1's tgsi_scan.

`Program.info` is the cached result. Nothing is checked here: a wrong program has facts, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import KW_ONLY, field
from types import MappingProxyType
from typing import TypeVar

from tgsi.language.channels import source_channels, swizzled, written
from tgsi.language.facts.enums import File, Interpolation, Location, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import INPUT_VERTICES
from tgsi.language.facts.traits import Flow, Reads, Trait
from tgsi.language.ir import XYZW, Declaration, Instruction, ProgramData, RegisterRef, SrcOperand
from tgsi.language.record import record

POSITION = Semantic("POSITION")
MAX_REGISTERS = 1 << 12
"""Inputs and outputs beyond this number are only counted: a hostile declaration must not cost memory."""

_FILES = len(File)
T = TypeVar("T")
_MEMORY_FILES = frozenset({File.SAMP, File.SVIEW, File.IMAGE, File.BUFFER})
_READ = {"PRIM_ID": "uses_primid", "POSITION": "reads_position", "FACE": "uses_frontface"}
_OPENING = frozenset({Flow.IF, Flow.LOOP})
_CLOSING = frozenset({Flow.ENDIF, Flow.ENDLOOP})
"""Kinds of control flow whose depth the scan counts; it ignores switches and subroutines."""


@record
class InputInfo:
    """One input register. `usage_mask` holds the channels that are read."""

    semantic: Semantic = POSITION
    interpolation: Interpolation = Interpolation.CONSTANT
    location: Location = Location.CENTER
    usage_mask: int = 0


@record
class OutputInfo:
    """One output register. `usage_mask` holds the channels that are declared; `streams` has two bits a channel."""

    semantic: Semantic = POSITION
    usage_mask: int = 0
    streams: int = 0


@record(kw_only=True)
class ShaderInfo:
    """Facts of one program. Tuples by file have one entry for each `File`; masks of files have bit `File` set.

    `file_max` is -1 for files without declarations; `file_mask` covers registers 0 to 31. `num_tokens` counts statements.
    `opcode_count` is by name; `properties` has those that are not 0 (GS_INVOCATIONS is 1 by default).
    """

    processor: Processor
    num_tokens: int
    num_instructions: int
    num_memory_instructions: int
    immediate_count: int
    inputs: tuple[InputInfo, ...]
    outputs: tuple[OutputInfo, ...]
    system_values: tuple[Semantic, ...]
    file_max: tuple[int, ...]
    file_count: tuple[int, ...]
    file_mask: tuple[int, ...]
    opcode_count: Mapping[str, int]
    properties: Mapping[str, int]
    writes_position: bool
    writes_psize: bool
    writes_edgeflag: bool
    writes_z: bool
    writes_stencil: bool
    writes_viewport_index: bool
    writes_layer: bool
    writes_memory: bool
    reads_position: bool
    reads_z: bool
    uses_kill: bool
    uses_instanceid: bool
    uses_vertexid: bool
    uses_primid: bool
    uses_frontface: bool
    uses_derivatives: bool
    uses_doubles: bool
    uses_bindless_samplers: bool
    indirect_files: int
    indirect_files_read: int
    indirect_files_written: int
    dim_indirect_files: int
    const_buffers_declared: int
    samplers_declared: int
    num_written_clipdistance: int
    clipdist_writemask: int
    num_written_culldistance: int
    culldist_writemask: int
    colors_written: int
    max_depth: int

    @property
    def num_inputs(self) -> int:
        """One more than the highest declared input."""
        return len(self.inputs)

    @property
    def num_outputs(self) -> int:
        """One more than the highest declared output."""
        return len(self.outputs)


def summary(program: ProgramData) -> str:
    """The size of a program in a line: stage, instructions, inputs, outputs, TEMP registers."""
    facts = scan(program)
    counts = (facts.num_instructions, facts.num_inputs, len(facts.outputs), facts.file_count[File.TEMP])
    words = ("instruction", "input", "output", "TEMP")
    return f"{facts.processor.name}, " + ", ".join(f"{n} {word}{'s' * (n != 1)}" for n, word in zip(counts, words))


def scan(program: ProgramData) -> ShaderInfo:
    """Collect the facts of a program, in time linear in its text."""
    return _Scan(program).result()


@record(frozen=False)
class _Input:
    semantic: Semantic = POSITION
    interpolation: Interpolation = Interpolation.CONSTANT
    location: Location = Location.CENTER
    usage: int = 0


@record(frozen=False)
class _Scan:
    program: ProgramData
    _: KW_ONLY
    inputs: list[_Input] = field(default_factory=list)
    outputs: list[OutputInfo] = field(default_factory=list)
    system_values: list[Semantic] = field(default_factory=list)
    file_max: list[int] = field(default_factory=lambda: [-1] * _FILES)
    file_count: list[int] = field(default_factory=lambda: [0] * _FILES)
    file_mask: list[int] = field(default_factory=lambda: [0] * _FILES)
    flags: set[str] = field(default_factory=set)
    indirect_read: int = 0
    indirect_written: int = 0
    dim_indirect: int = 0
    const_buffers: int = 0
    samplers: int = 0
    colors: int = 0
    memory_instructions: int = 0
    depth: int = 0
    max_depth: int = 0

    def result(self) -> ShaderInfo:
        program = self.program
        for declaration in program.declarations:
            self.declare(declaration)
        for instruction in program.instructions:
            self.instruct(instruction)
        self.finish()
        properties = {"GS_INVOCATIONS": 1} | {item.name: item.value for item in program.properties}
        clip, cull = properties.get("NUM_CLIPDIST_ENABLED", 0), properties.get("NUM_CULLDIST_ENABLED", 0)
        clip_bits, cull_bits = min(clip, 8), min(cull, 8)
        flags = self.flags
        return ShaderInfo(
            processor=program.processor,
            num_tokens=len(program.declarations) + len(program.immediates) + len(program.properties) + len(program.instructions),
            num_instructions=len(program.instructions),
            num_memory_instructions=self.memory_instructions,
            immediate_count=len(program.immediates),
            inputs=tuple(InputInfo(item.semantic, item.interpolation, item.location, item.usage) for item in self.inputs),
            outputs=tuple(self.outputs),
            system_values=tuple(self.system_values),
            file_max=tuple(self.file_max),
            file_count=tuple(self.file_count),
            file_mask=tuple(self.file_mask),
            opcode_count=MappingProxyType(dict(Counter(item.opcode.name for item in program.instructions))),
            properties=MappingProxyType({name: value for name, value in properties.items() if value}),
            writes_position="writes_position" in flags,
            writes_psize="writes_psize" in flags,
            writes_edgeflag="writes_edgeflag" in flags,
            writes_z="writes_z" in flags,
            writes_stencil="writes_stencil" in flags,
            writes_viewport_index="writes_viewport_index" in flags,
            writes_layer="writes_layer" in flags,
            writes_memory="writes_memory" in flags,
            reads_position="reads_position" in flags,
            reads_z="reads_z" in flags,
            uses_kill="uses_kill" in flags,
            uses_instanceid="uses_instanceid" in flags,
            uses_vertexid="uses_vertexid" in flags,
            uses_primid="uses_primid" in flags,
            uses_frontface="uses_frontface" in flags,
            uses_derivatives="uses_derivatives" in flags,
            uses_doubles="uses_doubles" in flags,
            uses_bindless_samplers="uses_bindless_samplers" in flags,
            indirect_files=self.indirect_read | self.indirect_written,
            indirect_files_read=self.indirect_read,
            indirect_files_written=self.indirect_written,
            dim_indirect_files=self.dim_indirect,
            const_buffers_declared=self.const_buffers,
            samplers_declared=self.samplers,
            num_written_clipdistance=clip,
            clipdist_writemask=(1 << clip_bits) - 1,
            num_written_culldistance=cull,
            culldist_writemask=((1 << cull_bits) - 1) << clip_bits,
            colors_written=self.colors,
            max_depth=self.max_depth,
        )

    def declare(self, item: Declaration) -> None:
        file, first, last = item.file, item.first, item.last
        if first <= last:
            self.file_count[file] += last - first + 1
            self.file_max[file] = max(self.file_max[file], last)
            self.file_mask[file] |= _range_mask(first, last)
        if file is File.CONST:
            self.const_buffers |= 1 << ((item.dimension or 0) & 31)
        elif file is File.SAMP:
            self.samplers |= _range_mask(first, last)
        elif file is File.SV:
            _grow(self.system_values, min(first, MAX_REGISTERS - 1) + 1, POSITION)
            self.system_values[min(first, MAX_REGISTERS - 1)] = item.semantic or POSITION
            name = (item.semantic or POSITION).name
            self.mark_read(name)
            if name == "INSTANCEID":
                self.flags.add("uses_instanceid")
            elif name in ("VERTEXID", "VERTEXID_NOBASE"):
                self.flags.add("uses_vertexid")
        elif file is File.IN:
            self.declare_input(item)
        elif file is File.OUT:
            self.declare_output(item)

    def declare_input(self, item: Declaration) -> None:
        semantic = item.semantic or POSITION
        for register in range(item.first, min(item.last, MAX_REGISTERS - 1) + 1):
            while len(self.inputs) <= register:
                self.inputs.append(_Input())
            record = self.inputs[register]
            record.semantic = Semantic(semantic.name, semantic.index + register - item.first)
            record.interpolation = item.interpolation or Interpolation.CONSTANT
            record.location = item.location
        self.mark_read(semantic.name)

    def mark_read(self, name: str) -> None:
        """Note the facts that a mere declaration of a semantic sets, as input or as system value."""
        if name in _READ:
            self.flags.add(_READ[name])

    def declare_output(self, item: Declaration) -> None:
        semantic = item.semantic or POSITION
        streams = sum(stream << 2 * channel for channel, stream in enumerate(item.streams))
        for register in range(item.first, min(item.last, MAX_REGISTERS - 1) + 1):
            _grow(self.outputs, register + 1, OutputInfo())
            usage = self.outputs[register].usage_mask | item.usage_mask
            self.outputs[register] = OutputInfo(Semantic(semantic.name, semantic.index + register - item.first), usage, streams)
            if semantic.name == "COLOR":
                self.colors |= 1 << (semantic.index + register - item.first & 31)
        fragment = self.program.processor is Processor.FRAG
        match semantic.name:
            case "POSITION":
                self.flags.add("writes_z" if fragment else "writes_position")
            case "STENCIL" if fragment:
                self.flags.add("writes_stencil")
            case "PSIZE":
                self.flags.add("writes_psize")
            case "EDGEFLAG":
                self.flags.add("writes_edgeflag")
            case "VIEWPORT_INDEX":
                self.flags.add("writes_viewport_index")
            case "LAYER":
                self.flags.add("writes_layer")

    def instruct(self, item: Instruction) -> None:
        info = item.opcode
        traits = info.traits
        if info.flow in _OPENING:
            self.depth += 1
        elif info.flow in _CLOSING:  # blocks that are never closed have no depth
            self.max_depth = max(self.max_depth, self.depth)
            self.depth -= 1
        if Trait.KILL in traits and not info.is_later:
            self.flags.add("uses_kill")
        if "double" in info.dst_types or "double" in info.src_types:
            self.flags.add("uses_doubles")
        if Trait.DERIVATIVE in traits or (Trait.IMPLICIT_LOD in traits and info.has_offsets):  # the scan leaves out LOD
            self.flags.add("uses_derivatives")
        if info.is_texture and item.src and item.src[-1].register.file is not File.SAMP:
            self.flags.add("uses_bindless_samplers")
        memory = False
        for number, operand in enumerate(item.src):
            memory |= self.read(item, number, operand)
        for offset in item.offsets:
            if offset.register.file is File.IN:
                self.use(offset.register, sum({1 << channel for channel in offset.swizzle}))
        for destination in item.dst:
            register = destination.register
            self.addressed(register)
            if register.indirect is not None:
                self.indirect_written |= 1 << register.file
            if register.file in _MEMORY_FILES:
                memory = True
                self.flags.add("writes_memory")
        self.memory_instructions += memory

    def read(self, item: Instruction, number: int, operand: SrcOperand) -> bool:
        register = operand.register
        self.addressed(register)
        if register.file is File.IN:
            self.use(register, _scanned_mask(item, number))
        if register.indirect is not None:
            self.indirect_read |= 1 << register.file
        if register.file not in _MEMORY_FILES or Trait.QUERY in item.opcode.traits:
            return False
        if item.opcode.is_store:
            self.flags.add("writes_memory")
        return True

    def addressed(self, register: RegisterRef) -> None:
        """Count the registers that hold an operand's indices as read, too."""
        if register.dimension is not None and register.dimension.indirect is not None:
            self.dim_indirect |= 1 << register.file
        for indirect in (register.indirect, register.dimension.indirect if register.dimension is not None else None):
            if indirect is not None and indirect.file is File.IN:
                self.use(RegisterRef(File.IN, indirect.index), 1 << indirect.component)

    def use(self, register: RegisterRef, mask: int) -> None:
        if register.indirect is not None:
            inputs = self.inputs
        else:
            inputs = self.inputs[register.index : register.index + 1] if register.index >= 0 else []
        for item in inputs:
            item.usage |= mask
        if self.program.processor is Processor.FRAG and mask & 4 and any(item.semantic.name == "POSITION" for item in inputs):
            self.flags.add("reads_z")

    def finish(self) -> None:
        program = self.program
        count = len(program.immediates)
        if count:
            self.file_count[File.IMM] = count
            self.file_max[File.IMM] = count - 1
            self.file_mask[File.IMM] = _range_mask(0, count - 1)
        if program.processor is Processor.GEOM:  # vertices of a primitive
            vertices = INPUT_VERTICES.get(program.property("GS_INPUT_PRIMITIVE"), 3)
            self.file_count[File.IN] = vertices
            self.file_max[File.IN] = max(self.file_max[File.IN], vertices - 1)
            self.file_mask[File.IN] |= (1 << vertices) - 1


def _scanned_mask(item: Instruction, number: int) -> int:
    """Channels of a register that Mesa's scan counts as read: `read_mask`, or more for opcodes without a rule in the scan.

    The scan counts all channels of the selectors of switches and of the values of opcodes with a sampler view. To the operands of an
    atomic it adds the write mask.
    """
    info = item.opcode
    has_rule = info.flow not in (Flow.SWITCH, Flow.CASE) and Reads.VIEW not in info.reads
    if not has_rule or (Reads.TARGET in info.reads and Trait.FRAMEBUFFER not in info.traits):
        return swizzled(item.src[number].swizzle, XYZW)
    counted = source_channels(item, number)
    if info.is_atomic and number > 1:
        counted |= written(item)
    return swizzled(item.src[number].swizzle, counted)


def _range_mask(first: int, last: int) -> int:
    low, high = min(first, 32), min(last, 31)
    return ((1 << high + 1) - 1) & ~((1 << low) - 1) if low <= high else 0


def _grow(items: list[T], size: int, filler: T) -> None:
    items.extend([filler] * (size - len(items)))
