"""The cases: their names, their results as digests and marks, and the digests that the package holds."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgsi.language.record import record
from tgsi.tools.verify import programs, scenes

SCENES, PROGRAMS = 260, 240
NAMES = (*(f"scene-{k:03}" for k in range(SCENES)), *(f"program-{k:03}" for k in range(PROGRAMS)))
_BLOCK = 8
_DIGEST = 16
_MARKS = {"scene": -(-scenes.WIDTH // _BLOCK) * -(-scenes.HEIGHT // _BLOCK), "program": programs.INVOCATIONS * programs.OUTPUTS}
_FILE = Path(__file__).with_name("digests.bin")
THREADS, LANES = (0, 1, 2, 7), (8, 16, 32, 64)


@record
class Way:
    """The way in which a case runs: native threads, lanes of vectors, level of the processor; None is the default."""

    threads: int | None = None
    lanes: int | None = None
    cpu: str | None = None

    def __str__(self) -> str:
        given = (("threads", self.threads), ("lanes", self.lanes), ("level", self.cpu))
        parts = [f"{name} {value}" for name, value in given if value is not None]
        return ", ".join(parts) or "defaults"


@record(eq=False)
class Result:
    """The result of a case: pixels or words by place, and all its bytes as a digest."""

    values: NDArray[Any]
    digest: bytes

    @property
    def marks(self) -> bytes:
        """A byte for each block of 8 x 8 pixels, or for each output of an invocation."""
        if self.values.dtype == np.uint32 and self.values.shape[1:] == (programs.OUTPUTS, 4):
            return bytes(zlib.crc32(row.tobytes()) & 0xFF for row in self.values.reshape(-1, 4))
        height, width = self.values.shape[:2]
        blocks = ((y, x) for y in range(0, height, _BLOCK) for x in range(0, width, _BLOCK))
        return bytes(zlib.crc32(self.values[y : y + _BLOCK, x : x + _BLOCK].tobytes()) & 0xFF for y, x in blocks)


def run_case(name: str, way: Way) -> Result:
    """Draw or run a case."""
    kind, _, number = name.partition("-")
    if kind == "program":
        values: NDArray[Any] = programs.run_program(int(number), way.lanes, way.cpu)
        more = b""
    else:
        values, more = scenes.draw_scene(int(number), way.threads, way.lanes, way.cpu)
    begin = f"{values.dtype.name} {values.shape}".encode()
    return Result(values, hashlib.sha256(begin + values.tobytes() + more).digest()[:_DIGEST])


def known() -> Mapping[str, tuple[bytes, bytes]]:
    """Digest and marks of each case, as the package holds them. ValueError: the file does not fit the cases."""
    content, at, cases = _FILE.read_bytes(), 0, {}
    for name in NAMES:
        end = at + _DIGEST + _MARKS[name.partition("-")[0]]
        cases[name] = content[at : at + _DIGEST], content[at + _DIGEST : end]
        at = end
    if at != len(content):
        raise ValueError(f"{_FILE.name} has {len(content)} bytes instead of {at}; python -m tgsi.tools.verify --record writes it")
    return cases


def record_results(results: Mapping[str, Result]) -> int:
    """Write the file of digests. Returns its size."""
    content = b"".join(results[name].digest + results[name].marks for name in NAMES)
    return _FILE.write_bytes(content)


def place(name: str, number: int) -> str:
    """The place of a mark, in words."""
    if name.startswith("program"):
        return f"invocation {number // programs.OUTPUTS}, OUT[{number % programs.OUTPUTS}]"
    columns = -(-scenes.WIDTH // _BLOCK)
    x, y = number % columns * _BLOCK, number // columns * _BLOCK
    return f"a pixel of x={x} to {x + _BLOCK - 1}, y={y} to {y + _BLOCK - 1}"


def first_difference(name: str, actual: Result, right: Result) -> str:
    """The first pixel or word that differs between two results, in words."""
    if actual.values.shape != right.values.shape:
        return f"the shape {actual.values.shape} instead of {right.values.shape}"
    new, old = (np.ascontiguousarray(item.values).view(np.uint8).reshape(*item.values.shape[:2], -1) for item in (actual, right))
    differ = new != old
    places = np.argwhere(differ.any(axis=-1))
    if not len(places):
        return "depth alone differs"
    a, b = (int(part) for part in places[0])
    where = f"invocation {a}, OUT[{b}]" if name.startswith("program") else f"x={b}, y={a}"
    return f"{where}: {_shown(name, actual.values[a, b])} instead of {_shown(name, right.values[a, b])}"


def _shown(name: str, numbers: Any) -> str:
    return " ".join(f"{word:08x}" for word in numbers.tolist()) if name.startswith("program") else str(np.atleast_1d(numbers).tolist())
