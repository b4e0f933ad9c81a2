"""The table of calls: a row for each method of a context, in the order by which recordings number them.

New recorded methods go to its end, or `layout.VERSION` changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from backends.device.calls import objects, parameters, work
from backends.device.calls.row import Does, Fixed, Row
from backends.device.commands.client import CommandRow
from backends.device.commands.client import Kind as Taker
from backends.device.commands.layout import MOST_COUNT, Command

CALLS: Mapping[str, Row] = MappingProxyType({row.name: row for row in (*objects.ROWS, *parameters.ROWS, *work.ROWS)})
"""Recorded calls by name."""
OF_NUMBER = tuple(CALLS.values())
"""Recorded calls by their number in files."""
NUMBERS: Mapping[str, int] = MappingProxyType({row.name: number for number, row in enumerate(OF_NUMBER)})

STATE_BIT = 1 << 16
"""Bit of a number of RECORDED_ALONE: the call is recorded as STATE if its words fit."""
OBJECT_BIT = 1 << 17
"""Bit of a number of RECORDED_ALONE: the result is a new object, which gets the next handle."""
RECORDED_ALONE: Mapping[str, int] = MappingProxyType(
    {
        row.name: NUMBERS[row.name] | (STATE_BIT if row.effect is not None else 0) | (OBJECT_BIT if row.does is Does.CREATE else 0)
        for row in OF_NUMBER
        if row.is_recorded_alone
    }
)
"""Numbers of the calls whose arguments are all that a recording stores, by name."""

ALIASES = {name.replace("destroy_", "delete_"): name for name in CALLS if name.startswith("destroy_") and name.endswith("_state")}
"""Other names of recorded methods."""
_UNSEEN = """
create_batch_query resource_commit fence_server_sync fence_server_signal create_fence_fd create_video_codec create_video_buffer
get_compute_state_info get_timestamp get_sample_position set_debug_callback set_device_reset_callback
get_device_reset_status set_log_context dump_debug_state is_resource_referenced destroy
transfer_unmap transfer_flush_region set_uniforms set_textures set_vertices
capture explain explain_vertex explain_primitive explain_invocation
"""
UNRECORDED: dict[str, Does] = {
    **dict.fromkeys(("rebind_vertex_buffers", "rebind_index_buffer"), Does.ADDRESS),
    **dict.fromkeys(_UNSEEN.split(), Does.ASK),
}
"""Methods that are not recorded: they have no effect on later calls, always fail, or are recorded as other calls."""

# -- commands of recordings --------------------------------------------------------------------------------------------------
COMMANDS: dict[Command, dict[int, tuple[Row, Fixed]]] = {}
"""The rows of fixed commands, by the method number in the detail; 0 if the command has a single method."""
for _row in OF_NUMBER:
    for _fixed in _row.fixed:
        COMMANDS.setdefault(_fixed.command, {})[_fixed.number or 0] = _row, _fixed

_OTHERS: dict[Command, tuple[str, int, Taker]] = {
    Command.CHANGES: ("data", 0xFF, Taker.SLOT_CHANGES),
    Command.REDRAW: ("data", 0, Taker.CALL_CHANGES),
    Command.FORGET: ("handle", 0, Taker.PYTHON),
    Command.END: ("", 0, Taker.PYTHON),
}
"""Commands that do not correspond to a call: names of repeated words, bits of the detail, and the code that carries them out."""


def _fixed_of(command: Command) -> Fixed:
    return next(iter(COMMANDS[command].values()))[1]


FIELDS: dict[Command, tuple[list[str], list[str]]] = {
    **{command: _fixed_of(command).names for command in COMMANDS},
    **{command: ([], group.split()) for command, (group, *_) in _OTHERS.items()},
}
"""Names of the words of fixed commands, and of a group of words that may repeat."""
DETAILS: dict[Command, int] = {
    **{command: _fixed_of(command).mask | (1 << max(rows).bit_length()) - 1 for command, rows in COMMANDS.items()},
    **{command: mask for command, (_, mask, _) in _OTHERS.items()},
}
"""Bits that may be set in the detail of a command."""
_TAKERS = {
    **{command: _fixed_of(command).taker for command in COMMANDS},
    **{command: taker for command, (*_, taker) in _OTHERS.items() if taker is not Taker.PYTHON},
}
REPEATED = frozenset((Command.STATE, *(command for command, taker in _TAKERS.items() if taker is Taker.REPEATED)))
"""Commands that generated code repeats after Python has carried out an equal one."""


def _native(command: Command, taker: Taker) -> CommandRow:
    if taker is Taker.REPEATED:
        return CommandRow(taker, 0, MOST_COUNT, 0, DETAILS.get(command, 0))
    fields, group = (len(names) for names in FIELDS[command])
    return CommandRow(taker, 0 if command is Command.DRAW else fields, fields, group, DETAILS[command])


ROWS = tuple((int(command), _native(command, taker)) for command, taker in {**_TAKERS, Command.STATE: Taker.REPEATED}.items())
"""Rows of the commands that generated code carries out."""
