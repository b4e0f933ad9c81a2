"""LOAD of several words near the ends of memory: words outside read 0, whichever lanes they belong to, for every number of lanes."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi

PROGRAM = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 64
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL BUFFER[1]
DCL BUFFER[2]
DCL TEMP[0..2]
IMM[0] UINT32 {{4, 16, 0, 0}}
UMUL TEMP[0].xy, SV[0].xxxx, IMM[0]
LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx
LOAD TEMP[2], BUFFER[1]{swizzle}, TEMP[1].xxxx
STORE BUFFER[2], TEMP[0].yyyy, TEMP[2]
END
"""
ODD = [0xFFFFFFFC, 0xFFFFFFF0, 0x80000000, 0x7FFFFFFC, 3, 0xFFFFFFFF]


def _addresses(kind: str, words: int) -> list[int]:
    """One address a thread: all inside, all outside, or from everywhere."""
    inside = [4 * (k % max(words - 3, 1)) for k in range(64)]
    return {"inside": inside, "outside": [4 * (words + k) for k in range(64)], "mixed": [*range(0, 4 * 58, 4), *ODD]}[kind]


@pytest.mark.parametrize("swizzle", ["", ".xyxy", ".wzyx", ".yyyw"])
@pytest.mark.parametrize("lanes", [4, 8, 16, 32, 64])
def test_several_words_of_a_load_are_those_of_single_loads(lanes: int, swizzle: str) -> None:
    program = tgsi.parse(PROGRAM.format(swizzle=swizzle))
    order = ["xyzw".index(letter) for letter in swizzle[1:] or "xyzw"]
    for words in (0, 1, 2, 3, 4, 5, 40):
        memory = np.arange(1, words + 1, dtype=np.uint32)
        for kind in ("inside", "outside", "mixed"):
            given = np.array(_addresses(kind, words), np.uint32)
            buffers = {0: given, 1: memory, 2: np.zeros(256, np.uint32)}
            found = tgsi.run(program, grid=(1, 1, 1), buffers=buffers, engine="jit", lanes=lanes).buffers[2].view(np.uint32)
            place = given[:, None] // 4 + np.array(order, np.uint32)[None]
            padded = np.append(memory, np.uint32(0))
            assert np.array_equal(found.reshape(64, 4), padded[np.minimum(place, words)])
