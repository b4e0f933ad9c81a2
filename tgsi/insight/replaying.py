"""A context that replays recorded calls one by one and lets a function watch its draws."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import isfunction
from typing import Any, TypeVar, cast

from backends.device.bound import DrawState, Shader
from backends.device.calls.errors import RecordingError
from backends.device.calls.row import Does
from backends.device.commands.layout import PREFIX
from backends.device.grid import MeshDraw
from backends.device.interface import Device
from backends.gallium.context.context import Context
from backends.gallium.context.recording.decoder import Call, items
from backends.gallium.context.recording.player import call_context
from backends.gallium.screen.screen import Screen
from backends.gallium.tracing.observed_context import plain_method
from backends.gallium.tracing.trace_player import TracePlayer, words_of
from backends.pipe.state import DrawInfo
from tgsi.language.program import Program
from tgsi.language.record import record

T = TypeVar("T")
MOST_BYTES = 1 << 32
"""Most bytes of all resources in a recording that can be explained."""


@record
class Draw:
    """One draw of a call; an indirect call may have several. Either `info` or `mesh` is set."""

    info: DrawInfo | None
    mesh: MeshDraw | None = None


class _WatchedDevice:
    """A device that passes each draw to `watch`, one at a time and always through Python."""

    def __init__(self, device: Device) -> None:
        self.inner = device
        self.watch: Callable[[Draw, Callable[[], Sequence[str]]], Sequence[str]] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def install_entries(self, owner: type, *, is_observed: bool = False) -> None:
        """Install no native entries: each call must go through its Python method."""

    def draw(self, state: DrawState, info: DrawInfo) -> None:
        """See `Device.draw`."""

        def carry_out() -> Sequence[str]:
            self.inner.draw(state, info)
            return ()

        self._watched(Draw(info), carry_out)

    def draw_many(self, state: DrawState, many: Any) -> None:
        """Accept none of the rows, so that the context draws each with `draw`."""

    def draw_mesh(self, state: DrawState, draw: MeshDraw) -> Sequence[str]:
        """See `Device.draw_mesh`."""
        return self._watched(Draw(None, draw), lambda: self.inner.draw_mesh(state, draw))

    def _watched(self, draw: Draw, carry_out: Callable[[], Sequence[str]]) -> Sequence[str]:
        return carry_out() if self.watch is None else self.watch(draw, carry_out)


class ReplayContext(Context):
    """A context without native entries."""

    is_observed = True

    def __init__(self, screen: Screen, device: Device) -> None:
        self.watched: Any = _WatchedDevice(device)
        self._of_draws: dict[tuple[Hashable, ...], tuple[object, Any]] = {}
        super().__init__(screen, self.watched)

    def made_once(self, of: object, key: tuple[Hashable, ...], make: Callable[[], T]) -> T:
        """The object that `make` builds for `of` and a key, cached, because draws with equal programs share kernels and templates."""
        entry = self._of_draws.get((id(of), *key))
        if entry is None:
            entry = self._of_draws[id(of), *key] = of, make()
        return cast(T, entry[1])

    def draw_again(self, draw: Draw) -> None:
        """Execute a draw with the state bound now, without `watch`, and wait for it."""
        device = self.watched.inner
        device.set_framebuffer(self.targets.framebuffer)
        if draw.info is not None:
            device.draw(self.state, draw.info)
        elif draw.mesh is not None:
            device.draw_mesh(self.state, draw.mesh)
        device.flush()


def _take_plain_methods() -> None:
    for part in Context.__mro__[1:]:
        for name, method in vars(part).items():
            if not name.startswith("_") and isfunction(method) and hasattr(Context, name) and name != "destroy":
                setattr(ReplayContext, name, plain_method(name))


_take_plain_methods()


class Replay(TracePlayer):
    """Replays a recording on a `ReplayContext`.

    Attributes:
        number: of the current command, as ``tgsi-replay --print`` counts. context: the context.
    """

    context: ReplayContext

    def __init__(
        self, like: Screen, before: Callable[[Call], None], after: Callable[[Call], None], programs: Mapping[int, Program] | None = None
    ) -> None:
        """like: the screen whose devices and settings to use. before, after: called before and after each call. programs: by shader.

        A recording has the text of a program as the caller gave it, without the lines and names of its language, and before the passes that
        its context ran. With `programs`, shaders have the programs that drew.
        """
        self.screen = Screen(0, device=like._device_factory, lanes=like.lanes, cpu=like.cpu, cache_dir=like.cache_dir or "")
        self.context = ReplayContext(self.screen, self.screen._device_factory.make_device(self.screen))
        self.screen._contexts.add(self.context)
        super().__init__(self.screen, self.context, lambda digest: None, is_native=False)
        self._before, self._after, self._programs = before, after, programs or {}
        self._numbers: dict[int, int] = {}
        self.number = 0

    def run(self, data: bytearray) -> str:
        """Replay all calls. Returns why the replay stopped early, or an empty text."""
        words = words_of(data)
        try:
            self._numbers = {item.at: number for number, item in enumerate(items(words, PREFIX.size))}
            self.play(data)
        except RecordingError as error:
            return str(error)
        return ""

    def close(self) -> None:
        """Release all objects."""
        self.context.watched.watch = None
        self._objects.clear()
        self.screen.destroy()

    def object_of(self, handle: int) -> Any:
        """The object of a handle, or None."""
        return self._objects.get(handle)

    def handle_of(self, thing: Any) -> int:
        """The handle of an object, or 0."""
        return self._handle_of(thing)

    def _perform(self, call: Call) -> None:
        self.number = self._numbers.get(self._player.at, 0)
        self._before(call)
        if call.row.does is Does.NUMBER and not call.raises:
            call_context(self.context, call)  # not compared: watched draws run several times, and some queries count every run
        else:
            super()._perform(call)
        shader = self._objects.get(call.result) if call.result in self._programs else None
        if isinstance(shader, Shader):
            shader.program = self._programs[call.result]
        self._after(call)
