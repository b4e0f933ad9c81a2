"""Fixed-function fragment programs: texture environments, secondary color, fog. (OpenGL 2.1, 3.8.13 to 3.10)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import tgsi
from tgsi import ProgramBuilder
from tgsi.opengl.fixed import slots
from tgsi.opengl.registry import enums as GL

SAMPLED = {GL.TEXTURE_1D: "1D", GL.TEXTURE_2D: "2D", GL.TEXTURE_3D: "3D", GL.TEXTURE_CUBE_MAP: "CUBE", GL.TEXTURE_RECTANGLE: "RECT"}
SHADOW = {"1D": "SHADOW1D", "2D": "SHADOW2D", "RECT": "SHADOWRECT", "CUBE": "SHADOWCUBE"}


class Combiner(NamedTuple):
    """One half of GL_COMBINE: the function, its sources and operands, and its scale."""

    function: int
    sources: tuple[int, int, int]
    operands: tuple[int, int, int]
    scale: float


@dataclass(frozen=True, kw_only=True)
class EnvironmentKey:
    """Facts about a texture environment that determine its instructions."""

    unit: int
    target: int
    is_shadow: bool
    base: int
    mode: int
    rgb: Combiner | None
    alpha: Combiner | None


PIXELS = 8
"""The sampler of a drawn pixel rectangle; GENERIC 0 has its coordinates."""


class FragmentKey(NamedTuple):
    """Facts about the state that determine the instructions of a fragment program. `fog` is the fog mode, or 0.

    `source`: "pixels", "bitmap" or "depth" for rectangles, whose colors, shape or depths come from a texture.
    """

    units: tuple[EnvironmentKey, ...]
    adds_secondary: bool
    fog: int
    source: str = ""


class _Maker:
    """Generates the instructions of a program."""

    def __init__(self, key: FragmentKey) -> None:
        self.key = key
        self.b = ProgramBuilder("FRAG")
        self.primary = self.colors() if key.source != "pixels" else self.pixel()
        self.depth: Any = self.pixel() if key.source in ("bitmap", "depth") else None
        self.texels: dict[int, Any] = {}
        self.samplers: dict[int, Any] = {}

    def colors(self) -> Any:
        """The primary color from the vertex stage."""
        return self.b.input("COLOR", interpolation="COLOR")

    def pixel(self) -> Any:
        """The texel of a rectangle."""
        b = self.b
        texel = b.temporary()
        place, sampler = b.input("GENERIC", 0, interpolation="LINEAR"), b.sampler(PIXELS)
        b.view("2D", index=PIXELS)
        b.TEX(texel, place, sampler, "2D")
        return texel

    def texel(self, item: EnvironmentKey) -> Any:
        """The texel of a unit."""
        b = self.b
        kind = SAMPLED[item.target]
        if item.is_shadow:
            kind = SHADOW.get(kind, kind)
        coordinate, texel = b.input("TEXCOORD", item.unit, interpolation="PERSPECTIVE"), b.temporary()
        sampler = b.sampler(item.unit)
        b.view(kind, index=item.unit)
        if item.target == GL.TEXTURE_CUBE_MAP:
            b.TEX(texel, coordinate, sampler, kind)
        else:
            b.TXP(texel, coordinate, sampler, kind)
        return texel

    def environment(self, item: EnvironmentKey, color: Any) -> Any:
        """The color after a unit."""
        b, texel = self.b, self.texels[item.unit]
        result = b.temporary()
        if item.mode == GL.COMBINE:
            assert item.rgb is not None
            assert item.alpha is not None
            gives_all = item.rgb.function == GL.DOT3_RGBA
            self.combine(item, item.rgb, color, result, "xyzw" if gives_all else "xyz")
            if not gives_all:
                self.combine(item, item.alpha, color, result, "w")
            return result
        constant = b.constant(slots.ENVIRONMENT + item.unit)
        has_color = item.base != GL.ALPHA
        has_alpha = item.base in (GL.ALPHA, GL.LUMINANCE_ALPHA, GL.RGBA, GL.INTENSITY)
        b.MOV(result, color)
        if item.mode == GL.REPLACE:
            if has_color:
                b.MOV(result.xyz, texel)
            if has_alpha:
                b.MOV(result.w, texel)
        elif item.mode == GL.MODULATE:
            if has_color:
                b.MUL(result.xyz, color, texel)
            if has_alpha:
                b.MUL(result.w, color, texel)
        elif item.mode == GL.DECAL:
            if item.base == GL.RGBA:
                b.LRP(result.xyz, texel.wwww, texel, color)
            else:
                b.MOV(result.xyz, texel)
        elif item.mode == GL.BLEND:
            if has_color:
                b.LRP(result.xyz, texel, constant, color)
            if item.base == GL.INTENSITY:
                b.LRP(result.w, texel, constant, color)
            elif has_alpha:
                b.MUL(result.w, color, texel)
        elif item.mode == GL.ADD:
            if has_color:
                b.ADD(result.xyz, color, texel)
            if item.base == GL.INTENSITY:
                b.ADD(result.w, color, texel)
            elif has_alpha:
                b.MUL(result.w, color, texel)
        b.MOV(result, result, saturate=True)
        return result

    def combine(self, item: EnvironmentKey, half: Combiner, color: Any, result: Any, mask: str) -> None:
        """One half of GL_COMBINE. (OpenGL 2.1, tables 3.22 and 3.23)"""
        b, into = self.b, getattr(result, mask)
        first, second, third = (self.argument(item, half, index, color) for index in range(3))
        function = half.function
        if function == GL.REPLACE:
            b.MOV(into, first)
        elif function == GL.MODULATE:
            b.MUL(into, first, second)
        elif function == GL.ADD:
            b.ADD(into, first, second)
        elif function == GL.ADD_SIGNED:
            b.ADD(into, first, second)
            b.ADD(into, result, -0.5)
        elif function == GL.INTERPOLATE:
            b.LRP(into, third, first, second)
        elif function == GL.SUBTRACT:
            b.ADD(into, first, -second)
        else:  # GL_DOT3_RGB and GL_DOT3_RGBA
            one, two = b.temporary(), b.temporary()
            b.ADD(one, first, -0.5)
            b.ADD(two, second, -0.5)
            b.DP3(one.x, one, two)
            b.MUL(into, one.xxxx, 4.0)
        if half.scale != 1.0:
            b.MUL(into, result, half.scale)
        b.MOV(into, result, saturate=True)

    def argument(self, item: EnvironmentKey, half: Combiner, index: int, color: Any) -> Any:
        """A source with its operand."""
        b, source, operand = self.b, half.sources[index], half.operands[index]
        if source == GL.TEXTURE:
            value = self.texels[item.unit]
        elif source == GL.CONSTANT:
            value = b.constant(slots.ENVIRONMENT + item.unit)
        elif source == GL.PRIMARY_COLOR:
            value = self.primary
        elif GL.TEXTURE0 <= source < GL.TEXTURE0 + 8:
            value = self.texels.get(source - GL.TEXTURE0, color)
        else:
            value = color
        if operand in (GL.SRC_ALPHA, GL.ONE_MINUS_SRC_ALPHA):
            value = value.wwww
        if operand in (GL.ONE_MINUS_SRC_COLOR, GL.ONE_MINUS_SRC_ALPHA):
            inverted = b.temporary()
            b.ADD(inverted, 1.0, -value)
            return inverted
        return value

    def make(self) -> tgsi.Program:
        """The whole program."""
        b, key = self.b, self.key
        if key.source == "bitmap":
            b.ADD(self.depth.x, self.depth.xxxx, -0.5)
            b.KILL_IF(self.depth.xxxx)
        secondary = b.input("COLOR", 1, interpolation="COLOR") if key.adds_secondary else None
        for item in key.units:
            self.texels[item.unit] = self.texel(item)
        color: Any = self.primary
        for item in key.units:
            color = self.environment(item, color)
        result = b.temporary()
        b.MOV(result, color)
        if secondary is not None:
            b.ADD(result.xyz, result, secondary, saturate=True)
        if key.fog:
            self.fog(result)
        b.property("FS_COLOR0_WRITES_ALL_CBUFS", 1)
        b.MOV(b.output("COLOR"), result)
        if key.source == "depth":
            b.MOV(b.output("POSITION").z, self.depth.xxxx)
        return b.build()

    def fog(self, result: Any) -> None:
        """Blend with the fog color."""
        b, distance = self.b, self.b.input("FOG", 0, interpolation="PERSPECTIVE")
        factors, share = b.constant(slots.FOG_FACTORS), b.temporary()
        if self.key.fog == GL.LINEAR:
            b.MAD(share.x, distance.xxxx, factors.xxxx, factors.yyyy, saturate=True)
        else:
            b.MUL(share.x, distance.xxxx, factors.zzzz if self.key.fog == GL.EXP else factors.wwww)
            if self.key.fog == GL.EXP2:
                b.MUL(share.x, share.xxxx, share.xxxx)
            b.EX2(share.x, -share.xxxx, saturate=True)
        b.LRP(result.xyz, share.xxxx, result, b.constant(slots.FOG_COLOR))


def fragment_program(key: FragmentKey) -> tgsi.Program:
    """The fragment program of a key."""
    return _Maker(key).make()
