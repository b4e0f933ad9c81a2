"""The base of the parts of a context: the device, the bound state, objects that parts share, and the names that parts need from each
other."""

from __future__ import annotations

import ctypes
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from backends.device import bound as packet
from backends.device.commands.bound_record import VertexBufferSlot
from backends.device.commands.known_objects import Kind
from backends.device.interface import Device
from backends.device.memory import BoundSampler
from backends.gallium.context.handles import StateObject
from backends.gallium.context.shared.checks import Checks
from backends.gallium.context.shared.counting import Counting
from backends.gallium.context.shared.order import Order
from backends.gallium.context.shared.targets import Targets
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.transfer import TransferMap
from backends.gallium.resource.view import SamplerView
from backends.gallium.threads.gate import Gate
from backends.pipe.enums import ShaderType
from backends.pipe.state import DrawInfo, SamplerState, VertexElement
from tgsi.language.facts.enums import Processor

if TYPE_CHECKING:
    from backends.pipe.keywords import DrawInfoFields, SamplerStateFields

S = TypeVar("S")


class ContextCore(ABC):
    """The base of every part of `Context`. A part derives from it alone, and sees other parts only through the abstract names below.

    Names of this class that begin with an underscore are shared by all parts, and by the modules around the context: mappings, fences and
    traces. `tgsi.tools` has the others alone.

    screen, device: the context's own. state: everything bound that a draw needs. is_destroyed: True after `destroy`.
    checks: of objects that callers hand over. targets: the bound ones. order: flushes, fences and uses of memory. counting: of samples,
    and the render condition.
    _owner: stands for the context in its state objects, which do not keep it alive. _gate: knows which thread is in a method.
    _compute_shader: the bound one. _cs_invocations: compute invocations so far.
    _sampler_templates: those that were bound, with their bindings, so that objects of equal ones have one number.
    _memories: functions that clear caches of parts, except for bound objects. _holdings: functions that release objects held by parts.
    """

    __slots__ = ("__dict__", "__weakref__", "_native")

    is_observed = False
    """True if each call has to go through its method, because the calls are being recorded."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__()
        self.screen = screen
        self.device = device
        self._owner = object()
        self.state = packet.DrawState()
        self._native = ctypes.addressof(self.state.record).to_bytes(8, sys.byteorder)  # for native entries
        self._gate = Gate(self.state.record)
        device.attach(self.state)
        self._compute_shader: Any = None
        self.checks = Checks(screen)
        self.targets = Targets(self.state, device)
        self.order = Order(self.state, device, self.targets)
        self.counting = Counting(self.state, device, self.order)
        self._cs_invocations = 0
        self._sampler_templates: dict[SamplerState, BoundSampler] = {}
        self._memories, self._holdings = list[Callable[[], None]](), list[Callable[[], None]]()
        self.is_destroyed = False
        self._sized_indices = (0, 0, 0)  # address and bytes of an index buffer, and the bytes of its indices (0: draws give them)

    def _bound_shaders(self) -> dict[int, packet.Shader]:
        """The shader of each stage that has one, that of grids, too."""
        shaders = {stage: item.shader for stage, item in enumerate(self.state.stage) if item.shader is not None}
        return shaders if self._compute_shader is None else shaders | {int(Processor.COMP): self._compute_shader}

    # -- methods that parts call on each other ---------------------------------------------------------------------------
    @abstractmethod
    def _choose_stages(self) -> None:
        """Decide, after a shader or a target was bound, if a draw goes through more than a vertex and a fragment shader."""

    @abstractmethod
    def _show_streams(self) -> None:
        """Copy data that a draw may have streamed out to the owners of user memory."""

    @abstractmethod
    def _streamed_count(self, target: Any) -> int:
        """Number of vertices that a draw finds in a stream output target."""

    @abstractmethod
    def _check_doubles(self, elements: tuple[VertexElement, ...], name: str) -> None:
        """TypeError if an element would read a bound array of float64 as something else."""

    @abstractmethod
    def _create_object(self, kind: str, state: S) -> StateObject[S]:
        """A handle of a checked template of constant state."""

    @abstractmethod
    def _destroy_object(self, handle: Any, kind: str) -> None:
        """Mark a handle of constant state as destroyed: later uses are refused."""

    @abstractmethod
    def buffer_subdata(self, resource: Resource, data: Any, *, offset: int = 0, usage: Any = 0) -> None:
        """Write bytes into a buffer."""

    @abstractmethod
    def texture_subdata(
        self,
        resource: Resource,
        data: Any,
        *,
        level: int = 0,
        box: Any = None,
        stride: int | None = None,
        layer_stride: int | None = None,
        usage: Any = 0,
    ) -> None:
        """Write texels into a box of a level."""

    @abstractmethod
    def draw_vbo(self, info: DrawInfo | None = None, **keywords: Unpack[DrawInfoFields]) -> None:
        """Draw primitives with the bound state."""

    @abstractmethod
    def _checked_draw(self, keywords: Mapping[str, Any]) -> DrawInfo:
        """The DrawInfo of keywords, every field of which is checked."""

    @abstractmethod
    def _close_compute(self) -> None:
        """End the threads that run grids."""

    @abstractmethod
    def set_constant_buffer(
        self, stage: ShaderType | int | str, buffer: Any, *, index: int = 0, offset: int = 0, size: int | None = None
    ) -> None:
        """Bind a constant buffer to one slot of a stage."""

    @abstractmethod
    def create_sampler_state(
        self, state: SamplerState | None = None, /, **keywords: Unpack[SamplerStateFields]
    ) -> StateObject[SamplerState]:
        """Create a sampler object."""

    @abstractmethod
    def bind_sampler_states(
        self, stage: ShaderType | int | str, samplers: Sequence[StateObject[SamplerState] | None], *, start: int = 0
    ) -> None:
        """Bind sampler objects to the units of a stage."""

    @abstractmethod
    def create_sampler_view(self, texture: Resource) -> SamplerView:
        """Create a view of a texture."""

    @abstractmethod
    def set_sampler_views(self, stage: ShaderType | int | str, views: Sequence[SamplerView | None], *, start: int = 0) -> None:
        """Bind sampler views to the units of a stage."""

    @abstractmethod
    def create_vertex_elements_state(
        self, elements: Sequence[VertexElement | Mapping[str, Any] | Sequence[Any]]
    ) -> StateObject[tuple[VertexElement, ...]]:
        """Create a vertex elements object."""

    @abstractmethod
    def bind_vertex_elements_state(self, handle: StateObject[tuple[VertexElement, ...]] | None) -> None:
        """Bind a vertex elements object."""

    @abstractmethod
    def set_vertex_buffers(self, buffers: Sequence[Any], *, start: int = 0) -> None:
        """Bind vertex buffers to slots."""

    @property
    @abstractmethod
    def _wants_reports(self) -> bool:
        """True if there is a debug callback."""

    @abstractmethod
    def _report(self, kind: str, text: str) -> None:
        """Pass a message to the debug callback, if there is one."""

    @abstractmethod
    def _make_room(self) -> None:
        """Carry out pending work, and release cached memory."""

    def _learn_stage(self, name: object, stage: int) -> None:
        """Let native entries recognize the name or the member of a stage that was looked up."""
        if type(name) in (str, ShaderType):
            self.state.known.learn(name, Kind.STAGE, stage + 1)

    def _learn_buffer(self, buffer: Resource) -> None:
        """Let native entries recognize a buffer that is bound for the second time, unless it lies over memory of the caller.

        Entries keep known buffers alive, and programs may make a new one for each draw.
        """
        if not buffer.was_bound:
            buffer.was_bound = True
        elif buffer.user is None:
            slot = VertexBufferSlot(buffer.address, buffer.size)
            self.state.known.learn_memory(buffer, Kind.BUFFER, slot, buffer.storage, buffer.ended)

    # -- resources -------------------------------------------------------------------------------------------------------
    def _mapping_ended(self, mapped: TransferMap) -> None:
        """Note the end of a mapping, and show written bytes to the owner of user memory."""
        self.order.mapping_ended(mapped)
