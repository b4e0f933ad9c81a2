"""The base of the parts of a context: the device, the bound state, the order of work, and the names that parts ask of each other."""

from __future__ import annotations

import ctypes
import sys
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from backends.device import bound as packet
from backends.device.commands.bound_record import Hindrance, VertexBufferSlot, Word
from backends.device.commands.known_objects import Kind
from backends.device.counters import FlushReason
from backends.device.framebuffer import Framebuffer
from backends.device.interface import Device
from backends.gallium.context.handles import StateObject
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.transfer import TransferMap
from backends.gallium.resource.view import SamplerView, Surface
from backends.gallium.threads.fence import Fence
from backends.gallium.threads.gate import Gate
from backends.pipe.enums import ResourceFlags, ShaderType, Transfer
from backends.pipe.state import DrawInfo, SamplerState, VertexElement
from tgsi.language.facts.enums import Processor

if TYPE_CHECKING:
    from backends.pipe.keywords import DrawInfoFields, SamplerStateFields

S = TypeVar("S")
_PERSISTENT, _WRITE = Transfer.PERSISTENT.value, Transfer.WRITE.value
BoundTargets = tuple[Framebuffer, tuple[Surface | None, ...], Surface | None]
"""A framebuffer, and the surfaces that it was made of: color buffers, and the depth buffer."""
NO_TARGETS = Framebuffer(0, 0)
"""The framebuffer without targets."""


class ContextCore(ABC):
    """The base of every part of `Context`. A part derives from it alone and sees the others only through the abstract names below.

    Names of this class that begin with an underscore are shared by all parts, and by the modules around the context: mappings, fences,
    traces, and `tgsi.tools.vtest`. Users have the others alone.

    screen, device: the context's own. state: everything bound that a draw needs. is_destroyed: True after `destroy`.
    _owner: stands for the context in its state objects, which do not keep it alive. _gate: knows which thread is in a method.
    _compute_shader: the bound one.
    _completed: number of the latest fence before which everything is in memory.
    _cs_invocations: compute invocations so far. _persistent_maps: living PERSISTENT mappings. _user_memory: bound resources over memory
    of the caller; _stored_user_memory: those of them that waiting draws may write through their shaders.
    _memories: functions that forget what parts remember and nothing bound needs. _holdings: functions that let go of what parts hold.
    """

    __slots__ = ("__dict__", "__weakref__", "_native")

    _is_observed = False
    """True if each call has to go through its method, because somebody records the calls."""

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
        self._targets: BoundTargets = NO_TARGETS, (), None
        self._prepared_targets: dict[int, Callable[[], BoundTargets]] = {}  # that generated code may bind, by `BoundRecord.targets`
        self._completed = 0
        self._cs_invocations = 0
        self._persistent_maps: set[TransferMap] = set()
        self._memories, self._holdings = list[Callable[[], None]](), list[Callable[[], None]]()
        self._user_memory: weakref.WeakSet[Resource] = weakref.WeakSet()
        self._stored_user_memory: set[Resource] = set()
        self.is_destroyed = False
        self._sized_indices = (0, 0, 0)  # address and bytes of an index buffer, and the bytes of its indices (0: draws give them)
        self._issued = 0
        self._shown = 0  # number of device runs whose results were copied to user memory

    def _bound_shaders(self) -> dict[int, packet.Shader]:
        """The shader of each stage that has one, that of grids, too."""
        found = {stage: item.shader for stage, item in enumerate(self.state.stage) if item.shader is not None}
        return found if self._compute_shader is None else found | {int(Processor.COMP): self._compute_shader}

    # -- methods that parts call on each other ---------------------------------------------------------------------------
    @abstractmethod
    def _as_surface(self, target: Any, argument: str) -> Surface:
        """The target itself if it is a surface of this screen; for a resource, a surface of its level 0."""

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
    def _note_slot(self, slot: tuple[str, int, int], resource: Resource | None) -> None:
        """Note the resource that a slot of writable memory (kind of binding, stage, number) holds from now on; None empties it."""

    @abstractmethod
    def _writable(self, *, of_draws: bool, but: str = "") -> list[Resource]:
        """Resources bound as memory that draws (or grids, unless `of_draws`) may write; bindings of the kind `but` do not count."""

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
    def draw_vbo(self, info: DrawInfo | None = None, **given: Unpack[DrawInfoFields]) -> None:
        """Draw primitives with the bound state."""

    @abstractmethod
    def _checked_draw(self, given: Mapping[str, Any]) -> DrawInfo:
        """The DrawInfo of keywords, every field of which is checked."""

    @abstractmethod
    def _accept_draw_info(self, info: DrawInfo) -> None:
        """Remember a DrawInfo as checked, for callers that have checked each of its fields as `draw_vbo` would."""

    @abstractmethod
    def _close_compute(self) -> None:
        """End the threads that run grids."""

    @abstractmethod
    def set_constant_buffer(
        self, stage: ShaderType | int | str, buffer: Any, *, index: int = 0, offset: int = 0, size: int | None = None
    ) -> None:
        """Bind a constant buffer to one slot of a stage."""

    @abstractmethod
    def create_sampler_state(self, state: SamplerState | None = None, /, **given: Unpack[SamplerStateFields]) -> StateObject[SamplerState]:
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
    def _prepare_targets(self) -> int:
        """Let generated code bind the bound targets again. Returns their address; 0: it cannot."""

    @abstractmethod
    def _settle_targets(self) -> None:
        """Keep the targets that generated code has bound, as those that Python binds. Their objects are alive now."""

    @abstractmethod
    def _end_targets(self, address: int) -> None:
        """Let generated code bind targets no more."""

    @abstractmethod
    def _share_query(self, query: Any) -> None:
        """Let generated code begin and end a query that counts samples."""

    @abstractmethod
    def _make_room(self) -> None:
        """Carry out pending work, and let go of memory that is only remembered."""

    @abstractmethod
    def _allows_rendering(self) -> bool:
        """Return True if the render condition lets draws and clears through."""

    # -- bound targets ---------------------------------------------------------------------------------------------------
    @property
    def _bound_targets(self) -> BoundTargets:
        address = self.state.record.targets
        return self._prepared_targets[address]() if address else self._targets

    @property
    def _framebuffer(self) -> Framebuffer:
        """The bound framebuffer."""
        return self._bound_targets[0]

    @property
    def _cbufs(self) -> tuple[Surface | None, ...]:
        """The bound color buffers."""
        return self._bound_targets[1]

    @property
    def _zsbuf(self) -> Surface | None:
        """The bound depth buffer."""
        return self._bound_targets[2]

    # -- order -----------------------------------------------------------------------------------------------------------
    @property
    def _is_conditional(self) -> bool:
        """True if a render condition is set."""
        return bool(self.state.record.words[Word.CONDITION])

    def _synchronize(self, reason: FlushReason = FlushReason.ASKED) -> None:
        """Carry out everything so far; afterwards all bytes are in memory."""
        self.device.flush(reason)
        self._show()
        self._completed = self._issued
        self.state.hinder(Hindrance.FENCE, False)

    def _use_pause(self) -> None:
        """Carry out pending work while the caller waits for something else, if no byte depends on when that happens."""
        self.device.use_pause()
        self._show_runs()

    def _show(self) -> None:
        """Resolve samples of bound surfaces; copy targets, and shader memory that draws may have written, to memory of the caller."""
        is_new, self._shown = self._shown != self.device.runs, self.device.runs
        for target in (*self._cbufs, self._zsbuf):
            if target is not None:
                if target.own is not None and is_new:
                    target.own.store(self.device)
                if (texture := target.living_texture) is not None:
                    texture.push()
        while self._stored_user_memory:
            self._stored_user_memory.pop().push()

    def _new_fence(self) -> Fence:
        """A fence after everything so far."""
        self._issued += 1
        self.state.hinder(Hindrance.FENCE, True)
        return Fence(self, self._issued, self.screen)

    def _is_busy(self, resource: Resource, *, for_reading: bool = False) -> bool:
        """Return True if pending work reads or writes the resource; for reading, if it writes it."""
        uses = self.device.uses
        if uses(resource.address, resource.size, for_reading=for_reading):
            return True
        if not resource.decoded and not resource.rendered:
            return False
        shadows = [*(shadow for _, shadow in resource.decoded.values()), *(samples.target for samples in resource.rendered)]
        return any(uses(shadow.address, shadow.size, for_reading=for_reading) for shadow in shadows)

    def _finish_uses(self, resource: Resource, *, for_reading: bool = False) -> None:
        """Carry out pending work that reads or writes the resource; for reading, work that writes it."""
        if self.device.pending and self._is_busy(resource, for_reading=for_reading):
            self._synchronize(FlushReason.MEMORY)
        elif self._user_memory or resource.rendered:
            self._show_runs()

    def _finish_part(self, resource: Resource, begin: int, size: int, *, for_reading: bool = False) -> None:
        """The same for `size` bytes of a buffer, from `begin` on."""
        if self.device.uses(resource.address + begin, size, for_reading=for_reading):
            self._synchronize(FlushReason.MEMORY)
        elif self._user_memory:
            self._show_runs()

    def _begin_write(self, resource: Resource) -> None:
        """Carry out pending uses of a resource and read memory of the caller, before a part of the resource is filled."""
        self._finish_uses(resource)
        resource.pull()

    def _show_runs(self) -> None:
        """Bring user memory and textures of bound samples up to date: the device may have drawn on its own, e.g. with a full queue."""
        if self.device.runs != self._shown:
            self._show()

    @property
    def _has_own_samples(self) -> bool:
        """True if a bound surface has samples in place of those of its texture."""
        return any(item is not None and item.own is not None for item in (*self._cbufs, self._zsbuf))

    def _prepare(self) -> None:
        """Prepare a draw or a clear: give bound targets to the device, and read user memory."""
        hindrances = self.state.record.hindrances
        if hindrances & Hindrance.TARGETS:
            self.device.set_framebuffer(self._framebuffer)
            self.state.hinder(Hindrance.TARGETS, False)
        if hindrances & Hindrance.USER_MEMORY:
            self._prepare_user_memory()

    def _prepare_user_memory(self) -> None:
        """Note user memory that the draw may write, which the next flush shows; read user memory unless older work uses it."""
        self._stored_user_memory.update(resource for resource in self._writable(of_draws=True) if resource.user is not None)
        if not self.device.pending:
            self._show_runs()
            for resource in self._user_memory:
                resource.pull()

    def _finish_draw(self) -> None:
        """Complete a draw at once if a PERSISTENT mapping is alive: the caller may look at memory without another call."""
        if self._persistent_maps:
            self._synchronize()

    def _learn_stage(self, given: object, stage: int) -> None:
        """Let native entries recognize the name or the member of a stage that was looked up."""
        if type(given) in (str, ShaderType):
            self.state.known.learn(given, Kind.STAGE, stage + 1)

    def _learn_buffer(self, buffer: Resource) -> None:
        """Let native entries recognize a buffer that is bound for the second time, unless it lies over memory of the caller.

        Entries keep a buffer alive that they know, and programs may make a new one for each draw.
        """
        if not buffer.was_bound:
            buffer.was_bound = True
        elif buffer.user is None:
            slot = VertexBufferSlot(buffer.address, buffer.size)
            self.state.known.learn_memory(buffer, Kind.BUFFER, slot, buffer.storage, buffer.ended)

    # -- resources -------------------------------------------------------------------------------------------------------
    def _check_resource(self, resource: Any, argument: str) -> Resource:
        """Return the resource. TypeError for another kind of object, ValueError for a resource of another screen or a destroyed one."""
        if not isinstance(resource, Resource):
            raise TypeError(f"{argument}: a Resource is wanted, not {type(resource).__name__}")
        if resource.screen is not self.screen:
            raise ValueError(f"{argument}: it belongs to another screen")
        if resource.is_destroyed:
            raise ValueError(f"{argument}: it was destroyed")
        return resource

    def _note_use(self, resource: Resource) -> None:
        """Note that a resource is bound; if it lies over memory of the caller, draws copy its bytes from now on."""
        if resource.user is not None:
            self._user_memory.add(resource)
            self.state.hinder(Hindrance.USER_MEMORY, True)
            self._show_runs()
            if not self._is_busy(resource):
                resource.pull()

    def _mapping_began(self, mapped: TransferMap) -> None:
        """Note the start of a mapping."""
        if mapped.usage.value & _PERSISTENT and mapped.resource.flags & ResourceFlags.MAP_PERSISTENT:
            self._persistent_maps.add(mapped)
            self.state.hinder(Hindrance.PERSISTENT, True)

    def _mapping_ended(self, mapped: TransferMap) -> None:
        """Note the end of a mapping, and show written bytes to the owner of user memory."""
        if mapped in self._persistent_maps:
            self._persistent_maps.remove(mapped)
            self.state.hinder(Hindrance.PERSISTENT, bool(self._persistent_maps))
        if mapped.usage.value & _WRITE and mapped.staging is None:
            if mapped.resource.user is not None:
                mapped.resource.pull()
            if mapped.resource.decoded or mapped.resource.rendered:
                self._finish_uses(mapped.resource)
            mapped.resource.changed(mapped.level, mapped.box)
