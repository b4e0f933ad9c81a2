"""Link a vertex and a fragment shader by their semantics; register numbers play no part.

    python examples/link_pair.py [-o DIR]

Prints the link table; with -o writes it to DIR/link_pair.txt.
"""

import argparse
from pathlib import Path

import tgsi

VERTEX_SHADER = """VERT
DCL IN[0]
DCL IN[1]
DCL IN[2]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[7]
DCL OUT[2], COLOR
DCL OUT[3], GENERIC[2]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2], IN[2]
MOV OUT[3], IN[2].wzyx
END
"""

# GENERIC[2] comes from OUT[3]. GENERIC[9] is not written by the vertex shader, so it reads 0, 0, 0, 1. GENERIC[7] is not read.
FRAGMENT_SHADER = """FRAG
DCL IN[0], GENERIC[2], PERSPECTIVE
DCL IN[1], COLOR, COLOR
DCL IN[2], GENERIC[9], LINEAR
DCL IN[3], FACE, CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
ADD TEMP[0], IN[0].xyxy, IN[1]
MAD OUT[0], IN[2], IN[3].xxxx, TEMP[0]
END
"""


def report() -> str:
    """Text of the link table."""
    table = tgsi.link(tgsi.parse(VERTEX_SHADER, name="pair.vert"), tgsi.parse(FRAGMENT_SHADER, name="pair.frag"))
    return str(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="write link_pair.txt there instead of printing")
    directory = parser.parse_args().output
    if directory is None:
        print(report())
        return
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "link_pair.txt").write_text(report() + "\n")
    print(directory / "link_pair.txt")


if __name__ == "__main__":
    main()
