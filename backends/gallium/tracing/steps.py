"""Traces as steps: independent calls that can be compared, removed and written again.

A command may depend on earlier ones, as a draw that repeats another one or a change of some words of constants does. A step does not, so
that any selection of steps is a valid recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from backends.device.calls import work
from backends.device.calls.errors import WordError
from backends.device.calls.row import Does
from backends.device.calls.table import CALLS, COMMANDS, FIELDS
from backends.device.commands.layout import AGAIN, MAGIC, MOST_COUNT, PREFIX, RAISES, VERSION, Command, header, pack, slot_of
from backends.gallium.context.recording.decoder import Blocks, Call, Decoder, Item, failure, items
from backends.gallium.context.recording.encoder import Encoder, data_commands
from backends.gallium.tracing.printing import Handle
from backends.gallium.tracing.trace_player import words_of
from backends.pipe.enums import ShaderType, lookup
from tgsi.language.record import record

_DRAW, _CONSTANTS = COMMANDS[Command.DRAW][0][0], COMMANDS[Command.CONSTANTS][0][0]
_ASKING = {"begin_query", "end_query", "render_condition", "set_active_query_state", "emit_string_marker", "set_sample_locations"}
WORK = frozenset(row.name for row in work.ROWS if row.does is Does.SET and row.name not in _ASKING) | {"write_content", "write_mapped"}
"""Calls that draw, or write resources."""
_WRITES = {"buffer_subdata", "texture_subdata", "transfer_inline_write", "write_content", "write_mapped", "invalidate_resource"}
_WAITS = {"texture_barrier", "memory_barrier", "flush_resource"}
_RESIDENT = {name for name in WORK if name.endswith(("_texture_handle", "_image_handle", "_handle_resident"))}
DRAWS = WORK - _WRITES - _WAITS - _RESIDENT - {"get_query_result_resource"}
"""Calls that draw, clear, copy or compute: the entries of a time line."""
COMPARED = frozenset(name for name, row in CALLS.items() if row.does in (Does.READ, Does.MAP)) | {"check_content"}
"""Calls whose recorded outcome is a digest of bytes."""


@record(eq=False)
class Step:
    """A call, or the end of handles that no later call names (FORGET).

    number: that of its command in the trace; a command of two calls becomes two steps. words: its commands, which depend on no earlier
    step except those that create its objects. call: has a Handle in place of each object; None for FORGET of the handles in `forgets`.
    """

    number: int
    words: bytes
    call: Call | None
    forgets: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The name of the method; "" for FORGET."""
        return self.call.row.name if self.call is not None else ""

    @property
    def named(self) -> dict[str, Any]:
        """The arguments by name."""
        return self.call.row.named(self.call.args, self.call.given) if self.call is not None else {}


class _Constants:
    """Constants bound as bytes, to which CHANGES refers."""

    def __init__(self) -> None:
        self._bound: dict[tuple[int, int], bytes] = {}

    def note(self, call: Call) -> None:
        """Note a call that binds constants."""
        given = call.row.bound(call.args, call.given)
        slot = int(lookup(ShaderType, given["stage"], "stage")), int(given["index"])
        self._bound.pop(slot, None)
        buffer = given["buffer"]
        if isinstance(buffer, (bytes, np.ndarray)):
            data = bytes(buffer) if isinstance(buffer, bytes) else np.ascontiguousarray(buffer).tobytes()
            end = None if given["size"] is None else given["offset"] + given["size"]
            self._bound[slot] = data[given["offset"] : end]

    def changed(self, stage: int, index: int, changes: Mapping[int, int]) -> bytes:
        """The constants of a slot with some words changed."""
        data = self._bound.get((stage, index))
        if data is None or any(place >= len(data) // 4 for place in changes):
            raise WordError(f"it changes constants, but none are bound as bytes to slot {index} of stage {stage}")
        words = memoryview(bytearray(data[: len(data) // 4 * 4])).cast("I")
        for place, word in changes.items():
            words[place] = word
        return bytes(words) + data[len(words.cast("B")) :]


def read_steps(data: bytearray) -> Iterator[Step]:
    """The steps of a stored recording, without END, which may be missing. RecordingError at the first invalid command."""
    words, blocks, last, constants = words_of(data), Blocks(), list[int](), _Constants()
    decoder = Decoder(Handle, lambda: last, constants.changed)
    for number, item in enumerate(items(words, PREFIX.size)):
        try:
            if item.command is Command.DATA:
                blocks.add(item.words)
            elif item.command is Command.FORGET:
                yield Step(number, pack(Command.FORGET, *item.words), None, tuple(item.words))
            elif item.command is Command.END:
                return
            else:
                if item.command is Command.DRAW and len(item.words) == len(FIELDS[Command.DRAW][0]):
                    last = item.words.tolist()
                elif item.command is Command.REDRAW:
                    last = decoder.changed_draw(item)
                held = blocks.take()
                for call in decoder.read(item, held):
                    yield Step(number, _words(item, call, held, last), call)
                    if call.row is _CONSTANTS and not call.raises:
                        constants.note(call)
        except (WordError, TypeError, ValueError) as error:
            raise failure(words, item.at, item.command.name, error, PREFIX.size) from None


def _words(item: Item, call: Call, held: Sequence[bytes], last: Sequence[int]) -> bytes:
    """The commands of a call, independent of earlier ones."""
    if item.command in (Command.CALL, Command.STATE):
        return (
            b"".join(piece for block in held for piece in data_commands(block))
            + header(item.command, len(item.words), item.detail).to_bytes(4, "little")
            + bytes(item.words)
        )
    if call.row is _DRAW:
        return pack(Command.DRAW, *last)
    detail, body = item.detail, bytes(item.words)
    if item.command is Command.CHANGES:
        detail, body = item.detail & ~AGAIN, bytes(call.args[1])
        if len(body) % 4 or len(body) // 4 > MOST_COUNT:
            return _encoder().call(call.row.name, (*slot_of(detail)[:1], body), {"index": slot_of(detail)[1]})
    command = Command.CONSTANTS if item.command is Command.CHANGES else item.command
    return header(command, len(body) // 4, detail & ~(AGAIN if command is Command.CONSTANTS else 0)).to_bytes(4, "little") + body


def _encoder() -> Encoder:
    return Encoder(lambda thing: thing.number if isinstance(thing, Handle) else None, _no_draw)


def _no_draw(given: Any) -> Any:
    raise TypeError("draws are written in full")


def with_outcome(step: Step, outcome: Any) -> Step:
    """Return a read, a result or a check with another outcome; None disables the comparison."""
    call = step.call
    if call is None or not call.has_outcome:
        return step
    words = _encoder().call(call.row.name, call.args, call.given, result=call.result, flags=RAISES if call.raises else 0, outcome=outcome)
    changed = Call(
        row=call.row,
        args=call.args,
        given=call.given,
        result=call.result,
        raises=call.raises,
        has_outcome=True,
        outcome=outcome,
        handles=call.handles,
    )
    return Step(step.number, words, changed)


def check_of(handle: int, digest: bytes) -> Step:
    """The check of a resource at the end of a trace."""
    row, thing = CALLS["check_content"], Handle(handle)
    call = Call(row=row, args=(thing,), given={}, has_outcome=True, outcome=digest, handles=(handle,))
    return Step(-1, _encoder().call(row.name, call.args, call.given, outcome=digest), call)


def commands_in(steps: Iterable[Step]) -> int:
    """The number of commands of steps: calls, and the DATA before them."""
    return sum(1 for step in steps for _ in items(memoryview(bytearray(step.words)).cast("I")))


def write_steps(steps: Iterable[Step]) -> bytes:
    """A stored recording of the steps."""
    return PREFIX.pack(MAGIC, VERSION, 0) + b"".join(step.words for step in steps) + pack(Command.END)
