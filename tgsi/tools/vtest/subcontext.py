"""A sub-context: one GL context of a client. A Context of ours, and the client's objects by handle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from backends.pipe.enums import ShaderType
from backends.pipe.state import DrawInfo, SamplerState
from tgsi.tools.vtest.errors import CommandError
from tgsi.tools.vtest.numbers import OBJECT_NAMES

if TYPE_CHECKING:
    from backends.gallium.context.context import Context
    from tgsi.screen import Screen
    from tgsi.tools.vtest.doubles import DoubleElements
    from tgsi.tools.vtest.holdings import Holding
    from tgsi.tools.vtest.screenshots import Screenshots

MAX_OBJECTS = 1 << 20
MAX_SETS = 512
STAGES = tuple(ShaderType)


class Client(Protocol):
    """The client (a `Session`) that owns a sub-context: its screen, its resources and its other sub-contexts."""

    screen: Screen
    screenshots: Screenshots | None
    name: str
    number: int  # of the current sub-context
    resources: dict[int, Holding]

    def resource(self, handle: int, name: str) -> Any:
        """A resource by its handle. CommandError if there is none; `name` is the field of the command."""

    def holding(self, handle: int, name: str) -> Holding:
        """A resource with the client's memory of it."""

    def create_context(self, number: int) -> None:
        """Create a sub-context."""

    def use_context(self, number: int) -> None:
        """Send the commands that follow to another sub-context."""

    def destroy_context(self, number: int) -> None:
        """Destroy a sub-context."""


class Sampler:
    """A sampler state in its two forms: the protocol does not say whether coordinates are normalized, the texture's target does."""

    def __init__(self, state: dict[str, Any], border: Sequence[int]) -> None:
        self._state = state
        self._border = border
        self._made: list[Any] = [None, None]

    def form(self, context: Context, rectangle: bool) -> Any:
        """The Context's object, for rectangle textures or others."""
        found = self._made[rectangle]
        if found is None:
            found = self._made[rectangle] = context.create_sampler_state(SamplerState(**self._state, normalized_coords=not rectangle))
            context.set_border_words(found, self._border)
        return found


@dataclass(slots=True)
class Pieces:
    """A shader whose text has not come completely."""

    stage: ShaderType
    size: int
    given: dict[str, Any]
    text: bytearray = field(default_factory=bytearray)


class SubContext:
    """What the commands of one GL context work on.

    kind: the object kind in the header of the command that runs. samplers, views: what is bound to each stage and unit, from which
    the Context's own samplers follow (unnormalized ones for rectangle textures). vertex_sets, index_sets, viewport_sets: what the
    words of such a command have bound, so that the same words bind the same objects.
    """

    def __init__(self, session: Client) -> None:
        self.session = session
        self.context: Context | None = session.screen.context_create()
        self.objects: dict[int, tuple[int, Any]] = {}
        self.kind = 0
        self.samplers: list[list[Sampler | None]] = [[] for _ in STAGES]
        self.views: list[list[Any]] = [[] for _ in STAGES]
        self.vertex_sets: dict[bytes, Any] = {}
        self.index_sets: dict[bytes, Any] = {}
        self.viewport_sets: dict[bytes, Any] = {}
        self.index_size = 0
        self.doubles: DoubleElements | None = None
        self.infos: dict[bytes, DrawInfo] = {}
        self.interned: dict[tuple[int, bytes], Any] = {}
        self.pieces: dict[int, Pieces] = {}
        self.stream_targets: list[Any] = []

    @property
    def gallium(self) -> Context:
        """Our context."""
        if self.context is None:
            raise CommandError("sub_ctx_id", "it was destroyed")
        return self.context

    # -- objects ---------------------------------------------------------------------------------------------------------
    def put(self, handle: int, value: Any) -> None:
        """Keep an object of the running command's kind under a handle; what had the handle before is forgotten."""
        if not handle:
            raise CommandError("handle", "0 is no handle")
        if len(self.objects) >= MAX_OBJECTS:
            raise CommandError("handle", f"there are {MAX_OBJECTS} objects already")
        self.objects[handle] = (self.kind, value)

    def find(self, handle: int, kind: int, field: str = "handle") -> Any:
        """An object of a kind, None for handle 0. CommandError if there is no such object."""
        if not handle:
            return None
        found = self.objects.get(handle)
        if found is None:
            raise CommandError(field, f"there is no object {handle}")
        if found[0] != kind:
            raise CommandError(field, f"object {handle} is a {OBJECT_NAMES[found[0]]}, a {OBJECT_NAMES[kind]} is wanted")
        return found[1]

    def need(self, handle: int, kind: int, field: str = "handle") -> Any:
        """An object of a kind; handle 0 is wrong, too."""
        found = self.find(handle, kind, field)
        if found is None:
            raise CommandError(field, "0 is no object")
        return found

    @staticmethod
    def keep_set(sets: dict[bytes, Any], key: bytes, value: Any) -> None:
        """Remember what the words of a command bound."""
        if len(sets) >= MAX_SETS:
            sets.clear()
        sets[key] = value

    def forget_sets(self) -> None:
        """A resource goes or comes: its handle may mean another one from now on."""
        self.vertex_sets.clear()
        self.index_sets.clear()

    def resource(self, handle: int, field: str = "res_handle") -> Any:
        """A resource of the client."""
        return self.session.resource(handle, field)

    def close(self) -> None:
        """Let go of the context and of all objects."""
        context, self.context = self.context, None
        self.objects.clear()
        if context is not None:
            context.destroy()
