"""Player of scenes through the public Context: one handler per op, in `state_calls`, `resource_calls` and `work_calls`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any

from tgsi import gallium as g
from tgsi.language.diagnostics import DiagnosticError, TgsiError, UnsupportedError
from tgsi.language.record import record
from tgsi.tools.replay.scene import Scene, split_output

if TYPE_CHECKING:
    from tgsi.gallium import Context, Resource, Screen

Values = Mapping[str, Any]

MAX_VERTICES = 1 << 24
"""Largest number of vertices that the draws of a scene may process, summed over instances."""

MAX_PENDING = 1 << 28
"""Number of pixels that pending draws may cover before the player flushes. A timeout takes effect only between flushes."""

MAX_INVOCATIONS = 1 << 24
"""Largest number of compute shader invocations that a scene may start."""

DEFAULT_RASTERIZER = g.RasterizerState(
    half_pixel_center=True, bottom_edge_rule=True, depth_clip=True, point_size=1.0, line_width=1.0, line_stipple_pattern=0
)
"""Rasterizer state before the first call of a scene. All other fields are 0."""


class PlayError(TgsiError):
    """A scene that cannot be played to its end. The message is a line that names the command."""


BOUND = frozenset({"rasterizer", "blend", "depth_stencil_alpha", "elements", "buffers"})
"""Fields of `Sticky` that a draw binds to the context if they have changed."""


@record(frozen=False, kw_only=True)
class Sticky:
    """State that lasts until a command changes it, in the types of the context's arguments."""

    rasterizer: g.RasterizerState = DEFAULT_RASTERIZER
    blend: g.BlendState = field(default_factory=lambda: g.BlendState(rt=(g.RenderTargetBlend(),) * 8))
    depth_stencil_alpha: g.DepthStencilAlphaState = field(default_factory=g.DepthStencilAlphaState)
    elements: list[g.VertexElement] = field(default_factory=list)
    buffers: list[g.VertexBuffer] = field(default_factory=list)
    index_buffer: Resource | None = None
    index_size: int = 0
    start_instance: int = 0
    instance_count: int = 1
    index_bias: int = 0
    primitive_restart: bool = False
    restart_index: int = 0xFFFFFFFF
    stream_output: g.StreamOutputInfo | None = None
    dirty: set[str] = field(default_factory=lambda: set(BOUND))

    def change(self, **values: Any) -> None:
        """Set fields. The next draw binds the changed ones again."""
        for name, value in values.items():
            setattr(self, name, value)
        self.dirty |= BOUND & values.keys()


@record
class Query:
    """Query of a scene."""

    kind: g.QueryType
    handle: Any


class Player:
    """Player of one scene in a context of its own. Use it in a `with` statement, which destroys the context."""

    def __init__(self, screen: Screen, scene: Scene) -> None:
        self.screen = screen
        self.scene = scene
        self.context: Context = screen.context_create()
        self.state = Sticky()
        self.textures: dict[int, Resource] = {}
        self.outputs: dict[str, Resource] = {}
        self.queries: dict[int, Query] = {}
        self.vertices = 0
        self.pending = 0
        self.invocations = 0
        self.has_vertex_shader = False

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.destroy()

    def play(self, timeout: float = float("inf")) -> None:
        """Carry out every command. Raises PlayError, naming the command, if one fails or after `timeout` seconds."""
        end = time.monotonic() + timeout
        self._guard("framebuffer", self._make_targets)
        for command in self.scene.commands:
            self._guard(command.place, partial(HANDLERS[command.op], self, command.values))
            if time.monotonic() > end:
                raise PlayError(f"{command.place}: stopped after {timeout:g} seconds")
        self._guard("flush", self.finish)

    def drew(self) -> None:
        """Count the pixels of a draw, and flush if too many are pending."""
        fb = self.scene.fb
        self.pending += fb.width * fb.height
        if self.pending > MAX_PENDING:
            self.finish()

    def finish(self) -> None:
        """Flush the context and wait until all results are in memory."""
        self.pending = 0
        self.context.flush().finish()

    def _guard(self, place: str, action: Callable[[], None]) -> None:
        try:
            action()
        except (TgsiError, ValueError, TypeError, MemoryError) as error:
            raise PlayError(f"{place}: {brief(error)}") from error

    def _make_targets(self) -> None:
        fb = self.scene.fb
        target = g.TextureTarget.TEXTURE_2D_ARRAY if fb.layers > 1 else g.TextureTarget.TEXTURE_2D

        def make(format: g.Format, bind: g.Bind) -> Resource:
            return self.screen.resource_create(
                target=target, format=format, width0=fb.width, height0=fb.height, array_size=fb.layers, bind=bind
            )

        for k, format in enumerate(fb.cbufs):
            if format is not None:
                self.outputs[f"c{k}"] = make(format, g.Bind.RENDER_TARGET | g.Bind.SAMPLER_VIEW)
        if fb.zs is not None:
            self.outputs["zs"] = make(fb.zs, g.Bind.DEPTH_STENCIL | g.Bind.SAMPLER_VIEW)
        self.context.set_framebuffer_state(
            cbufs=[self.outputs.get(f"c{k}") for k in range(len(fb.cbufs))],
            zsbuf=self.outputs.get("zs"),
            width=fb.width,
            height=fb.height,
        )

    # -- results ---------------------------------------------------------------------------------------------------------
    def read_output(self, name: str) -> bytes:
        """Bytes of an output: tight rows, y = 0 first, layers in sequence. Raises PlayError if no command created the output."""
        split_output(name)
        if name not in self.outputs:
            raise PlayError(f"{name}: no command created this output")
        with self.context.transfer_map(self.outputs[name], usage=g.Transfer.READ) as mapped:
            data: bytes = mapped.data.tobytes()
        return data

    def query_result(self, number: int) -> tuple[int, ...]:
        """Counters of a query, in Gallium's order. Raises PlayError if no command began the query."""
        if number not in self.queries:
            raise PlayError(f"query {number}: no command began it")
        result: Any = None

        def ask() -> None:
            nonlocal result
            result = self.context.get_query_result(self.queries[number].handle, wait=True)

        self._guard(f"query {number}", ask)
        return flatten(result)

    def query_kind(self, number: int) -> str:
        """Name of a query's type."""
        return self.queries[number].kind.name if number in self.queries else "unknown"


def flatten(result: Any) -> tuple[int, ...]:
    """Convert a query result (a number or a structure of numbers) to a tuple of integers."""
    if isinstance(result, int):
        return (int(result),)
    return tuple(int(v) for v in result)


def brief(error: BaseException) -> str:
    """Text of an error in one line: its first diagnostic, or the first line of its message."""
    if isinstance(error, DiagnosticError) and error.diagnostics:
        first = error.diagnostics[0]
        prefix = "unsupported: " if isinstance(error, UnsupportedError) else ""
        where = f" (line {first.span.line})" if first.span is not None else ""
        more = f", and {len(error.diagnostics) - 1} more" if len(error.diagnostics) > 1 else ""
        return f"{prefix}{first.code}: {first.message}{where}{more}"
    if isinstance(error, MemoryError):
        return "out of memory"
    return (str(error) or type(error).__name__).splitlines()[0]


Handler = Callable[[Player, Values], None]

HANDLERS: dict[str, Handler] = {}
"""Handler of each op."""


def handles(op: str) -> Callable[[Handler], Handler]:
    """Decorator that registers the handler of an op."""

    def register(handler: Handler) -> Handler:
        if op in HANDLERS:
            raise ValueError(f"{op} has two handlers")
        HANDLERS[op] = handler
        return handler

    return register
