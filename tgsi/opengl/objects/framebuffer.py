"""Framebuffer objects, the default framebuffer, and the Gallium surfaces of their attachments. (OpenGL 4.6 core, chapter 9)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tgsi.gallium import Resource, Surface
from tgsi.opengl.objects.renderbuffer import Renderbuffer
from tgsi.opengl.objects.texture import ARRAYS, Texture
from tgsi.opengl.pixels.internal_formats import InternalFormat
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.host import Host

RENDERED = {GL.RED, GL.RG, GL.RGB, GL.RGBA}
NOT_RENDERED = {"R9G9B9E5_FLOAT"}


@dataclass
class Attachment:
    """A renderbuffer, or a level of a texture with one layer or all (`layer` -1)."""

    item: Renderbuffer | Texture
    level: int = 0
    layer: int = 0
    face: int = 0
    is_layered: bool = False

    def place(self) -> tuple[Resource, InternalFormat, int, int, int, int] | None:
        """Resource, format, level, first and last layer, and samples; None without storage."""
        if isinstance(self.item, Renderbuffer):
            if self.item.resource is None or self.item.row is None:
                return None
            return self.item.resource, self.item.row, 0, 0, 0, self.item.samples
        image = self.item.images.get((self.face, self.level))
        if image is None:
            return None
        last = self.layer
        if self.is_layered:
            first, last = 0, max(image.resource.levels[image.level].layers - 1, 0)
        else:
            first = self.layer + (image.layer if self.item.target == GL.TEXTURE_CUBE_MAP else self.item.first_layer)
            last = first
        return image.resource, image.row, image.level, first, last, image.samples

    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        if isinstance(self.item, Renderbuffer):
            return self.item.width, self.item.height
        image = self.item.images.get((self.face, self.level))
        if image is None:
            return 0, 0
        return image.size[0], 1 if self.item.target in (GL.TEXTURE_1D, GL.TEXTURE_1D_ARRAY) else image.size[1]


class Framebuffer:
    """A framebuffer object. `is_default` marks the context's default framebuffer, whose attachments are internal renderbuffers."""

    def __init__(self, name: int, *, is_default: bool = False) -> None:
        self.name = name
        self.is_default = is_default
        self.attachments: dict[int, Attachment] = {}
        self.draw_buffers: list[int] = [GL.BACK_LEFT if is_default else GL.COLOR_ATTACHMENT0] + [GL.NONE] * 7
        self.read_buffer: int = GL.BACK_LEFT if is_default else GL.COLOR_ATTACHMENT0
        self.parameters = {GL.FRAMEBUFFER_DEFAULT_WIDTH: 0, GL.FRAMEBUFFER_DEFAULT_HEIGHT: 0, GL.FRAMEBUFFER_DEFAULT_LAYERS: 0}
        self.parameters |= {GL.FRAMEBUFFER_DEFAULT_SAMPLES: 0, GL.FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS: 0}
        self.label = ""
        self._surfaces: dict[tuple[Any, ...], Surface] = {}
        self._status: tuple[int, int] = (-1, 0)

    def color(self, buffer: int) -> Attachment | None:
        """The attachment of a draw or read buffer."""
        return self.attachments.get(buffer)

    def status(self, gl: Host) -> int:
        """The result of glCheckFramebufferStatus. (OpenGL 4.6 core, 9.4.2)"""
        if self._status[0] != gl.generation_of_storage:
            self._status = gl.generation_of_storage, self._find_status()
        return self._status[1]

    def changed(self, gl: Host) -> None:
        """Note a change of attachments."""
        self._surfaces.clear()
        gl.note_storage()

    def _find_status(self) -> int:
        if self.is_default:
            return GL.FRAMEBUFFER_COMPLETE if self.attachments else GL.FRAMEBUFFER_UNDEFINED
        if not self.attachments:
            has_size = self.parameters[GL.FRAMEBUFFER_DEFAULT_WIDTH] and self.parameters[GL.FRAMEBUFFER_DEFAULT_HEIGHT]
            return GL.FRAMEBUFFER_COMPLETE if has_size else GL.FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT
        samples, layered = set(), set()
        for point, item in self.attachments.items():
            place = item.place()
            if place is None or not all(item.size()):
                return GL.FRAMEBUFFER_INCOMPLETE_ATTACHMENT
            _, row, _, first, _, count = place
            if isinstance(item.item, Texture) and not _has_layer(item, first):
                return GL.FRAMEBUFFER_INCOMPLETE_ATTACHMENT
            if not _is_attachable(point, row):
                return GL.FRAMEBUFFER_INCOMPLETE_ATTACHMENT
            samples.add(max(count, 1))
            layered.add(item.is_layered)
        if len(samples) > 1:
            return GL.FRAMEBUFFER_INCOMPLETE_MULTISAMPLE
        if len(layered) > 1:
            return GL.FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS
        return GL.FRAMEBUFFER_COMPLETE

    def size(self) -> tuple[int, int]:
        """Width and height common to all attachments, or the default size without attachments."""
        sizes = [item.size() for item in self.attachments.values()]
        if not sizes:
            return self.parameters[GL.FRAMEBUFFER_DEFAULT_WIDTH], self.parameters[GL.FRAMEBUFFER_DEFAULT_HEIGHT]
        return min(size[0] for size in sizes), min(size[1] for size in sizes)

    def samples(self) -> int:
        """Number of samples per pixel, 0 for single-sampled."""
        for item in self.attachments.values():
            place = item.place()
            if place is not None:
                return place[5]
        return self.parameters[GL.FRAMEBUFFER_DEFAULT_SAMPLES]

    def depth_step(self) -> float:
        """The polygon offset unit in steps of the depth format. For fixed-point formats it is two, because rounding can lose one."""
        item = self.attachments.get(GL.DEPTH_ATTACHMENT)
        place = item.place() if item is not None else None
        return 1.0 if place is None or "FLOAT" in place[1].format else 2.0

    def surface(self, gl: Host, item: Attachment | None, *, is_linear: bool) -> Surface | None:
        """The Gallium surface of an attachment; with `is_linear`, colors of an sRGB format are stored without conversion."""
        place = item.place() if item is not None else None
        if place is None:
            return None
        resource, row, level, first, last, _ = place
        format = row.format.replace("_SRGB", "_UNORM") if is_linear else row.format
        key = (id(resource), level, first, last, format)
        surface = self._surfaces.get(key)
        if surface is None:
            surface = gl.pipe.create_surface(resource, format=format, level=level, first_layer=first, last_layer=last)
            self._surfaces[key] = surface
        return surface

    def bind(self, gl: Host, *, is_srgb: bool) -> None:
        """Make it Gallium's framebuffer."""
        colors = [self.surface(gl, self.color(buffer), is_linear=not is_srgb) for buffer in self.draw_buffers]
        while colors and colors[-1] is None:
            colors.pop()
        depth = self.attachments.get(GL.DEPTH_ATTACHMENT) or self.attachments.get(GL.STENCIL_ATTACHMENT)
        zsbuf = self.surface(gl, depth, is_linear=True)
        width, height = self.size()
        if not colors and zsbuf is None:
            layers = max(1, self.parameters[GL.FRAMEBUFFER_DEFAULT_LAYERS])
            gl.pipe.set_framebuffer_state(width=width, height=height, layers=layers, samples=self.samples())
        else:
            gl.pipe.set_framebuffer_state(cbufs=colors, zsbuf=zsbuf, width=width, height=height)


def _has_layer(item: Attachment, first: int) -> bool:
    texture = item.item
    assert isinstance(texture, Texture)
    image = texture.images.get((item.face, item.level))
    if image is None:
        return False
    if texture.target == GL.TEXTURE_3D:
        return item.is_layered or item.layer < image.size[2]
    if texture.target in ARRAYS:
        return item.is_layered or first < image.size[1 if texture.target == GL.TEXTURE_1D_ARRAY else 2]
    return True


def _is_attachable(point: int, row: InternalFormat) -> bool:
    if point == GL.DEPTH_ATTACHMENT:
        return row.base in (GL.DEPTH_COMPONENT, GL.DEPTH_STENCIL)
    if point == GL.STENCIL_ATTACHMENT:
        return row.base in (GL.DEPTH_STENCIL, GL.STENCIL_INDEX)
    return row.base in RENDERED and row.format not in NOT_RENDERED
