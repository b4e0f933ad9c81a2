"""Every value that a call may take, or refuses, is recorded, printed as JSON and played."""

from __future__ import annotations

import array
import contextlib
import decimal
import fractions
import inspect
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.gallium.tracing.printing import plain, printed
from tests.unit.gallium.test_misuse import NO_CALLS, made, staged
from tests.unit.gallium.test_screen import CONTEXT_METHODS
from tests.unit.gallium.test_traces import play
from tests.unit.gallium.wrong_values import OfTheCallerError, wrong_values
from tgsi import gallium as g
from tgsi.language.diagnostics import TgsiError

pytestmark = pytest.mark.light

LINES = [name for name in CONTEXT_METHODS if name not in NO_CALLS]


def strict(line: str) -> Any:
    """The value of a line, by the letter of JSON."""

    def refuse(word: str) -> Any:
        raise AssertionError(f"JSON has no {word}")

    return json.loads(line, parse_constant=refuse)


def check(path: Path) -> list[Any]:
    """All commands of a trace, as read back from the printed lines. The trace plays to the same digests."""
    data = bytearray(path.read_bytes())
    lines = [strict(json.dumps(shown)) for shown in printed(data)]
    assert all(digest.is_same for digest in play(data))
    return lines


def is_ambiguous(value: Any) -> bool:
    """Objects that are written as lists, which some methods take where they refuse the object."""
    return type(value) in (set, frozenset) or (isinstance(value, np.ndarray) and value.dtype == object)


def one_of_each_type() -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for value in wrong_values().values():
        kind = type(value).__name__
        found.setdefault(f"{kind} {value.dtype if isinstance(value, np.ndarray) else ''}", value)
    return {name: value for name, value in found.items() if not is_ambiguous(value)}


def call_with_each(name: str, values: Callable[[], Mapping[str, Any]], path: Path) -> list[Any]:
    """Call a method with each value for each parameter, and check the trace."""
    with tgsi.Screen(threads=0, memory_limit=1 << 28) as screen:
        context = screen.context_create(trace=path)
        stage = staged(screen, context)
        method = getattr(context, name)
        wanted = [p for p in inspect.signature(method).parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        for parameter in wanted:
            for value in values().values():
                given = {p.name: made(context, p.name, stage) for p in wanted if p.default is p.empty} | {parameter.name: value}
                places = [given.pop(p.name) for p in wanted if p.kind is p.POSITIONAL_ONLY and p.name in given]
                with contextlib.suppress(OfTheCallerError, TypeError, ValueError, MemoryError, TgsiError):
                    method(*places, **given)
        context.destroy()
    return check(path)


@pytest.mark.parametrize("name", LINES)
def test_calls_with_values_of_every_type_are_printed_and_played(name: str, tmp_path: Path) -> None:
    assert call_with_each(name, one_of_each_type, tmp_path / "a.trace")[-1]["name"] == "END"


@pytest.mark.nightly
@pytest.mark.parametrize("name", LINES)
def test_calls_with_two_hundred_values_are_printed_and_played(name: str, tmp_path: Path) -> None:
    def values() -> Mapping[str, Any]:
        return {name: value for name, value in wrong_values().items() if not is_ambiguous(value)}

    assert call_with_each(name, values, tmp_path / "a.trace")[-1]["name"] == "END"


# -- structured arrays ----------------------------------------------------------------------------------------------------------
VERTEX = "attribute vec4 position; attribute float shade; varying float v;\nvoid main() { gl_Position = position; v = shade; }"
FRAGMENT = "varying float v;\nvoid main() { gl_FragColor = vec4(v, 1.0, 0.0, 1.0); }"
CORNERS = [(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)]
LAYOUTS: dict[str, Any] = {
    "packed": [("position", "f4", 4), ("shade", "f4")],
    "one of bytes": [("position", "f4", 4), ("shade", "u1")],
    "aligned": np.dtype([("shade", "u1"), ("position", "f4", 4)], align=True),
    "with a gap at its end": {"names": ["position", "shade"], "formats": ["4f4", "f4"], "offsets": [0, 16], "itemsize": 32},
    "out of order": {"names": ["position", "shade"], "formats": ["4f4", "f4"], "offsets": [4, 0]},
    "with separators in a name": [("position", "f4", 4), ("shade", "f4"), ("a:b;c", "u4"), ("[0]", "u4")],
    "with fields inside a field": [("position", "f4", 4), ("shade", "f4"), ("more", [("a", "u2", (2, 2)), ("b", "f8")])],
    "with texts and times": [("position", "f4", 4), ("shade", "f4"), ("name", "S3"), ("word", "U2"), ("at", "M8[ms]"), ("z", "c8")],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_vertices_by_name_are_printed_and_played(layout: str, tmp_path: Path) -> None:
    vertices = np.zeros(3, LAYOUTS[layout])
    vertices["position"], vertices["shade"] = CORNERS, 1
    with tgsi.Screen(threads=0) as screen:
        context = screen.context_create(trace=tmp_path / "a.trace")
        draw(screen, context, vertices)
        context.destroy()
    buffers = next(line for line in check(tmp_path / "a.trace") if line.get("call") == "set_vertex_buffers")["arguments"]["buffers"]
    assert np.dtype(read_type(buffers[0]["array"])) == vertices.dtype
    assert buffers[0]["items"]["position"] == vertices["position"].tolist()
    assert buffers[0]["items"]["shade"] == vertices["shade"].tolist()


def read_type(shown: Any) -> Any:
    """The printed type of an array as numpy takes it."""
    if isinstance(shown, str):
        return shown
    formats = [(read_type(item[0]), tuple(item[1])) if isinstance(item, list) else read_type(item) for item in shown["formats"]]
    return np.dtype(shown | {"formats": formats})


def draw(screen: g.Screen, context: g.Context, vertices: Any) -> None:
    target = screen.resource_create(format="R8G8B8A8_UNORM", width0=8, height0=8)
    context.set_framebuffer_state(cbufs=[target])
    context.set_viewport_states([{"scale": (4, 4, 0.5), "translate": (4, 4, 0.5)}])
    context.bind_vs_state(context.create_vs_state(VERTEX))
    context.bind_fs_state(context.create_fs_state(FRAGMENT))
    context.set_vertices(vertices)
    context.clear("COLOR", color=(0, 0, 0, 1))
    context.draw_vbo(mode="TRIANGLES", count=3)
    context.flush()


def test_vertices_as_a_mapping_are_printed_and_played(tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen:
        context = screen.context_create(trace=tmp_path / "a.trace")
        draw(screen, context, {"position": np.array(CORNERS, "f4"), "shade": np.array([0, 0.5, 1], "f4")})
        context.destroy()
    assert any(line.get("call") == "set_vertex_buffers" for line in check(tmp_path / "a.trace"))


VALUES: dict[str, tuple[Any, Any]] = {
    "NaN": (float("nan"), "NaN"),
    "infinities": ([float("inf"), float("-inf")], ["Infinity", "-Infinity"]),
    "a number of numpy": (np.float32(0.5), {"array": "float32", "shape": [], "items": 0.5}),
    "a boolean of numpy": (np.bool_(True), {"array": "bool", "shape": [], "items": True}),
    "an array with NaN": (np.array([np.nan, 1], "f4"), {"array": "float32", "shape": [2], "items": ["NaN", 1.0]}),
    "complex numbers": (np.array([1 + 2j], "c8"), {"array": "complex64", "shape": [1], "items": {"real": [1.0], "imag": [2.0]}}),
    "a short text": (np.array([b"ab"]), {"array": "|S2", "shape": [1], "items": "6162"}),
    "bytes": (b"\1\2", "0102"),
    "a mapping by numbers": ({1: 2}, {"1": 2}),
    "an enumeration": (g.Prim.LINES, 1),
}


@pytest.mark.parametrize("value", VALUES)
def test_values_as_json(value: str) -> None:
    given, shown = VALUES[value]
    assert strict(json.dumps(plain(given))) == shown


def test_large_values_are_printed_as_digests() -> None:
    assert set(plain(bytes(65))) == {"bytes", "sha256"}
    assert set(plain(np.zeros(65))) == {"array", "shape", "sha256"}
    assert set(plain(np.zeros(65, [("a", "f8")]))) == {"array", "shape", "sha256"}


BUFFERS: dict[str, Callable[[], Any]] = {
    "bytes": lambda: bytes(range(16)),
    "bytearray": lambda: bytearray(range(16)),
    "memoryview": lambda: memoryview(bytes(range(16))),
    "memoryview of floats": lambda: memoryview(array.array("f", [1, 2, 3, 4])),
    "array of Python": lambda: array.array("f", [1, 2, 3, 4]),
    "numpy": lambda: np.array([1, 2, 3, 4], "f4"),
    "numpy, two axes": lambda: np.array([[1, 2], [3, 4]], "f4").T,
    "numpy, other byte order": lambda: np.arange(4, dtype=">u4"),
    "numpy, half": lambda: np.arange(8, dtype="f2"),
    "numpy, doubles": lambda: np.arange(2, dtype="f8"),
}


@pytest.mark.parametrize("kind", BUFFERS)
def test_buffers_of_every_kind_are_played_to_the_same_bytes(kind: str, tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen:
        context = screen.context_create(trace=tmp_path / "a.trace")
        buffer = screen.resource_create(target="BUFFER", width0=64)
        context.buffer_subdata(buffer, BUFFERS[kind](), offset=8)
        context.set_constant_buffer("FRAGMENT", BUFFERS[kind]())
        context.set_vertex_buffers([BUFFERS[kind]()])
        context.destroy()
    assert (
        sum(line.get("call") in ("buffer_subdata", "set_constant_buffer", "set_vertex_buffers") for line in check(tmp_path / "a.trace"))
        == 3
    )


NUMBERS: list[Any] = [1, 0.5, np.float32(0.5), np.float64(0.5), np.int8(1), decimal.Decimal("0.5"), fractions.Fraction(1, 2), True]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: type(number).__name__)
def test_numbers_of_every_type_are_played_to_the_same_bytes(number: Any, tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen:
        context = screen.context_create(trace=tmp_path / "a.trace")
        depth = screen.resource_create(format="Z32_FLOAT", width0=8, height0=8)
        context.set_framebuffer_state(zsbuf=depth)
        context.clear("DEPTH", depth=number)
        context.destroy()
    assert [line["arguments"]["depth"] for line in check(tmp_path / "a.trace") if line.get("call") == "clear"]


def test_refused_values_that_have_no_words_leave_a_trace_that_plays(tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen:
        context: Any = screen.context_create(trace=tmp_path / "a.trace")
        for value in (10**500, range(10**9), {None: 1}, "\ud800", object()):
            with pytest.raises((TypeError, ValueError)):
                context.set_blend_color(value)
            with pytest.raises((TypeError, ValueError)):
                context.set_stencil_ref(value)
        context.destroy()
    check(tmp_path / "a.trace")
