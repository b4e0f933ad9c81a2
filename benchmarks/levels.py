"""Levels of x86-64 that limit both sides of a comparison, and what limits llvmpipe to each of them."""

from __future__ import annotations

VECTOR_WIDTHS = (256, 512)  # bits; the faster one counts
LEVEL_WIDTHS = {"x86-64-v2": (128,), "x86-64-v3": (256,), "x86-64-v4": VECTOR_WIDTHS}
LEVEL_CAPS = {"x86-64-v2": {"GALLIUM_OVERRIDE_CPU_CAPS": "sse4.1"}}  # Mesa has no such word for AVX2


def own_variables(cpu: str | None) -> dict[str, str]:
    """Environment variables that limit our renderer to a level; none without one."""
    return {} if cpu is None else {"TGSI_CPU": cpu}


def width_variables(cpu: str | None) -> dict[str, str]:
    """Environment variables that limit llvmpipe to the narrowest vectors of a level, unless its width was chosen already."""
    return {} if cpu is None else {"LP_NATIVE_VECTOR_WIDTH": str(LEVEL_WIDTHS[cpu][0]), **LEVEL_CAPS.get(cpu, {})}
