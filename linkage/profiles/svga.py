"""svga: VGPU9 declares shader model 3 names, VGPU10 links slots at draw time.

A declaration word of VGPU9 has the usage in bits 0 to 4 and its index in bits 16 to 19, bit 31 is set, as in Direct3D 9.
"""

from __future__ import annotations

from linkage.device import Job, Profile, too_many
from linkage.sm3 import INDICES, Usage, UsageName
from passes.validate.semantics import ARBITRARY, SM3
from tgsi.language.facts.semantics import Semantic

MASK_BITS = 64
"""Number of GENERIC indices for which the driver's mask of fragment inputs has room."""

_NAMED = ("GENERIC", "COLOR", "BCOLOR", "FOG")
_SPECIAL = {"POSITION": "VPOS", "FACE": "VFACE", "PCOORD": "point coordinate"}
_REGISTER_MASK = 0xFF


def word(usage: Usage) -> int:
    """A declaration word."""
    return 1 << 31 | int(usage.name) | usage.index << 16


def build_names(job: Job) -> None:
    """Declare VGPU9's names of inputs and outputs. GENERIC goes to TEXCOORD 1 and up, in the order of the fragment program's indices."""
    table = job.table
    by_register = {output.register: output.semantic for output in job.producer.outputs}
    # An input takes the name of the output that feeds it, whose semantic differs under a link state or a color fallback.
    sources = [row.semantic if row.output_register is None else by_register[row.output_register] for row in table.rows]
    generics = sorted({source.index for source in sources if source.name == "GENERIC"})
    for row, source in zip(table.rows, sources):
        if source.name == "GENERIC" and source.index >= MASK_BITS:
            text = f"{source}: the mask of fragment inputs has room for 0 to {MASK_BITS - 1}"
            job.error("K032", text, register=row.input_register, hint="renumber both programs")
        elif source.name not in _NAMED or (source.name != "GENERIC" and source.index > 1):
            job.error("K032", f"IN[{row.input_register}] {source} has no shader model 3 name", register=row.input_register)
    too_many(job, len(generics), INDICES - 1, "texture coordinate names (the first is fog)")
    job.stop_if_errors()
    remap = {index: number for number, index in enumerate(generics, 1)}
    rest = len(generics) + 1

    def usage(semantic: Semantic) -> Usage | None:
        if semantic.name == "GENERIC":
            number = remap.get(semantic.index, rest)
            return Usage(UsageName.TEXCOORD, number) if number < INDICES else None
        names = {"POSITION": (UsageName.POSITION, 0), "PSIZE": (UsageName.PSIZE, 0), "FOG": (UsageName.TEXCOORD, 0)}
        names |= {"COLOR": (UsageName.COLOR, semantic.index), "BCOLOR": (UsageName.COLOR, semantic.index + 2)}
        found = names.get(semantic.name)
        return Usage(*found) if found is not None and found[1] < INDICES else None

    outputs, inputs = [], []
    for output in job.producer.outputs:
        name = usage(output.semantic)
        if name is None:
            job.warning(
                "K034", f"OUT[{output.register}] {output.semantic} has no shader model 3 name and is not declared", span=output.span
            )
            continue
        unread = " (never read)" if output.semantic.name == "GENERIC" and output.semantic.index not in remap else ""
        outputs.append((word(name), f"OUT[{output.register}] {output.semantic} is {name}{unread}"))
    for row, source in zip(table.rows, sources):
        name = usage(source)
        assert name is not None
        inputs.append((word(name), f"IN[{row.input_register}] {row.semantic} is {name}"))
        job.place(f"IN[{row.input_register}] {row.semantic}", str(name))
        if row.output_register is None:
            text = f"IN[{row.input_register}] {row.semantic} is fed by nothing; what it reads is up to the host"
            job.warning("K034", text, register=row.input_register)
    for item in table.specials:
        job.place(f"IN[{item.input_register}] {item.semantic}", _SPECIAL[item.semantic.name])
    job.block("output names", 32, outputs)
    job.block("input names", 32, inputs)


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
            text = f"IN[{row.input_register}] {row.semantic} is fed by nothing; it gets the free slot {slot}"
            job.warning("K034", text, register=row.input_register)
        slot = shadow.get(slot, slot)
        flip = " with t upside down" if job.is_sprite(row.semantic) and job.options.sprite_lower_left else ""
        entries.append((slot & _REGISTER_MASK, f"IN[{row.input_register}] {row.semantic}{flip}"))
        job.place(f"IN[{row.input_register}] {row.semantic}", f"slot {slot}{flip}")
        behind = table.back_register(row)
        if job.options.light_twoside and row.semantic.name == "COLOR" and behind not in (None, row.output_register):
            entries.append(((behind or 0) & _REGISTER_MASK, f"back of IN[{row.input_register}], chosen by facing"))
    too_many(job, free, job.profile.interpolators, "slots")
    for item in table.specials:
        job.place(f"IN[{item.input_register}] {item.semantic}", "system value")
    job.block("input slots", 8, entries)
    if shadow:
        job.block("clip shadows", 8, [(to, f"copy of OUT[{register}]") for register, to in shadow.items()])


VGPU9 = Profile("svga", "VMware svga, VGPU9", SM3, build=build_names, interpolators=16, has_geometry=False, has_primitive_id=False)
VGPU10 = Profile("svga10", "VMware svga, VGPU10", ARBITRARY, build=build_slots, interpolators=64)
