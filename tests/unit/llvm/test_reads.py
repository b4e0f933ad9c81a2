"""Both engines read the channels that `source_channels` takes from an opcode's row.

The generator fetches these channels and no others; changes to other channels change no result of the interpreter.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from backends.abi.keys import GALLIUM_TARGETS, ImageKey, SamplerKey, TextureKey
from backends.formats import Format
from backends.interp.run import run
from backends.llvm.builder.function import Val
from backends.llvm.kernels.stages import build_run_kernel
from backends.llvm.translate.operands import Operands
from backends.pipe.state import SamplerState
from backends.run.result import Bits
from backends.run.textures import TextureData
from passes.validate.roles import Role, source_roles
from tgsi.language.channels import source_channels
from tgsi.language.facts import enums
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcode_row import WIDE
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.traits import FIRST_THREAD, OTHER_LANES, Flow, Mode, Trait
from tgsi.language.ir import DstOperand, Instruction, MemoryAccess, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

pytestmark = pytest.mark.light

FRAME = """{stage}
{more}
DCL IN[0..5], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..6]
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL BUFFER[0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
MOV TEMP[1], IN[0]
MOV TEMP[2], IN[1]
MOV TEMP[3], IN[2]
MOV TEMP[4], IN[3]
MOV TEMP[5], IN[4]
MOV OUT[0], TEMP[0]
END
"""

PLACES = {
    Role.SAMPLER: RegisterRef(File.SAMP, 0),
    Role.VIEW: RegisterRef(File.SVIEW, 0),
    Role.RESOURCE: RegisterRef(File.BUFFER, 0),
    Role.IMAGE: RegisterRef(File.IMAGE, 0),
    Role.VARYING: RegisterRef(File.IN, 5),
    Role.ANY: RegisterRef(File.OUT, 0),
}
TARGETS = tuple(name for name in enums.TARGETS if name != "UNKNOWN")
MEMORIES = tuple(MemoryAccess(target=target) for target in ("BUFFER", "1D", "2D", "3D", "2D_ARRAY", "CUBE"))
MASKS = (1, 2, 4, 6, 8, 13, 15)


def instructions(info: OpcodeInfo) -> Iterator[Instruction]:
    """Instructions of the opcode with every source in a TEMP of its own, if possible: for write masks, texture targets, kinds of memory."""
    roles = source_roles(info.name)
    for target in TARGETS if info.is_texture else (None,):
        for memory in MEMORIES if Trait.LOAD in info.traits or info.is_store else (None,):
            resource = RegisterRef(File.BUFFER if memory is None or memory.target == "BUFFER" else File.IMAGE, 0)
            for mask in MASKS if info.dst_types and not info.is_texture else (15,):
                places = {**PLACES, Role.RESOURCE: resource, Role.VALUE: None}
                sources = tuple(SrcOperand(places[role] or RegisterRef(File.TEMP, k + 1)) for k, role in enumerate(roles))
                results = tuple(DstOperand(RegisterRef(File.TEMP, 6 * bool(k)), mask) for k in range(info.num_dst))
                results = (DstOperand(resource, mask),) if info.stores_to_dst else results
                yield Instruction(info, results, sources, texture=target, memory=memory or (MemoryAccess() if info.has_memory else None))


def program_of(instruction: Instruction) -> Program:
    """Program that runs the instruction."""
    info = instruction.opcode
    stage = "GEOM" if Trait.STREAM in info.traits else "FRAG"
    more = "\n".join(f"PROPERTY GS_{item}" for item in ("INPUT_PRIMITIVE POINTS", "OUTPUT_PRIMITIVE POINTS", "MAX_OUTPUT_VERTICES 4"))
    more = more if stage == "GEOM" else ""
    text = FRAME.format(stage=stage, more=more)
    if stage == "GEOM":
        text = text.replace("GENERIC[0], PERSPECTIVE", "GENERIC[0]").replace("IN[0..5]", "IN[][0..5]").replace(", IN[", ", IN[0][")
    frame = parse(text)
    inside = [instruction]
    if info.flow is Flow.IF:
        inside.append(Instruction(OPCODES["ENDIF"]))
    elif info.flow is Flow.SWITCH or info.flow is Flow.CASE:
        head = Instruction(OPCODES["SWITCH"], (), (SrcOperand(RegisterRef(File.TEMP, 6)),))
        arm = Instruction(OPCODES["CASE"], (), (SrcOperand(RegisterRef(File.TEMP, 6)),))
        inside = [instruction, arm] if info.flow is Flow.SWITCH else [head, instruction]
        inside += [Instruction(OPCODES["MOV"], (DstOperand(RegisterRef(File.TEMP, 0)),), (SrcOperand(RegisterRef(File.TEMP, 5)),))]
        inside.append(Instruction(OPCODES["ENDSWITCH"]))
    items = frame.instructions
    return Program(frame.processor, frame.declarations, frame.immediates, frame.properties, (*items[:-2], *inside, *items[-2:]))


READING = [info for info in OPCODES.values() if Role.VALUE in source_roles(info.name) and FIRST_THREAD.isdisjoint(info.traits)]
LESS = {"MEMBAR": "both engines order all memory", "TXF_LZ": "w is the layer of cube arrays, which have no texel fetch"}
"""Opcodes of which the engines read fewer channels than the row names."""


def wanted_by(instruction: Instruction) -> set[tuple[int, int]]:
    """Number and channel of each source channel that the row names as read."""
    roles = source_roles(instruction.opcode.name)
    values = [number for number, role in enumerate(roles) if role is Role.VALUE]
    return {(k, c) for k in values for c in range(4) if source_channels(instruction, k) >> c & 1}


@pytest.mark.parametrize("info", READING, ids=lambda info: info.name)
def test_the_generator_fetches_what_the_row_says(info: OpcodeInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: set[tuple[int, int]] = set()
    read = Operands.read

    def watched(self: Operands, instruction: Instruction, register: RegisterRef, channel: int) -> Val:
        if instruction.opcode is info and register.file is File.TEMP and 1 <= register.index <= 5:
            fetched.add((register.index - 1, channel))
        return read(self, instruction, register, channel)

    monkeypatch.setattr(Operands, "read", watched)
    all_fetched: set[tuple[int, int]] = set()
    all_wanted: set[tuple[int, int]] = set()
    for instruction in instructions(info):
        fetched.clear()
        view = TextureKey(Format.R8G8B8A8_UNORM, GALLIUM_TARGETS[(instruction.texture or "2D").removeprefix("SHADOW")])
        build_run_kernel(program_of(instruction), 8, {0: view}, {0: SamplerKey()}, images={0: ImageKey(Format.R32_UINT)})
        wanted = wanted_by(instruction)
        assert fetched <= wanted, instruction
        if info.mode in (Mode.COMPONENTWISE, Mode.REPLICATE):
            assert fetched == wanted, instruction
        all_fetched |= fetched
        all_wanted |= wanted
    assert all_fetched == all_wanted or info.name in LESS


WORDS: dict[str, list[int | float]] = {
    "float": [-2.0, -1.0, -0.5, 0.25, 0.5, 1.0, 1.75, 2.0],
    "int": [0, 1, 2, 3, 5, 8, 0x12345678, 0xFFFFFFFF],
    "double": [-3.9, -0.7, 0.1, 0.3, 1.7, 2.3, 4.0, 1e10],
    "int64": [0, 1, 3, 4, 5, 0x100000002, 0x123456789ABCDEF, 0xFFFFFFFFFFFFFFFE],
}
INVOCATIONS = 64


def drawn(random: np.random.Generator, kind: str) -> Bits:
    """Four random words for each invocation that are meaningful values of this type and often equal."""
    kind = {"untyped": "float", "uint": "int", "uint64": "int64"}.get(kind, kind)
    dtype = {"float": np.float32, "int": np.uint32, "double": np.float64, "int64": np.uint64}[kind]
    count = 2 if kind in WIDE else 4
    return random.choice(np.array(WORDS[kind], dtype), (INVOCATIONS, count)).view(np.uint32)


def outcome(program: Program, inputs: Bits) -> tuple[bytes, ...]:
    """Bytes of the outputs, live lanes and buffer after a run of the interpreter."""
    texels = np.arange(8 * 8 * 4, dtype=np.uint8).reshape(1, 8, 8, 4)
    view = TextureData(Format.R8G8B8A8_UNORM, (texels,))
    result = run(program, inputs, textures={0: view}, samplers={0: SamplerState()}, buffers={0: np.arange(64, dtype=np.uint32)})
    return result.outputs.tobytes(), result.alive.tobytes(), result.buffers[0].tobytes()


@pytest.mark.parametrize("info", [info for info in READING if not info.traits & {Trait.STREAM}], ids=lambda info: info.name)
def test_channels_that_the_row_does_not_name_change_nothing_in_the_interpreter(info: OpcodeInfo) -> None:
    random = np.random.default_rng(5)
    mattering: set[tuple[int, int]] = set()
    for instruction in instructions(info):
        if instruction.texture not in (None, "2D", "SHADOW2D") or (instruction.memory and instruction.memory.target != "BUFFER"):
            continue
        program, wanted = program_of(instruction), wanted_by(instruction)
        inputs = np.zeros((INVOCATIONS, 6, 4), np.uint32)
        for number, kind in enumerate(info.src_types):
            inputs[:, number] = drawn(random, kind)
        before, noise = outcome(program, inputs), inputs.copy()
        for number, kind in enumerate(info.src_types):
            for channel in range(4):
                if (number, channel) not in wanted:
                    noise[:, number, channel] = random.permutation(drawn(random, kind)[:, channel])
        assert outcome(program, noise) == before, instruction
        for number, channel in wanted - mattering:
            pair = [channel & 2, channel | 1] if info.src_types[number] in WIDE else [channel]
            other = inputs.copy()
            other[:, number, pair] = drawn(random, info.src_types[number])[:, pair]
            if outcome(program, other) != before:
                mattering.add((number, channel))
    if info.mode in (Mode.COMPONENTWISE, Mode.REPLICATE, Mode.CHANNEL_DEPENDENT) and OTHER_LANES.isdisjoint(info.traits):
        assert mattering == {pair for instruction in instructions(info) for pair in wanted_by(instruction)}
