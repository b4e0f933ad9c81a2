"""Tests that cover a module: those that import it, then those of its area."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.planted.faults import ROOT

AREAS: Mapping[str, str] = {
    "backends/abi": "unit/llvm unit/raster",
    "backends/compute": "unit/gallium/test_compute.py property/test_grids.py unit/gallium",
    "backends/device/calls": "unit/gallium/test_fixed_commands.py unit/gallium unit/entries",
    "backends/device": "unit/gallium unit/entries property/test_executor.py",
    "backends/entries": "unit/entries unit/gallium",
    "backends/formats": "unit/formats unit/sampling",
    "backends/gallium/context/recording": "unit/gallium/test_traces.py unit/gallium/test_bundles.py unit/entries replay unit/gallium",
    "backends/gallium/tracing": "unit/gallium/test_traces.py unit/gallium/test_printed_traces.py unit/gallium",
    "backends/gallium": "unit/gallium",
    "backends/geometry": "unit/geometry unit/mesh property/test_geometry_draws.py property/test_patches.py property/test_mesh_launches.py",
    "backends/glsl": "unit/glsl_out property/test_glsl_opcodes.py",
    "backends/interp": "unit/interp unit/llvm/test_vectors.py property/test_jit_equals_interpreter.py unit/sampling unit/spirv",
    "backends/llvm/engine": "unit/llvm",
    "backends/llvm/sampling": "unit/sampling property/test_jit_equals_interpreter.py images",
    "backends/llvm": "unit/llvm property/test_jit_equals_interpreter.py unit/raster images",
    "backends/nvk": "unit/nvk",
    "backends/pipe": "unit/gallium",
    "backends/raster": "unit/raster images unit/gallium",
    "backends/ready_made": "ready_made unit/llvm packaging",
    "backends/run": "unit/test_run_words.py unit/test_arguments.py unit/interp unit/mesh unit/llvm",
    "backends/sealed_files.py": "unit/test_sealed_files.py unit/llvm",
    "backends/shader_key": "unit/shader_key",
    "backends/software": "property/test_executor.py property/test_composed_draws.py unit/gallium unit/entries vtest",
    "backends/spirv": "unit/spirv property/test_spirv_opcodes.py property/test_spirv_round.py unit/shader_key",
    "backends/system.py": "systems unit/llvm",
    "frontends/glsl": "unit/glsl",
    "frontends/programs.py": "unit/glsl unit/spirv",
    "frontends/spirv": "unit/spirv unit/glsl",
    "frontends": "unit/glsl unit/spirv",
    "linkage": "unit/linkage property/test_linkage.py",
    "passes/lint": "unit/passes property/test_lint.py filetests",
    "passes/lower": "unit/passes filetests property/test_lowering.py property/test_lowered_states.py unit/shader_key",
    "passes": "unit/passes filetests property/test_passes.py property/test_rules.py unit/llvm",
    "tgsi/frame_map.py": "unit/frames",
    "tgsi/functions": "unit/functions",
    "tgsi/insight": "unit/insight inspect",
    "tgsi/language": "unit/language filetests property",
    "tgsi/opengl": "unit/opengl osmesa shader_test promises piglit",
    "tgsi/testing": "unit/testing",
    "tgsi/tools/compile": "unit/tools unit/language/test_cli.py",
    "tgsi/tools/inspect": "inspect unit/insight",
    "tgsi/tools/replay": "replay",
    "tgsi/tools/verify": "unit/tools/verify",
    "tgsi/tools/vtest": "vtest",
    "tgsi/tools": "unit/tools unit/language",
    "tgsi/validation": "unit/insight unit/opengl/test_validation.py",
    "tgsi": "unit/test_api.py unit/test_import.py unit",
}
"""Tests below `tests` by the longest beginning of a module's path, those that find most first."""


_NEAR = 16
"""Most files of tests that are run before all others."""


@dataclass(frozen=True)
class Covering:
    """Files of tests for a module.

    near: those that import it, and those of its area with words of its name. others: the rest of its area.
    """

    near: list[str]
    others: list[str]


@functools.cache
def _importers() -> dict[str, list[str]]:
    """Tests by the dotted names of their imports, which are modules or names of modules."""
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        path, text = str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")
        for package, names in re.findall(r"^ *from ([\w.]+) import (\([^)]*\)|.*)", text, re.MULTILINE):
            for name in {package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))}:
                found.setdefault(name, []).append(path)
    return found


@functools.cache
def _paths() -> list[str]:
    return sorted(str(file.relative_to(ROOT)) for file in (ROOT / "tests").rglob("test_*.py"))


def covering_tests(module: str) -> Covering:
    """Tests for a module, those that find most first."""
    name = module.removesuffix(".py").replace("/", ".")
    area = max((beginning for beginning in AREAS if module.startswith(beginning)), key=len)
    of_area = [path for place in AREAS[area].split() for path in _paths() if f"{path}/".startswith(f"tests/{place}/")]
    words = {word.rstrip("s") for word in name.rpartition(".")[2].split("_") if len(word) > 3}
    alike = [path for path in of_area if any(word in path.rpartition("/")[2] for word in words)]
    near = list(dict.fromkeys([*_importers().get(name, []), *alike]))
    return Covering(near[:_NEAR], list(dict.fromkeys([*near[_NEAR:], *(path for path in of_area if path not in near)])))
