"""Names of blocks in the interface of a module."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import tgsi
from frontends.glsl.compiler import find_compiler
from tgsi.language.diagnostics import UnsupportedError


def assembled(text: str, folder: Path) -> bytes:
    """The module of an assembly text; the test is skipped where the tools of SPIR-V are missing."""
    try:
        compiler = find_compiler()
    except UnsupportedError:
        pytest.skip("glslang is not installed: pip install 'tgsi[glsl]'")
    program = Path(compiler.path).with_name("spirv-as")
    if not program.is_file():
        pytest.skip("spirv-as is not beside glslang")
    (folder / "a.spvasm").write_text(text)
    command = [str(program), "--target-env", "spv1.3", str(folder / "a.spvasm"), "-o", str(folder / "a.spv")]
    subprocess.run(command, check=True, env=compiler.environment())
    return (folder / "a.spv").read_bytes()


NAMES = """OpName %Foo "type.ConstantBuffer.Foo"
OpMemberName %Foo 0 "v"
OpName %a "a"
OpName %b "b"
"""
BLOCKS = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpName %main "main"
{names}OpName %out "out.var.SV_Target"
OpMemberDecorate %Foo 0 Offset 0
OpDecorate %Foo {decoration}
OpDecorate %a DescriptorSet 0
OpDecorate %b DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b Binding 1
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%int = OpTypeInt 32 1
%zero = OpConstant %int 0
%Foo = OpTypeStruct %vec4
%pFoo = OpTypePointer {storage} %Foo
%pvec4 = OpTypePointer {storage} %vec4
%pout = OpTypePointer Output %vec4
%a = OpVariable %pFoo {storage}
%b = OpVariable %pFoo {storage}
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%pa = OpAccessChain %pvec4 %a %zero
%va = OpLoad %vec4 %pa
%pb = OpAccessChain %pvec4 %b %zero
%vb = OpLoad %vec4 %pb
%sum = OpFAdd %vec4 %va %vb
OpStore %out %sum
OpReturn
OpFunctionEnd
"""


def test_uniform_blocks_of_one_type_go_by_the_names_of_their_variables(tmp_path: Path) -> None:
    module = assembled(BLOCKS.format(names=NAMES, decoration="Block", storage="Uniform"), tmp_path)
    interface = tgsi.read_spirv(module).interface
    assert interface is not None
    assert {name: block.binding for name, block in interface.blocks.items()} == {"a": 1, "b": 2}
    assert interface.blocks["b"].pack({"v": (1, 2, 3, 4)}) == np.array([1, 2, 3, 4], np.float32).tobytes()


def test_buffers_of_one_type_go_by_the_names_of_their_variables(tmp_path: Path) -> None:
    module = assembled(BLOCKS.format(names=NAMES, decoration="Block", storage="StorageBuffer"), tmp_path)
    interface = tgsi.read_spirv(module).interface
    assert interface is not None
    assert {name: block.binding for name, block in interface.buffers.items()} == {"a": 0, "b": 1}


def test_blocks_of_one_type_without_names_are_all_there(tmp_path: Path) -> None:
    module = assembled(BLOCKS.format(names="", decoration="Block", storage="Uniform"), tmp_path)
    interface = tgsi.read_spirv(module).interface
    assert interface is not None
    assert sorted(block.binding for block in interface.blocks.values()) == [1, 2]


def test_blocks_of_types_of_their_own_go_by_their_types(tmp_path: Path) -> None:
    text = BLOCKS.format(names=NAMES + 'OpName %Bar "Bar"\nOpMemberName %Bar 0 "v"\n', decoration="Block", storage="Uniform")
    text = text.replace("%b = OpVariable %pFoo", "%b = OpVariable %pBar").replace(
        "%pFoo = ", "%Bar = OpTypeStruct %vec4 %vec4\n%pBar = OpTypePointer Uniform %Bar\n%pFoo = "
    )
    text = text.replace(
        "OpDecorate %Foo Block",
        "OpDecorate %Foo Block\nOpDecorate %Bar Block\nOpMemberDecorate %Bar 0 Offset 0\nOpMemberDecorate %Bar 1 Offset 16",
    )
    interface = tgsi.read_spirv(assembled(text, tmp_path)).interface
    assert interface is not None
    assert set(interface.blocks) == {"type.ConstantBuffer.Foo", "Bar"}
