"""Gathers: one channel of the four texels that a bilinear filter would mix."""

from __future__ import annotations

from collections.abc import Sequence

from backends.abi.keys import SamplerKey, TextureKey
from backends.llvm.builder.function import Function, Val
from backends.llvm.sampling.comparing import comparison
from backends.llvm.sampling.cube import SeamlessFootprint, project
from backends.llvm.sampling.fetch import fetch_texel, or_border
from backends.llvm.sampling.sample import Sampling, apply_swizzle
from backends.llvm.sampling.texture import Texture
from backends.llvm.sampling.texture_targets import INFOS
from backends.llvm.sampling.wrap import Axis, wrap_footprint, wrap_nearest

ORDER = ((0, 1), (1, 1), (1, 0), (0, 0))
"""Texel of each result: steps to the right, steps down. The order is that of OpenGL's textureGather."""


def emit_gather(
    f: Function,
    texture_key: TextureKey,
    sampler_key: SamplerKey,
    texture: Val,
    sampler: Val,
    coords: Sequence[Val],
    component: Val | int,
    *,
    offsets: Sequence[Sequence[Val | int]] = (),
    target: str = "2D",
) -> list[Val]:
    """Gather one channel of four texels of level 0, in the order of `ORDER`.

    coords: as the target orders them, with a shadow reference among them, which is compared with red. component: the channel, an i32
    vector or a number, of which the two low bits count. offsets: none; one for all texels; or four, and then result k is texel (0, 0) of
    the footprint moved by offset k. Buffers and 1D have one row; 3D takes the nearest slice.
    """
    info = INFOS[target]
    bound = Texture(f, texture_key, texture, coords[0].lanes)
    spatial, face = list(coords[: info.dimensions]), None
    base = Sampling(f=f, texture=bound, key=texture_key, sampler_key=sampler_key, sampler=sampler, info=info, offsets=())
    if base.cube:
        face, spatial, _ = project(f, spatial, None)
    layer = base.layer(coords, face)
    gather = _Gather(base, spatial, layer)
    compared = comparison(f, texture_key, sampler_key, info, coords)
    if len(offsets) == 4:
        texels = [gather.texels(offset, ((0, 0),))[0] for offset in offsets]
    else:
        texels = gather.texels(offsets[0] if offsets else (), ORDER)
    results = []
    for texel in texels:
        if compared is not None:
            texel = compared(texel)
        results.append(_chosen(f, apply_swizzle(f, texture_key, texel), 0 if info.is_shadow else component))
    return results


def _chosen(f: Function, channels: Sequence[Val], component: Val | int) -> Val:
    if isinstance(component, int):
        return channels[component & 3]
    low, high = (component & 1).ne(0), (component & 2).ne(0)
    return f.select(high, f.select(low, channels[3], channels[2]), f.select(low, channels[1], channels[0]))


class _Gather:
    """Texels around a place on level 0. The layer must be in range."""

    def __init__(self, sampling: Sampling, coords: Sequence[Val], layer: Val | None) -> None:
        self.sampling, self.f, self.coords = sampling, sampling.f, coords
        self.level = sampling.texture.first_level()
        self.layer = sampling.within(self.level, layer)

    def texels(self, offset: Sequence[Val | int], picks: Sequence[tuple[int, int]]) -> list[list[Val]]:
        """Channels of the texels `picks` (steps to the right and down) of the footprint moved by `offset`."""
        f, sampling = self.f, self.sampling
        shifts = [_shift(offset, axis) for axis in range(sampling.axes)]
        if sampling.seamless and self.layer is not None:
            footprint = SeamlessFootprint.of(f, sampling.texture, self.level, self.coords, self.layer, None, shifts)
            return [footprint.texel(right, down) for right, down in picks]
        key = sampling.sampler_key
        modes = (key.wrap_s, key.wrap_t, key.wrap_r)
        axes: list[Axis] = []
        for axis, shift in enumerate(shifts):
            size = self.level.size(axis)
            x = sampling.texels(self.coords[axis], size)
            x = x if shift is None else x + shift
            axes.append(wrap_footprint(f, modes[axis], x, size) if axis < 2 else wrap_nearest(f, modes[axis], x, size, sampling.key.pot))
        return [self._texel(axes, pick) for pick in picks]

    def _texel(self, axes: Sequence[Axis], pick: tuple[int, int]) -> list[Val]:
        f = self.f
        places: list[Val | None] = []
        inside: list[Val | None] = []
        for number, axis in enumerate(axes):
            second = number < 2 and pick[number] == 1
            places.append(axis.second if second else axis.first)
            inside.append(axis.second_inside if second else axis.inside)
        i, j, k = (*places, None, None)[:3]
        assert i is not None
        texel = fetch_texel(f, self.sampling.texture, self.level, i, j, self.layer if k is None else k)
        border = self.sampling.border(i.lanes) if any(mask is not None for mask in inside) else None
        return or_border(f, texel, inside, border)


def _shift(offset: Sequence[Val | int], axis: int) -> Val | float | None:
    if axis >= len(offset):
        return None
    shift = offset[axis]
    return shift.to_float() if isinstance(shift, Val) else float(shift) if shift else None
