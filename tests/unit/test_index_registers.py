"""Any register that is read as a value may be an index (PIPE_CAP_TGSI_ANY_REG_AS_ADDRESS): both engines against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from linkage.relocate import patch, relocations
from linkage.usage import read_masks
from passes.lower.registers import move_registers
from tests.unit.picture import screen
from tgsi.language.diagnostics import ValidationError
from tgsi.language.facts.enums import File
from tgsi.language.printer import print_program
from tgsi.language.text.parser import parse

U32 = NDArray[np.uint32]
LANES = 24
OWN: U32 = (np.arange(LANES, dtype=np.uint32) * 5 + 3) % 4
CONSTANTS = {
    0: np.concatenate([np.full((1, 4), 2, np.uint32), np.arange(100, 128, dtype=np.uint32).reshape(7, 4)]),
    2: np.arange(900, 932, dtype=np.uint32).reshape(8, 4),
}
IMMEDIATES = [(1, 3, 2, 0), (11, 12, 13, 14), (21, 22, 23, 24), (31, 32, 33, 34)]

HEAD = (
    "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n"
    "DCL SV[0], VERTEXID\nDCL CONST[0][0..7]\nDCL CONST[2][0..7]\nDCL TEMP[0..7]\n"
    "DCL ADDR[0]\n" + "".join(f"IMM[{k}] UINT32 {{{', '.join(map(str, words))}}}\n" for k, words in enumerate(IMMEDIATES))
)
INDICES: dict[str, tuple[str, U32]] = {
    "IN[0].y": ("", OWN),
    "SV[0].x": ("", np.arange(LANES, dtype=np.uint32)),
    "CONST[0].z": ("", np.full(LANES, 2, np.uint32)),
    "IMM[0].y": ("", np.full(LANES, 3, np.uint32)),
    "OUT[1].w": ("UADD OUT[1].w, IN[0].yyyy, IMM[0].xxxx\n", OWN + 1),
    "TEMP[6].x": ("UADD TEMP[6].x, IN[0].yyyy, IMM[0].xxxx\n", OWN + 1),
    "ADDR[0].x": ("UARL ADDR[0].x, IN[0].yyyy\n", OWN),
}


def run(index: str, body: str, engine: str, lanes: int = 8) -> U32:
    text = HEAD + INDICES[index][0] + body.replace("#", index) + "END\n"
    inputs = np.zeros((LANES, 1, 4), np.uint32)
    inputs[:, 0, 1] = OWN
    ids = np.arange(LANES, dtype=np.uint32)
    found: U32 = tgsi.run(parse(text), inputs, constants=CONSTANTS, system_values={"VERTEXID": ids}, engine=engine, lanes=lanes).outputs
    return found


def picked(table: U32, index: U32) -> U32:
    """Rows of a table, zeros outside of it."""
    safe = np.minimum(index, len(table) - 1)
    return np.where((index < len(table))[:, None], table[safe], 0).astype(np.uint32)


@pytest.mark.parametrize("engine", ["interp", "jit"])
@pytest.mark.parametrize("index", INDICES)
def test_every_value_register_indexes_constants_immediates_and_temporaries(index: str, engine: str) -> None:
    values = INDICES[index][1]
    np.testing.assert_array_equal(run(index, "MOV OUT[0], CONST[#+1]\n", engine)[:, 0], picked(CONSTANTS[0], values + 1))
    np.testing.assert_array_equal(run(index, "MOV OUT[0], IMM[#]\n", engine)[:, 0], picked(np.array(IMMEDIATES, np.uint32), values))
    fill = "".join(f"MOV TEMP[{k}], IMM[{k}]\n" for k in range(4))
    table = np.zeros((8, 4), np.uint32)
    table[:4] = IMMEDIATES
    np.testing.assert_array_equal(run(index, fill + "MOV OUT[0], TEMP[#]\n", engine)[:, 0], picked(table, values))


@pytest.mark.parametrize("engine", ["interp", "jit"])
@pytest.mark.parametrize("index", INDICES)
def test_every_value_register_indexes_buffers_and_destinations(index: str, engine: str) -> None:
    values = INDICES[index][1]
    number = {k: CONSTANTS.get(int(k), np.zeros((8, 4), np.uint32))[3] for k in range(8)}
    wanted = np.stack([number.get(int(v), np.zeros(4, np.uint32)) for v in values])
    np.testing.assert_array_equal(run(index, "MOV OUT[0], CONST[#][3]\n", engine)[:, 0], wanted)
    found = run(index, "MOV TEMP[#], IMM[1]\nMOV OUT[0].x, TEMP[0].xxxx\nMOV OUT[0].y, TEMP[2].xxxx\nMOV OUT[0].z, TEMP[3].xxxx\n", engine)
    for channel, register in enumerate((0, 2, 3)):
        np.testing.assert_array_equal(found[:, 0, channel], np.where(values == register, 11, 0))


@pytest.mark.parametrize("lanes", [8, 16, 64])
@pytest.mark.parametrize("index", INDICES)
def test_the_number_of_lanes_changes_nothing_when_loops_and_branches_stand_around(index: str, lanes: int) -> None:
    body = (
        "MOV TEMP[0].x, IMM[0].wwww\nBGNLOOP\nUSGE TEMP[1].x, TEMP[0].xxxx, IN[0].yyyy\nUIF TEMP[1].xxxx\nBRK\nENDIF\n"
        "UADD TEMP[2], TEMP[2], CONST[#]\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx\nENDLOOP\nMOV OUT[0], TEMP[2]\n"
    )
    expected = picked(CONSTANTS[0], INDICES[index][1]) * OWN[:, None]
    np.testing.assert_array_equal(run(index, body, "jit", lanes)[:, 0], expected)
    np.testing.assert_array_equal(run(index, body, "interp")[:, 0], expected)


def test_optimized_programs_with_such_indices_give_the_same() -> None:
    for index, (before, values) in INDICES.items():
        made = tgsi.optimize(parse(HEAD + before + f"MOV TEMP[3], CONST[{index}]\nMOV OUT[0], TEMP[3]\nEND\n"))
        inputs = np.zeros((LANES, 1, 4), np.uint32)
        inputs[:, 0, 1] = OWN
        system_values = {"VERTEXID": np.arange(LANES, dtype=np.uint32)} if made.declared(File.SV) else {}
        found = tgsi.run(made, inputs, constants=CONSTANTS, system_values=system_values).outputs
        np.testing.assert_array_equal(found[:, 0], picked(CONSTANTS[0], values), err_msg=index)


FRAGMENT = (
    "FRAG\nDCL IN[0], GENERIC[5], CONSTANT\nDCL IN[1], GENERIC[6], CONSTANT\n"
    "DCL OUT[0], COLOR\nDCL CONST[0..3]\nMOV OUT[0], CONST[IN[1].z]\nEND\n"
)


def test_linkage_sees_the_index_and_moves_it() -> None:
    program = parse(FRAGMENT)
    assert read_masks(program) == {1: 4}
    moved = move_registers(program, File.IN, {1: 7})
    assert "CONST[IN[7].z]" in print_program(moved)
    words = list(tgsi.encode(program))
    found = relocations(words)
    patch(words, found.fields, {1: 7})
    assert "CONST[IN[7].z]" in print_program(tgsi.decode(words))


GEOMETRY = (
    "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\n"
    "DCL CONST[0..3]\nMOV OUT[0], CONST[IN[0].x]\n"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            GEOMETRY,
            "V034",
        ),
        ("VERT\nDCL OUT[0], POSITION\nDCL CONST[0..3]\nDCL SAMP[0]\nMOV OUT[0], CONST[SAMP[0].x]\n", "V034"),
        ("VERT\nDCL OUT[0], POSITION\nDCL CONST[0..3]\nMOV OUT[0], CONST[IMM[0].x]\n", "V034"),
    ],
)
def test_indices_that_have_no_single_value_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        tgsi.validate(parse(text + "END\n"))


def test_draws_index_by_inputs_of_both_stages() -> None:
    vertex = (
        "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL CONST[0..3]\n"
        "MOV OUT[0], IN[0]\nMOV OUT[1], CONST[IN[1].x]\nEND\n"
    )
    fragment = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL CONST[0..3]\nMOV OUT[0], CONST[IN[0].y]\nEND\n"
    with screen().context_create() as ctx:
        target = screen().resource_create(width0=4, height0=1, format="R32G32B32A32_UINT", bind="RENDER_TARGET")
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (2, 0.5, 0.5), "translate": (2, 0.5, 0.5)}])
        ctx.bind_vs_state(ctx.create_vs_state(vertex))
        ctx.bind_fs_state(ctx.create_fs_state(fragment))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT"), (0, "R32_UINT", 1)]))
        x = (np.arange(4, dtype=np.float32) * 2 + 1) / 4 - 1
        order = np.array([[2], [0], [3], [1]], np.uint32)
        ctx.set_vertex_buffers([np.stack([x, np.zeros(4, np.float32)], 1).astype(np.float32), order])
        chosen = np.array([[0, 1, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0], [0, 2, 0, 0]], np.uint32)
        colors = np.arange(1, 17, dtype=np.uint32).reshape(4, 4)
        ctx.set_constant_buffer("VERTEX", chosen)
        ctx.set_constant_buffer("FRAGMENT", colors)
        ctx.draw_vbo(mode="POINTS", count=4)
        with ctx.transfer_map(target, usage="READ") as mapped:
            np.testing.assert_array_equal(np.array(mapped.data)[0], colors[chosen[order[:, 0], 1]])
