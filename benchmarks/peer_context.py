"""The peer's side of a workload: a moderngl context with the calls that several workloads share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from benchmarks.catalog import HEIGHT, WIDTH, Check
from benchmarks.peer_shaders import GLSL

Draw = Callable[[], None]
Made = tuple[Draw, Callable[[], Check] | bool]
"""A frame, and how its result is checked: True for the picture of the first target, False for nothing."""


class PeerContext:
    """OpenGL context and framebuffer of a workload."""

    def __init__(self) -> None:
        # Any: moderngl's type annotations lack documented keywords
        create: Any = moderngl.create_context
        self.ctx: Any = create(standalone=True, backend="egl")
        self.fbo: Any = None

    # -- used by the workloads below
    def target(self, width: int = WIDTH, height: int = HEIGHT, *, count: int = 1, dtype: str = "f1", depth: bool = False) -> None:
        """Create and bind the framebuffer of the workload."""
        textures = [self.ctx.texture((width, height), 4, dtype=dtype) for _ in range(count)]
        self.fbo = self.ctx.framebuffer(textures, self.ctx.depth_renderbuffer((width, height)) if depth else None)
        self.fbo.use()
        self.fbo.viewport = (0, 0, width, height)

    def program(self, name: str) -> Any:
        """Compile the GLSL of a workload."""
        vertex, fragment = GLSL[name]
        return self.ctx.program(vertex, fragment)

    def mesh(self, program: Any, indices: NDArray[np.uint32] | None = None, **attributes: NDArray[Any]) -> Any:
        """Vertex array with a buffer for each attribute."""
        content = [(self.ctx.buffer(np.ascontiguousarray(a, "f4").tobytes()), f"{a.shape[1]}f", name) for name, a in attributes.items()]
        return self.ctx.vertex_array(program, content, None if indices is None else self.ctx.buffer(indices.tobytes()))

    def strip(self, program: Any, **attributes: NDArray[Any]) -> Draw:
        """Draw call of one triangle strip."""
        array, mode = self.mesh(program, **attributes), moderngl.TRIANGLE_STRIP
        return lambda: array.render(mode)

    def texture(self, texels: NDArray[np.uint8]) -> Any:
        """Bound, repeating RGBA8 texture."""
        texture = self.ctx.texture(texels.shape[1::-1], 4, texels.tobytes())
        texture.repeat_x = texture.repeat_y = True
        texture.use(0)
        return texture
