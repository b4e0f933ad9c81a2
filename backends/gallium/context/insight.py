"""Questions about a picture: explain; and capture, which records what it needs.

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
    """Explanations of pixels, from the recorded calls of the context."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._captured: list[Any] = []  # recordings of the last capture that has ended, the latest first

    def capture(self, *, memory: int | None = None) -> AbstractContextManager[None]:
        """Record the calls inside of a ``with`` block, for `explain`. (an extension)

        The recording begins with what is bound and with the contents of resources that calls use. It is kept until the next one.

        memory: the most bytes that it may take; None: 256 MiB.

        Raises:
            TypeError, ValueError: `memory` is no number of bytes, or the context's calls are recorded already.
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

    def _tools(self, name: str) -> Any:
        if self.screen.insight is None:
            raise RuntimeError(f"{name}: this screen was made without it; tgsi.Screen has it")
        return self.screen.insight
