"""Image access in generated code: load, store and update texels at integer coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from backends.abi.keys import ImageKey
from backends.abi.records import TextureRecord
from backends.formats import ChannelType, Format
from backends.llvm.builder.function import I16, I32, I64, Function, Type, Val
from backends.llvm.builder.merge import merge_bits
from backends.llvm.builder.record import Record
from backends.llvm.library.packing import pack, unpack
from backends.llvm.library.pixels import load_row, load_texels, store_row
from backends.llvm.sampling.query import sizes_of
from backends.llvm.sampling.rows import SHORTEST
from tgsi.language.facts.enums import TargetInfo
from tgsi.language.record import record

XYZW = 15

Update = Callable[[Function, Val, Val], Val]
"""Function from the old word of an atomic and its operand to the new word."""

Scattered = Callable[[Sequence[Val]], None]
"""Function that writes code for packed texels."""


@record
class Place:
    """Place of each lane's texel: `inside` (i1 lanes), true if the texel exists; `offset` in bytes from `base`, 0 if it does not.

    Offsets are i64 for images whose keys are wide, otherwise i32.
    """

    base: Val
    offset: Val
    inside: Val


class Image:
    """An image, described by a TextureRecord of one level at `pointer`, which `lanes` lanes access as `target`.

    row: number of lanes in a row that are likely to access neighbors along x.
    """

    def __init__(self, f: Function, key: ImageKey, pointer: Val, lanes: int, target: TargetInfo, row: int = 1) -> None:
        self.f, self.format, self.lanes, self.target = f, key.format, lanes, target
        self._row = row
        self._offset = I64 if key.is_wide else I32
        self.record = Record(f, pointer, TextureRecord)

    def _field(self, name: str) -> Val:
        return self.f.splat(self.record.fixed(name), self.lanes)

    def _stride(self, name: str) -> Val:
        """A stride of the record, a scalar in the type of offsets."""
        stride = self.record.fixed(name)
        if stride.type.bits < self._offset.bits:
            return stride.zext(self._offset)
        return stride if stride.type.bits == self._offset.bits else stride.trunc(self._offset)

    def _wide(self, offset: Val) -> Val:
        return offset if offset.type.bits == I64.bits else offset.zext(I64)

    def _axes(self, coords: Sequence[Val]) -> list[tuple[Val, str, Val]]:
        """Each coordinate that places a texel, x first, with the field of its size and the bytes from one to the next (scalar).

        coords: x, y, z, w (i32) in the order of the target: the layer last, the sample in w.
        """
        target = self.target
        spatial = 2 if "CUBE" in target.name else target.dimensions
        steps = [self.f.const(self._offset, self.format.block_bytes), self._stride("row_stride"), self._stride("layer_stride")]
        axes = list(zip(coords, ("width", "height", "depth")[:spatial], steps))
        if target.layered or spatial != target.dimensions:
            axes.append((coords[spatial], "depth", steps[2]))
        if "MSAA" in target.name:
            axes.append((coords[3], "samples", self._stride("sample_stride")))
        return axes

    def place(self, coords: Sequence[Val]) -> Place:
        """Places of the texels at the coordinates from `_axes`."""
        f, axes = self.f, self._axes(coords)
        inside: Val | None = None
        for index, size, _ in axes:
            there = index.ult(self._field(size))
            inside = there if inside is None else inside & there
        assert inside is not None
        offset = f.splat(self._stride("level_offset"), self.lanes)
        for index, _, step in axes:
            bounded = f.select(inside, index, 0)
            offset = offset + (bounded if self._offset is I32 else bounded.zext(I64)) * f.splat(step, self.lanes)
        return Place(self.record.fixed("base"), f.select(inside, offset, 0), inside)

    def _rows(self, coords: Sequence[Val], among: Val | None = None) -> tuple[Val, list[Val]]:
        """Truth (i1) that each row of lanes accesses texels that exist and are neighbors along x, and each row's address.

        All other coordinates are the same in a row. All lanes of `among` must be set, too. Most images are accessed like this, and then
        one row's address is a few scalar instructions.
        """
        f, row = self.f, self._row
        begins = [lane // row * row for lane in range(self.lanes)]
        steps, follow = f.lanes_const(I32.wide(self.lanes), [lane % row for lane in range(self.lanes)]), among
        axes = self._axes(coords)
        for number, (index, _, _) in enumerate(axes):
            first = f.shuffle(index, index, begins)
            in_step = index.eq(first if number else first + steps)
            follow = in_step if follow is None else follow & in_step
        assert follow is not None
        together, starts = f.all(follow), []
        sizes = [self.record.fixed(size) for _, size, _ in axes]
        sizes[0] = f.max(sizes[0] - (row - 1), 0)
        for lane in range(0, self.lanes, row):
            offset = self._stride("level_offset")
            for (index, _, step), size in zip(axes, sizes):
                first = index[lane]
                together = together & first.ult(size)
                offset = offset + (first if self._offset is I32 else first.zext(I64)) * step
            starts.append(f.at(self.record.fixed("base"), offset))
        return together, starts

    @property
    def has_rows(self) -> bool:
        """True if rows of lanes may access neighbors with one load or store."""
        return self._row >= SHORTEST and self.format.block_bytes in (1, 2, 4, 8, 16)

    def load_scattered(self, coords: Sequence[Val]) -> list[Val]:
        """Load the words of texels at any places; 0 outside of the image."""
        place = self.place(coords)
        return load_texels(self.f, self.format, place.base, self._wide(place.offset), place.inside)

    def load(self, coords: Sequence[Val], scattered: Callable[[], Sequence[Val]] | None = None) -> list[Val]:
        """Load four channels (f32, or bits of integers). Outside of the image all are 0, but 1 in an alpha that the format lacks.

        scattered: writes code with the result of `load_scattered`, for texels that are not in rows; None: that code itself.
        """
        f, scattered = self.f, scattered or (lambda: self.load_scattered(coords))
        if not self.has_rows:
            return unpack(f, self.format, scattered())
        words = [f.var(I32.wide(self.lanes)) for _ in range(self.format.block_words)]
        together, starts = self._rows(coords)
        with f.else_of(together) as otherwise:
            for word, parts in zip(words, zip(*(load_row(f, self.format, start, self._row) for start in starts))):
                word.set(f.concat(parts))
            otherwise()
            for word, value in zip(words, scattered()):
                word.set(value)
        return unpack(f, self.format, [word.get() for word in words])

    def store(self, coords: Sequence[Val], values: Sequence[Val], write_mask: int, active: Val, scattered: Scattered | None = None) -> None:
        """Write the channels of `write_mask` in the active lanes whose texel exists, in ascending order of lanes.

        Padding is written, as 0, only with all four channels. Channels that share an exponent are written together. Depth and stencil
        cannot be written. scattered: writes code like `store_scattered`, for texels that are not in rows; None: that code.
        """
        if self.format.is_depth_stencil or not write_mask:
            return
        f, scattered = self.f, scattered or (lambda words: self.store_scattered(coords, words, write_mask, active))
        words = pack(f, self.format, [value.as_float() for value in values])
        if any(_kept_bits(self.format, write_mask)) or not self.has_rows:
            scattered(words)
            return
        together, starts = self._rows(coords, active)
        with f.else_of(together) as otherwise:
            for lane, start in zip(range(0, self.lanes, self._row), starts):
                store_row(f, self.format, [f.shuffle(word, word, range(lane, lane + self._row)) for word in words], start)
            otherwise()
            scattered(words)

    def store_scattered(self, coords: Sequence[Val], words: Sequence[Val], write_mask: int, active: Val) -> None:
        """Store packed texels at any places."""
        f, place = self.f, self.place(coords)
        mask, protected = place.inside & active, _kept_bits(self.format, write_mask)
        size = self.format.block_bytes
        if size % 4:
            self._store_small(place, mask, words, protected)
            return
        for number, (word, keep) in enumerate(zip(words, protected)):
            if keep == 0xFFFFFFFF:
                continue
            pointer, where = f.at(place.base, 4 * number), self._wide(place.offset)
            if keep:
                word = merge_bits(f, keep, f.gather(I32, pointer, where, mask), word)
            f.scatter(word, pointer, where, mask)  # lanes of one texel have the same kept bits; the other bits are the highest lane's

    def _store_small(self, place: Place, mask: Val, words: Sequence[Val], protected: Sequence[int]) -> None:
        """Store texels that are not whole words lane by lane, so that adjacent texels keep their bits."""
        f, size = self.f, self.format.block_bytes
        parts = [(0, Type("i", 8 * size))] if size < 3 else [(0, I16), (2, Type("i", 8))] if size == 3 else [(0, I32), (4, I16)]
        offsets = _on_stack(f, place.offset)
        columns = [_on_stack(f, v) for v in (mask.zext(I32), *words)]
        with lanes_of(f, self.lanes) as lane, f.if_(f.load(I32, columns[0], lane).ne(0)):
            pointer = self._pointer(place, offsets, lane)
            for start, kind in parts:
                keep = protected[start // 4] >> 8 * (start % 4) & ((1 << kind.bits) - 1)
                new = f.load(I32, columns[1 + start // 4], lane)
                new = (new.lshr(8 * (start % 4)) if start % 4 else new).cast("trunc", kind)
                if keep:
                    new = merge_bits(f, keep, f.load(kind, pointer, start, align=1), new)
                f.store(new, pointer, start, align=1)

    def update(
        self, coords: Sequence[Val], active: Val, changing: Val, operands: Sequence[Val], new: Callable[[Val, Sequence[Val]], Val]
    ) -> Val:
        """Update the texels of the active lanes, the lowest lane first. Returns each lane's old word, 0 outside of the image.

        `new` computes the next word from the old one and the lane's operands (i32). Lanes outside of `changing` only read.
        """
        f, place = self.f, self.place(coords)
        saved = [_on_stack(f, operand) for operand in operands]
        offsets, inside = _on_stack(f, place.offset), _on_stack(f, (place.inside & active).zext(I32))
        writes, seen = _on_stack(f, changing.zext(I32)), _on_stack(f, f.const(I32.wide(self.lanes), 0))
        with lanes_of(f, self.lanes) as lane, f.if_(f.load(I32, inside, lane).ne(0)):
            pointer = self._pointer(place, offsets, lane)
            old = f.load(I32, pointer)
            f.store(old, seen, lane)
            with f.if_(f.load(I32, writes, lane).ne(0)):
                f.store(new(old, [f.load(I32, operand, lane) for operand in saved]).as_int(), pointer)
        return f.load(I32.wide(self.lanes), seen)

    def _pointer(self, place: Place, offsets: Val, lane: Val) -> Val:
        """Address of one lane's texel. offsets: on the stack; lane: byte of the lane's word in a column of i32."""
        return self.f.at(place.base, self.f.load(self._offset, offsets, lane if self._offset is I32 else lane * 2))

    def sizes(self) -> list[Val]:
        """Width, height, depth or layers, samples (i32), as the target orders them."""
        sizes = sizes_of(self.f, self.target, *(self._field(name) for name in ("width", "height", "depth")))
        return [*sizes, self.f.max(self._field("samples"), 1)]


@contextmanager
def lanes_of(f: Function, lanes: int) -> Iterator[Val]:
    """Write a loop over the lanes, the lowest first. The body gets the byte offset of the lane's word in a column."""
    with f.range(0, 4 * lanes, 4) as lane:
        yield lane


def _on_stack(f: Function, value: Val) -> Val:
    place = f.alloca(f"[{value.lanes} x i{value.type.bits}]")
    f.store(value, place)
    return place


def _kept_bits(format: Format, write_mask: int) -> list[int]:
    """Bits of each word that a store leaves unchanged."""
    if write_mask == XYZW or format.is_shared_exponent:
        return [0] * format.block_words
    protected = [0xFFFFFFFF] * format.block_words
    for channel in format.channels:
        place = "RGBA".index(channel.letter) if channel.letter in "RGBA" else 0
        if channel.type is not ChannelType.VOID and write_mask >> place & 1:
            protected[channel.shift // 32] &= ~(((1 << channel.size) - 1) << channel.shift % 32)
    return protected
