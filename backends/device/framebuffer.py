"""Render targets: surfaces in memory, the framebuffer of several surfaces, and its kind, which selects the generated code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, field
from typing import TYPE_CHECKING

from backends.abi.limits import TILE
from backends.pipe.state import RasterizerState
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.formats import Format


@record
class FramebufferKind:
    """The kind of render targets.

    Attributes:
        formats: of each color buffer; None: unbound.
        depth: format of the depth and stencil buffer, or None.
        samples: of a pixel, the same for every target.
        has_layers: primitives may name layers.
        has_pixels: width and height are not 0.
        has_own_samples: a target has its own number of samples, so that multisample rules apply regardless of the rasterizer state.
    """

    formats: tuple[Format | None, ...] = ()
    depth: Format | None = None
    samples: int = 1
    has_layers: bool = False
    has_pixels: bool = True
    has_own_samples: bool = False

    @property
    def has_float_colors(self) -> bool:
        """True if any color buffer holds floats."""
        return any(format is not None and any(c.type.value == "float" for c in format.channels) for format in self.formats)


@record
class Surface:
    """A level of a resource as render target; layer k begins at `address + k * layer_stride`, each sample has a plane.

    Storage rule (backends/gallium/resource/resource.py): address a multiple of 64, row_stride an odd number of 64-byte lines, rows and
    columns padded to whole 64 x 64 tiles, 64 bytes of slack after the end. Surfaces must keep to it.
    """

    address: int
    row_stride: int  # bytes
    format: Format
    width: int  # pixels
    height: int
    _: KW_ONLY
    layer_stride: int = 0  # bytes
    layers: int = 1
    samples: int = 1
    sample_stride: int = 0  # bytes from a sample's plane to the next
    keepalive: object = field(default=None, compare=False, repr=False)


@record
class Framebuffer:
    """The bound render targets. Writes to a color buffer that is `None` are dropped."""

    width: int
    height: int
    cbufs: tuple[Surface | None, ...] = ()
    zsbuf: Surface | None = None
    layers: int = 1  # number of layers that primitives may be drawn to
    samples: int = 1  # samples of a pixel, the same for every target
    has_own_samples: bool = field(default=False, kw_only=True)  # a target's number of samples differs from its texture's

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Address and bytes of each target."""
        for s in (*self.cbufs, self.zsbuf):
            if s is not None:
                rows = -(-s.height // TILE) * TILE
                yield s.address, s.row_stride * rows + s.layer_stride * (s.layers - 1) + s.sample_stride * (s.samples - 1)

    @property
    def kind(self) -> FramebufferKind:
        """The properties that select generated code."""
        formats = tuple(s.format if s is not None else None for s in self.cbufs)
        depth = self.zsbuf.format if self.zsbuf is not None else None
        has_pixels = self.width > 0 and self.height > 0
        return FramebufferKind(formats, depth, self.samples, self.layers > 1, has_pixels, self.has_own_samples)


def clamps(is_on: bool, rasterizer: RasterizerState, kind: FramebufferKind) -> bool:
    """Return true if colors are clamped: `is_on`, and not suspended by `clamp_fixed_only` with a float color buffer."""
    return is_on and not (rasterizer.clamp_fixed_only and kind.has_float_colors)
