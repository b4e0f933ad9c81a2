"""Commands of display lists. (OpenGL 2.1, 5.4)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.opengl.calls import command, lists_itself
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.lists import DisplayList, listed
from tgsi.opengl.memory import Pointer, numbers
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

MAX_NESTING = 64
LETTERS = {
    GL.BYTE: "b", GL.UNSIGNED_BYTE: "B", GL.SHORT: "h", GL.UNSIGNED_SHORT: "H", GL.INT: "i", GL.UNSIGNED_INT: "I", GL.FLOAT: "f",
}  # fmt: skip
BYTES = {GL._2_BYTES: 2, GL._3_BYTES: 3, GL._4_BYTES: 4}


@command("glGenLists")
def gen_lists(gl: Context, count: int) -> int:
    """The first of `count` consecutive fresh names."""
    not_negative("range", count)
    lists = gl.share.lists
    first = max(lists, default=0) + 1
    for number in range(first, first + count):
        lists[number] = DisplayList(number, executes=False)
    return first if count else 0


@command("glDeleteLists")
def delete_lists(gl: Context, first: int, count: int) -> None:
    """Free names."""
    not_negative("range", count)
    for number in [number for number in gl.share.lists if first <= number < first + count]:
        del gl.share.lists[number]


@command("glIsList")
def is_list(gl: Context, number: int) -> int:
    """1 if there is such a list."""
    return int(number in gl.share.lists)


@command("glNewList")
def new_list(gl: Context, number: int, mode: int) -> None:
    """Open a list."""
    if not number:
        raise bad_value("list: 0 is not the name of a display list")
    if mode not in (GL.COMPILE, GL.COMPILE_AND_EXECUTE):
        raise bad_enum("mode", mode)
    if gl.list is not None or gl.batch is not None:
        raise bad_operation("a list or a primitive is open")
    gl.list = DisplayList(number, executes=mode == GL.COMPILE_AND_EXECUTE)


@command("glEndList")
@lists_itself
def end_list(gl: Context) -> None:
    """Finish the open list, and replace the old list of that name."""
    if gl.list is None:
        raise bad_operation("no list is open")
    gl.share.lists[gl.list.number] = gl.list
    gl.list = None


def run(gl: Context, number: int) -> None:
    """Execute a list; ignored if it does not exist or is nested too deep."""
    item = gl.share.lists.get(number)
    if not isinstance(item, DisplayList) or gl.legacy.nesting >= MAX_NESTING:
        return
    gl.legacy.nesting += 1
    open_list, gl.list = gl.list, None
    try:
        item.run(gl)
    finally:
        gl.legacy.nesting -= 1
        gl.list = open_list


@listed
def _call(gl: Context, number: int) -> None:
    run(gl, number)


@listed
def _call_many(gl: Context, offsets: tuple[int, ...]) -> None:
    for offset in offsets:
        run(gl, gl.fixed.list_base + offset)


def _forget_known(gl: Context) -> None:
    """Forget attribute values, because a called list may change them."""
    if gl.list is not None:
        gl.list.known.clear()


@command("glCallList")
@lists_itself
def call_list(gl: Context, number: int) -> None:
    """Execute a list."""
    _forget_known(gl)
    _call(gl, number)


@command("glCallLists")
def call_lists(gl: Context, n: int, type: int, lists: Pointer) -> None:
    """Execute the lists named by the numbers of an array plus the list base."""
    not_negative("n", n)
    if type in LETTERS:
        offsets = tuple(int(value) for value in numbers(LETTERS[type], lists, n))
    elif type in BYTES:
        size = BYTES[type]
        raw = bytes(numbers("B", lists, n * size))
        offsets = tuple(int.from_bytes(raw[k : k + size], "big") for k in range(0, n * size, size))
    else:
        raise bad_enum("type", type)
    _forget_known(gl)
    _call_many(gl, offsets)


@command("glListBase")
def list_base(gl: Context, base: int) -> None:
    """Set the list base of glCallLists."""
    gl.fixed.list_base = base
