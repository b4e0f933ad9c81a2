"""Programs to SPIR-V modules: `write_spirv` (docs/spirv.md)."""

from __future__ import annotations

from backends.spirv.writer import write_spirv

__all__ = ["write_spirv"]
