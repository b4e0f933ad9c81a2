"""svga: VGPU9 declares shader model 3 names, VGPU10 links slots at draw time.

A declaration word of VGPU9 has the usage in bits 0 to 4 and its index in bits 16 to 19, bit 31 is set, as in Direct3D 9. The names are
those of `linkage.sm3`, so GENERIC uses all names not taken by other semantics, and separately translated programs agree. (The driver used
only 15 texture coordinates and the sixteenth for fog; the proposal of 2010 asks for the other names, too.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkage.checks import fed_by_nothing, no_carrier, too_many
from linkage.device import Job, Plain, Profile, Registers
from linkage.device_link import Patch, Words
from linkage.sm3 import Usage, scheme
from passes.validate.semantics import ARBITRARY, SM3
from tgsi.language.facts.semantics import Semantic
from tgsi.language.record import record

_SPECIAL = {"POSITION": "VPOS", "FACE": "VFACE", "PCOORD": "point coordinate"}
_REGISTER_MASK = 0xFF
SLOTS = 64
"""Slots between two stages of VGPU10, that of the position included."""


def word(usage: Usage) -> int:
    """A declaration word."""
    return 1 << 31 | int(usage.name) | usage.index << 16


def build_names(job: Job) -> None:
    """Declare VGPU9's names of inputs and outputs. A name depends only on the semantic and on the presence of back colors."""
    table = job.table
    sources = {row.input_register: job.source(row) or row.semantic for row in table.rows}
    names = _names(job, sources)
    for row in table.rows:
        if row.input_register not in names:
            no_carrier(job, row, "shader model 3 name")
    read = set(sources.values())
    too_many(job, sum(source.name == "GENERIC" for source in read), job.profile.interpolators, "interpolators")
    job.stop_if_errors()
    outputs, inputs, backs = [], [], []
    for output in job.producer.outputs:
        name = names.get(output.semantic)
        if name is None:
            text = f"OUT[{output.register}] {output.semantic} has no shader model 3 name and is not declared"
            job.warning("K034", text, span=output.span, hint="the fragment program does not read it; leave it out")
            continue
        unread = " (never read)" if output.semantic.name == "GENERIC" and output.semantic not in read else ""
        outputs.append((word(name), f"OUT[{output.register}] {output.semantic} is {name}{unread}"))
    for row in table.rows:
        name = names[row.input_register]
        inputs.append((word(name), f"IN[{row.input_register}] {row.semantic} is {name}"))
        job.place(f"IN[{row.input_register}] {row.semantic}", str(name))
        if row.output_register is None and not job.is_sprite(row.semantic):
            fed_by_nothing(job, row, "the value depends on the host")
        if job.is_sprite(row.semantic):
            text = f"IN[{row.input_register}] {row.semantic}: its name does not say that the point coordinate replaces it"
            job.warning("K036", text, register=row.input_register, hint="replace the coordinate of points in the fragment program")
        behind = table.back_register(row)
        if job.options.light_twoside and behind != row.output_register and behind is not None:
            name = names[job.feeding[behind]]
            backs.append((word(name), f"back of IN[{row.input_register}] is {name}, chosen by facing"))
    for item in table.specials:
        job.place(f"IN[{item.input_register}] {item.semantic}", _SPECIAL[item.semantic.name])
    job.block("output names", 32, outputs)
    job.block("input names", 32, inputs)
    if backs:
        job.block("back names", 32, backs)


def _names(job: Job, sources: Mapping[int, Semantic]) -> dict[Semantic | int, Usage]:
    """The names of the semantics of outputs, and of input registers. Semantics that can have none are absent.

    Names left free by the pair are used for GENERIC indices beyond the regular names, with a warning, and for inputs that a link state
    leaves without an output although their own semantic has one. `sources` has the semantic that feeds each input register.
    """
    known = scheme(has_back=job.has_back)
    used = list(dict.fromkeys((*job.feeding.values(), *sources.values())))
    names: dict[Semantic | int, Usage] = {semantic: name for semantic in used if (name := known.name_of(semantic)) is not None}
    high = [semantic for semantic in used if semantic.name == "GENERIC" and semantic not in names]
    unfed = [r.input_register for r in job.table.rows if r.output_register is None and r.semantic in job.producer.by_semantic]
    spare: list[Semantic | int] = [*high, *unfed]
    for key, name in zip(spare, known.free_names(used) if spare else ()):
        names[key] = name
        if isinstance(key, Semantic):
            text = f"{key} is above {known.generics - 1} and takes the name {name}, which this pair leaves free"
            job.warning("K038", text, span=job.span_of(key), hint="give both programs a lower index if other programs link with them")
    for register, source in sources.items():
        if register not in unfed and source in names:
            names[register] = names[source]
    return names


def build_slots(job: Job) -> None:
    """Link VGPU10's slots: each input has the slot of its output; unmatched inputs get free slots above the outputs.

    Clip distances have shadow copies after the outputs; under two-sided light a color is followed by its back color.
    """
    table = job.table
    shadow = {}
    free = job.producer.first_free
    for register in table.clip_distance:
        if register is not None:
            shadow[register] = free
            free += 1
    entries = []
    for row in table.rows:
        slot = row.output_register
        if slot is None:
            slot, free = free, free + 1
            if not job.is_sprite(row.semantic):
                fed_by_nothing(job, row, f"it gets the free slot {slot}")
        slot = shadow.get(slot, slot)
        flip = " with t upside down" if job.is_sprite(row.semantic) and job.options.sprite_lower_left else ""
        entries.append((slot & _REGISTER_MASK, f"IN[{row.input_register}] {row.semantic}{flip}"))
        job.place(f"IN[{row.input_register}] {row.semantic}", f"slot {slot}{flip}")
        behind = table.back_register(row)
        if job.options.light_twoside and row.semantic.name == "COLOR" and behind not in (None, row.output_register):
            entries.append(((behind or 0) & _REGISTER_MASK, f"back of IN[{row.input_register}], chosen by facing"))
    too_many(job, free, SLOTS, "slots")
    job.sprites({row.input_register: row.input_register for row in table.rows if job.is_sprite(row.semantic)})
    for item in table.specials:
        job.place(f"IN[{item.input_register}] {item.semantic}", "system value")
    job.block("input slots", 8, entries)
    if shadow:
        job.block("clip shadows", 8, [(to, f"copy of OUT[{register}]") for register, to in shadow.items()])


@record
class _Names:
    """Declaration words of one program, without and with back colors in one of the two."""

    words: tuple[tuple[int, ...], tuple[int, ...]]
    has_back: bool


def _name_outputs(job: Job) -> _Names | None:
    semantics = [output.semantic for output in job.producer.outputs]
    return _names_of(semantics, indices_has_back=job.has_back_outputs)


def _name_inputs(job: Job) -> _Names | None:
    semantics = [row.semantic for row in job.table.rows]
    too_many(job, len({s for s in semantics if s.name == "GENERIC"}), job.profile.interpolators, "interpolators")
    names = _names_of(semantics, indices_has_back=job.has_back_inputs)
    return names if names is not None and all(len(words) == len(semantics) for words in names.words) else None


def _names_of(semantics: Sequence[Semantic], *, indices_has_back: bool) -> _Names | None:
    """The words of semantics; those without a name are left out.

    None if a GENERIC has none, which then takes a name left free by the pair.
    """
    words = []
    for has_back in (False, True):
        names = [(semantic, scheme(has_back=has_back).name_of(semantic)) for semantic in semantics]
        if any(name is None and semantic.name == "GENERIC" for semantic, name in names):
            return None
        words.append(tuple(word(name) for _, name in names if name is not None))
    return _Names((words[0], words[1]), indices_has_back)


def _join_names(theirs: _Names, ours: _Names, _registers: Registers) -> tuple[tuple[Words, ...], tuple[Patch, ...]]:
    has_back = theirs.has_back or ours.has_back
    return (("output names", 32, theirs.words[has_back]), ("input names", 32, ours.words[has_back])), ()


def _free_slot(job: Job) -> int | None:
    return None if any(register is not None for register in job.table.clip_distance) else job.producer.first_free


def _input_slots(_job: Job) -> bool:
    return True


def _join_slots(free: int, _ours: bool, registers: Registers) -> tuple[tuple[Words, ...], tuple[Patch, ...]] | None:
    slots = registers
    if None in registers:
        slots = []
        for slot in registers:
            if slot is None:
                slot, free = free, free + 1
            slots.append(slot)
    return None if free > SLOTS else ((("input slots", 8, tuple(slots)),), ())  # type: ignore[arg-type]


NAMES = Plain(_name_outputs, _name_inputs, _join_names)
LINKED_SLOTS = Plain(_free_slot, _input_slots, _join_slots)


VGPU9 = Profile(
    "svga", "VMware svga, VGPU9", SM3, build=build_names, plain=NAMES, interpolators=16, has_geometry=False, has_primitive_id=False
)
VGPU10 = Profile(
    "svga10", "VMware svga, VGPU10", ARBITRARY, build=build_slots, plain=LINKED_SLOTS, interpolators=SLOTS - 1
)  # one has the position
