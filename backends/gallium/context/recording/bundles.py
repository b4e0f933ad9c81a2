"""Bundles of recorded calls: record and replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.device.interface import Device
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.screen_core import ScreenCore
from backends.pipe.checks import integer

if TYPE_CHECKING:
    from backends.gallium.context.recording.bundle import Bundle
    from backends.gallium.context.recording.recorder import Recorder


class Bundles(ContextCore):
    """Calls that are recorded once and made many times: record, replay."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._recorder: Recorder | None = None

    def record(self) -> Bundle:
        """Begin a bundle: it has the context's methods, and records calls of them instead of carrying them out. (an extension)

        ``with ctx.record() as bundle: bundle.draw_vbo(mode="TRIANGLES", count=3)``, then ``ctx.replay(bundle)``. Methods that create or
        destroy objects, map or read are called on the context itself. The recording ends with the ``with`` block.
        """
        return self._recorder_of_bundles().record()

    def replay(self, bundle: Bundle, n: int = 1) -> None:
        """Make the calls of a bundle `n` times, as if they were made on this context. Known draws run without Python. (an extension)

        State that the bundle does not set comes from the context; state that it sets stays bound.

        Raises:
            TypeError, ValueError: `bundle` is not a finished bundle of this context, or one of its objects was destroyed; nothing was done.
                A call was refused: the message has its number and method, and the calls before it were made.
        """
        from backends.gallium.context.recording.bundle import Bundle

        if not isinstance(bundle, Bundle):
            raise TypeError(f"replay: bundle: expected an object from record, not {type(bundle).__name__}")
        self._recorder_of_bundles().replay(bundle, integer(n, "replay: n"))

    def _recorder_of_bundles(self) -> Recorder:
        from backends.gallium.context.recording.recorder import Recorder

        if self._recorder is None:
            self._recorder = Recorder(self)
            self._memories.append(self._recorder.forget_ended)
        return self._recorder
