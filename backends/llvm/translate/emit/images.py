"""LOAD, STORE, atomics and RESQ on images. `memory` calls these emitters if an operand names an image.

Texels outside of the image, and images that are not bound, read 0 (an alpha that a bound image lacks: 1) and are never written. Lanes act
one after the other, in the order of their numbers. Killed lanes and helper lanes only read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol, runtime_checkable

from backends.abi.keys import ImageKey
from backends.abi.records import TextureRecord
from backends.formats import Format
from backends.llvm.builder.function import F32, I32, Function, Val
from backends.llvm.sampling.image import Image, Update
from backends.llvm.translate.emit import Context, Vector
from backends.llvm.translate.emit.atomic_reduction import merge, merge_of
from backends.llvm.translate.emit.outlined import call_part
from backends.llvm.translate.emit.resources import changing
from backends.llvm.translate.emit.textures import channels_of
from backends.llvm.translate.emit.units import MAX_UNITS, Unit, meant, named, named_register, record_of, select_unit, wide
from backends.pipe.limits import MAX_SHADER_IMAGES
from passes.analysis import facts
from passes.analysis.operands import RESOURCES
from tgsi.language.channels import source_channels
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import TARGETS, File, TargetInfo
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import RegisterRef
from tgsi.language.program import Program

SHARED_FROM = 16
"""Programs with at least this number of accesses share the code of equal ones."""

_WHOLE_WORDS = frozenset({Format.R32_UINT, Format.R32_SINT})
_OF_FLOATS = frozenset({"ATOMXCHG", "ATOMFADD"})


@runtime_checkable
class Images(Protocol):
    """Interface of kernels whose programs may use images, in addition to Interface. ShaderEnv.images holds MAX_IMAGES records."""

    def image_key(self, unit: int) -> ImageKey | None:
        """Static part of a bound image."""
        ...


def names_image(register: RegisterRef) -> bool:
    """True for a resource that is an image, or a handle of one."""
    return register.file is File.IMAGE or register.file not in RESOURCES


def _images(c: Context) -> Images:
    interface = c.interface
    if not isinstance(interface, Images):
        text = f"{c.instruction.opcode.name} of images in this kind of kernel is not supported by the code generator"
        raise UnsupportedError.at("B004", text, c.instruction.span)
    return interface


def _target(c: Context) -> TargetInfo:
    """The texture target of the instruction."""
    access = c.instruction.memory
    info = TARGETS[access.target if access is not None else "BUFFER"]
    if not info.coords:
        raise UnsupportedError.at("B004", f"images of target {info.name} are not supported by the code generator", c.instruction.span)
    return info


def _coordinates(c: Context, address: Vector, number: int) -> list[Val]:
    """Four coordinates, i32 lanes, from the address, source `number`. Unused coordinates are 0 and are not fetched."""
    _target(c)  # checks the target even if no image is bound
    mask, zero = source_channels(c.instruction, number), c.f.const(I32.wide(c.lane_map.lanes), 0)
    return [wide(c, address[channel]).as_int() if mask >> channel & 1 else zero for channel in range(4)]


def _key(c: Context, unit: int) -> ImageKey | None:
    return _images(c).image_key(unit) if unit < MAX_SHADER_IMAGES or unit >= MAX_UNITS else None


def _in_place(c: Context, unit: Unit) -> Image | None:
    """The image of a unit if accesses by rows are inlined, because a call would pass all channels through memory.

    Only scattered texels then need a call. None if no rows are expected, or if the program has many accesses.
    """
    key = _key(c, unit.number)
    if key is None or facts.of(c.program, _count_accesses) >= SHARED_FROM:
        return None
    image = Image(c.f, key, record_of(c, "images", TextureRecord, unit), c.lane_map.lanes, _target(c), c.lane_map.side_by_side)
    return image if image.has_rows else None


def _count_accesses(program: Program) -> int:
    """Number of instructions of a program that access images or other memory."""
    return sum(Trait.MEM in instruction.opcode.traits for instruction in program.instructions)


def _call(
    c: Context,
    unit: Unit,
    what: str,
    values: Sequence[Val],
    returned: int,
    write: Callable[[Function, Image, list[Val]], Sequence[Val]],
) -> list[Val] | None:
    """Call a function whose code `write` generates for the image of a unit; None if no image is bound.

    values: its arguments, 32-bit lanes. what: identifies the generated code, together with the opcode.
    """
    key, lanes, target, row = _key(c, unit.number), c.lane_map.lanes, _target(c), c.lane_map.side_by_side
    if key is None:
        return None
    name = f"{c.instruction.opcode.name} {what} {key.format.name} {target.name} {lanes} {row}{' wide' if key.is_wide else ''}"
    passed = [record_of(c, "images", TextureRecord, unit), *values]
    return call_part(
        c, name, [F32.wide(lanes)] * returned, passed, lambda f, args: write(f, Image(f, key, args[0], lanes, target, row), args[1:])
    )


def _zeros(c: Context) -> list[Val]:
    return [c.f.const(F32.wide(c.lane_map.lanes), 0.0)] * 4


def emit_load(c: Context, address: Vector) -> list[Val]:
    """Channels of a texel, in the order of the resource's swizzle. The swizzle of a handle only selects the handle."""
    operand, coords = c.instruction.src[0], _coordinates(c, address, 1)

    def write_scattered(f: Function, image: Image, operands: list[Val]) -> list[Val]:
        return [word.as_float() for word in image.load_scattered(operands)]

    def body(unit: Unit) -> Sequence[Val]:
        image = _in_place(c, unit)
        if image is None:
            return _call(c, unit, "", coords, 4, lambda f, image, operands: image.load(operands)) or _zeros(c)

        def scattered() -> Sequence[Val]:
            words = _call(c, unit, "scattered", coords, image.format.block_words, write_scattered)
            return [word.as_int() for word in words or ()]

        return image.load(coords, scattered)

    texel = select_unit(c, named(c, operand), partial(_key, c), body, _zeros(c))
    return [texel[channel] for channel in operand.swizzle] if operand.register.file in RESOURCES else texel


def emit_store(c: Context, address: Vector, value: Vector) -> list[Val]:
    """Write the channels of the write mask."""
    target, coords = c.instruction.dst[0], _coordinates(c, address, 0)
    values = [channel.as_int() for channel in channels_of(c, value, 4)]
    name, lasting = named_register(c, target.register, 0), changing(c)

    def write_scattered(f: Function, image: Image, operands: list[Val]) -> Sequence[Val]:
        image.store_scattered(operands[:4], operands[5:], target.write_mask, operands[4] < 0)
        return []

    def write(f: Function, image: Image, operands: list[Val]) -> Sequence[Val]:
        image.store(operands[:4], operands[4:8], target.write_mask, operands[8] < 0)
        return []

    def body(unit: Unit) -> Sequence[Val]:
        image, active = _in_place(c, unit), meant(c, name, unit) & lasting
        lanes, what = active.sext(I32), str(target.write_mask)
        if image is None:
            _call(c, unit, what, [*coords, *values, lanes], 0, write)
            return []

        def scattered(words: Sequence[Val]) -> None:
            _call(c, unit, f"scattered {what}", [*coords, lanes, *words], 0, write_scattered)

        image.store(coords, values, target.write_mask, active, scattered)
        return []

    select_unit(c, name, partial(_key, c), body, [])
    return []


def emit_atomic(c: Context, address: Vector, operand: Vector, replacement: Vector | None, update: Update | None) -> list[Val]:
    """Old word of the texel. Only images of one 32-bit channel have atomics, and float images only two. `update` is None for ATOMCAS."""
    opcode, coords = c.instruction.opcode.name, _coordinates(c, address, 1)
    operands = [wide(c, vector[0]).as_int() for vector in (operand, replacement) if vector is not None]
    name, lasting, how = named(c, c.instruction.src[0]), changing(c).sext(I32), merge_of(c)

    def write(f: Function, image: Image, operands: list[Val]) -> Sequence[Val]:
        if how is not None:
            place = image.place(operands[:4])
            merge(f, how, place.base, place.offset, place.inside & (operands[4] < 0) & (operands[5] < 0), operands[6])
            return [f.const(F32.wide(image.lanes), 0.0)]

        def new(old: Val, words: Sequence[Val]) -> Val:
            return f.select(old.eq(words[0]), words[1], old) if update is None else update(f, old, words[0])

        return [image.update(operands[:4], operands[4] < 0, operands[5] < 0, operands[6:], new).as_float()]

    def body(unit: Unit) -> Sequence[Val]:
        key = _key(c, unit.number)
        if key is None or not (key.format in _WHOLE_WORDS or (key.format is Format.R32_FLOAT and opcode in _OF_FLOATS)):
            return _zeros(c)[:1]
        lanes = meant(c, name, unit).sext(I32)
        return _call(c, unit, "", [*coords, lanes, lasting, *operands], 1, write) or _zeros(c)[:1]

    return select_unit(c, name, partial(_key, c), body, _zeros(c)[:1]) * 4


def emit_resq(c: Context) -> list[Val]:
    """Width, height, depth or layers, and samples; 0 if no image is bound."""

    def body(unit: Unit) -> Sequence[Val]:
        sizes = _call(c, unit, "", [], 4, lambda f, image, values: [size.as_float() for size in image.sizes()])
        return sizes or _zeros(c)

    _target(c)
    return select_unit(c, named(c, c.instruction.src[0]), partial(_key, c), body, _zeros(c))
