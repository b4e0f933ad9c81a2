"""Vertex kernels: vectors, system values, numbers of invocations, unbound textures."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from backends.abi.records import ShaderEnv
from backends.llvm.engine.engine import compile_module
from backends.llvm.kernels.run import run
from backends.llvm.kernels.stages import VERTEX_SYSTEM_VALUES, build_vertex_kernel
from tests.unit.llvm.support import entry
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.text.parser import parse

TEXT = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[2], GENERIC[0]
DCL SV[0], VERTEXID
DCL SV[1], INSTANCEID
DCL CONST[0..1]
MUL OUT[0], IN[0], CONST[1]
MOV OUT[2], IN[1].wzyx
MOV OUT[2].x, SV[0].xxxx
MOV OUT[2].y, SV[1].xxxx
END
"""


def test_a_vertex_kernel_reads_and_writes_vectors() -> None:
    lanes = 16
    shade = entry(compile_module(build_vertex_kernel(parse(TEXT), lanes)), "vertex_shader", 4)
    random = np.random.default_rng(1)
    inputs = random.normal(size=(2, 4, lanes)).astype(np.float32)
    constants = random.normal(size=(2, 4)).astype(np.float32)
    system = np.arange(len(VERTEX_SYSTEM_VALUES) * lanes, dtype=np.int32).reshape(-1, lanes)
    out = np.full((3, 4, lanes), -1, np.float32)
    env = ShaderEnv()
    env.constants[0], env.constant_words[0] = constants.ctypes.data, constants.size
    shade(ctypes.addressof(env), inputs, out, system)
    assert np.array_equal(out[0], inputs[0] * constants[1][:, None])
    assert not out[1].any()
    assert np.array_equal(out[2, 2:], inputs[1, 1::-1])
    assert np.array_equal(out[2, 0].view(np.int32), system[VERTEX_SYSTEM_VALUES["VERTEXID"]])
    assert np.array_equal(out[2, 1].view(np.int32), system[VERTEX_SYSTEM_VALUES["INSTANCEID"]])


def test_a_system_value_of_another_stage_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="TESSCOORD"):
        build_vertex_kernel(parse("VERT\nDCL OUT[0], POSITION\nDCL SV[0], TESSCOORD\nMOV OUT[0], SV[0]\nEND\n"), 8)


def test_fewer_invocations_than_lanes_and_more() -> None:
    program = parse("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nADD OUT[0], IN[0], IN[0]\nEND\n")
    for count in (1, 3, 16, 37):
        inputs = np.arange(count * 4, dtype=np.float32).reshape(count, 1, 4)
        assert np.array_equal(run(program, inputs).floats, inputs * 2)


def test_unbound_textures_read_0001() -> None:
    program = parse("FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL SAMP[0]\nTEX OUT[0], IN[0], SAMP[0], 2D\nEND\n")
    assert run(program, np.ones((4, 1, 4), np.float32)).floats[0, 0].tolist() == [0, 0, 0, 1]
