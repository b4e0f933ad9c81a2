"""nv30 and nv40: no mapping in hardware, so the fragment program's words are patched.

The vertex program's outputs get interpolants by layout; a table of 256 bytes gives the interpolant that a fragment program has to
read for each GENERIC index; the fragment program's slots are looked up in it, and the words that read them are patched. Fragment
programs hold constants inside their instructions here, so each use of one is a place to patch, too. Patches name words of the
TGSI tokens.
"""

from __future__ import annotations

from linkage.device import Job, Profile, carriers, too_many
from linkage.device_link import Patch
from linkage.layout import SemanticSet, lay_out
from linkage.relocate import relocations
from linkage.rows import Relocation
from linkage.usage import Output
from passes.validate.semantics import BYTE
from tgsi.language.facts.enums import File

NOTHING = 0x0F
"""The code that a fragment program reads where no interpolant is written. The driver hopes that it gives 0, 0, 0, 1."""

INTERPOLANT = 0xF0

OPERAND = 6
"""Lowest bit of a source operand's number; numbers in declarations begin at bits 0 and 16."""

_FIXED = {"POSITION": "window position", "FOG": "fog (w is 1)", "FACE": "facing"}
_COLORS = ("COLOR", "BCOLOR")


def build(job: Job) -> None:
    """Build the vertex table, the fragment slots and the patches."""
    count = job.profile.interpolators
    rows = carriers(job)
    too_many(job, len(rows), count, "texture coordinates")
    _constants(job)
    job.stop_if_errors()
    table, used = _vertex_table(job)
    sprite = _sprite(job, used)
    notes = {entry: f"index {index}" for index, entry in enumerate(table) if entry != NOTHING}
    job.block("vertex table", 8, [(entry, notes.get(entry, "") if entry != NOTHING else "") for entry in table])
    by_register = {o.register: o.semantic.index for o in job.producer.outputs if o.semantic.name in ("GENERIC", "TEXCOORD")}
    slots: list[tuple[int, str]] = []
    for index in sorted(rows):
        row = rows[index]
        is_sprite = job.is_sprite(row.semantic)
        source = by_register.get(row.output_register) if row.output_register is not None else None
        if source is None and row.output_register is not None:
            _wrong_carrier(job, row)
        entry = INTERPOLANT | sprite if is_sprite and sprite is not None else NOTHING if source is None else table[source]
        if entry == NOTHING:
            job.warning("K034", f"IN[{row.input_register}] {row.semantic} is fed by nothing; 0, 0, 0, 1 is likely, not certain")
        note = "point coordinate" if is_sprite else "nothing" if entry == NOTHING else f"texture coordinate {entry & 15}"
        slots.append((entry, f"IN[{row.input_register}] {row.semantic}: {note}"))
        job.place(f"IN[{row.input_register}] {row.semantic}", note)
        kind = "sprite input" if is_sprite and job.options.sprite_lower_left else "input"
        _patch(job, kind, row.input_register, entry, str(row.semantic))
    job.block("fragment slots", 8, slots)
    for item in job.consumer.specials:
        if item.semantic.name == "PCOORD" and sprite is not None:
            job.place(f"IN[{item.register}] PCOORD", f"texture coordinate {sprite}")
            _patch(job, "input", item.register, INTERPOLANT | sprite, "PCOORD")
        else:
            job.place(f"IN[{item.register}] {item.semantic}", _FIXED.get(item.semantic.name, "fixed"))
    feeding = {output.register: output.semantic.name for output in job.producer.outputs}
    for row in job.table.rows:
        if row.semantic.name in ("FOG", *_COLORS):
            allowed = ("FOG",) if row.semantic.name == "FOG" else _COLORS
            if row.output_register is not None and feeding[row.output_register] not in allowed:
                _wrong_carrier(job, row)
            job.place(f"IN[{row.input_register}] {row.semantic}", _FIXED.get(row.semantic.name, f"color {row.semantic.index}"))
        elif row.semantic.name not in ("GENERIC", "TEXCOORD"):
            job.error("K032", f"IN[{row.input_register}] {row.semantic} has no interpolant", register=row.input_register)
    if job.profile.name == "nv40":
        enabled = sum(1 << (entry & 15) for entry, _ in slots if entry != NOTHING)
        job.block("output enable", 32, [(enabled, "bit i: texture coordinate i is written")])


def _patch(job: Job, kind: str, register: int, value: int, note: str) -> None:
    """Note every instruction word that reads an input; declarations are no part of the chip's program."""
    for field in job.input_fields.by_register.get(register, ()):
        if field.shift == OPERAND:
            job.patches.append(Patch(kind, field, value, note))


def _wrong_carrier(job: Job, row: Relocation) -> None:
    text = f"IN[{row.input_register}] {row.semantic} is to be fed by OUT[{row.output_register}], which another kind of register carries"
    job.error("K032", text, register=row.input_register, hint="texture coordinates, colors and fog do not mix here")


def _vertex_table(job: Job) -> tuple[list[int], int]:
    """256 bytes, index -> interpolant to read, and the interpolants in use as bits."""
    count = job.profile.interpolators
    written: dict[int, Output] = {}
    for output in job.producer.outputs:
        if output.semantic.name in ("GENERIC", "TEXCOORD") and output.semantic.index < 256:
            written.setdefault(output.semantic.index, output)
    members = SemanticSet.of(written)
    if len(members) > count:  # outputs without a reader are left out
        read = {row.output_register for row in job.table.rows}
        members = SemanticSet.of(index for index, output in written.items() if output.register in read)
    layout = lay_out(members, count, count)
    table = [NOTHING] * 256
    for slot in layout.used:
        index = layout.indices[slot]
        table[index] = INTERPOLANT | slot
        job.place(f"OUT[{written[index].register}] {written[index].semantic}", f"texture coordinate {slot}")
    return table, layout.used.bits


def _sprite(job: Job, used: int) -> int | None:
    """The interpolant that all replaced inputs share: the first free one."""
    wants = any(job.is_sprite(row.semantic) for row in job.table.rows) or any(s.semantic.name == "PCOORD" for s in job.table.specials)
    if not wants:
        return None
    sprite = (~used & used + 1).bit_length() - 1
    if sprite >= job.profile.interpolators:
        job.error("K030", "no texture coordinate is left for the point coordinate", hint="write fewer varyings")
    return sprite


def _constants(job: Job) -> None:
    """Note each use of a constant as a patch, since constants are written into the program. An indexed constant is an error."""
    found = relocations(job.tokens, File.CONST)
    for item in job.fragment.instructions:
        for operand in item.src:
            if operand.register.file is File.CONST and operand.register.indirect is not None:
                text = "constants of fragment programs stand inside of its instructions and cannot be indexed"
                job.error("K031", text, span=item.span, hint="write the constants out, or move the access to the vertex program")
                return
    for field in found.fields:
        if field.shift == OPERAND:
            job.patches.append(Patch("constant", field, field.anchor, f"CONST[{field.anchor}]"))


NV30 = Profile(
    "nv30",
    "NVIDIA nv30",
    BYTE,
    build=build,
    interpolators=8,
    has_face=False,
    has_fragment_flow=False,
    has_geometry=False,
    has_primitive_id=False,
)
NV40 = Profile("nv40", "NVIDIA nv40", BYTE, build=build, interpolators=10, has_geometry=False, has_primitive_id=False)
