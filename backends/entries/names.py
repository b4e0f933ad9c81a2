"""Names of the methods that have native entries, and of the keywords that entries take. Numbers are places in these tuples."""

from __future__ import annotations

from backends.device.commands.bound_record import Word, shader_word
from backends.device.commands.known_objects import MIDDLE, Kind
from backends.pipe.limits import MAX_SAMPLER_VIEWS
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import STAGES

DRAW, CONSTANTS = "draw_vbo", "set_constant_buffer"
BINDINGS: dict[str, tuple[Kind, int]] = {
    "bind_blend_state": (Kind.BLEND, Word.BLEND),
    "bind_rasterizer_state": (Kind.RASTERIZER, Word.RASTERIZER),
    "bind_depth_stencil_alpha_state": (Kind.DEPTH_STENCIL_ALPHA, Word.DEPTH_STENCIL_ALPHA),
    "bind_vertex_elements_state": (Kind.VERTEX_ELEMENTS, Word.VERTEX_ELEMENTS),
    "bind_vs_state": (Kind.VERTEX_SHADER, shader_word(Processor.VERT)),
    "bind_fs_state": (Kind.FRAGMENT_SHADER, shader_word(Processor.FRAG)),
    **{f"bind_{STAGES[stage].call}_state": (kind, shader_word(stage)) for stage, kind in MIDDLE.items()},
    "set_blend_color": (Kind.COLOR, Word.BLEND_COLOR),
    "set_stencil_ref": (Kind.REFERENCE, Word.STENCIL_REF),
}
"""Methods that bind a handle or a value, with its kind and the word that takes its number."""
UNITS: dict[str, tuple[Kind, int]] = {
    "set_sampler_views": (Kind.SAMPLER_VIEW, 0),
    "bind_sampler_states": (Kind.SAMPLER, MAX_SAMPLER_VIEWS),
}
"""Methods that bind a sequence to the first units of a stage, with the kind of the items and the place of the first among the units."""
SINGLES: dict[str, tuple[Kind, int, str]] = {
    "set_viewport_states": (Kind.VIEWPORT, Word.VIEWPORTS, "num_viewports"),
    "set_scissor_states": (Kind.SCISSOR, Word.SCISSORS, "num_scissors"),
}
"""Methods that set a sequence of values, of which entries take a single one, with its kind, the word, and the number of set values."""
VERTEX_BUFFERS, INDEX_BUFFER, UPLOAD = "set_vertex_buffers", "set_index_buffer", "buffer_subdata"
TARGETS, CLEAR, READ, OUTPUTS = "set_framebuffer_state", "clear", "texture_read", "set_stream_output_targets"
BEGIN_QUERY, END_QUERY, QUERY_RESULT = "begin_query", "end_query", "get_query_result"

GUARD = "guard"
"""The entry of every other method."""
ENTRIES = (DRAW, CONSTANTS, *BINDINGS, *UNITS, *SINGLES, VERTEX_BUFFERS, INDEX_BUFFER, UPLOAD, TARGETS, CLEAR, READ, OUTPUTS)
ENTRIES = (*ENTRIES, BEGIN_QUERY, END_QUERY, QUERY_RESULT)

RECORDED = (DRAW, CONSTANTS)
"""Methods that have native entries in observed contexts, too."""

PLAIN = {"count": "count", "start": "start", "instance_count": "instance_count", "start_instance": "start_instance"}
PLAIN |= {"restart_index": "restart_index", "drawid": "draw_id", "min_index": "pad", "max_index": "pad"}
"""Keywords of draw_vbo that are unsigned 32-bit numbers, with their fields of DrawCall. Those that only hint go to the padding."""
MODE, RESTART, BIAS, INDEX_SIZE, PATCH = "mode", "primitive_restart", "index_bias", "index_size", "vertices_per_patch"
STREAMED = "count_from_stream_output"
INDEX = "index"  # of set_constant_buffer
INDEX_OFFSET = "index_offset"  # of set_index_buffer
AT = "offset"  # of buffer_subdata
BUFFER, STRIDE, OFFSET = "buffer", "stride", "buffer_offset"  # of the dictionaries that stand for vertex buffers
COLORS, DEPTH = "cbufs", "zsbuf"  # of set_framebuffer_state
BUFFERS, COLOR, CLEAR_DEPTH, STENCIL = "buffers", "color", "depth", "stencil"  # of clear
PLACES = "offsets"  # of set_stream_output_targets
WAIT = "wait"  # of get_query_result
CLEARED = (BUFFERS, COLOR, CLEAR_DEPTH, STENCIL)
KEYWORDS = (*PLAIN, MODE, RESTART, BIAS, INDEX_SIZE, PATCH, STREAMED, INDEX, INDEX_OFFSET, AT, BUFFER, STRIDE, OFFSET)
KEYWORDS = (*KEYWORDS, COLORS, DEPTH, PLACES, *CLEARED, WAIT)
