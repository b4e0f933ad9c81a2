"""Judges of emitted GLSL and SPIR-V: glslang and spirv-val, over many outputs at a time."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import tgsi
from frontends.glsl.compiler import find_compiler
from frontends.glsl.limits import resource_file
from tests.unit.spirv.test_written import validator

ENDINGS = {"VERT": "vert", "FRAG": "frag", "GEOM": "geom", "TESS_CTRL": "tesc", "TESS_EVAL": "tese", "COMP": "comp"}
CHUNK = 100
"""Texts that one process of glslang reads."""


def glslang_says(texts: Mapping[str, tuple[str, str]]) -> list[str]:
    """The complaints of glslang about texts for OpenGL; skips the test where there is no glslang.

    texts: by name, the stage and the text.
    """
    try:
        compiler = find_compiler()
    except tgsi.UnsupportedError:
        pytest.skip("glslang is absent (pip install tgsi[glsl])")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        files = []
        limits = Path(folder, "limits.conf")
        limits.write_text(resource_file())
        base = [compiler.path, str(limits)]
        for number, (name, (stage, text)) in enumerate(texts.items()):
            files.append((name, Path(folder, f"{number}.{ENDINGS[stage]}")))
            files[-1][1].write_text(text)
        for first in range(0, len(files), CHUNK):
            part = files[first : first + CHUNK]
            command = [*base, *(str(file) for _, file in part)]
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=compiler.environment())
            if done.returncode == 0:
                continue
            for name, file in part:
                alone = subprocess.run([*base, str(file)], capture_output=True, text=True, check=False, env=compiler.environment())
                if alone.returncode:
                    found.append(f"{name}: {alone.stdout}")
    return found


def spirv_val_says(modules: Mapping[str, bytes], environment: str = "spv1.3") -> list[str]:
    """The complaints of spirv-val about modules by name; skips the test where there is no spirv-val."""
    program, found = validator(), []
    for name, module in modules.items():
        done = subprocess.run([program, "--target-env", environment, "-"], input=module, capture_output=True, check=False)
        if done.returncode:
            found.append(f"{name}: {done.stderr.decode()}")
    return found
