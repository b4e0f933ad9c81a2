"""Strategies for programs in print-parse tests: any program that the text can express, meaningful or not."""

from __future__ import annotations

from hypothesis import strategies as st

from tgsi.language.facts.brackets import per_vertex
from tgsi.language.facts.enums import TARGETS, File, ImmediateType, Interpolation, Location, MemoryType, Processor, ReturnType
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS, Semantic
from tgsi.language.ir import (
    Declaration,
    Dimension,
    DstOperand,
    ImageInfo,
    Immediate,
    IndirectRef,
    Instruction,
    MemoryAccess,
    Property,
    RegisterRef,
    SrcOperand,
    TexOffset,
    ViewInfo,
)
from tgsi.language.program import Program

WORDS = st.one_of(
    st.sampled_from([0, 1, 0x3F800000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x00000001, 0x7F7FFFFF, 0xFFFFFFFF]),
    st.integers(0, 0xFFFFFFFF),
)
INDICES = st.one_of(st.integers(0, 5), st.integers(0, 32767))
FILES = st.sampled_from(File)
TARGET_NAMES = st.sampled_from(sorted(TARGETS))
FORMATS = st.sampled_from(["", "PIPE_FORMAT_R32_UINT", "PIPE_FORMAT_R8G8B8A8_UNORM"])


def channels(count: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*[st.integers(0, 3)] * count)


indirects = st.builds(IndirectRef, FILES, INDICES, st.integers(0, 3))


@st.composite
def registers(draw: st.DrawFn) -> RegisterRef:
    def index() -> tuple[int, IndirectRef | None, int]:
        indirect = draw(st.none() | indirects)
        offset = draw(INDICES if indirect is None else st.integers(-32768, 32767))
        return offset, indirect, draw(st.sampled_from([0, 0, 1, 1023]))

    dimension = None
    if draw(st.booleans()):
        dimension = Dimension(*index())
    number, indirect, array = index()
    return RegisterRef(draw(FILES), number, dimension, indirect, array)


destinations = st.builds(DstOperand, registers(), st.integers(1, 15))
sources = st.builds(SrcOperand, registers(), channels(4), st.booleans(), st.booleans())
offsets = st.builds(TexOffset, st.builds(RegisterRef, FILES, INDICES), channels(3))
accesses = st.builds(MemoryAccess, st.integers(0, 7), TARGET_NAMES, FORMATS)


@st.composite
def instructions(draw: st.DrawFn) -> Instruction:
    info: OpcodeInfo = draw(st.sampled_from(sorted(OPCODES.values(), key=lambda opcode: opcode.name)))
    labeled = info.has_label or info.name == "BGNSUB"
    return Instruction(
        info,
        tuple(draw(destinations) for _ in range(info.num_dst)),
        tuple(draw(sources) for _ in range(info.num_src)),
        saturate=draw(st.booleans()),
        precise=draw(st.booleans()),
        texture=draw(TARGET_NAMES) if info.is_texture else None,
        offsets=tuple(draw(st.lists(offsets, max_size=4))) if info.has_offsets and not info.has_memory else (),
        memory=(draw(accesses) if info.num_dst + info.num_src else MemoryAccess()) if info.has_memory else None,
        label=draw(st.none() | st.integers(0, 1 << 20)) if labeled else None,
    )


views = st.builds(ViewInfo, TARGET_NAMES, st.tuples(*[st.sampled_from(sorted(set(ReturnType) - {ReturnType.UNKNOWN}))] * 4))
images = st.builds(ImageInfo, TARGET_NAMES, FORMATS, st.booleans(), st.booleans())
semantics = st.builds(Semantic, st.sampled_from(sorted(SEMANTICS)), st.integers(0, 3))
INFORMED = (File.IMAGE, File.SVIEW, File.BUFFER, File.MEMORY)


@st.composite
def declarations(draw: st.DrawFn, stage: Processor) -> Declaration:
    file = draw(FILES)
    first, last = sorted((draw(INDICES), draw(INDICES)))
    plain = file not in INFORMED
    semantic = draw(st.none() | semantics) if plain else None
    interpolation = draw(st.none() | st.sampled_from(Interpolation))
    if plain and semantic is None and interpolation is Interpolation.COLOR:
        interpolation = None  # V027
    return Declaration(
        file,
        first,
        last,
        dimension=None if per_vertex(stage, file) else draw(st.none() | INDICES),
        semantic=semantic,
        interpolation=interpolation,
        location=draw(st.sampled_from(Location)),
        usage_mask=draw(st.integers(1, 15)),
        array_id=draw(st.sampled_from([0, 0, 1, 1023])),
        invariant=draw(st.booleans()),
        local=draw(st.booleans()) if plain else False,
        streams=tuple(draw(channels(4))) if stage is Processor.GEOM and file is File.OUT else (0, 0, 0, 0),  # type: ignore[arg-type]
        per_primitive=draw(st.booleans()) if stage is Processor.MESH and file is File.OUT else False,
        image=draw(images) if file is File.IMAGE else None,
        view=draw(views) if file is File.SVIEW else None,
        memory=draw(st.sampled_from(MemoryType)) if file is File.MEMORY else None,
        atomic=draw(st.booleans()) if file is File.BUFFER else False,
        cylindrical_wrap=draw(st.integers(0, 15)),
    )


@st.composite
def properties(draw: st.DrawFn) -> Property:
    info = draw(st.sampled_from(sorted(PROPERTIES.values(), key=lambda item: item.name)))
    if info.words is not None:
        return Property(info.name, draw(st.sampled_from(sorted(info.words.values()))))
    return Property(info.name, draw(WORDS))


immediates = st.builds(Immediate, st.sampled_from(ImmediateType), st.tuples(WORDS, WORDS, WORDS, WORDS))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    stage = draw(st.sampled_from(Processor))
    return Program(
        stage,
        tuple(draw(st.lists(declarations(stage), max_size=5))),
        tuple(draw(st.lists(immediates, max_size=4))),
        tuple(draw(st.lists(properties(), max_size=3))),
        tuple(draw(st.lists(instructions(), max_size=6))),
    )
