"""Legal but suspicious facts about a draw that wrote a pixel: all-zero textures, values read as another type, coordinates out of range."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.bound import DrawState
from backends.formats import Format
from backends.pipe.enums import TexWrap
from tgsi.insight.fragment_log import FragmentLog, LoggedFragment
from tgsi.insight.place import Attachment, same_layer
from tgsi.insight.texture_doubts import of_textures
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.validation import vertices
from tgsi.validation.declared import semantics
from tgsi.validation.findings import Finding
from tgsi.validation.words import are_floats, doubles, whole_numbers

_ATTRIBUTES = ("element", "buffer")
_SOURCES = ("texture", "sampler", "constants", "memory", "varying", *_ATTRIBUTES)
"""Rules about inputs of a program that nothing feeds."""
_REASONS = ("position", "color", "fragment")
"""Rules that only repeat why the draw has no fragment, or the fragment no color."""
_BORDERS = {TexWrap.CLAMP_TO_BORDER: "the border color", TexWrap.CLAMP_TO_EDGE: "the texel at the edge"}


def texts_of(findings: Sequence[Finding], *, has_fragments: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Texts of findings of validation about a draw: first the inputs that nothing feeds, then all others.

    has_fragments: findings about attributes come last. Without a fragment they come first, because they may be the reason.
    """
    missing = [item for item in findings if item.rule in _SOURCES]
    if has_fragments:
        missing.sort(key=lambda item: item.rule in _ATTRIBUTES)
    others = tuple(item.text for item in findings if item.rule not in (*_SOURCES, *_REASONS))
    return tuple(item.text for item in missing), others


def unfed_attributes(state: DrawState) -> tuple[str, ...]:
    """Inputs of the vertex program that no vertex element, or no buffer, feeds."""
    shader = state.vertex.shader
    findings = () if shader is None else vertices.elements(state, shader.program)
    return tuple(item.text for item in findings if item.rule in _ATTRIBUTES)


def doubts_of(context: Any, attachment: Attachment, log: FragmentLog, item: LoggedFragment) -> Iterator[str]:
    """Doubts about the last fragment that wrote a pixel, the most certain one first."""
    register = color_register(log.program, attachment.index)
    if register is not None:
        yield from _bits(attachment.surface.format, item.outputs[log.layout.outputs.index(register)])
    layers = context.targets.framebuffer.layers
    if same_layer(item.layer, layers) != item.layer:
        yield f"the shader wrote LAYER {item.layer}, beyond the last one, {layers - 1}, which is taken instead"
    if (
        "SAMPLEMASK" in semantics(log.program, File.OUT)
        and not context.state.rasterizer.multisample
        and not context.targets.framebuffer.has_own_samples
    ):
        yield "the shader writes SAMPLEMASK, which is ignored: the rasterizer's multisample is off"
    yield from of_textures(context, attachment, log, item)
    yield from _constants(context, log.program)


def color_register(program: Program, index: int) -> int | None:
    """The register of a color output."""
    index = 0 if program.property("FS_COLOR0_WRITES_ALL_CBUFS") else index
    for d in program.declared(File.OUT):
        if d.semantic is not None and d.semantic.name == "COLOR" and 0 <= index - d.semantic.index <= d.last - d.first:
            return d.first + index - d.semantic.index
    return None


def _bits(format: Format, words: NDArray[np.uint32]) -> Iterator[str]:
    """Integers written to a float target, or floats to an integer target."""
    if format.is_depth_stencil:
        return
    if not format.is_integer and (numbers := whole_numbers(words)):
        yield f"the color has the bits of whole numbers, such as {numbers}, which are almost 0 as floats: I2F or U2F, or divide as floats"
    if format.is_integer and are_floats(words):
        yield f"{format} holds whole numbers, and the shader wrote the bits of floats: F2I or F2U, or a UNORM or FLOAT format"


# -- constants ---------------------------------------------------------------------------------------------------------------
def _constants(context: Any, program: Program) -> Iterator[str]:
    """Constant buffers that hold integers or doubles where the program reads floats."""
    bound = context.state.fragment.constants
    rows: dict[int, set[int]] = {}
    whole: dict[int, set[int]] = {}
    for instruction in program.instructions:
        for kind, operand in zip(instruction.opcode.src_types, instruction.src):
            register = operand.register
            if register.file is File.CONST and register.indirect is None:
                reads = rows if kind in ("float", "untyped") else whole
                reads.setdefault(0 if register.dimension is None else register.dimension.index, set()).add(register.index)
    yield from _floats_for_whole(bound, {slot: read - rows.get(slot, set()) for slot, read in whole.items()})
    for slot, read in sorted(rows.items()):
        memory = bound[slot] if slot < len(bound) else None
        if memory is None or memory.size < 16 * (max(read) + 1):
            continue
        words = np.frombuffer(ctypes.string_at(memory.address, memory.size // 16 * 16), np.uint32).reshape(-1, 4)
        if numbers := doubles(words[: 2 * (max(read) + 1)]):
            yield f"constant buffer {slot} looks like an array of float64, {numbers}: .astype(numpy.float32)"


def _floats_for_whole(bound: Any, rows: dict[int, set[int]]) -> Iterator[str]:
    """Rows that hold floats and that the program reads only as integers."""
    for slot, read in sorted(rows.items()):
        memory = bound[slot] if slot < len(bound) else None
        if memory is None or not read or memory.size < 16 * (max(read) + 1):
            continue
        words = np.frombuffer(ctypes.string_at(memory.address, memory.size // 16 * 16), np.uint32).reshape(-1, 4)[sorted(read)]
        if are_floats(words):
            shown = ", ".join(f"{v:g}" for v in words[words != 0].view(np.float32)[:3].tolist())
            yield f"constant buffer {slot} holds floats, such as {shown}, and the shader reads whole numbers: .astype(numpy.int32)"
