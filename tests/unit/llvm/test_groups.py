"""Votes over values that LLVM can analyze: its instruction selection once ran forever on them."""

import numpy as np
import pytest

import tgsi

pytestmark = pytest.mark.light

TEXT = """VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL TEMP[0]
IMM[0] FLT32 {0.0, 1.0, 0.0, 0.0}
DCL TEMP[1]
OPCODE TEMP[0], SOURCE
UADD OUT[0], TEMP[0], IN[0]
END
"""


@pytest.mark.parametrize("source", ["TEMP[1].xxxx", "IMM[0].yxxx", "IMM[0].xyxx", "IN[0].wwww"])
@pytest.mark.parametrize("opcode", ["VOTE_ANY", "VOTE_ALL", "VOTE_EQ", "BALLOT", "READ_FIRST"])
def test_votes_of_constants_compile_and_equal_the_interpreter(opcode: str, source: str) -> None:
    program = tgsi.parse(TEXT.replace("OPCODE", opcode).replace("SOURCE", source))
    inputs = np.arange(8 * 4, dtype=np.uint32).reshape(8, 1, 4) % 5
    compiled, defined = (tgsi.run(program, inputs, engine=engine).outputs for engine in ("jit", "interp"))
    assert (compiled == defined).all()
