"""Programs of all stages that draw from, count in and store to the same few resources (`test_order_of_work`)."""

from __future__ import annotations

SAMPLED = "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n"
VERTEX = "VERT\nDCL IN[0]\nDCL CONST[0][0]\n{}DCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL TEMP[0]\n"
VERTEX += "IMM[0] FLT32 {{0.5, 0.5, 0.0, 1.0}}\n"
MOVED = "ADD OUT[0], IN[0], CONST[0][0]\nMAD OUT[1], IN[0], IMM[0], IMM[0]\nEND\n"
VERTICES = {
    "plain": VERTEX.format("") + MOVED,
    "textured": VERTEX.format(SAMPLED)
    + "TXL TEMP[0], IMM[0].zzzz, SAMP[0], 2D\nMAD OUT[0], TEMP[0].xyxx, CONST[0][0], IN[0]\nMAD OUT[1], IN[0], IMM[0], IMM[0]\nEND\n",
    "layered": VERTEX.format("DCL SV[0], INSTANCEID\nDCL OUT[2], LAYER\n") + "MOV OUT[2].x, SV[0].xxxx\n" + MOVED,
    "reads memory": VERTEX.format("DCL BUFFER[0]\n")
    + "LOAD TEMP[0].x, BUFFER[0], IMM[0].zzzz\nI2F TEMP[0].x, TEMP[0].xxxx\nMUL TEMP[0], TEMP[0].xxxx, CONST[0][0].zzzz\n"
    + "ADD TEMP[0], TEMP[0], IN[0]\nADD OUT[0], TEMP[0], CONST[0][0]\nMAD OUT[1], IN[0], IMM[0], IMM[0]\nEND\n",
}
GEOMETRY = f"""GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
{SAMPLED}DCL TEMP[0]
IMM[0] UINT32 {{0, 0, 0, 0}}
TXL TEMP[0], IMM[0].xxxx, SAMP[0], 2D
ADD OUT[0], IN[0][0], TEMP[0].xyww
MOV OUT[1], IN[0][1]
EMIT IMM[0].xxxx
MOV OUT[0], IN[1][0]
MOV OUT[1], IN[1][1]
EMIT IMM[0].xxxx
MOV OUT[0], IN[2][0]
MOV OUT[1], TEMP[0]
EMIT IMM[0].xxxx
END
"""
FRAGMENT = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nDCL TEMP[0..1]\n"
TEXTURED = "TEX TEMP[0], IN[0], SAMP[0], 2D\nMAD OUT[0], TEMP[0], CONST[0][0].xxxx, CONST[0][0].yzww\n"
ZERO = "IMM[0] UINT32 {0, 1, 4, 0}\n"
IMAGE = "IMAGE[0], TEMP[1], CONST[0][0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM"
FRAGMENTS = {
    "plain": FRAGMENT + "MAD OUT[0], IN[0], CONST[0][0].xxxx, CONST[0][0].yzww\nEND\n",
    "textured": FRAGMENT + SAMPLED + TEXTURED + "END\n",
    "counts": FRAGMENT
    + SAMPLED
    + "DCL BUFFER[0]\n"
    + ZERO
    + "ATOMUADD TEMP[1].x, BUFFER[0], IMM[0].zzzz, IMM[0].yyyy\n"
    + TEXTURED
    + "END\n",
    "reads memory": FRAGMENT
    + "DCL BUFFER[0]\n"
    + ZERO
    + "LOAD TEMP[0].x, BUFFER[0], IMM[0].zzzz\nI2F TEMP[0], TEMP[0].xxxx\nMAD OUT[0], TEMP[0], CONST[0][0].xxxx, IN[0]\nEND\n",
    "stores texels": FRAGMENT
    + "DCL IN[1], POSITION, LINEAR\nDCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR\n"
    + f"F2I TEMP[1].xy, IN[1].xyyy\nSTORE {IMAGE}\nMOV OUT[0], IN[0]\nEND\n",
    "fetches": FRAGMENT
    + "DCL SAMP[0]\nDCL SVIEW[0], BUFFER, FLOAT\n"
    + ZERO
    + "TXF TEMP[0], IMM[0].yyyy, SAMP[0], BUFFER\nMAD OUT[0], IN[0], CONST[0][0].xxxx, TEMP[0]\nEND\n",
}
RACES = {
    ("streams", "counts"),
    ("streams", "reads memory"),
    ("streams", "fetches"),
    ("reads memory", "counts"),
    ("layered", "stores texels"),
}
"""Programs that read what the other one writes, or store to one texel from several layers."""
GRID = "COMP\nDCL SV[0], THREAD_ID\nDCL BUFFER[0]\nDCL BUFFER[1]\nDCL TEMP[0..2]\n"
GRID += "IMM[0] UINT32 {4, 1, 8, 1103515245}\nUMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n"
GRIDS = {
    "copies": GRID + "LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx\nSTORE BUFFER[1].x, TEMP[0].xxxx, TEMP[1]\nEND\n",
    "changes": GRID + "LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx\nUADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy\n"
    "STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1]\nEND\n",
    "samples": GRID.replace("DCL BUFFER[1]", SAMPLED[:-1])
    + "MOV TEMP[1], SV[0]\nMOV TEMP[1].yzw, IMM[0].yyyy\nTXF TEMP[2], TEMP[1].xxzz, SAMP[0], 2D\n"
    "UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx\nSTORE BUFFER[0], TEMP[0].xxxx, TEMP[2]\nEND\n",
    "stores texels": GRID.replace("DCL BUFFER[1]", "DCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR")
    + "LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx\nUMUL TEMP[1].x, TEMP[1].xxxx, IMM[0].wwww\nU2F TEMP[1], TEMP[1].xxxx\n"
    "STORE IMAGE[0], SV[0].xxxx, TEMP[1], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\nEND\n",
}
