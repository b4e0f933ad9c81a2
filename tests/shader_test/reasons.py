"""Why files do not pass, by the beginning of their names or a part of it: the first row that fits is the reason."""

from __future__ import annotations

import re

_XFB = "the runner has no transform feedback"
_DERIVATIVES = "derivatives of compute shaders (NV_compute_shader_derivatives) are those of quads of four invocations in a row"
_STRUCTS = "samplers in structs: TGSI has no pointers to textures"
_UPLOAD = "the runner does not write uniform blocks by binding and offset"

REASONS: tuple[tuple[str, str], ...] = (
    (r"arb_gl_spirv/execution/xfb/|xfb", _XFB),
    (r"nv_compute_shader_derivatives/", _DERIVATIVES),
    (r"nv_fill_rectangle/", "TGSI has no filled rectangles (NV_fill_rectangle)"),
    (r"nv_viewport_swizzle/", "TGSI has no viewport swizzle (NV_viewport_swizzle)"),
    (r"sampler_array_indexing/.*struct|sampler2d-nonconst-nested-array|sampler2d-struct", _STRUCTS),
    (r"arb_gl_spirv/execution/ubo/", _UPLOAD),
    (r"arb_gl_spirv/execution/vs-ps-specializations", "the values of specialization constants are SPIR-V's"),
    (r"component-layout/.*interleave", "arrays that share locations from a component on"),
)


def reason_of(name: str) -> str | None:
    """The reason why a file does not pass; None where it has no row."""
    return next((reason for pattern, reason in REASONS if re.search(pattern, name)), None)
