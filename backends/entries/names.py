"""Names of the methods that have native entries, and of the keywords that entries take. Numbers are places in these tuples."""

from __future__ import annotations

from backends.device.commands.bound_record import Word, shader_word
from backends.device.commands.known_objects import Kind
from tgsi.language.facts.enums import Processor

DRAW, CONSTANTS = "draw_vbo", "set_constant_buffer"
BINDINGS: dict[str, tuple[Kind, int]] = {
    "bind_blend_state": (Kind.BLEND, Word.BLEND),
    "bind_rasterizer_state": (Kind.RASTERIZER, Word.RASTERIZER),
    "bind_depth_stencil_alpha_state": (Kind.DEPTH_STENCIL_ALPHA, Word.DEPTH_STENCIL_ALPHA),
    "bind_vertex_elements_state": (Kind.VERTEX_ELEMENTS, Word.VERTEX_ELEMENTS),
    "bind_vs_state": (Kind.VERTEX_SHADER, shader_word(Processor.VERT)),
    "bind_fs_state": (Kind.FRAGMENT_SHADER, shader_word(Processor.FRAG)),
}
"""Methods that bind a handle, with its kind and the word that takes its number."""

GUARD = "guard"
"""The entry of every other method."""
ENTRIES = (DRAW, CONSTANTS, *BINDINGS)

PLAIN = {"count": "count", "start": "start", "instance_count": "instance_count", "start_instance": "start_instance"}
PLAIN |= {"restart_index": "restart_index", "drawid": "draw_id", "min_index": "pad", "max_index": "pad"}
"""Keywords of draw_vbo that are unsigned 32-bit numbers, with their fields of DrawCall. Those that only hint go to the padding."""
MODE, RESTART, BIAS, INDEX_SIZE, PATCH = "mode", "primitive_restart", "index_bias", "index_size", "vertices_per_patch"
INDEX = "index"  # of set_constant_buffer
KEYWORDS = (*PLAIN, MODE, RESTART, BIAS, INDEX_SIZE, PATCH, INDEX)
