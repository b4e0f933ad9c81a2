"""LOAD, STORE, atomics and RESQ on words: buffers, constant buffers, counters, memory of compute programs. `images` has those for images.

Addresses count bytes; their two low bits are ignored. A word outside of its resource reads 0 and is not written, and an atomic on it
returns 0. Lanes act one after the other, in the order of their numbers. Killed lanes and helper lanes only read.
"""

from __future__ import annotations

from collections.abc import Callable

from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Val
from backends.llvm.library.math import canonical
from backends.llvm.program.access import channels
from backends.llvm.sampling.rows import gather_rows, scatter_rows
from backends.llvm.translate.emit import Context, Vector, emits, images
from backends.llvm.translate.emit.atomic_reduction import merge, merge_of
from backends.llvm.translate.emit.lane_stack import Column
from backends.llvm.translate.emit.resources import Resource, changing, find_resource
from backends.llvm.translate.interface import Words

MOST_VEC4S = 32
"""Most lanes for which a LOAD reads all channels of a lane at once, because this code is unrolled over lanes."""


def _zeros(c: Context) -> Val:
    return c.f.const(I32.wide(c.lane_map.lanes), 0)


@emits("LOAD")
def emit_load(c: Context, resource: None, address: Vector) -> list[Val]:
    """Four consecutive words, in the order of the resource's swizzle."""
    operand = c.instruction.src[0]
    if images.names_image(operand.register):
        return images.emit_load(c, address)
    memory = find_resource(c, operand.register)
    places = memory.places(address[0])
    written = channels(c.instruction.dst[0].write_mask)
    components = sorted({operand.swizzle[channel] for channel in written}) or [0]
    values = _gathered(c, memory.words, places, components) if memory.words is not None else _read(c, memory, places, components)
    return [values.get(component, values[components[0]]) for component in operand.swizzle]


def _gathered(c: Context, words: Words, places: Val, components: list[int]) -> dict[int, Val]:
    """Words of one resource, for all lanes at once."""
    f, active = c.f, c.execution_mask()

    def one_by_one() -> list[Val]:
        return [_gathered_one(c, words, places + component, active) for component in components]

    if len(components) == 1 or c.lane_map.lanes > MOST_VEC4S:
        return dict(zip(components, one_by_one()))
    values = [f.var(places.type) for _ in components]
    last = places + 3
    begins, wraps = places.ult(words.count), last.ult(3)
    whole = active & begins & last.ult(words.count)
    with f.else_of(f.any(active & (begins | wraps) & ~whole)) as otherwise:  # the resource begins or ends within a lane's four words
        for value, read in zip(values, one_by_one()):
            value.set(read)
        otherwise()
        channels_ = _vec4s(c, words, places, whole)
        for value, component in zip(values, components):
            value.set(channels_[component])
    return {component: value.get() for component, value in zip(components, values)}


def _gathered_one(c: Context, words: Words, place: Val, active: Val) -> Val:
    f = c.f
    inside = active & place.ult(words.count)
    offsets = f.select(inside, place, 0) << 2
    if words.offset is None:
        return gather_rows(f, words.base, offsets, inside, c.lane_map.side_by_side)
    return f.gather(I32, words.base, offsets + words.offset, inside)


def _vec4s(c: Context, words: Words, places: Val, inside: Val) -> list[Val]:
    """Four words from each place on, in the lanes of `inside`; 0 in other lanes.

    A load for each lane is several times as fast as gathers.
    """
    f, lanes, wide = c.f, c.lane_map.lanes, I64.wide(c.lane_map.lanes)
    offsets = places << 2
    if words.offset is not None:
        offsets = offsets + words.offset
    nowhere = f.value(PTR, f.module.constant("no_words", I32, [0, 0, 0, 0])).as_address()
    base = f.splat(words.base.as_address(), lanes)
    addresses = f.lane_memory("addresses", wide)
    f.store(f.select(inside, base + offsets.zext(I64), nowhere), addresses)
    return f.load_vec4s([f.load(PTR, addresses, 8 * lane, 8) for lane in range(lanes)], I32)


def _read(c: Context, resource: Resource, places: Val, components: list[int]) -> dict[int, Val]:
    """Words of a resource that differs from lane to lane."""
    f = c.f
    numbers, active = Column(c, places), Column(c, c.execution_mask().zext(I32))
    columns = {component: Column(c) for component in components}
    with f.range(0, 4 * c.lane_map.lanes, 4) as lane, f.if_(active.at(lane).ne(0)):
        base, count = resource.of_lane(lane)
        for component, column in columns.items():
            place = numbers.at(lane) + component
            with f.if_(place.ult(count)):
                column.put(lane, f.load(I32, base, place << 2))
    return {component: column.get() for component, column in columns.items()}


@emits("STORE")
def emit_store(c: Context, address: Vector, value: Vector) -> list[Val]:
    """Write the channels of the write mask, each at its own place after the address."""
    f, target = c.f, c.instruction.dst[0]
    if images.names_image(target.register):
        return images.emit_store(c, address, value)
    resource = find_resource(c, target.register)
    places, written = resource.places(address[0]), channels(target.write_mask)
    if resource.words is not None and len(written) == 1:
        _scattered(c, resource.words, places + written[0], value[written[0]])
        return []
    numbers, lasting = Column(c, places), Column(c, (c.execution_mask() & changing(c)).zext(I32))
    columns = {channel: Column(c, value[channel]) for channel in written}
    with f.range(0, 4 * c.lane_map.lanes, 4) as lane, f.if_(lasting.at(lane).ne(0)):
        base, count = resource.of_lane(lane)
        for channel, column in columns.items():
            place = numbers.at(lane) + channel
            with f.if_(place.ult(count)):
                f.store(column.at(lane), base, place << 2)
    return []


def _scattered(c: Context, words: Words, places: Val, value: Val) -> None:
    """Write one word for each lane into one resource. If several lanes address a word, the highest lane wins, as in a loop."""
    f = c.f
    inside = c.execution_mask() & changing(c) & places.ult(words.count)
    offsets = f.select(inside, places, 0) << 2
    word = f.splat(value.as_int(), c.lane_map.lanes)
    if words.offset is None:
        scatter_rows(f, word, words.base, offsets, inside, c.lane_map.side_by_side)
    else:
        f.scatter(word, words.base, offsets + words.offset, inside)


Update = Callable[[Function, Val, Val], Val]


_UPDATES: dict[str, Update] = {
    "ATOMUADD": lambda f, old, e: old + e,
    "ATOMXCHG": lambda f, old, e: e,
    "ATOMAND": lambda f, old, e: old & e,
    "ATOMOR": lambda f, old, e: old | e,
    "ATOMXOR": lambda f, old, e: old ^ e,
    "ATOMUMIN": lambda f, old, e: f.select(e.ult(old), e, old),
    "ATOMUMAX": lambda f, old, e: f.select(e.ugt(old), e, old),
    "ATOMIMIN": lambda f, old, e: f.select(e < old, e, old),
    "ATOMIMAX": lambda f, old, e: f.select(e > old, e, old),
    "ATOMFADD": lambda f, old, e: canonical(f, old.bits_as(F32) + e.bits_as(F32)),
    "ATOMINC_WRAP": lambda f, old, e: f.select(old.uge(e), 0, old + 1),
    "ATOMDEC_WRAP": lambda f, old, e: f.select(old.eq(0) | old.ugt(e), e, old - 1),
}
"""Functions from the old word and the operand to the new word."""


@emits(*_UPDATES, "ATOMCAS")
def emit_atomic(c: Context, resource: None, address: Vector, operand: Vector, replacement: Vector | None = None) -> list[Val]:
    """Old word; the new one goes to memory. ATOMCAS stores its last source if the old word equals its third."""
    f, register = c.f, c.instruction.src[0].register
    update = _UPDATES.get(c.instruction.opcode.name)
    if images.names_image(register):
        return images.emit_atomic(c, address, operand, replacement, update)
    memory, how = find_resource(c, register), merge_of(c)
    if how is not None and memory.words is not None:
        place = memory.places(address[0])
        inside = c.execution_mask() & changing(c) & place.ult(memory.words.count)
        merge(f, how, memory.words.base, place << 2, inside, f.splat(operand[0].as_int(), c.lane_map.lanes))
        return [_zeros(c)] * 4
    places, operands = Column(c, memory.places(address[0])), Column(c, operand[0])
    replacements = Column(c, replacement[0]) if replacement is not None else None
    seen, active = Column(c), Column(c, c.execution_mask().zext(I32))
    lasting = Column(c, (c.execution_mask() & changing(c)).zext(I32))
    # If the order of the lanes can be observed, a single thread runs all of them, so a load and a store suffice.
    with f.range(0, 4 * c.lane_map.lanes, 4) as lane, f.if_(active.at(lane).ne(0)):
        base, count = memory.of_lane(lane)
        place = places.at(lane)
        with f.if_(place.ult(count)):
            old, operand_word = f.load(I32, base, place << 2), operands.at(lane)
            seen.put(lane, old)
            with f.if_(lasting.at(lane).ne(0)):
                if how is not None:
                    how.into(f, f.at(base, place << 2), operand_word)
                elif replacements is not None:
                    f.store(f.select(old.eq(operand_word), replacements.at(lane), old), base, place << 2)
                else:
                    assert update is not None
                    f.store(update(f, old, operand_word).as_int(), base, place << 2)
    return [seen.get()] * 4


@emits("RESQ")
def emit_resq(c: Context, resource: None) -> list[Val]:
    """Size in bytes in x; y, z and w are 0."""
    f = c.f
    if images.names_image(c.instruction.src[0].register):
        return images.emit_resq(c)
    memory = find_resource(c, c.instruction.src[0].register)
    if memory.words is not None:
        return [f.splat(memory.words.count << 2, c.lane_map.lanes), _zeros(c), _zeros(c), _zeros(c)]
    sizes = Column(c)
    with f.range(0, 4 * c.lane_map.lanes, 4) as lane:
        _, count = memory.of_lane(lane)
        sizes.put(lane, count << 2)
    return [sizes.get(), _zeros(c), _zeros(c), _zeros(c)]
