"""Uniforms, textures and vertices by the names of the bound shaders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backends.device.interface import Device
from backends.gallium.context.core import ContextCore
from backends.gallium.context.handles import check_object
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.view import SamplerView
from tgsi.language.facts.enums import Processor
from tgsi.language.program import Program


class NamedBindings(ContextCore):
    """Bindings by the names of the shaders' interfaces: set_uniforms, set_textures, set_vertices."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._named_views: dict[tuple[int, int], SamplerView] = {}  # of set_textures, by stage and unit
        self._memories.append(self._named_views.clear)

    def set_uniforms(self, values: Mapping[str, Any]) -> None:
        """Set uniforms of the bound shaders by name, in every stage that uses them. (an extension)

        Other uniforms keep their values.

        Args:
            values: name -> number, nested numbers, or an array. A vector has its components, a matrix its rows outside, as numpy's have
                (GLSL's `m * v` is `m @ v`), an array its elements. Members of blocks and structs are ``"Block.member"``, or a mapping in
                the place of a value; a member of a block also goes by its own name, an element of an array is ``"lights[2]"``.
                `Program.interface` lists them.

        The values become constant buffers: bind shaders first, and call this again after another shader was bound. Default uniforms that
        were never set get the initial values of the text; ``set_uniforms({})`` sets only these.

        Raises:
            TypeError, ValueError: no bound shader uses a name, or a value does not fit; nothing is set then.
        """
        from backends.device.uniforms import changed_buffers  # loaded only when uniforms are set by name

        for stage, slot, data in changed_buffers(self._bound_shaders(), values):
            self.set_constant_buffer(stage, data, index=slot)

    def set_textures(self, textures: Mapping[str, Any]) -> None:
        """Set textures of the bound shaders by the names of their samplers, in every stage that uses them. (an extension)

        Args:
            textures: name -> Resource or SamplerView, or a pair of one and its sampler: an object from `create_sampler_state`, or a
            mapping of its fields, such as ``(texture, {"wrap_s": "CLAMP_TO_EDGE"})``. An array of samplers takes a list. Without a
                sampler, texels and levels are filtered linearly and repeat; integers are not filtered. A shadow sampler compares
                (LEQUAL) and does not repeat.

        Bind shaders first, and call this again after another shader was bound.

        Raises:
            TypeError, ValueError: no bound shader uses a name, or a value is not a texture; nothing is set then.
        """
        from backends.gallium.context.by_name.textures import texture_units  # loaded only when textures are set by name

        views = []
        for item in texture_units(self._bound_programs(), textures):
            place, texture = (item.stage, item.unit), item.texture
            if isinstance(texture, SamplerView):
                view, own_view = texture, None
            else:
                own_view = self._named_views.get(place)
                if own_view is None or own_view.texture is not texture:
                    own_view = self.create_sampler_view(texture)
                view = own_view
            sampler = self.create_sampler_state(**item.sampler) if isinstance(item.sampler, Mapping) else item.sampler
            check_object(sampler, "sampler", self._owner, "set_textures")
            self._check_view(view, "set_textures")
            views.append((place, view, own_view, sampler))
        for place, view, own_view, sampler in views:
            self.bind_sampler_states(place[0], [sampler], start=place[1])
            self.set_sampler_views(place[0], [view], start=place[1])
            if own_view is not None:
                self._named_views[place] = own_view

    def _check_view(self, view: SamplerView, name: str) -> None:
        """ValueError for a view that cannot be bound here."""
        if view.context is not self:
            raise ValueError(f"{name}: the view belongs to another context")
        if view.is_destroyed:
            raise ValueError(f"{name}: the view was destroyed")

    def set_vertices(self, vertices: Any) -> None:
        """Set the vertex buffers and vertex elements by the names that the bound vertex shader reads. (an extension)

        Args:
            vertices: an array with named fields, or a mapping of names to arrays that have a row for each vertex. A matrix has a row for
                each of its columns in GLSL. Formats follow from dtypes as in `gallium.vertex_elements`. Names that the shader does not
                read are allowed. The arrays are copied.

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
