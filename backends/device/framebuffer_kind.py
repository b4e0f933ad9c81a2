"""The kind of a framebuffer: everything about render targets that decides about code, but no memory and no size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.pipe.state import RasterizerState
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.formats import Format


@record
class FramebufferKind:
    """The kind of render targets.

    Attributes:
        formats: of each color buffer, None where none is bound.
        depth: format of the depth and stencil buffer, or None.
        samples: of a pixel, the same for every target.
        has_layers: primitives may name layers.
        has_pixels: width and height are not 0.
    """

    formats: tuple[Format | None, ...] = ()
    depth: Format | None = None
    samples: int = 1
    has_layers: bool = False
    has_pixels: bool = True

    @property
    def has_float_colors(self) -> bool:
        """True if any color buffer holds floats."""
        return any(format is not None and any(c.type.value == "float" for c in format.channels) for format in self.formats)


def clamps(is_on: bool, rasterizer: RasterizerState, kind: FramebufferKind) -> bool:
    """Return true if a clamp of colors is in force: `is_on`, and not suspended by `clamp_fixed_only` with a float color buffer."""
    return is_on and not (rasterizer.clamp_fixed_only and kind.has_float_colors)
