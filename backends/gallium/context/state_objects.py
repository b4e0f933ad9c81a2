"""Constant state objects: create_ for every kind, and common parts of bind_ and destroy_."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from backends.device.commands.bound_record import Word
from backends.device.commands.known_objects import Kind
from backends.device.interface import Device
from backends.gallium.context.core import ContextCore
from backends.gallium.context.handles import StateObject, check_object
from backends.gallium.resource.screen_core import ScreenCore
from backends.pipe.checks import make, sequence
from backends.pipe.field_list import takes_fields
from backends.pipe.limits import (
    MAX_ATTRIBUTES,
    MAX_COLOR_BUFFERS,
    MAX_DILATE,
)
from backends.pipe.state import (
    BlendState,
    DepthStencilAlphaState,
    RasterizerState,
    RenderTargetBlend,
    VertexElement,
)
from linkage.options import IDENTITY, LinkState, link_state
from tgsi.language.facts.semantics import Semantic

if TYPE_CHECKING:
    from backends.pipe.keywords import BlendStateFields, DepthStencilAlphaStateFields, RasterizerStateFields

S = TypeVar("S")
_TARGET_FIELDS = frozenset(item.name for item in fields(RenderTargetBlend))


class StateObjects(ContextCore):
    """Blend, rasterizer, depth-stencil-alpha and vertex elements objects, and link states.

    A `create_` call takes a template, fields by keyword, or both; enumerations may be names. Equal templates share one state.
    """

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._interned: dict[Any, Any] = {}

    def _create_object(self, kind: str, state: S) -> StateObject[S]:
        """A handle of a checked template. Equal templates share one state, by whose identity the device recognizes a repeated draw."""
        if len(self._interned) > 4096:
            self._interned.clear()
        return StateObject(kind, self._interned.setdefault(state, state), self._owner)

    def _destroy_object(self, handle: Any, kind: str) -> None:
        """Mark a handle as destroyed: later uses are refused. Errors as for `check_object`."""
        name = f"destroy_{kind}_state"
        check_object(handle, kind, self._owner, name)
        handle.is_destroyed = True
        self.state.known.forget(handle)

    @takes_fields(BlendState, RenderTargetBlend)
    def create_blend_state(self, state: BlendState | None = None, /, **keywords: Unpack[BlendStateFields]) -> StateObject[BlendState]:
        """Create a blend object from fields of BlendState. Fields of RenderTargetBlend are taken, too; they fill rt[0].

        Example: ``create_blend_state(blend_enable=True, rgb_src_factor="SRC_ALPHA", rgb_dst_factor="INV_SRC_ALPHA")``.

        Raises:
            TypeError, ValueError: a field does not exist or has a wrong value; the message names it.

        (context.rst, "CSO State")
        """
        name = "create_blend_state"
        rest: dict[str, Any] = dict(keywords)
        first = {field: rest.pop(field) for field in keywords if field in _TARGET_FIELDS}
        if first:
            if "rt" in rest:
                raise TypeError(f"{name}: rt: give targets or single fields of the first one, not both")
            targets = state.rt if isinstance(state, BlendState) else ()
            target = make(RenderTargetBlend, targets[0] if targets else None, first, name)
            rest["rt"] = (target, *targets[1:])
        blend = make(BlendState, state, rest, name)
        if len(blend.rt) > MAX_COLOR_BUFFERS:
            raise ValueError(f"{name}: rt: {len(blend.rt)} targets, at most {MAX_COLOR_BUFFERS} are possible")
        return self._create_object("blend", blend)

    @takes_fields(RasterizerState)
    def create_rasterizer_state(
        self, state: RasterizerState | None = None, /, **keywords: Unpack[RasterizerStateFields]
    ) -> StateObject[RasterizerState]:
        """Create a rasterizer object from the fields of RasterizerState, e.g. ``create_rasterizer_state(cull_face="BACK")``.

        (context.rst, "CSO State")
        """
        rasterizer = make(RasterizerState, state, keywords, "create_rasterizer_state")
        if not 0 <= rasterizer.conservative_raster_dilate <= MAX_DILATE:
            message = f"{rasterizer.conservative_raster_dilate} is not from 0 to {MAX_DILATE} (pixels)"
            raise ValueError(f"create_rasterizer_state: conservative_raster_dilate: {message}")
        for field in ("line_width", "point_size", "offset_units", "offset_scale", "offset_clamp"):
            value = getattr(rasterizer, field)
            if not math.isfinite(value) or (value < 0 and not field.startswith("offset")):
                raise ValueError(f"create_rasterizer_state: {field}: {value} is not a size")
        return self._create_object("rasterizer", rasterizer)

    @takes_fields(DepthStencilAlphaState)
    def create_depth_stencil_alpha_state(
        self, state: DepthStencilAlphaState | None = None, /, **keywords: Unpack[DepthStencilAlphaStateFields]
    ) -> StateObject[DepthStencilAlphaState]:
        """Create a depth-stencil-alpha object, e.g. from ``depth=dict(enabled=True, writemask=True, func="LESS")``.

        `stencil` takes one state (both faces) or two.

        (context.rst, "CSO State")
        """
        stencil = keywords.get("stencil")
        if isinstance(stencil, Mapping) or (stencil is not None and not isinstance(stencil, Sequence)):
            keywords["stencil"] = (stencil, {})
        elif isinstance(stencil, Sequence) and len(stencil) == 1:
            keywords["stencil"] = (stencil[0], {})
        return self._create_object("depth_stencil_alpha", make(DepthStencilAlphaState, state, keywords, "create_depth_stencil_alpha_state"))

    def create_vertex_elements_state(
        self, elements: Sequence[VertexElement | Mapping[str, Any] | Sequence[Any]]
    ) -> StateObject[tuple[VertexElement, ...]]:
        """Create a vertex elements object; element k feeds vertex shader input k. (context.rst, "CSO State")

        An element is a VertexElement, its fields as a dictionary, or (src_offset, src_format[, buffer index[, divisor]]).
        """
        name = "create_vertex_elements_state"
        if isinstance(elements, (str, bytes, Mapping)) or not isinstance(elements, Sequence):
            raise TypeError(f"{name}: elements: expected a sequence, not {type(elements).__name__}")
        if len(elements) > MAX_ATTRIBUTES:
            raise ValueError(f"{name}: elements: {len(elements)} are too many; {MAX_ATTRIBUTES} are possible")
        names = [item.name for item in fields(VertexElement)]
        checked = []
        for index, item in enumerate(elements):
            argument = f"{name}: elements[{index}]"
            parts = item if isinstance(item, (VertexElement, Mapping)) else dict(zip(names, sequence(item, argument)))
            checked.append(make(VertexElement, parts, {}, argument))
        return self._create_object("vertex_elements", tuple(checked))

    def create_link_state(self, mapping: Mapping[Semantic | str, Semantic | str] | LinkState) -> StateObject[LinkState]:
        """Create a link state: fragment input semantic -> the output semantic that feeds it, e.g. ``{"GENERIC[0]": "TEXCOORD[2]"}``.

        Inputs without an entry are fed by their own semantic. Two inputs may be fed by one output. Equal mappings share one state.

        Raises:
            TypeError, ValueError: the mapping or one of its semantics is wrong.

        (an extension)
        """
        link = mapping if isinstance(mapping, LinkState) else link_state(mapping, "create_link_state: mapping")
        return self._create_object("link", link)


_DEFAULTS: dict[str, Any] = {
    "blend": BlendState(),
    "rasterizer": RasterizerState(),
    "depth_stencil_alpha": DepthStencilAlphaState(),
    "vertex_elements": (),
    "link": IDENTITY,
}
"""States that None binds, by kind: the names of `DrawState`'s fields."""


def bind_object(context: ContextCore, handle: StateObject[Any] | None, kind: str, word: Word, known: Kind | None) -> None:
    """Bind a state object, or the defaults of its kind, and let the native entry of the method recognize it."""
    name = f"bind_{kind}_state"
    if handle is None:
        setattr(context.state, kind, _DEFAULTS[kind])
        return
    check_object(handle, kind, context._owner, name)
    if kind == "vertex_elements":
        context._check_doubles(handle.state, name)
    setattr(context.state, kind, handle.state)
    number = context.state.record.words[word]
    if number and known is not None:
        context.state.known.learn(handle, known, number)
