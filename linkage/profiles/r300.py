"""r300: the RS block routes interpolators to fragment registers, rebuilt whenever programs or rasterizer state change.

Both sides allocate in one canonical order: position, point size, colors, back colors, face, 32 generics, fog, window position.
An entry of the RS block is packed here as: kind in bits 0 to 3 (0 color, 1 texture coordinate), interpolator in bits 4 to 9,
fragment register in bits 10 to 15 (0x3f: not written), four components of 3 bits from bit 16 on (0 to 3 xyzw, 4 zero, 5 one).
"""

from __future__ import annotations

from linkage.device import Job, Profile, carriers
from linkage.rows import Relocation
from passes.validate.semantics import interpolators

GENERICS = 32
TEXTURES = 8
COLORS = 2
NOWHERE = 0x3F
_XYZW, _XY01, _X001 = (0, 1, 2, 3), (0, 1, 4, 5), (0, 4, 4, 5)


def build(job: Job) -> None:
    """Build the RS block, in the order that the driver keeps."""
    rs = _Block(job)
    rows = {row.semantic.name: row for row in job.table.rows if row.semantic.name not in ("GENERIC", "TEXCOORD", "COLOR")}
    for name, row in rows.items():
        if name not in ("FOG", "BCOLOR"):
            job.error("K032", f"IN[{row.input_register}] {row.semantic} has no interpolator", register=row.input_register)
    rs.colors()
    _face(job, rs)
    generics = carriers(job)
    for index in sorted(generics):
        if index >= GENERICS:
            text = f"{generics[index].semantic}: the driver keeps {GENERICS} generics, 0 to {GENERICS - 1}"
            job.error("K032", text, register=generics[index].input_register, hint="renumber both programs")
    job.stop_if_errors()
    for index in sorted(generics):
        row = generics[index]
        if job.is_sprite(row.semantic):
            rs.texture(row.input_register, str(row.semantic), _XY01, "point coordinate ")
        else:
            rs.varying(row, _XYZW)
    for item in job.table.specials:
        if item.semantic.name == "PCOORD":
            rs.texture(item.input_register, "PCOORD", _XY01, "point coordinate ")
    if "FOG" in rows:
        rs.varying(rows["FOG"], _X001)
    for item in job.table.specials:
        if item.semantic.name == "POSITION":
            rs.texture(item.input_register, "POSITION", _XYZW, "copy of position ")
    rs.finish()


def _face(job: Job, rs: _Block) -> None:
    for item in job.table.specials:
        if item.semantic.name == "FACE" and job.options.light_twoside:
            text = f"IN[{item.input_register}] FACE cannot be had together with two-sided light"
            job.error("K031", text, register=item.input_register, hint="turn two-sided light off and select by FACE")
        elif item.semantic.name == "FACE":
            rs.entry(0, rs.take_color(), item.input_register, _XYZW, f"IN[{item.input_register}] FACE")


class _Block:
    """Interpolators taken so far, and the entries that use them."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.entries: list[tuple[int, str]] = []
        self.next_color = self.next_texture = 0

    def entry(self, kind: int, number: int, register: int | None, swizzle: tuple[int, int, int, int], note: str) -> None:
        target = NOWHERE if register is None else register & NOWHERE
        parts = sum(part << 16 + 3 * c for c, part in enumerate(swizzle))
        self.entries.append((kind | number << 4 | target << 10 | parts, note))
        if register is not None:
            self.job.place(note.split(":")[0], f"{'texture coordinate' if kind else 'color'} {number}")

    def take_color(self) -> int:
        self.next_color += 1
        return self.next_color - 1

    def take_texture(self) -> int:
        self.next_texture += 1
        return self.next_texture - 1

    def colors(self) -> None:
        """Add colors, then back colors.

        Missing back colors get dummy coordinates, which keep the numbers the same under two-sided light.
        """
        job, table = self.job, self.job.table
        for row in table.rows:
            if row.semantic.name == "COLOR" and row.output_register is not None:
                self.entry(0, self.take_color(), row.input_register, _XYZW, f"IN[{row.input_register}] {row.semantic}")
            elif row.semantic.name == "COLOR":
                self.unmatched(row)
        if not self.next_color:
            self.entry(0, self.take_color(), None, _XYZW, "one color is always rasterized")
        if job.options.light_twoside:
            for index in range(COLORS):
                known = index in table.back
                self.entry(1, self.take_texture(), None, _XYZW, f"BCOLOR[{index}]" if known else f"dummy for BCOLOR[{index}]")

    def unmatched(self, row: Relocation) -> None:
        text = f"IN[{row.input_register}] {row.semantic} is fed by nothing; its register is not initialized"
        self.job.warning("K034", text, register=row.input_register)

    def varying(self, row: Relocation, swizzle: tuple[int, int, int, int]) -> None:
        """Add a texture coordinate, or a color interpolator when all coordinates are in use. Unmatched varyings are skipped."""
        what = f"IN[{row.input_register}] {row.semantic}"
        if row.output_register is None:
            self.unmatched(row)
        elif self.next_texture >= TEXTURES and self.next_color < COLORS:
            self.entry(0, self.take_color(), row.input_register, swizzle, what)
        else:
            self.entry(1, self.take_texture(), row.input_register, swizzle, what)

    def texture(self, register: int, what: str, swizzle: tuple[int, int, int, int], note: str) -> None:
        """Add a texture coordinate that the chip fills itself."""
        self.entry(1, self.take_texture(), register, swizzle, f"IN[{register}] {what}: {note.strip()}")

    def finish(self) -> None:
        """Add the block and its counts to the job, and note an error if there are too many coordinates."""
        job = self.job
        if self.next_texture > TEXTURES:
            hint = "read fewer varyings, or pack two into one"
            job.error("K030", f"the fragment program needs {self.next_texture} texture coordinates, the device has {TEXTURES}", hint=hint)
        job.block("rs block", 32, self.entries)
        job.block("rs count", 32, [(self.next_texture | self.next_color << 8, "texture coordinates, colors from bit 8 on")])


_LIMITS = interpolators(GENERICS)
R300 = Profile("r300", "ATI r300", _LIMITS, build=build, interpolators=TEXTURES, has_face=False, has_geometry=False, has_primitive_id=False)
R500 = Profile("r500", "ATI r500", _LIMITS, build=build, interpolators=TEXTURES, has_geometry=False, has_primitive_id=False)
