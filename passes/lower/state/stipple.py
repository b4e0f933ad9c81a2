"""Polygon stipple as instructions: lower-polygon-stipple."""

from __future__ import annotations

from collections.abc import Sequence

from passes.base import Pass
from passes.lower.state.additions import Additions, W, X, Y, Z, of, op, prologue
from passes.lower.state.window import origin_of
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

ROWS = 32
"""Rows and columns of the pattern."""


def stipple_texels(pattern: Sequence[int]) -> bytes:
    """Return the texels of a pattern, a byte each, for an A8_UNORM texture of 32 by 32: 0 where polygons are drawn, otherwise 255.

    pattern: 32 words, as set_polygon_stipple takes them; bit 31 is the left pixel.

    Raises:
        ValueError: there are not 32 words.
    """
    if len(pattern) != ROWS:
        raise ValueError(f"stipple_texels: expected {ROWS} words, not {len(pattern)}")
    return bytes(0 if word >> (31 - x) & 1 else 255 for word in pattern for x in range(ROWS))


@record(slots=False)
class LowerPolygonStipple(Pass):
    """Kill fragments that the polygon stipple leaves out, before anything else runs.

    The pixel in column x and row y from the top of the target is drawn if bit 31 - x % 32 of word y % 32 is set. The 32 words of
    set_polygon_stipple are in CONST[buffer][constant] to [constant + 7], four per register; -1 means the first constant after the declared
    ones. With `sampler` they come from a texture instead: alpha of unit `sampler` at (x + 0.5, y + 0.5) / 32 is above 0 where nothing is
    drawn (`stipple_texels`; filter NEAREST, wrap REPEAT). Use it for targets without integer instructions.

    Unless the origin of the program is UPPER_LEFT, one more constant is read: [constant + 8], or [constant] with a texture. Its x and y are
    the scale and offset that turn POSITION.y into the row (`window_constant`). Use the program for polygons only: points and lines are
    never stippled. Under FS_EARLY_DEPTH_STENCIL the tests come first, so discarded fragments write depth. Programs of other stages stay
    unchanged.
    """

    name = "lower-polygon-stipple"
    constant: int = -1
    buffer: int = 0
    sampler: int = -1

    def run(self, program: Program) -> Program:
        """See `Pass.run`.

        Raises:
            UnsupportedError: the program has a texture in the unit `sampler`.
        """
        if program.processor is not Processor.FRAG:
            return program
        more = Additions(program)
        turns = origin_of(program) != "UPPER_LEFT"
        count = (0 if self.sampler >= 0 else ROWS // 4) + turns
        constants = more.constants(self.constant, count, self.buffer) if count else []
        place = more.temp()
        code = [op("MOV", place, of(more.input(Semantic("POSITION"), Interpolation.LINEAR, 3)), mask=3)]
        if turns:
            code += self._row(more, program, place, constants[-1])
        elif self.sampler >= 0 and program.property("FS_COORD_PIXEL_CENTER"):
            code.append(op("ADD", place, of(place), more.number(0.5), mask=3))
        code += self._from_texture(more, place) if self.sampler >= 0 else self._from_words(more, place, constants)
        return more.finish(prologue(program, code))

    def _row(self, more: Additions, program: Program, place: RegisterRef, turn: RegisterRef) -> list[Instruction]:
        """Convert y to the row from the top; pixel centers stay at half integers."""
        code = []
        if program.property("FS_COORD_PIXEL_CENTER"):
            code.append(op("ADD", place, of(place), more.number(0.5), mask=3))
        return [*code, op("MAD", place, of(place, Y), of(turn, X), of(turn, Y), mask=2)]

    def _from_texture(self, more: Additions, place: RegisterRef) -> list[Instruction]:
        texel = Instruction(
            op("TEX", place).opcode, (DstOperand(place),), (of(place), SrcOperand(more.sampler(self.sampler, "2D"))), texture="2D"
        )
        return [op("MUL", place, of(place), more.number(1.0 / ROWS), mask=3), texel, op("KILL_IF", None, of(place, W, negate=True))]

    def _from_words(self, more: Additions, place: RegisterRef, constants: Sequence[RegisterRef]) -> list[Instruction]:
        bits, address = more.temp(), more.address()
        first = constants[0]
        row = RegisterRef(File.CONST, first.index, first.dimension, IndirectRef(File.ADDR, address.index, 0))
        second = of(bits, (1, 3, 1, 3))
        return [
            op("F2I", place, of(place), mask=3),
            op("AND", place, of(place), more.words("uint", 31), mask=3),
            op("USHR", place, of(place, Y), more.words("uint", 2), mask=4),
            op("UARL", address, of(place, Z), mask=1),
            op("MOV", bits, of(row)),
            op("AND", place, of(place, Y), more.words("uint", 1, 1, 1, 2), mask=12),
            op("UCMP", bits, of(place, Z), second, of(bits, (0, 2, 0, 2)), mask=3),
            op("UCMP", bits, of(place, W), of(bits, Y), of(bits, X), mask=1),
            op("SHL", bits, of(bits, X), of(place, X), mask=1),
            op("USHR", bits, of(bits, X), more.words("uint", 31), mask=1),
            op("U2F", bits, of(bits, X), mask=1),
            op("ADD", bits, of(bits, X), more.number(-0.5), mask=1),
            op("KILL_IF", None, of(bits, X)),
        ]
