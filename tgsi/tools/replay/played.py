"""Step by step playback of a trace, with access to the bound targets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backends.device.calls.errors import RecordingError
from backends.formats import Format
from backends.gallium.tracing.steps import Step, read_steps
from backends.gallium.tracing.trace_player import Digest, TracePlayer
from tgsi.language.record import record
from tgsi.tools.replay.scene import Layout

if TYPE_CHECKING:
    from backends.gallium.resource.resource import Resource
    from tgsi.gallium import Screen


_PLACE = re.compile(r"command \d+ \((?P<name>[^)]*)\) at byte (?P<byte>\d+): (?P<reason>.*)", re.DOTALL)
"""Message of a RecordingError."""


@record(eq=False)
class Target:
    """A level of a resource that is bound as a target.

    name: ``c0`` to ``c7``, or ``zs``. handle: of the resource. layers: the first one, and their number.
    """

    name: str
    handle: int
    resource: Resource
    level: int
    layers: tuple[int, int]

    @property
    def format(self) -> Format:
        """The format of its pixels."""
        return self.resource.plain_format

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        info = self.resource.levels[self.level]
        return info.width, info.height

    @property
    def layout(self) -> Layout:
        """Shape of `data`."""
        return Layout(self.format, *self.size, self.layers[1])

    def data(self) -> NDArray[np.uint8]:
        """The bytes of the bound layers, (layers, height, width, bytes of a pixel); samples are resolved. No work may be pending."""
        first, count = self.layers
        width, height = self.size
        pixels = np.ascontiguousarray(self.resource.pixels(level=self.level)).view(np.uint8)
        return pixels.reshape(-1, height, width, self.format.block_bytes)[first : first + count]


class PlayedTrace:
    """The steps of a trace on a context of their own.

    Attributes:
        steps: all of them.
        at: number of played steps. digests: of all reads so far.
    """

    def __init__(self, screen: Screen, steps: Sequence[Step]) -> None:
        self.steps, self.at = steps, 0
        self.digests: list[Digest] = []
        self.context = screen.context_create()
        self._player = TracePlayer(screen, self.context, self.digests.append)

    def __enter__(self) -> PlayedTrace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.context.destroy()

    def play(self, until: int) -> None:
        """Play up to step number `until`, exclusive. RecordingError names a refused command."""
        if until <= self.at:
            return
        steps, self.at = self.steps[self.at : until], until
        try:
            self._player.advance(b"".join(step.words for step in steps))
        except RecordingError as error:
            raise _placed(error, steps) from error

    def repeat(self, step: Step) -> None:
        """Repeat an earlier call."""
        self._player.advance(step.words)

    def finish(self) -> None:
        """Carry out all pending work."""
        self.context.order.synchronize()

    def targets(self) -> list[Target]:
        """The bound targets, color buffers first. Work is carried out."""
        self.finish()
        bound = self.context.targets
        named = [(f"c{k}", item) for k, item in enumerate(bound.cbufs)] + [("zs", bound.zsbuf)]
        handles = {id(thing): handle for handle, thing in self._player.resources().items()}
        targets = []
        for name, surface in named:
            texture = None if surface is None else surface.living_texture
            if surface is not None and texture is not None:
                layers = surface.first_layer, surface.last_layer - surface.first_layer + 1
                targets.append(Target(name, handles.get(id(texture), 0), texture, surface.level, layers))
        return targets

    def resources(self) -> dict[int, Resource]:
        """Living resources by handle. Work is carried out."""
        self.finish()
        return self._player.resources()

    def find(self, handle: int) -> Any:
        """The object of a handle; None if there is none."""
        return self._player.find(handle)


def _placed(error: RecordingError, steps: Sequence[Step]) -> RecordingError:
    """The error with its command counted from the beginning of the trace; it was counted from the beginning of these steps."""
    match = _PLACE.fullmatch(str(error))
    if match is None:
        return error
    place = 0
    for step in steps:
        place += len(step.words)
        if place > int(match["byte"]):
            return RecordingError(f"command {step.number} ({match['name']}): {match['reason']}")
    return error


def load_steps(path: Path) -> list[Step]:
    """All steps of a trace. OSError, and RecordingError for other and invalid files."""
    return list(read_steps(bytearray(path.read_bytes())))
