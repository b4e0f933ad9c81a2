"""Run a compute shader: each block of 64 threads adds up its words in shared memory, with a barrier between the steps.

    python examples/block_sums.py [-o DIR]

Prints the sums; with -o writes them to DIR/block_sums.txt.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tgsi

SHADER = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 64
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL BUFFER[0]
DCL BUFFER[1]
DCL MEMORY[0], SHARED
DCL TEMP[0..4]
IMM[0] UINT32 {64, 4, 32, 1}
IMM[1] UINT32 {0, 0, 0, 0}
UMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx
UMUL TEMP[2].x, SV[0].xxxx, IMM[0].yyyy
STORE MEMORY[0].x, TEMP[2].xxxx, TEMP[1].xxxx
MOV TEMP[3].x, IMM[0].zzzz
BGNLOOP
  BARRIER
  USEQ TEMP[3].y, TEMP[3].xxxx, IMM[1].xxxx
  UIF TEMP[3].yyyy
    BRK
  ENDIF
  USLT TEMP[3].y, SV[0].xxxx, TEMP[3].xxxx
  UIF TEMP[3].yyyy
    UMAD TEMP[2].y, TEMP[3].xxxx, IMM[0].yyyy, TEMP[2].xxxx
    LOAD TEMP[1].x, MEMORY[0], TEMP[2].xxxx
    LOAD TEMP[4].x, MEMORY[0], TEMP[2].yyyy
    UADD TEMP[1].x, TEMP[1].xxxx, TEMP[4].xxxx
    STORE MEMORY[0].x, TEMP[2].xxxx, TEMP[1].xxxx
  ENDIF
  USHR TEMP[3].x, TEMP[3].xxxx, IMM[0].wwww
ENDLOOP
USEQ TEMP[3].y, SV[0].xxxx, IMM[1].xxxx
UIF TEMP[3].yyyy
  UMUL TEMP[0].x, SV[1].xxxx, IMM[0].yyyy
  STORE BUFFER[1].x, TEMP[0].xxxx, TEMP[1].xxxx
ENDIF
END
"""


def sums(words: NDArray[np.uint32], engine: str = "jit") -> NDArray[np.uint32]:
    """Sum of each group of 64 words, modulo 2^32."""
    blocks = len(words) // 64
    result = tgsi.run(tgsi.parse(SHADER), grid=(blocks, 1, 1), buffers={0: words, 1: np.zeros(blocks, np.uint32)}, engine=engine)
    return result.buffers[1].view(np.uint32)


def main() -> None:
    """Print or write the sums of the squares of 0 to 255."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, help="directory for block_sums.txt")
    directory = parser.parse_args().output
    text = "".join(f"block {block}: {total}\n" for block, total in enumerate(sums(np.arange(256, dtype=np.uint32) ** 2)))
    if directory is None:
        print(text, end="")
    else:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "block_sums.txt").write_text(text)


if __name__ == "__main__":
    main()
