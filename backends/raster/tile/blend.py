"""Blending: from a fragment's color to the new words of a color buffer.

Eight-bit formats blend in integers: the color is rounded first (as it would be stored); products are exact 16-bit numbers, divided by
255 with one rounding. All other formats and factors blend in f32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backends.formats import ChannelType, Format
from backends.llvm.builder.function import I32, Function, Type, Val
from backends.llvm.builder.merge import merge_bits
from backends.llvm.builder.rounding import scaled_unorm
from backends.llvm.library.packing import pack, unpack
from backends.pipe.enums import BlendFactor, BlendFunc
from backends.raster.tile.buffer_keys import TargetKey
from tgsi.language.record import record

_ONE, _ZERO = BlendFactor.ONE, BlendFactor.ZERO
_INVERSE = 16  # bit of a factor
_EASY = frozenset(
    {_ONE, _ZERO, BlendFactor.SRC_COLOR, BlendFactor.SRC_ALPHA, BlendFactor.DST_COLOR, BlendFactor.DST_ALPHA}
    | {BlendFactor.INV_SRC_COLOR, BlendFactor.INV_SRC_ALPHA, BlendFactor.INV_DST_COLOR, BlendFactor.INV_DST_ALPHA}
)


@record(frozen=False)
class Colors:
    """Colors of a fragment for blending: two colors of four channels, and the constant color (scalars)."""

    first: Sequence[Val]
    second: Sequence[Val]
    constant: Callable[[int], Val]


def write_target(f: Function, key: TargetKey, colors: Colors, old: Sequence[Val] | None) -> list[Val]:
    """The words to store. `old`: the stored words; may be None unless `key.reads`."""
    format = key.format
    if key.blend is None:
        words = pack(f, format, colors.first)
        if key.logicop is not None and old is not None:
            words = [logic_op(key.logicop, s, d) for s, d in zip(words, old)]
    else:
        assert old is not None
        if _is_integer_path(key):
            words = [_blend_bytes(f, key, colors.first, old[0])]
        else:
            words = pack(f, format, _blend_floats(f, key, colors, old))
    protected = key.keep_words(len(words))
    if protected is not None:
        assert old is not None
        words = [merge_bits(f, k, d, w) if k else w for w, d, k in zip(words, old, protected)]
    return words


def logic_op(table: int, s: Val, d: Val) -> Val:
    """A logic operation on each bit: bit 2*s+d of `table` is the result for source bit s and destination bit d."""
    pairs = ((~s, ~d), (~s, d), (s, ~d), (s, d))
    terms = [a & b for k, (a, b) in enumerate(pairs) if table >> k & 1]
    if not terms:
        return s ^ s
    total = terms[0]
    for term in terms[1:]:
        total = total | term
    return total


# ------------------------------------------------------------------------------------------------------ eight-bit path
def _is_integer_path(key: TargetKey) -> bool:
    b = key.blend
    if b is None or not key.format.is_plain_unorm8 or key.format.block_bits != 32:
        return False
    return all(x in _EASY for x in (b.rgb_src_factor, b.rgb_dst_factor, b.alpha_src_factor, b.alpha_dst_factor))


def _blend_bytes(f: Function, key: TargetKey, color: Sequence[Val], packed: Val) -> Val:
    """Blend texels of four bytes, two bytes at a time as 16-bit numbers in a 32-bit lane."""
    b = key.blend
    assert b is not None
    order = ["RGBX".find(c.letter.replace("A", "X")) for c in key.format.channels]  # channel of each byte; padding counts as alpha
    has_alpha = any(c.letter == "A" for c in key.format.channels)
    source = [f.nearest(scaled_unorm(f, v, 255.0)) for v in color]
    half = Type("i", 16, 2 * packed.lanes)

    def pair(low: Val, high: Val) -> Val:
        return (low | (high << 16)).bits_as(half)

    stored = [packed & 0xFF00FF, packed.lshr(8) & 0xFF00FF]
    source_alpha = pair(source[3], source[3])
    at = order.index(3)
    if has_alpha:
        one = (stored[at % 2].lshr(16) if at >= 2 else stored[at % 2]) & 255
        stored_alpha = pair(one, one)
    else:
        stored_alpha = f.const(half, 255)
    results = []
    for k in range(2):  # bytes 0 and 2, then bytes 1 and 3
        channels = [order[k], order[k + 2]]
        s, d = pair(source[channels[0]], source[channels[1]]), stored[k].bits_as(half)
        if not has_alpha and 3 in channels:  # padding is read as one
            d = (stored[k] | (255 << (16 * channels.index(3)))).bits_as(half)
        values = {"SRC_COLOR": s, "DST_COLOR": d, "SRC_ALPHA": source_alpha, "DST_ALPHA": stored_alpha}
        parts = []
        for func, sf, df in {(b.rgb_func, b.rgb_src_factor, b.rgb_dst_factor), (b.alpha_func, b.alpha_src_factor, b.alpha_dst_factor)}:
            parts.append(((func, sf, df), _equation(f, func, sf, df, s, d, values)))
        by_equation = dict(parts)
        rgb = by_equation[b.rgb_func, b.rgb_src_factor, b.rgb_dst_factor]
        alpha = by_equation[b.alpha_func, b.alpha_src_factor, b.alpha_dst_factor]
        word = rgb.bits_as(packed.type)
        if 3 in channels and alpha is not rgb:
            mask = 0xFFFF << (16 * channels.index(3))
            word = merge_bits(f, ~mask, word, alpha.bits_as(packed.type))
        results.append(word)
    word = results[0] | (results[1] << 8)
    return word if has_alpha else word & ~(255 << (8 * at))


def _divide(f: Function, t: Val) -> Val:
    """t / 255, rounded, for t <= 255 * 255."""
    wide = (t + 128).zext(I32)  # the upper half of its product with 257 is (t + (t >> 8)) >> 8
    return (wide * 257).lshr(16).trunc(t.type)


def _equation(f: Function, func: BlendFunc, sf: BlendFactor, df: BlendFactor, s: Val, d: Val, values: dict[str, Val]) -> Val:
    """One blend equation on 16-bit lanes that hold 0..255."""

    def factor(x: BlendFactor) -> Val:
        name = BlendFactor(x & ~_INVERSE).name
        value = values[name]
        return 255 - value if x & _INVERSE else value

    def product(v: Val, x: BlendFactor) -> Val:
        if x == _ONE:
            return v
        if x == _ZERO:
            return f.const(v.type, 0)
        return _divide(f, v * factor(x))

    if func in (BlendFunc.MIN, BlendFunc.MAX):  # of the products, as recorded from Mesa, whose frontends set both factors to ONE
        s, d = product(s, sf), product(d, df)
        return f.select(s.ult(d), s, d) if func is BlendFunc.MIN else f.select(s.ult(d), d, s)
    if func is BlendFunc.ADD:
        if sf ^ df == _INVERSE and sf not in (_ONE, _ZERO):  # one rounding for both products
            return _divide(f, s * factor(sf) + d * factor(df))
        total = product(s, sf) + product(d, df)
        return total if _ZERO in (sf, df) else f.select(total.ult(255), total, 255)
    a, c = (product(s, sf), product(d, df)) if func is BlendFunc.SUBTRACT else (product(d, df), product(s, sf))
    return f.select(c.ult(a), a - c, f.const(s.type, 0))


# ---------------------------------------------------------------------------------------------------------- float path
def _clamper(f: Function, format: Format) -> Callable[[Val], Val]:
    """A function that clamps a color before blending to the range that the format can hold."""
    types = {c.type for c in format.channels if c.type is not ChannelType.VOID}
    if types == {ChannelType.UNORM}:
        return lambda v: f.min(f.max(v, 0.0), 1.0)
    if types == {ChannelType.SNORM}:
        return lambda v: f.min(f.max(v, -1.0), 1.0)
    return lambda v: v


def _blend_floats(f: Function, key: TargetKey, colors: Colors, old: Sequence[Val]) -> list[Val]:
    b = key.blend
    assert b is not None
    clamp = _clamper(f, key.format)
    s, s1 = [clamp(v) for v in colors.first], [clamp(v) for v in colors.second]
    d = unpack(f, key.format, old)
    lanes = s[0].lanes

    def factor(x: BlendFactor, c: int) -> Val | None:
        """Factor `x` for channel `c`; None means one."""
        if x in (_ONE, _ZERO):
            return None if x == _ONE else f.const(s[0].type, 0.0)
        plain = BlendFactor(x & ~_INVERSE)
        match plain:
            case BlendFactor.SRC_COLOR:
                value = s[c]
            case BlendFactor.SRC_ALPHA:
                value = s[3]
            case BlendFactor.DST_ALPHA:
                value = d[3]
            case BlendFactor.DST_COLOR:
                value = d[c]
            case BlendFactor.SRC_ALPHA_SATURATE:
                return None if c == 3 else f.min(s[3], 1.0 - d[3])
            case BlendFactor.CONST_COLOR:
                value = clamp(f.splat(colors.constant(c), lanes))
            case BlendFactor.CONST_ALPHA:
                value = clamp(f.splat(colors.constant(3), lanes))
            case BlendFactor.SRC1_COLOR:
                value = s1[c]
            case _:
                value = s1[3]
        return 1.0 - value if x & _INVERSE else value

    def product(v: Val, x: BlendFactor, c: int) -> Val:
        by = factor(x, c)
        return v if by is None else v * by

    out = []
    for c in range(4):
        part = "alpha" if c == 3 else "rgb"
        func: BlendFunc = getattr(b, f"{part}_func")
        x, y = product(s[c], getattr(b, f"{part}_src_factor"), c), product(d[c], getattr(b, f"{part}_dst_factor"), c)
        match func:
            case BlendFunc.ADD:
                out.append(x + y)
            case BlendFunc.SUBTRACT:
                out.append(x - y)
            case BlendFunc.REVERSE_SUBTRACT:
                out.append(y - x)
            case _:
                out.append(f.min(x, y) if func is BlendFunc.MIN else f.max(x, y))
    return out
