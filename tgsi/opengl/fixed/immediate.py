"""Immediate mode: glBegin, glEnd, and attributes one by one. (OpenGL 2.1, 2.6 and 2.7)"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tgsi.opengl.calls import command, lists_itself
from tgsi.opengl.commands.draws import check_mode
from tgsi.opengl.errors import bad_enum, bad_operation
from tgsi.opengl.fixed.primitives import draw
from tgsi.opengl.memory import Pointer, numbers
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty
from tgsi.opengl.state.batch import Batch
from tgsi.opengl.state.fixed import COLOR, EDGE, FOG, MAX_UNITS, NORMAL, SECONDARY, TEXTURE

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

LETTERS = {"b": "b", "s": "h", "i": "i", "f": "f", "d": "d", "ub": "B", "us": "H", "ui": "I"}
TOPS = {"b": 127, "s": 32767, "i": 2147483647, "ub": 255, "us": 65535, "ui": 4294967295}
FILL = (0.0, 0.0, 0.0, 1.0)


def set_current(gl: Context, location: int, values: tuple[float, float, float, float]) -> None:
    """Set the current value of an attribute."""
    gl.attributes[location] = "f", values
    gl.dirty |= dirty.VERTICES


def put_attribute(gl: Context, location: int, values: tuple[Any, ...]) -> None:
    """Set an attribute of the open primitive or the open list, otherwise the current value."""
    vector: Any = (*values, *FILL[len(values) :])
    if gl.batch is not None:
        gl.batch.put(location, vector)
        gl.batch.share(gl.native if gl.list is None else None)
        return
    if gl.list is not None:
        gl.list.items.append((set_current, (location, vector)))
        gl.list.known[location] = vector
        if not gl.list.executes:
            return
    set_current(gl, location, vector)


def put_vertex(gl: Context, values: tuple[Any, ...]) -> None:
    """Add a vertex to the open primitive; ignored without one."""
    if gl.batch is not None:
        gl.batch.vertex((*values, *FILL[len(values) :]))
        gl.batch.share(gl.native if gl.list is None else None)


@command("glBegin")
@lists_itself
def begin(gl: Context, mode: int) -> None:
    """Open a primitive."""
    if gl.batch is not None:
        raise bad_operation("a primitive is open")
    name = check_mode(gl, mode)
    if gl.native is not None:
        gl.native.note_error(True)  # glGetError is an error until glEnd
    gl.batch = Batch(mode, name, dict(gl.list.known) if gl.list is not None else {})
    if gl.list is None:
        gl.batch.share(gl.native)


@command("glEnd")
@lists_itself
def end(gl: Context) -> None:
    """Draw the open primitive."""
    batch = gl.batch
    if batch is None:
        raise bad_operation("no primitive is open")
    gl.batch = None
    if gl.native is not None:
        gl.native.note_error(bool(gl.errors))
    _finish(gl, batch)


def _finish(gl: Context, batch: Batch) -> None:
    """Draw a primitive, or add it to the open list."""
    if gl.list is not None:
        gl.list.items.append((draw_batch, (batch,)))
        gl.list.known.update(zip(batch.columns, batch.values, strict=True))
        if not gl.list.executes:
            return
    draw(gl, batch)


def split(gl: Context) -> None:
    """Draw the complete primitives of the open batch, before a change of state that is not stored per vertex."""
    batch = gl.batch
    if batch is not None and batch.is_whole():
        gl.batch = Batch(batch.mode, batch.mode_name, dict(zip(batch.columns, batch.values, strict=True)))
        _finish(gl, batch)


def draw_batch(gl: Context, batch: Batch) -> None:
    """Draw a primitive of a display list."""
    if gl.batch is None:
        draw(gl, batch, keeps=True)
        return
    for row in batch.rows:
        for location, values in zip(batch.columns, row[1:], strict=False):
            gl.batch.put(location, values)
        gl.batch.vertex(row[0])


def _forms(name: str, kinds: str, put: Callable[..., None], counts: tuple[int, ...], *, scaled: bool = False) -> None:
    """Register a command for each number of components and type, with and without a pointer."""
    for count in counts:
        for kind in kinds.split():
            factor = TOPS[kind] if scaled and kind in TOPS else 0
            _offer(f"{name}{count}{kind}", put, count, LETTERS[kind], factor)


def _offer(name: str, put: Callable[..., None], count: int, letter: str, factor: int) -> None:
    def whole(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([max(-1.0, value / factor) for value in values]) if factor else values

    def values(gl: Context, *arguments: Any) -> None:
        put(gl, *arguments[:-count], whole(arguments[-count:]))

    def vector(gl: Context, *arguments: Any) -> None:
        put(gl, *arguments[:-1], whole(numbers(letter, arguments[-1], count)))

    command(name)(lists_itself(values))
    command(f"{name}v")(lists_itself(vector))


def _at(location: int) -> Callable[..., None]:
    def put(gl: Context, values: tuple[Any, ...]) -> None:
        put_attribute(gl, location, values)

    return put


def _multi(gl: Context, target: int, values: tuple[Any, ...]) -> None:
    unit = target - GL.TEXTURE0
    if not 0 <= unit < MAX_UNITS:
        raise bad_enum("target", target)
    put_attribute(gl, TEXTURE + unit, values)


_forms("glVertex", "s i f d", put_vertex, (2, 3, 4))
_forms("glNormal", "b s i f d", _at(NORMAL), (3,), scaled=True)
_forms("glColor", "b s i f d ub us ui", _at(COLOR), (3, 4), scaled=True)
_forms("glSecondaryColor", "b s i f d ub us ui", _at(SECONDARY), (3,), scaled=True)
_forms("glTexCoord", "s i f d", _at(TEXTURE), (1, 2, 3, 4))
_forms("glMultiTexCoord", "s i f d", _multi, (1, 2, 3, 4))


@command("glFogCoordf", "glFogCoordd")
@lists_itself
def fog_coord(gl: Context, coord: float) -> None:
    """The fog coordinate."""
    put_attribute(gl, FOG, (coord,))


@command("glFogCoordfv")
@lists_itself
def fog_coord_floats(gl: Context, coord: Pointer) -> None:
    """The fog coordinate."""
    put_attribute(gl, FOG, numbers("f", coord, 1))


@command("glFogCoorddv")
@lists_itself
def fog_coord_doubles(gl: Context, coord: Pointer) -> None:
    """The fog coordinate."""
    put_attribute(gl, FOG, numbers("d", coord, 1))


@command("glEdgeFlag")
@lists_itself
def edge_flag(gl: Context, flag: int) -> None:
    """Set whether the edges that start at the following vertices are drawn, for polygons drawn as lines or points."""
    put_attribute(gl, EDGE, (float(bool(flag)),))


@command("glEdgeFlagv")
@lists_itself
def edge_flag_vector(gl: Context, flag: Pointer) -> None:
    """See `edge_flag`."""
    edge_flag(gl, numbers("B", flag, 1)[0])


def _rectangle(gl: Context, x1: float, y1: float, x2: float, y2: float) -> None:
    begin(gl, GL.QUADS)
    for corner in ((x1, y1), (x2, y1), (x2, y2), (x1, y2)):
        put_vertex(gl, corner)
    end(gl)


def _rectangles(letter: str) -> tuple[Callable[..., None], Callable[..., None]]:
    def values(gl: Context, *corners: Any) -> None:
        _rectangle(gl, *corners)

    def vectors(gl: Context, first: Pointer, second: Pointer) -> None:
        _rectangle(gl, *numbers(letter, first, 2), *numbers(letter, second, 2))

    return values, vectors


for _kind in "sifd":
    _values, _vectors = _rectangles(LETTERS[_kind])
    command(f"glRect{_kind}")(lists_itself(_values))
    command(f"glRect{_kind}v")(lists_itself(_vectors))
