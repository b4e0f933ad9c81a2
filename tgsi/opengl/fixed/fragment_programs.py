"""Fragment programs of the fixed functions: texture environments, secondary color, fog. (OpenGL 2.1, 3.8.13 to 3.10)"""

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
    """Facts of a texture environment that its instructions follow from."""

    unit: int
    target: int
    is_shadow: bool
    base: int
    mode: int
    rgb: Combiner | None
    alpha: Combiner | None


PIXELS = 8
"""The sampler of the pixels that a rectangle is drawn from; their place is GENERIC 0."""


class FragmentKey(NamedTuple):
    """Facts of the state that the instructions of a fragment program follow from. `fog` is its mode, or 0.

    `source`: "pixels", "bitmap" or "depth" for rectangles, whose colors, shapes or depths come from a texture.
    """

    units: tuple[EnvironmentKey, ...]
    adds_secondary: bool
    fog: int
    source: str = ""


class _Maker:
    """Instructions of one program."""

    def __init__(self, key: FragmentKey) -> None:
        self.key = key
        self.b = ProgramBuilder("FRAG")
        self.primary = self.colors() if key.source != "pixels" else self.pixel()
        self.depth: Any = self.pixel() if key.source in ("bitmap", "depth") else None
        self.texels: dict[int, Any] = {}
        self.samplers: dict[int, Any] = {}

    def colors(self) -> Any:
        """The color of the vertex stage."""
        return self.b.input("COLOR", interpolation="COLOR")

    def pixel(self) -> Any:
        """The texel of a rectangle."""
        b = self.b
        made = b.temporary()
        place, sampler = b.input("GENERIC", 0, interpolation="LINEAR"), b.sampler(PIXELS)
        b.view("2D", index=PIXELS)
        b.TEX(made, place, sampler, "2D")
        return made

    def texel(self, item: EnvironmentKey) -> Any:
        """The texel of a unit."""
        b = self.b
        kind = SAMPLED[item.target]
        if item.is_shadow:
            kind = SHADOW.get(kind, kind)
        coordinate, made = b.input("TEXCOORD", item.unit, interpolation="PERSPECTIVE"), b.temporary()
        sampler = b.sampler(item.unit)
        b.view(kind, index=item.unit)
        if item.target == GL.TEXTURE_CUBE_MAP:
            b.TEX(made, coordinate, sampler, kind)
        else:
            b.TXP(made, coordinate, sampler, kind)
        return made

    def environment(self, item: EnvironmentKey, color: Any) -> Any:
        """The color behind a unit."""
        b, texel = self.b, self.texels[item.unit]
        made = b.temporary()
        if item.mode == GL.COMBINE:
            assert item.rgb is not None
            assert item.alpha is not None
            gives_all = item.rgb.function == GL.DOT3_RGBA
            self.combine(item, item.rgb, color, made, "xyzw" if gives_all else "xyz")
            if not gives_all:
                self.combine(item, item.alpha, color, made, "w")
            return made
        constant = b.constant(slots.ENVIRONMENT + item.unit)
        has_color = item.base != GL.ALPHA
        has_alpha = item.base in (GL.ALPHA, GL.LUMINANCE_ALPHA, GL.RGBA, GL.INTENSITY)
        b.MOV(made, color)
        if item.mode == GL.REPLACE:
            if has_color:
                b.MOV(made.xyz, texel)
            if has_alpha:
                b.MOV(made.w, texel)
        elif item.mode == GL.MODULATE:
            if has_color:
                b.MUL(made.xyz, color, texel)
            if has_alpha:
                b.MUL(made.w, color, texel)
        elif item.mode == GL.DECAL:
            if item.base == GL.RGBA:
                b.LRP(made.xyz, texel.wwww, texel, color)
            else:
                b.MOV(made.xyz, texel)
        elif item.mode == GL.BLEND:
            if has_color:
                b.LRP(made.xyz, texel, constant, color)
            if item.base == GL.INTENSITY:
                b.LRP(made.w, texel, constant, color)
            elif has_alpha:
                b.MUL(made.w, color, texel)
        elif item.mode == GL.ADD:
            if has_color:
                b.ADD(made.xyz, color, texel)
            if item.base == GL.INTENSITY:
                b.ADD(made.w, color, texel)
            elif has_alpha:
                b.MUL(made.w, color, texel)
        b.MOV(made, made, saturate=True)
        return made

    def combine(self, item: EnvironmentKey, half: Combiner, color: Any, made: Any, mask: str) -> None:
        """One half of GL_COMBINE. (OpenGL 2.1, tables 3.22 and 3.23)"""
        b, into = self.b, getattr(made, mask)
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
            b.ADD(into, made, -0.5)
        elif function == GL.INTERPOLATE:
            b.LRP(into, third, first, second)
        elif function == GL.SUBTRACT:
            b.ADD(into, first, -second)
        else:  # GL_DOT3_RGB and GL_DOT3_RGBA
            left, right = b.temporary(), b.temporary()
            b.ADD(left, first, -0.5)
            b.ADD(right, second, -0.5)
            b.DP3(left.x, left, right)
            b.MUL(into, left.xxxx, 4.0)
        if half.scale != 1.0:
            b.MUL(into, made, half.scale)
        b.MOV(into, made, saturate=True)

    def argument(self, item: EnvironmentKey, half: Combiner, index: int, color: Any) -> Any:
        """A source with its operand."""
        b, source, operand = self.b, half.sources[index], half.operands[index]
        if source == GL.TEXTURE:
            found = self.texels[item.unit]
        elif source == GL.CONSTANT:
            found = b.constant(slots.ENVIRONMENT + item.unit)
        elif source == GL.PRIMARY_COLOR:
            found = self.primary
        elif GL.TEXTURE0 <= source < GL.TEXTURE0 + 8:
            found = self.texels.get(source - GL.TEXTURE0, color)
        else:
            found = color
        if operand in (GL.SRC_ALPHA, GL.ONE_MINUS_SRC_ALPHA):
            found = found.wwww
        if operand in (GL.ONE_MINUS_SRC_COLOR, GL.ONE_MINUS_SRC_ALPHA):
            made = b.temporary()
            b.ADD(made, 1.0, -found)
            return made
        return found

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
        made = b.temporary()
        b.MOV(made, color)
        if secondary is not None:
            b.ADD(made.xyz, made, secondary, saturate=True)
        if key.fog:
            self.fog(made)
        b.property("FS_COLOR0_WRITES_ALL_CBUFS", 1)
        b.MOV(b.output("COLOR"), made)
        if key.source == "depth":
            b.MOV(b.output("POSITION").z, self.depth.xxxx)
        return b.build()

    def fog(self, made: Any) -> None:
        """Mix with the color of fog."""
        b, distance = self.b, self.b.input("FOG", 0, interpolation="PERSPECTIVE")
        factors, share = b.constant(slots.FOG_FACTORS), b.temporary()
        if self.key.fog == GL.LINEAR:
            b.MAD(share.x, distance.xxxx, factors.xxxx, factors.yyyy, saturate=True)
        else:
            b.MUL(share.x, distance.xxxx, factors.zzzz if self.key.fog == GL.EXP else factors.wwww)
            if self.key.fog == GL.EXP2:
                b.MUL(share.x, share.xxxx, share.xxxx)
            b.EX2(share.x, -share.xxxx, saturate=True)
        b.LRP(made.xyz, share.xxxx, made, b.constant(slots.FOG_COLOR))


def fragment_program(key: FragmentKey) -> tgsi.Program:
    """The fragment program of a key."""
    return _Maker(key).make()
