"""svga: VGPU9 declares shader model 3 names, VGPU10 links slots at draw time.

A declaration word of VGPU9 has the usage in bits 0 to 4 and its index in bits 16 to 19, bit 31 is set, as in Direct3D 9.
"""

from __future__ import annotations

from linkage.device import Job, Profile, fed_by_nothing, no_carrier, too_many
from linkage.sm3 import BACK, INDICES, OWN, Usage, UsageName
from passes.validate.semantics import ARBITRARY, SM3
from tgsi.language.facts.semantics import Semantic

MASK_BITS = 64
"""Number of GENERIC indices for which the driver's mask of fragment inputs has room."""

_SPECIAL = {"POSITION": "VPOS", "FACE": "VFACE", "PCOORD": "point coordinate"}
_REGISTER_MASK = 0xFF


def word(usage: Usage) -> int:
    """A declaration word."""
    return 1 << 31 | int(usage.name) | usage.index << 16


def own_name(semantic: Semantic) -> Usage | None:
    """The name of a semantic that has one of its own; None for GENERIC, and for semantics without a name."""
    back = BACK.get(semantic)
    return Usage(UsageName.TEXCOORD, 0) if semantic == Semantic("FOG") else back or OWN.get(semantic)


def build_names(job: Job) -> None:
    """Declare VGPU9's names of inputs and outputs. GENERIC goes to TEXCOORD 1 and up, in the order of the fragment program's indices."""
    table = job.table
    outputs_of = job.producer.by_semantic
    numbered: dict[Semantic | int, str] = {}  # GENERIC outputs, and registers of inputs that must have a name that no output has
    for row in table.rows:
        source = job.source(row) or row.semantic
        where = f"IN[{row.input_register}] {source}"
        if row.output_register is None and row.semantic in outputs_of:  # under a link state
            numbered[row.input_register] = where
        elif source.name == "GENERIC" and source.index >= MASK_BITS:
            text = f"{where}: the mask of fragment inputs has room for 0 to {MASK_BITS - 1}"
            job.error("K032", text, register=row.input_register, hint="renumber both programs")
        elif source.name == "GENERIC":
            numbered[source] = where
        elif own_name(source) is None:
            no_carrier(job, row, "shader model 3 name")
    order = sorted(numbered, key=lambda key: (MASK_BITS, key) if isinstance(key, int) else (key.index, 0))
    too_many(job, len(order), INDICES - 1, "texture coordinate names (the first is fog)")
    job.stop_if_errors()
    remap = {key: Usage(UsageName.TEXCOORD, number) for number, key in enumerate(order, 1)}
    rest = Usage(UsageName.TEXCOORD, len(order) + 1) if len(order) + 1 < INDICES else None
    outputs, inputs, backs = [], [], []
    for output in job.producer.outputs:
        name = remap.get(output.semantic, rest) if output.semantic.name == "GENERIC" else own_name(output.semantic)
        if name is None:
            text = f"OUT[{output.register}] {output.semantic} has no shader model 3 name and is not declared"
            job.warning("K034", text, span=output.span, hint="the fragment program does not read it; leave it out")
            continue
        unread = " (never read)" if output.semantic.name == "GENERIC" and output.semantic not in remap else ""
        outputs.append((word(name), f"OUT[{output.register}] {output.semantic} is {name}{unread}"))
    for row in table.rows:
        source = job.source(row) or row.semantic
        name = remap.get(row.input_register) or remap.get(source) or own_name(source)
        assert name is not None
        inputs.append((word(name), f"IN[{row.input_register}] {row.semantic} is {name}"))
        job.place(f"IN[{row.input_register}] {row.semantic}", str(name))
        if row.output_register is None and not job.is_sprite(row.semantic):
            fed_by_nothing(job, row, "what it reads is up to the host")
        if job.is_sprite(row.semantic):
            text = f"IN[{row.input_register}] {row.semantic}: its name does not say that the point coordinate replaces it"
            job.warning("K036", text, register=row.input_register, hint="replace the coordinate of points in the fragment program")
        behind = table.back_register(row)
        if job.options.light_twoside and behind != row.output_register and behind is not None:
            name = own_name(job.feeding[behind])
            assert name is not None
            backs.append((word(name), f"back of IN[{row.input_register}] is {name}, chosen by facing"))
    for item in table.specials:
        job.place(f"IN[{item.input_register}] {item.semantic}", _SPECIAL[item.semantic.name])
    job.block("output names", 32, outputs)
    job.block("input names", 32, inputs)
    if backs:
        job.block("back names", 32, backs)


def build_slots(job: Job) -> None:
    """Link VGPU10's slots: each input has the slot of its output; unmatched inputs get free slots above the outputs.

    Clip distances have shadow copies after the outputs; under two-sided light a color comes with its back color.
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
    too_many(job, free, job.profile.interpolators, "slots")
    job.sprites({row.input_register: row.input_register for row in table.rows if job.is_sprite(row.semantic)})
    for item in table.specials:
        job.place(f"IN[{item.input_register}] {item.semantic}", "system value")
    job.block("input slots", 8, entries)
    if shadow:
        job.block("clip shadows", 8, [(to, f"copy of OUT[{register}]") for register, to in shadow.items()])


VGPU9 = Profile("svga", "VMware svga, VGPU9", SM3, build=build_names, interpolators=16, has_geometry=False, has_primitive_id=False)
VGPU10 = Profile("svga10", "VMware svga, VGPU10", ARBITRARY, build=build_slots, interpolators=64)
