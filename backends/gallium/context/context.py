"""The rendering context: every method of Gallium's pipe_context under its own name, with one class and module for each part."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from backends.device.interface import Device
from backends.gallium.context.bindless import Bindless
from backends.gallium.context.blits import Blits
from backends.gallium.context.buffers import BufferBindings
from backends.gallium.context.clears import Clears
from backends.gallium.context.compute import Compute
from backends.gallium.context.debug import Debug
from backends.gallium.context.draws import Draws
from backends.gallium.context.flushing import Flushing
from backends.gallium.context.framebuffer import Framebuffers
from backends.gallium.context.insight import Insight
from backends.gallium.context.many_draws import ManyDrawing
from backends.gallium.context.named_bindings import NamedBindings
from backends.gallium.context.object_calls import ObjectCalls
from backends.gallium.context.parameters import Parameters
from backends.gallium.context.queries import Queries
from backends.gallium.context.recording.bundles import Bundles
from backends.gallium.context.refused import Refused
from backends.gallium.context.sampler_states import SamplerStates
from backends.gallium.context.sampler_views import SamplerViews
from backends.gallium.context.shader_resources import ShaderResources
from backends.gallium.context.state_objects import StateObjects
from backends.gallium.context.stream_output import StreamOutputs
from backends.gallium.context.transfers import Transfers
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.threads.gate import one_at_a_time


@one_at_a_time
class Context(
    StateObjects,
    SamplerStates,
    SamplerViews,
    ObjectCalls,
    BufferBindings,
    ShaderResources,
    Framebuffers,
    Parameters,
    StreamOutputs,
    Clears,
    Draws,
    ManyDrawing,
    Bundles,
    Queries,
    Flushing,
    Blits,
    Transfers,
    Compute,
    Bindless,
    Debug,
    Insight,
    NamedBindings,
    Refused,
):
    """A context of a screen: the bound state, and the methods that draw with it. Made by `Screen.context_create`.

    Arguments after the first are keywords. Enumerations are taken as members, numbers or names, with or without the PIPE_ prefix.
    Misuse raises TypeError or ValueError naming the argument; a feature that does not exist yet raises UnsupportedError naming it. Every
    ``destroy_`` method of a state object or shader also has its ``delete_`` name. Threads may take turns with a context; a call while
    another thread is in a method raises RuntimeError. Use a context as a context manager or call `destroy`.

    time_limit: most seconds of one call, from its Screen; it may be changed if the Screen has a limit.
    """

    time_limit: float | None = None

    def __init__(self, screen: ScreenCore, device: Device, *, priv: Any = None, flags: int = 0) -> None:
        super().__init__(screen, device)
        device.install_entries(Context)
        self.priv = priv
        self.flags = flags

    def _repr_html_(self) -> str:
        """The currently bound targets."""
        from tgsi.language import notebook

        shown = notebook.heading(repr(self).strip("<>"))
        if self.is_destroyed:
            return shown
        textures = [target.living_texture for target in self.targets.surfaces if target is not None]
        return shown + "".join(texture._repr_html_() for texture in textures if texture is not None)

    def __repr__(self) -> str:
        return f"<Context of {self.screen.get_name()!r}{', destroyed' if self.is_destroyed else ''}>"

    def destroy(self) -> None:
        """Carry out pending work and release everything. Further calls raise ValueError; destroying twice is allowed. (p_context.h)

        A method that runs in another thread is waited for.
        """
        if self._gate.is_mine:
            raise ValueError("destroy: a method of the context is running")
        with self._gate.held() as is_open:
            if is_open:
                self._end()

    def _end(self) -> None:
        try:
            self.order.synchronize()
        finally:
            self.is_destroyed = True
            self._gate.close()
            self._unbind()
            self.device.close()
            self._close_compute()

    def _unbind(self) -> None:
        """Release everything bound or cached, so that a destroyed context which is still referenced keeps no resource."""
        self._compute_shader = None
        self.targets.put()
        self.order.forget()
        for let_go in (*self._holdings, *self._memories):
            let_go()
        self.state.end()

    def __enter__(self) -> Context:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.destroy()
