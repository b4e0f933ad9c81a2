"""Questions about a picture: explain, explain_vertex, explain_primitive, explain_invocation; and capture, which records what they need.

The answers come from `tgsi.insight`, which the public Screen plugs in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backends.device.interface import Device
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.screen_core import ScreenCore

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class Insight(ContextCore):
    """Explanations of pixels, vertices, primitives and invocations, from the recorded calls of the context."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._captured: list[Any] = []  # recordings of the last capture that has ended, the latest first

    def capture(self, *, memory: int | None = None) -> AbstractContextManager[None]:
        """Record the calls inside of a ``with`` block, for `explain`. (an extension)

        The recording begins with what is bound and with the contents of resources that calls use. It is kept until the next one.

        memory: the most bytes that it may take; None: 256 MiB.

        Raises:
            TypeError, ValueError: `memory` is not a number of bytes, or the context's calls are recorded already.
        """
        return self._tools("capture").capture(self, memory)  # type: ignore[no-any-return]

    def explain(self, x: int, y: int, *, sample: int | None = None, layer: int = 0, target: Any = None) -> Any:
        """Tell what happened to a pixel: every call that wrote it or could have, and what became of each fragment. (an extension)

        The recorded calls are made again on a context of their own, whose kernels watch the pixel. Nothing that is bound here changes.

        Returns a `tgsi.insight.explanation.Explanation`, whose `str` is a text to read.

        Args:
            x: column, from 0.
            y: row, from 0: the pixel is ``target.pixels()[y, x]``.
            sample: of a target with several samples; None: all of them.
            layer: layer, cube face or slice of the target.
            target: a Resource, a Surface, or the number of a bound color buffer; None: color buffer 0, or else the depth buffer.

        Raises:
            RuntimeError: no calls were recorded, or none that name the target; the message says how to record them.
            TypeError, ValueError: the target is none, or the pixel lies outside of it.
        """
        return self._tools("explain").explain(self, x, y, sample, layer, target)

    def explain_vertex(self, vertex: int, *, instance: int = 0, draw: int | None = None) -> Any:
        """Tell what the vertex shader made of a vertex: inputs, outputs, and where it lies. (an extension)

        Args:
            vertex: its number as the shader reads it (VERTEXID): of a draw with indices, the index, with its bias.
            instance: of an instanced draw.
            draw: number of a recorded draw, from 0; negative numbers count from the end; None: the last one.

        Errors as those of `explain`; ValueError for a draw or a vertex that does not exist.
        """
        return self._tools("explain_vertex").explain_vertex(self, vertex, instance, draw)

    def explain_primitive(self, primitive: int, *, instance: int = 0, draw: int | None = None) -> Any:
        """Tell where a primitive lies, and why it is culled, clipped or not seen. (an extension)

        primitive: its number in the draw, from 0, as shaders read it. Other arguments and errors as those of `explain_vertex`.
        """
        return self._tools("explain_primitive").explain_primitive(self, primitive, instance, draw)

    def explain_invocation(self, thread: Any = (0, 0, 0), block: Any = (0, 0, 0), *, grid: int | None = None) -> Any:
        """Tell what an invocation of a compute shader did, instruction by instruction. (an extension)

        Args:
            thread: x, y, z of the thread in its block.
            block: x, y, z of the block in the grid.
            grid: number of a recorded `launch_grid`, from 0; negative numbers count from the end; None: the last one.

        Errors as those of `explain`; ValueError for a grid, block or thread that does not exist.
        """
        return self._tools("explain_invocation").explain_invocation(self, thread, block, grid)

    def _tools(self, name: str) -> Any:
        if self.screen.insight is None:
            raise RuntimeError(f"{name}: this screen was made without it; tgsi.Screen has it")
        return self.screen.insight
