"""Messages of a connection, one row each: all requests of a client other than those in its command stream."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from backends.device.commands.waits import BUSY, DONE, EVERYTHING
from tgsi.language.record import record
from tgsi.tools.vtest.commands.resources import create_resource
from tgsi.tools.vtest.output.log import LOG
from tgsi.tools.vtest.processes.door import client_name
from tgsi.tools.vtest.processes.marks import Mark
from tgsi.tools.vtest.protocol.account import OBJECT
from tgsi.tools.vtest.protocol.boxes import box_of
from tgsi.tools.vtest.protocol.caps import for_protocol
from tgsi.tools.vtest.protocol.errors import ClientGone, CommandError, ProtocolError, in_range
from tgsi.tools.vtest.protocol.holdings import Holding, shared_memory
from tgsi.tools.vtest.protocol.numbers import BIND_CUSTOM, SHOWN
from tgsi.tools.vtest.session.session import EXPECTED, Session

if TYPE_CHECKING:
    from backends.gallium.resource.resource import Box, Resource

Run = Callable[[Session, memoryview], None]
MAX_RESOURCES = 1 << 20
MAX_TRANSFER = 1 << 30
CAPS_V1_BYTES = 308
MAX_MESSAGE = 1 << 26
"""Largest size of a message in bytes. Mesa sends at most a few megabytes."""

_BEGUN, _MESSAGE = Mark.BEGUN.value, Mark.MESSAGE.value
_WAITS = 1  # flag of a request that wants no answer before the work is done
_HEAD = struct.Struct("<2I")
_PAIR = struct.Struct("<2I")
_TRIPLE = struct.Struct("<3I")


@record
class Message:
    """Row of a message. words: number of words before any data that the function reads itself (has_data); None: the whole body."""

    name: str
    run: Run
    words: int | None
    has_data: bool = False
    counts_bytes: bool = False


MESSAGES: dict[int, Message] = {}


def _message(number: int, name: str, words: int | None = 0, *, has_data: bool = False, counts_bytes: bool = False) -> Callable[[Run], Run]:
    def add(run: Run) -> Run:
        MESSAGES[number] = Message(name, run, words, has_data, counts_bytes)
        return run

    return add


@_message(1, "GET_CAPS")
def _get_caps(session: Session, _: memoryview) -> None:
    session.wire.write(_PAIR.pack(CAPS_V1_BYTES + 1, 1) + session.caps[:CAPS_V1_BYTES])


@_message(9, "GET_CAPS2")
def _get_caps2(session: Session, _: memoryview) -> None:
    session.wire.write(_PAIR.pack(len(session.caps) + 1, 2) + for_protocol(session.caps, session.protocol))


@_message(8, "CREATE_RENDERER", None, counts_bytes=True)
def _create_renderer(session: Session, body: memoryview) -> None:
    session.name = client_name(body) or "client"


@_message(10, "PING_PROTOCOL_VERSION")
def _ping(session: Session, _: memoryview) -> None:
    session.wire.write(_PAIR.pack(0, 10))


@_message(11, "PROTOCOL_VERSION", 1)
def _version(session: Session, body: memoryview) -> None:
    wanted = min(body.cast("I")[0], session.newest)
    session.protocol = wanted if wanted >= 2 else 0
    session.wire.write(_TRIPLE.pack(1, 11, session.protocol))


@_message(7, "RESOURCE_BUSY_WAIT", 2)
def _busy_wait(session: Session, body: memoryview) -> None:
    """Carry out what uses the resource. Clients wait for a BIND_CUSTOM buffer, or for none at all, to wait for everything."""
    handle, flags = body.cast("I")
    if not flags & _WAITS and session.cuts.are_read(handle):
        session.wire.write(BUSY)
        return
    holding = session.resources.get(handle)
    try:
        if holding is None or holding.bind == BIND_CUSTOM:
            session.synchronize()
        elif session.contexts:
            session.current.gallium.order.finish_uses(holding.resource)
    finally:
        session.wire.write(DONE)


@_message(2, "RESOURCE_CREATE", 10)
def _create(session: Session, body: memoryview) -> None:
    _new_resource(session, body.cast("I"))


@_message(12, "RESOURCE_CREATE2", 11)
def _create2(session: Session, body: memoryview) -> None:
    words = body.cast("I")
    size = words[10]
    error: Exception | None = None
    descriptor = -1
    try:
        holding = _new_resource(session, words[:10])
        if size:
            descriptor = _shared(session, holding, size)
            session.memories.put(words[0], holding.address, size)
    except EXPECTED as found:
        error = found
    if size:  # the client waits for a descriptor even if its resource is refused
        try:
            if descriptor < 0:
                descriptor = shared_memory(size)  # which the server does not map
            session.wire.send_descriptor(descriptor)
        except OSError as found:
            raise ProtocolError(f"RESOURCE_CREATE2: no memory can be shared: {found.strerror}") from None
        finally:
            if descriptor >= 0:
                os.close(descriptor)
    if error is not None:
        raise error


def _shared(session: Session, holding: Holding, size: int) -> int:
    """Share memory with the client. Returns a descriptor that the caller closes."""
    most = holding.most_shared
    if size > most:
        raise CommandError("data_size", f"{size} bytes are too many for a resource that needs at most {most}")
    session.account.take(size, "data_size")
    try:
        return holding.share(size)
    except BaseException as error:
        session.account.give(size)
        if isinstance(error, OSError):
            raise MemoryError(f"data_size: {size} bytes cannot be shared: {error.strerror}") from None
        raise


def _new_resource(session: Session, words: memoryview) -> Holding:
    handle = words[0]
    if not handle or handle in session.resources:
        raise CommandError("res_handle", f"{handle} {'exists already' if handle else 'is not a handle'}")
    in_range(len(session.resources), "res_handle", 0, MAX_RESOURCES)

    waits, waits_for_all = session.waits, words[3] == BIND_CUSTOM

    def made(resource: Resource) -> None:
        if resource.is_buffer:
            session.buffers.put(handle, resource.address, resource.size)
            if waits is not None and not waits_for_all:
                waits.memory.put(handle, resource.address, resource.size)

    session.account.take(OBJECT, "res_handle")
    try:
        holding = session.resources[handle] = create_resource(session.screen, words[1:].tolist(), made)
    except BaseException:
        session.account.give(OBJECT)
        raise
    if waits is not None and waits_for_all:
        waits.memory.put(handle, *EVERYTHING)
    return holding


@_message(3, "RESOURCE_UNREF", 1)
def _unref(session: Session, body: memoryview) -> None:
    handle = body.cast("I")[0]
    holding = session.resources.pop(handle, None)
    if holding is None:
        raise CommandError("res_handle", f"there is no resource {handle}")
    session.memories.remove(handle)
    session.cuts.forget(handle)
    if session.waits is not None:
        session.waits.memory.remove(handle)
    if session.pictures is not None and holding.is_made:
        session.pictures.leaving(session.name, [sub.context for sub in session.contexts.values()], holding)
    if holding.is_made:
        session.let_go(handle, holding)
    session.free(holding)


@_message(5, "TRANSFER_PUT", 11, has_data=True)
def _put(session: Session, body: memoryview) -> None:
    words = body.cast("I").tolist()
    size = words[10]
    if size > MAX_TRANSFER:
        raise ProtocolError(f"TRANSFER_PUT: data_size: {size} bytes are too many")
    rest = size
    try:
        holding, level, box = session.holding(words[0], "res_handle"), words[1], box_of(words[4:10])
        data = session.more(_needed(holding, level, box, words))
        rest -= len(data)
        holding.write(session.current.gallium, level, box, data, words[2], words[3])
    finally:
        session.skip(rest)


@_message(4, "TRANSFER_GET", 11)
def _get(session: Session, body: memoryview) -> None:
    words = body.cast("I").tolist()
    size = words[10]
    if size > MAX_TRANSFER:
        raise ProtocolError(f"TRANSFER_GET: data_size: {size} bytes are too many")
    reply = bytearray()
    try:
        holding, level, box = session.holding(words[0], "res_handle"), words[1], box_of(words[4:10])
        needed = _needed(holding, level, box, words)
        session.tell_due()
        session.lend(needed)
        reply = bytearray(needed)
        holding.read(session.current.gallium, level, box, memoryview(reply), words[2], words[3])
        _note_read(session, holding, words[4:10])
    finally:
        session.wire.write(reply)
        session.write_zeros(size - len(reply))  # the client waits for this many bytes even if the request fails


def _needed(holding: Holding, level: int, box: Box, words: Sequence[int]) -> int:
    """Bytes that a box takes of those of a transfer. Raises CommandError, before any are allocated, if the transfer has fewer."""
    needed = holding.needed(level, box, words[2], words[3])
    if needed > words[10]:
        raise CommandError("data_size", f"{needed} bytes are needed, {words[10]} are there")
    return needed


@_message(14, "TRANSFER_PUT2", 10, has_data=True)
def _put2(session: Session, body: memoryview) -> None:
    _transfer2(session, body.cast("I").tolist(), Holding.write)


@_message(13, "TRANSFER_GET2", 10)
def _get2(session: Session, body: memoryview) -> None:
    words = body.cast("I").tolist()
    session.tell_due()
    _transfer2(session, words, Holding.read)
    _note_read(session, session.resources[words[0]], words[2:8])


def _note_read(session: Session, holding: Holding, box: Sequence[int]) -> None:
    """Note that the client has read a box: a whole window is a frame."""
    if holding.bind & SHOWN and (box[3], box[4]) == (holding.resource.width0, holding.resource.height0):
        session.marks[Mark.FRAMES] += 1
    if session.pictures is not None:
        session.pictures.shown(session.name, holding, box)


def _transfer2(session: Session, words: Sequence[int], move: Callable[..., None]) -> None:
    """Copy between a box and the client's memory, which holds the whole level with tight rows and layers."""
    holding = session.resources.get(words[0])
    if holding is None or holding.memory is None:
        raise CommandError("res_handle", f"{words[0]} has no memory of the client's")
    level, offset = words[1], words[9]
    if offset > len(holding.memory):
        raise CommandError("offset", f"{offset} is after the end of {len(holding.memory)} bytes")
    view = memoryview(holding.memory)[offset:]
    move(holding, session.current.gallium, level, box_of(words[2:8]), view, *holding.strides(level))


@_message(6, "SUBMIT_CMD", None)
def _submit(session: Session, body: memoryview) -> None:
    session.submit(body)


def message_name(number: int) -> str:
    """Name of a message."""
    row = MESSAGES.get(number)
    return f"message {number}" if row is None else row.name


def answer(session: Session) -> None:
    """Answer messages until the client disconnects. A message without a recognizable end ends the connection with one line."""
    try:
        while head := session.next_head():
            take(session, head)
    except ClientGone as error:
        LOG.info(f"{session.name} left: {error}")
    except ProtocolError as error:
        session.complain(str(error))
    finally:
        session.close()


def take(session: Session, head: bytearray | memoryview) -> None:
    """Answer the message with this head. Raises ProtocolError if its end cannot be found."""
    length, number = _HEAD.unpack(head)
    marks = session.marks
    marks[_BEGUN] += 1
    marks[_MESSAGE] = number
    row = MESSAGES.get(number)
    if row is None:
        raise ProtocolError(f"message {number} does not exist")
    if session.statistics is not None:
        session.statistics.messages[row.name] += 1
    try:
        row.run(session, _body(session, row, length))
    except EXPECTED as error:
        session.complain(f"{row.name}: {error}")
    finally:
        session.end_message()


def _body(session: Session, row: Message, length: int) -> memoryview:
    size = length if row.counts_bytes else length * 4
    if row.words is not None:
        if length < row.words or (length > row.words and not row.has_data):
            raise ProtocolError(f"{row.name}: {length} words; it has {row.words}")
        size = row.words * 4  # the message's function itself reads any data that follows
    if size > MAX_MESSAGE:
        raise ProtocolError(f"{row.name}: {size} bytes are too many")
    try:
        return session.more(size)
    except CommandError:
        session.skip(size)
        raise
