"""nv50: a map of up to 64 bytes, one for each scalar component that the fragment program reads.

A byte is the number of the component that feeds it: components that the vertex program writes are numbered in the order of its
outputs. 0x40 stands for 0, 0x41 for 1; after a geometry program the constants start at 0x80. Outputs are found through a
dictionary, so the map is built in O(inputs + outputs); the original driver searches, in O(inputs x outputs).
"""

from __future__ import annotations

from linkage.device import Job, Profile
from passes.validate.semantics import ARBITRARY
from tgsi.language.facts.enums import CHANNELS, Interpolation, Processor

SIZE = 64
CONSTANT = 0x40
CONSTANT_BEHIND_GEOMETRY = 0x80
_APPENDED = ("point_size", "layer", "viewport")


def build(job: Job) -> None:
    """Build the map, the color ids, sprite nibbles and the bits of components without perspective."""
    table = job.table
    base = CONSTANT_BEHIND_GEOMETRY if job.vertex.processor is Processor.GEOM else CONSTANT
    numbers = _component_numbers(job)
    entries: list[tuple[int, str]] = []

    def add(register: int | None, channel: int, what: str) -> int:
        number = None if register is None else numbers.get((register, channel))
        entries.append((base | (channel == 3) if number is None else number, what))
        return len(entries) - 1

    def add_all(register: int | None, what: str, mask: int = 15) -> list[int]:
        return [add(register, c, f"{what}.{CHANNELS[c]}") for c in range(4) if mask >> c & 1]

    add_all(table.position, "POSITION")
    for index, register in enumerate(table.clip_distance):
        if register is not None:
            add_all(register, f"CLIPDIST[{index}]", job.written.get(register, 0))
    back: dict[int, int] = {}
    for row in table.rows:
        behind = table.back_register(row)
        if job.options.light_twoside and row.semantic.name == "COLOR" and behind is not None:
            back[row.semantic.index] = add_all(behind, f"BCOLOR[{row.semantic.index}]")[0]
    linear, sprites, front = 0, [0] * 8, {}
    for row in table.rows:
        where = job.options.light_twoside and row.semantic.name == "COLOR"
        first = len(entries)
        for channel in range(4):
            if not (row.usage_mask >> channel & 1 or where):
                continue
            at = add(row.output_register, channel, f"{row.semantic}.{CHANNELS[channel]}")
            if row.interpolation in (Interpolation.LINEAR, Interpolation.CONSTANT) and at < SIZE:
                linear |= 1 << at
            if job.is_sprite(row.semantic) and at < SIZE:
                sprites[at // 8] |= channel + 1 << at % 8 * 4
        if row.semantic.name == "COLOR":
            front[row.semantic.index] = first
        job.place(f"IN[{row.input_register}] {row.semantic}", f"map {first} to {len(entries) - 1}")
    for item in table.specials:
        if item.semantic.name == "PRIM_ID":
            job.place(f"IN[{item.input_register}] PRIM_ID", f"map {len(entries)}")
            add(job.producer.by_semantic.get(item.semantic), 0, "PRIM_ID")
        elif item.semantic.name == "PCOORD":
            first = len(entries)
            for channel in range(4):
                at = add(None, channel, f"PCOORD.{CHANNELS[channel]}")
                if at < SIZE:
                    sprites[at // 8] |= channel + 1 << at % 8 * 4
            job.place(f"IN[{item.input_register}] PCOORD", f"map {first} to {first + 3}")
        else:
            job.place(f"IN[{item.input_register}] {item.semantic}", "fixed")
    for field in _APPENDED:
        register = getattr(table, field)
        if register is not None:
            add(register, 0, field.replace("_", " "))
    if len(entries) > SIZE:
        hint = "read fewer components"
        job.error("K030", f"the fragment program needs {len(entries)} components, the device has {SIZE}", hint=hint)
        job.stop_if_errors()
    job.block("map", 8, entries)
    first_front = min(front.values(), default=4)
    first_back = min(back.values(), default=first_front)
    if job.options.light_twoside and not back:
        job.warning(
            "K036", "two-sided light is on, but there is no color; the ids of front and back color must differ, so 0 stands for back"
        )
        first_back = 0
    job.block("color ids", 8, [(first_front, "first front color"), (first_back, "first back color")])
    job.block("no perspective", 32, [(linear & 0xFFFFFFFF, "components 0 to 31"), (linear >> 32, "components 32 to 63")])
    if any(sprites):
        job.block("sprite", 32, [(word, f"components {8 * i} to {8 * i + 7}") for i, word in enumerate(sprites)])


def _component_numbers(job: Job) -> dict[tuple[int, int], int]:
    """Number of every component that the vertex program writes, by (register, channel)."""
    numbers: dict[tuple[int, int], int] = {}
    for output in sorted(job.producer.outputs, key=lambda output: output.register):
        for channel in range(4):
            if job.written.get(output.register, 0) >> channel & 1 and len(numbers) < CONSTANT:
                numbers[output.register, channel] = len(numbers)
    return numbers


PROFILE = Profile("nv50", "NVIDIA nv50", ARBITRARY, build=build)
