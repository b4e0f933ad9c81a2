"""Outputs captured by transform feedback. (OpenGL 4.6 core, 11.1.2.1)"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tgsi.gallium import StreamOutput, StreamOutputInfo
from tgsi.opengl.objects.glsl_types import shape_of, type_of
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    import tgsi
    from tgsi.opengl.objects.linked import Linked
    from tgsi.opengl.objects.program import Program


class LinkFailure(Exception):
    """A program cannot be linked; the text is its info log."""


def stream_output(linked: Linked, program: Program, last: tgsi.Program | None) -> StreamOutputInfo | None:
    """The captured varyings of glTransformFeedbackVaryings. (OpenGL 4.6 core, 11.1.2.1)"""
    if last is None:
        return None
    if not program.varyings:
        described = last.interface.stream_output if last.interface is not None else None
        return (
            StreamOutputInfo(**{**described, "output": tuple(StreamOutput(**item) for item in described["output"])}) if described else None
        )
    linked.feedback_mode, linked.varyings = program.varying_mode, program.varyings
    separate = program.varying_mode == GL.SEPARATE_ATTRIBS
    outputs: list[StreamOutput] = []
    strides, buffer = [0], 0
    for number, name in enumerate(program.varyings):
        if name == "gl_NextBuffer":
            buffer += 1
            strides.append(0)
            continue
        if name.startswith("gl_SkipComponents"):
            strides[buffer] += int(name[-1])
            continue
        if separate and number:
            buffer += 1
            strides.append(0)
        kind, size, registers = captured(last, name)
        linked.feedback.append((name, kind, size))
        for register, start, count in registers:
            outputs.append(StreamOutput(register, start, count, buffer, strides[buffer]))
            strides[buffer] += count
    return StreamOutputInfo(stride=tuple(strides), output=tuple(outputs))


def captured(program: tgsi.Program, name: str) -> tuple[int, int, list[tuple[int, int, int]]]:
    """The type and size of an output by name, and its registers with first component and count.

    Raises:
        LinkFailure: the program has no such output.
    """
    builtin = {"gl_Position": ("POSITION", 4, GL.FLOAT_VEC4), "gl_PointSize": ("PSIZE", 1, GL.FLOAT)}
    if name in builtin:
        word, count, kind = builtin[name]
        return kind, 1, [(_register(program, word, 0, name), 0, count)]
    face = program.interface
    stem, _, index = name.partition("[")
    port = face.outputs.get(name) or face.outputs.get(stem) if face is not None else None
    if port is None:
        raise LinkFailure(f"transform feedback: {name} is not an output of the last stage before the rasterizer")
    word, _, number = port.semantic.partition("[")
    first = _register(program, word, int(number.rstrip("]") or 0), name)
    shape = shape_of(port.type)
    registers: list[tuple[int, int, int]] = []
    for column in range(shape.columns * shape.elements):
        words = shape.rows * shape.words
        for part in range(shape.registers):
            registers.append((first + column * shape.registers + part, 0, min(4, words - 4 * part)))
    elements = shape.elements
    if index:
        at, each = int(index.rstrip("]")), shape.columns * shape.registers
        registers, elements = registers[at * each : (at + 1) * each], 1
    return type_of(port.type), elements, registers


def _register(program: tgsi.Program, word: str, index: int, name: str) -> int:
    outputs: Iterable[Any] = (item for item in program.declarations if item.file.name == "OUT" and item.semantic is not None)
    for item in outputs:
        span = item.last - item.first
        if item.semantic.name == word and item.semantic.index <= index <= item.semantic.index + span:
            return int(item.first + index - item.semantic.index)
    raise LinkFailure(f"transform feedback: {name} is never written")
