"""nv30 and nv40: the hardware has no mapping, so the fragment program's words are patched.

The vertex program's outputs get interpolants by layout; a table of 256 bytes maps each GENERIC index to the interpolant that fragment
programs have to read; the fragment program's slots are looked up in it, and the words that read them are patched. Constants are stored
inside the instructions of fragment programs, so each use of one is a place to patch, too. Patches name words of the
TGSI tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY
from functools import lru_cache

from linkage.checks import (
    carriers,
    check_channels,
    check_sides,
    fed_by_nothing,
    is_fixed,
    no_carrier,
    refuse_indexed_inputs,
    too_many,
    wrong_carrier,
)
from linkage.device import TEXTURE_NAMES, Job, Plain, Profile, Registers
from linkage.device_link import Block, DeviceLink, Patch, Words
from linkage.layout import SemanticSet, lay_out
from linkage.relocate import Field
from linkage.rows import Relocation
from linkage.usage import Interface, Output
from passes.validate.semantics import BYTE
from tgsi.language.facts.enums import File
from tgsi.language.facts.semantics import Semantic
from tgsi.language.record import record

NOTHING = 0x0F
"""The code for reads without a written interpolant. The driver hopes that it reads as 0, 0, 0, 1."""

INTERPOLANT = 0xF0

OPERAND = 6
"""Lowest bit of a source operand's number; numbers in declarations begin at bits 0 and 16."""

_FIXED = {"POSITION": "window position", "FOG": "fog (w is 1)", "FACE": "facing"}
_COORDINATE = [f"texture coordinate {number}" for number in range(16)]
_INDEX = [f"index {index}" for index in range(256)]
_XYZ = 7
NO_OUTPUT = 0xFF


def build(job: Job) -> None:
    """Build the vertex table, the fragment slots and the patches."""
    rows = carriers(job)
    too_many(job, len({row.semantic for row in rows}), job.profile.interpolators, "texture coordinates")
    refuse_indexed_inputs(job)
    _constants(job)
    job.stop_if_errors()
    table, carried = _vertex_table(job)
    job.stop_if_errors()
    sprite = _sprite(job, carried)
    notes = [""] * len(table)
    for output in carried.values():
        notes[output.semantic.index] = _INDEX[output.semantic.index]
    job.blocks.append(Block("vertex table", 8, tuple(table), tuple(notes)))
    numbers = range(job.profile.interpolators)
    job.block("interpolants", 8, [(carried[i].register, str(carried[i].semantic)) if i in carried else (NO_OUTPUT, "") for i in numbers])
    slots: dict[Semantic, tuple[int, str]] = {}
    for row in rows:
        entry, note = _slot(job, row, table, sprite)
        label = job.label(row)
        slots.setdefault(row.semantic, (entry, f"{label}: {note}"))
        job.place(label, note)
        kind = "sprite input" if job.is_sprite(row.semantic) and job.options.sprite_lower_left else "input"
        _patch(job, kind, row.input_register, entry, str(row.semantic))
    job.block("fragment slots", 8, list(slots.values()))
    for item in job.consumer.specials:
        if item.semantic.name == "PCOORD" and sprite is not None:
            job.place(f"IN[{item.register}] PCOORD", f"texture coordinate {sprite}")
            _patch(job, "input", item.register, INTERPOLANT | sprite, "PCOORD")
        else:
            job.place(f"IN[{item.register}] {item.semantic}", _FIXED.get(item.semantic.name, "fixed"))
    for row in job.table.rows:
        if row.semantic.name not in TEXTURE_NAMES:
            _fixed(job, row)
    if job.profile.name == "nv40":
        enabled = _enabled(entry for entry, _ in slots.values())
        job.block("output enable", 32, [(enabled, "bit i: texture coordinate i is written")])


def _slot(job: Job, row: Relocation, table: Sequence[int], sprite: int | None) -> tuple[int, str]:
    """The code that a fragment program reads for a GENERIC or TEXCOORD, and its meaning."""
    if job.is_sprite(row.semantic) and sprite is not None:
        return INTERPOLANT | sprite, "point coordinate"
    source = job.source(row)
    if source is None:
        fed_by_nothing(job, row, "0, 0, 0, 1 is likely, not certain")
        return NOTHING, "nothing"
    if wrong_carrier(job, row):
        return NOTHING, "nothing"
    return table[source.index], _COORDINATE[table[source.index] & 15]


def _fixed(job: Job, row: Relocation) -> None:
    """Place a color or fog, which have dedicated registers; reject other semantics."""
    source, name = job.source(row), row.semantic.name
    if not is_fixed(row.semantic):
        no_carrier(job, row, "interpolant")
        return
    if source is None:
        fed_by_nothing(job, row, "its value is undefined")
    else:
        wrong_carrier(job, row)
    if name == "FOG":
        check_channels(job, row, _XYZ, "it is 1 regardless of the vertex program")
    else:
        check_sides(job, row)
    place = _FIXED.get(name, f"color {row.semantic.index if source is None else source.index}")
    job.place(f"IN[{row.input_register}] {row.semantic}", place)


def _patch(job: Job, kind: str, register: int, value: int, note: str) -> None:
    """Record every instruction word that reads an input; the chip's program has no declarations."""
    for field in job.input_fields.by_register.get(register, ()):
        if field.shift == OPERAND:
            job.patches.append(_patch_of(kind, field, value, note))


@lru_cache(1 << 12)
def _patch_of(kind: str, field: Field, value: int, note: str) -> Patch:
    return Patch(kind, field, value, note)


def _vertex_table(job: Job) -> tuple[list[int], dict[int, Output]]:
    """256 bytes, index -> interpolant to read, and the output in each interpolant that is in use.

    Of outputs with the same index, one that the fragment program reads takes precedence.
    """
    count = job.profile.interpolators
    read = {row.output_register: row.input_register for row in job.table.rows}
    written: dict[int, Output] = {}
    for output in job.producer.outputs:
        index = output.semantic.index
        if output.semantic.name not in TEXTURE_NAMES or index > 255:
            continue
        other = written.setdefault(index, output)
        if other.register != output.register and output.register in read:
            written[index] = output
            if other.register in read:
                text = (
                    f"IN[{read[output.register]}]: {other.semantic} and {output.semantic} of the vertex program are one texture coordinate"
                )
                job.error("K033", text, register=read[output.register], hint="give one of them another index")
    members = SemanticSet.of(written)
    if len(members) > count:  # outputs without a reader are left out
        members = SemanticSet.of(index for index, output in written.items() if output.register in read)
    layout = lay_out(members, count, count)
    table = [NOTHING] * 256
    carried = {}
    for slot in layout.used:
        index = layout.indices[slot]
        table[index] = INTERPOLANT | slot
        carried[slot] = written[index]
        job.place(f"OUT[{written[index].register}] {written[index].semantic}", _COORDINATE[slot])
    return table, carried


def _sprite(job: Job, carried: Mapping[int, Output]) -> int | None:
    """The interpolant that all replaced inputs share: the first free one."""
    wants = [row.input_register for row in job.table.rows if job.is_sprite(row.semantic)]
    wants += [item.input_register for item in job.table.specials if item.semantic.name == "PCOORD"]
    if not wants:
        return None
    sprite = next(number for number in range(len(carried) + 1) if number not in carried)
    if sprite >= job.profile.interpolators:
        job.error("K030", "no texture coordinate is free for the point coordinate", register=wants[0], hint="write fewer varyings")
    return sprite


def _constants(job: Job) -> None:
    """Record each use of a constant as a patch, since constants are stored in the program. An indexed constant is an error."""
    fields = job.constant_fields
    if not fields.fields:
        return
    for item in job.instructions:
        for operand in item.src:
            if operand.register.file is File.CONST and operand.register.indirect is not None:
                text = "constants of fragment programs are stored in their instructions and cannot be indexed"
                job.error("K031", text, span=item.span, hint="write the constants out, or move the access to the vertex program")
                return
    for field in fields.fields:
        if field.shift == OPERAND:
            job.patches.append(Patch("constant", field, field.anchor, f"CONST[{field.anchor}]"))


@record
class _Vertex:
    """The output of each index, and the table if all of them have a texture coordinate; None if it depends on the outputs that are read."""

    written: dict[int, int]
    laid: _Laid | None
    count: int


@record
class _Laid:
    """The vertex table, and the output registers in the texture coordinates."""

    table: tuple[int, ...]
    interpolants: tuple[int, ...]


@record
class _Reader:
    """An input in the order of indices: its slot, its index, whether it is the first of its semantic, and its patches by their value."""

    slot: int
    index: int
    is_first: bool
    fields: tuple[Field, ...]
    note: str
    _: KW_ONLY
    patches: dict[int, tuple[Patch, ...]]


@record
class _Fragment:
    readers: tuple[_Reader, ...]
    constants: tuple[Patch, ...]


def _vertex(job: Job) -> _Vertex | None:
    written: dict[int, int] = {}
    for output in job.producer.outputs:
        index = output.semantic.index
        if output.semantic.name in TEXTURE_NAMES and index <= 255 and written.setdefault(index, output.register) != output.register:
            return None
    count = job.profile.interpolators
    return _Vertex(written, _lay(written, written, count) if len(written) <= count else None, count)


def _lay(written: Mapping[int, int], members: Iterable[int], count: int) -> _Laid:
    layout = lay_out(SemanticSet.of(members), count, count)
    table, interpolants = [NOTHING] * 256, [NO_OUTPUT] * count
    for slot in layout.used:
        table[layout.indices[slot]] = INTERPOLANT | slot
        interpolants[slot] = written[layout.indices[slot]]
    return _Laid(tuple(table), tuple(interpolants))


def _fragment(job: Job) -> _Fragment | None:
    rows = carriers(job)
    too_many(job, len({row.semantic for row in rows}), job.profile.interpolators, "texture coordinates")
    refuse_indexed_inputs(job)
    _constants(job)
    others = [row for row in job.table.rows if row.semantic.name not in TEXTURE_NAMES]
    if not all(is_fixed(row.semantic) for row in others) or any(item.semantic.name == "PCOORD" for item in job.consumer.specials):
        return None
    readers, known = [], set[Semantic]()
    for row in rows:
        fields = tuple(field for field in job.input_fields.by_register.get(row.input_register, ()) if field.shift == OPERAND)
        readers.append(_Reader(row.slot, row.semantic.index, row.semantic not in known, fields, str(row.semantic), patches={}))
        known.add(row.semantic)
    return _Fragment(tuple(readers), tuple(job.patches))


def _join(theirs: _Vertex, ours: _Fragment, registers: Registers) -> tuple[tuple[Words, ...], tuple[Patch, ...]] | None:
    laid = theirs.laid
    if laid is None:
        members = [index for index, register in theirs.written.items() if register in registers]
        laid = _lay(theirs.written, members, theirs.count)
    table, entries, patches = laid.table, [], [*ours.constants]
    for reader in ours.readers:
        entry = NOTHING if registers[reader.slot] is None else table[reader.index]
        if reader.is_first:
            entries.append(entry)
        try:
            patches += reader.patches[entry]
        except KeyError:
            reader.patches[entry] = tuple(Patch("input", field, entry, reader.note) for field in reader.fields)
            patches += reader.patches[entry]
    blocks = ("vertex table", 8, table), ("interpolants", 8, laid.interpolants), ("fragment slots", 8, tuple(entries))
    return blocks, tuple(patches)


def _join_nv40(theirs: _Vertex, ours: _Fragment, registers: Registers) -> tuple[tuple[Words, ...], tuple[Patch, ...]] | None:
    block = _join(theirs, ours, registers)
    return None if block is None else ((*block[0], ("output enable", 32, (_enabled(block[0][2][2]),))), block[1])


def _enabled(entries: Iterable[int]) -> int:
    """The mask of texture coordinates that the fragment program reads."""
    return sum(1 << (entry & 15) for entry in entries if entry != NOTHING)


OUTPUTS = {
    "nv30": (("POSITION", 0), ("BCOLOR", 1), ("COLOR", 3), ("FOG", 5), ("PSIZE", 6), ("texture coordinate", 8)),
    "nv40": (("POSITION", 0), ("COLOR", 1), ("BCOLOR", 3), ("FOG", 5), ("PSIZE", 6), ("texture coordinate", 7)),
}
"""The chip's number of the first output of each kind. Source: NV30_VP_INST_DEST and NV40_VP_INST_DEST in Mesa's headers of the chips."""

INPUTS = (("POSITION", 0), ("COLOR", 1), ("FOG", 3), ("texture coordinate", 4), ("FACE", 14))
"""The chip's number of the first input of each kind. Source: NVFX_FP_OP_INPUT_SRC in Mesa's `nouveau/nv30/nvfx_shader.h`."""


def codes(producer: Interface, consumer: Interface, device: DeviceLink) -> tuple[dict[int, int], dict[int, int]]:
    """The chip's number of each output and each input; those without a carrier have none."""
    first = dict(OUTPUTS[device.profile])
    outputs = {o.register: first[o.semantic.name] + o.semantic.index for o in producer.outputs if o.semantic.name in first}
    carried = enumerate(device.block("interpolants").values)
    outputs |= {register: first["texture coordinate"] + number for number, register in carried if register != NO_OUTPUT}
    first = dict(INPUTS)
    items = (*consumer.varyings, *consumer.specials)
    inputs = {item.register: first[item.semantic.name] + item.semantic.index for item in items if item.semantic.name in first}
    for patch in device.patches:
        if patch.kind != "constant" and patch.value != NOTHING:
            inputs[patch.field.anchor] = first["texture coordinate"] + (patch.value & 15)
    return outputs, inputs


PLAIN = Plain(_vertex, _fragment, _join)
PLAIN_NV40 = Plain(_vertex, _fragment, _join_nv40)


NV30 = Profile(
    "nv30",
    "NVIDIA nv30",
    BYTE,
    build=build,
    plain=PLAIN,
    codes=codes,
    interpolators=8,
    has_face=False,
    has_fragment_flow=False,
    has_geometry=False,
    has_primitive_id=False,
)
NV40 = Profile(
    "nv40", "NVIDIA nv40", BYTE, build=build, plain=PLAIN_NV40, codes=codes, interpolators=10, has_geometry=False, has_primitive_id=False
)
