"""Bindless textures and images: handles are numbers that shaders may read from memory, valid while they are resident."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backends.device.interface import Device
from backends.device.memory import BoundImage
from backends.device.residents import Residents, ResidentTexture
from backends.gallium.context.core import ContextCore
from backends.gallium.context.handles import StateObject, check_object
from backends.gallium.context.sampler_states import bound_sampler
from backends.gallium.context.shader_memory import shader_image
from backends.gallium.context.shared.order import ALL_STAGES
from backends.gallium.resource.reference import Reference
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.screen_core import ScreenCore
from backends.gallium.resource.view import SamplerView
from backends.pipe.checks import flags, integer, make
from backends.pipe.enums import ImageAccess
from backends.pipe.limits import MAX_SAMPLER_VIEWS, MAX_SHADER_IMAGES
from backends.pipe.state import SamplerState
from tgsi.language.record import record

MAX_HANDLES = 1 << 16
"""Textures, and images, that may have a handle at once."""
_RESIDENT = "make_image_handle_resident"


@record
class _Made:
    """The texture or image of a handle, and its memory."""

    item: ResidentTexture | BoundImage
    resource: Resource
    reference: Reference


class Bindless(ContextCore):
    """Handles of textures and images, and which of them are resident."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._residents = Residents()
        self._handles: dict[str, dict[int, _Made]] = {"texture": {}, "image": {}}
        self._holdings += [handles.clear for handles in self._handles.values()]
        self._free: dict[str, list[int]] = {"texture": [], "image": []}  # slots of deleted handles, for reuse
        for stage in self.state.stage:
            stage.residents = self._residents

    def create_texture_handle(self, view: SamplerView, sampler: Any = None) -> int:
        """Create a handle of a view with a sampler, for shaders that take a sampler from a register (bindless textures). (p_context.h)

        The handle can be sampled while it is resident; texels read 0 otherwise.

        Args:
            view: a sampler view; it may be destroyed afterwards, the handle keeps its memory.
            sampler: a sampler object, a SamplerState or its fields; None for texels that are fetched only.
        """
        name = "create_texture_handle"
        if not isinstance(view, SamplerView):
            raise TypeError(f"{name}: view: expected a SamplerView, not {type(view).__name__}")
        if view.context is not self:
            raise ValueError(f"{name}: view: it belongs to another context")
        if view.is_destroyed:
            raise ValueError(f"{name}: view: it was destroyed")
        state = None
        if isinstance(sampler, StateObject):
            check_object(sampler, "sampler", self._owner, f"{name}: sampler")
            state = sampler.state
        elif sampler is not None:
            if not isinstance(sampler, (SamplerState, Mapping)):
                raise TypeError(f"{name}: sampler: expected a sampler object or its state, not {type(sampler).__name__}")
            state = make(SamplerState, sampler, {}, name)
        item = ResidentTexture(view.bound, None if state is None else bound_sampler(state))
        return self._make("texture", MAX_SAMPLER_VIEWS, _Made(item, view.texture, Reference(view.texture)))

    def delete_texture_handle(self, handle: int) -> None:
        """Delete a texture handle, resident or not. (p_context.h)"""
        slot = self._slot("texture", handle, "delete_texture_handle")
        self._residents.textures.pop(slot, None)
        self._handles["texture"].pop(slot).reference.release()
        self._free["texture"].append(slot)

    def make_texture_handle_resident(self, handle: int, *, resident: bool = True) -> None:
        """Let shaders use a texture by its handle, or stop that.

        Pending draws keep the residents that they were made with. (p_context.h)
        """
        name = "make_texture_handle_resident"
        slot = self._slot("texture", handle, name)
        entry = self._handles["texture"][slot]
        if not resident:
            self._residents.textures.pop(slot, None)
            return
        self.order.note_use(self.checks.resource(entry.resource, f"{name}: handle"))
        assert isinstance(entry.item, ResidentTexture)
        self._residents.textures[slot] = entry.item
        self.state.memory = object()

    def create_image_handle(self, image: Any) -> int:
        """Create a handle of an image (an ImageView, its fields, a Surface or a Resource), as `create_texture_handle`. (p_context.h)"""
        bound, resource = shader_image(self, image, "create_image_handle: image")
        return self._make("image", MAX_SHADER_IMAGES, _Made(bound, resource, Reference(resource)))

    def delete_image_handle(self, handle: int) -> None:
        """Delete an image handle, resident or not. (p_context.h)"""
        slot = self._slot("image", handle, "delete_image_handle")
        self._leave_image(slot)
        self._handles["image"].pop(slot).reference.release()
        self._free["image"].append(slot)

    def make_image_handle_resident(
        self, handle: int, *, access: ImageAccess | int | str = ImageAccess.READ_WRITE, resident: bool = True
    ) -> None:
        """Let shaders read and write an image by its handle, or stop that; `access` is a hint. (p_context.h)"""
        slot = self._slot("image", handle, _RESIDENT)
        flags(ImageAccess, access, f"{_RESIDENT}: access")
        entry = self._handles["image"][slot]
        if not resident:
            self._leave_image(slot)
            return
        assert isinstance(entry.item, BoundImage)
        self._residents.images[slot] = entry.item
        self.order.note_slot((_RESIDENT, ALL_STAGES, slot), self.checks.resource(entry.resource, f"{_RESIDENT}: handle"))

    def _leave_image(self, slot: int) -> None:
        self._residents.images.pop(slot, None)
        self.order.note_slot((_RESIDENT, ALL_STAGES, slot), None)

    def _make(self, kind: str, first: int, entry: _Made) -> int:
        """Assign a free handle. 0 is not a handle, and the next numbers name the units of the stage."""
        taken = self._handles[kind]
        if len(taken) >= MAX_HANDLES:
            raise ValueError(f"create_{kind}_handle: there are {MAX_HANDLES} handles already")
        free = self._free[kind]
        slot = free.pop() if free else len(taken)
        taken[slot] = entry
        return first + slot + 1

    def _slot(self, kind: str, handle: int, name: str) -> int:
        slot = integer(handle, f"{name}: handle") - 1 - (MAX_SAMPLER_VIEWS if kind == "texture" else MAX_SHADER_IMAGES)
        if slot not in self._handles[kind]:
            raise ValueError(f"{name}: handle: {handle} is not a handle of {'an image' if kind == 'image' else 'a texture'}")
        return slot
