"""Texture objects: images by face and level, the resource that holds the consistent ones, and views for samplers.

A specified image is stored in the texture's resource if it fits there, otherwise in a separate one; `complete` gathers the images before
the texture is sampled. (OpenGL 4.6 core, chapter 8)
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from tgsi.gallium import Resource, SamplerView
from tgsi.opengl.objects.sampler import FILTERS, Sampler
from tgsi.opengl.pixels.internal_formats import InternalFormat, is_compressed, is_integer, view_swizzle
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.host import Host
    from tgsi.opengl.objects.buffer import Buffer

TARGETS = {
    GL.TEXTURE_1D: "TEXTURE_1D",
    GL.TEXTURE_2D: "TEXTURE_2D",
    GL.TEXTURE_3D: "TEXTURE_3D",
    GL.TEXTURE_1D_ARRAY: "TEXTURE_1D_ARRAY",
    GL.TEXTURE_2D_ARRAY: "TEXTURE_2D_ARRAY",
    GL.TEXTURE_RECTANGLE: "TEXTURE_RECT",
    GL.TEXTURE_CUBE_MAP: "TEXTURE_CUBE",
    GL.TEXTURE_CUBE_MAP_ARRAY: "TEXTURE_CUBE_ARRAY",
    GL.TEXTURE_BUFFER: "BUFFER",
    GL.TEXTURE_2D_MULTISAMPLE: "TEXTURE_2D",
    GL.TEXTURE_2D_MULTISAMPLE_ARRAY: "TEXTURE_2D_ARRAY",
}
"""Targets of textures with Gallium's."""

ARRAYS = {GL.TEXTURE_1D_ARRAY, GL.TEXTURE_2D_ARRAY, GL.TEXTURE_CUBE_MAP_ARRAY, GL.TEXTURE_2D_MULTISAMPLE_ARRAY}
MULTISAMPLED = {GL.TEXTURE_2D_MULTISAMPLE, GL.TEXTURE_2D_MULTISAMPLE_ARRAY}
ONE_LEVEL = MULTISAMPLED | {GL.TEXTURE_RECTANGLE, GL.TEXTURE_BUFFER}
FACES = {GL.TEXTURE_CUBE_MAP_POSITIVE_X + k: k for k in range(6)}

Size = tuple[int, int, int]


def extent(target: int, size: Size) -> tuple[Size, int]:
    """Gallium's width, height and depth of a level, and its layers, from OpenGL's width, height and depth."""
    width, height, depth = size
    if target == GL.TEXTURE_1D_ARRAY:
        return (width, 1, 1), height
    if target in (GL.TEXTURE_2D_ARRAY, GL.TEXTURE_CUBE_MAP_ARRAY, GL.TEXTURE_2D_MULTISAMPLE_ARRAY):
        return (width, height, 1), depth
    return (width, height, depth), 6 if target == GL.TEXTURE_CUBE_MAP else 1


def level_size(target: int, size: Size, level: int) -> Size:
    """OpenGL's width, height and depth of a level below a base of `size`; the number of layers is the same."""
    width, height, depth = size
    height = height if target == GL.TEXTURE_1D_ARRAY else max(1, height >> level)
    depth = max(1, depth >> level) if target == GL.TEXTURE_3D else depth
    return max(1, width >> level), height, depth


@dataclass
class Image:
    """One image: OpenGL's size, its internal format, and its storage: a level and a first layer of a resource."""

    size: Size
    internal: int
    row: InternalFormat
    resource: Resource
    level: int
    layer: int
    _: KW_ONLY
    samples: int = 0


class Texture:
    """A texture object. `target` is 0 until it is bound for the first time."""

    def __init__(self, name: int, target: int) -> None:
        self.name = name
        self.target = target
        self.sampler = Sampler(name)
        if target == GL.TEXTURE_RECTANGLE:
            self.sampler.min_filter = GL.LINEAR
            self.sampler.wrap_s = self.sampler.wrap_t = self.sampler.wrap_r = GL.CLAMP_TO_EDGE
        self.images: dict[tuple[int, int], Image] = {}
        self.resource: Resource | None = None
        self.base: tuple[Size, int] = ((0, 0, 0), 0)
        self.base_level, self.max_level = 0, 1000
        self.swizzle = [GL.RED, GL.GREEN, GL.BLUE, GL.ALPHA]
        self.depth_mode: int = GL.RED
        self.stencil_mode: int = GL.DEPTH_COMPONENT
        self.generates_mipmaps = False
        self.is_immutable = False
        self.is_deleted = False
        self.levels = 0
        self.buffer: Buffer | None = None
        self.buffer_range: tuple[int, int | None] = (0, None)
        self.buffer_format: InternalFormat | None = None
        self.buffer_internal: int = GL.R8
        self.views: dict[tuple[Any, ...], SamplerView | None] = {}
        self.of: Texture | None = None
        self.first_level = self.first_layer = 0
        self.layers = 0
        self.label = ""
        self._settled: set[tuple[int, ...]] = set()
        """Filters and levels for which the texture is known to be complete and gathered."""

    # -- storage
    def make_resource(self, gl: Host, row: InternalFormat, size: Size, levels: int, samples: int = 0) -> Resource:
        """Create a resource for a base level of `size` and a number of levels."""
        (width, height, depth), layers = extent(self.target, size)
        bind = ["SAMPLER_VIEW"]
        if row.format.startswith(("Z", "S8")):
            bind.append("DEPTH_STENCIL")
        elif not is_compressed(row.format) and row.base in (GL.RED, GL.RG, GL.RGB, GL.RGBA):
            bind += [name for name in ("RENDER_TARGET", "SHADER_IMAGE") if gl.can_create(row.format, TARGETS[self.target], name, samples)]
        return gl.screen.resource_create(
            target=TARGETS[self.target],
            format=row.format,
            width0=width,
            height0=height,
            depth0=depth,
            array_size=layers,
            last_level=levels - 1,
            nr_samples=samples,
            bind=tuple(bind),
        )

    def specify(self, gl: Host, face: int, level: int, internal: int, row: InternalFormat, size: Size) -> Image | None:
        """Define an image with undefined texels, and return it; None for an empty image."""
        self._settled.clear()
        gl.note_storage()
        if not all(size):
            self.images.pop((face, level), None)
            return None
        if not self._fits(level, row, size):
            if level == self.base_level or self.resource is None:
                base = size if level == 0 else self._guess(level, size)
                self._adopt(self.make_resource(gl, row, base, self._wanted_levels(base, level)), base)
            else:
                alone = self.make_resource(gl, row, size, 1)
                image = Image(size, internal, row, alone, 0, face)
                self.images[face, level] = image
                return image
        assert self.resource is not None
        image = Image(size, internal, row, self.resource, level, face)
        self.images[face, level] = image
        return image

    def _guess(self, level: int, size: Size) -> Size:
        width, height, depth = size
        height = height if self.target == GL.TEXTURE_1D_ARRAY or height == 1 else height << level
        depth = depth << level if self.target == GL.TEXTURE_3D and depth > 1 else depth
        return (width << level, height, depth) if width > 1 or size == (1, 1, 1) else (max(1, width << level), height, depth)

    def _wanted_levels(self, base: Size, level: int) -> int:
        if self.target in ONE_LEVEL:
            return 1
        (width, height, depth), _ = extent(self.target, base)
        full = max(width, height, depth).bit_length()
        return max(level + 1, min(full, self.max_level + 1))

    def _adopt(self, resource: Resource, base: Size) -> None:
        self.resource, self.base = resource, (base, len(resource.levels))
        self.views.clear()
        self._settled.clear()

    def _fits(self, level: int, row: InternalFormat, size: Size) -> bool:
        if self.resource is None or str(self.resource.format) != row.format or level >= len(self.resource.levels):
            return False
        return level_size(self.target, self.base[0], level) == size

    def allocate(self, gl: Host, internal: int, row: InternalFormat, size: Size, levels: int, samples: int = 0) -> None:
        """Immutable storage, or the storage of a multisampled texture."""
        self._settled.clear()
        self.images.clear()
        self._adopt(self.make_resource(gl, row, size, levels, samples), size)
        assert self.resource is not None
        self.levels = levels
        for level in range(levels):
            for face in range(6 if self.target == GL.TEXTURE_CUBE_MAP else 1):
                self.images[face, level] = Image(
                    level_size(self.target, size, level), internal, row, self.resource, level, face, samples=samples
                )
        gl.note_storage()

    # -- completeness
    def base_image(self) -> Image | None:
        """The image of the base level, on the first face."""
        return self.images.get((0, self._effective_base()))

    def _effective_base(self) -> int:
        return min(self.base_level, max(self.levels - 1, 0)) if self.is_immutable else self.base_level

    def _last_level(self) -> int:
        base = self.base_image()
        if base is None:
            return 0
        (width, height, depth), _ = extent(self.target, base.size)
        last = self._effective_base() + max(width, height, depth).bit_length() - 1
        last = min(last, self.max_level)
        return min(last, self.levels - 1) if self.is_immutable else last

    def unsettle(self) -> None:
        """Note that an image changed, so that the images are checked and gathered again before the next use."""
        self._settled.clear()

    def complete(self, gl: Host, sampler: Sampler) -> bool:
        """Gather the images in one resource. False if the texture is incomplete for the sampler; it then reads as 0, 0, 0, 1."""
        key = sampler.min_filter, sampler.mag_filter, self.base_level, self.max_level
        if key in self._settled:
            return True
        base = self.base_image()
        if base is None or self._effective_base() > self._last_level():
            return False
        mips = FILTERS[sampler.min_filter][1] != "NONE" and self.target not in ONE_LEVEL
        if (
            is_integer(base.row.format)
            and self.target not in MULTISAMPLED
            and (
                FILTERS[sampler.min_filter][0] == "LINEAR"
                or sampler.min_filter == GL.NEAREST_MIPMAP_LINEAR
                or sampler.mag_filter == GL.LINEAR
            )
        ):
            return False
        if not self.is_immutable and self.target not in MULTISAMPLED:
            last = self._last_level() if mips else self._effective_base()
            if not self._has_images(base, last):
                return False
            self._gather(gl, base, last)
        self._settled.add(key)
        return True

    def _has_images(self, base: Image, last: int) -> bool:
        first = self._effective_base()
        for face in range(6 if self.target == GL.TEXTURE_CUBE_MAP else 1):
            for level in range(first, last + 1):
                image = self.images.get((face, level))
                size = level_size(self.target, base.size, level - first)
                if image is None or image.row != base.row or image.size != size:
                    return False
        return not (self.target == GL.TEXTURE_CUBE_MAP and base.size[0] != base.size[1])

    def _gather(self, gl: Host, base: Image, last: int) -> None:
        """Copy images from other resources into one resource with all needed levels."""
        first = self._effective_base()
        needed = [(key, image) for key, image in self.images.items() if first <= key[1] <= last]
        if all(image.resource is base.resource and image.level == level for (_, level), image in needed):
            if base.resource is not self.resource:
                self._adopt(base.resource, base.size)
            return
        size = base.size if first == 0 else self._guess(first, base.size)
        target = self.make_resource(gl, base.row, size, max(last + 1, self._wanted_levels(size, last)))
        for (face, level), image in needed:
            (width, height, depth), layers = extent(self.target, image.size)
            box = (0, 0, image.layer, width, height, depth if self.target == GL.TEXTURE_3D else layers if self.target in ARRAYS else 1)
            gl.pipe.resource_copy_region(target, image.resource, dst_level=level, dstz=face, src_level=image.level, src_box=box)
            image.resource, image.level, image.layer = target, level, face
        self._adopt(target, size)

    # -- views
    def view(self, gl: Host, sampler: Sampler) -> SamplerView | None:
        """The sampler view for a unit with this sampler; None if the texture is incomplete."""
        if self.target == GL.TEXTURE_BUFFER:
            return self._buffer_view(gl)
        if not self.complete(gl, sampler):
            return None
        base = self.base_image()
        assert base is not None
        assert self.resource is not None
        first = self._effective_base()
        last = max(first, min(self._last_level(), len(self.resource.levels) - 1 - self.first_level))
        if self.target in MULTISAMPLED:
            last = first
        is_stencil = self.stencil_mode == GL.STENCIL_INDEX and base.row.base == GL.DEPTH_STENCIL
        skips = sampler.srgb_decode == GL.SKIP_DECODE_EXT
        key = (gl.number, first, last, *self.swizzle, self.depth_mode, is_stencil, skips, id(self.resource))
        if key not in self.views:
            format = base.row.format
            if is_stencil:
                format = {"Z24_UNORM_S8_UINT": "X24S8_UINT", "Z32_FLOAT_S8X24_UINT": "X32_S8X24_UINT"}[format]
            elif skips:
                format = format.replace("_SRGBA", "_RGBA" if format.startswith("DXT") else "_RGBA_UNORM").replace("_SRGB", "_UNORM")
            plain = "x001" if is_stencil or base.row.base == GL.STENCIL_INDEX else view_swizzle(base.row, self.depth_mode)
            more: dict[str, Any] = {}
            if self.layers:
                more = {"first_layer": self.first_layer, "last_layer": self.first_layer + self.layers - 1}
            self.views[key] = gl.pipe.create_sampler_view(
                self.resource,
                format=format,
                target=TARGETS[self.target],
                swizzle="".join(_letter(plain, item) for item in self.swizzle),
                first_level=first + self.first_level,
                last_level=last + self.first_level,
                **more,
            )
        return self.views[key]

    def buffer_texels(self) -> int:
        """Number of whole texels in the range of the buffer."""
        if self.buffer is None or self.buffer_format is None:
            return 0
        offset, size = self.buffer_range
        length = min(self.buffer.size - offset, size if size is not None else self.buffer.size)
        return max(0, length) // _texel_bytes(self.buffer_format.format)

    def _buffer_view(self, gl: Host) -> SamplerView | None:
        if self.buffer is None or self.buffer.resource is None or self.buffer_format is None:
            return None
        offset, size = self.buffer_range
        key = (gl.number, "buffer", id(self.buffer.resource), offset, size, self.buffer_format.format)
        if key not in self.views:
            length = self.buffer_texels() * _texel_bytes(self.buffer_format.format)
            if length <= 0:
                return None
            self.views[key] = gl.pipe.create_sampler_view(
                self.buffer.resource,
                format=self.buffer_format.format,
                swizzle=view_swizzle(self.buffer_format, GL.RED),
                offset=offset,
                size=length,
            )
        return self.views[key]


def _texel_bytes(format: str) -> int:
    from tgsi.gallium import Format

    return Format[format].block_bytes


def _letter(plain: str, item: int) -> str:
    """A letter of a view's swizzle, applied after the swizzle of the base format."""
    if item in (GL.ZERO, GL.ONE):
        return "0" if item == GL.ZERO else "1"
    return plain[{GL.RED: 0, GL.GREEN: 1, GL.BLUE: 2, GL.ALPHA: 3}[item]]
