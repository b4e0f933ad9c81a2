"""State without objects: small values, each with its own setter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from backends.device.commands.bound_record import Word
from backends.device.commands.known_objects import Kind
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.boxes import windows_of
from backends.pipe.checks import integer, make, real, sequence, truth
from backends.pipe.limits import MAX_PATCH_VERTICES, MAX_TARGET_SAMPLES, MAX_VIEWPORTS, MAX_WINDOW_COORDINATE
from backends.pipe.state import BlendColor, ClipState, PolyStipple, ScissorState, StencilRef, ViewportState

T = TypeVar("T")


def are_numbers(thing: object) -> bool:
    """True for a number, and for a tuple or a template of numbers: things that never change."""
    kind = type(thing)
    if kind in (ViewportState, ScissorState, BlendColor, StencilRef):
        return all(are_numbers(getattr(thing, item.name)) for item in fields(kind))
    return kind in (int, float) or (kind is tuple and all(map(are_numbers, thing)))  # type: ignore[call-overload]


_EDGES = ("minx", "miny", "maxx", "maxy")
_EDGE_NAMES, _TRIPLE = frozenset(_EDGES), [float] * 3


def _plain(kind: type[T], state: Any) -> T | None:
    """A template that needs no conversion: the given one, or a scissor of exact integers by name; otherwise None."""
    if type(state) is kind:
        if isinstance(state, ViewportState):
            parts = state.scale, state.translate
            is_plain = all(type(part) is tuple and [*map(type, part)] == _TRIPLE for part in parts)
        else:
            is_plain = are_numbers(state)
        return state if is_plain else None
    if type(state) is dict and kind is ScissorState and state.keys() <= _EDGE_NAMES and all(type(v) is int for v in state.values()):
        return kind(**state)
    return None


class Parameters(ContextCore):
    """Viewports, scissors, stencil references, masks, clip planes, stipples, tessellation levels."""

    def set_viewport_states(self, states: Sequence[ViewportState | Mapping[str, Any]], *, start: int = 0) -> None:
        """Set viewports from number `start` on: window = ndc * scale + translate. (context.rst, "Non-CSO State")"""
        self.state.viewports = self._states(ViewportState, self.state.viewports, states, start, "set_viewport_states")
        self._learn_single(states, self.state.viewports, Kind.VIEWPORT, Word.VIEWPORTS)

    def rebind_viewports(self, bound: tuple[ViewportState, ...]) -> None:
        """Set checked viewports unchanged: a value that `state.viewports` had before, by whose identity the device recognizes a repeated
        draw.

        (an extension)
        """
        self.state.viewports = bound

    def set_scissor_states(self, states: Sequence[ScissorState | Mapping[str, Any]], *, start: int = 0) -> None:
        """Set scissor rectangles from number `start` on; they hold only while the rasterizer state has `scissor`.

        (context.rst, "Non-CSO State")
        """
        scissors = self._states(ScissorState, self.state.scissors, states, start, "set_scissor_states")
        for item in scissors:
            for field, value in zip(_EDGES, (item.minx, item.miny, item.maxx, item.maxy)):
                if type(value) is not int or not 0 <= value <= MAX_WINDOW_COORDINATE:
                    integer(value, f"set_scissor_states: {field}", 0, MAX_WINDOW_COORDINATE)
        self.state.scissors = scissors
        self._learn_single(states, scissors, Kind.SCISSOR, Word.SCISSORS)

    def set_window_rectangles(self, include: bool = False, rectangles: Sequence[ScissorState | Mapping[str, Any]] = ()) -> None:
        """Draw only inside up to eight rectangles, or only outside them; without arguments, everywhere. (p_context.h)"""
        inside = truth(include, "set_window_rectangles: include")
        self.state.window_rectangles = (inside, windows_of(rectangles, "set_window_rectangles: rectangles"))

    def _states(self, kind: type[T], old: tuple[T, ...], states: Any, start: int, name: str) -> tuple[T, ...]:
        if isinstance(states, (kind, Mapping)):
            states = [states]
        sequence(states, f"{name}: states")
        first = integer(start, f"{name}: start", 0, MAX_VIEWPORTS)
        if first + len(states) > MAX_VIEWPORTS:
            raise ValueError(f"{name}: states: number {first + len(states) - 1} does not exist; there are {MAX_VIEWPORTS}")
        new = tuple([_plain(kind, item) or make(kind, item, {}, f"{name}: states[{i}]") for i, item in enumerate(states)])
        filled = old + tuple(kind() for _ in range(first - len(old)))
        return filled[:first] + new + filled[first + len(new) :]

    def _learn_single(self, states: Any, values: tuple[Any, ...], kind: Kind, word: Word) -> None:
        """Let the native entry of a method recognize the single object of a sequence, which holds only numbers."""
        if len(values) == 1 and type(states) in (list, tuple) and len(states) == 1 and states[0] == values[0]:
            self._learn_value(states[0], kind, word)

    def set_blend_color(self, color: BlendColor | Sequence[float]) -> None:
        """Set the constant color of blend factors. (context.rst, "Non-CSO State")"""
        template = color if isinstance(color, BlendColor) else {"color": color}
        self.state.blend_color = make(BlendColor, template, {}, "set_blend_color").color
        self._learn_value(color, Kind.COLOR, Word.BLEND_COLOR)

    def set_stencil_ref(self, ref: StencilRef | Sequence[int] | int) -> None:
        """Set the stencil reference values: front and back, or one for both. (context.rst, "Non-CSO State")"""
        template = ref if isinstance(ref, StencilRef) else {"ref_value": (ref, ref) if isinstance(ref, int) else ref}
        values = make(StencilRef, template, {}, "set_stencil_ref").ref_value
        self.state.stencil_ref = (integer(values[0], "set_stencil_ref: ref", 0, 255), integer(values[1], "set_stencil_ref: ref", 0, 255))
        self._learn_value(ref, Kind.REFERENCE, Word.STENCIL_REF)

    def _learn_value(self, value: Any, kind: Kind, word: Word) -> None:
        """Let the native entry of a method recognize a value that cannot change."""
        number = self.state.record.words[word]
        if number and self.state.known.is_second(value) and are_numbers(value):
            self.state.known.learn(value, kind, number)

    def set_sample_mask(self, mask: int) -> None:
        """Set the samples that may be written: bit k is sample k, bit 0 the only one of single-sampled targets.

        (context.rst, "Non-CSO State")
        """
        self.state.sample_mask = integer(mask, "set_sample_mask: mask")

    def set_min_samples(self, samples: int) -> None:
        """Set the least number of fragment shader runs for a pixel; more than 1 means one run for each sample.

        (context.rst, "Non-CSO State")
        """
        self.state.min_samples = integer(samples, "set_min_samples: samples", 0, 32)

    def set_sample_locations(self, locations: bytes | Sequence[int] | None = None) -> None:
        """Set the places of samples for draws whose rasterizer state has `multisample`. None or nothing: the standard ones.

        locations: one byte for each sample, the same for every pixel (`get_sample_pixel_grid` is 1 x 1): x in its low and y in its high
        four bits, in sixteenths of a pixel from its upper left corner. Samples without a byte lie at the center. `get_sample_position`
        still returns the standard places.

        (p_context.h)
        """
        name = "set_sample_locations: locations"
        places = () if locations is None else locations
        if not isinstance(places, (bytes, bytearray, memoryview)):
            sequence(places, name)
        if len(places) > MAX_TARGET_SAMPLES:
            raise ValueError(f"{name}: {len(places)} are too many; a pixel has {MAX_TARGET_SAMPLES} samples at most")
        checked = tuple([integer(value, f"{name}[{k}]", 0, 255) for k, value in enumerate(places)])
        self.state.sample_locations = checked or None

    def set_clip_state(self, state: ClipState | Sequence[Sequence[float]]) -> None:
        """Set up to eight user clip planes; bits of the rasterizer's clip_plane_enable switch them on. (context.rst, "Non-CSO State")"""
        template = state if isinstance(state, ClipState) else {"ucp": state}
        planes = make(ClipState, template, {}, "set_clip_state").ucp
        if len(planes) > 8:
            raise ValueError(f"set_clip_state: state: {len(planes)} planes; eight are possible")
        self.state.clip_planes = planes

    def set_polygon_stipple(self, state: PolyStipple | Sequence[int]) -> None:
        """Set the 32 words of the polygon stipple; the most significant bit is leftmost. (context.rst, "Non-CSO State")"""
        rows = state.stipple if isinstance(state, PolyStipple) else state
        sequence(rows, "set_polygon_stipple: state")
        words = tuple(integer(item, f"set_polygon_stipple: state[{i}]") for i, item in enumerate(rows))
        if len(words) != 32:
            raise ValueError(f"set_polygon_stipple: state: expected 32 words, not {len(words)}")
        self.state.polygon_stipple = words

    def set_tess_state(self, default_outer_level: Sequence[float], default_inner_level: Sequence[float] = (1.0, 1.0)) -> None:
        """Set the tessellation levels of patches without a control shader: four outer, two inner. (p_context.h)"""
        outer, inner = (
            tuple(real(item, f"set_tess_state: {field}") for item in sequence(levels, f"set_tess_state: {field}"))
            for field, levels in (("default_outer_level", default_outer_level), ("default_inner_level", default_inner_level))
        )
        if len(outer) != 4 or len(inner) != 2:
            raise ValueError("set_tess_state: expected four outer and two inner levels")
        self.state.put_levels(outer, inner)

    def set_patch_vertices(self, patch_vertices: int) -> None:
        """Set the number of vertices of a patch, 1 to 32, for draws with `vertices_per_patch` 0. (p_context.h)"""
        self.state.put_patch_vertices(integer(patch_vertices, "set_patch_vertices: patch_vertices", 1, MAX_PATCH_VERTICES))
