"""Record layouts agree between ctypes and LLVM."""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from llvmlite import ir

from backends.abi.records import SamplerRecord, ShaderEnv, TextureRecord
from backends.llvm.builder.function import I32, I64, PTR, Function, Module
from backends.llvm.builder.record import Record
from backends.llvm.engine.engine import compile_module
from backends.llvm.targets.llvm_machines import create_machine
from tests.unit.llvm.support import entry

_SCALARS = {
    ctypes.c_void_p: ir.PointerType(ir.IntType(8)),
    ctypes.c_int64: ir.IntType(64),
    ctypes.c_int32: ir.IntType(32),
    ctypes.c_uint32: ir.IntType(32),
    ctypes.c_float: ir.FloatType(),
}


def _llvm_type(layout: Any) -> Any:
    if issubclass(layout, ctypes.Array):
        return ir.ArrayType(_llvm_type(layout._type_), layout._length_)
    if issubclass(layout, ctypes.Structure):
        return ir.LiteralStructType([_llvm_type(field[1]) for field in layout._fields_])
    return _SCALARS[layout]


@pytest.mark.parametrize("layout", [TextureRecord, SamplerRecord, ShaderEnv])
def test_offsets_are_those_of_llvm(layout: type[ctypes.Structure]) -> None:
    data: llvm.TargetData = create_machine("host").target_data
    kind = _llvm_type(layout)
    context = ir.Context()
    assert kind.get_abi_size(data, context=context) == ctypes.sizeof(layout)
    offsets = [kind.get_element_offset(data, i, context=context) for i in range(len(layout._fields_))]
    assert offsets == [getattr(layout, field[0]).offset for field in layout._fields_]


def test_fields_are_reached_by_name() -> None:
    module = Module("m")
    f = Function(module, "k", [PTR, PTR])
    record = Record(f, f.args[0], TextureRecord)
    f.store(record.get("width"), f.args[1])
    f.store(record.get("row_stride", 3), f.args[1], 4)
    f.store(record.get("level_offset", 2).trunc(I32), f.args[1], 8)
    f.store(f.load(I32, record.address("row_stride", 3)), f.args[1], 12)
    record.set("height", 77)
    record.set("layer_stride", f.const(I64, 1 << 40), 15)
    f.ret()
    texture, out = TextureRecord(), np.zeros(4, np.int32)
    texture.width, texture.row_stride[3], texture.level_offset[2] = 640, 99, 4096
    entry(compile_module(module), "k", 2)(ctypes.addressof(texture), out)
    assert out.tolist() == [640, 99, 4096, 99]
    assert (texture.height, texture.layer_stride[15]) == (77, 1 << 40)


def test_unknown_fields_and_indices_are_errors() -> None:
    f = Function(Module("m"), "k", [PTR])
    record = Record(f, f.args[0], ShaderEnv)
    with pytest.raises(KeyError):
        record.get("nothing")
    with pytest.raises(IndexError):
        record.get("constants", 16)
