"""r300: the RS block routes interpolators to fragment registers, rebuilt whenever programs or rasterizer state change.

Both sides allocate in one canonical order: position, point size, colors, back colors, face, 256 generics, fog, window position. (The
driver kept 16 generics, later 32: only the length of its table, which the proposal of 2010 has raised.)
An entry of the RS block is packed here as: kind in bits 0 to 3 (0 color, 1 texture coordinate), interpolator in bits 4 to 9,
fragment register in bits 10 to 15 (0x3f: not written), four components of 3 bits from bit 16 on (0 to 3 xyzw, 4 zero, 5 one).
Two blocks of bytes name the output register in each interpolator (0xff: none, the chip fills it).
"""

from __future__ import annotations

from dataclasses import KW_ONLY

from linkage.checks import carriers, check_channels, check_sides, fed_by_nothing, is_fixed, no_carrier, wrong_carrier
from linkage.device import TEXTURE_NAMES, Job, Plain, Profile, Registers
from linkage.device_link import Patch, Words
from linkage.rows import Relocation
from passes.validate.semantics import BYTE
from tgsi.language.record import record

TEXTURES = 8
COLORS = 2
NOWHERE = 0x3F
NUMBER = 4
"""Lowest bit of an interpolator's number in an entry."""
NO_OUTPUT = 0xFF
_X = 1
_XYZW, _XY01, _X001 = (0, 1, 2, 3), (0, 1, 4, 5), (0, 4, 4, 5)


def build(job: Job) -> None:
    """Build the RS block, in the driver's order."""
    rs = _Block(job)
    others = [row for row in job.table.rows if row.semantic.name not in TEXTURE_NAMES]
    for row in others:
        if not is_fixed(row.semantic):
            no_carrier(job, row, "interpolator")
    for row in job.table.rows:
        wrong_carrier(job, row)
    generics = carriers(job)
    job.stop_if_errors()
    rs.colors()
    _face(job, rs)
    for row in generics:
        if job.is_sprite(row.semantic):
            rs.texture(row.input_register, str(row.semantic), _XY01, "point coordinate ")
        else:
            rs.varying(row, _XYZW)
    for item in job.table.specials:
        if item.semantic.name == "PCOORD":
            rs.texture(item.input_register, "PCOORD", _XY01, "point coordinate ")
    for row in others:
        if row.semantic.name == "FOG":
            check_channels(job, row, _X, "the chip carries only x; y, z and w are 0, 0 and 1")
            rs.varying(row, _X001)
    for item in job.table.specials:
        if item.semantic.name == "POSITION":
            rs.texture(item.input_register, "POSITION", _XYZW, "copy of position ")
    rs.finish()


def _face(job: Job, rs: _Block) -> None:
    for item in job.table.specials:
        if item.semantic.name == "FACE" and job.options.light_twoside:
            text = f"IN[{item.input_register}] FACE cannot be combined with two-sided light"
            job.error("K031", text, register=item.input_register, hint="turn two-sided light off and select by FACE")
        elif item.semantic.name == "FACE":
            rs.entry(0, rs.take_color(what="FACE"), item.input_register, _XYZW, f"IN[{item.input_register}] FACE")


def entry_of(kind: int, number: int, register: int | None, swizzle: tuple[int, int, int, int]) -> int:
    """A word of the RS block."""
    target = NOWHERE if register is None else register & NOWHERE
    return kind | number << NUMBER | target << 10 | sum(part << 16 + 3 * c for c, part in enumerate(swizzle))


class _Block:
    """Interpolators taken so far, the output in each of them, and the entries that use them."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.entries: list[tuple[int, str]] = []
        self.color_sources: list[tuple[int, str]] = []
        self.texture_sources: list[tuple[int, str]] = []
        self.taken: dict[int, tuple[int, int]] = {}  # kind and number, by output register

    def entry(self, kind: int, number: int, register: int | None, swizzle: tuple[int, int, int, int], note: str) -> None:
        self.entries.append((entry_of(kind, number, register, swizzle), note))
        if register is not None:
            self.job.place(note.split(":")[0], f"{'texture coordinate' if kind else 'color'} {number}")

    def take_color(self, source: int = NO_OUTPUT, what: str = "") -> int:
        self.color_sources.append((source, what))
        return len(self.color_sources) - 1

    def take_texture(self, source: int = NO_OUTPUT, what: str = "") -> int:
        self.texture_sources.append((source, what))
        return len(self.texture_sources) - 1

    def colors(self) -> None:
        """Add colors by index, then back colors.

        Missing back colors get dummy coordinates, so that numbers are the same with two-sided light.
        """
        job, table = self.job, self.job.table
        rows = [(source.index, row) for row in table.rows if row.semantic.name == "COLOR" and (source := job.source(row)) is not None]
        for _, row in sorted(rows, key=lambda item: item[0]):
            check_sides(job, row)
            self.carry(row, _XYZW, is_color=True)
        for row in table.rows:
            if row.semantic.name == "COLOR" and row.output_register is None:
                self.unmatched(row)
        if not self.color_sources:
            self.entry(0, self.take_color(), None, _XYZW, "at least one color is always rasterized")
        if job.options.light_twoside:
            for index in range(COLORS):
                back = table.back.get(index)
                what = f"BCOLOR[{index}]" if back is not None else f"dummy for BCOLOR[{index}]"
                self.entry(1, self.take_texture(NO_OUTPUT if back is None else back, what), None, _XYZW, what)

    def carry(self, row: Relocation, swizzle: tuple[int, int, int, int], *, is_color: bool) -> None:
        """Route an output to an input. Inputs of one output share its interpolator."""
        output = row.output_register
        assert output is not None
        if output not in self.taken:
            what = str(self.job.source(row))
            self.taken[output] = (0, self.take_color(output, what)) if is_color else (1, self.take_texture(output, what))
        self.entry(*self.taken[output], row.input_register, swizzle, f"IN[{row.input_register}] {row.semantic}")

    def unmatched(self, row: Relocation) -> None:
        fed_by_nothing(self.job, row, "its register is not initialized")

    def varying(self, row: Relocation, swizzle: tuple[int, int, int, int]) -> None:
        """Add a texture coordinate, or a color interpolator when all coordinates are in use. Unmatched varyings are skipped."""
        if row.output_register is None:
            self.unmatched(row)
        else:
            is_full = len(self.texture_sources) >= TEXTURES and len(self.color_sources) < COLORS
            self.carry(row, swizzle, is_color=is_full)

    def texture(self, register: int, what: str, swizzle: tuple[int, int, int, int], note: str) -> None:
        """Add a texture coordinate that the chip fills itself."""
        self.entry(1, self.take_texture(what=note.strip()), register, swizzle, f"IN[{register}] {what}: {note.strip()}")

    def finish(self) -> None:
        """Add the blocks and the counts to the job, and note an error if there are too many interpolators."""
        job, textures, colors = self.job, len(self.texture_sources), len(self.color_sources)
        for count, limit, what in ((textures, TEXTURES, "texture coordinates"), (colors, COLORS, "color interpolators")):
            if count > limit:
                hint = "read fewer varyings, or pack two into one"
                job.error("K030", f"the fragment program needs {count} {what}, the device has {limit}", hint=hint)
        job.block("rs block", 32, self.entries)
        job.block("rs count", 32, [(textures | colors << 8, "texture coordinates, colors from bit 8 on")])
        job.block("color outputs", 8, self.color_sources)
        job.block("texture outputs", 8, self.texture_sources)


@record
class _Routes:
    """Slots of inputs in the canonical order, each with an entry that lacks the number; registers that the chip fills itself."""

    colors: tuple[tuple[int, int], ...]
    face: tuple[int, ...]
    textures: tuple[tuple[int, int], ...]
    fog: tuple[tuple[int, int], ...]
    coordinates: tuple[int, ...]
    _: KW_ONLY
    window: tuple[int, ...]


_NO_COLOR = entry_of(0, 0, None, _XYZW)


def _anything(_job: Job) -> bool:
    return True


def _routes(job: Job) -> _Routes | None:
    table = job.table
    others = [row for row in table.rows if row.semantic.name not in TEXTURE_NAMES]
    generics = carriers(job)
    if not all(is_fixed(row.semantic) for row in others):
        return None
    colors = sorted((row.semantic.index, row.slot, row.input_register) for row in others if row.semantic.name == "COLOR")
    inputs = {
        name: [item.input_register for item in table.specials if item.semantic.name == name] for name in ("FACE", "PCOORD", "POSITION")
    }
    return _Routes(
        tuple((slot, entry_of(0, 0, register, _XYZW)) for _, slot, register in colors),
        tuple(entry_of(0, 0, register, _XYZW) for register in inputs["FACE"]),
        tuple((row.slot, entry_of(1, 0, row.input_register, _XYZW)) for row in generics),
        tuple((row.slot, entry_of(1, 0, row.input_register, _X001)) for row in others if row.semantic.name == "FOG"),
        tuple(entry_of(1, 0, register, _XY01) for register in inputs["PCOORD"]),
        window=tuple(entry_of(1, 0, register, _XYZW) for register in inputs["POSITION"]),
    )


def _join(_theirs: bool, ours: _Routes, registers: Registers) -> tuple[tuple[Words, ...], tuple[Patch, ...]] | None:
    """The RS block; None if the pair needs too many interpolators of one kind."""
    entries: list[int] = []
    colors: list[int] = []
    for slot, entry in ours.colors:
        register = registers[slot]
        if register is not None:
            if register not in colors:
                colors.append(register)
            entries.append(entry | colors.index(register) << NUMBER)
    if not colors:
        colors.append(NO_OUTPUT)
        entries.append(_NO_COLOR)
    for entry in ours.face:
        entries.append(entry | len(colors) << NUMBER)
        colors.append(NO_OUTPUT)
    textures: list[int] = []
    for listed, special in ((ours.textures, ours.coordinates), (ours.fog, ours.window)):
        for slot, entry in listed:
            register = registers[slot]
            if register is not None:
                if register not in textures:
                    textures.append(register)
                entries.append(entry | textures.index(register) << NUMBER)
        for entry in special:
            entries.append(entry | len(textures) << NUMBER)
            textures.append(NO_OUTPUT)
    if len(textures) > TEXTURES or len(colors) > COLORS or NO_OUTPUT in registers:
        return None
    counts = len(textures) | len(colors) << 8
    blocks = (
        ("rs block", 32, tuple(entries)),
        ("rs count", 32, (counts,)),
        ("color outputs", 8, tuple(colors)),
        ("texture outputs", 8, tuple(textures)),
    )
    return blocks, ()


PLAIN = Plain(_anything, _routes, _join)


R300 = Profile(
    "r300", "ATI r300", BYTE, build=build, plain=PLAIN, interpolators=TEXTURES, has_face=False, has_geometry=False, has_primitive_id=False
)
R500 = Profile("r500", "ATI r500", BYTE, build=build, plain=PLAIN, interpolators=TEXTURES, has_geometry=False, has_primitive_id=False)
