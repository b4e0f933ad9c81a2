"""Query objects, conditional rendering, sync objects. (OpenGL 4.6 core, chapter 4, 10.9)"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tgsi.opengl.calls import command
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, uints, write
from tgsi.opengl.objects.query import KINDS, STREAMED, Query, Sync
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


@command("glGenQueries")
def gen_queries(gl: Context, n: int, ids: Pointer) -> None:
    """Fresh names."""
    not_negative("n", n)
    write("I", ids, gl.queries.generate(n))


@command("glCreateQueries")
def create_queries(gl: Context, target: int, n: int, ids: Pointer) -> None:
    """Fresh names with their objects."""
    not_negative("n", n)
    if target not in KINDS:
        raise bad_enum("target", target)
    write("I", ids, gl.queries.create(n, lambda name: Query(name, target)))


@command("glIsQuery")
def is_query(gl: Context, id: int) -> int:
    """1 if the name has an object."""
    return int(gl.queries.get(id) is not None)


@command("glDeleteQueries")
def delete_queries(gl: Context, n: int, ids: Pointer) -> None:
    """Free names; active queries end."""
    not_negative("n", n)
    for name in uints(ids, n):
        item = gl.queries.drop(name)
        if item is None:
            continue
        for key, active in list(gl.active_queries.items()):
            if active is item:
                gl.pipe.end_query(item.pipe)
                del gl.active_queries[key]
        if item.pipe is not None:
            gl.pipe.destroy_query(item.pipe)


def _check_stream(target: int, index: int, *, but: int = 0) -> None:
    """Check a target, which must not be `but`, and a vertex stream, of which only some targets have more than one."""
    if target not in KINDS or target == but:
        raise bad_enum("target", target)
    most = 4 if target in STREAMED else 1
    if index >= most:
        raise bad_value(f"index: {index} is not below {most}")


def _named(gl: Context, name: int, target: int = 0) -> Query:
    item = gl.queries.get(name)
    if item is None:
        if not target or name not in gl.queries.objects:
            raise bad_operation(f"id: {name} is not the name of a query")
        item = gl.queries.put(name, Query(name, target))
    return item


@command("glBeginQuery")
def begin_query(gl: Context, target: int, id: int) -> None:
    """Begin counting."""
    begin_query_indexed(gl, target, 0, id)


@command("glBeginQueryIndexed")
def begin_query_indexed(gl: Context, target: int, index: int, id: int) -> None:
    """Begin counting for a vertex stream."""
    _check_stream(target, index, but=GL.TIMESTAMP)
    if (target, index) in gl.active_queries:
        raise bad_operation("target: a query is active")
    item = _named(gl, id, target)
    if item.is_active or (item.target and item.target != target):
        raise bad_operation(f"id: {id} is active or of another target")
    item.target = target
    if item.pipe is None:
        item.pipe = gl.pipe.create_query(KINDS[target], index=index)
    gl.pipe.begin_query(item.pipe)
    item.is_active = True
    gl.active_queries[target, index] = item


@command("glEndQuery")
def end_query(gl: Context, target: int) -> None:
    """End counting."""
    end_query_indexed(gl, target, 0)


@command("glEndQueryIndexed")
def end_query_indexed(gl: Context, target: int, index: int) -> None:
    """End counting for a vertex stream."""
    _check_stream(target, index)
    item = gl.active_queries.pop((target, index), None)
    if item is None:
        raise bad_operation("target: no query is active")
    gl.pipe.end_query(item.pipe)
    item.is_active, item.has_result = False, True


@command("glQueryCounter")
def query_counter(gl: Context, id: int, target: int) -> None:
    """Record the time when all earlier commands are finished."""
    if target != GL.TIMESTAMP:
        raise bad_enum("target", target)
    item = _named(gl, id, target)
    if item.target and item.target != target:
        raise bad_operation(f"id: {id} is of another target")
    item.target = target
    if item.pipe is None:
        item.pipe = gl.pipe.create_query("TIMESTAMP")
    gl.pipe.end_query(item.pipe)
    item.has_result = True


@command("glGetQueryiv")
def get_query(gl: Context, target: int, pname: int, params: Pointer) -> None:
    """The active query of a target, or the bits of its counter."""
    get_query_indexed(gl, target, 0, pname, params)


@command("glGetQueryIndexediv")
def get_query_indexed(gl: Context, target: int, index: int, pname: int, params: Pointer) -> None:
    """The active query of a target and stream, or the bits of its counter."""
    _check_stream(target, index)
    if pname == GL.CURRENT_QUERY:
        item = gl.active_queries.get((target, index))
        write("i", params, [item.name if item is not None else 0])
    elif pname == GL.QUERY_COUNTER_BITS:
        write("i", params, [1 if "PREDICATE" in KINDS[target] else 64])
    else:
        raise bad_enum("pname", pname)


def _result(gl: Context, id: int, pname: int) -> int | None:
    item = gl.queries.get(id)
    if item is None or item.is_active:
        raise bad_operation(f"id: {id} is not a query, or it is active")
    if pname == GL.QUERY_TARGET:
        return item.target
    if pname not in (GL.QUERY_RESULT, GL.QUERY_RESULT_AVAILABLE, GL.QUERY_RESULT_NO_WAIT):
        raise bad_enum("pname", pname)
    if not item.has_result or item.pipe is None:
        return 0
    if pname == GL.QUERY_RESULT_AVAILABLE:
        gl.pipe.get_query_result(item.pipe, wait=True)
        return 1
    result = gl.pipe.get_query_result(item.pipe, wait=True)
    return int(result) if isinstance(result, int) else 0


def _getter(letter: str, top: int) -> Callable[..., None]:
    def get(gl: Context, id: int, pname: int, params: Pointer) -> None:
        value = _result(gl, id, pname)
        if value is None:
            return
        value = min(value, top)
        buffer = gl.buffers.get("QUERY_BUFFER")
        if buffer is None:
            write(letter, params, [value])
        else:
            import struct

            buffer.write(gl, params or 0, struct.pack(f"={letter}", value))

    return get


command("glGetQueryObjectiv")(_getter("i", (1 << 31) - 1))
command("glGetQueryObjectuiv")(_getter("I", (1 << 32) - 1))
command("glGetQueryObjecti64v")(_getter("q", (1 << 63) - 1))
command("glGetQueryObjectui64v")(_getter("Q", (1 << 64) - 1))

CONDITIONS = {
    GL.QUERY_WAIT: ("WAIT", False),
    GL.QUERY_NO_WAIT: ("NO_WAIT", False),
    GL.QUERY_BY_REGION_WAIT: ("BY_REGION_WAIT", False),
    GL.QUERY_BY_REGION_NO_WAIT: ("BY_REGION_NO_WAIT", False),
    GL.QUERY_WAIT_INVERTED: ("WAIT", True),
    GL.QUERY_NO_WAIT_INVERTED: ("NO_WAIT", True),
    GL.QUERY_BY_REGION_WAIT_INVERTED: ("BY_REGION_WAIT", True),
    GL.QUERY_BY_REGION_NO_WAIT_INVERTED: ("BY_REGION_NO_WAIT", True),
}


@command("glBeginConditionalRender")
def begin_conditional_render(gl: Context, id: int, mode: int) -> None:
    """Draw only if samples passed."""
    if mode not in CONDITIONS:
        raise bad_enum("mode", mode)
    item = gl.queries.get(id)
    if gl.is_conditional:
        raise bad_operation("a condition is open")
    if item is None:
        raise bad_value(f"id: {id} is not a query")
    if item.is_active or item.pipe is None or not KINDS[item.target].startswith("OCCLUSION"):
        raise bad_operation(f"id: {id} is not a query of samples with a result")
    word, inverted = CONDITIONS[mode]
    gl.pipe.render_condition(item.pipe, condition=inverted, mode=word)
    gl.is_conditional = True


@command("glEndConditionalRender")
def end_conditional_render(gl: Context) -> None:
    """Draw unconditionally again."""
    if not gl.is_conditional:
        raise bad_operation("no condition is open")
    gl.pipe.render_condition(None)
    gl.is_conditional = False


# -- sync objects
@command("glFenceSync")
def fence_sync(gl: Context, condition: int, flags: int) -> int:
    """Create a fence behind all earlier commands."""
    if condition != GL.SYNC_GPU_COMMANDS_COMPLETE:
        raise bad_enum("condition", condition)
    if flags:
        raise bad_value(f"flags: {flags:#x} is not 0")
    number = max(gl.share.syncs, default=0x1000) + 16
    gl.share.syncs[number] = Sync(number, gl.pipe.flush())
    return number


def _sync(gl: Context, sync: Pointer) -> Sync:
    item = gl.share.syncs.get(sync or 0)
    if not isinstance(item, Sync):
        raise bad_value("sync: there is no such sync object")
    return item


@command("glIsSync")
def is_sync(gl: Context, sync: Pointer) -> int:
    """1 if there is such a sync object."""
    return int((sync or 0) in gl.share.syncs)


@command("glDeleteSync")
def delete_sync(gl: Context, sync: Pointer) -> None:
    """Free a sync object."""
    if sync:
        _sync(gl, sync)
        del gl.share.syncs[sync]


@command("glClientWaitSync")
def client_wait_sync(gl: Context, sync: Pointer, flags: int, timeout: int) -> int:
    """Wait for a fence."""
    item = _sync(gl, sync)
    if flags & ~GL.SYNC_FLUSH_COMMANDS_BIT:
        raise bad_value(f"flags: {flags:#x} has unknown bits")
    if gl.screen.fence_finish(item.fence, timeout=0):
        return GL.ALREADY_SIGNALED
    done = gl.screen.fence_finish(item.fence, timeout=min(timeout, (1 << 63) - 1))
    return GL.CONDITION_SATISFIED if done else GL.TIMEOUT_EXPIRED


@command("glWaitSync")
def wait_sync(gl: Context, sync: Pointer, flags: int, timeout: int) -> None:
    """Wait for a fence, which orders nothing more because commands are executed in order."""
    item = _sync(gl, sync)
    if flags or timeout != GL.TIMEOUT_IGNORED:
        raise bad_value("flags and timeout: only 0 and GL_TIMEOUT_IGNORED are accepted")
    gl.screen.fence_finish(item.fence)


@command("glGetSynciv")
def get_sync(gl: Context, sync: Pointer, pname: int, size: int, length: Pointer, values: Pointer) -> None:
    """A parameter of a sync object."""
    not_negative("count", size)
    item = _sync(gl, sync)
    done = gl.screen.fence_finish(item.fence, timeout=0)
    properties = {
        GL.OBJECT_TYPE: GL.SYNC_FENCE,
        GL.SYNC_STATUS: GL.SIGNALED if done else GL.UNSIGNALED,
        GL.SYNC_CONDITION: GL.SYNC_GPU_COMMANDS_COMPLETE,
        GL.SYNC_FLAGS: 0,
    }
    if pname not in properties:
        raise bad_enum("pname", pname)
    if size > 0:
        write("i", values, [properties[pname]])
    write("i", length, [min(size, 1)])
