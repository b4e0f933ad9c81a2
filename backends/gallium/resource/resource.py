"""Resources: textures and buffers as memory with a template. Numpy views show their texels without padding."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from backends.formats import CompressedFormat, Format
from backends.formats.arrays import texel_type
from backends.gallium.resource.layout import (
    LAYERED,
    ONE_DIMENSIONAL,
    Accounting,
    Level,
    Template,
    address_of,
    caller_bytes,
    levels_of,
)
from backends.gallium.resource.pictured import PicturedResource
from backends.pipe.checks import integer, sequence
from backends.pipe.enums import Bind, TextureTarget
from tgsi.language._forks import freed_after_fork
from tgsi.language.record import record


@record
class Box:
    """A region of texels (of bytes, for buffers). z counts layers, cube faces or slices. Blit sources may be negative in size."""

    x: int = 0
    y: int = 0
    z: int = 0
    width: int = 1
    height: int = 1
    depth: int = 1


_REFERENCES = freed_after_fork(threading.RLock())
"""Held while references are counted. The garbage collector may drop one at any time, even within such a count."""
NOTHING = np.zeros(0, np.uint8)
_DECODING = freed_after_fork(threading.Lock())
"""Held while a decoded texture is made, because contexts on several threads may need it at once."""


class Rendered(Protocol):
    """Samples of a surface, if it has more than its texture (`render_samples`)."""

    @property
    def target(self) -> Resource:
        """The samples, as a texture."""
        ...

    def load(self, level: int, box: Box) -> None:
        """Copy the texels of a box of the texture, clipped to the surface."""
        ...


class ResourceOwner(Protocol):
    """The screen of a resource. `memory`: the account that the resource's bytes are counted in. `validates`: pictures are checked."""

    memory: Accounting
    validates: bool

    def finish_writes(self, resource: Resource) -> None:
        """Carry out pending work that writes the resource."""
        ...


class Resource(PicturedResource):
    """A texture or a buffer, made by `Screen.resource_create`. The template's fields are attributes.

    Storage: aligned to 64 bytes, with 64 bytes of slack; rendered levels in whole 64 x 64 tiles, an odd number of cache lines a row.
    `blocks` shows a level as an array without padding. `samples` is at least 1; the planes of samples are `sample_stride` bytes apart, and
    arrays show the first sample unless one is named. `decoded`, of a compressed texture: plain textures of its texels, by coding, as
    samplers read them. `rendered`: samples of surfaces that have more than the texture.
    """

    _is_owned = False  # the default for unfinished objects, whose end must not change the count

    def __init__(self, screen: ResourceOwner, template: Template, memory: Any = None) -> None:
        self.screen, self.template = screen, template
        self.target = template.target
        self.format = template.format
        self.width0 = template.width0
        self.height0 = template.height0
        self.depth0 = template.depth0
        self.array_size = template.array_size
        self.last_level = template.last_level
        self.nr_samples, self.nr_storage_samples = template.nr_samples, template.nr_storage_samples
        self.bind = template.bind
        self.usage = template.usage
        self.flags = template.flags
        self.levels, self.size = levels_of(template)
        self.samples = max(1, template.nr_samples)
        self.sample_stride = self.size // self.samples if self.samples > 1 else 0
        self.storage = screen.memory.allocate(self.size)
        self._is_owned = True
        self.address = address_of(self.storage)
        self.user: NDArray[np.uint8] | None = None
        self.decoded: dict[str, tuple[CompressedFormat, Resource]] = {}
        self.rendered: Collection[Rendered] = ()
        self.ended = ctypes.c_int32(0)  # 1 without references, for generated code
        self.was_read = False  # by `texture_read`, all of it
        self.was_bound = False  # as vertices or indices
        self._whole: dict[int, NDArray[Any]] = {}
        self._references, self._is_given_up = 1, False
        if memory is not None:
            self._adopt(memory)

    def __del__(self) -> None:
        self._disown()

    def _disown(self) -> None:
        if self._is_owned:
            self._is_owned = False
            self.screen.memory.disown(self.size)

    def __repr__(self) -> str:
        size = f"{self.width0} bytes" if self.is_buffer else f"{self.width0}x{self.height0}x{max(self.depth0, self.array_size)}"
        return f"<Resource {self.target.name} {self.format} {size}, {len(self.levels)} level{'s' * (len(self.levels) > 1)}>"

    @property
    def is_buffer(self) -> bool:
        """True if the resource is a range of bytes, not a texture."""
        return self.target is TextureTarget.BUFFER

    @property
    def plain_format(self) -> Format:
        """The format of single texels: the resource's own, or, of a compressed texture, that of decoded texels."""
        return self.format if isinstance(self.format, Format) else self.format.plain

    @property
    def is_destroyed(self) -> bool:
        """True without references: after resource_destroy, and the end of all views, surfaces, targets and mappings."""
        return not self._references

    def destroy(self) -> None:
        """Release the creator's reference. A second call does nothing."""
        if not self._is_given_up:
            self._is_given_up = True
            self.drop()

    def take(self) -> None:
        """Take a reference."""
        with _REFERENCES:
            self._references += 1

    def drop(self) -> None:
        """Drop a reference. After the last one the memory is freed, as soon as bindings and pending draws have released it."""
        with _REFERENCES:
            self._references -= 1
            if self._references:
                return
        self.ended.value = 1
        for _, shadow in self.decoded.values():
            shadow.destroy()
        self.decoded = {}
        self._whole = {}
        if self.user is None:  # bindings of memory of the caller copy it through the resource
            self._disown()
            self.storage = NOTHING

    def level(self, index: int, argument: str) -> Level:
        """A level of the resource. ValueError, naming the argument, if it does not exist."""
        return self.levels[integer(index, argument, 0, self.last_level)]

    def box(self, level: int, box: Box | Sequence[int] | None, argument: str, of: str = "") -> Box:
        """A box inside a level; None is the whole level, a sequence is x, y, z, width, height, depth.

        argument: name of the method. of: prefix of `level` and `box` in the names of its arguments.

        Raises:
            ValueError: the box is empty or reaches outside; the message names the argument.
        """
        info = self.level(level, f"{argument}: {of}level")
        if box is None:
            return Box(0, 0, 0, info.width, info.height, info.layers)
        if not isinstance(box, Box):
            if isinstance(box, (str, bytes)) or not isinstance(box, Sequence):
                raise TypeError(f"{argument}: {of}box: expected a Box or a sequence, not {type(box).__name__}")
            values = [integer(v, f"{argument}: {of}box", -(1 << 31)) for v in sequence(box, f"{argument}: {of}box")]
            if len(values) == 2:
                values = [values[0], 0, 0, values[1], 1, 1]
            elif len(values) == 4:
                values = [values[0], values[1], 0, values[2], values[3], 1]
            if len(values) != 6:
                raise ValueError(f"{argument}: {of}box: expected 2 (x, width), 4 (x, y, width, height) or 6 numbers, not {len(values)}")
            box = Box(*values)
        starts, sizes = (box.x, box.y, box.z), (box.width, box.height, box.depth)
        for axis, start, size, limit in zip("xyz", starts, sizes, (info.width, info.height, info.layers)):
            if start < 0 or size < 1 or start + size > limit:
                raise ValueError(f"{argument}: {of}box: {start} + {size} in {axis} is outside of level {level} ({limit})")
        if isinstance(self.format, CompressedFormat):
            for axis, start, size, limit, edge in (
                ("x", box.x, box.width, info.width, self.format.block_width),
                ("y", box.y, box.height, info.height, self.format.block_height),
            ):
                if start % edge or ((start + size) % edge and start + size != limit):
                    raise ValueError(f"{argument}: {of}box: {start} + {size} in {axis} cuts a block of {self.format}, {edge} texels")
        return box

    def in_blocks(self, box: Box) -> Box:
        """A checked box of texels, counted in blocks. They are the same unless the format is compressed."""
        if isinstance(self.format, Format):
            return box
        columns, rows = self.format.block_width, self.format.block_height
        return Box(box.x // columns, box.y // rows, box.z, -(-box.width // columns), -(-box.height // rows), box.depth)

    # -- views -----------------------------------------------------------------------------------------------------------
    def blocks(self, level: int = 0, sample: int = 0) -> NDArray[np.uint8]:
        """Raw bytes of a level: uint8 of shape (layers, height, width, bytes of a pixel); writing it writes the resource.

        Of a compressed format: (layers, rows of blocks, blocks of a row, bytes of a block). `changed` follows the writing.
        """
        info, format = self.levels[level], self.format
        size = format.block_bytes if not self.is_buffer else 1
        shape = (info.layers, -(-info.height // format.block_height), -(-info.width // format.block_width), size)
        start = info.offset + sample * self.sample_stride
        return np.ndarray(shape, np.uint8, self.storage.data, start, (info.layer_stride, info.row_stride, size, 1))

    def texels(self, level: int = 0) -> NDArray[Any]:
        """A level as numbers: (layers, height, width, channels), or without the last axis for packed formats and buffers.

        Of a compressed format: the bytes of its blocks, as `blocks` shows them. Of memory of the caller: that memory.
        """
        known = self._whole.get(level)
        if known is None:
            known = self._whole[level] = self._texels(level)
        return known

    def _texels(self, level: int) -> NDArray[Any]:
        if isinstance(self.format, CompressedFormat):
            return self.blocks(level) if self.user is None else self.user.reshape(self.blocks(level).shape)
        info = self.levels[level]
        dtype, channels = (np.dtype(np.uint8), 0) if self.is_buffer else texel_type(self.format)
        shape = (info.layers, info.height, info.width) + ((channels,) if channels else ())
        strides = (info.layer_stride, info.row_stride, dtype.itemsize * max(1, channels)) + ((dtype.itemsize,) if channels else ())
        if self.user is not None:
            return self.user.view(dtype).reshape(shape)
        return np.ndarray(shape, dtype, self.storage.data, info.offset, strides)

    def region(self, level: int, box: Box) -> NDArray[Any]:
        """The texels of a checked box. Axes that the target does not have are omitted: a 2D texture gives (height, width, ...)."""
        box = self.in_blocks(box)
        array = self.texels(level)[box.z : box.z + box.depth, box.y : box.y + box.height, box.x : box.x + box.width]
        if self.is_buffer or self.target in ONE_DIMENSIONAL:
            array = array[:, 0]
        if self.target not in LAYERED and self.target is not TextureTarget.TEXTURE_3D:
            array = array[0]
        return array

    # -- arrays and pictures ---------------------------------------------------------------------------------------------
    def pixels(self, level: int = 0, *, sample: int | None = None) -> NDArray[Any]:
        """A copy of a level as a new array; pending draws are finished first. ``numpy.asarray(resource)`` is this array of level 0.

        A 2D texture gives (height, width, channels), in the order of the channels in memory. Layers, cube faces and slices are a first
        axis. Packed formats (B5G6R5, Z24_UNORM_S8_UINT, ...) give one number a pixel, depth and stencil formats have no axis of
        channels, buffers give their bytes as uint8. Compressed textures give the texels to which they decode. Several samples a pixel are
        resolved to one, as a mapping resolves them, unless `sample` names one of them.

        ValueError: the resource was destroyed, or there is no such level or sample.
        """
        from backends.gallium.resource.pixels import pixels_of

        return pixels_of(self, level, sample)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("Resource: pixels are copied; a mapping (transfer_map) shows them in place")
        pixels = self.pixels()
        return pixels if dtype is None else pixels.astype(dtype, copy=False)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        pixels = self.pixels()
        return pixels.__array_interface__ | {"data": pixels, "strides": pixels.strides}

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: tuple[int, int] | None = None, copy: bool | None = None
    ) -> Any:
        if stream is not None or dl_device not in (None, self.__dlpack_device__()) or copy is False:
            raise BufferError("Resource: pixels are copied within the memory of the CPU: no stream, no other device, no view")
        return self.pixels().__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def tobytes(self) -> bytes:
        """The bytes of `pixels`, rows and layers without gaps."""
        return self.pixels().tobytes()

    # -- compressed textures ---------------------------------------------------------------------------------------------
    def as_decoded(self, format: CompressedFormat) -> Resource:
        """The plain texture of the texels to which the blocks decode as `format`, kept up to date from now on."""
        with _DECODING:
            if format.coding not in self.decoded:
                new = Resource(self.screen, replace(self.template, format=format.plain, bind=Bind.SAMPLER_VIEW))
                for level in range(len(self.levels)):
                    self._decode(new, format, level, self.box(level, None, "box"))
                self.decoded[format.coding] = format, new
        return self.decoded[format.coding][1]

    def _decode(self, into: Resource, format: CompressedFormat, level: int, box: Box) -> None:
        """Decode the blocks of a box of a level, layer by layer."""
        from backends.formats.blocks.decode import decode  # most programs draw without compressed textures

        part, columns, rows = self.in_blocks(box), format.block_width, format.block_height
        blocks, texels = self.blocks(level), into.blocks(level)
        for z in range(part.z, part.z + part.depth):
            image = decode(format, blocks[z, part.y : part.y + part.height, part.x : part.x + part.width])
            target = texels[z, part.y * rows : (part.y + part.height) * rows, part.x * columns : (part.x + part.width) * columns]
            target[...] = image[: target.shape[0], : target.shape[1]]

    def note_rendered(self, samples: Rendered) -> None:
        """Note samples that a surface has from now on, as long as it lives."""
        if not isinstance(self.rendered, weakref.WeakSet):
            self.rendered = weakref.WeakSet()
        self.rendered.add(samples)

    def changed(self, level: int = 0, box: Box | None = None) -> None:
        """Update decoded textures, samples, and memory of the caller after a write to a box of a level (by default, all of it)."""
        for format, shadow in self.decoded.values():
            self._decode(shadow, format, level, self.box(level, box, "box"))
        for samples in self.rendered:
            samples.load(level, self.box(level, box, "box"))
        self.push()

    # -- user memory -----------------------------------------------------------------------------------------------------
    def _adopt(self, memory: Any) -> None:
        """Tie the resource to memory of the caller, with rows and layers without padding; `pull` and `push` copy the bytes."""
        user = caller_bytes(memory, "resource_from_user_memory: memory")
        needed = self.blocks(0).size
        if self.samples > 1:
            raise ValueError("resource_from_user_memory: nr_samples: user memory holds one sample a pixel")
        if self.last_level:
            raise ValueError("resource_from_user_memory: last_level: user memory holds one level")
        if user.size < needed:
            raise ValueError(f"resource_from_user_memory: memory: {needed} bytes are needed, {user.size} are there")
        self.user = user[:needed]
        self.pull()

    def pull(self) -> None:
        """Copy user memory into the resource."""
        if self.user is not None:
            blocks = self.blocks(0)
            blocks[...] = self.user.reshape(blocks.shape)
            for format, shadow in self.decoded.values():
                self._decode(shadow, format, 0, self.box(0, None, "box"))

    def push(self) -> None:
        """Copy the resource into user memory, unless that is read-only."""
        if self.user is not None and self.user.flags.writeable:
            blocks = self.blocks(0)
            self.user.reshape(blocks.shape)[...] = blocks
