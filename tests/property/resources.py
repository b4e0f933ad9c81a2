"""Statements with textures, memory and other invocations, and their resources. No result depends on the order of invocations.

An invocation stores only to words and texels of its own. Words that all invocations share are changed by one commutative atomic each,
whose result goes to a register that no statement reads.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from backends.formats import Format
from backends.pipe.enums import TexFilter, TexMipFilter
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData
from tests.property.fitting import NEAREST, sampler, texels, texture
from tests.property.pools import SMALL, WORDS, words
from tests.property.writer import NEAR_OUT, Writer

MOST_INVOCATIONS = 16
OWN, READ_ONLY, SHARED, FLOATS, GIVEN_BUFFER, DIGEST_BUFFER = range(6)
"""Buffers: a vec4 per invocation; read-only words; words of atomics; a float per invocation; buffers of compute programs."""

SINK = "TEMP[15]"
"""Register that no statement reads."""

READ_IMAGE, OWN_IMAGE, SHARED_IMAGE = range(3)

ANY_UNIT, SHADOW_UNIT, SAMPLES_UNIT, LINEAR_UNIT, BUFFER_UNIT = range(5)
_COLOR_TARGETS = ("1D", "2D", "2D", "3D", "CUBE", "RECT", "1D_ARRAY", "2D_ARRAY", "CUBEARRAY")
_SHADOW_TARGETS = ("SHADOW1D", "SHADOW2D", "SHADOWRECT", "SHADOW1D_ARRAY", "SHADOW2D_ARRAY", "SHADOWCUBE", "SHADOWCUBEARRAY")
_SAMPLES_TARGETS = ("2D_MSAA", "2D_ARRAY_MSAA")
_GATHERED = frozenset({"2D", "RECT", "2D_ARRAY", "CUBE", "CUBEARRAY"})

COMMUTATIVE = ("ATOMUADD", "ATOMAND", "ATOMOR", "ATOMXOR", "ATOMUMIN", "ATOMUMAX", "ATOMIMIN", "ATOMIMAX")
OWN_ATOMICS = (*COMMUTATIVE, "ATOMXCHG", "ATOMCAS", "ATOMINC_WRAP", "ATOMDEC_WRAP", "ATOMFADD")
MEMORY = ("LOAD", "STORE", "RESQ", "MEMBAR", *OWN_ATOMICS)
TEXTURES = ("TEX", "TEX_LZ", "TXB", "TXL", "TXP", "TXD", "TEX2", "TXB2", "TXL2", "TXF", "TXF_LZ", "TXQ", "TXQS", "TG4")
VIEWS = ("SAMPLE", "SAMPLE_B", "SAMPLE_C", "SAMPLE_C_LZ", "SAMPLE_D", "SAMPLE_L", "SAMPLE_I", "SAMPLE_I_MS", "SVIEWINFO", "GATHER4")
QUERIES = ("SAMPLE_POS", "SAMPLE_INFO", "SAMP2HND", "IMG2HND")
INTERPOLATION = ("INTERP_CENTROID", "INTERP_SAMPLE", "INTERP_OFFSET", "FBFETCH")
HELPERS = ("DEMOTE", "READ_HELPER", "KILL")
RESOURCES = (*MEMORY, *TEXTURES, *VIEWS, *QUERIES)

_NO_REFERENCE = frozenset({"TEX", "TXB", "TXL", "TXP", "TXD", "TEX_LZ"})
"""Opcodes without an operand for the reference of SHADOWCUBEARRAY."""


@dataclass(frozen=True)
class Resources:
    """Targets with which a program reads its textures and images."""

    targets: tuple[str, ...]
    image: str
    seed: int

    @classmethod
    def drawn(cls, chance: random.Random) -> Resources:
        targets = (chance.choice(_COLOR_TARGETS), chance.choice(_SHADOW_TARGETS), chance.choice(_SAMPLES_TARGETS), "2D", "BUFFER")
        return cls(targets, chance.choice(("1D", "2D", "3D", "2D_ARRAY", "CUBE", "1D_ARRAY")), chance.randrange(1 << 30))

    def declarations(self) -> list[str]:
        lines = [f"DCL SAMP[{unit}]" for unit in range(len(self.targets))]
        lines += [f"DCL SVIEW[{unit}], {target}, FLOAT" for unit, target in enumerate(self.targets)]
        lines += [f"DCL BUFFER[{number}]" for number in range(6)]
        lines += [f"DCL IMAGE[{READ_IMAGE}], {self.image}, PIPE_FORMAT_R32_UINT", "DCL HWATOMIC[0][0..15]", "DCL HWATOMIC[1][0..3]"]
        return [*lines, *(f"DCL IMAGE[{number}], 2D, PIPE_FORMAT_R32_UINT, WR" for number in (OWN_IMAGE, SHARED_IMAGE))]

    def arguments(self) -> dict[str, Any]:
        chance = np.random.default_rng(self.seed)
        textures, samplers = {}, {}
        for unit, target in enumerate(self.targets):
            kinds = frozenset({target.removeprefix("SHADOW")})
            textures[unit] = texture(kinds, chance)
            samplers[unit] = sampler(kinds, chance, filters=False)
        textures[SHADOW_UNIT] = _of_format(textures[SHADOW_UNIT], Format.R32_FLOAT, chance)
        textures[LINEAR_UNIT] = _of_format(textures[LINEAR_UNIT], Format.R8G8B8A8_UNORM, chance)
        samplers[LINEAR_UNIT] = SamplerState(
            wrap_s=NEAREST.wrap_s,
            wrap_t=NEAREST.wrap_t,
            wrap_r=NEAREST.wrap_r,
            min_img_filter=TexFilter.LINEAR,
            mag_img_filter=TexFilter.LINEAR,
            min_mip_filter=TexMipFilter.LINEAR,
            normalized_coords=True,
            min_lod=0.0,
            max_lod=2.0,
        )
        own = words(self.seed, (4 * MOST_INVOCATIONS,))
        formats = (Format.R32_UINT, Format.R8G8B8A8_UNORM, Format.R32G32B32A32_UINT)
        layers = {"3D": 4, "2D_ARRAY": 3, "CUBE": 6, "1D_ARRAY": 3}.get(self.image, 1)
        height = 1 if self.image.startswith("1D") else 4
        images = {
            READ_IMAGE: _image(formats[chance.integers(3)], (layers, height, 4), chance),
            OWN_IMAGE: _image(formats[chance.integers(3)], (1, 2, MOST_INVOCATIONS), chance),
            SHARED_IMAGE: _image(Format.R32_UINT, (1, 2, 4), chance),
        }
        floats = chance.normal(0, 4, MOST_INVOCATIONS).astype(np.float32)
        buffers = {OWN: own, READ_ONLY: words(self.seed + 1, (24,)), SHARED: words(self.seed + 2, (8,)), FLOATS: floats}
        counters = {0: words(self.seed + 3, (16,)), 1: words(self.seed + 4, (4,))}
        return {"textures": textures, "samplers": samplers, "buffers": buffers, "images": images, "counters": counters}


def _of_format(given: TextureData, format: Format, chance: np.random.Generator) -> TextureData:
    return TextureData(format, tuple(texels(format, level.shape[:3], chance) for level in given.levels))


def _image(format: Format, shape: tuple[int, ...], chance: np.random.Generator) -> TextureData:
    return TextureData(format, (texels(format, shape, chance),))


class ResourceWriter(Writer):
    """Writer that also knows the opcodes that access more than registers. `own`: see `Pools.own`."""

    def special(self, name: str) -> None:
        if name in MEMORY:
            self._memory(name)
        elif name in TEXTURES or name == "LODQ":
            self._texture(name)
        elif name in VIEWS or name == "LOD":
            self._view(name)
        elif name in QUERIES:
            self._query(name)
        elif name in INTERPOLATION:
            self._interpolated(name)
        elif name == "READ_HELPER":
            self.write(name, "words", self._mask(), [])
        elif name in HELPERS:
            self.condition()
            self.lines += [name, "ENDIF"]
        else:
            super().special(name)

    # memory

    @property
    def _own(self) -> str:
        return self.pools.own[0]

    def _read_place(self) -> str:
        """Place in read-only memory: mostly inside, sometimes anywhere."""
        draw = self.chance.randrange(4)
        if draw == 0:
            return f"{self._written('words', WORDS)}.{self.chance.choice('xyzw') * 4}"
        return f"{self._own}.{self.chance.choice('yw') * 4}" if draw == 1 else f"IMM[6].{self.chance.choice('xyzw') * 4}"

    def _texel(self) -> str:
        return f"{self.chance.choice(self.pools.small)}.{self._swizzle()}"

    def _memory(self, name: str) -> None:
        kind = self.chance.randrange(3)
        value = self.source("uint")
        if name == "LOAD":
            choices = [f"BUFFER[{OWN}].{self._swizzle()}, {self._own}.yyyy"]
            choices += [
                f"{place}.{self._swizzle()}, {self._read_place()}"
                for place in (f"BUFFER[{READ_ONLY}]", "CONSTBUF[0]", "CONSTBUF[ADDR[0].x]")
            ]
            choices += [f"IMAGE[{READ_IMAGE}].{self._swizzle()}, {self._texel()}, {self.resources.image}, PIPE_FORMAT_R32_UINT"] * 2
            choices += [f"IMAGE[{OWN_IMAGE}], {self._own}.xzzz, 2D, PIPE_FORMAT_R32_UINT", f"HWATOMIC[1][2], {self._read_place()}"]
            self.write(name, "words", self._mask(), [self.chance.choice([*choices, *self._more_memory()])])
        elif name == "STORE":
            places = [f"BUFFER[{OWN}].{self._mask()}, {self._own}.yyyy, {value}"]
            places += [f"IMAGE[{OWN_IMAGE}], {self._own}.xzzz, {value}, 2D, PIPE_FORMAT_R32_UINT"]
            places += [
                place.split(",")[0].split(".")[0] + f".{self._mask()}, {place.split(', ')[1]}, {value}" for place in self._more_memory()
            ]
            self.lines.append(f"STORE {self.chance.choice(places)}")
        elif name == "RESQ":
            places = [f"BUFFER[{number}]" for number in range(3)] + ["CONSTBUF[0]", f"IMAGE[{OWN_IMAGE}], 2D, PIPE_FORMAT_R32_UINT"]
            places += [f"IMAGE[{READ_IMAGE}], {self.resources.image}, PIPE_FORMAT_R32_UINT"]
            self.write(name, "words", self._mask(), [self.chance.choice(places)])
        elif name == "MEMBAR":
            self.lines.append(f"MEMBAR {SMALL}.yyyy")
        elif name == "ATOMFADD":
            self.write(
                name,
                "floats",
                "x",
                [f"BUFFER[{FLOATS}]", f"{self._own}.wwww", f"{self.chance.choice(self.pools.floats[:1])}.{self._swizzle()}"],
            )
        elif kind == 0 and name in COMMUTATIVE:
            number = COMMUTATIVE.index(name)
            byte = f"IMM[{7 + number // 4}].{'xyzw'[number % 4] * 4}"
            texel = f"{SMALL}.{'xyzw'[number % 4]}{'xy'[number // 4]}xx"
            places = [f"BUFFER[{SHARED}], {byte}, {value}", f"HWATOMIC[0][{number}], {SMALL}.xxxx, {value}"]
            places += [f"IMAGE[{SHARED_IMAGE}], {texel}, {value}, 2D, PIPE_FORMAT_R32_UINT"]
            self.lines.append(f"{name} {SINK}.{self._mask()}, {self.chance.choice(places)}")
        else:
            compared = f", {self.source('uint')}" if name == "ATOMCAS" else ""
            image = kind == 1
            place = f"IMAGE[{OWN_IMAGE}], {self._own}.xzzz" if image else f"BUFFER[{OWN}], {self._own}.yyyy"
            tail = ", 2D, PIPE_FORMAT_R32_UINT" if image else ""
            self.write(name, "words", self._mask(), [f"{place}{compared}, {value}{tail}"])

    def _more_memory(self) -> list[str]:
        """Places in a stage's own memory, each with an address: the invocation's own words."""
        return []

    # textures

    def _coordinates(self, integer: bool) -> str:
        if integer:
            return self._texel() if not self._one_in(6) else self.source("uint")
        return self.source("float")

    def _unit(self, units: tuple[int, ...]) -> tuple[int, str]:
        unit = self.chance.choice(units)
        return unit, self.resources.targets[unit]

    def _offset(self, target: str) -> str:
        if "CUBE" in target or "BUFFER" in target or "MSAA" in target or not self._one_in(3):
            return ""
        return f", {SMALL}.{''.join(self.chance.choice('xyz') for _ in range(3))}"

    def _texture(self, name: str) -> None:
        floats = [self.source("float") for _ in range(2)]
        if name == "LODQ":
            self._near("LODQ", f"{self._coordinates(False)}, SAMP[{LINEAR_UNIT}], 2D")
            return
        if name == "TG4":
            self._gathers()
            return
        if name in ("TEX", "TXL", "TEX_LZ") and self._one_in(4):
            self._near(name, f"{self._coordinates(False)}, SAMP[{LINEAR_UNIT}], 2D")
            return
        if name in ("TXF", "TXF_LZ"):
            unit, target = self._unit((ANY_UNIT, SAMPLES_UNIT, BUFFER_UNIT))
            self.write(name, "floats", self._mask(), [f"{self._coordinates(True)}, SAMP[{unit}], {target}{self._offset(target)}"])
        elif name == "TXQ":
            unit, target = self._unit((ANY_UNIT, SHADOW_UNIT, SAMPLES_UNIT, BUFFER_UNIT))
            self.write(name, "words", self._mask(), [f"{self._texel()[:-4]}xxxx, SAMP[{unit}], {target}"])
        elif name == "TXQS":
            unit, target = self._unit((ANY_UNIT, SAMPLES_UNIT))
            self.write(name, "words", self._mask(), [f"SAMP[{unit}], {target}"])
        else:
            unit, target = self._unit((ANY_UNIT, SHADOW_UNIT))
            if target == "SHADOWCUBEARRAY" and name in _NO_REFERENCE:
                unit, target = ANY_UNIT, self.resources.targets[ANY_UNIT]
            if name == "TEX2" and target != "SHADOWCUBEARRAY" and self._one_in(2):
                floats[0] = f"{self.pools.floats[0]}.xxxx"
            between = {"TXD": floats, "TEX2": floats[:1], "TXB2": floats[:1], "TXL2": floats[:1]}.get(name, [])
            operands = ", ".join([self._coordinates(False), *between, f"SAMP[{unit}]", target])
            self.write(name, "floats", self._mask(), [operands + self._offset(target)])

    def _gathers(self) -> None:
        """Write TG4 of a texture with four distinct texels, and of a shadow texture.

        Coordinates are mostly near the texture, because far from it a gather returns one texel of an edge four times.
        """
        color = ANY_UNIT if self.resources.targets[ANY_UNIT] in _GATHERED else LINEAR_UNIT
        for unit in (color, SHADOW_UNIT):
            target = self.resources.targets[unit]
            place = f"{self.chance.choice((*self.pools.floats * 3, *self.pools.near))}.{self._swizzle()}"
            last = f"{SMALL}.{self.chance.choice('xyzw') * 4}"
            if target == "SHADOWCUBEARRAY":
                last = self.source("float")
            self.write("TG4", "floats", self._mask(), [f"{place}, {last}, SAMP[{unit}], {target}{self._offset(target)}"])

    def _near(self, name: str, operands: str) -> None:
        """Write an inexact result to channels of an output that no statement reads."""
        if self.near and self.outputs:
            channel = self.near.pop()
            self.lines.append(f"{name} OUT[{NEAR_OUT}].{channel}, {operands}")

    def _view(self, name: str) -> None:
        coordinates, order = self._coordinates(False), self._swizzle()
        one = f"{self.chance.choice((*self.pools.floats, *self.pools.near))}.{self.chance.choice('xyzw') * 4}"
        if name == "LOD":
            self._near("LOD", f"{coordinates}, SVIEW[{LINEAR_UNIT}], SAMP[{LINEAR_UNIT}]")
        elif name == "SAMPLE_I":
            unit, _ = self._unit((ANY_UNIT, SAMPLES_UNIT, BUFFER_UNIT))
            self.write(name, "floats", self._mask(), [f"{self._coordinates(True)}, SVIEW[{unit}].{order}"])
        elif name == "SAMPLE_I_MS":
            self.write(name, "floats", self._mask(), [f"{self._coordinates(True)}, SVIEW[{SAMPLES_UNIT}].{order}, {self._texel()}"])
        elif name == "SVIEWINFO":
            unit, _ = self._unit((ANY_UNIT, SHADOW_UNIT, SAMPLES_UNIT))
            self.write(name, "words", self._mask(), [f"{self._texel()}, SVIEW[{unit}]"])
        else:
            unit, target = self._unit((ANY_UNIT, SHADOW_UNIT))
            if "_C" in name and target in ("3D",):
                unit = SHADOW_UNIT
            more = {"SAMPLE_D": [coordinates, one], "SAMPLE": [], "GATHER4": []}.get(name, [one])
            operands = ", ".join([coordinates, f"SVIEW[{unit}].{order}", f"SAMP[{unit}].{order[:1] * 4}", *more])
            self.write(name, "floats", self._mask(), [operands + self._offset(self.resources.targets[unit])])

    def _query(self, name: str) -> None:
        view = f"SVIEW[{self.chance.choice((ANY_UNIT, SAMPLES_UNIT))}].{self._swizzle()}"
        operands = {
            "SAMPLE_POS": f"{view}, {self._texel()}",
            "SAMPLE_INFO": f"{view}, {SMALL}",
            "SAMP2HND": f"SAMP[{ANY_UNIT}], {self.resources.targets[ANY_UNIT]}",
            "IMG2HND": f"IMAGE[{OWN_IMAGE}]",
        }
        self.write(name, "words", self._mask(), [operands[name]])

    def _interpolated(self, name: str) -> None:
        register = self.chance.choice((self.pools.floats[0], self.pools.near[0]))
        operands = {
            "INTERP_CENTROID": f"{register}.{self._swizzle()}",
            "INTERP_SAMPLE": f"{register}.{self._swizzle()}, {SMALL}.{self.chance.choice('xyzw') * 4}",
            "INTERP_OFFSET": f"{register}.{self._swizzle()}, {self.chance.choice(self.pools.floats)}.{self._swizzle()}",
            "FBFETCH": f"OUT[{self.chance.choice((0, 1))}].{self._swizzle()}",
        }
        self.write(name, "words" if name == "FBFETCH" else "floats", self._mask(), [operands[name]])
