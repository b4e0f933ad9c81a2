"""The layout of recorded commands: 32-bit words, least significant byte first, the same in memory, in a file and on a socket.

A command is a header and as many words as the header counts. Eight bits of the header, the detail, belong to the command. Objects are
handles: numbers from 1 on, 0 for none. A recording that is stored begins with MAGIC and VERSION. docs/layout.md describes it for other
writers and readers.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum

from backends.device.commands.client import INDEX_BUFFER, UNIFORMS, VERTEX_BUFFER, CommandRow, Kind

MAGIC = b"TGSI-CMD"
VERSION, OLDEST = 3, 2
"""Version of what is written, and the oldest that is read; CHANGES and REDRAW came with version 3."""
PREFIX = struct.Struct("<8sII")
"""MAGIC, VERSION, and a word of zeros."""

WORD = 4
MOST_COUNT = 0xFFFF
"""Words that one command may have after its header."""


class Command(IntEnum):
    """Numbers of commands, the low byte of the header."""

    CALL = 1  # a method of the context: its number, flags, a handle for its result, its arguments
    STATE = 2  # likewise, of a method that determines words of the bound state and nothing else
    DATA = 3  # bytes that the next CALL or STATE names
    FORGET = 4  # handles that no later command names
    DRAW = 5  # draw_vbo; without words: the draw before, again
    CONSTANTS = 6  # set_constant_buffer with bytes, in the slot that the detail names; without bytes: None
    UNIFORMS = 7  # set_constant_buffer with a buffer
    VERTEX_BUFFERS = 8  # set_vertex_buffers with buffers
    INDEX_BUFFER = 9  # set_index_buffer with a buffer
    CLEAR = 11  # clear
    END = 10  # of a stored recording: nothing is missing
    BIND = 12  # bind_blend_state and its like, by the number in the detail
    VIEWPORTS = 13  # set_viewport_states
    SCISSORS = 14  # set_scissor_states
    BLEND_COLOR = 15  # set_blend_color
    STENCIL_REF = 16  # set_stencil_ref
    SAMPLER_VIEWS = 17  # set_sampler_views; the detail is the stage
    SAMPLERS = 18  # bind_sampler_states, likewise
    FRAMEBUFFER = 19  # set_framebuffer_state
    QUERY = 20  # begin_query, or end_query with detail 1
    CONDITION = 21  # render_condition; the detail is the mode, its upper bit the condition
    BARRIER = 22  # texture_barrier, or memory_barrier with detail 1
    SUBDATA = 23  # buffer_subdata
    CHANGES = 24  # CONSTANTS with some words other than those that are bound; the header has a bit for each instead of a count
    REDRAW = 25  # the last DRAW with some words changed, likewise


DRAW = "mode count start index_size instance_count start_instance index_bias primitive_restart restart_index draw_id"
"""Words of a draw: the first fields of `DrawCall`, in order."""
CLEAR = "buffers stencil red red_high green green_high blue blue_high alpha alpha_high depth depth_high"
"""Words of a clear; the color and the depth are 64-bit floats, the lower word first."""
VIEWPORT = "scale_x x_high scale_y y_high scale_z z_high translate_x dx_high translate_y dy_high translate_z dz_high"
"""Words of a viewport, 64-bit floats as in CLEAR."""
SUBDATA = "handle offset bytes"
VERTEX_BUFFERS = "start"
"""Words before the groups of VERTEX_BUFFER."""

FIELDS: dict[Command, tuple[str, str]] = {
    Command.DRAW: (DRAW, ""),
    Command.CONSTANTS: ("", "data"),
    Command.UNIFORMS: (UNIFORMS, ""),
    Command.VERTEX_BUFFERS: (VERTEX_BUFFERS, VERTEX_BUFFER),
    Command.INDEX_BUFFER: (INDEX_BUFFER, ""),
    Command.CLEAR: (CLEAR, ""),
    Command.BIND: ("handle", ""),
    Command.VIEWPORTS: ("start", VIEWPORT),
    Command.SCISSORS: ("start", "minx miny maxx maxy"),
    Command.BLEND_COLOR: ("red red_high green green_high blue blue_high alpha alpha_high", ""),
    Command.STENCIL_REF: ("front back", ""),
    Command.SAMPLER_VIEWS: ("start", "handle"),
    Command.SAMPLERS: ("start", "handle"),
    Command.FRAMEBUFFER: ("width height layers samples zsbuf", "cbuf"),
    Command.QUERY: ("handle", ""),
    Command.CONDITION: ("handle", ""),
    Command.BARRIER: ("flags", ""),
    Command.SUBDATA: (SUBDATA, "data"),
    Command.CHANGES: ("", "data"),
    Command.REDRAW: ("", "data"),
    Command.FORGET: ("", "handle"),
    Command.END: ("", ""),
}
"""Names of the words of fixed commands, and of a group of words that may repeat."""

AGAIN = 1 << 7
"""Bit of the detail of CONSTANTS and CHANGES: then the last draw, again."""
DETAILS = {
    Command.CONSTANTS: 0xFF,
    Command.CHANGES: 0xFF,
    Command.BIND: 0xFF,
    Command.SAMPLER_VIEWS: 7,
    Command.SAMPLERS: 7,
    Command.QUERY: 1,
    Command.CONDITION: 0xFF,
    Command.BARRIER: 1,
}
"""Bits that a detail may have; other commands have none."""

_KINDS = {
    Command.DRAW: Kind.CALL,
    Command.CONSTANTS: Kind.SLOT_CONSTANTS,
    Command.UNIFORMS: Kind.UNIFORMS,
    Command.VERTEX_BUFFERS: Kind.VERTEX_SLOTS,
    Command.INDEX_BUFFER: Kind.INDEX_BUFFER,
    Command.CLEAR: Kind.CLEAR_CALL,
    Command.SUBDATA: Kind.SUBDATA,
    Command.BARRIER: Kind.BARRIER,
    Command.QUERY: Kind.QUERY,
    Command.CHANGES: Kind.SLOT_CHANGES,
    Command.REDRAW: Kind.CALL_CHANGES,
}
REPEATED = frozenset(
    (Command.STATE, Command.BIND, Command.VIEWPORTS, Command.SCISSORS, Command.BLEND_COLOR)
    + (Command.STENCIL_REF, Command.SAMPLER_VIEWS, Command.SAMPLERS, Command.CONDITION)
    + (Command.FRAMEBUFFER,)
)
"""Commands that generated code repeats, once Python has carried out equal ones."""


def _row(command: Command, kind: Kind) -> CommandRow:
    if kind is Kind.REPEATED:
        return CommandRow(kind, 0, MOST_COUNT, 0, DETAILS.get(command, 0))
    fields, group = (len(names.split()) for names in FIELDS[command])
    return CommandRow(kind, 0 if command is Command.DRAW else fields, fields, group, DETAILS.get(command, 0))


ROWS = tuple((int(command), _row(command, kind)) for command, kind in (_KINDS | dict.fromkeys(REPEATED, Kind.REPEATED)).items())
"""Rows of the commands that generated code carries out."""


CHANGING = frozenset((Command.CHANGES, Command.REDRAW))
"""Commands that change words of what was there before; the upper 16 bits of the header say which, the first in the lowest bit."""
MOST_CHANGES = 16
"""Words of constants that CHANGES can name."""


def header(command: Command, count: int, detail: int = 0) -> int:
    """The header of a command with `count` words, or with a bit for each changed word."""
    return command | detail << 8 | count << 16


def words_after(head: int) -> int:
    """The number of words that follow a header."""
    return (head >> 16).bit_count() if head & 255 in CHANGING else head >> 16


def changes_of(head: int, words: Sequence[int]) -> dict[int, int]:
    """The places and the values of the words that a command of CHANGING changes."""
    return dict(zip((place for place in range(16) if head >> 16 + place & 1), words))


def slot_detail(stage: int, index: int) -> int:
    """The detail of CONSTANTS for a slot of a stage: the stage in the lower three bits, the slot in the next four."""
    return stage | index << 3


def slot_of(detail: int) -> tuple[int, int]:
    """Stage and slot of a detail of CONSTANTS."""
    return detail & 7, detail >> 3 & 15


def pack(command: Command, *words: int, detail: int = 0) -> bytes:
    """A fixed command. Words are taken modulo 2^32."""
    return struct.pack(f"<{len(words) + 1}I", header(command, len(words), detail), *(word & 0xFFFFFFFF for word in words))
