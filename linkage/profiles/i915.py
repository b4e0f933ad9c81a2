"""i915: eight texture units are the only carriers, and vertices are processed in software.

Units are assigned to the fragment program's inputs, first come, first served; window position and face take one each. The driver asks the
software stage for each entry of the vertex layout: a word has the output register in bits 0 to 7 (0xff: none), the format in bits 8 to 11
(0: 4 bytes, 1 to 4: number of floats) and the unit in bits 12 to 15 (0xf: none).
"""

from __future__ import annotations

from linkage.checks import carriers, check_channels, fed_by_nothing, is_fixed, no_carrier, refuse_indexed_inputs, too_many
from linkage.device import TEXTURE_NAMES, Job, Plain, Profile, Registers
from linkage.device_link import Patch, Words
from linkage.rows import Relocation
from passes.validate.semantics import BYTE
from tgsi.language.facts.semantics import Semantic
from tgsi.language.record import record

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
            text = f"IN[{item.input_register}] FACE: the unit is fed with POSITION, which does not depend on the side"
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
    """Add a field with its own place in the vertex; all inputs of its semantic read it."""
    for row in rows:
        job.place(f"IN[{row.input_register}] {row.semantic}", name)
        if name == "fog":
            check_channels(job, row, 1, "the device carries fog as one float")
        elif name == "specular":
            check_channels(job, row, 7, "it is 1 regardless of the vertex program")
    if rows:
        layout.append((_entry(rows[0].output_register, form, None), f"{rows[0].semantic}: {name}"))


def _entry(register: int | None, form: int, unit: int | None) -> int:
    return (0xFF if register is None else register & 0xFF) | form << 8 | (0xF if unit is None else unit & 0xF) << 12


@record
class _Vertex:
    """Entries of the vertex that depend only on its program, and the position's without a unit."""

    first: tuple[int, ...]
    position: int


@record
class _Units:
    """The units, and entries of the vertex without their outputs: for the inputs in `slots`, then for the specials."""

    units: tuple[int, ...]
    slots: tuple[int, ...]
    entries: tuple[int, ...]
    specials: tuple[int, ...]


def _vertex(job: Job) -> _Vertex:
    position, size = job.table.position, job.table.point_size
    first = [_entry(position, 4, None)] + ([] if size is None else [_entry(size, 1, None)])
    return _Vertex(tuple(first), _entry(position, 4, 0))


def _units(job: Job) -> _Units | None:
    carriers(job)
    refuse_indexed_inputs(job)
    table = job.table
    fixed = [(Semantic("COLOR", 0), _BYTES), (Semantic("COLOR", 1), _BYTES)]
    laid: list[tuple[int, int]] = []
    for semantic, form in fixed:
        laid += [(row.slot, _entry(0, form, None)) for row in table.rows if row.semantic == semantic][:1]
    units: list[int] = []
    has_fog = False
    for row in table.rows:
        if row.semantic.name in TEXTURE_NAMES:
            laid.append((row.slot, _entry(0, row.usage_mask.bit_length(), len(units))))
            units.append(row.semantic.index & 0xFF)
        elif row.semantic == Semantic("FOG"):
            laid += [] if has_fog else [(row.slot, _entry(0, 1, None))]
            has_fog = True
        elif not is_fixed(row.semantic):
            return None
    specials = []
    for item in table.specials:
        if item.semantic.name == "PCOORD":
            return None
        specials.append(len(units) << 12)
        units.append(FACE if item.semantic.name == "FACE" else WINDOW)
    too_many(job, len(units), UNITS, "texture units")
    units += [EMPTY] * (UNITS - len(units))
    return _Units(tuple(units), tuple(slot for slot, _ in laid), tuple(entry for _, entry in laid), tuple(specials))


def _join(theirs: _Vertex, ours: _Units, registers: Registers) -> tuple[tuple[Words, ...], tuple[Patch, ...]]:
    layout = [*theirs.first]
    for slot, entry in zip(ours.slots, ours.entries):
        register = registers[slot]
        layout.append(entry | (0xFF if register is None else register & 0xFF))
    layout += [theirs.position | unit for unit in ours.specials]
    return (("units", 8, ours.units), ("vertex layout", 32, tuple(layout))), ()


PLAIN = Plain(_vertex, _units, _join)


PROFILE = Profile(
    "i915", "Intel i915", BYTE, build=build, plain=PLAIN, interpolators=UNITS, has_fragment_flow=False, has_primitive_id=False
)
