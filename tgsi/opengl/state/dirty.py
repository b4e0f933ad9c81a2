"""Groups of Gallium state, which a draw binds again after a command changed their sources."""

from __future__ import annotations

from typing import Final

FRAMEBUFFER: Final = 1 << 0
BLEND: Final = 1 << 1
DEPTH_STENCIL: Final = 1 << 2
RASTERIZER: Final = 1 << 3
VIEWPORT: Final = 1 << 4
SCISSOR: Final = 1 << 5
BLEND_COLOR: Final = 1 << 6
STENCIL_REF: Final = 1 << 7
SAMPLES: Final = 1 << 8
PROGRAM: Final = 1 << 9
VERTICES: Final = 1 << 10
CONSTANTS: Final = 1 << 11
TEXTURES: Final = 1 << 12
UNIFORM_BUFFERS: Final = 1 << 13
STORAGE: Final = 1 << 14
IMAGES: Final = 1 << 15
CLIP: Final = 1 << 16
STREAM_OUTPUT: Final = 1 << 17
PATCHES: Final = 1 << 18
FIXED: Final = 1 << 19
STIPPLE: Final = 1 << 20
MATRIX: Final = 1 << 21
MATERIAL: Final = 1 << 22
"""MATRIX and MATERIAL are the fixed-function constants of matrices and materials; FIXED is all fixed-function state."""
SUBROUTINES: Final = 1 << 23

ALL: Final = (1 << 24) - 1
