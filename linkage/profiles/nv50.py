"""nv50: a map of up to 64 bytes, one for each scalar component that the fragment program reads, and a similar map before a geometry
program.

A byte has the number of the output component that feeds this input component; the components that the
vertex program writes are numbered in the order of its outputs.
0x40 means 0, 0x41 means 1; after a geometry program the constants start at 0x80. Outputs are found through a dictionary, so the map is
built in O(inputs + outputs); the original driver searches, in O(inputs x outputs).
"""

from __future__ import annotations

from linkage.device import Job, Plain, Profile, Registers
from linkage.device_link import Patch, Words
from linkage.rows import Relocation
from passes.validate.semantics import ARBITRARY
from tgsi.language.facts.enums import CHANNELS, Interpolation
from tgsi.language.facts.semantics import Semantic
from tgsi.language.record import record

SIZE = 64
_W = 8
CONSTANT = 0x40
CONSTANT_BEHIND_GEOMETRY = 0x80
_APPENDED = ("point_size", "layer", "viewport")


class _ComponentMap:
    """The map under construction: for each byte the component that feeds it, and its interpolation.

    Attributes:
        entries: (number, words that name it) of each byte.
        linear: bit i is set if byte i is interpolated without perspective. sprites: four bits for each byte of the map: 1 + the
        channel of the point sprite's coordinate, 0 if it is none.
    """

    def __init__(self, job: Job) -> None:
        self.job, self.table = job, job.table
        self.base = CONSTANT_BEHIND_GEOMETRY if job.is_behind_geometry else CONSTANT
        self.numbers = _component_numbers(job, self.base)
        self.entries: list[tuple[int, str]] = []
        self.linear, self.sprites = 0, [0] * 8

    def add(self, register: int | None, channel: int, name: str) -> int:
        """Append a byte for a channel of an output, or for the constant 0 or 1; returns its place."""
        number = None if register is None else self.numbers.get((register, channel))
        self.entries.append((self.base | (channel == 3) if number is None else number, name))
        return len(self.entries) - 1

    def add_all(self, register: int | None, name: str, mask: int = 15) -> None:
        """Append the channels of a mask."""
        for channel in range(4):
            if mask >> channel & 1:
                self.add(register, channel, f"{name}.{CHANNELS[channel]}")

    def add_row(self, row: Relocation, is_whole: bool) -> int:
        """Append the channels that an input of the fragment program reads, or all of them; returns the place of the first."""
        first = len(self.entries)
        for channel in range(4):
            if not (row.usage_mask >> channel & 1 or is_whole):
                continue
            at = self.add(row.output_register, channel, f"{row.semantic}.{CHANNELS[channel]}")
            if row.interpolation in (Interpolation.LINEAR, Interpolation.CONSTANT) and at < SIZE:
                self.linear |= 1 << at
            if self.job.is_sprite(row.semantic):
                self._mark_sprite(at, channel)
        _check_w(self.job, row)
        self.job.place(f"IN[{row.input_register}] {row.semantic}", f"map {first} to {len(self.entries) - 1}")
        return first

    def add_specials(self) -> None:
        """Append inputs that the chip feeds, and outputs that it reads from the end of the map."""
        for item in self.table.specials:
            place = "fixed"
            if item.semantic.name == "PRIM_ID":
                place = f"map {self.add(self.job.producer.by_semantic.get(item.semantic), 0, 'PRIM_ID')}"
            elif item.semantic.name == "PCOORD":
                first = len(self.entries)
                for channel in range(4):
                    self._mark_sprite(self.add(None, channel, f"PCOORD.{CHANNELS[channel]}"), channel)
                place = f"map {first} to {first + 3}"
            self.job.place(f"IN[{item.input_register}] {item.semantic}", place)
        for field in _APPENDED:
            register = getattr(self.table, field)
            if register is not None:
                self.add(register, 0, field.replace("_", " "))

    def _mark_sprite(self, at: int, channel: int) -> None:
        if at < SIZE:
            self.sprites[at // 8] |= channel + 1 << at % 8 * 4


def build(job: Job) -> None:
    """Build the map, the color ids, sprite nibbles and the bits of components without perspective."""
    table, components = job.table, _ComponentMap(job)
    entries = components.entries
    components.add_all(table.position, "POSITION")
    for index, register in enumerate(table.clip_distance):
        if register is not None:
            components.add_all(register, f"CLIPDIST[{index}]", job.written.get(register, 0))
    colors = [row for row in table.rows if row.semantic.name == "COLOR"]
    first_back = None
    if job.options.light_twoside and colors:
        first_back = len(entries)
        for row in colors:
            components.add_all(table.back_register(row), f"BCOLOR[{row.semantic.index}]")
    rows = table.rows if first_back is None else (*colors, *(row for row in table.rows if row not in colors))
    front = []
    for row in rows:  # under two-sided light whole colors come first, in the order of the back colors
        is_color = row.semantic.name == "COLOR"
        first = components.add_row(row, is_whole=first_back is not None and is_color)
        if is_color:
            front.append(first)
    components.add_specials()
    if len(entries) > SIZE:
        hint = "read fewer components"
        job.error("K030", f"the fragment program needs {len(entries)} components, the device has {SIZE}", hint=hint)
        job.stop_if_errors()
    job.block("map", 8, entries)
    first_front = min(front, default=4)
    if job.options.light_twoside and first_back is None:
        text = "two-sided light is on, but there is no color; the ids of front and back color must differ, so the back color gets id 0"
        job.warning("K036", text, hint="turn two-sided light off")
        first_back = 0
    job.block("color ids", 8, [(first_front, "first front color"), (first_front if first_back is None else first_back, "first back color")])
    numbers, linear = components.numbers, components.linear
    job.block("results", 16, [(register << 2 | channel, f"OUT[{register}].{CHANNELS[channel]}") for register, channel in numbers])
    job.block("no perspective", 32, [(linear & 0xFFFFFFFF, "components 0 to 31"), (linear >> 32, "components 32 to 63")])
    if any(components.sprites):
        words = [(word, f"components {8 * i} to {8 * i + 7}") for i, word in enumerate(components.sprites)]
        job.block("sprite", 32, words)


def _check_w(job: Job, row: Relocation) -> None:
    """Note a warning if an unwritten w of an output is read: this map has the constant 1, other profiles have 0."""
    register = row.output_register
    if register is not None and row.usage_mask & ~job.written.get(register, 0) & _W:
        text = f"{job.label(row)}.w: nothing writes w of OUT[{register}]; it is 1 here, and 0 in the software profile"
        job.warning("K036", text, register=row.input_register, hint=f"write OUT[{register}].w in the vertex program")


def build_between(job: Job) -> None:
    """Build the map between a vertex and a geometry program: each component that the geometry program reads of a vertex.

    Nothing is interpolated, and the position is an input like any other. A primitive's number comes from the chip.
    """
    numbers = _component_numbers(job, CONSTANT)
    entries: list[tuple[int, str]] = []
    for row in job.table.rows:
        if row.semantic == Semantic("PRIM_ID"):
            job.place(f"IN[{row.input_register}] {row.semantic}", "fixed")
            continue
        first = len(entries)
        for channel in range(4):
            if row.usage_mask >> channel & 1:
                number = None if row.output_register is None else numbers.get((row.output_register, channel))
                what = f"{row.semantic}.{CHANNELS[channel]}"
                entries.append((CONSTANT | (channel == 3) if number is None else number, what))
        job.place(f"IN[][{row.input_register}] {row.semantic}", f"map {first} to {len(entries) - 1}")
        _check_w(job, row)
    if len(entries) > SIZE:
        text = f"the geometry program needs {len(entries)} components of a vertex, the device has {SIZE}"
        job.error("K030", text, register=job.table.rows[-1].input_register, hint="read fewer components")
    job.block("map", 8, entries)
    job.block("results", 16, [(register << 2 | channel, f"OUT[{register}].{CHANNELS[channel]}") for register, channel in numbers])


def _component_numbers(job: Job, count: int) -> dict[tuple[int, int], int]:
    """Number of every component that the vertex program writes, by (register, channel).

    If there are more than `count`, outputs that nobody reads are dropped.
    """
    registers = sorted({output.register for output in job.producer.outputs})
    if sum(job.written.get(register, 0).bit_count() for register in registers) > count:
        dead = {item.output_register for item in job.table.dead_outputs}
        registers = [register for register in registers if register not in dead]
    places = [(register, channel) for register in registers for channel in range(4) if job.written.get(register, 0) >> channel & 1]
    if len(places) > count:
        hint = "write fewer components, or leave out outputs that the fragment program does not read"
        job.error("K030", f"the vertex program writes {len(places)} components, the device has {count}", hint=hint)
    return {place: number for number, place in enumerate(places)}


@record
class _Components:
    """Entries of the map before and after the fragment program's inputs; by_mask: channel mask -> output register -> its entries."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    by_mask: dict[int, dict[int | None, tuple[int, ...]]]
    results: tuple[int, ...]


@record
class _Reads:
    """Masks of the inputs, bits of components without perspective from the first input on, and the place of the first color."""

    masks: tuple[int, ...]
    linear: int
    color: int | None


def _components(job: Job) -> _Components | None:
    if sum(mask.bit_count() for mask in job.written.values()) > CONSTANT:
        return None
    numbers, table = _component_numbers(job, CONSTANT), job.table
    registers: list[int | None] = [None, *(output.register for output in job.producer.outputs)]
    whole = {r: tuple(CONSTANT | (c == 3) if r is None else numbers.get((r, c), CONSTANT | (c == 3)) for c in range(4)) for r in registers}
    by_mask = {mask: {r: tuple(all4[c] for c in range(4) if mask >> c & 1) for r, all4 in whole.items()} for mask in range(16)}
    before = list(whole[table.position])
    for register in table.clip_distance:
        if register is not None:
            before += by_mask[job.written.get(register, 0)][register]
    after = [whole[register][0] for field in _APPENDED if (register := getattr(table, field)) is not None]
    return _Components(tuple(before), tuple(after), by_mask, tuple(register << 2 | channel for register, channel in numbers))


def _reads(job: Job) -> _Reads | None:
    if any(item.semantic.name in ("PRIM_ID", "PCOORD") for item in job.table.specials):
        return None
    linear, count, color = 0, 0, None
    for row in job.table.rows:
        size = row.usage_mask.bit_count()
        if row.interpolation in (Interpolation.LINEAR, Interpolation.CONSTANT):
            linear |= (1 << size) - 1 << count
        if color is None and row.semantic.name == "COLOR":
            color = count
        count += size
    return _Reads(tuple(row.usage_mask for row in job.table.rows), linear, color)


def _join(theirs: _Components, ours: _Reads, registers: Registers) -> tuple[tuple[Words, ...], tuple[Patch, ...]] | None:
    entries, by_mask, first = [*theirs.before], theirs.by_mask, len(theirs.before)
    for register, mask in zip(registers, ours.masks):
        entries += by_mask[mask][register]
    entries += theirs.after
    if len(entries) > SIZE:
        return None
    front, linear = 4 if ours.color is None else first + ours.color, ours.linear << first
    blocks = (
        ("map", 8, tuple(entries)),
        ("color ids", 8, (front, front)),
        ("results", 16, theirs.results),
        ("no perspective", 32, (linear & 0xFFFFFFFF, linear >> 32)),
    )
    return blocks, ()


PLAIN = Plain(_components, _reads, _join)


PROFILE = Profile(
    "nv50",
    "NVIDIA nv50",
    ARBITRARY,
    build=build,
    plain=PLAIN,
    build_between=build_between,
    interpolators=SIZE // 4 - 1,  # the position is in the map, too
    has_tessellation=False,
)
