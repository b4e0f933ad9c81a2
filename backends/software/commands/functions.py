"""The compiled functions of the executor as Python functions."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from backends.abi.records import SamplerRecord, ShaderEnv, TextureRecord, WatchRecord, layout_digest
from backends.device.commands.bound_record import BoundRecord, ClearCall, DrawCall
from backends.device.commands.condition import ConditionValues
from backends.device.commands.many_draws import ManyRecord
from backends.device.commands.numbers import ValueSlot
from backends.device.stream_target import TargetRecord
from backends.geometry.records import GeometryRecord, OutputRecord
from backends.llvm.engine.kernel_cache import KernelCache
from backends.raster.draw_record import Draw
from backends.raster.records import Batch, ClearRecord, PassRecord, Scene, Span, UploadRecord
from backends.software.commands.part_records import Block, PartRecord, PartSlot, Run
from backends.software.commands.records import (
    CopySlot,
    ExecutorRecord,
    KnownClear,
    PreparedTargets,
    ReadRange,
    ReadSlot,
    StagedRecord,
    StageEnvironment,
    TemplateRecord,
    TemplateSlot,
)

if TYPE_CHECKING:
    from backends.llvm.builder.module import Module

_FOR_PYTHON = ("draw", "draw_many", "append", "note_read", "reads_meet", "find", "upload", "awaits_upload", "carry_out")
EXPORTS = (*_FOR_PYTHON, "upload_plain", "clear", "carry_out_all", "carry_out_writes", "carry_out_uses", "has_work", "passed_samples")
_LAYOUT = layout_digest(
    *(Batch, BoundRecord, CopySlot, Draw, DrawCall, ExecutorRecord, ManyRecord, ReadRange, ReadSlot, SamplerRecord, ShaderEnv, Span),
    *(GeometryRecord, OutputRecord, StageEnvironment, StagedRecord, TargetRecord),
    *(ClearCall, ClearRecord, ConditionValues, KnownClear, PassRecord, PreparedTargets, Scene, WatchRecord),
    *(Block, PartRecord, PartSlot, Run, TemplateRecord, TemplateSlot, TextureRecord, UploadRecord, ValueSlot),
)
_DRAW = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_FIND = ctypes.PYFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
_APPEND = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 4, *[ctypes.c_int32] * 2, ctypes.c_char_p)
_NOTE = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, *[ctypes.c_int64] * 2)
_UPLOAD = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, *[ctypes.c_uint64] * 5, ctypes.c_int32)
_CARRY_OUT = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32)  # releases the GIL, as it may take long
_AWAITS = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int64)
_MEET = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int64, ctypes.c_int32)


class Functions:
    """The functions that Python calls, by their names in `catalog`. address: of every function, by name."""

    def __init__(self, kernels: KernelCache) -> None:
        def build(module: Module) -> None:
            from backends.software.commands.catalog import build_commands

            build_commands(module)

        self._library = kernels.keep(("commands", _LAYOUT), EXPORTS, build)
        self.address = address = self._library.address
        self.draw, self.draw_many, self.append = _DRAW(address["draw"]), _DRAW(address["draw_many"]), _APPEND(address["append"])
        self.find, self.note_read, self.reads_meet = _FIND(address["find"]), _NOTE(address["note_read"]), _MEET(address["reads_meet"])
        self.carry_out = _CARRY_OUT(address["carry_out"])
        self.upload, self.awaits_upload = _UPLOAD(address["upload"]), _AWAITS(address["awaits_upload"])
