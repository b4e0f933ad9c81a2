"""The memory of resources: offsets and strides of levels and layers, the limits of templates, allocations and their account."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.abi.limits import TILE
from backends.formats import AnyFormat, CompressedFormat, Format
from backends.pipe.checks import refuse
from backends.pipe.enums import Bind, ResourceFlags, TextureTarget, Usage
from backends.pipe.limits import MAX_BUFFER_BYTES, MAX_CUBE_SIZE, MAX_LAYERS, MAX_TEXTURE_BYTES, MAX_TEXTURE_DEPTH, MAX_TEXTURE_SIZE
from tgsi.language._forks import freed_after_fork
from tgsi.language.record import record

LINE = 64
"""Bytes of a cache line: alignment of storage, unit of row strides, and slack after every resource."""


LAYERED = frozenset(
    {
        TextureTarget.TEXTURE_1D_ARRAY,
        TextureTarget.TEXTURE_2D_ARRAY,
        TextureTarget.TEXTURE_CUBE,
        TextureTarget.TEXTURE_CUBE_ARRAY,
    }
)
MULTISAMPLED = frozenset({TextureTarget.TEXTURE_2D, TextureTarget.TEXTURE_2D_ARRAY})
SAMPLE_COUNTS = (0, 1, 2, 4, 8, 16)
"""Values of nr_samples; 0 and 1 mean the same."""

ONE_DIMENSIONAL = frozenset({TextureTarget.TEXTURE_1D, TextureTarget.TEXTURE_1D_ARRAY})
CUBES = frozenset({TextureTarget.TEXTURE_CUBE, TextureTarget.TEXTURE_CUBE_ARRAY})
RENDERED = Bind.RENDER_TARGET | Bind.DEPTH_STENCIL | Bind.DISPLAY_TARGET | Bind.SCANOUT


@record(kw_only=True)
class Template:
    """The fields of a resource. Buffers count bytes in width0; cubes have six layers a cube.

    nr_samples is one of SAMPLE_COUNTS. nr_storage_samples: samples that memory is for, 0 for all of them; there cannot be fewer."""

    width0: int
    height0: int = 1
    depth0: int = 1
    array_size: int = 1
    target: TextureTarget = TextureTarget.TEXTURE_2D
    format: AnyFormat = Format.R8G8B8A8_UNORM
    last_level: int = 0
    nr_samples: int = 0
    nr_storage_samples: int = 0
    bind: Bind = Bind.NONE
    usage: Usage = Usage.DEFAULT
    flags: ResourceFlags = ResourceFlags.NONE

    @property
    def is_buffer(self) -> bool:
        """True if the template describes a range of bytes, not a texture."""
        return self.target is TextureTarget.BUFFER


@record
class Level:
    """One mip level: size in texels, layers (or slices of a 3D texture), and byte strides; rows are rows of blocks if compressed."""

    offset: int
    width: int
    height: int
    layers: int
    row_stride: int
    layer_stride: int


def align(value: int, unit: int) -> int:
    """Round up to a multiple of `unit`."""
    return -(-value // unit) * unit


def minify(size: int, level: int) -> int:
    """Size of a mip level."""
    return max(1, size >> level)


def levels_of(template: Template) -> tuple[tuple[Level, ...], int]:
    """The levels of a resource and its size in bytes, slack not counted.

    Levels that are rendered to are padded to whole tiles and have an odd number of cache lines a row, so that the rows of a tile fall into
    different cache sets. Other textures have rows of whole lines, odd from eight lines up. Where only these lines would make a texture too
    large for 32-bit offsets, as the largest ones of four bytes a texel, it has even numbers, too. The levels describe one sample; the
    planes of other samples follow, `sample_stride` bytes apart.
    """
    if template.is_buffer:
        return (Level(0, template.width0, 1, 1, template.width0, template.width0),), template.width0
    levels = _levels_of(template, has_odd_rows=True)
    if levels[1] > MAX_BUFFER_BYTES:
        tight = _levels_of(template, has_odd_rows=False)
        levels = tight if tight[1] <= MAX_BUFFER_BYTES else levels
    return levels


def _levels_of(template: Template, *, has_odd_rows: bool) -> tuple[tuple[Level, ...], int]:
    rendered = bool(template.bind & RENDERED)
    levels = []
    offset = 0
    for index in range(template.last_level + 1):
        width, height = minify(template.width0, index), minify(template.height0, index)
        layers = minify(template.depth0, index) if template.target is TextureTarget.TEXTURE_3D else template.array_size
        columns, rows = -(-width // template.format.block_width), -(-height // template.format.block_height)
        if rendered:
            columns, rows = align(columns, TILE), align(rows, TILE)
        lines = -(-columns * template.format.block_bytes // LINE)
        if has_odd_rows and (rendered or lines >= 8):
            lines |= 1
        stride = lines * LINE
        levels.append(Level(offset, width, height, layers, stride, stride * rows))
        offset += stride * rows * layers
    if template.nr_samples > 1:
        offset = sample_stride(offset) * template.nr_samples
    return tuple(levels), offset


def sample_stride(size: int) -> int:
    """Bytes from a sample's plane of `size` bytes to the next: equal texels fall neither into one cache set nor at one page offset."""
    return align(size, 4096) + 17 * LINE


def check(template: Template, argument: str = "resource_create") -> None:
    """Raise ValueError, naming the field, for a template that no resource can have."""
    target, name = template.target, template.target.name
    if template.is_buffer:
        limits = (MAX_BUFFER_BYTES, 1, 1, 1)
    elif target in ONE_DIMENSIONAL:
        limits = (MAX_TEXTURE_SIZE, 1, 1, MAX_LAYERS)
    elif target is TextureTarget.TEXTURE_3D:
        limits = (MAX_TEXTURE_DEPTH, MAX_TEXTURE_DEPTH, MAX_TEXTURE_DEPTH, 1)
    else:
        edge = MAX_CUBE_SIZE if target in CUBES else MAX_TEXTURE_SIZE
        limits = (edge, edge, 1, MAX_LAYERS)
    if target not in LAYERED:
        limits = (*limits[:3], 1)
    sizes = (template.width0, template.height0, template.depth0, template.array_size)
    for field, size, limit in zip(("width0", "height0", "depth0", "array_size"), sizes, limits):
        if not 1 <= size <= limit:
            raise ValueError(f"{argument}: {field}: {size} is not in 1 .. {limit} for {name}")
    if target in CUBES:
        if template.width0 != template.height0:
            raise ValueError(f"{argument}: height0: the faces of a cube are square, not {template.width0} x {template.height0}")
        if template.array_size % 6 or (target is TextureTarget.TEXTURE_CUBE and template.array_size != 6):
            raise ValueError(f"{argument}: array_size: {template.array_size} is not {'6' if limits[3] == 1 else 'a multiple of 6'}")
    largest = max(sizes[:3]).bit_length() - 1
    top = 0 if template.is_buffer or target is TextureTarget.TEXTURE_RECT else largest
    if not 0 <= template.last_level <= top:
        raise ValueError(f"{argument}: last_level: {template.last_level} is not in 0 .. {top}")
    if template.nr_samples not in SAMPLE_COUNTS:
        counts = ", ".join(map(str, SAMPLE_COUNTS))
        raise ValueError(f"{argument}: nr_samples: {template.nr_samples} is not supported; {counts} are")
    samples, stored = max(1, template.nr_samples), template.nr_storage_samples
    if stored not in (0, samples):
        relation = "fewer" if stored < samples else "more"
        raise ValueError(f"{argument}: nr_storage_samples: {stored} are {relation} than the {samples} samples, which all have memory here")
    if isinstance(template.format, CompressedFormat) and template.flags & (ResourceFlags.MAP_PERSISTENT | ResourceFlags.MAP_COHERENT):
        raise ValueError(f"{argument}: flags: {template.format} is decoded when a mapping ends, so no mapping of it can be persistent")
    if template.nr_samples > 1 and (target not in MULTISAMPLED or template.last_level):
        raise ValueError(f"{argument}: nr_samples: only a 2D texture or array of one level can have {template.nr_samples} samples")
    if template.flags & ResourceFlags.SPARSE:
        refuse(f"{argument}: flags SPARSE")
    size = levels_of(template)[1]
    if size > MAX_TEXTURE_BYTES:
        raise ValueError(f"{argument}: the resource needs {size} bytes; at most {MAX_TEXTURE_BYTES} are possible")


def allocate(size: int) -> NDArray[np.uint8]:
    """`size` zero bytes, aligned to a cache line and followed by a line of slack, which kernels may read. The array is `size` long."""
    block = np.zeros(size + 2 * LINE, np.uint8)
    start = -block.__array_interface__["data"][0] % LINE
    return block[start : start + size]


def caller_bytes(memory: Any, argument: str) -> NDArray[np.uint8]:
    """Memory of the caller as an array of bytes, in place. TypeError, naming the argument, for anything else."""
    try:
        return np.frombuffer(memory, np.uint8)
    except (TypeError, ValueError, BufferError):
        raise TypeError(f"{argument}: expected a contiguous buffer, not {type(memory).__name__}") from None


def address_of(array: NDArray[Any]) -> int:
    """Address of an array's first element."""
    return int(array.__array_interface__["data"][0])


MOST_PINNED = 1 << 28
"""Bytes of resources, kept only by bindings and pending work, above which contexts release what they can."""


GC_SHARE = 16
"""Part of the limit that is taken between two collections of Python's garbage: requests in vain do not collect again and again."""


class Accounting:
    """Counters of the bytes that the resources of a screen hold in memory, now and at most. limit: the most that they may hold.

    Attributes:
        owned: bytes of resources that are still referenced. The rest of `used` is pinned by bindings, pending work, and caches of
            contexts.
        wanted: returns the function that makes contexts carry out pending work and release cached memory. It is called where memory is
            missing, and where much is pinned.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._lock = freed_after_fork(threading.RLock())  # the garbage collector may call `give` while it is held
        self._collecting, self._is_collecting = freed_after_fork(threading.RLock()), False
        self.limit = limit
        self.used = self.owned = 0
        self.peak = 0
        self.wanted: Callable[[], Callable[[], None] | None] = _nobody
        self._most_pinned = MOST_PINNED
        self._taken, self._searched = 0, -(1 << 62)  # bytes that were ever taken, now and when circles of objects were looked for

    def allocate(self, size: int) -> NDArray[np.uint8]:
        """`allocate` of this module, counted until nothing refers to the memory: no resource, view, mapping, binding or pending draw.

        It is owned until `disown`. MemoryError, and nothing is counted, if it exceeds the limit.
        """
        if self.used - self.owned > self._most_pinned:
            self._collect()
            self._most_pinned = max(MOST_PINNED, 2 * (self.used - self.owned))
        self.take(size)
        try:
            try:
                memory = allocate(size)
            except MemoryError:
                self._collect()
                memory = allocate(size)
        except BaseException:
            self.give(size)
            raise
        weakref.finalize(memory if memory.base is None else memory.base, self._end, size)
        return memory

    def take(self, size: int) -> None:
        """Count bytes, of an allocation or of the caller's, until `give`. MemoryError, and nothing is counted, if they exceed the limit."""
        if self._has_taken(size):
            return
        if self.limit is not None and size <= self.limit:
            self._collect()
            if self._has_taken(size):
                return
            if self._taken - self._searched >= self.limit // GC_SHARE:
                self._searched = self._taken
                gc.collect()  # resources in circles of objects
                self._collect()
                if self._has_taken(size):
                    return
        raise MemoryError(f"{size} bytes are needed; of the screen's memory_limit of {self.limit} {self.used} are in use")

    def _has_taken(self, size: int) -> bool:
        with self._lock:
            if self.limit is not None and self.used + size > self.limit:
                return False
            self.used += size
            self.owned += size
            self._taken += size
            self.peak = max(self.peak, self.used)
        return True

    def give(self, size: int) -> None:
        """Reverse a `take`."""
        with self._lock:
            self.used -= size
            self.owned -= size

    def disown(self, size: int) -> None:
        """Count the end of a resource, whose memory may still be pinned."""
        with self._lock:
            self.owned -= size

    def _end(self, size: int) -> None:
        with self._lock:
            self.used -= size

    def _collect(self) -> None:
        """Make contexts release memory, one thread at a time. Releasing may itself allocate memory."""
        with self._collecting:
            if self._is_collecting:
                return
            self._is_collecting = True
            try:
                let_go = self.wanted()
                if let_go is not None:
                    let_go()
            finally:
                self._is_collecting = False


def _nobody() -> None:
    return None
