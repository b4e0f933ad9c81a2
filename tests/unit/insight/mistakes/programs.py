"""Mistakes in shaders and with their constants."""

from __future__ import annotations

import numpy as np

from tests.unit.insight.mistakes.sketch import FS, FS_CONST, FS_LIT, RED, TRI, VS, VS_MATRIX, Sketch, mistake


@mistake(warns="GENERIC[1] has no output", explains="GENERIC[1] has no output")
def semantic_index(s: Sketch) -> None:
    s.frame()
    s.triangle(fs=FS.replace("GENERIC[0]", "GENERIC[1]"))


@mistake(warns="CONST[0], which nothing has set", explains="the fragment shader reads CONST[0], which nothing has set")
def constants_in_wrong_slot(s: Sketch) -> None:
    s.frame()
    s.ctx.set_constant_buffer("FRAGMENT", np.ones(4, np.float32), index=1)
    s.triangle(fs=FS_CONST)


@mistake(warns="the fragment shader reads CONST[0]", explains="the fragment shader reads CONST[0], which nothing has set")
def constants_of_wrong_stage(s: Sketch) -> None:
    s.frame()
    s.ctx.set_constant_buffer("VERTEX", np.ones(4, np.float32))
    s.triangle(fs=FS_CONST)


@mistake(warns="has 36 bytes", explains="w of 0")
def matrix_of_3x3(s: Sketch) -> None:
    s.frame()
    s.ctx.set_constant_buffer("VERTEX", np.eye(3, dtype=np.float32))
    s.triangle(vs=VS_MATRIX)


@mistake(explains="float64")
def float64_constants(s: Sketch) -> None:
    s.frame()
    s.ctx.set_constant_buffer("FRAGMENT", np.array([1.0, 0.5, 0.0, 1.0]))
    s.triangle(fs=FS_CONST)


@mistake(explains="bits of whole numbers")
def integer_constants(s: Sketch) -> None:
    s.frame()
    s.ctx.set_constant_buffer("FRAGMENT", np.array([1, 1, 0, 1]))
    s.triangle(fs=FS_CONST)


@mistake(explains="NaN because MUL")
def normalize_of_zero(s: Sketch) -> None:
    s.frame()
    normalize = "DP3 TEMP[0].x, IN[0], IN[0]\nRSQ TEMP[0].x, TEMP[0].xxxx\nMUL OUT[0], IN[0], TEMP[0].xxxx"
    fs = FS.replace("DCL OUT", "DCL TEMP[0]\nDCL OUT").replace("MOV OUT[0], IN[0]", normalize)
    s.triangle(colors=np.zeros((3, 4), np.float32), fs=fs)


@mistake(explains="NaN because POW")
def pow_of_negative(s: Sketch) -> None:
    s.frame()
    fs = FS.replace("MOV OUT[0], IN[0]", "IMM[0] FLT32 {2.2, 1, 1, 1}\nPOW OUT[0].xyz, IN[0].xxxx, IMM[0].xxxx\nMOV OUT[0].w, IMM[0].yyyy")
    s.triangle(colors=-RED[:3], fs=fs)


@mistake(warns="TEMP[0] is read", explains="nothing has written it")
def temporary_never_written(s: Sketch) -> None:
    s.frame()
    s.triangle(fs=FS.replace("DCL OUT", "DCL TEMP[0]\nDCL OUT").replace("MOV OUT[0], IN[0]", "MUL OUT[0], IN[0], TEMP[0]"))


@mistake(explains="gives 0, of -1, 0")
def light_from_behind(s: Sketch) -> None:
    s.frame()
    s.ctx.set_constant_buffer("FRAGMENT", np.array([0, 0, -1, 0], np.float32))
    n = np.array([[0, 0, 1, 0]] * 3, np.float32)
    s.triangle(colors=n, fs=FS_LIT)


@mistake(explains="IN[0].x is 0 already")
def normals_missing(s: Sketch) -> None:
    s.frame()
    s.ctx.set_constant_buffer("FRAGMENT", np.array([0, 0, 1, 0], np.float32))
    s.triangle(colors=np.zeros((3, 4), np.float32), fs=FS_LIT)


@mistake(warns="writes no POSITION")
def no_position(s: Sketch) -> None:
    s.frame()
    s.triangle(vs=VS.replace("DCL OUT[0], POSITION", "DCL OUT[0], GENERIC[7]"))


@mistake(warns="writes no color", explains="the shader writes no color for this target")
def no_color(s: Sketch) -> None:
    s.frame()
    s.triangle(fs="FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\nEND\n")


@mistake(warns="no fragment shader is bound", explains="the shader writes no color for this target")
def no_fragment_shader(s: Sketch) -> None:
    s.frame()
    s.ctx.bind_vs_state(s.ctx.create_vs_state(VS))
    s.vertices(TRI, RED)
    s.ctx.draw_vbo(mode="TRIANGLES", count=3)
