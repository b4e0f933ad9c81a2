"""Point sprites, smooth points and smooth lines: lower-point-sprite, lower-smooth-points, lower-smooth-lines.

Each pass has two sides: a geometry program makes quads of its points or lines, and a fragment program computes coverage from an input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, replace

from passes.base import Pass
from passes.lower.insert import insert
from passes.lower.state.additions import Additions, W, X, Y, declaration_of, ends, of, op, prologue
from passes.lower.state.shapes import Lines, Points, emits_shape
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, Interpolation, Primitive, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class LowerPointSprite(Pass):
    """Let a geometry program emit a square of two triangles for each point, with sprite coordinates.

    A program that emits POINTS emits TRIANGLE_STRIPs of four vertices. All outputs of a square are those of its point, but GENERIC[n] and
    TEXCOORD[n] for each bit n of `generics` (as sprite_coord_enable) are (s, t, 0, 1), which runs from 0 to 1: those that the program
    writes, or both if it writes neither. `coord` names one more GENERIC, which carries PCOORD. `flips` lets t grow upward, as
    sprite_coord_mode LOWER_LEFT does. `square` draws the pixels whose centers lie in the square, as point_quad_rasterization does; without
    it, the rule of docs/primitives.md, "Points", applies.

    CONST[buffer][constant] holds scale and translation of the viewport in x and y, x of the next register the size of points whose
    program writes no PSIZE, as if point_size_per_vertex were set. -1 stands for the first constant after the declared ones. Points
    whose center is outside of the view are dropped. A fragment program reads these inputs LINEAR, and GENERIC[coord] instead of PCOORD.
    Programs of other stages stay unchanged; `geometry_for` makes a geometry program for a vertex program.

    Squares are front faces with front_ccw off. Draw them with states of triangles off: culling, stipple, depth offset, polygon modes. All
    primitives use the viewport of the constants, and stream output gets squares.
    """

    name = "lower-point-sprite"
    generics: int = 0
    coord: int = -1
    flips: bool = False
    square: bool = False
    constant: int = -1
    buffer: int = 0

    def run(self, program: Program) -> Program:
        """See `Pass.run`.

        Raises:
            UnsupportedError: see `passes.lower.state.shapes`.
        """
        sprites = _sprites(program, self.generics, self.coord)
        if program.processor is Processor.FRAG:
            return _read_sprites(program, sprites, self.coord)
        if not emits_shape(program, Primitive.POINTS):
            return program
        kind = "SQUARE" if self.square else "PIXELS"
        return Points(program, self.constant, self.buffer, kind=kind, sprites=sprites, flips=self.flips, place=None).run()


@record(slots=False)
class LowerSmoothPoints(Pass):
    """Draw smooth points: a geometry program emits squares, and a fragment program computes coverage.

    The geometry program does as for `lower-point-sprite`, with squares half a pixel larger on each side, and writes to GENERIC[generic] the
    distance from the center in xy and size / 2 + 1/2 in w, in pixels. The fragment program reads it LINEAR. Coverage is clamp(w - |xy|) to
    [0, 1]. Fragments without coverage are killed before anything else runs, and at each end of the program w of COLOR[n] is
    multiplied by coverage for each bit n of `colors`: clear those of integer formats, and bit 1 for two sources of blending.

    Draw points alone with these programs. Targets of several samples show no smooth points: leave the pass out there. Clamp colors by
    `lower-clamp-color`, which comes before. `generics`, `coord`, `flips`, and the constants are as in `lower-point-sprite`.
    """

    name = "lower-smooth-points"
    generic: int = 0
    colors: int = 255
    generics: int = 0
    coord: int = -1
    flips: bool = False
    constant: int = -1
    _: KW_ONLY
    buffer: int = 0

    def run(self, program: Program) -> Program:
        """See `Pass.run`.

        Raises:
            UnsupportedError: GENERIC[generic] is taken, or see `passes.lower.state.shapes`.
        """
        place, sprites = Semantic("GENERIC", self.generic), _sprites(program, self.generics, self.coord)
        if program.processor is Processor.FRAG:
            return _covered(_read_sprites(program, sprites, self.coord), place, self.colors, is_line=False)
        if not emits_shape(program, Primitive.POINTS):
            return program
        _check_free(program, File.OUT, place)
        return Points(program, self.constant, self.buffer, kind="DISK", sprites=sprites, flips=self.flips, place=place).run()


@record(slots=False)
class LowerSmoothLines(Pass):
    """Draw smooth lines: a geometry program emits rectangles, and a fragment program computes coverage.

    A geometry program that emits LINE_STRIPs emits a rectangle for each line, half a pixel larger on every side than length times
    width. GENERIC[generic] gets, in pixels, the distance x from the middle line, the distance y from the middle along the line, width /
    2 + 1/2, and h: length / 2 + 1/2, or for lines shorter than a pixel their length. Inputs run from end to end of the rectangle. The
    fragment program reads it LINEAR. Coverage is clamp(z - |x|) * clamp(h - |y|), each factor in [0, 1]; it acts as for
    `lower-smooth-points`.

    CONST[buffer][constant] holds scale and translation of the viewport in x and y. The next register has width / 2 + 1/2 in x, and in y
    1, or 0 with clip_halfz. -1 stands for the first constant after those that the program declares. Lines are cut at the near plane,
    and all outputs of the cut end with them, flat ones included, where the state keeps those of the provoking vertex. `geometry_for`
    makes a geometry program for a vertex program. Rectangles are triangles, as for `lower-point-sprite`.
    """

    name = "lower-smooth-lines"
    generic: int = 0
    colors: int = 255
    constant: int = -1
    buffer: int = 0

    def run(self, program: Program) -> Program:
        """See `Pass.run`.

        Raises:
            UnsupportedError: GENERIC[generic] is taken, or see `passes.lower.state.shapes`.
        """
        place = Semantic("GENERIC", self.generic)
        if program.processor is Processor.FRAG:
            return _covered(program, place, self.colors, is_line=True)
        if not emits_shape(program, Primitive.LINE_STRIP):
            return program
        _check_free(program, File.OUT, place)
        return Lines(program, self.constant, self.buffer, place=place).run()


# ------------------------------------------------------------------------------------------------------------------ fragments
def _sprites(program: Program, generics: int, coord: int) -> list[Semantic]:
    """Return the semantics that are sprite coordinates: inputs of a fragment program, or outputs of another."""
    numbers = [number for number in range(generics.bit_length()) if generics >> number & 1]
    semantics: list[Semantic] = []
    for number in numbers:
        both = [Semantic(name, number) for name in ("GENERIC", "TEXCOORD")]
        semantics += [own for own in both if declaration_of(program.declared(File.OUT), File.OUT, own) is not None] or both
    return [*semantics, *([Semantic("GENERIC", coord)] if coord >= 0 and coord not in numbers else [])]


def _read_sprites(program: Program, sprites: Sequence[Semantic], coord: int) -> Program:
    """Let inputs that are sprite coordinates vary without perspective, and PCOORD be a GENERIC."""

    def changed(item: Declaration) -> Declaration:
        if item.file is not File.IN or item.semantic is None:
            return item
        if item.semantic.name == "PCOORD" and coord >= 0:
            return replace(item, semantic=Semantic("GENERIC", coord), interpolation=Interpolation.LINEAR)
        if any(declaration_of([item], File.IN, sprite) is not None for sprite in sprites):
            return replace(item, interpolation=Interpolation.LINEAR)
        return item

    declarations = tuple(map(changed, program.declarations))
    return program if declarations == program.declarations else replace(program, declarations=declarations)


def _check_free(program: Program, file: File, semantic: Semantic) -> None:
    item = declaration_of(program.declarations, file, semantic)
    if item is not None:
        raise UnsupportedError.at("K039", f"{semantic} carries something else", item.span, hint="give another number as `generic`")


def _covered(program: Program, place: Semantic, colors: int, *, is_line: bool) -> Program:
    """Return a fragment program that kills fragments without coverage and multiplies alpha by coverage."""
    _check_free(program, File.IN, place)
    more = Additions(program)
    coordinates, share = more.input(place, Interpolation.LINEAR), more.temp()
    start = _line_share(more, coordinates, share) if is_line else _disk_share(more, coordinates, share)
    start += [
        op("SLT", share, more.number(0.0), of(share, X), mask=2),
        op("ADD", share, of(share, Y), more.number(-1.0), mask=2),
        op("KILL_IF", None, of(share, Y)),
    ]
    end = []
    for item in program.declared(File.OUT):
        for k in range(item.last - item.first + 1):
            if item.semantic is not None and item.semantic.name == "COLOR" and colors >> item.semantic.index + k & 1:
                register = RegisterRef(File.OUT, item.first + k)
                end.append(op("MUL", register, of(register, W), of(share, X), mask=8))
    return more.finish(prologue(insert(program, dict.fromkeys(ends(program), end)), start))


def _disk_share(more: Additions, coordinates: RegisterRef, share: RegisterRef) -> list[Instruction]:
    return [
        op("MUL", share, of(coordinates, X), of(coordinates, X), mask=1),
        op("MAD", share, of(coordinates, Y), of(coordinates, Y), of(share, X), mask=1),
        op("SQRT", share, of(share, X), mask=1),
        op("ADD", share, of(coordinates, W), of(share, X, negate=True), mask=1, saturate=True),
    ]


def _line_share(more: Additions, coordinates: RegisterRef, share: RegisterRef) -> list[Instruction]:
    distance = SrcOperand(coordinates, (0, 1, 0, 1), negate=True, absolute=True)
    return [
        op("ADD", share, of(coordinates, (2, 3, 2, 3)), distance, mask=3, saturate=True),
        op("MUL", share, of(share, X), of(share, Y), mask=1),
    ]
