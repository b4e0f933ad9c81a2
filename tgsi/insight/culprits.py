"""The instruction that made a color 0 or NaN, found by following a lane's trace from the output back through zeros or NaNs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from math import isinf, isnan
from typing import Any

import numpy as np

from tgsi.insight.doubts import color_register
from tgsi.insight.fragment_log import FragmentLog, LoggedFragment
from tgsi.insight.place import Attachment
from tgsi.insight.steps import LaneTrace, Step
from tgsi.language.channels import source_channels
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Reads, Trait
from tgsi.language.ir import Instruction, RegisterRef, SrcOperand
from tgsi.language.printer import print_instruction
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.validation.declared import uniform_at
from tgsi.validation.words import are_floats

_LETTERS = "xyzw"
_WHOLE = ("int", "uint")
_MOST = 200
"""Most instructions to follow back."""
Constants = Mapping[int, Any]
"""Words of the bound constant buffers by slot, (rows, 4) of uint32."""


@record(eq=False)
class Lane:
    """Steps of a lane, and the program that it ran.

    shown: the program whose instructions have the lines of the source text. sizes: width, height and last level of textures by unit.
    """

    program: Program
    shown: Program
    steps: tuple[Step, ...]
    constants: Constants
    sizes: Mapping[int, tuple[int, int, int]]

    def culprit(self, register: str, channel: int, is_bad: Callable[[float], bool]) -> str:
        """The reason why a channel of an output is bad, in words; empty if there is none."""
        place, end = register, len(self.steps)
        for _ in range(_MOST):
            at = self._last(place, channel, end)
            if at is None:
                return self._unwritten(place, channel)
            step = self.steps[at]
            if step.number is None:
                return f"{place}.{_LETTERS[channel]} is {_text(step.words[channel])} already: what the stage before gave"
            instruction = self.program.instructions[step.number]
            following = self._follow(instruction, channel, at, is_bad)
            if isinstance(following, str):
                return following
            place, channel = following
            end = at
        return ""

    def truncated(self, position: tuple[float, float]) -> str:
        """A texel fetch whose coordinates are fractions that were cut to whole numbers, in words; empty where there is none.

        position: of the fragment in the window. Where a fetch takes that, near the origin, nothing is wrong.
        """
        for at, step in enumerate(self.steps):
            item = None if step.number is None else self.program.instructions[step.number]
            if item is None or Trait.FETCH not in item.opcode.traits or (size := self._size(item)) is None or min(size[:2]) <= 2:
                continue
            fractions = [self._fraction(item.src[0].register, item.src[0].swizzle[axis], at) for axis in range(2)]
            if any(value is None or not 0 <= value <= 1 for value in fractions):
                continue
            known = [value or 0.0 for value in fractions]
            if any(value % 1 for value in known) and not all(abs(a - b) < 1 for a, b in zip(known, position)):
                shown = ", ".join(map(_number, known))
                return (
                    f"{self._line(item)} reads the texel ({', '.join(str(int(value)) for value in known)}), which is ({shown}) without its "
                    f"fraction: texelFetch counts texels, here {size[0]} x {size[1]}; multiply by textureSize, or call texture"
                )
        return ""

    def _fraction(self, register: RegisterRef, channel: int, at: int, rounds: int = 4) -> float | None:
        """The float that became a whole number in a channel of a register before a step; None: it was none."""
        step = self._last(_name(register), channel, at) if register.file is File.TEMP and register.indirect is None else None
        number = None if step is None else self.steps[step].number
        if step is None or number is None or not rounds:
            return None
        item = self.program.instructions[number]
        if _cuts(item):
            word = self._value(item.src[0].register, item.src[0].swizzle[channel], step)
            return None if word is None else _modified(_float(word), item.src[0])
        found = (self._fraction(operand.register, operand.swizzle[channel], step, rounds - 1) for operand in item.src)
        return next((value for value in found if value is not None), None)

    def _last(self, register: str, channel: int, end: int) -> int | None:
        """The last step before `end` that wrote a channel of a register."""
        for at in range(end - 1, -1, -1):
            step = self.steps[at]
            if step.register != register:
                continue
            if step.number is None:
                return at
            written = self.program.instructions[step.number].dst
            if any(d.register.indirect is not None or (_name(d.register) == register and d.write_mask >> channel & 1) for d in written):
                return at
        return None

    def _unwritten(self, place: str, channel: int) -> str:
        if place.startswith("OUT"):
            return f"nothing writes {place}.{_LETTERS[channel]}, which is 0 then"
        return f"{place}.{_LETTERS[channel]} is read, and nothing has written it: it is 0"

    def _follow(self, instruction: Instruction, channel: int, at: int, is_bad: Callable[[float], bool]) -> str | tuple[str, int]:
        """The register and channel that made the result bad; or the reason, if this instruction is the cause."""
        traits = instruction.opcode.traits
        sources = list(self._sources(instruction, channel, at))
        if Trait.TEX in traits or Trait.MEM in traits:
            return self._read(instruction, channel, at, sources)
        for operand, read, value in sources:
            if value is None or not is_bad(value):
                continue
            file = operand.register.file
            if file is File.CONST:
                return f"{self._constant(operand.register)}.{_LETTERS[read]} is {_number(value)}, in {self._line(instruction)}"
            if file in (File.TEMP, File.OUT, File.IN):
                return _name(operand.register), read
        given = ", ".join(self._operand(instruction, *source, at) for source in sources if source[2] is not None)
        result = _text(self.steps[at].words[channel])
        text = f"{self._line(instruction)} gives {result}" + (f", of {given}" if given else "")
        if Trait.DIVIDES in traits and instruction.opcode.src_types[0] in _WHOLE:
            words = [self._value(operand.register, read, at) for operand, read, _ in sources]
            numbers = np.abs(np.array([word or 0 for word in words], np.uint32).view(np.int32).astype(np.int64)).tolist()
            if len(numbers) == 2 and 0 < numbers[0] < numbers[1]:
                text += ": a division of whole numbers drops the fraction; divide floats"
        return text + (self._infinite(sources, at) if result == "nan" else "")

    def _operand(self, instruction: Instruction, operand: SrcOperand, read: int, value: float | None, at: int) -> str:
        """The value of a source, with the name of its uniform."""
        word = self._value(operand.register, read, at)
        is_whole = instruction.opcode.src_types[instruction.src.index(operand)] in _WHOLE
        text = str(int(np.uint32(word).view(np.int32))) if is_whole and word is not None else _number(value or 0.0)
        return f"{text} ({self._constant(operand.register)})" if operand.register.file is File.CONST else text

    def _infinite(self, sources: list[tuple[SrcOperand, int, float | None]], at: int) -> str:
        """The instruction that gave the infinity from which a later one made NaN; empty if there is none."""
        for operand, read, value in sources:
            step = self._last(_name(operand.register), read, at) if value is not None and isinf(value) else None
            number = None if step is None else self.steps[step].number
            if step is None or number is None:
                continue
            origin = self.program.instructions[number]
            words = [word for _, _, word in self._sources(origin, read, step) if word is not None]
            text = f"; {self._line(origin)} gave {_number(value or 0.0)}, of {', '.join(map(_number, words))}"
            return text + (": a division by zero, or normalize of a zero vector?" if 0 in words else "")
        return ""

    def _read(self, instruction: Instruction, channel: int, at: int, sources: list[tuple[SrcOperand, int, float | None]]) -> str:
        """The bad value that was read from a texture or from memory, and its address there, taken from the first source."""
        first = sources[0][0] if sources else instruction.src[0]
        words = [self._value(operand.register, read, at) for operand, read, _ in sources if operand is first]
        known = np.array([word for word in words if word is not None], np.uint32)
        floats, beyond = ", ".join(map(_text, known)), ""
        place = floats
        if instruction.opcode.src_types[instruction.src.index(first)] != "float":
            whole: list[int] = known.view(np.int32).tolist()
            place = ", ".join(map(str, whole))
            if len(known) == len(words) and are_floats(known):
                place += f"), the bits of the floats ({floats}"
            beyond = self._beyond(instruction, whole)
        return f"{self._line(instruction)} reads {_text(self.steps[at].words[channel])} at ({place}){beyond}"

    def _beyond(self, instruction: Instruction, values: list[int]) -> str:
        """The texel coordinate that lies outside the texture."""
        size = self._size(instruction)
        if size is None or Trait.FETCH not in instruction.opcode.traits or not values:
            return ""
        width, height, last = size
        if not 0 <= values[-1] <= last:
            return f", whose level {values[-1]} the texture does not have: the last one is {last}"
        inside = 0 <= values[0] < width and (len(values) < 3 or 0 <= values[1] < height)
        return "" if inside else f", outside of the texture, {width} x {height}"

    def _size(self, instruction: Instruction) -> tuple[int, int, int] | None:
        """Width, height and last level of the texture that an instruction reads."""
        units = [s.register.index for s in instruction.src if s.register.file is File.SAMP and s.register.indirect is None]
        return self.sizes.get(units[0]) if units else None

    def _sources(self, instruction: Instruction, channel: int, at: int) -> Iterator[tuple[SrcOperand, int, float | None]]:
        """Each source channel that the result depends on, with its value as a float."""
        for number, operand in enumerate(instruction.src):
            if operand.register.file in (File.SAMP, File.SVIEW, File.BUFFER, File.IMAGE, File.MEMORY):
                continue
            reads = instruction.opcode.reads
            mask = source_channels(instruction, number)
            if number < len(reads) and reads[number] in (Reads.WRITTEN, Reads.VARYING):
                mask = 1 << channel
            for c in range(4):
                if mask >> c & 1:
                    read = operand.swizzle[c]
                    word = self._value(operand.register, read, at)
                    yield operand, read, None if word is None else _modified(_float(word), operand)

    def _value(self, register: RegisterRef, channel: int, at: int) -> int | None:
        """The word that a source has at a step; None: unknown."""
        if register.indirect is not None:
            return None
        if register.file is File.IMM:
            return int(self.program.immediates[register.index].words[channel])
        if register.file is File.CONST:
            rows = self.constants.get(0 if register.dimension is None else register.dimension.index)
            return int(rows[register.index, channel]) if rows is not None and register.index < len(rows) else 0
        if register.file not in (File.TEMP, File.OUT, File.IN):
            return None
        step = self._last(_name(register), channel, at)
        return 0 if step is None else self.steps[step].words[channel]

    def _constant(self, register: RegisterRef) -> str:
        """A constant, with its uniform's name if there is one."""
        buffer = 0 if register.dimension is None else register.dimension.index
        if name := uniform_at(self.program, buffer, register.index):
            return f"the uniform {name}"
        return f"CONST[{buffer}][{register.index}]" if buffer else f"CONST[{register.index}]"

    def _line(self, instruction: Instruction) -> str:
        number = next(k for k, item in enumerate(self.program.instructions) if item is instruction)
        span = self.shown.instructions[number].span if len(self.shown.instructions) == len(self.program.instructions) else None
        return print_instruction(instruction) + (f" ({span})" if span is not None else "")


def causer_of(
    context: Any, attachment: Attachment, log: FragmentLog, item: LoggedFragment, shown: Program | None, trace: Callable[[], LaneTrace]
) -> Callable[[], str] | None:
    """A function that replays the recorded calls and says why a fragment's color is black or NaN; None for other colors."""
    register = color_register(log.program, attachment.index)
    if register is None or attachment.surface.format.is_integer:
        return None
    color = tuple(item.outputs[log.layout.outputs.index(register)].view(np.float32).tolist())
    program = log.program
    is_bad = not any(color[:3]) or any(map(isnan, color))
    if not is_bad and not _may_cut(program):
        return None
    bound = context.state.fragment.constants
    words = {k: ctypes.string_at(memory.address, memory.size // 16 * 16) for k, memory in enumerate(bound) if memory is not None}
    constants = {k: np.frombuffer(data, np.uint32).reshape(-1, 4) for k, data in words.items()}
    views = enumerate(context.state.fragment.views)
    sizes = {k: (view.record.width, view.record.height, view.record.last_level) for k, view in views if view is not None}
    place = float(item.position[0]), float(item.position[1])

    def cause() -> str:
        try:
            lane = Lane(program, shown or program, trace().steps, constants, sizes)
        except UnsupportedError:
            return ""
        return (lane.truncated(place) if _may_cut(program) else "") or color_culprit(lane, f"OUT[{register}]", color)

    return cause


def _cuts(item: Instruction) -> bool:
    """True if an instruction makes whole numbers of floats."""
    return item.opcode.dst_types[:1] in (("int",), ("uint",)) and item.opcode.src_types == ("float",)


def _may_cut(program: Program) -> bool:
    """True if a program fetches texels, and makes whole numbers of floats."""
    return any(Trait.FETCH in item.opcode.traits for item in program.instructions) and any(map(_cuts, program.instructions))


def color_culprit(lane: Lane, register: str, color: tuple[float, ...]) -> str:
    """The reason why a color is NaN or black; empty if it is neither, or if the cause is unknown."""
    for channel, value in enumerate(color):
        if isnan(value):
            culprit = lane.culprit(register, channel, isnan)
            return f"it is NaN because {culprit}" if culprit else ""
    if len(color) == 4 and not any(color[:3]):
        culprit = lane.culprit(register, 0, lambda value: value == 0)
        return f"it is black because {culprit}" if culprit else ""
    return ""


def _name(register: RegisterRef) -> str:
    return f"{register.file.name}[{register.index}]"


def _float(word: int) -> float:
    return float(np.uint32(word).view(np.float32))


def _modified(value: float, operand: SrcOperand) -> float:
    value = abs(value) if operand.absolute else value
    return -value if operand.negate else value


def _text(word: int) -> str:
    return _number(_float(word))


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}"
