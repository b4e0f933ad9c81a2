"""Memory that shaders of any stage read and write: shader buffers, images and atomic counters as a context binds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from backends.gallium.context.core import ContextCore
from backends.gallium.context.shader_memory import shader_buffer, shader_image
from backends.gallium.context.shared.order import ALL_STAGES
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import Surface
from backends.pipe.checks import integer, sequence
from backends.pipe.enums import ShaderType, lookup
from backends.pipe.limits import MAX_SHADER_BUFFERS, MAX_SHADER_IMAGES

T = TypeVar("T")


class ShaderResources(ContextCore):
    """Memory for shaders: set_shader_buffers, set_shader_images, set_hw_atomic_buffers."""

    def set_shader_buffers(self, stage: ShaderType | int | str, buffers: Sequence[Any] = (), *, start: int = 0) -> None:
        """Bind buffers that a stage may read and write, BUFFER[start] and the next; None leaves a slot empty. (p_context.h)

        Each is a ShaderBuffer, its fields as a dictionary, or a buffer Resource. Shaders work on the memory in place.

        Raises:
            TypeError, ValueError: an item is not a buffer, its range reaches outside, or a slot does not exist (there are 32).
        """
        name = "set_shader_buffers"
        kind = lookup(ShaderType, stage, f"{name}: stage")
        table = self.state.stage[kind].buffers
        self._bind_all(name, "buffers", kind, buffers, start, MAX_SHADER_BUFFERS, table.put, lambda item, at: shader_buffer(self, item, at))

    def set_shader_images(self, stage: ShaderType | int | str, images: Sequence[Any] = (), *, start: int = 0) -> None:
        """Bind images that a stage may read and write, IMAGE[start] and the next; None leaves a slot empty. (p_context.h)

        Each is an ImageView, its fields as a dictionary, a Surface, or a Resource.

        Raises:
            TypeError, ValueError: an item is not a resource, its format cannot be an image, or a level, layer or slot does not exist.
        """
        name = "set_shader_images"
        kind = lookup(ShaderType, stage, f"{name}: stage")
        put = self.state.stage[kind].put_image
        self._bind_all(name, "images", kind, images, start, MAX_SHADER_IMAGES, put, lambda item, at: shader_image(self, item, at))

    def set_hw_atomic_buffers(self, buffers: Sequence[Any] = (), *, start: int = 0) -> None:
        """Bind buffers of atomic counters, HWATOMIC[start] and the next, for all stages; items as in `set_shader_buffers`. (p_context.h)"""
        name, table = "set_hw_atomic_buffers", self.state.counters
        self._bind_all(
            name, "buffers", ALL_STAGES, buffers, start, MAX_SHADER_BUFFERS, table.put, lambda item, at: shader_buffer(self, item, at)
        )

    def set_compute_resources(self, resources: Sequence[Any] = (), *, start: int = 0) -> None:
        """Bind buffers as BUFFER and textures (or surfaces) as IMAGE of the same number, for compute shaders.

        (context.rst, "Compute kernel execution")
        """
        self._set_resources("set_compute_resources", [ShaderType.COMPUTE], resources, start)

    def set_shader_resources(self, resources: Sequence[Any] = (), *, start: int = 0) -> None:
        """Bind buffers as BUFFER and textures (or surfaces) as IMAGE of the same number, for all stages of draws.

        (context.rst, "Shader Resources")
        """
        stages = [stage for stage in ShaderType if stage is not ShaderType.COMPUTE]
        self._set_resources("set_shader_resources", stages, resources, start)

    def _set_resources(self, name: str, stages: Sequence[ShaderType], resources: Sequence[Any], start: int) -> None:
        """Bind all of the resources to all of the stages, or none if one is wrong."""
        items = sequence(resources, f"{name}: resources")
        first = slots(name, "resources", items, start, MAX_SHADER_BUFFERS)
        buffers: list[Any] = list(items)
        images: list[Any] = [None] * len(items)
        for index, item in enumerate(items):
            argument = f"{name}: resources[{index}]"
            if isinstance(item, Surface) or (isinstance(item, Resource) and not item.is_buffer):
                shader_image(self, item, argument)
                buffers[index], images[index] = None, item
            elif item is not None:
                shader_buffer(self, item, argument)
        for stage in stages:
            self.set_shader_buffers(stage, buffers, start=first)
            self.set_shader_images(stage, images, start=first)

    def _bind_all(
        self,
        name: str,
        argument: str,
        stage: int,
        items: Sequence[Any],
        start: int,
        count: int,
        put: Callable[[int, T | None], None],
        check: Callable[[Any, str], tuple[T, Resource]],
    ) -> None:
        """Bind items to slots: all of them, or none if one is wrong."""
        listed = sequence(items, f"{name}: {argument}")
        first = slots(name, argument, listed, start, count)
        checked = [None if item is None else check(item, f"{name}: {argument}[{index}]") for index, item in enumerate(listed)]
        for slot, binding in enumerate(checked, first):
            put(slot, None if binding is None else binding[0])
            self.order.note_slot((name, stage, slot), None if binding is None else binding[1])


def slots(name: str, argument: str, items: Sequence[Any], start: int, count: int, of_start: str = "start") -> int:
    """Return the first slot. ValueError, naming the argument, if not all items have a slot."""
    first = integer(start, f"{name}: {of_start}", 0, count)
    if first + len(items) > count:
        raise ValueError(f"{name}: {argument}: slot {first + len(items) - 1} does not exist; there are {count}")
    return first
