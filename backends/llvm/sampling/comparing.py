"""Comparison of texels with a reference, for shadow targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backends.abi.keys import SamplerKey, TextureKey
from backends.formats import ChannelType
from backends.llvm.builder.function import BOOL, Function, Val
from backends.pipe.enums import CompareFunc, TexCompare
from tgsi.language.facts.enums import TargetInfo
from tgsi.language.record import record

_TRUTH: dict[CompareFunc, Callable[[Val, Val], Val]] = {
    CompareFunc.LESS: lambda a, b: a < b,
    CompareFunc.EQUAL: lambda a, b: a.eq(b),
    CompareFunc.LEQUAL: lambda a, b: a <= b,
    CompareFunc.GREATER: lambda a, b: a > b,
    CompareFunc.NOTEQUAL: lambda a, b: a.ne(b),
    CompareFunc.GEQUAL: lambda a, b: a >= b,
}


@record
class Comparison:
    """Comparison of texels with `reference` (f32): R, G and B become 1 where the reference func red holds, otherwise 0; A becomes 1."""

    f: Function
    func: CompareFunc
    reference: Val

    def passes(self, texel: Sequence[Val]) -> Val:
        """Lanes (i1) in which the comparison holds."""
        if self.func in (CompareFunc.NEVER, CompareFunc.ALWAYS):
            return self.f.const(BOOL.wide(self.reference.lanes), self.func is CompareFunc.ALWAYS)
        return _TRUTH[self.func](self.reference, texel[0])

    def __call__(self, texel: Sequence[Val]) -> list[Val]:
        """The filterable color of a texel: 1 in R, G and B if it passes, otherwise 0."""
        return self.channels(self.f.select(self.passes(texel), self.f.const(self.reference.type, 1.0), 0.0))

    def channels(self, passed: Val) -> list[Val]:
        """R, G, B and A if a fraction `passed` (f32) of the texels pass."""
        return [passed, passed, passed, self.f.const(self.reference.type, 1.0)]


def comparison(f: Function, texture: TextureKey, sampler: SamplerKey, info: TargetInfo, coords: Sequence[Val]) -> Comparison | None:
    """Shadow comparison with a reference from `coords` (0 if `coords` lacks it); None if the target or the sampler does not compare."""
    if sampler.compare_mode is TexCompare.NONE or not info.is_shadow:
        return None
    place = {"z": 2, "w": 3, "src1.x": 4}[info.shadow]
    reference = coords[place] if place < len(coords) else f.const(coords[0].type, 0.0)
    if (texture.format.depth or texture.format.channels[0]).type is not ChannelType.FLOAT:
        reference = f.min(f.max(reference, 0.0), 1.0)
    return Comparison(f, sampler.compare_func, reference)
