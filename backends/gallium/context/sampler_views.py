"""Sampler views: textures as shaders sample them, and their binding to the units of stages."""

from __future__ import annotations

from collections.abc import Sequence

from backends.device.commands.bound_record import view_word
from backends.device.commands.known_objects import Kind
from backends.formats import AnyFormat
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.room import with_room
from backends.gallium.resource.view import SamplerView, sampler_view, swizzle_of
from backends.pipe.checks import integer
from backends.pipe.enums import ShaderType, Swizzle, TextureTarget, lookup
from backends.pipe.limits import MAX_SAMPLER_VIEWS


class SamplerViews(ContextCore):
    """Sampler views: create_sampler_view, sampler_view_destroy, set_sampler_views."""

    def create_sampler_view(
        self,
        texture: Resource,
        *,
        format: AnyFormat | str | None = None,
        target: TextureTarget | int | str | None = None,
        swizzle: str | Sequence[Swizzle | int | str] = "xyzw",
        swizzle_r: Swizzle | int | str | None = None,
        swizzle_g: Swizzle | int | str | None = None,
        swizzle_b: Swizzle | int | str | None = None,
        swizzle_a: Swizzle | int | str | None = None,
        first_level: int = 0,
        last_level: int | None = None,
        first_layer: int = 0,
        last_layer: int | None = None,
        offset: int = 0,
        size: int | None = None,
        first_element: int | None = None,
        last_element: int | None = None,
    ) -> SamplerView:
        """Create a view of a texture for samplers. Format and target default to the texture's own, ranges to all of it.

        `swizzle` is four of ``xyzw01``; `swizzle_r` to `swizzle_a` name the source of one component each. Of buffers, `offset` and `size`
        are a range of bytes, `first_element` and `last_element` one of texels.

        Raises:
            TypeError: a range of a buffer in bytes and in texels.
            ValueError: format or target do not fit the texture, or a range is empty or outside.

        (context.rst, "Sampler Views")
        """
        self.checks.resource(texture, "create_sampler_view: texture")
        from backends.gallium.resource.buffer_range import BufferRange  # loaded with the first view

        return with_room(
            self,
            lambda: sampler_view(
                self,
                texture,
                format=format,
                target=target,
                swizzle=swizzle_of(swizzle, (swizzle_r, swizzle_g, swizzle_b, swizzle_a), "create_sampler_view"),
                first_level=first_level,
                last_level=last_level,
                first_layer=first_layer,
                last_layer=last_layer,
                extent=BufferRange(offset, size, first_element, last_element),
            ),
        )

    def sampler_view_destroy(self, view: SamplerView) -> None:
        """Destroy a sampler view. (context.rst, "Sampler Views")"""
        if not isinstance(view, SamplerView):
            raise TypeError(f"sampler_view_destroy: view: expected a SamplerView, not {type(view).__name__}")
        if view.context is not self:
            raise ValueError("sampler_view_destroy: view: it belongs to another context")
        if view.is_destroyed:
            raise ValueError("sampler_view_destroy: view: it was destroyed")
        self.state.known.forget(view)
        self.state.forget(view.bound)
        view.destroy()

    def set_sampler_views(self, stage: ShaderType | int | str, views: Sequence[SamplerView | None], *, start: int = 0) -> None:
        """Bind sampler views to the units of a stage from `start` on; None leaves a unit empty (samples read 0, 0, 0, 1).

        (context.rst, "Sampler Views")
        """
        name = "set_sampler_views"
        kind = lookup(ShaderType, stage, f"{name}: stage")
        first = integer(start, f"{name}: start", 0, MAX_SAMPLER_VIEWS)
        if isinstance(views, (str, bytes, SamplerView)) or not isinstance(views, Sequence):
            raise TypeError(f"{name}: views: expected a sequence, not {type(views).__name__}")
        if first + len(views) > MAX_SAMPLER_VIEWS:
            raise ValueError(f"{name}: views: unit {first + len(views) - 1} does not exist; there are {MAX_SAMPLER_VIEWS}")
        for index, view in enumerate(views):
            if view is None:
                continue
            if not isinstance(view, SamplerView):
                way = "; create_sampler_view makes one of a texture" if isinstance(view, Resource) else ""
                raise TypeError(f"{name}: views[{index}]: expected a SamplerView, not {type(view).__name__}{way}")
            if view.context is not self:
                raise ValueError(f"{name}: views[{index}]: it belongs to another context")
            if view.is_destroyed:
                raise ValueError(f"{name}: views[{index}]: it was destroyed")
        for view in views:
            if view is not None:
                self.order.note_use(view.texture)
        self.state.stage[kind].put_views(first, [None if view is None else view.bound for view in views])
        self._learn_stage(stage, kind)
        for unit, view in enumerate(views, first):
            if view is not None and view.context is self and view.texture.user is None:
                self.state.known.learn(view, Kind.SAMPLER_VIEW, self.state.record.words[view_word(kind, unit)], end=view.texture.ended)
