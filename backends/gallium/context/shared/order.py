"""The order of work: flushes, fences, and uses of memory that pending work, shaders, mappings or callers have."""

from __future__ import annotations

import weakref

from backends.device.bound import DrawState
from backends.device.commands.bound_record import Hindrance
from backends.device.counters import FlushReason
from backends.device.interface import Device
from backends.gallium.context.shared.targets import Targets
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.transfer import TransferMap
from backends.pipe.enums import ResourceFlags, ShaderType, Transfer

Slot = tuple[str, int, int]
"""Kind of binding, stage (-1: all), number."""
ALL_STAGES = -1
_PERSISTENT, _WRITE = Transfer.PERSISTENT.value, Transfer.WRITE.value


class Order:
    """The order of one context's work.

    completed: number of the latest fence before which everything is in memory. persistent_maps: living PERSISTENT mappings.
    user_memory: bound resources over memory of the caller.
    """

    def __init__(self, state: DrawState, device: Device, targets: Targets) -> None:
        self._state, self._device, self._targets = state, device, targets
        self.completed = self._issued = 0
        self._shown = 0  # number of device runs whose results were copied to user memory
        self.persistent_maps: set[TransferMap] = set()
        self.user_memory: weakref.WeakSet[Resource] = weakref.WeakSet()
        self._stored_user_memory: set[Resource] = set()  # of which waiting draws may write these through their shaders
        self._memory_slots: dict[Slot, Resource] = {}  # resources that shaders may write

    # -- flushes and fences ----------------------------------------------------------------------------------------------
    def synchronize(self, reason: FlushReason = FlushReason.ASKED) -> None:
        """Carry out everything so far; afterwards all bytes are in memory."""
        self._device.flush(reason)
        self._show()
        self.completed = self._issued
        self._state.hinder(Hindrance.FENCE, False)

    def use_pause(self) -> None:
        """Carry out pending work while the caller waits for something else, if no byte depends on when that happens."""
        self._device.use_pause()
        self.show_runs()

    def next_fence(self) -> int:
        """The number of a fence after everything so far."""
        self._issued += 1
        self._state.hinder(Hindrance.FENCE, True)
        return self._issued

    def show_runs(self) -> None:
        """Bring user memory and textures of bound samples up to date: the device may have drawn on its own, e.g. with a full queue."""
        if self._device.runs != self._shown:
            self._show()

    def _show(self) -> None:
        """Resolve samples of bound surfaces; copy targets, and shader memory that draws may have written, to memory of the caller."""
        is_new, self._shown = self._shown != self._device.runs, self._device.runs
        for target in self._targets.surfaces:
            if target is not None:
                if target.own is not None and is_new:
                    target.own.store(self._device)
                if (texture := target.living_texture) is not None:
                    texture.push()
        while self._stored_user_memory:
            self._stored_user_memory.pop().push()

    # -- uses of memory --------------------------------------------------------------------------------------------------
    def is_busy(self, resource: Resource, *, for_reading: bool = False) -> bool:
        """Return True if pending work reads or writes the resource; for reading, if it writes it."""
        uses = self._device.uses
        if uses(resource.address, resource.size, for_reading=for_reading):
            return True
        if not resource.decoded and not resource.rendered:
            return False
        shadows = [*(shadow for _, shadow in resource.decoded.values()), *(samples.target for samples in resource.rendered)]
        return any(uses(shadow.address, shadow.size, for_reading=for_reading) for shadow in shadows)

    def finish_uses(self, resource: Resource, *, for_reading: bool = False) -> None:
        """Carry out pending work that reads or writes the resource; for reading, work that writes it."""
        if self._device.pending and self.is_busy(resource, for_reading=for_reading):
            self.synchronize(FlushReason.MEMORY)
        elif self.user_memory or resource.rendered:
            self.show_runs()

    def finish_part(self, resource: Resource, begin: int, size: int, *, for_reading: bool = False) -> None:
        """The same for `size` bytes of a buffer, from `begin` on."""
        if self._device.uses(resource.address + begin, size, for_reading=for_reading):
            self.synchronize(FlushReason.MEMORY)
        elif self.user_memory:
            self.show_runs()

    def begin_write(self, resource: Resource) -> None:
        """Carry out pending uses of a resource and read memory of the caller, before a part of the resource is filled."""
        self.finish_uses(resource)
        resource.pull()

    def note_use(self, resource: Resource) -> None:
        """Note that a resource is bound; if it lies over memory of the caller, draws copy its bytes from now on."""
        if resource.user is not None:
            self.user_memory.add(resource)
            self._state.hinder(Hindrance.USER_MEMORY, True)
            self.show_runs()
            if not self.is_busy(resource):
                resource.pull()

    def note_slot(self, slot: Slot, resource: Resource | None) -> None:
        """Note the resource that a slot of writable memory holds from now on; None empties it."""
        if resource is None:
            if self._memory_slots.pop(slot, None) is None:
                return  # clients also empty slots that hold nothing, which must not make draws collect writable memory again
        else:
            self._memory_slots[slot] = resource
            self.note_use(resource)
        if slot[1] != ShaderType.COMPUTE:
            self._state.memory = object()

    def writable(self, *, of_draws: bool, but: str = "") -> list[Resource]:
        """Resources bound as memory that draws (or grids, unless `of_draws`) may write; bindings of the kind `but` do not count."""
        slots = ((kind, stage, resource) for (kind, stage, _), resource in self._memory_slots.items())
        return [r for kind, stage, r in slots if kind != but and (stage == ALL_STAGES or (stage != ShaderType.COMPUTE) is of_draws)]

    # -- draws -----------------------------------------------------------------------------------------------------------
    def prepare(self) -> None:
        """Prepare a draw or a clear: give bound targets to the device, and read user memory."""
        hindrances = self._state.record.hindrances
        if hindrances & Hindrance.TARGETS:
            self._device.set_framebuffer(self._targets.framebuffer)
            self._state.hinder(Hindrance.TARGETS, False)
        if hindrances & Hindrance.USER_MEMORY:
            self._prepare_user_memory()

    def _prepare_user_memory(self) -> None:
        """Note user memory that the draw may write, which the next flush shows; read user memory unless older work uses it."""
        self._stored_user_memory.update(resource for resource in self.writable(of_draws=True) if resource.user is not None)
        if not self._device.pending:
            self.show_runs()
            for resource in self.user_memory:
                resource.pull()

    def finish_draw(self) -> None:
        """Complete a draw at once if a PERSISTENT mapping is alive: the caller may read memory without another call."""
        if self.persistent_maps:
            self.synchronize()

    # -- mappings --------------------------------------------------------------------------------------------------------
    def mapping_began(self, mapped: TransferMap) -> None:
        """Note the start of a mapping."""
        if mapped.bits & _PERSISTENT and mapped.resource.flags & ResourceFlags.MAP_PERSISTENT:
            self.persistent_maps.add(mapped)
            self._state.hinder(Hindrance.PERSISTENT, True)

    def mapping_ended(self, mapped: TransferMap) -> None:
        """Note the end of a mapping, and show written bytes to the owner of user memory."""
        if mapped in self.persistent_maps:
            self.persistent_maps.remove(mapped)
            self._state.hinder(Hindrance.PERSISTENT, bool(self.persistent_maps))
        if mapped.bits & _WRITE and mapped.staging is None:
            resource = mapped.resource
            if resource.user is not None:
                resource.pull()
            if resource.decoded or resource.rendered:
                self.finish_uses(resource)
            resource.changed(mapped.level, mapped.box)

    def forget(self) -> None:
        """Forget mappings and memory."""
        self.persistent_maps.clear()
        self._stored_user_memory.clear()
        self._memory_slots.clear()
