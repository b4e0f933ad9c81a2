"""SPIR-V modules to programs: `read` (docs/spirv.md)."""

from __future__ import annotations

from frontends.spirv.reader import entry_points, read

read_spirv = read
"""The name of `read` among the public names of `tgsi`."""

__all__ = ["entry_points", "read", "read_spirv"]
