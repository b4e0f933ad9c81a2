"""Helpers that build, compile and call small kernels."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.llvm.builder.function import F32, PTR, Function, Module, Type, Val
from backends.llvm.engine.engine import Library, compile_module
from backends.llvm.kernels.run import run
from backends.run.result import RunResult
from tests.levels import LEVELS
from tgsi.language.text.parser import parse


def runnable_levels() -> list[str]:
    """x86-64 levels that this machine can execute; "host" on other machines."""
    from backends.llvm.targets.machines import require_runnable

    found = []
    for level in LEVELS:
        with contextlib.suppress(ValueError):
            require_runnable(level)
            found.append(level)
    return found or ["host"]


def entry(library: Library, name: str, count: int) -> Callable[..., None]:
    """Function of `count` pointers. It keeps the library alive."""
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(library.address[name])

    def call(*arrays: Any) -> None:
        function(*(a if isinstance(a, int) else a.ctypes.data for a in arrays))

    call.__dict__["library"] = library
    return call


def evaluate(
    body: Callable[..., Val], *inputs: NDArray[Any], type: Type = F32, out: type[np.generic] = np.float32, cpu: str = "host"
) -> NDArray[Any]:
    """Evaluate body(f, *vectors) for whole arrays as vectors of `type`, one lane per element; results are elements of `out`."""
    module = Module("test", cpu)
    f = Function(module, "kernel", [PTR] * (len(inputs) + 1))
    lanes = inputs[0].size
    vectors = [f.load(type.wide(lanes), pointer) for pointer in f.args[:-1]]
    f.store(body(f, *vectors), f.args[-1])
    f.ret()
    result = np.zeros(lanes, out)
    entry(compile_module(module), "kernel", len(inputs) + 1)(*inputs, result)
    return result


def map_blocks(body: Callable[..., Val], lanes: int, cpu: str, *inputs: NDArray[Any], type: Type = F32) -> NDArray[np.uint32]:
    """Evaluate body over long arrays in blocks of `lanes`. Returns words."""
    module = Module("map", cpu)
    f = Function(module, "kernel", [PTR] * (len(inputs) + 1))
    with f.range(0, inputs[0].size * 4, 4 * lanes) as i:
        values = [f.load(type.wide(lanes), pointer, i) for pointer in f.args[:-1]]
        f.store(body(f, *values), f.args[-1], i)
    f.ret()
    result = np.zeros(inputs[0].size, np.uint32)
    entry(compile_module(module), "kernel", len(inputs) + 1)(*inputs, result)
    return result


VERT_HEADER = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0..3]
DCL TEMP[0..7]
DCL TEMP[8..11], ARRAY(1)
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] FLT32 {0.0, 1.0, 2.0, 0.5}
"""


def run_body(body: str, inputs: Sequence[Any] | NDArray[Any], **options: Any) -> RunResult:
    """Run VERT instructions on (invocations, 4) or (invocations, 2, 4) inputs."""
    given = np.asarray(inputs)
    if given.ndim == 2:
        given = np.stack([given, np.zeros_like(given)], axis=1)
    return run(parse(f"{VERT_HEADER}{body}\nEND\n"), given, **options)
