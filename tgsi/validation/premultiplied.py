"""Colors that a shader multiplies by their alpha, and blending multiplies again."""

from __future__ import annotations

from collections.abc import Iterator

from backends.device.bound import DrawState
from backends.device.shader import Shader
from backends.pipe.enums import BlendFactor, BlendFunc
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Flow, Trait
from tgsi.language.ir import RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.validation.findings import Finding

_ALPHA = 3
Value = tuple[File, int, int, int | None, int]
"""File, buffer, register, number of the instruction that wrote it (None: an input, a constant, or nothing wrote it), channel."""


def twice(state: DrawState, fragment: Shader, count: int) -> Iterator[Finding]:
    """A color that the fragment shader multiplies by its alpha, for a blend state that does so, too. count: of color buffers."""
    for number in range(count):
        item = state.blend.target(number)
        is_usual = item.blend_enable and item.rgb_func is BlendFunc.ADD and item.rgb_src_factor is BlendFactor.SRC_ALPHA
        if is_usual and item.rgb_dst_factor is BlendFactor.INV_SRC_ALPHA and premultiplies(fragment.program, number):
            text = (
                "the fragment shader multiplies its color by its alpha, and the blend factor SRC_ALPHA multiplies it again: colors get too "
                "dark at edges; ONE is the factor of premultiplied colors"
            )
            yield Finding("premultiplied", fragment.serial, text)


def premultiplies(program: Program, number: int) -> bool:
    """True if a program without branches writes a color whose red, green and blue are products with its alpha."""
    if any(item.opcode.flow not in (None, Flow.END) for item in program.instructions):
        return False
    register = _color(program, number)
    if register is None:
        return False
    end = len(program.instructions)
    alpha = _origin(program, RegisterRef(File.OUT, register), _ALPHA, end)
    factors = [_factors(program, _origin(program, RegisterRef(File.OUT, register), c, end)) for c in range(3)]
    is_known = alpha[3] is not None or alpha[0] in (File.IN, File.CONST)
    return is_known and all(alpha in found for found in factors)


def _color(program: Program, number: int) -> int | None:
    for d in program.declared(File.OUT):
        if d.semantic is not None and d.semantic.name == "COLOR" and 0 <= number - d.semantic.index <= d.last - d.first:
            return d.first + number - d.semantic.index
    return None


def _origin(program: Program, register: RegisterRef, channel: int, end: int) -> Value:
    """The value of a channel before instruction `end`, followed through moves."""
    for at in range(end - 1, -1, -1):
        item = program.instructions[at]
        written = [d for d in item.dst if (d.register.file, d.register.index) == (register.file, register.index)]
        if any(d.register.indirect is not None or d.write_mask >> channel & 1 for d in written):
            plain = Trait.PICKS in item.opcode.traits and len(item.src) == 1 and _is_plain(item.src[0])
            return _origin(program, item.src[0].register, item.src[0].swizzle[channel], at) if plain else (*_key(register), at, channel)
    return *_key(register), None, channel


def _key(register: RegisterRef) -> tuple[File, int, int]:
    return register.file, 0 if register.dimension is None else register.dimension.index, register.index


def _is_plain(operand: SrcOperand) -> bool:
    return operand.register.indirect is None and not operand.negate and not operand.absolute


def _factors(program: Program, value: Value) -> list[Value]:
    """The two values whose product a value is; empty for other values."""
    *_, at, channel = value
    item = None if at is None else program.instructions[at]
    if at is None or item is None or Trait.PRODUCT not in item.opcode.traits or len(item.src) != 2 or not all(map(_is_plain, item.src)):
        return []
    return [_origin(program, operand.register, operand.swizzle[channel], at) for operand in item.src]
