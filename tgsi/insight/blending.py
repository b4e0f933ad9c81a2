"""Blending of one color into one texel, written from docs/execution.md and the OpenGL specification, independent of the renderer's code.

The format decides the arithmetic: 8-bit colors blend as integers, all others in 32-bit floats with one rounding per operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.formats import ChannelType, Format
from backends.formats.arrays import pack, unpack
from backends.pipe.enums import BlendFactor, BlendFunc, LogicOp
from backends.pipe.state import BlendState, RenderTargetBlend
from tgsi.language.record import record

f4 = np.float32
Color = NDArray[Any]
_SIMPLE = {"ONE", "ZERO", "SRC_COLOR", "SRC_ALPHA", "DST_COLOR", "DST_ALPHA"}


@record(eq=False)
class Colors:
    """The colors of a fragment: the first and the second one, and the constant color; four numbers each."""

    first: Color
    second: Color
    constant: Color


def stored(blend: BlendState, index: int, format: Format, colors: Colors, old: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The bytes of the texel after the fragment. old: the bytes before it."""
    rt = blend.target(index)
    if blend.logicop_enable:
        texel = pack(format, colors.first)
        if not format.is_srgb and not _has_floats(format):
            texel = _logic(blend.logicop_func, texel, old)
    elif not rt.blend_enable or format.is_integer:
        texel = pack(format, colors.first)
    elif _blends_bytes(format, rt):
        texel = _bytes(format, rt, colors, old)
    else:
        texel = pack(format, _floats(format, rt, colors, unpack(format, old)[0]))
    return _masked(format, int(rt.colormask), texel, old)


def describe(rt: RenderTargetBlend, has_alpha: bool = True) -> str:
    """The equation in words."""
    rgb, alpha = (_equation(rt, part) for part in ("rgb", "alpha"))
    return rgb if rgb == alpha else f"rgb {rgb}, alpha {alpha}"


def adds_nothing(rt: RenderTargetBlend, color: Color) -> bool:
    """True if the source is multiplied by its alpha, which is 0, and added to what is stored."""
    return rt.rgb_func is BlendFunc.ADD and rt.rgb_src_factor is BlendFactor.SRC_ALPHA and not color[3] and bool(np.any(color[:3]))


def _equation(rt: RenderTargetBlend, part: str) -> str:
    func, s, d = (getattr(rt, f"{part}_{name}") for name in ("func", "src_factor", "dst_factor"))
    if func in (BlendFunc.MIN, BlendFunc.MAX):
        return f"{func.name.lower()}(source, stored)"
    first, second = f"source * {s.name}", f"stored * {d.name}"
    if func is BlendFunc.REVERSE_SUBTRACT:
        first, second = second, first
    return f"{first} {'+' if func is BlendFunc.ADD else '-'} {second}"


def _has_floats(format: Format) -> bool:
    return any(c.type is ChannelType.FLOAT for c in format.channels)


def _logic(op: LogicOp, source: NDArray[np.uint8], old: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Bit 2 * s + d of the operation is the result for bits s and d."""
    s, d = np.unpackbits(source), np.unpackbits(old)
    table = np.array([int(op) >> k & 1 for k in range(4)], np.uint8)
    return np.packbits(table[2 * s + d])


def _masked(format: Format, mask: int, new: NDArray[np.uint8], old: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The new bits where the color mask enables a channel, the old ones elsewhere; padding is new. Luminance and intensity are red."""
    is_old = np.zeros(len(old) * 8, bool)
    for c in format.channels:
        channel = "RGBA".find("R" if c.letter in "LI" else c.letter)
        if channel >= 0 and not mask >> channel & 1:
            is_old[c.shift : c.shift + c.size] = True
    a, b = (np.unpackbits(data, bitorder="little") for data in (old, new))
    return np.packbits(np.where(is_old, a, b).astype(np.uint8), bitorder="little")


# -- numbers -----------------------------------------------------------------------------------------------------------------
def _blends_bytes(format: Format, rt: RenderTargetBlend) -> bool:
    if not format.is_plain_unorm8 or format.block_bits != 32:
        return False
    factors = (rt.rgb_src_factor, rt.rgb_dst_factor, rt.alpha_src_factor, rt.alpha_dst_factor)
    return all(factor.name.removeprefix("INV_") in _SIMPLE for factor in factors)


def _bytes(format: Format, rt: RenderTargetBlend, colors: Colors, old: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Four channels of 8 bits: integer products, divided by 255 with one rounding."""
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = np.minimum(np.fmax(colors.first.astype(f4), f4(0)) * f4(255), f4(255))
    s = [int(v) for v in np.rint(scaled)]
    d = [round(float(v) * 255) for v in unpack(format, old)[0]]
    channels = []
    for c in range(4):
        part = "alpha" if c == 3 else "rgb"
        func, sf, df = (getattr(rt, f"{part}_{name}") for name in ("func", "src_factor", "dst_factor"))
        channels.append(_byte(func, sf, df, s, d, c))
    return pack(format, np.array([v / 255 for v in channels], f4))


def _byte(func: BlendFunc, sf: BlendFactor, df: BlendFactor, s: list[int], d: list[int], c: int) -> int:
    def factor(x: BlendFactor) -> int:
        name = x.name.removeprefix("INV_")
        value = {"ONE": 255, "ZERO": 0, "SRC_COLOR": s[c], "SRC_ALPHA": s[3], "DST_COLOR": d[c], "DST_ALPHA": d[3]}[name]
        return 255 - value if name != x.name else value

    def divided(v: int) -> int:
        return (v + 128) * 257 >> 16

    def product(v: int, x: BlendFactor) -> int:
        return v if x is BlendFactor.ONE else 0 if x is BlendFactor.ZERO else divided(v * factor(x))

    if func is BlendFunc.ADD:
        is_mix = sf.name.removeprefix("INV_") == df.name.removeprefix("INV_") and sf != df
        if is_mix and sf.name not in ("ONE", "ZERO"):  # the factors of source and destination add up to one: a single rounding of their sum
            return divided(s[c] * factor(sf) + d[c] * factor(df))
        return min(255, product(s[c], sf) + product(d[c], df))
    a, b = product(s[c], sf), product(d[c], df)
    results = {BlendFunc.MIN: min(a, b), BlendFunc.MAX: max(a, b), BlendFunc.SUBTRACT: max(0, a - b)}
    return results.get(func, max(0, b - a))


def _floats(format: Format, rt: RenderTargetBlend, colors: Colors, d: Color) -> Color:
    clamped = [_clamped(format, color) for color in (colors.first, colors.second, colors.constant)]
    values = dict(zip(("SRC", "SRC1", "CONST"), clamped)) | {"STORED": d.astype(f4)}
    s = values["SRC"]
    out = np.zeros(4, f4)

    def factor(x: BlendFactor, c: int) -> Any:
        name = x.name.removeprefix("INV_")
        if name in ("ONE", "ZERO"):
            return f4(name == "ONE") if name == x.name else f4(name != "ONE")
        if name == "SRC_ALPHA_SATURATE":
            return f4(1) if c == 3 else np.minimum(s[3], f4(1) - values["STORED"][3])
        source, _, kind = name.partition("_")
        value = values["STORED" if source[0] == "D" else source][3 if kind == "ALPHA" else c]
        return f4(1) - value if name != x.name else value

    def product(v: Any, x: BlendFactor, c: int) -> Any:
        return v if x is BlendFactor.ONE else v * factor(x, c)

    with np.errstate(all="ignore"):
        for c in range(4):
            part = "alpha" if c == 3 else "rgb"
            func, sf, df = (getattr(rt, f"{part}_{name}") for name in ("func", "src_factor", "dst_factor"))
            a, b = product(s[c], sf, c), product(values["STORED"][c], df, c)
            match func:
                case BlendFunc.ADD:
                    out[c] = a + b
                case BlendFunc.SUBTRACT:
                    out[c] = a - b
                case BlendFunc.REVERSE_SUBTRACT:
                    out[c] = b - a
                case BlendFunc.MIN:
                    out[c] = np.fmin(a, b)
                case _:
                    out[c] = np.fmax(a, b)
    return out


def _clamped(format: Format, color: Color) -> Color:
    types = {c.type for c in format.channels if c.type is not ChannelType.VOID}
    color = color.astype(f4)
    if types == {ChannelType.UNORM}:
        return np.fmin(np.fmax(color, f4(0)), f4(1))
    return np.fmin(np.fmax(color, f4(-1)), f4(1)) if types == {ChannelType.SNORM} else color
