"""Renderbuffers: images that are drawn to and never sampled. (OpenGL 4.6 core, 9.2.4)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.gallium import Resource
from tgsi.opengl.errors import bad_value
from tgsi.opengl.pixels.internal_formats import InternalFormat

if TYPE_CHECKING:
    from tgsi.opengl.host import Host

SAMPLES = (0, 2, 4, 8, 16)
MAX_SAMPLES = 16


def sample_count(samples: int, call: str) -> int:
    """The smallest supported number of samples that is at least the requested one."""
    if not 0 <= samples <= MAX_SAMPLES:
        raise bad_value(f"{call}: samples: {samples} is not 0 .. {MAX_SAMPLES}")
    return next(count for count in SAMPLES if count >= samples and (count != 0 or samples == 0))


class Renderbuffer:
    """A renderbuffer object; without storage it has no resource."""

    def __init__(self, name: int) -> None:
        self.name = name
        self.resource: Resource | None = None
        self.internal = 0
        self.row: InternalFormat | None = None
        self.width = self.height = self.samples = 0
        self.label = ""
        self.is_deleted = False

    def allocate(self, gl: Host, internal: int, row: InternalFormat, size: tuple[int, int], samples: int) -> None:
        """Allocate storage."""
        self.internal, self.row, self.samples = internal, row, samples
        self.width, self.height = size
        self.resource = None
        if self.width and self.height:
            bind = "DEPTH_STENCIL" if row.format.startswith(("Z", "S8")) else "RENDER_TARGET"
            self.resource = gl.screen.resource_create(
                target="TEXTURE_2D",
                format=row.format,
                width0=self.width,
                height0=self.height,
                nr_samples=samples,
                bind=(bind, "SAMPLER_VIEW") if samples <= 1 else (bind,),
            )
        gl.note_storage()
