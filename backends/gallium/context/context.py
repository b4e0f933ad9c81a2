"""The rendering context: every method of Gallium's pipe_context under its own name, with one class and module for each part."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from backends.device.interface import Device
from backends.gallium.context.bindless import Bindless
from backends.gallium.context.blits import Blits
from backends.gallium.context.buffers import BufferBindings
from backends.gallium.context.bundles import Bundles
from backends.gallium.context.clears import Clears
from backends.gallium.context.compute import Compute
from backends.gallium.context.debug import Debug
from backends.gallium.context.draws import Draws
from backends.gallium.context.flushing import Flushing
from backends.gallium.context.framebuffer import Framebuffers
from backends.gallium.context.link_states import LinkStates
from backends.gallium.context.many_draws import ManyDrawing
from backends.gallium.context.parameters import Parameters
from backends.gallium.context.queries import Queries
from backends.gallium.context.refused import Refused
from backends.gallium.context.sampler_states import SamplerStates
from backends.gallium.context.sampler_views import SamplerViews
from backends.gallium.context.shader_resources import ShaderResources
from backends.gallium.context.shaders import Shaders
from backends.gallium.context.state_objects import StateObjects
from backends.gallium.context.stream_output import StreamOutputs
from backends.gallium.context.transfers import Transfers
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.view import SamplerView
from backends.gallium.threads.gate import one_at_a_time
from tgsi.language.facts.enums import Processor
from tgsi.language.program import Program


@one_at_a_time
class Context(
    StateObjects,
    SamplerStates,
    SamplerViews,
    Shaders,
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
    LinkStates,
    Debug,
    Refused,
):
    """A context of a screen: the bound state, and the methods that draw with it. Made by `Screen.context_create`.

    Arguments after the first are keywords. Enumerations are taken as members, numbers or names, with or without the PIPE_ prefix.
    Misuse raises TypeError or ValueError naming the argument; a feature that does not exist yet raises UnsupportedError naming it. Every
    ``destroy_`` method of a state object or shader also has its ``delete_`` name. Threads may take turns with a context; a call while
    another thread is in a method raises RuntimeError. Use a context as a context manager or call `destroy`.

    time_limit: the most seconds of one call, as its Screen has it; it may be changed if the Screen has one.
    """

    time_limit: float | None = None

    def __init__(self, screen: ScreenCore, device: Device, *, priv: Any = None, flags: int = 0) -> None:
        super().__init__(screen, device)
        device.install_entries(Context)
        self.priv = priv
        self.flags = flags
        self._named_views: dict[tuple[int, int], SamplerView] = {}  # of set_textures, by stage and unit

    def __repr__(self) -> str:
        return f"<Context of {self.screen.get_name()!r}{', destroyed' if self.is_destroyed else ''}>"

    def set_textures(self, textures: Mapping[str, Any]) -> None:
        """Set textures of the bound shaders by the names of their samplers, in every stage that uses them. (an extension)

        Args:
            textures: name -> Resource or SamplerView, or a pair of one and its sampler: what `create_sampler_state` returned, or a mapping
                of its fields, such as ``(texture, {"wrap_s": "CLAMP_TO_EDGE"})``. An array of samplers takes a list. Without a
                sampler, texels and levels are filtered linearly and repeat; integers are not filtered. A shadow sampler compares
                (LEQUAL) and does not repeat.

        Bind shaders first, and call this again after another shader was bound.

        Raises:
            TypeError, ValueError: no bound shader uses a name, or a value is no texture; nothing is set then.
        """
        from backends.gallium.context.by_name.textures import texture_units  # loaded only when textures are set by name

        found = []
        for item in texture_units(self._bound_programs(), textures):
            place, texture = (item.stage, item.unit), item.texture
            if isinstance(texture, SamplerView):
                view, made = texture, None
            else:
                made = self._named_views.get(place)
                if made is None or made.texture is not texture:
                    made = self.create_sampler_view(texture)
                view = made
            sampler = self.create_sampler_state(**item.sampler) if isinstance(item.sampler, Mapping) else item.sampler
            found.append((place, view, made, sampler))
        for place, view, made, sampler in found:
            self.bind_sampler_states(place[0], [sampler], start=place[1])
            self.set_sampler_views(place[0], [view], start=place[1])
            if made is not None:
                self._named_views[place] = made

    def set_vertices(self, vertices: Any) -> None:
        """Set the vertex buffers and vertex elements by the names that the bound vertex shader reads. (an extension)

        Args:
            vertices: an array with named fields, or a mapping of names to arrays that have a row for each vertex. A matrix has a row for
                each of its columns in GLSL. Formats are those of `gallium.vertex_elements`. Names that the shader does not read are
                allowed. The arrays are copied.

        Raises:
            TypeError: elements that no format has, such as float64.
            ValueError: no vertex shader is bound, or it reads a name that no vertex has.
        """
        from backends.gallium.context.by_name.vertices import vertex_layout  # loaded only when vertices are set by name

        elements, arrays = vertex_layout(self._bound_programs().get(int(Processor.VERT)), vertices)
        self.bind_vertex_elements_state(self.create_vertex_elements_state(elements))
        self.set_vertex_buffers(arrays)

    def _bound_programs(self) -> dict[int, Program]:
        """The program of each stage that has one."""
        return {stage: shader.program for stage, shader in self._bound_shaders().items()}

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
            self._synchronize()
        finally:
            self.is_destroyed = True
            self._gate.close()
            self.device.close()
            self._close_compute()

    def __enter__(self) -> Context:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.destroy()
