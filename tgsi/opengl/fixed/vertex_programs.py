"""Fixed-function vertex programs. (OpenGL 2.1, 2.11 to 2.14)

Constants of a program: rows of matrices, products of lights and materials, planes of texture coordinates; `constants.py` writes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import tgsi
from tgsi import ProgramBuilder
from tgsi.opengl.fixed import slots
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.fixed import COLOR, EDGE, FOG, NORMAL, SECONDARY, TEXTURE, VERTEX


class LightKey(NamedTuple):
    """Facts about a light that determine its instructions."""

    number: int
    is_positional: bool
    is_spot: bool
    is_attenuated: bool


class UnitKey(NamedTuple):
    """Facts about a unit's coordinates: the generation of each, and whether there is a matrix other than the identity."""

    number: int
    generation: tuple[int, int, int, int]
    has_matrix: bool


@dataclass(frozen=True, kw_only=True)
class VertexKey:
    """Facts about the state that determine the instructions of a vertex program."""

    is_lit: bool
    lights: tuple[LightKey, ...]
    is_local: bool
    two_side: bool
    is_separate: bool
    tracked: tuple[int, int]
    normalizes: bool
    rescales: bool
    units: tuple[UnitKey, ...]
    fog: int
    clips: bool
    has_size: bool
    has_secondary: bool
    has_edges: bool = False
    rounds_size: bool = False


class VertexProgram(NamedTuple):
    """A program and the locations of its inputs, in the order of its registers."""

    program: tgsi.Program
    inputs: tuple[int, ...]


class _Maker:
    """Generates the instructions of a program."""

    def __init__(self, key: VertexKey) -> None:
        self.key = key
        self.b = ProgramBuilder("VERT")
        self._inputs: dict[int, Any] = {}
        self._eye: Any = None
        self._unit_eye: Any = None
        self._normal: Any = None

    def input(self, location: int) -> Any:
        """The register of an attribute."""
        if location not in self._inputs:
            self._inputs[location] = self.b.input()
        return self._inputs[location]

    def rows(self, first: int, source: Any, count: int = 4) -> Any:
        """The product of a matrix in constants and a vector."""
        result = self.b.temporary()
        for row, letter in enumerate("xyzw"[:count]):
            (self.b.DP4 if count == 4 else self.b.DP3)(getattr(result, letter), self.b.constant(first + row), source)
        return result

    @property
    def eye(self) -> Any:
        """The position in eye coordinates."""
        if self._eye is None:
            self._eye = self.rows(slots.MODEL_VIEW, self.input(VERTEX))
        return self._eye

    @property
    def normal(self) -> Any:
        """The normal in eye coordinates."""
        if self._normal is None:
            normal = self.rows(slots.NORMAL, self.input(NORMAL), 3)
            if self.key.normalizes:
                self.normalize(normal)
            elif self.key.rescales:
                self.b.MUL(normal.xyz, normal, self.b.constant(slots.MISC).xxxx)
            self._normal = normal
        return self._normal

    @property
    def unit_eye(self) -> Any:
        """The direction from the eye to the vertex."""
        if self._unit_eye is None:
            direction = self.b.temporary()
            self.b.MOV(direction.xyz, self.eye)
            self.normalize(direction)
            self._unit_eye = direction
        return self._unit_eye

    def normalize(self, vector: Any) -> None:
        """Normalize x, y and z; a vector of length 0 does not change."""
        length = self.b.temporary()
        self.b.DP3(length.x, vector, vector)
        self.b.MAX(length.x, length.xxxx, 1e-37)
        self.b.RSQ(length.x, length.xxxx)
        self.b.MUL(vector.xyz, vector, length.xxxx)
        self.b.release(length)

    # -- lighting
    def light(self, item: LightKey, face: int, normal: Any, sums: Any) -> None:
        """Add a light to a face's color and specular color."""
        b, first = self.b, slots.light(item.number)
        position, toward, factors = b.constant(first), b.temporary(), b.temporary()
        if item.is_positional:
            b.ADD(toward.xyz, position, -self.eye)
            b.DP3(factors.w, toward, toward)
            b.MAX(factors.w, factors.wwww, 1e-37)
            b.RSQ(factors.z, factors.wwww)
            b.MUL(toward.xyz, toward, factors.zzzz)
            b.MUL(factors.w, factors.wwww, factors.zzzz)
        else:
            b.MOV(toward.xyz, position)
        b.MOV(toward.w, 1.0)
        if item.is_attenuated:
            weights, attenuation = b.constant(first + slots.ATTENUATION), b.temporary()
            b.MAD(attenuation.x, factors.wwww, weights.zzzz, weights.yyyy)
            b.MAD(attenuation.x, factors.wwww, attenuation.xxxx, weights.xxxx)
            b.RCP(toward.w, attenuation.xxxx)
            b.release(attenuation)
        if item.is_spot:
            self.spot(first, toward)
        b.DP3(factors.x, normal, toward)
        half = b.temporary()
        if item.is_positional or self.key.is_local:
            if self.key.is_local:
                b.ADD(half.xyz, toward, -self.unit_eye)
            else:
                b.ADD(half.xyz, toward, (0.0, 0.0, 1.0, 0.0))
            self.normalize(half)
        else:
            b.MOV(half.xyz, b.constant(first + slots.HALF))
        b.DP3(factors.y, normal, half)
        b.SLT(half.w, 0.0, factors.xxxx)
        b.MAX(factors.x, factors.xxxx, 0.0)
        b.MAX(factors.y, factors.yyyy, 0.0)
        shininess = b.constant(slots.SHININESS)
        power = b.temporary()
        b.POW(power.x, factors.yyyy, shininess.xxxx if face == 0 else shininess.yyyy)
        b.SEQ(power.y, shininess.xxxx if face == 0 else shininess.yyyy, 0.0)
        b.LRP(factors.y, power.yyyy, 1.0, power.xxxx)
        b.MUL(factors.y, factors.yyyy, half.wwww)
        b.MUL(factors.xy, factors, toward.wwww)
        color, specular = sums
        b.MAD(color.xyz, self.product(first, face, slots.AMBIENT), toward.wwww, color)
        b.MAD(color.xyz, self.product(first, face, slots.DIFFUSE), factors.xxxx, color)
        b.MAD(specular.xyz, self.product(first, face, slots.SPECULAR), factors.yyyy, specular)
        b.release(toward, factors, half, power)

    def spot(self, first: int, toward: Any) -> None:
        """Multiply the attenuation by the spotlight factor."""
        b, direction = self.b, self.b.constant(first + slots.SPOT)
        factors = b.temporary()
        b.DP3(factors.x, -toward, direction)
        b.SGE(factors.y, factors.xxxx, b.constant(first + slots.ATTENUATION).wwww)
        b.MAX(factors.x, factors.xxxx, 0.0)
        b.POW(factors.x, factors.xxxx, direction.wwww)
        b.SEQ(factors.z, direction.wwww, 0.0)
        b.LRP(factors.x, factors.zzzz, 1.0, factors.xxxx)
        b.MUL(factors.x, factors.xxxx, factors.yyyy)
        b.MUL(toward.w, toward.wwww, factors.xxxx)
        b.release(factors)

    def product(self, first: int, face: int, kind: int) -> Any:
        """The product of a light's and the material's color, computed here if the material tracks the vertex color."""
        constant = self.b.constant(first + kind + (slots.BACK if face else 0))
        if not self.tracks(face, kind):
            return constant
        result = self.b.temporary()
        self.b.MUL(result.xyz, constant, self.input(COLOR))
        return result

    def tracks(self, face: int, kind: int) -> bool:
        """True if a color of the material tracks the vertex color."""
        faces, mode = self.key.tracked
        if not faces or (faces == GL.FRONT and face) or (faces == GL.BACK and not face):
            return False
        modes = {slots.AMBIENT: (GL.AMBIENT, GL.AMBIENT_AND_DIFFUSE), slots.DIFFUSE: (GL.DIFFUSE, GL.AMBIENT_AND_DIFFUSE)}
        return mode in modes.get(kind, (GL.SPECULAR,))

    def face(self, face: int, normal: Any) -> None:
        """The colors of a face."""
        b, scene = self.b, self.b.constant(slots.SCENE + face)
        color, specular = b.temporary(), b.temporary()
        b.MOV(color, scene)
        mode = self.key.tracked[1]
        if self.tracks(face, slots.AMBIENT):
            b.MAD(color.xyz, b.constant(slots.MODEL_AMBIENT), self.input(COLOR), color)
        if self.key.tracked[0] and mode == GL.EMISSION and (face == 0 or self.key.tracked[0] != GL.FRONT):
            b.ADD(color.xyz, color, self.input(COLOR))
        if self.tracks(face, slots.DIFFUSE):
            b.MOV(color.w, self.input(COLOR).wwww)
        b.MOV(specular, (0.0, 0.0, 0.0, 1.0))
        for item in self.key.lights:
            self.light(item, face, normal, (color, specular))
        if not self.key.is_separate:
            b.ADD(color.xyz, color, specular)
        name = "BCOLOR" if face else "COLOR"
        b.MOV(b.output(name), color, saturate=True)
        if self.key.is_separate:
            b.MOV(b.output(name, 1), specular, saturate=True)
        b.release(color, specular)

    # -- coordinates
    def unit(self, item: UnitKey) -> None:
        """The texture coordinates of a unit."""
        b, source = self.b, self.input(TEXTURE + item.number)
        out = b.output("TEXCOORD", item.number)
        if any(item.generation):
            coordinates = b.temporary()
            b.MOV(coordinates, source)
            reflection = None
            for index, mode in enumerate(item.generation):
                letter = "xyzw"[index]
                if mode in (GL.OBJECT_LINEAR, GL.EYE_LINEAR):
                    plane = b.constant(slots.plane(item.number, index))
                    b.DP4(getattr(coordinates, letter), plane, self.input(VERTEX) if mode == GL.OBJECT_LINEAR else self.eye)
                elif mode == GL.NORMAL_MAP:
                    b.MOV(getattr(coordinates, letter), getattr(self.normal, letter * 4))
                elif mode in (GL.REFLECTION_MAP, GL.SPHERE_MAP):
                    reflection = reflection or self.reflection()
                    if mode == GL.REFLECTION_MAP:
                        b.MOV(getattr(coordinates, letter), getattr(reflection, letter * 4))
                    else:
                        b.MAD(getattr(coordinates, letter), getattr(reflection, letter * 4), reflection.wwww, 0.5)
            source = coordinates
        if item.has_matrix:
            source = self.rows(slots.texture_matrix(item.number), source)
        b.MOV(out, source)

    def reflection(self) -> Any:
        """The reflected direction in x, y, z and the scale of sphere maps in w."""
        b, reflected = self.b, self.b.temporary()
        b.DP3(reflected.w, self.normal, self.unit_eye)
        b.MUL(reflected.w, reflected.wwww, 2.0)
        b.MAD(reflected.xyz, -reflected.wwww, self.normal, self.unit_eye)
        shifted = b.temporary()
        b.ADD(shifted.xyz, reflected, (0.0, 0.0, 1.0, 0.0))
        b.DP3(shifted.w, shifted, shifted)
        b.MAX(shifted.w, shifted.wwww, 1e-37)
        b.RSQ(shifted.w, shifted.wwww)
        b.MUL(reflected.w, shifted.wwww, 0.5)
        return reflected

    def make(self) -> VertexProgram:
        """The whole program."""
        b, key = self.b, self.key
        position, vertex = b.output("POSITION"), self.input(VERTEX)
        for row, letter in enumerate("xyzw"):
            b.DP4(getattr(position, letter), b.constant(slots.COMBINED + row), vertex)
        if key.is_lit:
            self.face(0, self.normal)
            if key.two_side:
                turned = b.temporary()
                b.MOV(turned.xyz, -self.normal)
                self.face(1, turned)
        else:
            b.MOV(b.output("COLOR"), self.input(COLOR), saturate=True)
            if key.has_secondary:
                b.MOV(b.output("COLOR", 1), self.input(SECONDARY), saturate=True)
        for item in key.units:
            self.unit(item)
        if key.fog:
            fog = b.output("FOG")
            if key.fog == GL.FOG_COORDINATE:
                b.MOV(fog, self.input(FOG).xxxx)
            else:
                b.MOV(fog, abs(self.eye.zzzz))
        if key.clips:
            b.MOV(b.output("CLIPVERTEX"), self.eye)
        if key.has_size:
            self.size()
        if key.has_edges:
            b.MOV(b.output("EDGEFLAG"), self.input(EDGE))
        return VertexProgram(b.build(), tuple(self._inputs))

    def size(self) -> None:
        """The point size, attenuated by the distance along z, as in Mesa."""
        b, size, weights = self.b, self.b.temporary(), self.b.constant(slots.POINT)
        limits = b.constant(slots.POINT + 1)
        b.MOV(size.x, abs(self.eye.zzzz))
        b.MAD(size.y, size.xxxx, weights.zzzz, weights.yyyy)
        b.MAD(size.y, size.xxxx, size.yyyy, weights.xxxx)
        b.RSQ(size.y, size.yyyy)
        b.MUL(size.x, size.yyyy, weights.wwww)
        b.MAX(size.x, size.xxxx, limits.xxxx)
        b.MIN(size.x, size.xxxx, limits.yyyy)
        if self.key.rounds_size:
            b.ADD(size.x, size.xxxx, 0.5)
            b.FLR(size.x, size.xxxx)
        b.MOV(b.output("PSIZE"), size.xxxx)


def vertex_program(key: VertexKey) -> VertexProgram:
    """The vertex program of a key."""
    return _Maker(key).make()
