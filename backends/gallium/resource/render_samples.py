"""Samples of a surface that has more of them than its texture: rendering goes to them, and the texture gets their resolve.

The texture is updated whenever the context carries out pending work, so it is never seen in a stale state. The samples are loaded from the
texture when the surface is bound, and where something else writes the texture while they are. (PIPE_CAP_SURFACE_SAMPLE_COUNT;
EXT_multisampled_render_to_texture)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from backends.device.resolve_job import resolved
from backends.gallium.resource.layout import Template
from backends.gallium.resource.multisampled import native_resolve, part
from backends.gallium.resource.resource import Box, Resource
from backends.pipe.enums import TextureTarget

if TYPE_CHECKING:
    from backends.device.interface import Device
    from backends.formats import Format


class RenderSamples:
    """The samples of layers `first_layer` to `last_layer` of a level.

    `target` is a texture of that many layers, of the format that the surface is rendered to in.
    """

    def __init__(self, texture: Resource, format: Format, level: int, first_layer: int, last_layer: int, samples: int) -> None:
        self._texture, self._level, self._first, self._count = texture, level, first_layer, last_layer - first_layer + 1
        info = texture.levels[level]
        self.target = Resource(
            texture.screen,
            Template(
                width0=info.width,
                height0=info.height,
                array_size=self._count,
                target=TextureTarget.TEXTURE_2D_ARRAY if self._count > 1 else TextureTarget.TEXTURE_2D,
                format=format,
                nr_samples=samples,
                bind=texture.bind,
            ),
        )
        texture.note_rendered(self)

    def load(self, level: int, box: Box) -> None:
        """Give every sample the texels of a box of the texture, clipped to the surface."""
        first, last = max(box.z, self._first), min(box.z + box.depth, self._first + self._count)
        if level != self._level or first >= last:
            return
        theirs = Box(box.x, box.y, first, box.width, box.height, last - first)
        mine = replace(theirs, z=first - self._first)
        for k in range(self.target.samples):
            part(self.target.blocks(0, k), mine)[...] = part(self._texture.blocks(level), theirs)

    def load_all(self) -> None:
        """Give every sample the texels of the texture."""
        self.load(self._level, self._texture.box(self._level, None, "box"))

    def store(self, device: Device) -> None:
        """Resolve the samples into the texture; no work that uses either of them is pending."""
        to = self._texture
        if to.is_destroyed:
            return
        info, format = to.levels[self._level], self.target.plain_format
        for z in range(self._count):
            layer = Box(0, 0, self._first + z, info.width, info.height, 1)
            job = native_resolve(to, self._level, layer, self.target, (z, 0, 0), (1, info.height, info.width), format)
            if job is not None:
                device.resolve(job, waits=False)
                continue
            mine = Box(0, 0, z, info.width, info.height, 1)
            planes = [part(self.target.blocks(0, k), mine) for k in range(self.target.samples)]
            part(to.blocks(self._level), layer)[...] = resolved(planes, format)

    def destroy(self) -> None:
        """Release the memory. A binding keeps it until it is replaced."""
        self.target.destroy()
