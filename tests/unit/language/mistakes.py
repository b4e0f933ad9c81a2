"""Typical mistakes, each with the intended text. Statements are tested in a program that declares their registers."""

from __future__ import annotations

MISTAKES: tuple[tuple[str, str], ...] = (
    ("MOVE OUT[0], IN[0]", "MOV OUT[0], IN[0]"),
    ("SUB OUT[0], IN[0], IN[1]", "ADD OUT[0], IN[0], -IN[1]"),
    ("ABS OUT[0], IN[0]", "MOV OUT[0], |IN[0]|"),
    ("KIL IN[0]", "KILL_IF IN[0]"),
    ("LERP OUT[0], IN[0], IN[0], IN[1]", "LRP OUT[0], IN[0], IN[0], IN[1]"),
    ("FLOOR OUT[0], IN[0]", "FLR OUT[0], IN[0]"),
    ("POWER OUT[0], IN[0], IN[1]", "POW OUT[0], IN[0], IN[1]"),
    ("MOV_PRECISE_SAT OUT[0], IN[0]", "MOV_SAT_PRECISE OUT[0], IN[0]"),
    ("MADD OUT[0], IN[0], IN[0], IN[1]", "MAD OUT[0], IN[0], IN[0], IN[1]"),
    ("MOV OUT[0], IN[0].xy", "MOV OUT[0], IN[0].xyyy"),
    ("MOV OUT[0], IN[0].rgba", "MOV OUT[0], IN[0].xyzw"),
    ("MOV OUT[0].yx, IN[0]", "MOV OUT[0].xy, IN[0]"),
    ("MOV OUT[0].xx, IN[0]", "MOV OUT[0].x, IN[0]"),
    ("MOV OUT[0] IN[0]", "MOV OUT[0], IN[0]"),
    ("MOV OUT[0],", "MOV OUT[0], IN[0]"),
    ("MOV OUT[0]", "MOV OUT[0], IN[0]"),
    ("MOV OUT[0], IN[0], IN[1]", "MOV OUT[0], IN[0]"),
    ("MOV -OUT[0], IN[0]", "MOV OUT[0], -IN[0]"),
    ("MOV |OUT[0]|, IN[0]", "MOV OUT[0], |IN[0]|"),
    ("MOV OUT[0], |-IN[0]|", "MOV OUT[0], -|IN[0]|"),
    ("MOV OUT[0], |IN[0]", "MOV OUT[0], |IN[0]|"),
    ("MOV OUT[0], +IN[0]", "MOV OUT[0], IN[0]"),
    ("MOV OUT[0], 1.0", "MOV OUT[0], IMM[0].yyyy"),
    ("MOV OUT[0], 1", "MOV OUT[0], IMM[0].yyyy"),
    ("MOV OUT[0], IN[0", "MOV OUT[0], IN[0]"),
    ("MOV OUT[0], IN0]", "MOV OUT[0], IN[0]"),
    ("MOV OUT[0], IN", "MOV OUT[0], IN[0]"),
    ("MOV OUT(0), IN[0]", "MOV OUT[0], IN[0]"),
    ("MOV OUTPUT[0], IN[0]", "MOV OUT[0], IN[0]"),
    ("MOV TMP[0], IN[0]", "MOV TEMP[0], IN[0]"),
    ("MOV OUT[0], CONSTANT[0]", "MOV OUT[0], CONST[0]"),
    ("MOV OUT[0], IN[-1]", "MOV OUT[0], IN[1]"),
    ("MOV OUT[0], CONST[ADDR[0].xy]", "MOV OUT[0], CONST[ADDR[0].x]"),
    ("MOV OUT[0], CONST[ADDR]", "MOV OUT[0], CONST[ADDR[0].x]"),
    ("MOV OUT[0], CONST[ADDR[0].x*2]", "MOV OUT[0], CONST[ADDR[0].x+2]"),
    ("MOV OUT[0], IN[0];", "MOV OUT[0], IN[0]"),
    ("// copy\nMOV OUT[0], IN[0]", "# copy\nMOV OUT[0], IN[0]"),
    ("TEX OUT[0], IN[0], SAMP[0]", "TEX OUT[0], IN[0], SAMP[0], 2D"),
    ("TEX OUT[0], IN[0], SAMP[0], TEX2D", "TEX OUT[0], IN[0], SAMP[0], 2D"),
    ("TEX OUT[0], IN[0], SAMP[0], CUBE_ARRAY", "TEX OUT[0], IN[0], SAMP[0], CUBEARRAY"),
    ("TEX OUT[0], IN[0], 2D, SAMP[0]", "TEX OUT[0], IN[0], SAMP[0], 2D"),
    ("TEX OUT[0], IN[0], SAMP[0], 2D, -IMM[1].xyz", "TEX OUT[0], IN[0], SAMP[0], 2D, IMM[1].xyz"),
    ("TEX OUT[0], IN[0], SAMP[0], 2D, IMM[1].xyzw", "TEX OUT[0], IN[0], SAMP[0], 2D, IMM[1].xyz"),
    ("LOAD TEMP[0], BUFFER[0], IMM[1], COHERANT", "LOAD TEMP[0], BUFFER[0], IMM[1], COHERENT"),
    ("ADD :3", "ADD OUT[0], IN[0], IN[1]"),
    ("MOV OUT[0], IN[0] :3", "MOV OUT[0], IN[0]"),
    ("KILL IN[0]", "KILL_IF IN[0]"),
    ("EMIT", "EMIT IMM[1].xxxx"),
    ("DCL FOO[0]", "DCL TEMP[9]"),
    ("DCL TEMP", "DCL TEMP[9]"),
    ("DCL TEMP[9..]", "DCL TEMP[9..10]"),
    ("DCL TEMP[9.10]", "DCL TEMP[9..10]"),
    ("DCL IN[]", "DCL IN[9], GENERIC[9], LINEAR"),
    ("DCL IN[9], GENERC[9], LINEAR", "DCL IN[9], GENERIC[9], LINEAR"),
    ("DCL IN[9], LINEAR, GENERIC[9]", "DCL IN[9], GENERIC[9], LINEAR"),
    ("DCL IN[9], GENERIC[9], CENTROID, LINEAR", "DCL IN[9], GENERIC[9], LINEAR, CENTROID"),
    ("DCL SVIEW[9], 2D, FLOATS", "DCL SVIEW[9], 2D, FLOAT"),
    ("DCL TEMP[9..10], ARRAY (1", "DCL TEMP[9..10], ARRAY(1)"),
    ("IMM[7] FLT32 {1.0, 1.0, 1.0, 1.0}", "IMM[2] FLT32 {1.0, 1.0, 1.0, 1.0}"),
    ("IMM FLT32 {1.0}", "IMM FLT32 {1.0, 1.0, 1.0, 1.0}"),
    ("IMM FLOAT {1.0, 1.0, 1.0, 1.0}", "IMM FLT32 {1.0, 1.0, 1.0, 1.0}"),
    ("IMM FLT32 {1.0f, 1.0, 1.0, 1.0}", "IMM FLT32 {1.0, 1.0, 1.0, 1.0}"),
    ("IMM UINT32 {-1, 0, 0, 0}", "IMM UINT32 {4294967295, 0, 0, 0}"),
    ("IMM FLT32 (1.0, 1.0, 1.0, 1.0)", "IMM FLT32 {1.0, 1.0, 1.0, 1.0}"),
    ("PROPERTY FS_COORD_ORIGN UPPER_LEFT", "PROPERTY FS_COORD_ORIGIN UPPER_LEFT"),
    ("PROPERTY FS_COORD_ORIGIN TOP_LEFT", "PROPERTY FS_COORD_ORIGIN UPPER_LEFT"),
    ("PROPERTY FS_DEPTH_LAYOUT LESS", "PROPERTY FS_DEPTH_LAYOUT 3"),
)

HEAD = """FRAG
DCL IN[0..1], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..3]
DCL CONST[0..3]
DCL ADDR[0]
DCL SAMP[0]
DCL BUFFER[0]
IMM[0] FLT32 {0.0, 1.0, 2.0, 3.0}
IMM[1] INT32 {0, 1, 2, 3}
"""


def text_of(statement: str) -> str:
    return f"{HEAD}{statement}\nEND\n"
