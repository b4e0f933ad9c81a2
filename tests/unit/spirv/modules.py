"""Modules of the tests: GLSL of our own in `shaders`, and the SPIR-V that glslang makes of it in modules.zip.

`python -m tests.unit.spirv.modules` compiles all shaders again (Debian's glslang-tools, 12.0). The first line of a shader may hold options
for glslang after ``//``; by default it is compiled for Vulkan.
"""

from __future__ import annotations

import functools
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
SHADERS = HERE / "shaders"
ARCHIVE = HERE / "modules.zip"
OPTIMIZED = ("arrays.comp", "flow.comp", "loop_call_break.frag")
"""Shaders whose modules are there once more, optimized by spirv-opt (Debian's spirv-tools, 2023.1)."""


def f32(values: Any) -> NDArray[np.float32]:
    """An array of floats of 32 bits."""
    return np.asarray(values, np.float32)


@functools.cache
def modules() -> Mapping[str, bytes]:
    """Every module by the name of its shader."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def module(name: str) -> bytes:
    """One module."""
    return modules()[name]


def compiled(shader: Path) -> bytes:
    """The module that glslang makes of a shader."""
    first = shader.read_text().splitlines()[0]
    options = first.removeprefix("//").split() if first.startswith("//") else ["-V"]
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "module.spv"
        subprocess.run(["glslangValidator", *options, shader.name, "-o", result], cwd=SHADERS, check=True, stdout=subprocess.PIPE)
        return result.read_bytes()


def optimized(data: bytes) -> bytes:
    """The module after spirv-opt -O, which puts phis in the place of variables."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.spv", Path(folder) / "after.spv"
        before.write_bytes(data)
        subprocess.run(["spirv-opt", "-O", before, "-o", after], check=True)
        return after.read_bytes()


def main() -> None:
    """Compile all shaders."""
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for shader in sorted(SHADERS.iterdir()):
            data = compiled(shader)
            archive.writestr(zipfile.ZipInfo(shader.name), data, zipfile.ZIP_DEFLATED)
            if shader.name in OPTIMIZED:
                archive.writestr(zipfile.ZipInfo(f"optimized_{shader.name}"), optimized(data), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
