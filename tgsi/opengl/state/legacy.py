"""State that core profiles lack: pixel transfer, evaluators, accumulation, selection, feedback. (OpenGL 2.1, tables 6.9 to 6.34)"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgsi.opengl.registry import enums as GL

Floats = NDArray[np.float32]
Floats4 = tuple[float, float, float, float]

COLOR_MAPS = (GL.PIXEL_MAP_R_TO_R, GL.PIXEL_MAP_G_TO_G, GL.PIXEL_MAP_B_TO_B, GL.PIXEL_MAP_A_TO_A)
INDEX_MAPS = (GL.PIXEL_MAP_I_TO_R, GL.PIXEL_MAP_I_TO_G, GL.PIXEL_MAP_I_TO_B, GL.PIXEL_MAP_I_TO_A)
PIXEL_MAPS = (*COLOR_MAPS, *INDEX_MAPS, GL.PIXEL_MAP_I_TO_I, GL.PIXEL_MAP_S_TO_S)


@dataclass(slots=True, kw_only=True)
class PixelTransfer:
    """Parameters of pixel transfer: scales, biases, and maps. (OpenGL 2.1, 3.6.3)"""

    scale: list[float] = field(default_factory=lambda: [1.0] * 4)
    bias: list[float] = field(default_factory=lambda: [0.0] * 4)
    depth_scale: float = 1.0
    depth_bias: float = 0.0
    index_shift: int = 0
    index_offset: int = 0
    maps_color: bool = False
    maps_stencil: bool = False
    maps: dict[int, tuple[float, ...]] = field(default_factory=lambda: dict.fromkeys(PIXEL_MAPS, (0.0,)))

    def changes_colors(self) -> bool:
        """True if the parameters change colors."""
        return self.maps_color or self.scale != [1.0] * 4 or self.bias != [0.0] * 4


@dataclass(slots=True)
class EvaluatorMap:
    """Control points of a polynomial, [order, components] or [order of u, order of v, components]; first and last values of the domain."""

    domain: tuple[float, ...]
    points: NDArray[np.float64]


@dataclass(slots=True, kw_only=True)
class Evaluators:
    """Maps by target, and the grids of glEvalMesh: steps with first and last values."""

    maps: dict[int, EvaluatorMap] = field(default_factory=dict)
    grid1: tuple[int, float, float] = (1, 0.0, 1.0)
    grid2: tuple[int, float, float, int, float, float] = (1, 0.0, 1.0, 1, 0.0, 1.0)


@dataclass(slots=True, kw_only=True)
class RenderMode:
    """The render mode, with the caller's buffer and the values for it. (OpenGL 2.1, 5.2 and 5.3)"""

    mode: int = GL.RENDER
    select: tuple[int, int] = (0, 0)
    feedback: tuple[int, int, int] = (0, 0, GL._2D)
    names: list[int] = field(default_factory=list)
    depths: tuple[float, float] | None = None
    hits: list[list[int]] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


class LegacyState:
    """All legacy state of a context."""

    def __init__(self) -> None:
        self.transfer = PixelTransfer()
        self.evaluators = Evaluators()
        self.render = RenderMode()
        self.accumulated: Floats | None = None
        self.index: float = 1.0
        self.index_mask = 0xFFFFFFFF
        self.enabled: set[int] = set()
        self.priorities: dict[int, float] = {}
        self.attributes: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.client: list[dict[str, Any]] = []
        self.nesting = 0
        """Nesting depth of executing display lists."""
        self.taker: Any = None
        """Function that takes primitives instead of the rasterizer in selection and feedback mode."""
