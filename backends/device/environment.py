"""ShaderEnv: the constants, textures and samplers of one stage of a draw or grid, copied into a frame's memory; and the stage's keys."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, TypeVar

from backends.abi.keys import ImageKey, SamplerKey, TextureKey, sampler_key
from backends.abi.records import SamplerRecord, ShaderEnv, TextureRecord
from backends.device.bound import StageState
from backends.device.hazards import bind_memory
from backends.device.kinds import image_kinds, images_of, kind_keys, texture_kinds, textures_of
from backends.device.memory import BoundSampler, BoundView, Constants, Memory
from backends.device.needs import ShaderNeeds
from backends.device.region import Region
from backends.device.tables import BufferTable
from backends.pipe.limits import MAX_SAMPLER_VIEWS
from backends.run.textures import MAX_UNITS

Textures = tuple[TextureKey | None, ...]
Images = tuple[tuple[int, ImageKey], ...]
Samplers = tuple[SamplerKey | None, ...]
StageKeys = tuple[Textures, Samplers, Images]
"""The keys of everything bound to a stage that changes its code."""
_Item = TypeVar("_Item")
_SIZE = ctypes.sizeof(ShaderEnv)
_CONSTANTS, _WORDS, _WATCH = ShaderEnv.constants.offset, ShaderEnv.constant_words.offset, ShaderEnv.watch.offset


def make_environment(
    region: Region, demand: ShaderNeeds, bindings: StageState, reads: list[tuple[int, int]], counters: BufferTable | None = None
) -> int:
    """Write a ShaderEnv into `region` and return its address.

    The memory of textures, which is read later, is appended to `reads`. With `counters` (HWATOMIC), the records of shader buffers, images
    and counters are copied too; without them the caller supplies those.
    """
    address = make_resources(region, demand, bindings, reads)
    bound = bindings.constants if demand.constants else ()
    for slot, declared, is_whole in demand.constants:
        memory = bound[slot] if slot < len(bound) else None
        place, words = place_constants(region, memory, declared, is_whole)
        ctypes.c_void_p.from_address(address + _CONSTANTS + 8 * slot).value = place
        ctypes.c_int32.from_address(address + _WORDS + 4 * slot).value = words
    if counters is not None and (demand.images or demand.effects.touches):
        bind_memory(region, ShaderEnv.from_address(address), demand, bindings, counters)
    return address


def make_resources(region: Region, demand: ShaderNeeds, bindings: StageState, reads: list[tuple[int, int]]) -> int:
    """Write a ShaderEnv with textures and samplers, but without constants, into `region` and return its address."""
    address = region.allocate(_SIZE)
    ctypes.memset(address, 0, _SIZE)
    if region.watch:
        ctypes.c_void_p.from_address(address + _WATCH).value = region.watch
    if not demand.units:
        return address
    env = ShaderEnv.from_address(address)
    bound_views, bound_samplers = bindings.units(demand.units)
    views, samplers = padded(bound_views, demand.units), padded(bound_samplers, demand.units)
    if demand.handles:
        views, samplers = _write_kinds(region, env, bindings)
    env.textures = _records(region, TextureRecord, [v.record if v is not None else None for v in views])
    env.samplers = _records(region, SamplerRecord, [s.record if s is not None else None for s in samplers])
    for view in views:
        if view is not None:
            region.keep(view.keepalive)
            reads.append((view.record.base or 0, view.record.size))
    return address


def place_constants(region: Region, memory: Memory | Constants | None, declared: int, is_whole: bool) -> tuple[int, int]:
    """Return the address and the number of readable words of a constant buffer, padded with zeros to at least `declared` bytes.

    Memory that may still be written is copied; `Constants` with enough room are used in place.
    """
    if memory is None:
        return region.copy(0, 0, declared), declared // 4
    size = memory.size & ~3
    if not is_whole and size > declared:
        size = declared
    words = (size if size > declared else declared) // 4
    if type(memory) is Constants and declared <= memory.room:
        if memory.keepalive is not None:
            region.keep_latest(memory.keepalive)
        return memory.address, words
    return region.copy(memory.address, size, declared), words


def _write_kinds(region: Region, env: ShaderEnv, bindings: StageState) -> tuple[list[BoundView | None], list[BoundSampler | None]]:
    """Write the tables that handles index. Return the views and samplers of the table of textures."""
    textures, images = textures_of(bindings), images_of(bindings)
    for numbers, table, count in (
        (texture_kinds(textures)[1], "texture_kinds", "num_textures"),
        (image_kinds(images)[1], "image_kinds", "num_images"),
    ):
        setattr(env, table, region.copy(numbers.buffer_info()[0], 4 * len(numbers)))
        setattr(env, count, len(numbers))
    env.images = _records(region, TextureRecord, [i.record if i is not None else None for i in images])
    for image in images:
        if image is not None:
            region.keep(image.keepalive)
    return [t.view if t is not None else None for t in textures], [t.sampler if t is not None else None for t in textures]


def _records(region: Region, kind: type[ctypes.Structure], records: Sequence[ctypes.Structure | None]) -> int:
    size = ctypes.sizeof(kind)
    address = region.allocate(size * len(records))
    for k, record in enumerate(records):
        if record is not None:
            ctypes.memmove(address + k * size, ctypes.addressof(record), size)
        else:
            ctypes.memset(address + k * size, 0, size)
    return address


def padded(items: Sequence[_Item | None], count: int) -> list[_Item | None]:
    """Return the first `count` items, with None for each that is missing."""
    return [items[k] if k < len(items) else None for k in range(count)]


def sampling_keys(bindings: StageState, demand: ShaderNeeds) -> tuple[Textures, Samplers]:
    """Return the keys of the bound views and samplers.

    If sampler k is used with view k only, its key is reduced to the fields that have an effect there.
    """
    if not demand.units:
        return (), ()
    if demand.handles:
        views, samplers, _ = kind_keys(bindings)
        return _then(bindings.views, views), _then(bindings.samplers, samplers)
    bound_views, bound_samplers = bindings.units(demand.units)
    views = tuple(v.key if v is not None else None for v in padded(bound_views, demand.units))
    samplers = tuple(s.key if s is not None else None for s in padded(bound_samplers, demand.units))
    if demand.is_paired:
        samplers = tuple(sampler_key(s, v) if s is not None and v is not None else None for s, v in zip(samplers, views))
    return views, samplers


def _then(bound: Sequence[Any], kinds: tuple[_Item | None, ...]) -> tuple[_Item | None, ...]:
    """Return the keys of the bound items, by unit, followed by the keys of kinds, from unit MAX_UNITS on."""
    return (
        *(item.key if item is not None else None for item in padded(bound, MAX_SAMPLER_VIEWS)),
        *[None] * (MAX_UNITS - MAX_SAMPLER_VIEWS),
        *kinds,
    )


def stage_keys(bindings: StageState, demand: ShaderNeeds) -> StageKeys:
    """Return the part of everything bound to a stage that changes its code: keys of textures, samplers and images."""
    images = bindings.images.keys(demand.images)
    return (*sampling_keys(bindings, demand), images + kind_keys(bindings)[2] if demand.handles else images)


def by_unit(keys: StageKeys) -> tuple[dict[int, TextureKey], dict[int, SamplerKey], dict[int, ImageKey]]:
    """Return the keys of a stage by unit, without empty units."""
    textures, samplers, images = keys
    views = {k: t for k, t in enumerate(textures) if t is not None}
    return views, {k: s for k, s in enumerate(samplers) if s is not None}, dict(images)
