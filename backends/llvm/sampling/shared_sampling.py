"""Texture sampling as shared functions: one module for each combination of static keys, compiled once a process.

Sampling is the longest code that shaders repeat. A symbol's name encodes everything that the function is generated from, so that a
process can link an object from the disk cache without having seen its shader.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from backends.abi.keys import SamplerKey, TextureKey
from backends.formats import Format
from backends.llvm.builder.function import F32, PTR, Function, Module, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.sampling import gather, query, sample
from backends.pipe.enums import CompareFunc, Swizzle, TexCompare, TexFilter, TexMipFilter, TextureTarget, TexWrap
from tgsi.language.record import record

SYMBOL_PREFIX = "tgsi_sample_"
PASSED = -1
"""Component of a gather that is not constant: it is passed as a vector."""

Way = sample.LodMode | Literal["gather", "lod", "bias alone"]
"""Kinds of functions: a mode of sampling, a gather of four texels, or the level of detail, with derivatives or from the bias alone."""


@record(kw_only=True)
class SampleFunction:
    """Static facts of one shared function.

    coords: number of coordinates that are passed. has_lod: a level of detail is passed after them. gradients: number of coordinates whose
    derivatives are passed next (d/dx of each, then d/dy of each). offsets: texel offsets, three for each texel; None where a vector is
    passed. component: the channel of a gather. channels: number of channels that are returned, from red on; a channel less is a quarter
    of the filter's arithmetic less.
    """

    lane_map: LaneMap
    texture: TextureKey
    sampler: SamplerKey
    target: str
    mode: Way
    coords: int
    has_lod: bool = False
    gradients: int = 0
    offsets: tuple[int | None, ...] = ()
    component: int = 0
    channels: int = 4

    @property
    def symbol(self) -> str:
        """Name of the function; `decode` is the inverse."""
        t, s = self.texture, self.sampler
        data = [
            [self.lane_map.lanes, self.lane_map.kind, self.lane_map.rows],
            [t.format.name, t.target.value, [c.value for c in t.swizzle], t.pot, t.levels, *[True] * t.is_wide],
            [s.wrap_s.value, s.wrap_t.value, s.wrap_r.value, s.min_img_filter.value, s.mag_img_filter.value, s.min_mip_filter.value]
            + [s.compare_mode.value, s.compare_func.value, s.normalized_coords, s.seamless_cube_map, s.lod_by_length, s.anisotropic],
            [self.target, self.mode, self.coords, self.has_lod, self.gradients, list(self.offsets), self.component, self.channels],
        ]
        return SYMBOL_PREFIX + json.dumps(data, separators=(",", ":")).encode().hex()

    @property
    def parameters(self) -> int:
        """Number of vectors that are passed after the two record pointers."""
        return self.coords + self.has_lod + 2 * self.gradients + (self.component == PASSED) + self.offsets.count(None)

    def call(self, f: Function, texture: Val, sampler: Val, vectors: Sequence[Val]) -> list[Val]:
        """Call the function. Returns four channels; those that the function does not return are 0.

        vectors: coordinates, level of detail, derivatives, component and offsets, in this order; integers as bits.
        """
        assert len(vectors) == self.parameters
        vector = F32.wide(self.lane_map.lanes)
        sampled = f.call_many([vector] * self.channels, self.symbol, texture, sampler, *vectors)
        return [*sampled, *[f.const(vector, 0.0)] * (4 - self.channels)]


def decode(symbol: str) -> SampleFunction:
    """Facts of the function with this name; ValueError if no shared sampling function has this name."""
    try:
        (lanes, kind, rows), t, s, (target, mode, coords, has_lod, gradients, offsets, component, channels) = json.loads(
            bytes.fromhex(symbol.removeprefix(SYMBOL_PREFIX))
        )
        w, x, y, z = (Swizzle(c) for c in t[2])
        return SampleFunction(
            lane_map=LaneMap(lanes, kind, rows),
            texture=TextureKey(Format[t[0]], TextureTarget(t[1]), (w, x, y, z), t[3], t[4], is_wide=len(t) > 5),
            sampler=SamplerKey(
                wrap_s=TexWrap(s[0]),
                wrap_t=TexWrap(s[1]),
                wrap_r=TexWrap(s[2]),
                min_img_filter=TexFilter(s[3]),
                mag_img_filter=TexFilter(s[4]),
                min_mip_filter=TexMipFilter(s[5]),
                compare_mode=TexCompare(s[6]),
                compare_func=CompareFunc(s[7]),
                normalized_coords=s[8],
                seamless_cube_map=s[9],
                lod_by_length=s[10],
                anisotropic=s[11],
            ),
            target=target,
            mode=mode,
            coords=coords,
            has_lod=has_lod,
            gradients=gradients,
            offsets=tuple(offsets),
            component=component,
            channels=channels,
        )
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"{symbol[:40]} is not a function of the sampling library") from error


def build(symbol: str, cpu: str) -> Module:
    """Module that defines `symbol`."""
    function = decode(symbol)
    lanes = function.lane_map.lanes
    vector = F32.wide(lanes)
    module = Module("sample", cpu)
    f = Function(module, symbol, [PTR, PTR, *[vector] * function.parameters], [vector] * function.channels)
    f.ret_many(_written(f, function)[: function.channels])
    return module


def _written(f: Function, function: SampleFunction) -> list[Val]:
    texture, sampler, *vectors = f.args
    coords, rest = vectors[: function.coords], vectors[function.coords :]
    keys, target = (function.texture, function.sampler), function.target
    passed = iter(rest[len(rest) - function.offsets.count(None) :])
    offsets = [next(passed).as_int() if offset is None else offset for offset in function.offsets]
    match function.mode:
        case "gather":
            component = rest[0].as_int() if function.component == PASSED else function.component
            moves = [offsets[k : k + 3] for k in range(0, len(offsets), 3)]
            return gather.emit_gather(f, *keys, texture, sampler, coords, component, offsets=moves, target=target)
        case "lod" | "bias alone":
            implicit = function.mode == "lod"
            return query.emit_query_lod(f, function.lane_map, *keys, texture, sampler, coords, implicit=implicit, target=target)
        case mode:
            lod = rest.pop(0) if function.has_lod else None
            count = function.gradients
            gradients = [rest[:count], rest[count:]] if count else None
            return sample.emit_sample(
                f,
                function.lane_map,
                *keys,
                texture,
                sampler,
                coords,
                lod_mode=mode,
                lod=lod,
                gradients=gradients,
                offsets=offsets,
                target=target,
            )
