"""Run generated programs of patches in the kernels of draws, which differ from the kernels of runs."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from backends.abi.records import BufferRecord
from backends.device.region import aligned
from backends.geometry.tessellation.control import Arrangement, build_control_kernel, written_vertices
from backends.geometry.tessellation.evaluation import EvaluationRegisters, build_evaluation_kernel
from backends.geometry.tessellation.records import ControlRecord, EvaluationRecord
from backends.llvm.builder.function import F32, I32, Val
from backends.llvm.engine.engine import compile_module
from backends.llvm.kernels.bind import Environment
from backends.llvm.program.plan import fitting_lanes
from backends.pipe.limits import MAX_SHADER_BUFFERS
from backends.run.arguments import Arguments, prepare
from backends.run.result import Bits
from backends.run.shapes import patch_registers
from tests.property.engines import result_differences
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _GivenPoints(EvaluationRegisters):
    """Tessellated points that equal those given to the run: `u` points to all four channels, one after another; `v` is their number."""

    __slots__ = ()

    def coordinate(self, channel: int) -> Val:
        count = self.f.load(I32, self.record.get("v"))
        return self.f.load(F32.wide(self.lane_map.lanes), self.record.get("u"), (count * channel + self.point) << 2)


def kernel_differences(text: str, arguments: Mapping[str, Any], *, lanes: int = 8, cpu: str = "host") -> list[str]:
    """Differences between the results of a draw's kernel and of the interpreter."""
    program = tgsi.parse(text)
    want = tgsi.run(program, engine="interp", **arguments)
    given = dict(arguments)
    prepared = prepare(program, given.pop("inputs", None), **given)
    environment = Environment(program, prepared)
    counters = (BufferRecord * MAX_SHADER_BUFFERS)()
    for number, data in prepared.counters.items():
        counters[number] = BufferRecord(data.ctypes.data, data.size)
    environment.record.counters = ctypes.addressof(counters)
    run = _control if program.processor is Processor.TESS_CTRL else _evaluation
    found = prepared.result(run(program, prepared, environment, fitting_lanes(program, lanes), cpu), want.alive, want.exhausted, None)
    ours = replace(want, outputs=found.outputs, buffers=found.buffers, images=found.images, counters=found.counters)
    return result_differences(ours, want)


def _keys(environment: Environment) -> tuple[dict[int, Any], dict[int, Any], dict[int, Any]]:
    return dict(environment.texture_keys), dict(environment.sampler_keys), dict(environment.image_keys)


def _control(program: Program, arguments: Arguments, environment: Environment, lanes: int, cpu: str) -> Bits:
    library = compile_module(build_control_kernel(program, lanes, *_keys(environment), cpu=cpu, fuel=arguments.fuel))
    entry, arrangement = _ENTRY(library.address["control"]), Arrangement(written_vertices(program), lanes)
    inputs = np.ascontiguousarray(arguments.vertices)
    count, rows, registers = len(inputs), inputs.shape[1], program.file_size(File.OUT)
    outputs = np.zeros((count, arrangement.members, registers, 4), np.uint32)
    numbers = np.arange(count, dtype=np.int32)
    record = ControlRecord(env=environment.address, inputs=inputs.ctypes.data, outputs=outputs.ctypes.data, rows=rows)
    record.numbers = numbers.ctypes.data
    entry(ctypes.addressof(record))
    state = aligned(max(record.state_bytes, 1) * arrangement.vectors)
    stops = np.zeros(arrangement.units(count) * arrangement.vectors, np.int32)
    record.state, record.stops, record.patches = state.ctypes.data, stops.ctypes.data, count
    entry(ctypes.addressof(record))
    for register in patch_registers(program, File.OUT):
        outputs[:, :, register] = outputs[:, :1, register]
    return outputs.reshape(-1, registers, 4)


def _evaluation(program: Program, arguments: Arguments, environment: Environment, lanes: int, cpu: str) -> Bits:
    inputs = np.ascontiguousarray(arguments.vertices)
    count, registers, points = len(inputs), program.file_size(File.OUT), arguments.invocations
    with _points_are_given():
        module = build_evaluation_kernel(program, lanes, inputs.shape[1], *_keys(environment), cpu=cpu, fuel=arguments.fuel)
    library = compile_module(module)
    entry = _ENTRY(library.address["evaluate"])
    given = np.zeros((4, points + lanes), np.uint32)
    given[:, :points] = arguments.system_values["TESSCOORD"][arguments.places].T
    length = np.array([points + lanes], np.int32)
    starts = np.linspace(0, points, count + 1).astype(np.int32)
    numbers: NDArray[np.int32] = np.arange(count, dtype=np.int32)
    outputs = np.zeros((points + lanes, registers, 4), np.uint32)
    record = EvaluationRecord(env=environment.address, inputs=inputs.ctypes.data, numbers=numbers.ctypes.data, u=given.ctypes.data)
    record.v, record.starts, record.vertices, record.patches = length.ctypes.data, starts.ctypes.data, outputs.ctypes.data, count
    entry(ctypes.addressof(record))
    return outputs[:points]


def _points_are_given() -> Any:
    from unittest.mock import patch

    return patch("backends.geometry.tessellation.evaluation.EvaluationRegisters", _GivenPoints)
