"""i915: eight texture units are the only carriers, and vertices are made in software.

Units are given first come, first served to the fragment program's inputs; window position and face take one each. The vertex
is laid out by asking the software stage for every entry: a word has the output register in bits 0 to 7 (0xff: none), the
format in bits 8 to 11 (0: 4 bytes, 1 to 4: so many floats) and the unit in bits 12 to 15 (0xf: none).
"""

from __future__ import annotations

from linkage.device import Job, Profile, carriers, too_many
from passes.validate.semantics import interpolators

UNITS = 8
WINDOW, FACE, EMPTY = 0xFE, 0xFD, 0xFF
_BYTES = 0


def build(job: Job) -> None:
    """Assign the units and lay out the vertex."""
    table = job.table
    carriers(job)
    units: list[tuple[int, str]] = []
    layout: list[tuple[int, str]] = [(_entry(table.position, 4, None), "POSITION")]
    if table.point_size is not None:
        layout.append((_entry(table.point_size, 1, None), "PSIZE"))
    for index, name in enumerate(("diffuse", "specular, alpha is 1")):
        for row in table.rows:
            if row.semantic.name == "COLOR" and row.semantic.index == index:
                layout.append((_entry(row.output_register, _BYTES, None), f"COLOR[{index}]: {name}"))
                job.place(f"IN[{row.input_register}] {row.semantic}", name.split(",")[0])
    for row in table.rows:
        name = row.semantic.name
        if name == "FOG":
            layout.append((_entry(row.output_register, 1, None), "FOG: one float"))
            job.place(f"IN[{row.input_register}] FOG", "fog")
        elif name in ("GENERIC", "TEXCOORD"):
            unit = len(units)
            units.append((row.semantic.index, f"IN[{row.input_register}] {row.semantic}"))
            layout.append((_entry(row.output_register, row.usage_mask.bit_length(), unit), str(row.semantic)))
            job.place(f"IN[{row.input_register}] {row.semantic}", f"unit {unit}")
        elif name != "COLOR" or row.semantic.index > 1:
            job.error("K032", f"IN[{row.input_register}] {row.semantic} has no carrier", register=row.input_register)
        if row.output_register is None:
            job.warning("K034", f"IN[{row.input_register}] {row.semantic} is fed by nothing; zeros are sent", register=row.input_register)
    for item in table.specials:
        unit, name = len(units), item.semantic.name
        job.place(f"IN[{item.input_register}] {item.semantic}", f"unit {unit}")
        units.append((FACE if name == "FACE" else WINDOW, f"IN[{item.input_register}] {item.semantic}"))
        layout.append((_entry(table.position, 4, unit), f"{item.semantic}, as POSITION"))
        if name == "FACE":
            text = f"IN[{item.input_register}] FACE: the unit is fed with POSITION, so it does not tell the side"
            job.warning("K036", text, register=item.input_register, hint="a known fault of the driver; select by two-sided color")
        elif name == "PCOORD":
            job.error("K032", f"IN[{item.input_register}] PCOORD has no carrier", register=item.input_register)
    too_many(job, len(units), UNITS, "texture units")
    job.stop_if_errors()
    units += [(EMPTY, "")] * (UNITS - len(units))
    job.block("units", 8, units)
    job.block("vertex layout", 32, layout)


def _entry(register: int | None, form: int, unit: int | None) -> int:
    return (0xFF if register is None else register & 0xFF) | form << 8 | (0xF if unit is None else unit & 0xF) << 12


PROFILE = Profile(
    "i915", "Intel i915", interpolators(UNITS), build=build, interpolators=UNITS, has_fragment_flow=False, has_primitive_id=False
)
