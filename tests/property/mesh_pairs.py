"""Random pairs of task and mesh programs without races, with grids and buffers, for tests that compare two ways to run one draw.

A seed determines a pair. Each thread writes rows and words of its own; words that several threads change are changed by one atomic. The
old values of atomics are used, because every way to run a program takes threads in the order of their numbers.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

FUEL = 2000
_MOST_ATOMICS = 4
BLOCKS = ((1, 1, 1), (3, 1, 1), (4, 2, 1), (2, 3, 2), (32, 1, 1), (8, 4, 1), (11, 3, 1), (8, 4, 2))
"""Blocks of threads; the last two do not fit a warp."""

_IMMEDIATES = """IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {4, 5, 7, 16}
IMM[2] UINT32 {2654435761, 65535, 40503, 300}
IMM[3] FLT32 {0.5, 2.0, -1.0, 0.25}
"""
_VALUES = (
    "DCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_ID\nDCL SV[2], GRID_SIZE\nDCL SV[3], BLOCK_SIZE\nDCL SV[4], INVOCATIONID\nDCL SV[5], DRAWID\n"
)
_RESULTS = ("TEMP[0]", "TEMP[1]", "TEMP[2]", "TEMP[3]")
_SOURCES = (*_RESULTS, "SV[0]", "SV[1]", "SV[2]", "SV[3]", "SV[4]", "SV[5]", "IMM[0]", "IMM[1]", "IMM[2]", "CONST[0][0]", "CONST[0][1]")
_OPCODES = ("UADD", "UADD", "UMUL", "XOR", "AND", "OR", "UMIN", "UMAX", "IMIN", "USLT", "USEQ", "ISLT")
_ATOMICS = (
    "ATOMUADD",
    "ATOMXCHG",
    "ATOMAND",
    "ATOMOR",
    "ATOMXOR",
    "ATOMUMIN",
    "ATOMUMAX",
    "ATOMIMIN",
    "ATOMIMAX",
    "ATOMINC_WRAP",
    "ATOMDEC_WRAP",
)


@dataclass(frozen=True)
class MeshPair:
    """Texts of a mesh program and of a task program ("" without one), the grid, and arguments for `tgsi.run`."""

    seed: int
    mesh: str
    task: str
    grid: tuple[int, int, int]
    arguments: Mapping[str, Any]


@dataclass
class _Body:
    """Lines of one program. TEMP[0..3] hold values, TEMP[4..7] are helpers; ADDR[0] is the row, ADDR[1] a register of an array."""

    chance: random.Random
    threads: int
    shared: int
    payload: int
    stores: bool
    is_quiet: bool = True
    lines: list[str] = field(default_factory=list)
    words: int = 0

    def add(self, *lines: str) -> None:
        self.lines += lines

    def swizzled(self, source: str) -> str:
        return source + "." + "".join(self.chance.choice("xyzw") for _ in range(4))

    def source(self) -> str:
        return self.swizzled(self.chance.choice(_SOURCES))

    def mask(self) -> str:
        return self.chance.choice(["", ".x", ".y", ".xy", ".zw", ".xyz", ".w"])

    def compute(self) -> None:
        """One value from others."""
        target = self.chance.choice(_RESULTS) + self.mask()
        if self.chance.randrange(8) == 0:
            self.add(
                f"AND TEMP[7], {self.source()}, IMM[2].yyyy", "U2F TEMP[7], TEMP[7]", f"MAD {target}, TEMP[7], IMM[3].xyyw, IMM[3].zwxy"
            )
        elif self.chance.randrange(10) == 0:
            self.add(f"UCMP {target}, {self.source()}, {self.source()}, {self.source()}")
        else:
            self.add(f"{self.chance.choice(_OPCODES)} {target}, {self.source()}, {self.source()}")

    def load(self) -> None:
        """A load of memory that no thread writes now: from any word, or from beyond the end."""
        memory = self.chance.choice(["MEMORY[1]", "MEMORY[1]", "BUFFER[0]"]) if self.is_quiet else "BUFFER[0]"
        self.add(f"AND TEMP[7].x, {self.source()}, IMM[2].wwww", f"LOAD {self.chance.choice(_RESULTS)}, {memory}, TEMP[7].xxxx")

    def atomic(self) -> None:
        """All threads change one word of their own statement; its old value is used."""
        place = 4 * self.words
        self.words += 1
        memory = "MEMORY[0]" if not self.stores or self.chance.randrange(2) else "MEMORY[1]"
        limit = self.shared if memory == "MEMORY[0]" else self.payload // 2 & ~3
        address = f"IMM[{4 + self.words}].xxxx"
        if place >= limit:
            place = 1 << 20  # beyond the memory: nothing changes
        self.places.append(place)
        self.add(f"{self.chance.choice(_ATOMICS)} {self.chance.choice(_RESULTS)}.x, {memory}, {address}, {self.source()}")

    places: list[int] = field(default_factory=list)

    def branch(self, depth: int) -> None:
        self.add(f"AND TEMP[7].x, {self.source()}, IMM[0].yyyy", "UIF TEMP[7].xxxx")
        self.statements(2, depth + 1)
        if self.chance.randrange(2):
            self.add("ELSE")
            self.statements(2, depth + 1)
        self.add("ENDIF")

    def statements(self, count: int, depth: int = 0) -> None:
        for _ in range(self.chance.randrange(1, count + 1)):
            kind = self.chance.randrange(10)
            if kind == 0 and depth < 2:
                self.branch(depth)
            elif kind == 1:
                self.load()
            elif kind == 2 and depth == 0 and self.words < _MOST_ATOMICS:
                self.atomic()
            else:
                self.compute()

    def barrier(self) -> None:
        if self.threads <= 32:
            self.add("BARRIER")

    def rows(self, count: int) -> None:
        """Begin a loop over the rows of the thread; TEMP[4].x is the row."""
        self.add("MOV TEMP[4].x, SV[4].xxxx", "BGNLOOP", f"USGE TEMP[4].y, TEMP[4].xxxx, IMM[{10 + self.rows_of(count)}].xxxx")
        self.add("UIF TEMP[4].yyyy", "BRK", "ENDIF", "UARL ADDR[0].x, TEMP[4].xxxx")

    def rows_of(self, count: int) -> int:
        self.limits.append(count)
        return len(self.limits) - 1

    limits: list[int] = field(default_factory=list)

    def end_rows(self) -> None:
        self.add("UADD TEMP[4].x, TEMP[4].xxxx, IMM[9].xxxx", "ENDLOOP")

    def immediates(self) -> str:
        """Immediates 5 to 8: addresses of atomics; 9: number of threads; from 10 on: numbers of rows."""
        rows = [0, *[*self.places, *[0] * _MOST_ATOMICS][:_MOST_ATOMICS], self.threads, *self.limits]
        return _IMMEDIATES + "".join(f"IMM[{4 + number}] UINT32 {{{value}, 0, 0, 0}}\n" for number, value in enumerate(rows))


def generate(seed: int) -> MeshPair:
    """The pair of a seed."""
    chance = random.Random(f"mesh pair {seed}")
    payload = chance.choice([4, 16, 20, 64, 100])
    task = _task(chance, payload) if seed % 3 else ""
    mesh = _mesh(chance, payload if task else 0)
    grid = (chance.randrange(1, 4), chance.randrange(1, 3), chance.choice([1, 1, 2]))
    numbers = np.random.default_rng(seed)
    buffers = {0: numbers.integers(0, 1 << 32, 32, np.uint32), 1: np.zeros(4, np.uint32)}
    constants = {0: numbers.integers(0, 1 << 32, (2, 4), np.uint32)}
    return MeshPair(seed, mesh, task, grid, {"buffers": buffers, "constants": constants, "fuel": FUEL})


def _leave(body: _Body) -> None:
    """Let the last thread of a workgroup add its final words of shared memory to BUFFER[1], each with a weight of its own."""
    body.add("UADD TEMP[6].x, SV[4].xxxx, IMM[0].yyyy", "USEQ TEMP[6].x, TEMP[6].xxxx, IMM[9].xxxx", "UIF TEMP[6].xxxx")
    body.add("LOAD TEMP[5], MEMORY[0], IMM[0].xxxx")
    body.add(*(f"UMAD TEMP[5].x, TEMP[5].{4 * word}, IMM[2].{4 * weight}, TEMP[5].xxxx" for word, weight in zip("yzw", "xyz")))
    body.add("ATOMUADD TEMP[7].x, BUFFER[1], IMM[1].xxxx, TEMP[5].xxxx", "ENDIF")


def _declarations(block: tuple[int, int, int]) -> str:
    sizes = "".join(f"PROPERTY CS_FIXED_BLOCK_{axis} {size}\n" for axis, size in zip(("WIDTH", "HEIGHT", "DEPTH"), block))
    files = "DCL MEMORY[0], SHARED\nDCL MEMORY[1], PAYLOAD\nDCL BUFFER[0..1]\nDCL CONST[0][0..1]\nDCL TEMP[0..7]\nDCL ADDR[0..1]\n"
    return sizes + _VALUES + files


def _threads(block: tuple[int, int, int]) -> int:
    return block[0] * block[1] * block[2]


def _task(chance: random.Random, payload: int) -> str:
    block, shared = chance.choice(BLOCKS), chance.choice([0, 8, 64])
    body = _Body(chance, _threads(block), shared, payload, stores=True, is_quiet=False)
    early = chance.randrange(4) == 0
    if early:
        _emit(body)
    body.statements(6)
    # words of the payload's second half belong to threads; out of its range is allowed
    body.add(f"UMAD TEMP[6].x, SV[4].xxxx, IMM[1].xxxx, IMM[{4}].yyyy", f"UADD TEMP[6].x, TEMP[6].xxxx, IMM[{4}].zzzz")
    body.add(f"STORE MEMORY[1].x, TEMP[6].xxxx, {body.swizzled(chance.choice(_RESULTS))}")
    body.barrier()
    if body.threads <= 32:
        body.is_quiet, body.words = True, _MOST_ATOMICS  # the payload does not change any more
        body.add(f"LOAD TEMP[{chance.randrange(4)}].xy, MEMORY[1], TEMP[6].xxxx")
        body.statements(3)
    body.add("ATOMUADD TEMP[7].x, BUFFER[1], IMM[0].xxxx, TEMP[0].xxxx")
    if not early or chance.randrange(2):
        _emit(body)
    _leave(body)
    text = body.immediates().replace("IMM[4] UINT32 {0, 0, 0, 0}", f"IMM[4] UINT32 {{0, 0, {payload // 2 & ~3}, 0}}")
    sizes = f"PROPERTY TS_PAYLOAD_BYTES {payload}\nPROPERTY TS_SHARED_BYTES {shared}\n"
    return "\n".join([f"TASK\n{sizes}{_declarations(block)}{text}", *body.lines, "END", ""])


def _emit(body: _Body) -> None:
    """Launch a few workgroups, as many as the workgroup's number says; seldom none or too many."""
    chance = body.chance
    kind = chance.randrange(12)
    if kind == 0:
        return
    if kind == 1:
        body.add("EMIT_MESH_TASKS IMM[2].xyzz")
        return
    body.add("AND TEMP[5], SV[1].xyzx, IMM[0].yyyy", "UADD TEMP[5].xyz, TEMP[5], IMM[0].yyyy")
    if kind == 2:
        body.add("AND TEMP[6].y, TEMP[0].xxxx, IMM[0].yyyy", "UIF TEMP[6].yyyy", "EMIT_MESH_TASKS TEMP[5]", "ENDIF")
    elif kind == 3:
        body.add("EMIT_MESH_TASKS IMM[0].yzyy", "EMIT_MESH_TASKS TEMP[5].zyxx")
    else:
        body.add("EMIT_MESH_TASKS TEMP[5]")


_VERTEX_OUTPUTS = ("POSITION", "PSIZE", "CLIPDIST[0]", "COLOR[0]", "FOG")
_PRIMITIVE_OUTPUTS = ("LAYER", "PRIM_ID", "CULL_PRIMITIVE")


def _mesh(chance: random.Random, payload: int) -> str:
    block, shared = chance.choice(BLOCKS), chance.choice([0, 8, 64])
    kind = chance.choice(["POINTS", "LINES", "TRIANGLES", "TRIANGLES"])
    vertices, primitives = chance.choice([1, 3, 16, 31, 32, 33, 70]), chance.choice([1, 2, 12, 32, 40])
    vertex = ["POSITION", *(name for name in _VERTEX_OUTPUTS[1:] if chance.randrange(3) == 0)]
    primitive = [name for name in _PRIMITIVE_OUTPUTS if chance.randrange(2)]
    primitive += chance.choice([[], ["VIEWPORT_INDEX"], ["VIEWPORT_MASK"]])
    chance.shuffle(primitive)
    outputs, number = [], 0
    for name in vertex:
        outputs.append(f"DCL OUT[][{number}], {name}")
        number += 1
    array = number
    outputs.append(f"DCL OUT[][{array}..{array + 1}], ARRAY(1), GENERIC[{chance.randrange(8)}]")
    first = number = array + 2
    outputs.append(f"DCL OUT[][{first}], PRIMITIVE_INDICES, PRIMITIVE")
    own = chance.randrange(2)
    if own:
        outputs.append(f"DCL OUT[][{first + 1}..{first + 2}], ARRAY(2), GENERIC[12], PRIMITIVE")
    number += 1 + 2 * own
    named = {}
    for name in primitive:
        outputs.append(f"DCL OUT[][{number}], {name}, PRIMITIVE")
        named[number] = name
        number += 1

    body = _Body(chance, _threads(block), shared, payload, stores=False)
    body.statements(5)
    if chance.randrange(8):
        _counts(body, vertices, primitives)
    body.add("ATOMUADD TEMP[7].x, BUFFER[1], IMM[0].xxxx, TEMP[1].yyyy")
    body.rows(vertices)
    for register in range(array):
        _write(body, register)
    body.add("AND TEMP[5].x, TEMP[0].xxxx, IMM[0].yyyy", "UARL ADDR[1].x, TEMP[5].xxxx")
    body.add(f"UADD OUT[ADDR[0].x][ADDR[1].x+{array}](1){body.mask()}, TEMP[4].xxxx, {body.source()}")
    if chance.randrange(2):
        body.add(f"MOV TEMP[{chance.randrange(4)}].xy, OUT[ADDR[0].x][{chance.choice([0, array])}].{chance.choice(['xyzw', 'yxwz'])}")
    body.end_rows()
    if chance.randrange(2):
        body.add(f"MOV OUT[{array + 1}]{body.mask()}, {body.source()}")
    body.rows(primitives)
    # mostly vertices that exist, seldom others
    body.add(f"UMAD TEMP[5], TEMP[4].xxxx, IMM[0].yzwx, {body.source()}", f"AND TEMP[5], TEMP[5], IMM[{chance.choice([0, 1, 1])}].wwww")
    body.add(f"UMOD TEMP[6], TEMP[5], IMM[{10 + body.limits.index(vertices)}].xxxx" if chance.randrange(4) else "MOV TEMP[6], TEMP[5]")
    body.add(f"MOV OUT[ADDR[0].x][{first}].xyz, TEMP[6]")
    registers = list(named)
    chance.shuffle(registers)
    for register in registers:
        _write_named(body, register, named[register])
    if own:
        body.add("AND TEMP[5].x, TEMP[1].xxxx, IMM[0].yyyy", "UARL ADDR[1].x, TEMP[5].xxxx")
        body.add(f"XOR OUT[ADDR[0].x][ADDR[1].x+{first + 1}](2){body.mask()}, TEMP[4].xxxx, {body.source()}")
        _write(body, first + 1)
    body.end_rows()
    if chance.randrange(3) == 0:
        _counts(body, vertices, primitives)
    _leave(body)
    sizes = f"PROPERTY MS_OUTPUT_PRIMITIVE {kind}\nPROPERTY MS_MAX_OUTPUT_VERTICES {vertices}\n"
    sizes += f"PROPERTY MS_MAX_OUTPUT_PRIMITIVES {primitives}\nPROPERTY MS_SHARED_BYTES {shared}\n"
    return "\n".join([f"MESH\n{sizes}{_declarations(block)}" + "\n".join(outputs), body.immediates() + "\n".join(body.lines), "END", ""])


def _write(body: _Body, register: int) -> None:
    opcode = body.chance.choice(["UADD", "XOR", "UMUL", "UADD"])
    body.add(f"{opcode} OUT[ADDR[0].x][{register}]{body.mask()}, TEMP[4].xxxx, {body.source()}")


def _write_named(body: _Body, register: int, name: str) -> None:
    chance = body.chance
    if name == "CULL_PRIMITIVE":
        body.add(f"AND TEMP[5].x, {body.source()}, TEMP[4].xxxx", "AND TEMP[5].x, TEMP[5].xxxx, IMM[0].yyyy")
        lines = [f"MOV OUT[ADDR[0].x][{register}].x, TEMP[5].xxxx"]
    elif name == "VIEWPORT_INDEX":
        body.add(
            f"AND TEMP[5].x, {body.source()}, IMM[1].wwww",
            "UADD TEMP[5].x, TEMP[5].xxxx, TEMP[4].xxxx",
            "AND TEMP[5].x, TEMP[5].xxxx, IMM[2].wwww",
        )
        lines = [f"MOV OUT[ADDR[0].x][{register}].x, TEMP[5].xxxx"]
    else:
        lines = [f"MOV OUT[ADDR[0].x][{register}].x, {body.source()}"]
    if chance.randrange(3) == 0:
        body.add("AND TEMP[5].y, TEMP[4].xxxx, IMM[0].yyyy", "UIF TEMP[5].yyyy", *lines, "ENDIF")
    else:
        body.add(*lines)


def _counts(body: _Body, vertices: int, primitives: int) -> None:
    """Numbers of vertices and primitives: the greatest, smaller ones, or too many."""
    chance = body.chance
    first, second = (chance.choice([most, most, max(1, most - 1), most // 2, 300]) for most in (vertices, primitives))
    body.add(f"MOV TEMP[5].x, IMM[{10 + body.rows_of(first)}].xxxx", f"MOV TEMP[5].y, IMM[{10 + body.rows_of(second)}].xxxx")
    lines = ["SET_MESH_OUTPUTS TEMP[5]"]
    if chance.randrange(6) == 0:
        lines = ["AND TEMP[6].x, SV[1].xxxx, IMM[0].yyyy", "UIF TEMP[6].xxxx", *lines, "ENDIF"]
    body.add(*lines)
