"""The record of everything that is bound: Python and generated code read and write the same bytes.

Each constant state, shader, view and sampler has a 64-bit word of `Numbers`: equal words mean equal state. The upper half of a word is the
class of its value; generated code depends on the class only. Constants, vertex buffers and the index buffer are ranges of memory, because
programs change them from draw to draw.
"""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_float, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from enum import IntEnum

from backends.device.commands.numbers import CLASS_SHIFT
from backends.pipe.enums import Clear
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_SAMPLER_VIEWS, MAX_SAMPLERS, MAX_STREAM_OUTPUT_TARGETS, MAX_VERTEX_BUFFERS
from tgsi.language.facts.enums import Processor


class Word(IntEnum):
    """Indices into `BoundRecord.words`, except those of shaders, views and samplers."""

    RASTERIZER = 0
    BLEND = 1
    DEPTH_STENCIL_ALPHA = 2
    VERTEX_ELEMENTS = 3
    LINK = 4
    SAMPLE_MASK = 5
    MIN_SAMPLES = 6
    COUNT_SAMPLES = 7
    COUNT_STATISTICS = 8
    SAMPLE_LOCATIONS = 9
    VERTEX_IMAGES = 10  # keys of the images of a stage
    FRAGMENT_IMAGES = 11
    VIEWPORTS = 12  # values from here on: only their class affects generated code
    SCISSORS = 13
    BLEND_COLOR = 14
    STENCIL_REF = 15
    WINDOW_RECTANGLES = 16
    CLIP_PLANES = 17
    POLYGON_STIPPLE = 18
    CONDITION = 19  # from here on: these decide whether a draw happens, and do not affect its code


IMAGE_WORDS = {int(Processor.VERT): Word.VERTEX_IMAGES, int(Processor.FRAG): Word.FRAGMENT_IMAGES}
"""Stage -> word with the key of its images. Other stages have no such word, so draws with images there always run in Python."""
STAGES = len(Processor)
TABLES = 3
"""Number of memory tables per stage: buffers, atomic counters and images."""
FIRST_VALUE = int(Word.VIEWPORTS)
VALUES = Word.CONDITION - FIRST_VALUE
FIRST_SHADER = len(Word)
HEAD_WORDS = -(-(FIRST_SHADER + STAGES) // 8) * 8
"""Words before the views and samplers, padded with zeros to a multiple of 8."""
FIRST_UNIT = HEAD_WORDS
STAGE_UNITS = MAX_SAMPLER_VIEWS + MAX_SAMPLERS
WORDS = FIRST_UNIT + STAGES * STAGE_UNITS


def shader_word(stage: int) -> int:
    """Place of a stage's shader. The class of a shader is the number of texture units that it samples, with bits for its other effects."""
    return FIRST_SHADER + stage


WRITES_MEMORY = 1 << 16
"""In the class of a shader: its program writes buffers, images or counters."""
STREAMS_OUT = 1 << 17
"""In the class of a shader: it has stream output."""
UNITS_MASK = WRITES_MEMORY - 1
"""Mask of the bits of a shader's class that hold its number of texture units."""


def units_of(word: int) -> int:
    """Number of texture units that a shader samples, by its word."""
    return word >> CLASS_SHIFT & UNITS_MASK


def view_word(stage: int, unit: int = 0) -> int:
    """Place of the sampler view of a unit."""
    return FIRST_UNIT + stage * STAGE_UNITS + unit


def sampler_word(stage: int, unit: int = 0) -> int:
    """Place of the sampler of a unit."""
    return view_word(stage, MAX_SAMPLER_VIEWS + unit)


class Hindrance(IntEnum):
    """Bits: reasons why the next draw must go through Python."""

    TARGETS = 1  # the framebuffer changed, or pending resolves write it
    STAGES = 2  # more stages than vertex and fragment shader, or stream output
    USER_MEMORY = 4  # a bound resource uses the caller's memory
    PERSISTENT = 8  # a PERSISTENT mapping is alive
    STREAMS = 16  # stream output
    OWN_SAMPLES = 32  # a bound surface has its own number of samples
    WATCHED = 128  # a validator or watcher sees every draw
    FENCE = 64  # a fence waits for a flush: a read that executes pending work must signal it, in Python


STOPS = Hindrance.USER_MEMORY | Hindrance.PERSISTENT | Hindrance.WATCHED
"""With any of these hindrances, draws bypass the device's native draw entry."""


class Holder(IntEnum):
    """Special values of `owner`. Any other value is a thread: `threading.get_ident`, an address, so never this small."""

    NOBODY = 0
    SCREEN = 1  # a method of the screen carries out the work of the context; other callers wait
    DESTROYED = 2
    LOST = 3  # another thread was in the context when its process was forked, and this is the child
    INTERRUPTED = 4  # signal handlers run in the middle of a method


def owner_of(record: BoundRecord) -> memoryview[int]:
    """The `owner` field of a record as an array of one element."""
    return memoryview(c_uint64.from_buffer(record, BoundRecord.owner.offset)).cast("B").cast("Q")


def note_kept(record: BoundRecord) -> None:
    """Force the next flush through Python, which must release objects."""
    if record.keeps_at:
        c_int32.from_address(record.keeps_at).value = 1


python_cell = c_uint64(0)
"""Address of the PythonTables of the native entries of plain contexts; 0 until they are installed."""


class ConstantSlot(ctypes.Structure):
    """A constant buffer. If `room` is not 0, the bytes are never written again and are padded with zeros to `room` bytes."""

    _fields_ = [
        ("address", c_uint64),  # 0: nothing is bound
        ("size", c_int32),  # bytes
        ("room", c_int32),  # bytes that kernels may read in place; 0: the bytes may change, a draw copies them
        ("is_native", c_int32),  # generated code has bound it; otherwise Python keeps an object for it
        ("pad", c_int32),
    ]


class VertexBufferSlot(ctypes.Structure):
    """A vertex buffer; the address includes its offset. With a negative offset, vertex 0 lies `lead` bytes before the address."""

    _fields_ = [("address", c_uint64), ("size", c_int64), ("stride", c_int64), ("lead", c_int64)]


class TextureSlot(ctypes.Structure):
    """Level 0 of a texture with one layer and one sample, as rows of bytes. owner: the Python object of their memory."""

    _fields_ = [("address", c_uint64), ("stride", c_int64), ("row_bytes", c_int64), ("rows", c_int64), ("owner", c_uint64)]


class DrawCall(ctypes.Structure):
    """The arguments of draw_vbo. `index_size` 0: the draw is not indexed."""

    _fields_ = [
        ("mode", c_int32),  # PIPE_PRIM
        ("count", c_uint32),
        ("start", c_uint32),
        ("index_size", c_int32),  # bytes
        ("instance_count", c_uint32),
        ("start_instance", c_uint32),
        ("index_bias", c_int32),
        ("primitive_restart", c_int32),
        ("restart_index", c_uint32),
        ("draw_id", c_uint32),
        ("patch_vertices", c_int32),  # of PATCHES; 0: `BoundRecord.patch_vertices`
        ("pad", c_int32),
    ]


CLEAR_ALL = int(Clear.COLOR | Clear.DEPTHSTENCIL)
"""The bits of all buffers that can be cleared."""


class ClearCall(ctypes.Structure):
    """The arguments of a clear of float targets."""

    _fields_ = [
        ("buffers", c_uint32),  # PIPE_CLEAR bits
        ("stencil", c_int32),
        ("color", c_uint32 * 4),  # bits of floats
        ("depth", c_double),
    ]


LEVELS = 6
"""Tessellation levels of a patch: four outer and two inner ones."""


class BoundRecord(ctypes.Structure):
    """Everything bound to a context that a draw needs, as values or addresses."""

    _fields_ = [
        ("words", c_uint64 * WORDS),
        ("hindrances", c_uint32),  # Hindrance
        ("are_words_new", c_int32),  # a word was written after the last draw
        ("interval", c_int64),  # number of the current interval of occlusion queries, to which draws add passed samples
        ("latest_interval", c_int64),  # number of the latest interval, also while no query counts
        ("counting", c_int32),  # number of active occlusion queries
        ("is_counting_paused", c_int32),
        ("counting_word", c_uint64),  # value of Word.COUNT_SAMPLES while a query counts; 0: Python begins and ends all queries
        ("draws", c_int64),  # number of pending draws that generated code has taken
        ("constants_at", c_uint64),  # memory for constants: next free byte, a multiple of 64, and bytes that are left
        ("constants_room", c_int64),
        ("executor", c_uint64),  # state of the device's generated code; 0 if there is none
        (
            "upload_entry",
            c_uint64,
        ),  # upload(executor, target, source, bytes) -> 0 if taken, otherwise nothing was done
        ("draw_entry", c_uint64),  # draw(executor, bound, call) -> 0 if the draw was taken, otherwise nothing was done
        ("keeps_at", c_uint64),  # address of the device's flag `keeps`, which `note_kept` sets; 0: unused
        ("read_entry", c_uint64),  # carry_out_writes(executor, address, bytes) -> 0 if no pending work writes that memory any more
        ("flush_entry", c_uint64),  # carry_out_all(executor) -> 0 if no work is pending any more, otherwise nothing was done
        ("wait_entry", c_uint64),  # carry_out_uses(executor, address, bytes) -> 0 if no pending work reads or writes that memory any more
        ("work_entry", c_uint64),  # has_work(executor) -> 0 if nothing is pending
        ("samples_entry", c_uint64),  # passed_samples(executor, first, end) -> samples that passed from interval `first` on, before `end`
        (
            "copy_entry",
            c_uint64,
        ),  # copy(copier, source, its stride, target, its stride, bytes of a row, rows, Crewed) -> 0 if copied; field 0: no entry
        ("copier", c_uint64),
        ("clear_entry", c_uint64),  # clear(executor, bound, ClearCall) -> 0 if the clear was taken, otherwise nothing was done
        ("python", c_uint64),  # address of `python_cell`, or of the `native_cell` of an observed class
        ("owner", c_uint64),  # thread that is in a method of the context, or a Holder
        ("has_listener", c_int64),  # not 0: methods in Python go through the context's gate, which reports their return
        ("known", c_uint64),  # KnownSlot
        ("known_mask", c_int32),  # number of entries - 1
        ("values_mask", c_int32),
        ("values", c_uint64),  # address of the table (ValueSlot) from words to values
        ("clock", c_void_p),  # counter of revisions, an i64; all records of the process share it
        ("vertex_revision", c_int64),  # changes with the vertex buffers
        ("memory_revision", c_int64),  # changes with shader buffers, images and counters
        ("constant_revision", c_int64 * STAGES),  # changes with the constants of a stage
        ("targets", c_uint64),  # address of the render targets that generated code has bound, as the device prepared them; 0: Python's
        ("index_address", c_uint64),
        ("index_bytes", c_int64),
        ("num_vertex_buffers", c_int32),  # slots from here on are empty
        ("are_vertex_buffers_native", c_int32),  # generated code has bound them; otherwise Python keeps objects for them
        ("is_index_buffer_native", c_int32),  # likewise
        ("num_viewports", c_int32),
        ("num_scissors", c_int32),
        ("patch_vertices", c_int32),  # default for draws that do not specify it
        ("tess_levels", c_float * (LEVELS + 4)),  # of patches without a control shader; then four zeros
        ("stream_targets", c_uint64 * MAX_STREAM_OUTPUT_TARGETS),  # addresses of TargetRecords, 0: none
        ("tables", c_uint64 * (STAGES * TABLES)),  # per stage, addresses of the records of buffers, of atomic counters, of images
        ("recorded_at", c_uint64),  # of an observed context: where the next command goes, and where commands must end
        ("recorded_end", c_uint64),  # 0: every call goes through Python
        ("recorded_begin", c_uint64),  # the memory of commands, and its end
        ("recorded_limit", c_uint64),
        ("recorded_size", c_int64),  # generated code leaves larger commands to Python
        ("recorded_from", c_uint64),  # the first command that is not in the file yet; 0: there is no file
        ("recorded_constants", c_uint64),  # last command's header if it is CONSTANTS: an equal draw sets a bit (AGAIN) in it; or 0
        ("recorded_write", c_uint64),  # write(file, address, bytes) -> bytes written; 0: Python writes
        ("recorded_turn", c_uint64),  # turn() continues a history in other memory; 0: the recording goes to a file
        ("recorded_file", c_int32),
        ("has_recorded_draw", c_int32),  # the last draw of the recording is `recorded_draw`
        ("recorded_draw", DrawCall),
        ("records_calls", c_int32),  # entries and the guard append every call; 0: draws and constants alone, as in traces
        ("is_inside_call", c_int32),  # a recorded call runs: the calls that it makes are not recorded
        ("recorded_call", c_uint64),  # the header of the call that `write_call` has written last
        ("recorded_words", c_uint64),  # table (WordsSlot): the words that stand for an object in recordings
        ("recorded_words_mask", c_int32),  # number of entries - 1
        ("recorded_next", c_int32),  # handle of the next object that a recorded call creates
        ("recorded_pad", c_int32),
        ("recording", c_int32),  # number of the recording in this process; 0: none
        ("vertex_buffers", VertexBufferSlot * MAX_VERTEX_BUFFERS),
        ("constants", ConstantSlot * (STAGES * MAX_CONSTANT_BUFFERS)),
    ]
