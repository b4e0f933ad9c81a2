"""Facts about state that does not fit a draw: leftover vertices, identical instances, a blend color that was never set."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from backends.device.bound import DrawState
from backends.device.shader import Shader
from backends.formats import Format
from backends.pipe.enums import BlendFactor, Prim
from backends.pipe.state import DrawInfo
from tgsi.language.facts.enums import File, Primitive, Processor
from tgsi.language.ir import Instruction
from tgsi.language.program import Program
from tgsi.validation.declared import registers, semantics
from tgsi.validation.findings import Finding

_SIZES = {Prim.LINES: 2, Prim.TRIANGLES: 3, Prim.QUADS: 4}
_STRIPS = {Prim.LINES: "LINE_STRIP", Prim.TRIANGLES: "TRIANGLE_STRIP", Prim.QUADS: "QUAD_STRIP"}
_CONSTANT = {BlendFactor.CONST_COLOR, BlendFactor.CONST_ALPHA, BlendFactor.INV_CONST_COLOR, BlendFactor.INV_CONST_ALPHA}
_SECOND = {BlendFactor.SRC1_COLOR, BlendFactor.SRC1_ALPHA, BlendFactor.INV_SRC1_COLOR, BlendFactor.INV_SRC1_ALPHA}
_FACTORS = ("rgb_src_factor", "rgb_dst_factor", "alpha_src_factor", "alpha_dst_factor")
_CORNERS = {Primitive.POINTS: 1, Primitive.LINE_STRIP: 2, Primitive.TRIANGLE_STRIP: 3}
_GAMMAS = ((1 / 2.2, 0.002), (1 / 2.4, 0.0005))
"""Exponents that encode sRGB, each with its tolerance."""


def leftovers(state: DrawState, info: DrawInfo, *, few: bool = True) -> Iterator[Finding]:
    """Leftover vertices of an incomplete primitive, and identical instances. few: check only draws of a single primitive for leftovers."""
    size = _SIZES.get(info.mode)
    if info.mode is Prim.PATCHES:
        size = info.vertices_per_patch or state.record.patch_vertices
    rest = info.count % size if size and info.count > size and not info.primitive_restart else 0
    if size and rest and (info.count < 2 * size or not few):
        mode = info.mode.name
        also = f"; is {_STRIPS[info.mode]} meant?" if info.mode in _STRIPS else ""
        text = f"count is {info.count}, no multiple of {size}: {rest} vert{'ex is' if rest == 1 else 'ices are'} left over of {mode}{also}"
        yield Finding("leftover", (mode, info.count), text)
    shader = state.vertex.shader
    if info.instance_count > 1 and shader is not None and not _differs_by_instance(state, info, shader.program):
        text = (
            f"all {info.instance_count} instances are the same: no vertex element that the vertex shader reads has an instance_divisor "
            f"from 1 to {info.instance_count - 1}, and it does not read INSTANCEID (gl_InstanceID)"
        )
        yield Finding("same instances", shader.serial, text)
    if info.count > 1 and shader is not None and _is_one_vertex(state, shader.program):
        text = (
            "all vertices of an instance are the same: every vertex element that the vertex shader reads has an instance_divisor, "
            "and it does not read VERTEXID (gl_VertexID); a divisor of 0 steps by vertex"
        )
        yield Finding("same vertices", shader.serial, text, info.mode is not Prim.POINTS)


def _is_one_vertex(state: DrawState, program: Program) -> bool:
    """True if nothing that a vertex shader reads differs between the vertices of an instance."""
    read = registers(program, File.IN)
    divisors = [element.instance_divisor for register, element in enumerate(state.vertex_elements) if register in read]
    after = any(s.shader is not None for s in state.drawn_stages() if s.processor not in (Processor.VERT, Processor.FRAG))
    is_numbered = any(name.startswith("VERTEXID") for name in semantics(program, File.SV))
    return bool(divisors) and all(divisors) and not is_numbered and not after


def _differs_by_instance(state: DrawState, info: DrawInfo, program: Program) -> bool:
    read = registers(program, File.IN)
    system = semantics(program, File.SV)
    divisors = [element.instance_divisor for register, element in enumerate(state.vertex_elements) if register in read]
    steps = any(0 < divisor < info.instance_count for divisor in divisors)
    after = any(s.shader is not None for s in state.drawn_stages() if s.processor not in (Processor.VERT, Processor.FRAG))
    return steps or bool(system & {"INSTANCEID", "BASEINSTANCE"}) or after


def blending(state: DrawState, fragment: Shader | None, count: int) -> Iterator[Finding]:
    """Blend factors that take a color which was never set or written. count: of color buffers."""
    for number in range(count):
        item = state.blend.target(number)
        if not item.blend_enable:
            continue
        factors = {getattr(item, name) for name in _FACTORS}
        if factors & _CONSTANT and not any(state.blend_color):
            name = min(factors & _CONSTANT).name
            text = f"the blend factor {name} takes the blend color, which is (0, 0, 0, 0): set_blend_color"
            yield Finding("blend color", name, text)
        if factors & _SECOND and fragment is not None and "COLOR[1]" not in _colors(fragment.program):
            name = min(factors & _SECOND).name
            text = f"the blend factor {name} takes the second color of the fragment shader, which writes no COLOR[1]"
            yield Finding("second color", (fragment.serial, name), text)


def _colors(program: Program) -> set[str]:
    return {
        f"COLOR[{item.semantic.index + k}]"
        for item in program.declared(File.OUT)
        if item.semantic is not None and item.semantic.name == "COLOR"
        for k in range(item.last - item.first + 1)
    }


def routes(program: Program, layers: int) -> Iterator[Finding]:
    """A layer that the bound surfaces do not have. layers: of the framebuffer."""
    if layers == 1 and "LAYER" in semantics(program, File.OUT):
        text = "the shader writes LAYER, and the bound surfaces have one layer, to which all goes: create_surface(last_layer=...)"
        yield Finding("layer", (id(program), layers), text)


def emissions(program: Program) -> Iterator[Finding]:
    """A geometry shader whose limit of vertices is below one primitive."""
    if program.processor is not Processor.GEOM:
        return
    least = _CORNERS.get(Primitive(program.property("GS_OUTPUT_PRIMITIVE", int(Primitive.TRIANGLE_STRIP))), 1)
    most = program.property("GS_MAX_OUTPUT_VERTICES")
    if most < least:
        text = f"GS_MAX_OUTPUT_VERTICES is {most}, and a primitive has {least} vertices: the geometry shader makes none"
        yield Finding("emissions", id(program), text, True)


def encodings(fragment: Shader, formats: list[Format]) -> Iterator[Finding]:
    """A shader that encodes sRGB for a target that encodes it again."""
    if any("SRGB" in item.name for item in formats) and (gamma := gamma_of(fragment.program)):
        text = f"the fragment shader takes the power {gamma:.4g}, and the target is SRGB, which encodes again: colors get too light"
        yield Finding("gamma", fragment.serial, text)


def gamma_of(program: Program) -> float:
    """The exponent by which a program encodes sRGB; 0 if it does not."""
    values = [_floats(program, item) for item in program.instructions]
    names = {item.opcode.name for item in program.instructions}
    powers = [v for item, found in zip(program.instructions, values) if item.opcode.name == "POW" for v in found]
    if {"LG2", "EX2"} <= names:
        powers += [v for item, found in zip(program.instructions, values) if item.opcode.name == "MUL" for v in found]
    return next((v for v in powers for gamma, tolerance in _GAMMAS if abs(v - gamma) < tolerance), 0.0)


def _floats(program: Program, item: Instruction) -> list[float]:
    """Immediates of an instruction, as floats."""
    found = [s for s in item.src if s.register.file is File.IMM and s.register.indirect is None]
    return [float(np.uint32(program.immediates[s.register.index].words[c]).view(np.float32)) for s in found for c in s.swizzle]
