"""The layout of recorded commands: 32-bit words, least significant byte first, the same in memory, in a file and on a socket.

A command is a header and as many words as the header counts. Eight bits of the header, the detail, belong to the command. Objects are
handles: numbers from 1 on, 0 for none. A recording that is stored begins with MAGIC and VERSION. docs/layout.md describes it for other
writers and readers.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum

MAGIC = b"TGSI-CMD"
VERSION, OLDEST = 3, 2
"""Version that is written, and the oldest that is read; CHANGES and REDRAW came with version 3."""
PREFIX = struct.Struct("<8sII")
"""MAGIC, VERSION, and a word of zeros."""

WORD = 4
MOST_COUNT = 0xFFFF
"""Words that one command may have after its header."""


class Command(IntEnum):
    """Numbers of commands, the low byte of the header."""

    CALL = 1  # a method of the context: its number, flags, a handle for its result, its arguments
    STATE = 2  # likewise, of a method that only determines words of the bound state
    DATA = 3  # bytes that the next CALL or STATE names
    FORGET = 4  # handles that no later command names
    DRAW = 5  # draw_vbo; without words: repeat the previous draw
    CONSTANTS = 6  # set_constant_buffer with bytes, in the slot that the detail names; without bytes: None
    UNIFORMS = 7  # set_constant_buffer with a buffer
    VERTEX_BUFFERS = 8  # set_vertex_buffers with buffers
    INDEX_BUFFER = 9  # set_index_buffer with a buffer
    CLEAR = 11  # clear
    END = 10  # end of a stored recording, which is complete
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
    CHANGES = 24  # the last CONSTANTS with some words changed; the header has a bit for each changed word instead of a count
    REDRAW = 25  # the last DRAW with some words changed, likewise


RAISES = 1
"""Flag of a CALL: it raised an error when it was recorded, and is expected to raise one again."""
OUTCOME = 2
"""Flag of a CALL: its result, or the digest of the data that it read, follows its arguments."""
IN_DATA = 4
"""Flag of a CALL: the words after the first two are the last block of DATA."""
MORE = 1 << 31
"""Bit of the size of a piece of DATA: another piece of the same block follows."""
MOST_PIECE = WORD * (MOST_COUNT - 1)
"""Most bytes of a piece of DATA."""


class Tag(IntEnum):
    """Kinds of values among the words of CALL and STATE, the low byte of a tag; its other bits are a small number."""

    NONE = 0
    FALSE = 1
    TRUE = 2
    INT = 3  # a word
    LONG = 4  # two words
    FLOAT = 5  # two words
    TEXT = 6  # bytes of UTF-8, padded to whole words; the small number is their count
    BYTES = 7  # likewise
    DATA = 8  # the small number is that of a block of DATA
    TUPLE = 9  # the small number counts the values that follow
    LIST = 10  # likewise
    MAP = 11  # likewise, of pairs of key and value
    HANDLE = 12  # a word
    RECORD = 13  # number of the record; its fields follow, in order
    ARRAY = 14  # number of axes; their lengths, the type as a text, the items as BYTES or DATA
    FORMAT = 15  # a text
    PROGRAM = 16  # a text


INLINE = 240
"""Most bytes stored among the words of a call; longer ones become a block of DATA."""
MOST_DEPTH = 12
"""Maximum nesting depth of values."""
AGAIN = 1 << 7
"""Bit of the detail of CONSTANTS and CHANGES: repeat the last draw afterwards."""
CHANGING = frozenset((Command.CHANGES, Command.REDRAW))
"""Commands that change words of an earlier command. The upper 16 bits of the header are a mask of these words, lowest bit first."""
MOST_CHANGES = 16
"""Number of words of constants that CHANGES can address."""


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
