"""Comparison of texels with a reference, for shadow targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backends.abi.keys import SamplerKey, TextureKey
from backends.formats import ChannelType
from backends.llvm.builder.function import Function, Val
from backends.llvm.sampling.filter import PerTexel
from backends.pipe.enums import CompareFunc, TexCompare
from tgsi.language.facts.enums import TargetInfo

_TRUTH: dict[CompareFunc, Callable[[Val, Val], Val]] = {
    CompareFunc.LESS: lambda a, b: a < b,
    CompareFunc.EQUAL: lambda a, b: a.eq(b),
    CompareFunc.LEQUAL: lambda a, b: a <= b,
    CompareFunc.GREATER: lambda a, b: a > b,
    CompareFunc.NOTEQUAL: lambda a, b: a.ne(b),
    CompareFunc.GEQUAL: lambda a, b: a >= b,
}


def comparison(f: Function, texture: TextureKey, sampler: SamplerKey, info: TargetInfo, coords: Sequence[Val]) -> PerTexel | None:
    """Shadow comparison that acts on each texel; None if the target or the sampler does not compare.

    R, G and B become 1 where the reference, one of `coords` (0 if it is not among them), func red holds, otherwise 0; A becomes 1.
    """
    if sampler.compare_mode is TexCompare.NONE or not info.is_shadow:
        return None
    place = {"z": 2, "w": 3, "src1.x": 4}[info.shadow]
    reference = coords[place] if place < len(coords) else f.const(coords[0].type, 0.0)
    if (texture.format.depth or texture.format.channels[0]).type is not ChannelType.FLOAT:
        reference = f.min(f.max(reference, 0.0), 1.0)
    one, zero = f.const(reference.type, 1.0), f.const(reference.type, 0.0)

    def compared(texel: list[Val]) -> list[Val]:
        if sampler.compare_func in (CompareFunc.NEVER, CompareFunc.ALWAYS):
            passed = one if sampler.compare_func is CompareFunc.ALWAYS else zero
        else:
            passed = f.select(_TRUTH[sampler.compare_func](reference, texel[0]), one, zero)
        return [passed, passed, passed, one]

    return compared
