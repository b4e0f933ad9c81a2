"""Conventions of the window as instructions: lower-window-position.

A program says by properties where positions begin and where in a pixel its position lies. Devices often have one convention only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from passes.base import Pass
from passes.edit import rebuilt
from passes.lower.state.additions import (
    Additions,
    W,
    Y,
    Z,
    changed_again,
    declaration_of,
    is_again,
    of,
    op,
    prologue,
    redirect,
    with_property,
)
from passes.lower.state.words import known_word
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.properties import FIRST_OF_VIEWPORT, LOWER_ORIGINS, PROPERTIES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_ORIGIN, _CENTER = "FS_COORD_ORIGIN", "FS_COORD_PIXEL_CENTER"
_ORIGINS, _CENTERS = PROPERTIES[_ORIGIN].words or {}, PROPERTIES[_CENTER].words or {}
_DEVICE_ORIGINS = tuple(name for name, value in _ORIGINS.items() if value < FIRST_OF_VIEWPORT)
_DERIVATIVES = frozenset({OPCODES["DDY"], OPCODES["DDY_FINE"]})
_OFFSET = OPCODES["INTERP_OFFSET"]


def origin_of(program: Program) -> str:
    """Return the name of the origin of a program; the window of a program from GLSL follows the viewport."""
    origin = program.property(_ORIGIN)
    if program.interface is not None and program.interface.is_upward and origin < FIRST_OF_VIEWPORT:
        return "VIEWPORT_LOWER" if origin in LOWER_ORIGINS else "VIEWPORT_UPPER"
    return next((name for name, value in _ORIGINS.items() if value == origin), "UPPER_LEFT")


def window_constant(origin: str, device: str, height: float, *, is_upward: bool = True) -> tuple[float, float, float, float]:
    """Return the constant that `lower-window-position` reads.

    Args:
        origin: the origin of the program before the pass, as `origin_of` names it.
        device: the origin of the device, UPPER_LEFT or LOWER_LEFT: the option of the pass.
        height: rows of the framebuffer.
        is_upward: true if y of the picture grows with the rows of the target: the scale of the first viewport in y is not negative.

    Raises:
        ValueError: there is no such origin.

    Returns:
        Scale and offset of the position's y; the factor of derivatives along y, 1 or -1; and (1 + factor) / 2.
    """
    known_word("lower-window-position", "origin", device, _DEVICE_ORIGINS)
    device = device.upper()
    direction = 1.0 if is_upward or origin not in ("VIEWPORT_LOWER", "VIEWPORT_UPPER") else -1.0
    from_rows = {"UPPER_LEFT": 1.0, "LOWER_LEFT": -1.0, "VIEWPORT_LOWER": direction, "VIEWPORT_UPPER": -direction}
    scale = from_rows[origin] * from_rows[device]
    return scale, 0.0 if scale > 0 else float(height), direction, (1.0 + direction) / 2


@record(slots=False)
class LowerWindowPosition(Pass):
    """Compute positions in the window of the program from those of the device, whose convention `origin` and `center` name.

    `origin` is UPPER_LEFT or LOWER_LEFT, `center` HALF_INTEGER or INTEGER; the properties of the program become these. With
    C = CONST[buffer][constant] (-1: the first after those that the program declares; `window_constant` computes its values) the POSITION
    input and the system value become

    - p = device's position, with 0.5 added to x and y if the device has INTEGER centers;
    - p.y * C.x + C.y in place of p.y, unless the origins are equal;
    - 0.5 subtracted from x and y if the program has INTEGER centers.

    With an origin that follows the viewport (VIEWPORT_LOWER, VIEWPORT_UPPER; programs from GLSL) all else along y turns, too: DDY and
    DDY_FINE are multiplied by C.z, so is the y of an INTERP_OFFSET offset; the point coordinate becomes t * -C.z + C.w, and SAMPLEPOS
    (y - 0.5) * C.z + 0.5. C is read only where an origin differs. Programs of other stages stay unchanged.
    """

    name = "lower-window-position"
    origin: str = "UPPER_LEFT"
    center: str = "HALF_INTEGER"
    constant: int = -1
    buffer: int = 0

    def __post_init__(self) -> None:
        """Check the words.

        Raises:
            ValueError: `origin` or `center` is not a convention of a device.
        """
        known_word(self.name, "origin", self.origin, _DEVICE_ORIGINS)
        known_word(self.name, "center", self.center, _CENTERS)

    def run(self, program: Program) -> Program:
        """See `Pass.run`.

        Raises:
            UnsupportedError: an address may reach the position.
        """
        origin, center = self.origin.upper(), _CENTERS[self.center.upper()]
        own_origin, own_center = origin_of(program), int(program.property(_CENTER) == 1)
        if program.processor is not Processor.FRAG or (own_origin == origin and own_center == center):
            return program
        lowered = _Window(self, program, own_origin, own_center).run() if _looks(program) else program
        lowered = with_property(with_property(lowered, _ORIGIN, _ORIGINS[origin]), _CENTER, center)
        if lowered.interface is not None and lowered.interface.is_upward:
            lowered = replace(lowered, interface=replace(lowered.interface, is_upward=False))
        return lowered


def _looks(program: Program) -> bool:
    """Return true if the program can see anything of the window."""
    names = ("POSITION", "PCOORD", "SAMPLEPOS")
    ports = any(item.semantic is not None and item.semantic.name in names and item.file is not File.OUT for item in program.declarations)
    return ports or any(item.opcode in _DERIVATIVES or item.opcode is _OFFSET for item in program.instructions)


class _Window:
    """The work on one program."""

    def __init__(self, options: LowerWindowPosition, program: Program, own_origin: str, own_center: int) -> None:
        self._options, self._program, self._more = options, program, Additions(program)
        self._turns = own_origin != options.origin.upper()
        self._follows = _ORIGINS[own_origin] >= FIRST_OF_VIEWPORT
        self._own_center, self._center = own_center, _CENTERS[options.center.upper()]
        self._register: RegisterRef | None = None
        self._replaced: dict[tuple[File, int], RegisterRef] = {}

    def run(self) -> Program:
        """Return the program with another window."""
        start: list[Instruction] = []
        for file in (File.IN, File.SV):
            start += self._input(file, "POSITION", self._position)
            if self._follows:
                start += self._input(file, "PCOORD", self._point)
                start += self._input(file, "SAMPLEPOS", self._sample)
        lowered = redirect(self._program, self._replaced)
        lowered = rebuilt(lowered, [self._changed(item) for item in lowered.instructions])
        return self._more.finish(prologue(lowered, start))

    def _changed(self, item: Instruction) -> Sequence[Instruction]:
        """Return the replacement of an instruction."""
        if is_again(item):
            return self._again(item)
        return self._derivative(item) if self._follows and item.opcode in _DERIVATIVES else (item,)

    def _constant(self) -> RegisterRef:
        if self._register is None:
            self._register = self._more.constants(self._options.constant, 1, self._options.buffer)[0]
        return self._register

    def _input(self, file: File, name: str, change: Callable[[RegisterRef], Sequence[Instruction]]) -> list[Instruction]:
        """Copy an input to a TEMP that is read instead, and change the copy."""
        item = declaration_of(self._program.declarations, file, Semantic(name))
        if item is None or item.semantic is None:
            return []
        register = RegisterRef(file, item.first - item.semantic.index)
        temp = self._more.temp()
        self._replaced[file, register.index] = temp
        return [op("MOV", temp, of(register)), *change(temp)]

    def _position(self, temp: RegisterRef) -> Sequence[Instruction]:
        more = self._more
        code: list[Instruction] = []
        if self._center != self._own_center and self._center:
            code.append(op("ADD", temp, of(temp), more.number(0.5), mask=3))
        # the offset counts from centers at half integers, so whole numbers are turned in between
        if self._turns:
            code += self._turned_position(temp)
        if self._center != self._own_center and not self._center:
            code.append(op("ADD", temp, of(temp), more.number(-0.5), mask=3))
        return code

    def _turned_position(self, temp: RegisterRef) -> list[Instruction]:
        constant, more = self._constant(), self._more
        turn = op("MAD", temp, of(temp, Y), of(constant, (0, 0, 0, 0)), of(constant, Y), mask=2)
        if not (self._center and self._own_center):
            return [turn]
        half, back = op("ADD", temp, of(temp), more.number(0.5), mask=2), op("ADD", temp, of(temp), more.number(-0.5), mask=2)
        return [half, turn, back]

    def _point(self, temp: RegisterRef) -> Sequence[Instruction]:
        constant = self._constant()
        return [op("MAD", temp, of(temp, Y), of(constant, Z, negate=True), of(constant, W), mask=2)]

    def _sample(self, temp: RegisterRef) -> Sequence[Instruction]:
        constant, more = self._constant(), self._more
        middle = op("ADD", temp, of(temp, Y), more.number(-0.5), mask=2)
        return [middle, op("MAD", temp, of(temp, Y), of(constant, Z), more.number(0.5), mask=2)]

    def _again(self, item: Instruction) -> Sequence[Instruction]:
        source = item.src[0]
        semantic = self._semantic(source)
        if semantic == "POSITION":  # it lies at the center, whatever the place
            register = self._replaced.get((source.register.file, source.register.index), source.register)
            return [replace(item, opcode=OPCODES["MOV"], src=(replace(source, register=register),))]
        code: list[Instruction] = []
        if item.opcode is _OFFSET and self._follows:
            offset = self._more.temp()
            code += [op("MOV", offset, item.src[1], mask=3), op("MUL", offset, of(offset, Y), of(self._constant(), Z), mask=2)]
            item = replace(item, src=(source, of(offset)))
        if semantic != "PCOORD" or not self._follows:
            return [*code, item]
        return [*code, *changed_again(item, self._more, self._point)]

    def _semantic(self, source: SrcOperand) -> str:
        register = source.register
        if register.indirect is not None:
            return ""
        item = next((d for d in self._program.declared(register.file) if d.covers(register.index)), None)
        return item.semantic.name if item is not None and item.semantic is not None else ""

    def _derivative(self, item: Instruction) -> Sequence[Instruction]:
        """Multiply a derivative along y by the factor of the constant."""
        temp = self._more.temp()
        plain = replace(item, dst=(replace(item.dst[0], register=temp),), saturate=False)
        return plain, replace(item, opcode=OPCODES["MUL"], src=(of(temp), of(self._constant(), Z)))
