"""i915: eight texture units are the only carriers, and vertices are made in software.

Units are given first come, first served to the fragment program's inputs; window position and face take one each. The vertex
is laid out by asking the software stage for every entry: a word has the output register in bits 0 to 7 (0xff: none), the
format in bits 8 to 11 (0: 4 bytes, 1 to 4: so many floats) and the unit in bits 12 to 15 (0xf: none).
"""

from __future__ import annotations

from linkage.device import (
    TEXTURE_NAMES,
    Job,
    Profile,
    carriers,
    check_channels,
    fed_by_nothing,
    is_fixed,
    no_carrier,
    refuse_indexed_inputs,
    too_many,
)
from linkage.rows import Relocation
from passes.validate.semantics import BYTE
from tgsi.language.facts.semantics import Semantic

UNITS = 8
WINDOW, FACE, EMPTY = 0xFE, 0xFD, 0xFF
_BYTES = 0


def build(job: Job) -> None:
    """Assign the units and lay out the vertex."""
    table = job.table
    carriers(job)
    refuse_indexed_inputs(job)
    units: list[tuple[int, str]] = []
    layout: list[tuple[int, str]] = [(_entry(table.position, 4, None), "POSITION")]
    if table.point_size is not None:
        layout.append((_entry(table.point_size, 1, None), "PSIZE"))
    for index, name in enumerate(("diffuse", "specular")):
        _fixed(job, [row for row in table.rows if row.semantic == Semantic("COLOR", index)], _BYTES, name, layout)
    fogs = [row for row in table.rows if row.semantic == Semantic("FOG")]
    sprites = {}
    for row in table.rows:
        if row.semantic.name in TEXTURE_NAMES:
            unit = len(units)
            units.append((row.semantic.index & 0xFF, f"IN[{row.input_register}] {row.semantic}"))
            layout.append((_entry(row.output_register, row.usage_mask.bit_length(), unit), str(row.semantic)))
            job.place(f"IN[{row.input_register}] {row.semantic}", f"unit {unit}")
            if job.is_sprite(row.semantic):
                sprites[row.input_register] = unit
        elif row is next(iter(fogs), None):
            _fixed(job, fogs, 1, "fog", layout)
        elif not is_fixed(row.semantic):
            no_carrier(job, row, "carrier")
        if row.output_register is None and not job.is_sprite(row.semantic):
            fed_by_nothing(job, row, "zeros are sent")
    for item in table.specials:
        unit, name = len(units), item.semantic.name
        job.place(f"IN[{item.input_register}] {item.semantic}", f"unit {unit}")
        units.append((FACE if name == "FACE" else WINDOW, f"IN[{item.input_register}] {item.semantic}"))
        layout.append((_entry(table.position, 4, unit), f"{item.semantic}, as POSITION"))
        if name == "FACE":
            text = f"IN[{item.input_register}] FACE: the unit is fed with POSITION, so it does not tell the side"
            job.warning("K036", text, register=item.input_register, hint="a known fault of the driver; select by two-sided color")
        elif name == "PCOORD":
            hint = "read a GENERIC that sprite_coord_enable names"
            job.error("K032", f"IN[{item.input_register}] PCOORD has no carrier", register=item.input_register, hint=hint)
    too_many(job, len(units), UNITS, "texture units")
    job.stop_if_errors()
    units += [(EMPTY, "")] * (UNITS - len(units))
    job.block("units", 8, units)
    job.block("vertex layout", 32, layout)
    job.sprites(sprites)


def _fixed(job: Job, rows: list[Relocation], form: int, name: str, layout: list[tuple[int, str]]) -> None:
    """Add a field of the vertex that has a place of its own; all inputs of its semantic read it."""
    for row in rows:
        job.place(f"IN[{row.input_register}] {row.semantic}", name)
        if name == "fog":
            check_channels(job, row, 1, "the device carries fog as one float")
        elif name == "specular":
            check_channels(job, row, 7, "it is 1, whatever the vertex program writes")
    if rows:
        layout.append((_entry(rows[0].output_register, form, None), f"{rows[0].semantic}: {name}"))


def _entry(register: int | None, form: int, unit: int | None) -> int:
    return (0xFF if register is None else register & 0xFF) | form << 8 | (0xF if unit is None else unit & 0xF) << 12


PROFILE = Profile("i915", "Intel i915", BYTE, build=build, interpolators=UNITS, has_fragment_flow=False, has_primitive_id=False)
