"""Reasons of the files that do not pass: a pattern of whole names without `.shader_test`, and the reason."""

from __future__ import annotations

import re

_SPEC = "tests/spec"

REASONS: tuple[tuple[str, str], ...] = (
    (
        rf"{_SPEC}/arb_separate_shader_objects/execution/vs-gs-linking",
        "GLSL leaves open how outputs and inputs of different names meet; here they meet by name",
    ),
    (rf"{_SPEC}/(arb_gpu_shader5|mesa_shader_integer_functions)/.*/[vf]s-ldexp", "denormals are kept, and the file wants 0"),
    (rf"{_SPEC}/nv_viewport_swizzle/viewport_swizzle", "Gallium of Mesa 18.1 has no swizzles of viewports (NV_viewport_swizzle)"),
)


def reason_of(name: str) -> str | None:
    """The reason why a file does not pass; None where it has no row."""
    name = name.removesuffix(".shader_test")
    return next((reason for pattern, reason in REASONS if re.fullmatch(pattern, name)), None)
