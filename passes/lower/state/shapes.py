"""Geometry programs that emit quads in place of points and lines, with the rasterizer's corners in window space.

A quad is placed at the point or line rounded to 1/256 pixel. Corners whose rounding affects which pixels are covered are rounded likewise
before they are transformed back to clip space, so that the viewport reproduces them. All other corners stay unrounded, because values are
interpolated from them.

If the viewport does not fill the framebuffer, the rasterizer cuts quads at its sides, but not points and lines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace

from passes.edit import rebuilt
from passes.lower.state.additions import Additions, W, X, Y, Z, of, op, prologue, redirect, with_property
from passes.validate.stages import MAX_VALUES
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, Primitive, Processor
from tgsi.language.facts.limits import MAX_POINT_SIZE
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Declaration, Dimension, Instruction, Property, RegisterRef, SrcOperand
from tgsi.language.program import Program

_OUTPUT, _MOST = "GS_OUTPUT_PRIMITIVE", "GS_MAX_OUTPUT_VERTICES"
UNITS = 256.0
"""Steps of the rasterizer's grid in a pixel."""
_LEAST_W = 2.0**-126

Values = Mapping[Semantic, SrcOperand]
"""Outputs of a corner that differ from those of its vertex."""


def emits_shape(program: Program, primitive: Primitive) -> bool:
    """Return true for a geometry program that emits primitives of this kind."""
    return program.processor is Processor.GEOM and program.property(_OUTPUT, Primitive.TRIANGLE_STRIP) == primitive


def geometry_for(vertex: Program, primitive: str = "POINTS") -> Program:
    """Return a geometry program that passes the POINTS or LINES of a vertex program through, for passes that expand them.

    Raises:
        ValueError: `primitive` is neither POINTS nor LINES.
    """
    if primitive not in ("POINTS", "LINES"):
        raise ValueError(f"primitive: `{primitive}` is neither POINTS nor LINES")
    count = 1 if primitive == "POINTS" else 2
    declarations: list[Declaration] = []
    code: list[Instruction] = []
    outputs = [item for item in vertex.declared(File.OUT) if item.semantic is not None and item.semantic.name not in _ENDS_HERE]
    for item in outputs:
        plain = replace(item, array_id=0, invariant=False, streams=(0, 0, 0, 0), span=None)
        declarations += [replace(plain, file=File.IN), plain]
    for number in range(count):
        for item in outputs:
            for register in range(item.first, item.last + 1):
                source = RegisterRef(File.IN, register, Dimension(number))
                code.append(op("MOV", RegisterRef(File.OUT, register), of(source), mask=item.usage_mask))
        code.append(op("EMIT", None, of(RegisterRef(File.IMM, 0), X)))
    end = [op("ENDPRIM", None, of(RegisterRef(File.IMM, 0), X)), op("END", None)]
    out = Primitive.POINTS if count == 1 else Primitive.LINE_STRIP
    counts = [item for item in vertex.properties if item.name.startswith("NUM_")]
    properties = (Property("GS_INPUT_PRIMITIVE", int(Primitive[primitive])), Property(_OUTPUT, int(out)), Property(_MOST, count), *counts)
    bare = Program(Processor.GEOM, tuple(declarations), (), properties, (*code, *end))
    more = Additions(bare)
    more.words("uint", 0)
    return more.finish(bare)


_ENDS_HERE = frozenset({"EDGEFLAG"})
"""Outputs of vertex programs that no later stage has."""


class Shapes(ABC):
    """The work on one geometry program: all outputs live in TEMPs until a corner of a quad is emitted."""

    def __init__(self, program: Program, constant: int, buffer: int) -> None:
        self.program, self.more = program, Additions(program)
        self._held: dict[RegisterRef, tuple[Declaration, Semantic, RegisterRef]] = {}
        for item in program.declared(File.OUT):
            for number in range(item.first, item.last + 1):
                register, temp = RegisterRef(File.OUT, number), self.more.temp()
                own = item.semantic or Semantic("GENERIC")
                self._held[register] = item, Semantic(own.name, own.index + number - item.first), temp
        self.viewport, self.sizes = self.more.constants(constant, 2, buffer)

    def run(self) -> Program:
        """Return the program that emits quads.

        Raises:
            UnsupportedError: it writes no POSITION, emits too many vertices or to another stream than 0, or indexes outputs by an address.
        """
        most = self.program.property(_MOST) * 4
        if most > MAX_VALUES[_MOST]:
            raise UnsupportedError.at("K039", f"a quad has four vertices, {most} in all, and a geometry program emits {MAX_VALUES[_MOST]}")
        replaced = {(File.OUT, register.index): temp for register, (_, _, temp) in self._held.items()}
        program = redirect(self.program, replaced)
        lowered = prologue(rebuilt(program, [self._changed(item) for item in program.instructions]), self.start())
        lowered = self.more.finish(lowered)
        lowered = replace(lowered, declarations=tuple(item for item in lowered.declarations if not _is_point_size(item)))
        return with_property(with_property(lowered, _OUTPUT, Primitive.TRIANGLE_STRIP), _MOST, most)

    def start(self) -> Sequence[Instruction]:
        """Return code that runs once."""
        return ()

    @abstractmethod
    def emitted(self, item: Instruction) -> Sequence[Instruction]:
        """Return the instructions that replace an EMIT."""

    def ended(self, item: Instruction) -> Sequence[Instruction]:
        """Return the replacement of an ENDPRIM: no code, because each quad ends its own primitive."""
        return ()

    def _changed(self, item: Instruction) -> Sequence[Instruction]:
        if Trait.STREAM not in item.opcode.traits:
            return (item,)
        if not self._is_first_stream(item.src[0]):
            raise UnsupportedError.at("K039", "a vertex goes to a stream that is not drawn, as points that stay points", item.span)
        return self.emitted(item) if Trait.EMIT in item.opcode.traits else self.ended(item)

    def _is_first_stream(self, source: SrcOperand) -> bool:
        register = source.register
        if register.file is not File.IMM or register.indirect is not None:
            return False
        return self.program.immediates[register.index].words[source.swizzle[0]] == 0

    # -- parts of the code ------------------------------------------------------------------------------------------------
    def held(self, name: str) -> RegisterRef | None:
        """Return the TEMP of an output."""
        return next((temp for _, semantic, temp in self._held.values() if semantic == Semantic(name)), None)

    def position(self) -> RegisterRef:
        """Return the TEMP of the position.

        Raises:
            UnsupportedError: the program writes none.
        """
        register = self.held("POSITION")
        if register is None:
            raise UnsupportedError.at("K039", "the program writes no POSITION, so its primitives have no place")
        return register

    def temps(self) -> list[RegisterRef]:
        """Return the TEMPs of all outputs."""
        return [temp for _, _, temp in self._held.values()]

    def window(self, into: RegisterRef, position: RegisterRef, first: int = 0) -> list[Instruction]:
        """Code for the window place of a vertex on the grid, in xy (first = 0) or zw (first = 2) of `into`."""
        more, mask = self.more, 3 << first
        swizzle = (0, 1, 0, 1)
        code = [
            op("DIV", into, more.number(1.0), of(position, W), mask=1 << first),
            op("MUL", into, of(position, swizzle), of(into, (first,) * 4), mask=mask),
            op("MAD", into, of(into), of(self.viewport, swizzle), of(self.viewport, (2, 3, 2, 3)), mask=mask),
        ]
        return code + self.snapped(into, of(into), mask)

    def snapped(self, into: RegisterRef, source: SrcOperand, mask: int = 3) -> list[Instruction]:
        """Code that rounds window coordinates to the grid."""
        more = self.more
        return [
            op("MUL", into, source, more.number(UNITS), mask=mask),
            op("ROUND", into, of(into), mask=mask),
            op("MUL", into, of(into), more.number(1.0 / UNITS), mask=mask),
        ]

    def corner(
        self, item: Instruction, place: SrcOperand, vertex: Mapping[RegisterRef, RegisterRef], values: Values, helper: RegisterRef
    ) -> list[Instruction]:
        """Code that emits a corner.

        Args:
            item: the EMIT.
            place: xy in the window.
            vertex: TEMP of an output -> its register at this corner; missing TEMPs keep their own.
            values: outputs that belong to this corner alone.
            helper: a TEMP for intermediate results.
        """
        position = vertex.get(self.position(), self.position())
        code = [
            op("ADD", helper, place, of(self.viewport, (2, 3, 2, 3), negate=True), mask=3),
            op("DIV", helper, of(helper), of(self.viewport), mask=3),
            op("MUL", helper, of(helper), of(position, W), mask=3),
        ]
        own = dict(values)
        for register, (declared, semantic, temp) in self._held.items():
            if semantic.name == "PSIZE":
                continue
            source = own.pop(semantic, of(vertex.get(temp, temp)))
            code.append(op("MOV", register, source, mask=declared.usage_mask))
            if semantic.name == "POSITION":
                code.append(op("MOV", register, of(helper), mask=3))
        code += [op("MOV", self.more.output(semantic), source) for semantic, source in own.items()]
        return [*code, item]


def _is_point_size(item: Declaration) -> bool:
    return item.file is File.OUT and item.semantic == Semantic("PSIZE")


class Points(Shapes):
    """Turns points into squares of the rasterizer's size.

    kind: PIXELS, SQUARE or DISK. sprites: outputs that become the sprite coordinate. flips: t grows upward. place: the output that gets the
    distance from the center in xy and the radius plus half a pixel in w. Constants: scale and translation of the viewport in x and y; then
    in x the size of points that write no PSIZE.
    """

    def __init__(
        self, program: Program, constant: int, buffer: int, *, kind: str, sprites: Sequence[Semantic], flips: bool, place: Semantic | None
    ) -> None:
        super().__init__(program, constant, buffer)
        self._kind, self._sprites, self._flips, self._place = kind, sprites, flips, place
        self._center, self._sides, self._sprite, self._offset, self._helper = (self.more.temp() for _ in range(5))

    def emitted(self, item: Instruction) -> Sequence[Instruction]:
        """See `Shapes.emitted`: a point whose center is outside of the view is dropped."""
        more, position, test = self.more, self.position(), self._helper
        code = [
            op("SGE", test, of(position, W), of(position, absolute=True), mask=3),
            op("SGE", test, of(position, W), more.number(_LEAST_W), mask=4),
            op("MUL", test, of(test, X), of(test, Y), mask=1),
            op("MUL", test, of(test, X), of(test, Z), mask=1),
            op("IF", None, of(test, X)),
            *self.window(self._center, position),
            *self._size(),
        ]
        for k in range(4):
            code += self._corner(item, of(self._sides, (2 if k % 2 else 0, 3 if k // 2 else 1, 0, 0)))
        return [*code, op("ENDPRIM", None, *item.src), op("ENDIF", None)]

    def _size(self) -> list[Instruction]:
        """Code for the size in center.z, the radius in center.w, and the sides: low x and y, high x and y."""
        more, center, sides, helper = self.more, self._center, self._sides, self._helper
        written = self.held("PSIZE")
        size = of(self.sizes if written is None else written, X)
        code = [
            op("MAX", center, size, more.number(1.0), mask=4),
            op("MIN", center, of(center, Z), more.number(MAX_POINT_SIZE), mask=4),
            op("MUL", center, of(center, Z), more.number(0.5), mask=8),
        ]
        if self._kind == "PIXELS":
            return [
                *code,
                op("ADD", helper, more.number(0.75, 0.25), of(center, W, negate=True), mask=3),
                op("ADD", sides, of(center), of(helper), mask=3),
                op("SGT", helper, of(center, Z), more.number(1.0), mask=1),
                op("CMP", sides, of(helper, X, negate=True), of(sides), of(center), mask=3),
                op("TRUNC", sides, of(sides), mask=3),
                op("TRUNC", helper, of(center, Z), mask=1),
                op("ADD", sides, of(sides, (0, 1, 0, 1)), of(helper, X), mask=12),
            ]
        if self._kind == "DISK":
            code.append(op("ADD", center, of(center, W), more.number(0.5), mask=8))
        code += [
            op("ADD", sides, of(center), of(center, W, negate=True), mask=3),
            op("ADD", sides, of(center, (0, 1, 0, 1)), of(center, W), mask=12),
        ]
        return code if self._kind == "DISK" else code + self.snapped(sides, of(sides), 15)

    def _corner(self, item: Instruction, place: SrcOperand) -> list[Instruction]:
        more, center, values, code = self.more, self._center, dict[Semantic, SrcOperand](), list[Instruction]()
        if self._sprites or self._place is not None:
            code.append(op("ADD", self._offset, place, of(center, negate=True), mask=3))
        if self._sprites:
            code += [
                op("DIV", self._sprite, of(self._offset), of(center, Z), mask=3),
                op("ADD", self._sprite, of(self._sprite), more.number(0.5), mask=3),
                op("MOV", self._sprite, more.number(0.0, 0.0, 0.0, 1.0), mask=12),
            ]
            if self._flips:
                code.append(op("ADD", self._sprite, more.number(1.0), of(self._sprite, Y, negate=True), mask=2))
            values |= dict.fromkeys(self._sprites, of(self._sprite))
        if self._place is not None:
            code.append(op("MOV", self._offset, of(center, W), mask=12))
            values[self._place] = of(self._offset)
        return code + self.corner(item, place, {}, values, self._helper)


class Lines(Shapes):
    """Turns lines into rectangles that extend half a pixel beyond their length and width on every side.

    place: the output that gets the distance from the middle line, the distance from the middle along the line, half the width plus half a
    pixel, and half the length plus half a pixel. Constants: scale and translation of the viewport in x and y; then in x half the width plus
    half a pixel, and in y 1, or 0 if the near plane is z = 0 (clip_halfz).
    """

    def __init__(self, program: Program, constant: int, buffer: int, *, place: Semantic) -> None:
        super().__init__(program, constant, buffer)
        self._place = place
        self._before = {temp: self.more.temp() for temp in self.temps()}
        self._now = {temp: self.more.temp() for temp in self.temps()}
        """A copy of the line's end, because clipping must not change the vertex itself: the next line begins there."""
        self._has_before, self._ends, self._along, self._middle, self._at, self._helper, self._value = (self.more.temp() for _ in range(7))

    def start(self) -> Sequence[Instruction]:
        """See `Shapes.start`: no vertex came before."""
        return [op("MOV", self._has_before, self.more.number(0.0), mask=1)]

    def ended(self, item: Instruction) -> Sequence[Instruction]:
        """See `Shapes.ended`."""
        return self.start()

    def emitted(self, item: Instruction) -> Sequence[Instruction]:
        """See `Shapes.emitted`: a line from the previous vertex of the strip to this one; none for the first."""
        more = self.more
        code = [op("IF", None, of(self._has_before, X)), *self._line(item), op("ENDIF", None)]
        code += [op("MOV", before, of(now)) for now, before in self._before.items()]
        return [*code, op("MOV", self._has_before, more.number(1.0), mask=1)]

    def _line(self, item: Instruction) -> list[Instruction]:
        more, ends, along, middle, helper = self.more, self._ends, self._along, self._middle, self._helper
        now, before = self._now[self.position()], self._before[self.position()]
        code = [op("MOV", copy, of(own)) for own, copy in self._now.items()]
        code += [
            *self._cut(self._before, self._now),
            *self._cut(self._now, self._before),
            op("SGE", helper, of(before, W), more.number(_LEAST_W), mask=1),
            op("SGE", helper, of(now, W), more.number(_LEAST_W), mask=2),
            op("MUL", helper, of(helper, X), of(helper, Y), mask=1),
            op("IF", None, of(helper, X)),
            *self.window(ends, before),
            *self.window(ends, now, 2),
            op("ADD", along, of(ends, (2, 3, 2, 3)), of(ends, negate=True), mask=3),
            op("MUL", along, of(along, X), of(along, X), mask=4),
            op("MAD", along, of(along, Y), of(along, Y), of(along, Z), mask=4),
            op("SQRT", along, of(along, Z), mask=4),
            op("SGT", helper, of(along, Z), more.number(0.0), mask=1),
            op("IF", None, of(helper, X)),
            op("DIV", along, of(along), of(along, Z), mask=3),
            op("ADD", middle, of(ends), of(ends, (2, 3, 2, 3)), mask=3),
            op("MUL", middle, of(middle), more.number(0.5), mask=3),
            op("MUL", helper, of(along, Z), more.number(0.5), mask=1),  # half the length
            op("ADD", helper, of(helper, X), more.number(0.5), mask=2),
            op("SLT", helper, of(helper, X), more.number(0.5), mask=4),
            op("CMP", along, of(helper, Z, negate=True), of(along, Z), of(helper, Y), mask=8),  # the reach
        ]
        for k in range(4):
            code += self._corner(item, k)
        return [*code, op("ENDPRIM", None, *item.src), op("ENDIF", None), op("ENDIF", None)]

    def _cut(self, outer: Mapping[RegisterRef, RegisterRef], inner: Mapping[RegisterRef, RegisterRef]) -> list[Instruction]:
        """Code that moves a vertex behind the near plane to it, if the other end of the line is in front."""
        more, share, position = self.more, self._helper, self.position()
        near = of(self.sizes, Y)
        code = [op("MAD", share, of(side[position], W), near, of(side[position], Z), mask=1 << c) for c, side in enumerate((inner, outer))]
        code += [
            op("SGE", share, of(share, (0, 0, 0, 1)), more.number(0.0), mask=4),
            op("SLT", share, of(share, Y), more.number(0.0), mask=8),
            op("MUL", share, of(share, Z), of(share, W), mask=4),
            op("IF", None, of(share, Z)),
            op("MUL", share, of(share), more.number(0.5), mask=3),
            op("ADD", share, of(share, X), of(share, Y, negate=True), mask=2),
            op("DIV", share, of(share, X), of(share, Y), mask=1),
        ]
        for temp, there in outer.items():
            code.append(op("ADD", there, of(there), of(inner[temp], negate=True)))
            code.append(op("MAD", there, of(there), of(share, X), of(inner[temp])))
        return [*code, op("ENDIF", None)]

    def _corner(self, item: Instruction, k: int) -> list[Instruction]:
        along, at, value = self._along, self._at, self._value
        is_end, is_right = k >= 2, bool(k % 2)
        code = [
            op("MOV", value, of(self.sizes, X, negate=not is_right), mask=1),
            op("MOV", value, of(along, W, negate=not is_end), mask=2),
            op("MOV", value, of(self.sizes, X), mask=4),
            op("MOV", value, of(along, W), mask=8),
            op("MAD", at, of(along), of(value, Y), of(self._middle), mask=3),
            op("MUL", self._helper, of(along, (1, 0, 0, 0)), of(value, X), mask=3),
            op("ADD", at, of(at), of(self._helper), mask=1),
            op("ADD", at, of(at), of(self._helper, negate=True), mask=2),
        ]
        vertex = self._now if is_end else self._before
        return code + self.corner(item, of(at), vertex, {self._place: of(value)}, self._helper)
