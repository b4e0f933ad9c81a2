"""Stack that compiled programs use: what instructions need for themselves is shared, however many there are."""

from __future__ import annotations

import pytest

from backends.llvm.stages import build_run_kernel
from tgsi.parser import parse

HEAD = """COMP
DCL SV[0], THREAD_ID
DCL BUFFER[0..3]
DCL ADDR[0]
DCL TEMP[0..1]
UARL ADDR[0].x, SV[0].xxxx
"""
NEEDY = {
    "store": "STORE BUFFER[0].xyzw, SV[0], SV[0]\n",
    "load": "LOAD TEMP[0], BUFFER[ADDR[0].x], TEMP[0]\n",
    "atomic": "ATOMCAS TEMP[0].x, BUFFER[0], TEMP[0], SV[0], SV[0]\n",
    "size": "RESQ TEMP[0].x, BUFFER[ADDR[0].x]\n",
}


@pytest.mark.parametrize("name", NEEDY)
def test_instructions_share_the_memory_that_they_need_for_themselves(name: str) -> None:
    def vectors(count: int) -> int:
        return build_run_kernel(parse(HEAD + NEEDY[name] * count + "END\n"), 64).text().count("alloca [64 x i32]")

    assert 0 < vectors(50) == vectors(1)
