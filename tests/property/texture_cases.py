"""Random programs of texture and image instructions, with all of their resources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from backends.formats import Format
from backends.pipe.enums import CompareFunc, Swizzle, TexCompare, TexMipFilter, TexWrap
from backends.pipe.state import SamplerState
from backends.run.textures import TextureData
from tests.unit.sampling.support import random_texture

UNITS = 3
"""Number of exact units. The texture after them has several levels if its target allows that."""

_PLAIN = ("1D", "2D", "3D", "CUBE", "RECT", "1D_ARRAY", "2D_ARRAY", "CUBEARRAY", "BUFFER", "2D_MSAA", "2D_ARRAY_MSAA")
_SHADOW = ("SHADOW1D", "SHADOW2D", "SHADOWRECT", "SHADOW1D_ARRAY", "SHADOW2D_ARRAY", "SHADOWCUBE", "SHADOWCUBEARRAY")
_COLORS = (
    "R8G8B8A8_UNORM",
    "B5G6R5_UNORM",
    "R32G32B32A32_FLOAT",
    "R16G16_SINT",
    "R8_UINT",
    "R16G16B16_FLOAT",
    "R9G9B9E5_FLOAT",
    "L8A8_UNORM",
)
_DEPTHS = ("Z32_FLOAT", "Z16_UNORM", "R32_FLOAT")
_IMAGES = (
    *_COLORS,
    "R32_UINT",
    "R32_SINT",
    "R32_FLOAT",
    "R8G8B8_UNORM",
    "R8_UNORM",
    "R32G32B32A32_UINT",
    "R10G10B10A2_UNORM",
    "R16G16B16A16_SNORM",
)
_ATOMICS = ("UADD", "XCHG", "AND", "OR", "XOR", "UMIN", "UMAX", "IMIN", "IMAX", "FADD", "INC_WRAP", "DEC_WRAP")
_SWIZZLES = ("", ".yxwz", ".wwxy", ".zyxx")

FRAGMENTS = """FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL IN[1], GENERIC[1], CONSTANT
DCL IN[2], GENERIC[2], CONSTANT
DCL IN[3], GENERIC[3], CONSTANT
DCL OUT[0..7], COLOR
"""
VERTICES = """VERT
DCL IN[0..3]
DCL OUT[0], POSITION
DCL OUT[1..7], GENERIC
"""
HEADER = """DCL SAMP[0..3]
DCL SVIEW[0..3], {target}, FLOAT
DCL IMAGE[0..2], 2D, WR
DCL CONST[0..1]
DCL TEMP[0..1]
DCL ADDR[0]
IMM[0] INT32 {{0, 1, 2, 3}}
IMM[1] INT32 {{1, -2, 0, 3}}
IMM[2] INT32 {{-1, 5, -7, 2}}
UARL ADDR[0].x, IN[2].xxxx
SAMP2HND TEMP[0].xy, SAMP[ADDR[0].x], {target}
IMG2HND TEMP[1].xy, IMAGE[ADDR[0].x]
"""


@dataclass(frozen=True)
class Case:
    """Program with the arguments of its run.

    lods: OUT registers that hold levels of detail, which may differ by rounding; mixed: registers that mip filters may have mixed.
    """

    text: str
    arguments: dict[str, Any]
    lods: tuple[int, ...]
    mixed: tuple[int, ...]


class _Maker:
    def __init__(self, seed: int, lanes: int) -> None:
        self.rng, self.lanes = np.random.default_rng(seed), lanes
        self.target = self.pick(*_PLAIN, *_SHADOW)
        self.image = self.pick(*_PLAIN)
        self.fragments = self.pick(True, True, True, False)
        # units of one kind share the code of an instruction
        self.same = self.pick(True, False)
        self.format, self.letters = self.some_format(), self.some_letters()

    def pick(self, *options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def some_format(self) -> Format:
        """Random format that the target allows."""
        return Format[self.pick(*_DEPTHS) if "SHADOW" in self.target else self.pick(*_COLORS)]

    def some_letters(self) -> tuple[Swizzle, ...]:
        """Random swizzle of a view."""
        return tuple(Swizzle(s) for s in self.pick((0, 1, 2, 3), (3, 2, 1, 0), (4, 5, 0, 3)))

    # -- resources --------------------------------------------------------------------------------------------------
    def shape(self, target: str, samples: int) -> tuple[int, int, int]:
        """Width, height and planes that fit a target."""
        plain = target.removeprefix("SHADOW")
        width, height, layers = (int(n) for n in self.rng.integers(1, 9, 3))
        if "CUBE" in plain:
            return width, width, 6 * (self.pick(1, 2) if "ARRAY" in plain else 1)
        height = 1 if plain in ("1D", "1D_ARRAY", "BUFFER") else height
        return width, height, (layers if "ARRAY" in plain or plain == "3D" else 1) * samples

    def texture(self, target: str, levels: int = 1) -> TextureData:
        """A view of random texels."""
        samples = self.pick(1, 2, 3, 4, 8) if "MSAA" in target else 1
        format, letters = (self.format, self.letters) if self.same else (self.some_format(), self.some_letters())
        if target.removeprefix("SHADOW") in ("RECT", "BUFFER", "2D_MSAA", "2D_ARRAY_MSAA"):
            levels = 1
        sizes = self.shape(target, samples)
        return random_texture(
            format, *sizes, levels, volume=target == "3D", seed=int(self.rng.integers(1 << 30)), swizzle=letters, samples=samples
        )

    def sampler(self, target: str, format: Format) -> SamplerState:
        """Sampler with random wrap modes, border and comparison. Filters are exact: mip level 0 only."""
        modes = list(TexWrap)
        border = (1.0, 2.0, 3.0, 4.0) if format.is_integer else (0.25, 0.5, 0.75, 1.0)
        shadow = "SHADOW" in target
        return SamplerState(
            wrap_s=self.pick(*modes),
            wrap_t=self.pick(*modes),
            wrap_r=self.pick(*modes),
            border_color=border,
            compare_mode=TexCompare.R_TO_TEXTURE if shadow and self.pick(True, True, False) else TexCompare.NONE,
            compare_func=self.pick(*CompareFunc),
            normalized_coords=self.pick(True, True, False),
            seamless_cube_map=self.pick(True, False),
        )

    def lod_sampler(self) -> SamplerState:
        """Sampler whose results depend on the level of detail."""
        low, high, bias = self.pick(0.0, 0.75, -3.0), self.pick(8.0, 1.25), self.pick(0.0, 0.5, -1.0)
        limits: dict[str, Any] = {"min_lod": low, "max_lod": high, "lod_bias": bias}
        return SamplerState(min_mip_filter=self.pick(*TexMipFilter), **limits, normalized_coords=True, lod_by_length=self.pick(True, False))

    # -- statements -------------------------------------------------------------------------------------------------
    def unit(self) -> str:
        """Sampler operand."""
        return str(self.pick("SAMP[0]", "SAMP[1]", "SAMP[ADDR[0].x]", "SAMP[ADDR[0].x+1]", "TEMP[0].xxxx", "IN[2].yyyy", "CONST[0].zzzz"))

    def view(self) -> str:
        """View operand."""
        return str(self.pick("SVIEW[0]", "SVIEW[2]", "SVIEW[ADDR[0].x]", "TEMP[0].xxxx"))

    def swizzled_view(self) -> str:
        """View operand with swizzled results."""
        return str(self.pick("SVIEW[0]", "SVIEW[1]", "SVIEW[ADDR[0].x]")) + str(self.pick(*_SWIZZLES))

    def offsets(self, most: int = 1) -> str:
        """Texel offsets."""
        count = self.pick(0, 1, most)
        return "".join(f", {self.pick('IMM[1].xyz', 'IMM[2].xyw', 'IMM[0].xxy', 'IN[1].xyz')}" for _ in range(count))

    def image_operand(self) -> str:
        """Image operand."""
        return str(
            self.pick("IMAGE[0]", "IMAGE[1]", "IMAGE[ADDR[0].x]", "IMAGE[ADDR[0].x+1]", "TEMP[1].xxxx", "IN[2].yyyy", "CONST[0].xxxx")
        )

    def sampled(self, out: str) -> str:
        """Sampling instruction with an exact result."""
        target = self.target
        if target == "SHADOWCUBEARRAY":
            return f"TG4 {out}, IN[0], IN[0].wwww, {self.unit()}, {target}"
        component = self.pick("IMM[0].xxxx", "IMM[0].wwww", "IN[2].wwww")
        return str(
            self.pick(
                f"TG4 {out}, IN[0], {component}, {self.unit()}, {target}{self.offsets(4)}",
                f"TG4 {out}, IN[0].yxzw, {component}, SAMP[1], {target}{self.offsets(4)}",
                f"GATHER4 {out}, IN[0], {self.swizzled_view()}, SAMP[1]{self.pick('', '.yyyy', '.wzyx')}{self.offsets()}",
                f"GATHER4 {out}, IN[0], {self.view()}, {self.unit()}",
                f"TEX_LZ {out}, IN[0], {self.unit()}, {target}",
                f"SAMPLE_L {out}, IN[0], {self.view()}, SAMP[0], IMM[0].xxxx",
            )
        )

    def fetched(self, out: str) -> str:
        """Texel fetch."""
        target = self.target
        return str(
            self.pick(
                f"TXF {out}, IN[1], {self.unit()}, {target}{self.offsets()}",
                f"TXF_LZ {out}, IN[1], {self.unit()}, {target}",
                f"SAMPLE_I {out}, IN[1], {self.swizzled_view()}",
                f"SAMPLE_I_MS {out}, IN[1], {self.view()}, IN[2].zzzz{self.offsets()}",
                f"SAMPLE_I_MS {out}, IN[1].yxzw, {self.swizzled_view()}, IN[2].zzzz",
            )
        )

    def asked(self, out: str) -> str:
        """Query of sizes or counts."""
        target = self.target
        return str(
            self.pick(
                f"TXQ {out}, IN[2].wwww, {self.unit()}, {target}",
                f"TXQS {out}, {self.unit()}, {target}",
                f"SVIEWINFO {out}, IN[2].wwww, {self.swizzled_view()}",
                f"SAMPLE_INFO {out}, {self.swizzled_view()}, IMM[0].xxxx",
                f"SAMPLE_INFO {out}, TEMP[0]{self.pick(*_SWIZZLES)}, IMM[0].xxxx",
                f"SAMPLE_POS {out}, {self.swizzled_view()}, IN[2].zzzz",
                f"SAMPLE_POS {out}, TEMP[0]{self.pick(*_SWIZZLES)}, IN[2].zzzz",
                f"RESQ {out}, {self.image_operand()}, {self.image}",
                f"SAMP2HND {out}.xz, SAMP[ADDR[0].x], {target}",
            )
        )

    def imaged(self, out: str) -> str:
        """Load or store of an image's texel."""
        image, target = self.image_operand(), self.image
        mask = self.pick("", "", ".x", ".yw", ".xyz", ".w")
        store = f"STORE {image}, IN[1], IN[3], {target}"
        if image.startswith("IMAGE"):
            store = f"STORE {image}{mask}, IN[1], IN[3].{self.pick('xyzw', 'wzyx')}, {target}"
        elif image.startswith("TEMP"):
            store = f"STORE TEMP[1].xyzw, IN[1], IN[3], {target}"
        atomic = f"ATOM{self.pick(*_ATOMICS)} {out}, {image}, IN[1], IN[3].xxxx, {target}"
        return str(
            self.pick(
                f"LOAD {out}, {image}, IN[1], {target}",
                store if not image.startswith(("IN", "CONST")) else store.replace(".yyyy", "").replace(".xxxx", ""),
                atomic,
                f"ATOMCAS {out}, {image}, IN[1], IN[2].wwww, IN[3].yyyy, {target}",
            )
        )

    def lod(self, out: str) -> str:
        """Query of levels of detail."""
        return str(self.pick(f"LODQ {out}, IN[0], SAMP[3], {self.target}", f"LOD {out}, IN[0], SVIEW[3].yxzw, SAMP[3]"))

    def case(self) -> Case:
        """Complete program with its arguments."""
        lines: list[str] = []
        lods, mixed = [], []
        for number in range(8):
            out = f"OUT[{number}]"
            kind = self.pick(self.sampled, self.sampled, self.fetched, self.asked, self.imaged, self.imaged, self.lod)
            if kind == self.lod:
                lods.append(number)
            line = kind(out)
            if line.startswith(("TEX", "SAMPLE_L")):
                mixed.append(number)
            lines += ["UIF IN[2].wwww", line, "ENDIF"] if kind != self.lod and self.pick(True, False) else [line]
            if self.fragments and self.pick(*[False] * 11, True):
                lines.append("KILL_IF IN[0].xxxx")
        text = (FRAGMENTS if self.fragments else VERTICES) + HEADER.format(target=self.target) + "\n".join(lines) + "\nEND\n"
        return Case(text, self.arguments(), tuple(lods), tuple(mixed))

    def arguments(self) -> dict[str, Any]:
        """Inputs, textures, samplers and images; some units stay empty."""
        rng, lanes = self.rng, self.lanes
        inputs = np.zeros((lanes, 4, 4), np.uint32)
        inputs[:, 0] = rng.uniform(-2.5, 3.0, (lanes, 4)).astype(np.float32).view(np.uint32)
        if self.pick(True, False):
            inputs[:, 0] = (np.round(rng.uniform(-2, 3, (lanes, 4)) * 8) / 8).astype(np.float32).view(np.uint32)
        inputs[:, 1] = rng.integers(-2, 8, (lanes, 4)) & 0xFFFFFFFF
        inputs[:, 1, 3] = rng.integers(-1, 3, lanes) & 0xFFFFFFFF
        inputs[:, 2] = rng.integers(-1, 6, (lanes, 4)) & 0xFFFFFFFF
        inputs[:, 3] = rng.integers(0, 1 << 32, (lanes, 4), dtype=np.uint32)
        if self.pick(True, False):
            inputs[:, 3] = rng.uniform(-1.5, 1.5, (lanes, 4)).astype(np.float32).view(np.uint32)
        units = [unit for unit in range(UNITS) if self.pick(True, True, True, False)]
        textures = {unit: self.texture(self.target) for unit in units} | {UNITS: self.texture(self.target, 4)}
        samplers = {unit: self.sampler(self.target, texture.format) for unit, texture in textures.items()}
        if self.same:
            samplers = dict.fromkeys(textures, next(iter(samplers.values())))
        samplers[UNITS] = self.lod_sampler()
        samplers.setdefault(0, samplers[UNITS])
        images = {}
        for unit in range(UNITS):
            samples = self.pick(1, 2, 4) if "MSAA" in self.image else 1
            format = Format[self.pick("R32_UINT", "R8G8B8_UNORM") if self.same else self.pick(*_IMAGES)]
            texels = random_texture(format, *self.shape(self.image, samples), seed=int(rng.integers(1 << 30)))
            if self.pick(True, True, False):
                images[unit] = TextureData(texels.format, texels.levels, samples=samples)
        positions = rng.uniform(0, 1, (3, 2)).astype(np.float32) if self.fragments and self.pick(True, False) else None
        constants = {0: np.array([[1, 2, 3, 0], [0, 0, 0, 0]], np.uint32)}
        found: dict[str, Any] = {"inputs": inputs, "textures": textures, "samplers": samplers, "images": images, "constants": constants}
        return found | ({} if positions is None else {"sample_positions": positions})


def texture_case(seed: int, lanes: int = 16) -> Case:
    """Program and arguments of a number, with `lanes` invocations, which a kernel of as many lanes runs at once."""
    return _Maker(seed, lanes).case()
