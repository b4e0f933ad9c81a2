"""Server on a unix socket, with one forked process per client, so that no client can harm another.

The parent process imports all modules and compiles the kernels that every client needs, but starts no thread. Children inherit both,
and share compiled shaders through the cache on disk.
"""

from __future__ import annotations

import array
import contextlib
import logging
import os
import select
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tgsi.language._collector import collector_paused, freeze_all
from tgsi.language.record import record
from tgsi.tools.vtest.output.log import LOG
from tgsi.tools.vtest.output.parts import Parts, part
from tgsi.tools.vtest.output.progress import Compilations, is_shown
from tgsi.tools.vtest.output.summary import Summary
from tgsi.tools.vtest.output.wanted import Wanted
from tgsi.tools.vtest.processes import address
from tgsi.tools.vtest.processes.children import Children, widen_descriptors
from tgsi.tools.vtest.processes.door import Door, Visitor
from tgsi.tools.vtest.processes.limits import Limits, confine

if TYPE_CHECKING:
    from tgsi.gallium import Screen
    from tgsi.tools.vtest.output.pictures import Pictures
    from tgsi.tools.vtest.output.shader_texts import ShaderTexts

DEFAULT_SOCKET = "/tmp/.virgl_test"
GRACE = 5.0
"""Seconds that pending work may take after its client disconnected. Its results are lost, and a draw can have billions of vertices."""
_VERTEX = """VERT
DCL IN[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
"""
_FRAGMENT = """FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MUL OUT[0], TEMP[0], TEMP[0].wwww
END
"""


@record(kw_only=True)
class Options:
    """Options of the server. threads, lanes: of the screen. socket_mode: who may connect, as the mode of a file.

    statistics: log the cost of each client's commands. summary: print a table of all clients at the end.
    """

    socket: Path = Path(DEFAULT_SOCKET)
    once: bool = False
    log_commands: bool = False
    wanted: Wanted = Wanted()
    statistics: bool = False
    summary: bool = False
    protocol: int = 2
    threads: int | None = None
    lanes: int | None = None
    socket_mode: int = 0o600
    limits: Limits = Limits()


def make_screen(options: Options, *, threads: int | None = None) -> Screen:
    """Create a screen with these options."""
    from tgsi.gallium import Screen

    return Screen(options.threads if threads is None else threads, lanes=options.lanes, memory_limit=options.limits.memory)


def warm(options: Options) -> None:
    """Import the modules and load the fixed kernels that every client needs, without starting a thread.

    It draws a textured triangle with typical state, so that tables which the first use of a call fills are shared by all clients. On a
    machine without compiled kernels this also loads the code generator, for which the first client would otherwise wait.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts threads for matrix products, which we never compute
    with collector_paused(promote=True):
        from tgsi.tools.vtest.protocol import wire  # noqa: F401  (imported for the forked children)
        from tgsi.tools.vtest.session import messages  # noqa: F401

        _draw_for_all(options)
    freeze_all()  # children share these pages as long as no collector marks objects in them


def _draw_for_all(options: Options) -> None:
    from tgsi.tools.vtest.protocol.caps import capability_set

    with make_screen(options, threads=0) as screen, screen.context_create() as context:
        capability_set(screen)
        target = screen.resource_create(width0=64, height0=64)
        context.set_framebuffer_state(cbufs=[target])
        context.bind_blend_state(context.create_blend_state())
        context.bind_rasterizer_state(context.create_rasterizer_state())
        context.bind_depth_stencil_alpha_state(context.create_depth_stencil_alpha_state())
        context.set_viewport_states([{"scale": (32, 32, 0.5), "translate": (32, 32, 0.5)}])
        context.bind_vs_state(context.create_vs_state(_VERTEX))
        context.bind_fs_state(context.create_fs_state(_FRAGMENT))
        context.bind_vertex_elements_state(context.create_vertex_elements_state([{"src_offset": 0, "src_format": "R32G32_FLOAT"}]))
        corners = screen.resource_create(target="BUFFER", width0=24)
        context.buffer_subdata(corners, array.array("f", [-1.0, -1.0, 3.0, -1.0, -1.0, 3.0]))
        context.set_vertex_buffers([{"buffer": corners, "stride": 8}])
        context.bind_sampler_states("FRAGMENT", [context.create_sampler_state()])
        context.set_sampler_views("FRAGMENT", [context.create_sampler_view(screen.resource_create(width0=4, height0=4))])
        context.clear("COLOR")
        context.draw_vbo(mode="TRIANGLES", count=3)
        context.flush()
        context.device.reader_entry()


def serve_client(connection: socket.socket, options: Options, first: bytes = b"", marks: memoryview | None = None) -> int:
    """Serve one client until it disconnects. Returns the number of its wrong commands.

    first: bytes that were already read from the connection. marks: memory for the marks of `processes.children`.
    """
    from tgsi.tools.vtest.protocol.wire import SocketWire
    from tgsi.tools.vtest.session.messages import answer
    from tgsi.tools.vtest.session.session import Session, Statistics

    statistics = Statistics() if options.statistics else None
    pictures, texts = observers(options.wanted, os.getpid())
    wire, protocol, recording = SocketWire(connection, first), options.protocol, None
    if options.wanted.stream is not None:
        from tgsi.tools.vtest.output.recording import RecordingWire

        wire = recording = RecordingWire(connection, first, part(options.wanted.stream, os.getpid()))
        protocol = 0
    with connection, make_screen(options) as screen:
        session = Session(
            screen,
            wire,
            LOG.warning,
            protocol=protocol,
            log_commands=options.log_commands,
            statistics=statistics,
            pictures=pictures,
            texts=texts,
            trace=options.wanted.trace,
            marks=marks,
        )
        try:
            answer(session)
        finally:
            if recording is not None:
                recording.close(is_wanted=session.has_worked)
    if statistics is not None:
        report(session.name, statistics)
    return session.complaints


def observers(wanted: Wanted, process: int | str) -> tuple[Pictures | None, ShaderTexts | None]:
    """Writers of a client's pictures and shaders. They import modules that few clients need. process: a part of their names."""
    pictures, texts = None, None
    if wanted.has_pictures:
        from tgsi.tools.vtest.output.pictures import Pictures

        pictures = Pictures(wanted, process)
    if wanted.shaders is not None:
        from tgsi.tools.vtest.output.shader_texts import ShaderTexts

        texts = ShaderTexts(wanted.shaders, process)
    return pictures, texts


def report(name: str, statistics: object) -> None:
    """Log the statistics of a client."""
    from tgsi.tools.vtest.session.session import Statistics

    assert isinstance(statistics, Statistics)
    LOG.warning(f"{name}: {statistics.errors} errors; messages: " + ", ".join(f"{k} {n}" for k, n in statistics.messages.most_common()))
    for command, seconds in sorted(statistics.seconds.items(), key=lambda item: -item[1]):
        count = statistics.commands[command]
        LOG.warning(f"  {command:40} {count:8} times {seconds * 1e3:10.1f} ms {seconds / count * 1e6:8.1f} us each")


def serve(options: Options) -> int:
    """Serve clients until interrupted, or only one with `once`. Returns the exit code."""
    widen_descriptors()
    listener = address.listen(options.socket, options.socket_mode)
    own = address.identity(options.socket)
    try:
        return serve_at(listener, options)
    finally:
        address.remove(options.socket, own)


def serve_at(listener: socket.socket, options: Options, until: int | None = None, at_end: Callable[[], None] = lambda: None) -> int:
    """Serve the clients of a listening socket, which is closed at the end. Returns the exit code.

    until, at_end: as for `Children.run`.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    door = Door(listener, options.limits, LOG.warning)
    try:
        warm(options)
        LOG.info(f"ready at {options.socket}")
        return _serve_one(door, options) if options.once else _serve_all(door, options, until, at_end)
    finally:
        door.close()


def _serve_one(door: Door, options: Options) -> int:
    """Serve one client in this process."""
    while (visitor := door.next(Counter())) is None:
        poll = select.poll()
        for descriptor in door.descriptors():
            poll.register(descriptor, select.POLLIN)
        patience = door.patience()
        poll.poll(None if patience is None else 1000 * patience + 1)
        door.attend()
    confine(options.limits)
    return 1 if serve_client(visitor.connection, options, bytes(visitor.first)) else 0


def _serve_all(door: Door, options: Options, until: int | None, at_end: Callable[[], None]) -> int:
    from tgsi.tools.vtest.session.messages import message_name

    def work(visitor: Visitor, marks: memoryview) -> int:
        return _child(visitor, marks, options)

    parts, summary = Parts(options.wanted.files), Summary()

    def ended(process: int, program: str, marks: Sequence[int]) -> None:
        parts.collect(process, program)
        summary.add(program, marks)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    progress = Compilations()
    looked = progress.look if is_shown() and LOG.isEnabledFor(logging.WARNING) else None
    try:
        with contextlib.suppress(KeyboardInterrupt):
            Children(door, options.limits, work, message_name, LOG.warning, ended, looked).run(until, at_end)
    finally:
        progress.end()
        if options.summary:
            summary.show()
    return 0


def _child(visitor: Visitor, marks: memoryview, options: Options) -> int:
    """Serve a client in a separate process. Returns its exit code."""
    try:
        confine(options.limits)
        if not options.wanted.is_any:  # its output about the remaining work is still needed
            leave_behind(visitor.connection, GRACE)
        return 1 if serve_client(visitor.connection, options, bytes(visitor.first), marks) else 0
    except BaseException as error:
        LOG.error(f"{visitor.name}: its process {os.getpid()} failed: {type(error).__name__}: {error}")
        return 1


def leave_behind(connection: socket.socket, grace: float) -> None:
    """Watch the connection, and end this process with code 1 `grace` seconds after the client closes it, whatever the process is doing."""

    def watch() -> None:
        ended = select.poll()
        ended.register(connection.fileno(), 0)  # poll reports POLLHUP even with an empty event mask
        ended.poll()
        time.sleep(grace)
        LOG.warning(f"client process {os.getpid()}: the client is gone, and what it asked for takes too long")
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
