"""Work of a process that finds a shader's kernel on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from backends.device.bound import Shader
from backends.formats import Format
from backends.llvm.builder.function import Function, Module
from backends.llvm.engine import codegen, engine, flatten, jit, object_files
from backends.llvm.engine.engine import Library
from backends.llvm.engine.kernel_cache import KernelCache
from backends.llvm.engine.object_cache import ObjectCache
from backends.llvm.kernels import run
from backends.llvm.program import plan
from backends.pipe.state import BlendState
from backends.raster.kernels import Kernels
from backends.raster.tile.buffer_keys import TargetKey
from backends.raster.tile.fragment import FragmentKey
from tgsi.language.text.parser import parse

FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
  0: POW TEMP[0], IN[0].xxxx, IN[0].yyyy
  1: MUL OUT[0], TEMP[0], IN[0]
  2: END
"""
VERTEX = """VERT
DCL IN[0]
DCL OUT[0], POSITION
  0: MOV OUT[0], IN[0]
  1: END
"""


def _fragment(kernels: Kernels) -> Library:
    shader = Shader(parse(FRAGMENT))
    target = TargetKey.of(BlendState(), 0, Format.R8G8B8A8_UNORM)
    info = kernels.fragment(shader)
    return kernels.shade(FragmentKey(lanes=kernels.fragment_lanes(info, 4, True), targets=(target,)), info, shader)


def _vertex(kernels: Kernels) -> Library:
    shader = Shader(parse(VERTEX))
    return kernels.vertex_shader(shader, kernels.vertex_lanes(shader.program), ((), (), ()))


def _fail(*given: object, **more: object) -> None:
    raise AssertionError("a hit does no such thing")


@pytest.mark.parametrize("make", [_fragment, _vertex])
def test_a_hit_makes_no_text_no_plan_and_asks_llvm_for_nothing(
    make: Callable[[Kernels], Library], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make(Kernels(KernelCache("host", ObjectCache(tmp_path))))
    assert "build_ms" in first.times
    for owner, name in (
        (plan, "_make"),
        (Function, "__init__"),
        (Module, "__init__"),
        (codegen, "parse_module"),
        (engine, "compile_object"),
        (object_files, "undefined_symbols"),
        (flatten, "flatten"),
        (jit, "_jit"),
    ):
        monkeypatch.setattr(owner, name, _fail)
    second = make(Kernels(KernelCache("host", ObjectCache(tmp_path))))
    assert second.image == first.image
    assert second.address.keys() == first.address.keys()
    assert set(second.times) == {"link_ms"}


def test_a_run_whose_kernel_is_on_disk_builds_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = parse(VERTEX)
    monkeypatch.setenv("TGSI_CACHE_DIR", str(tmp_path))
    words = np.arange(20, dtype=np.uint32).reshape(5, 1, 4)
    run._kernels.clear()
    first = run.run(program, words)
    run._kernels.clear()
    for owner, name in ((Module, "__init__"), (engine, "compile_object")):
        monkeypatch.setattr(owner, name, _fail)
    assert (run.run(program, words).outputs == first.outputs).all()
    assert (first.outputs == words).all()
