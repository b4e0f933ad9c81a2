"""Table of the methods of a context: which calls are recorded, what they return, and which words of the bound state they determine."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from enum import Enum, auto
from typing import Any

from backends.device.commands.bound_record import BoundRecord, Hindrance, Word, sampler_word, shader_word, view_word
from backends.pipe.enums import ShaderType, lookup
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import STAGES
from tgsi.language.record import record

Given = Mapping[str, Any]
"""Arguments by name."""


class Does(Enum):
    """Kinds of methods."""

    CREATE = auto()  # the result is an object, which gets a handle
    DESTROY = auto()  # the first argument is an object that ends
    SET = auto()  # changes state, draws, or writes memory; the result is None or does not matter
    NUMBER = auto()  # like SET; the result is the same in every run
    READ = auto()  # fills memory of the caller, the argument `into`
    MAP = auto()  # the result is a mapping
    FLUSH = auto()  # the result is a fence
    ASK = auto()  # changes nothing that later calls could see: not recorded
    OWN = auto()  # no method of a context: what the player of a stored recording does itself
    ADDRESS = auto()  # takes addresses of memory: cannot be recorded


@record
class Places:
    """Words of the bound state that a call determines, whatever was bound before.

    words: from the arguments to the places; None: this call determines less. unless: Hindrance bits with which it has more effects.
    hinders: those that it sets.
    """

    words: Callable[[Given], Iterable[int] | None]
    unless: int = 0
    hinders: int = 0


@record
class Method:
    """A row. number: its place in the table, by which commands name it."""

    number: int
    name: str
    does: Does
    places: Places | None = None


@functools.lru_cache(512)
def signature_of(method: Callable[..., Any]) -> inspect.Signature:
    """The signature of a method, read once: that of a native entry is text, which costs half a millisecond to parse."""
    return inspect.signature(method)


def _word(place: int, unless: int = 0) -> Places:
    return Places(lambda given: (place,), unless)


def _whole(place: int) -> Places:
    """All of a list is set."""
    return Places(lambda given: (place,) if not given.get("start") else None)


def _units(first: Callable[[int, int], int], items: str) -> Places:
    def words(given: Given) -> Iterable[int]:
        stage, start = lookup(ShaderType, given["stage"], "stage"), given.get("start", 0)
        return range(first(stage, start), first(stage, start) + len(given[items]))

    return Places(words)


def _vertex_shader(given: Given) -> Iterable[int] | None:
    """A shader with stream output decides about stages, too."""
    return (shader_word(Processor.VERT),) if getattr(given["shader"], "stream_output", None) is None else None


_TARGETS = Places(lambda given: (BoundRecord.targets.offset // 8,), Hindrance.USER_MEMORY | Hindrance.OWN_SAMPLES, int(Hindrance.TARGETS))

_PLACES: dict[str, Places] = {
    "set_framebuffer_state": _TARGETS,
    "bind_blend_state": _word(Word.BLEND),
    "bind_rasterizer_state": _word(Word.RASTERIZER),
    "bind_depth_stencil_alpha_state": _word(Word.DEPTH_STENCIL_ALPHA),
    "bind_vertex_elements_state": _word(Word.VERTEX_ELEMENTS),
    "bind_vs_state": Places(_vertex_shader, Hindrance.STAGES),
    "bind_fs_state": _word(shader_word(Processor.FRAG)),
    "bind_link_state": _word(Word.LINK),
    "set_viewport_states": _whole(Word.VIEWPORTS),
    "set_scissor_states": _whole(Word.SCISSORS),
    "set_blend_color": _word(Word.BLEND_COLOR),
    "set_stencil_ref": _word(Word.STENCIL_REF),
    "set_sample_mask": _word(Word.SAMPLE_MASK),
    "set_min_samples": _word(Word.MIN_SAMPLES),
    "set_sample_locations": _word(Word.SAMPLE_LOCATIONS),
    "set_polygon_stipple": _word(Word.POLYGON_STIPPLE),
    "set_clip_state": _word(Word.CLIP_PLANES),
    "set_window_rectangles": _word(Word.WINDOW_RECTANGLES),
    "render_condition": _word(Word.CONDITION),
    "bind_sampler_states": _units(sampler_word, "samplers"),
    "set_sampler_views": _units(view_word, "views"),
}

_STATES = ("blend", "rasterizer", "depth_stencil_alpha", "vertex_elements", "sampler", "link")
_OBJECTS = (*_STATES, *(STAGES[stage].call for stage in Processor))
_CREATED = ["create_sampler_view", "create_surface", "create_stream_output_target", "create_query"]
_DESTROYED = ["sampler_view_destroy", "surface_destroy", "stream_output_target_destroy", "destroy_query"]
_SET_NAMES = """
set_border_words bind_sampler_states set_sampler_views set_constant_buffer set_vertex_buffers set_index_buffer rebind_viewports
set_shader_buffers set_shader_images set_hw_atomic_buffers set_compute_resources set_shader_resources set_framebuffer_state
set_viewport_states set_scissor_states set_window_rectangles set_blend_color set_stencil_ref set_sample_mask set_min_samples
set_clip_state set_polygon_stipple set_tess_state set_patch_vertices set_stream_output_targets clear clear_render_target
clear_depth_stencil clear_texture clear_buffer draw_vbo draw_mesh_tasks draw_many begin_query end_query get_query_result_resource
set_active_query_state render_condition texture_barrier memory_barrier flush_resource invalidate_resource resource_copy_region blit
generate_mipmap buffer_subdata texture_subdata transfer_inline_write launch_grid delete_texture_handle make_texture_handle_resident
delete_image_handle make_image_handle_resident emit_string_marker
"""
_SET = _SET_NAMES.split()
_NUMBER = ["create_texture_handle", "create_image_handle", "set_global_binding"]

_DOES: dict[str, Does] = {
    **{f"create_{kind}_state": Does.CREATE for kind in _OBJECTS},
    **{f"bind_{kind}_state": Does.SET for kind in _OBJECTS if kind != "sampler"},
    **{f"destroy_{kind}_state": Does.DESTROY for kind in _OBJECTS},
    **dict.fromkeys(_CREATED, Does.CREATE),
    **dict.fromkeys(_DESTROYED, Does.DESTROY),
    **dict.fromkeys(_SET, Does.SET),
    **dict.fromkeys(_NUMBER, Does.NUMBER),
    **dict.fromkeys(("buffer_read", "texture_read"), Does.READ),
    "get_query_result": Does.NUMBER,
    "flush": Does.FLUSH,
    "transfer_map": Does.MAP,
    **dict.fromkeys(("resource_create", "write_content", "write_mapped", "check_content"), Does.OWN),
    "set_sample_locations": Does.SET,
}

METHODS: dict[str, Method] = {name: Method(k, name, does, _PLACES.get(name)) for k, (name, does) in enumerate(_DOES.items())}
"""Recorded methods by name. Files name them by number: new ones are added at the end, or `layout.VERSION` changes."""
OF_NUMBER = tuple(METHODS.values())

BINDS = tuple(f"bind_{kind}_state" for kind in _OBJECTS if kind != "sampler")
"""Methods that bind one object. Commands name them by their places here, as they name methods."""

ALIASES = {f"delete_{kind}_state": f"destroy_{kind}_state" for kind in _OBJECTS}
"""Other names of recorded methods."""
_UNSEEN = """
create_batch_query resource_commit fence_server_sync fence_server_signal create_fence_fd create_video_codec create_video_buffer
get_compute_state_info get_timestamp get_sample_position set_debug_callback set_device_reset_callback
get_device_reset_status set_log_context dump_debug_state is_resource_referenced destroy
transfer_unmap transfer_flush_region set_uniforms set_textures set_vertices
"""
UNRECORDED: dict[str, Does] = {
    **dict.fromkeys(("rebind_vertex_buffers", "rebind_index_buffer"), Does.ADDRESS),
    **dict.fromkeys(_UNSEEN.split(), Does.ASK),
}
"""Methods that are not recorded: they change nothing that another call sees, always fail, or what they do is recorded in another way."""
