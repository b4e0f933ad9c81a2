"""Sampler views, surfaces and framebuffers: resources in the forms that shaders and the rasterizer use."""

from __future__ import annotations

import ctypes
import operator
from collections import deque
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from backends.abi.keys import texture_key
from backends.abi.records import TextureRecord
from backends.device.framebuffer import Framebuffer as DeviceFramebuffer
from backends.device.framebuffer import Surface as DeviceSurface
from backends.device.memory import BoundView
from backends.formats import AnyFormat, CompressedFormat, Format
from backends.gallium.resource.format_support import supported_binds
from backends.gallium.resource.layout import CUBES, LAYERED, SAMPLE_COUNTS
from backends.gallium.resource.reference import Reference
from backends.gallium.resource.render_samples import RenderSamples
from backends.gallium.resource.resource import Resource
from backends.pipe.checks import any_format, integer, pixel_format, sequence
from backends.pipe.enums import Bind, Swizzle, TextureTarget, lookup
from backends.pipe.limits import MAX_TARGET_SAMPLES
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.gallium.resource.buffer_range import BufferRange

Swizzles = tuple[Swizzle, Swizzle, Swizzle, Swizzle]
_LETTERS = {"x": Swizzle.X, "y": Swizzle.Y, "z": Swizzle.Z, "w": Swizzle.W, "0": Swizzle.ZERO, "1": Swizzle.ONE}
_LETTERS |= dict(zip("rgba", _LETTERS.values()))

COMPATIBLE: dict[TextureTarget, frozenset[TextureTarget]] = {
    target: frozenset(others)
    for others in (
        (TextureTarget.TEXTURE_1D, TextureTarget.TEXTURE_1D_ARRAY),
        (
            TextureTarget.TEXTURE_2D,
            TextureTarget.TEXTURE_RECT,
            TextureTarget.TEXTURE_2D_ARRAY,
            TextureTarget.TEXTURE_CUBE,
            TextureTarget.TEXTURE_CUBE_ARRAY,
        ),
        (TextureTarget.TEXTURE_3D,),
        (TextureTarget.BUFFER,),
    )
    for target in others
}
"""Targets that a resource of some target may be viewed as."""


class SamplerView:
    """A view of a texture for samplers: format, target, swizzle, and ranges of levels and layers."""

    def __init__(
        self,
        context: object,
        texture: Resource,
        format: AnyFormat,
        target: TextureTarget,
        swizzle: Swizzles,
        levels: tuple[int, int],
        layers: tuple[int, int],
        extent: tuple[int, int],
    ) -> None:
        self.context = context
        self._reference = Reference(texture)
        self.format = format
        self.target = target
        self.swizzle = swizzle
        self.first_level, self.last_level = levels
        self.first_layer, self.last_layer = layers
        self.buf_offset, self.buf_size = extent
        self.is_destroyed = False
        storage = texture.as_decoded(format) if isinstance(format, CompressedFormat) else texture
        record = self._record(storage)
        key = texture_key(
            format.plain if isinstance(format, CompressedFormat) else format,
            target,
            swizzle,
            width=record.width,
            height=record.height,
            depth=record.depth,
            last_level=record.last_level,
            size=record.size,
        )
        # `bound` refers to the memory, not to this view: a reference cycle would keep the view until the garbage collector runs.
        self._bound: BoundView | None = BoundView(key, record, storage.storage)

    @property
    def texture(self) -> Resource:
        """The texture. After `destroy` this is an empty resource, unless it has other references."""
        return self._reference.last

    @property
    def bound(self) -> BoundView:
        """The view in the form for devices. ValueError after `destroy`."""
        if self._bound is None:
            raise ValueError("bound: the view was destroyed")
        return self._bound

    def destroy(self) -> None:
        """Release the texture. Bindings keep its memory until they are replaced."""
        self.is_destroyed, self._bound = True, None
        self._reference.release()

    def __repr__(self) -> str:
        return f"<SamplerView {self.target.name} {self.format} of {_shown(self._reference)}>"

    def _record(self, texture: Resource) -> TextureRecord:
        record = TextureRecord()
        record.samples, record.sample_stride = texture.samples, texture.sample_stride
        record.base, record.size = texture.address, texture.size
        if self.target is TextureTarget.BUFFER:
            record.base += self.buf_offset
            record.size = self.buf_size
            record.width, record.height, record.depth = self.buf_size // self.format.block_bytes, 1, 1
            record.row_stride[0] = record.layer_stride[0] = self.buf_size
            return record
        first = texture.levels[self.first_level]
        record.width, record.height = first.width, first.height
        if isinstance(texture.format, CompressedFormat):  # seen as blocks: each of them is a texel
            record.width, record.height = -(-first.width // texture.format.block_width), -(-first.height // texture.format.block_height)
        is_volume = self.target is TextureTarget.TEXTURE_3D
        record.depth = first.layers if is_volume else self.last_layer - self.first_layer + 1
        record.first_level, record.last_level = self.first_level, self.last_level - self.first_level
        for index, level in enumerate(texture.levels[self.first_level : self.last_level + 1]):
            record.level_offset[index] = level.offset + (0 if is_volume else self.first_layer * level.layer_stride)
            record.row_stride[index] = level.row_stride
            record.layer_stride[index] = level.layer_stride
        return record


def sampler_view(
    context: object,
    texture: Resource,
    *,
    format: AnyFormat | str | None,
    target: TextureTarget | int | str | None,
    swizzle: str | Sequence[Swizzle | int | str],
    first_level: int,
    last_level: int | None,
    first_layer: int,
    last_layer: int | None,
    extent: BufferRange,
) -> SamplerView:
    """A checked sampler view; see `Context.create_sampler_view`."""
    name = "create_sampler_view"
    if not isinstance(texture, Resource):
        raise TypeError(f"{name}: texture: expected a Resource, not {type(texture).__name__}")
    seen = texture.format if format is None else any_format(format, f"{name}: format")
    if not texture.is_buffer and seen.block_bits != texture.format.block_bits:
        raise ValueError(f"{name}: format: {seen} has {seen.block_bits} bits a pixel, {texture.format} of the texture has another size")
    if isinstance(seen, CompressedFormat) and not _has_blocks_of(texture.format, seen):
        raise ValueError(f"{name}: format: {texture.format} does not have the blocks of {seen}")
    if not supported_binds(seen, texture.target) & Bind.SAMPLER_VIEW:
        raise ValueError(f"{name}: format: {seen} cannot be sampled")
    kind = texture.target if target is None else lookup(TextureTarget, target, f"{name}: target")
    if kind not in COMPATIBLE[texture.target]:
        raise ValueError(f"{name}: target: a {texture.target.name} resource cannot be viewed as {kind.name}")
    if texture.is_buffer:
        bounds = extent.of(texture.size, seen.block_bytes, f"{name}: ", least=seen.block_bytes)
        levels = layers = (0, 0)
    else:
        extent.refuse_elements(name)
        bounds = (0, 0)
        is_volume = texture.target is TextureTarget.TEXTURE_3D
        top, count = texture.last_level, texture.depth0 if is_volume else texture.array_size
        low = integer(first_level, f"{name}: first_level", 0, top)
        if not _has_blocks_of(texture.format, seen):
            top = low  # the sizes of further levels in blocks do not follow from those of the first
        levels = (low, integer(top if last_level is None else last_level, f"{name}: last_level", low, top))
        bottom = integer(first_layer, f"{name}: first_layer", 0, count - 1)
        last = (count - 1 if kind in LAYERED or is_volume else bottom) if last_layer is None else last_layer
        layers = (bottom, integer(last, f"{name}: last_layer", bottom, count - 1))
        faces = layers[1] - layers[0] + 1
        if kind in CUBES and (faces % 6 or (kind is TextureTarget.TEXTURE_CUBE and faces != 6)):
            raise ValueError(f"{name}: last_layer: a {kind.name} view has six layers a cube, not {faces}")
        if is_volume and faces != count:
            raise ValueError(f"{name}: first_layer, last_layer: a TEXTURE_3D view has all {count} slices, not {faces}")
        if kind not in LAYERED and faces != 1 and not is_volume:
            raise ValueError(f"{name}: last_layer: a {kind.name} view has one layer, not {faces}")
    return SamplerView(context, texture, seen, kind, swizzles(swizzle, name), levels, layers, bounds)


def _has_blocks_of(format: AnyFormat, other: AnyFormat) -> bool:
    return (format.block_width, format.block_height) == (other.block_width, other.block_height)


def swizzles(value: str | Sequence[Swizzle | int | str], argument: str) -> Swizzles:
    """Four channels from ``"xyz1"`` or four members, numbers or names."""
    items = list(value if isinstance(value, str) else sequence(value, f"{argument}: swizzle"))
    if len(items) != 4:
        raise ValueError(f"{argument}: swizzle: expected four channels, not {len(items)}")
    channels = [
        _LETTERS[item] if isinstance(item, str) and item in _LETTERS else lookup(Swizzle, item, f"{argument}: swizzle") for item in items
    ]
    return (channels[0], channels[1], channels[2], channels[3])


def swizzle_of(
    all_of_it: str | Sequence[Swizzle | int | str], single: Sequence[Swizzle | int | str | None], argument: str
) -> str | Sequence[Swizzle | int | str]:
    """A swizzle with single components replaced by those that are not None."""
    if all(item is None for item in single):
        return all_of_it
    return [old if new is None else new for old, new in zip(swizzles(all_of_it, argument), single)]


_LATELY = 16
"""Most framebuffers with the same first surface among which a second binding makes one known."""


class Surface:
    """One level of a resource, and a range of its layers, as a render target.

    `own`: samples of the surface, if it has more than its texture, or None.
    """

    def __init__(self, texture: Resource, format: Format, level: int, first_layer: int, last_layer: int, samples: int = 1) -> None:
        self.is_destroyed, self.ended = False, ctypes.c_int32(0)  # the latter is 1 after `destroy` or the end of this object
        self._reference = Reference(texture)
        self.format = format
        self.level = level
        self.first_layer, self.last_layer = first_layer, last_layer
        info = texture.levels[level]
        self.width, self.height = info.width, info.height
        self._bound_lately: deque[tuple[int, ...]] = deque(maxlen=_LATELY)
        self._framebuffer: tuple[Hashable, DeviceFramebuffer] | None = None
        self.own: RenderSamples | None = None
        self.writable = True  # a hint, for shaders
        memory, first = texture, first_layer
        if samples > texture.samples:
            self.own = RenderSamples(texture, format, level, first_layer, last_layer, samples)
            memory, first = self.own.target, 0
            info = memory.levels[0]
        self.samples = memory.samples
        self._packet: DeviceSurface | None = DeviceSurface(
            address=memory.address + info.offset + first * info.layer_stride,
            row_stride=info.row_stride,
            format=format,
            width=info.width,
            height=info.height,
            layer_stride=info.layer_stride,
            layers=last_layer - first_layer + 1,
            samples=memory.samples,
            sample_stride=memory.sample_stride,
            keepalive=memory.storage,
        )

    def __del__(self) -> None:
        if "ended" in vars(self):  # otherwise it was not even begun
            self.ended.value = 1

    @property
    def texture(self) -> Resource:
        """The texture. After `destroy` this is an empty resource, unless it has other references."""
        return self._reference.last

    @property
    def living_texture(self) -> Resource | None:
        """The texture; None after `destroy`, unless it has other references."""
        return self._reference.resource

    @property
    def packet(self) -> DeviceSurface:
        """The surface in the form for devices. ValueError after `destroy`."""
        if self._packet is None:
            raise ValueError("packet: the surface was destroyed")
        return self._packet

    def destroy(self) -> None:
        """Release the texture. A binding keeps its memory until it is replaced."""
        self.is_destroyed, self.ended.value = True, 1
        self._packet, self._framebuffer = None, None
        if self.own is not None:
            self.own.destroy()
            self.own = None
        self._reference.release()

    def known(self, key: Hashable, colors: tuple[Surface | None, ...], depth: Surface | None) -> DeviceFramebuffer | None:
        """The framebuffer of this surface's last binding, if it has the same surfaces and the same key.

        Clients bind targets in turns, and the device recognizes a repeated draw by the identity of its objects.
        """
        if self._framebuffer is None or self._framebuffer[0] != key:
            return None
        framebuffer = self._framebuffer[1]
        packets = [None if item is None else item.packet for item in (*colors, depth)]
        return (
            framebuffer
            if len(colors) == len(framebuffer.cbufs) and all(map(operator.is_, packets, (*framebuffer.cbufs, framebuffer.zsbuf)))
            else None
        )

    def is_bound_again(self, place: tuple[int, ...]) -> bool:
        """Return True if the surface, as the first one, was lately bound with the surfaces whose `id` are `place`.

        The surface itself remembers that: a program that makes new surfaces for each frame may give them addresses of old ones.
        """
        if place in self._bound_lately:
            return True
        self._bound_lately.append(place)
        return False

    def learn(self, key: Hashable, framebuffer: DeviceFramebuffer) -> None:
        """Cache the framebuffer of a binding of which this surface is the first one. key: of the requested sizes."""
        self._framebuffer = key, framebuffer

    def forget_framebuffer(self) -> None:
        """Forget the framebuffer of the last binding, which keeps the memory of all its targets."""
        self._framebuffer = None

    def __repr__(self) -> str:
        return f"<Surface {self.format} {self.width}x{self.height} of {_shown(self._reference)}>"


def _shown(reference: Reference) -> str:
    texture = reference.resource
    return "a texture that is gone" if texture is None else repr(texture)


def surface(
    texture: Resource,
    name: str,
    *,
    format: Format | str | None = None,
    level: int = 0,
    first_layer: int = 0,
    last_layer: int | None = None,
    nr_samples: int = 0,
) -> Surface:
    """A checked surface; see `Context.create_surface`."""
    if not isinstance(texture, Resource):
        raise TypeError(f"{name}: texture: expected a Resource, not {type(texture).__name__}")
    if texture.is_buffer:
        raise ValueError(f"{name}: texture: a buffer cannot be rendered to")
    if isinstance(texture.format, CompressedFormat):
        raise ValueError(f"{name}: texture: {texture.format} is compressed and cannot be rendered to")
    seen = texture.format if format is None else pixel_format(format, f"{name}: format")
    if seen.block_bits != texture.format.block_bits or seen.is_depth_stencil != texture.format.is_depth_stencil:
        raise ValueError(f"{name}: format: {texture.format} cannot be rendered to as {seen}")
    if not supported_binds(seen, texture.target) & (Bind.DEPTH_STENCIL | Bind.RENDER_TARGET):
        raise ValueError(f"{name}: format: {seen} cannot be rendered to")
    wanted = Bind.DEPTH_STENCIL if seen.is_depth_stencil else Bind.RENDER_TARGET
    if not texture.bind & wanted:
        raise ValueError(f"{name}: texture: it was not made with bind {wanted.name}")
    info = texture.level(level, f"{name}: level")
    first = integer(first_layer, f"{name}: first_layer", 0, info.layers - 1)
    last = integer(info.layers - 1 if last_layer is None else last_layer, f"{name}: last_layer", first, info.layers - 1)
    samples = integer(nr_samples, f"{name}: nr_samples", 0, MAX_TARGET_SAMPLES)
    if samples not in SAMPLE_COUNTS or (samples > 1 and texture.samples not in (1, samples)):
        raise ValueError(f"{name}: nr_samples: a texture of {texture.samples} samples cannot be rendered to with {samples}")
    if samples > texture.samples and texture.user is not None:
        raise ValueError(f"{name}: nr_samples: memory of the caller cannot be rendered to with samples")
    return Surface(texture, seen, level, first, last, max(samples, 1))


def framebuffer_samples(bound: Sequence[Surface], default: int, name: str) -> int:
    """Number of samples of all targets, or `default` without targets. ValueError if they differ."""
    counts = {item.samples for item in bound}
    if len(counts) > 1:
        raise ValueError(f"{name}: cbufs, zsbuf: targets of {' and '.join(map(str, sorted(counts)))} samples do not go together")
    wanted = integer(default, f"{name}: samples", 0, 16)
    if wanted not in SAMPLE_COUNTS:
        raise ValueError(f"{name}: samples: {wanted} is not one of {', '.join(map(str, SAMPLE_COUNTS))}")
    return counts.pop() if counts else max(1, wanted)


@record
class FramebufferState:
    """Render targets. A width or height of 0 means the smallest of the surfaces. A None color buffer is a hole."""

    cbufs: tuple[Surface | Resource | None, ...] = ()
    zsbuf: Surface | Resource | None = None
    width: int = 0
    height: int = 0
    layers: int = 0
    samples: int = 0
