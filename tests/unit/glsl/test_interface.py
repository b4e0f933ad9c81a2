"""Values by name become bytes at the right places, and wrong ones are named."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from tgsi.language.interface import Block, Variable


def packed(variable: Variable, value: Any, size: int = 128) -> np.ndarray[Any, np.dtype[np.float32]]:
    made = bytearray(size)
    variable.pack(made, value)
    return np.frombuffer(made, np.float32)


def test_a_matrix_is_stored_column_by_column() -> None:
    m = np.arange(16, dtype=np.float32).reshape(4, 4)
    made = packed(Variable(name="m", scalar="float", rows=4, columns=4), m)
    assert (made[:16].reshape(4, 4) == m.T).all()
    made = packed(Variable(name="m", scalar="float", rows=4, columns=4, row_major=True), m)
    assert (made[:16].reshape(4, 4) == m).all()


def test_a_matrix_of_three_rows_and_two_columns_has_gaps() -> None:
    variable = Variable(name="m", scalar="float", rows=3, columns=2, offset=16)
    assert variable.type == "mat2x3"
    made = packed(variable, [[1, 2], [3, 4], [5, 6]])
    assert made[4:12].tolist() == [1, 3, 5, 0, 2, 4, 6, 0]


def test_arrays_have_the_stride_of_their_block() -> None:
    made = packed(Variable(name="a", scalar="float", sizes=(3,), strides=(16,)), (1, 2, 3))
    assert made[:9].tolist() == [1, 0, 0, 0, 2, 0, 0, 0, 3]
    made = packed(Variable(name="a", scalar="float", rows=2, sizes=(2, 2), strides=(32, 8)), np.arange(8).reshape(2, 2, 2))
    assert made[:12].tolist() == [0, 1, 2, 3, 0, 0, 0, 0, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("scalar", "value", "data"),
    [
        ("int", -2, struct.pack("<i", -2)),
        ("uint", np.uint32(7), struct.pack("<I", 7)),
        ("bool", True, b"\xff\xff\xff\xff"),
        ("bool", np.False_, bytes(4)),
        ("double", 0.5, struct.pack("<d", 0.5)),
        ("float", np.float64(0.5), struct.pack("<f", 0.5)),
    ],
)
def test_numbers_are_those_of_the_type(scalar: str, value: Any, data: bytes) -> None:
    made = bytearray(len(data))
    Variable(name="x", scalar=scalar).pack(made, value)
    assert made == data


@pytest.mark.parametrize(
    ("variable", "value", "error", "message"),
    [
        (
            Variable(name="m", scalar="float", rows=4, columns=4),
            np.eye(3),
            ValueError,
            r"mat4 m: expected 4 rows of 4 numbers, not .*\(3, 3\)",
        ),
        (Variable(name="v", scalar="float", rows=3), (1, 2), ValueError, r"vec3 v: expected 3 numbers, not values of shape \(2,\)"),
        (Variable(name="v", scalar="float", rows=3), 1.0, ValueError, r"vec3 v: expected values of shape \(3,\), not 1.0"),
        (Variable(name="f", scalar="float"), (1, 2), ValueError, "float f: expected one number, not 2"),
        (Variable(name="f", scalar="float"), "1", TypeError, "float f: expected a number, not '1'"),
        (Variable(name="i", scalar="int"), 1.5, TypeError, "int i: expected a whole number, not 1.5"),
        (Variable(name="i", scalar="int"), 1 << 31, ValueError, "int i: 2147483648 is not a value of type int"),
        (Variable(name="u", scalar="uint"), -1, ValueError, "uint u: -1 is not a value of type uint"),
        (Variable(name="f", scalar="float"), 1e39, ValueError, "float f: 1e.39 is beyond the range of float"),
        (Variable(name="a", scalar="float", sizes=(2,), strides=(16,)), (1, 2, 3), ValueError, r"float a\[2\] has 2 elements, and 3 came"),
    ],
)
def test_values_that_do_not_fit_are_named(variable: Variable, value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        variable.pack(bytearray(128), value)


def test_a_block_packs_its_members_and_grows_with_its_last_array() -> None:
    members = {"n": Variable(name="n", scalar="uint"), "x": Variable(name="x", scalar="float", offset=4, sizes=(0,), strides=(4,))}
    block = Block(name="Data", binding=0, size=4, members=members)
    assert block.pack({"n": 3, "x": [1, 2, 3]}) == struct.pack("<I3f", 3, 1, 2, 3)
    with pytest.raises(ValueError, match="pack: Data has no member 'y'; it has 'n', 'x'"):
        block.pack({"y": 1})
