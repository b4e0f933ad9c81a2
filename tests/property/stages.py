"""Parts of generated programs that depend on the stage: declarations, readable registers, places for results, arguments of a run."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.property.pools import (
    ADDRESSES,
    DERIVATIVES,
    DIGEST,
    EXACT,
    FIRST_GIVEN,
    GIVEN,
    GROUPS,
    INEXACT,
    INEXACT_CHANNELS,
    PLACES,
    SCRATCH,
    SMALL,
    WIDE,
    Pools,
    Words,
    given_values,
    words,
)
from tests.property.resources import DIGEST_BUFFER, GIVEN_BUFFER, HELPERS, INTERPOLATION, RESOURCES, ResourceWriter
from tests.property.stage_writers import STORE_DIGEST, THREAD, ComputeWriter, ControlWriter, GeometryWriter, MeshWriter, TaskWriter
from tests.property.writer import ANY_OUT, DIGEST_OUT, FLOATS_OUT, NEAR_OUT, WORDS_OUT

INVOCATIONS = 8
OUTPUTS = (FLOATS_OUT, ANY_OUT, WORDS_OUT, NEAR_OUT, DIGEST_OUT)
CONSTANTS, MORE_CONSTANTS = 10, 4
OWN = f"TEMP[{FIRST_GIVEN}]"


@dataclass(frozen=True)
class Stage:
    """Kind of generated programs.

    processor: the first word of the text. declare: lines before the TEMPs. arguments: arguments of `tgsi.run` for a seed. prologue,
    epilogue: lines around the body. The epilogue stores the digest where a test can see it, and so does `leave`, which ends the program in
    the middle of the body. choices: alternatives, of which each program declares one.
    """

    name: str
    declare: tuple[str, ...]
    pools: Pools
    arguments: Callable[[int], dict[str, Any]]
    writer: type[ResourceWriter] = ResourceWriter
    processor: str = ""
    prologue: tuple[str, ...] = ()
    epilogue: tuple[str, ...] = (STORE_DIGEST,)
    leave: tuple[str, ...] = (STORE_DIGEST, "RET")
    opcodes: tuple[str, ...] = ()
    choices: tuple[tuple[str, ...], ...] = (("", "", "", "", "PROPERTY MUL_ZERO_WINS 1"),)
    outputs: bool = True
    kills: bool = False

    @property
    def deck(self) -> tuple[str, ...]:
        """All opcodes of this stage, in one order for all seeds."""
        near = INEXACT | INEXACT_CHANNELS.keys() | {"LOD", "LODQ"} if self.outputs else ()
        names = sorted({*EXACT, *WIDE, *GROUPS, *ADDRESSES, *RESOURCES, *self.opcodes, *near})
        random.Random(self.name).shuffle(names)
        return tuple(names)


def _pools(spell: Callable[[int], Sequence[str]], indirect: tuple[str, ...] = (), **more: tuple[str, ...]) -> Pools:
    """Pools whose kinds are in the order of GIVEN. `spell` writes the register of a number; `more` replaces kinds."""
    kinds = {name: tuple(spell(number)) for number, name in enumerate(GIVEN)} | more
    kinds["words"] += ("CONST[0]", "CONST[3]", "CONST[1][2]", "CONST[9]", "IMM[0]", "IMM[1]")
    kinds["floats"] += ("CONST[4]", "IMM[2]")
    kinds["near"] += ("CONST[5]",)
    kinds["flags"] += ("CONST[6]",)
    return Pools(**kinds, indirect=indirect)


def _constants(seed: int) -> dict[int, Words]:
    first = words(seed, (CONSTANTS - 1, 4))
    first[4:6] = given_values(seed, 1)[0, :2]
    first[6] = np.random.default_rng(seed).integers(0, 2, 4)
    return {0: first, 1: words(seed + 1, (MORE_CONSTANTS, 4))}


def _number(sv: str, times: int, more: str) -> tuple[str, ...]:
    """Statements that set OWN from a number of the invocation: sv * times + more."""
    count = {2: f"{SMALL}.zzzz", 3: f"{SMALL}.wwww", 4: f"{PLACES}.wwww"}[times]
    return (f"UMAD {OWN}.x, {sv}, {count}, {more}", f"UMUL {OWN}, {OWN}.xxxx, {PLACES}")


# VERT and FRAG: a register of each kind per invocation


def _inputs(seed: int) -> dict[str, Any]:
    return {"inputs": given_values(seed + 2, INVOCATIONS), "constants": _constants(seed)}


def _fragments(seed: int) -> dict[str, Any]:
    return _inputs(seed) | {"framebuffer": {0: words(seed + 5, (INVOCATIONS, 4))}}


_INPUT_POOLS = _pools(lambda number: [f"IN[{number}]"], ("IN[ADDR[0].x+1]", "IN[ADDR[0].z]"))
_COLORS = tuple(f"DCL OUT[{i}], COLOR[{i}]" for i in OUTPUTS)
_VARYINGS = ("DCL OUT[0], POSITION", *(f"DCL OUT[{i}], GENERIC[{i}]" for i in OUTPUTS[1:]))
_FRAGMENT_OPCODES = (*DERIVATIVES, *INTERPOLATION, *HELPERS)


# FRAG with plane equations: two registers vary, the others are constant; flags and numbers come from the position


def _planes(seed: int) -> dict[str, Any]:
    chance = np.random.default_rng(seed)
    coefs = np.zeros((len(GIVEN) + 1, 3, 4), np.float32)
    coefs[:, 0] = given_values(seed + 2, 1)[0, [*range(len(GIVEN)), 0]].view(np.float32)
    coefs[:2] = chance.normal(0, 2, (2, 3, 4))
    x, y = np.tile([0, 1, 0, 1], 2) + np.repeat([0, 2], 4), np.tile([0, 0, 1, 1], 2)
    w = chance.uniform(0.5, 2, (2, 1)) + chance.uniform(-0.1, 0.1, (2, 2)) @ np.array([[0, 1, 0, 1], [0, 0, 1, 1]])
    position = np.stack([x, y, chance.uniform(0, 1, INVOCATIONS), w.reshape(-1)]).astype(np.float32)
    table = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]]
    covered = chance.integers(0, 16, INVOCATIONS).astype(np.uint32)
    given = {"coefs": coefs, "quad_pos": position, "sample_positions": table, "coverage": covered, "face": chance.choice([1.0, -1.0])}
    given["system_values"] = {"SAMPLEID": chance.integers(0, 4, INVOCATIONS).astype(np.uint32)}
    return given | {"constants": _constants(seed), "framebuffer": {0: words(seed + 5, (INVOCATIONS, 4))}}


_FLAGS = f"TEMP[{FIRST_GIVEN + 1}]"
_PLANES_DECLARED = (
    *(f"DCL IN[{i}], GENERIC[{i}], CONSTANT" for i in range(2, len(GIVEN))),
    f"DCL IN[{len(GIVEN)}], POSITION, LINEAR",
    f"DCL TEMP[{FIRST_GIVEN}..{FIRST_GIVEN + 1}]",
)
_PLANES_CHOICES = (
    *(
        tuple(f"DCL IN[{register}], GENERIC[{register}], {mode}{place}" for mode in modes for place in ("", "", ", CENTROID", ", SAMPLE"))
        for register, modes in ((0, ("PERSPECTIVE",)), (1, ("LINEAR", "PERSPECTIVE", "COLOR")))
    ),
    ("", "", "PROPERTY MUL_ZERO_WINS 1"),
    ("", "PROPERTY FS_COORD_ORIGIN LOWER_LEFT"),
    ("", "PROPERTY FS_COORD_PIXEL_CENTER INTEGER"),
)
_PLANES_PROLOGUE = (
    f"F2U {_FLAGS}, IN[{len(GIVEN)}].xyxy",
    *_number(f"{_FLAGS}.yyyy", 4, f"{_FLAGS}.xxxx"),
    f"AND {_FLAGS}, {_FLAGS}.xyyx, {SMALL}.yyyy",
    f"XOR {_FLAGS}.zw, {_FLAGS}.yyxy, {SMALL}.yxyx",
)


# GEOM: a register of each kind for each vertex of three primitives, two invocations each


def _primitives(seed: int) -> dict[str, Any]:
    return {"inputs": given_values(seed + 2, 9).reshape(3, 3, len(GIVEN), 4), "constants": _constants(seed)}


_BY_VERTEX = ("IN[ADDR[0].x][7]", "IN[1][ADDR[0].y]", "IN[ADDR[0].x][ADDR[0].z+1]", "IN[ADDR[0].w][5]")


# TESS_CTRL and TESS_EVAL: patches of three vertices; three vertices written, four points evaluated


def _patches(seed: int) -> dict[str, Any]:
    return {"inputs": given_values(seed + 2, 9).reshape(3, 3, len(GIVEN), 4), "constants": _constants(seed)}


def _points(seed: int) -> dict[str, Any]:
    given = words(seed + 3, (INVOCATIONS, 4))
    given[:, 3] = np.arange(INVOCATIONS)
    inputs = given_values(seed + 2, 6).reshape(2, 3, len(GIVEN), 4)
    return {"inputs": inputs, "constants": _constants(seed), "system_values": {"TESSCOORD": given}}


# COMP, TASK, MESH: two blocks of six threads; the registers of each kind are loaded from a buffer


_LOADED = FIRST_GIVEN + 2
_DIGEST_STORE = f"STORE BUFFER[{DIGEST_BUFFER}], {OWN}.yyyy, {DIGEST}"


def _threads(seed: int) -> dict[str, Any]:
    buffers = {GIVEN_BUFFER: given_values(seed + 2, 12), DIGEST_BUFFER: np.zeros((12, 4), np.uint32)}
    memory = {"GLOBAL": words(seed + 6, (4 * 12,)), "INPUT": words(seed + 7, (8,))}
    return {"buffers": buffers, "constants": _constants(seed), "memory": memory, "grid": (2, 1, 1), "shared_memory": 96}


def _tasks(seed: int) -> dict[str, Any]:
    given = _threads(seed)
    return {name: given[name] for name in ("buffers", "constants", "grid")}


def _meshes(seed: int) -> dict[str, Any]:
    return {**_tasks(seed), "payload": words(seed + 8, (8,))}


_COMPUTE_PROLOGUE = (
    f"UMUL {THREAD}, SV[0].xxxx, {PLACES}",
    f"UMAD {OWN}.x, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx",
    f"UMUL {OWN}, {OWN}.xxxx, {PLACES}",
    f"UMUL {SCRATCH}.x, {OWN}.xxxx, IMM[9].xxxx",
    *(
        line
        for number in range(len(GIVEN) - 1)
        for line in (
            f"LOAD TEMP[{_LOADED + number}], BUFFER[{GIVEN_BUFFER}], {SCRATCH}.xxxx",
            f"UADD {SCRATCH}.x, {SCRATCH}.xxxx, {PLACES}.yyyy",
        )
    ),
)

_BLOCK = (
    "PROPERTY CS_FIXED_BLOCK_WIDTH 6",
    "PROPERTY CS_FIXED_BLOCK_HEIGHT 1",
    "PROPERTY CS_FIXED_BLOCK_DEPTH 1",
    "DCL SV[0], THREAD_ID",
    "DCL SV[1], BLOCK_ID",
    "DCL SV[2], BLOCK_SIZE",
    f"DCL TEMP[{FIRST_GIVEN}..{_LOADED + len(GIVEN) - 2}]",
)
_BLOCK_POOLS = _pools(lambda number: [f"TEMP[{_LOADED + number}]"], ("CONST[ADDR[0].x+1]",), own=(OWN,))

STAGES: dict[str, Stage] = {
    stage.name: stage
    for stage in (
        Stage("VERT", (*(f"DCL IN[{i}]" for i in range(len(GIVEN))), *_VARYINGS), _INPUT_POOLS, _inputs),
        Stage(
            "FRAG",
            (*(f"DCL IN[{i}], GENERIC[{i}], PERSPECTIVE" for i in range(len(GIVEN))), *_COLORS),
            _INPUT_POOLS,
            _fragments,
            opcodes=_FRAGMENT_OPCODES,
            kills=True,
        ),
        Stage(
            "PLANES",
            (*_PLANES_DECLARED, *_COLORS),
            _pools(lambda number: [f"IN[{number}]"], ("IN[ADDR[0].x+2]", "IN[ADDR[0].z]"), own=(OWN,), flags=(_FLAGS,)),
            _planes,
            processor="FRAG",
            prologue=_PLANES_PROLOGUE,
            choices=_PLANES_CHOICES,
            opcodes=_FRAGMENT_OPCODES,
            kills=True,
        ),
        Stage(
            "GEOM",
            (
                "PROPERTY GS_INPUT_PRIMITIVE TRIANGLES",
                "PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP",
                "PROPERTY GS_MAX_OUTPUT_VERTICES 7",
                "PROPERTY GS_INVOCATIONS 2",
                *(f"DCL IN[][{i}], GENERIC[{i}]" for i in range(len(GIVEN))),
                *_VARYINGS,
                "DCL SV[0], PRIM_ID",
                "DCL SV[1], INVOCATIONID",
                f"DCL {OWN}",
            ),
            _pools(lambda number: [f"IN[{vertex}][{number}]" for vertex in range(3)], _BY_VERTEX, own=(OWN,)),
            _primitives,
            GeometryWriter,
            prologue=_number("SV[0].xxxx", 2, "SV[1].xxxx"),
            epilogue=(STORE_DIGEST, f"EMIT {SMALL}.xxxx"),
            leave=(STORE_DIGEST, f"EMIT {SMALL}.yyyy", "RET"),
            opcodes=("EMIT", "ENDPRIM"),
        ),
        Stage(
            "TESS_CTRL",
            (
                "PROPERTY TCS_VERTICES_OUT 3",
                *(f"DCL IN[][{i}], GENERIC[{i}]" for i in range(len(GIVEN))),
                "DCL OUT[][0], POSITION",
                *(f"DCL OUT[][{i}], GENERIC[{i}]" for i in range(1, 6)),
                "DCL OUT[6], PATCH[0]",
                "DCL OUT[7], TESSOUTER",
                "DCL OUT[8], TESSINNER",
                "DCL SV[0], PRIM_ID",
                "DCL SV[1], INVOCATIONID",
                f"DCL {OWN}",
                "DCL ADDR[1]",
            ),
            _pools(lambda number: [f"IN[{vertex}][{number}]" for vertex in range(3)] + [f"IN[{number}]"], _BY_VERTEX, own=(OWN,)),
            _patches,
            ControlWriter,
            prologue=(*_number("SV[0].xxxx", 3, "SV[1].xxxx"), "UARL ADDR[1].x, SV[1].xxxx"),
            epilogue=(
                STORE_DIGEST,
                "MOV OUT[7], CONST[4]",
                "MOV OUT[8].xy, IN[0][0]",
                f"USEQ {SCRATCH}.x, SV[1].xxxx, {SMALL}.zzzz",
                f"UIF {SCRATCH}.xxxx",
                f"MOV OUT[6], {DIGEST}",
                "ENDIF",
            ),
            opcodes=("BARRIER",),
        ),
        Stage(
            "TESS_EVAL",
            (
                *(f"DCL IN[][{i}], GENERIC[{i}]" for i in range(len(GIVEN) - 1)),
                f"DCL IN[{len(GIVEN) - 1}], PATCH[0]",
                *_VARYINGS,
                "DCL SV[0], TESSCOORD",
                f"DCL {OWN}",
            ),
            _pools(lambda number: [f"IN[{vertex}][{number}]" for vertex in range(3)] + [f"IN[{number}]"], _BY_VERTEX, own=(OWN,)),
            _points,
            prologue=(f"UMUL {OWN}, SV[0].wwww, {PLACES}",),
        ),
        Stage(
            "COMP",
            (
                *_BLOCK,
                "DCL MEMORY[0], SHARED",
                "DCL MEMORY[1], PRIVATE",
                "DCL MEMORY[2], GLOBAL",
                "DCL MEMORY[3], INPUT",
            ),
            _BLOCK_POOLS,
            _threads,
            ComputeWriter,
            prologue=_COMPUTE_PROLOGUE,
            epilogue=(_DIGEST_STORE,),
            leave=(_DIGEST_STORE, "RET"),
            opcodes=(*DERIVATIVES, "BARRIER"),
            outputs=False,
        ),
        Stage(
            "TASK",
            (
                "PROPERTY TS_PAYLOAD_BYTES 200",
                "PROPERTY TS_SHARED_BYTES 96",
                *_BLOCK,
                "DCL MEMORY[0], SHARED",
                "DCL MEMORY[1], PAYLOAD",
            ),
            _BLOCK_POOLS,
            _tasks,
            TaskWriter,
            prologue=_COMPUTE_PROLOGUE,
            epilogue=(_DIGEST_STORE,),
            leave=(_DIGEST_STORE, "RET"),
            opcodes=("BARRIER", "EMIT_MESH_TASKS"),
            outputs=False,
        ),
        Stage(
            "MESH",
            (
                "PROPERTY MS_MAX_OUTPUT_VERTICES 7",
                "PROPERTY MS_MAX_OUTPUT_PRIMITIVES 4",
                "PROPERTY MS_SHARED_BYTES 96",
                *_BLOCK,
                "DCL MEMORY[0], SHARED",
                "DCL MEMORY[1], PAYLOAD",
                "DCL OUT[][0], POSITION",
                *(f"DCL OUT[][{i}], GENERIC[{i}]" for i in range(1, 6)),
                "DCL OUT[][6], PRIMITIVE_INDICES, PRIMITIVE",
                "DCL OUT[][7..8], ARRAY(1), GENERIC[7], PRIMITIVE",
                "DCL ADDR[1]",
            ),
            _BLOCK_POOLS,
            _meshes,
            MeshWriter,
            prologue=(*_COMPUTE_PROLOGUE, "UARL ADDR[1].x, SV[0].xxxx", "SET_MESH_OUTPUTS IMM[5].yzzz"),
            epilogue=(_DIGEST_STORE, STORE_DIGEST),
            leave=(_DIGEST_STORE, STORE_DIGEST, "RET"),
            opcodes=("BARRIER", "SET_MESH_OUTPUTS"),
            choices=(
                ("", "", "", "", "PROPERTY MUL_ZERO_WINS 1"),
                ("", "", "PROPERTY MS_OUTPUT_PRIMITIVE LINES", "PROPERTY MS_OUTPUT_PRIMITIVE POINTS"),
            ),
        ),
    )
}
