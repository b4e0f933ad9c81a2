"""Programs of a file, compiled."""

from __future__ import annotations

import subprocess
from typing import Any

import tgsi
from tests.shader_test.texts import Script


def compile_script(script: Script, name: str) -> dict[str, Any]:
    """The programs of a file by stage. Errors as those of `tgsi.compile`."""
    found = {stage: tgsi.compile(text, stage=stage, language="glsl", name=f"{name}.{stage}") for stage, text in script.shaders.items()}
    for stage, text in script.modules.items():
        module = subprocess.run(["spirv-as", "-o", "-", "-"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
        found[stage] = tgsi.read_spirv(module, specialization=script.constants.get(stage), name=f"{name}.{stage}")
    return found
