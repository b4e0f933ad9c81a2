"""A shader stage of a context: its shader and its bindings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from backends.device.commands.bound_record import IMAGE_WORDS, sampler_word, shader_word, view_word
from backends.device.commands.values import describe_sampler, describe_view
from backends.device.commands.words import HasWords, Units, same_value, tick
from backends.device.memory import Constants, Memory
from backends.device.residents import Residents
from backends.device.shader import Shader
from backends.device.tables import BufferTable, ImageTable
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_SAMPLER_VIEWS, MAX_SAMPLERS, MAX_SHADER_IMAGES

if TYPE_CHECKING:
    from backends.device.memory import BoundImage, BoundSampler, BoundView


class StageState:
    """A shader stage of a context: its shader and its bound resources by slot; a `None` entry is an empty slot.

    `DrawState.bind` binds a shader, `put_constants`, `views.put` and `samplers.put` bind everything else. buffers, images and residents
    are tables that are changed in place; residents are shared by all stages of the context.
    """

    def __init__(self, state: HasWords, processor: int, residents: Residents) -> None:
        self.record, self.numbers, self.processor = state.record, state.numbers, processor
        self.buffers, self.images, self.residents = BufferTable(), ImageTable(), residents
        self._views: Units[BoundView] = Units(self, view_word(processor), MAX_SAMPLER_VIEWS, describe_view)
        self._samplers: Units[BoundSampler] = Units(self, sampler_word(processor), MAX_SAMPLERS, describe_sampler)
        self._constants: list[Memory | Constants | None] = [None] * MAX_CONSTANT_BUFFERS
        self._first_constant = processor * MAX_CONSTANT_BUFFERS

    @property
    def shader(self) -> Shader | None:
        """The bound shader."""
        number = self.record.words[shader_word(self.processor)]
        return self.numbers[number] if number else None

    @property
    def views(self) -> list[BoundView | None]:
        """The sampler views by unit, up to the last bound one."""
        return self._views.bound()

    @property
    def samplers(self) -> list[BoundSampler | None]:
        """The samplers by unit, up to the last bound one."""
        return self._samplers.bound()

    def units(self, count: int) -> tuple[list[BoundView | None], list[BoundSampler | None]]:
        """The views and the samplers of the first `count` units, each up to the last bound one."""
        return self._views.first(count), self._samplers.first(count)

    def constant(self, index: int) -> Memory | Constants | None:
        """The constant buffer of a slot."""
        if index >= len(self._constants):
            return None
        slot = self.record.constants[self._first_constant + index]
        if slot.is_native:
            return Constants(slot.address, slot.size, slot.room) if slot.address else None
        return self._constants[index] if slot.address else None

    @property
    def constants(self) -> list[Memory | Constants | None]:
        """The constant buffers by slot, up to the last bound one."""
        slots = self.record.constants
        buffers: list[Memory | Constants | None] = []
        for index, buffer in enumerate(self._constants, self._first_constant):
            slot = slots[index]
            if slot.is_native:
                buffer = Constants(slot.address, slot.size, slot.room)
            buffers.append(buffer if slot.address else None)
        while buffers and buffers[-1] is None:
            buffers.pop()
        return buffers

    def put_views(self, first: int, views: Iterable[BoundView | None]) -> None:
        """Bind sampler views to units from `first` on."""
        self._views.put(first, views)

    def put_samplers(self, first: int, samplers: Iterable[BoundSampler | None]) -> None:
        """Bind samplers to units from `first` on."""
        self._samplers.put(first, samplers)

    def put_image(self, number: int, image: BoundImage | None) -> None:
        """Bind an image to a unit. The keys of a stage's images affect generated code, so a word has them."""
        self.images.put(number, image)
        word = IMAGE_WORDS.get(self.processor)
        if word is not None:
            keys = self.images.keys(MAX_SHADER_IMAGES)
            self.record.words[word] = self.numbers.of(keys, same_value) if keys else 0

    def let_go(self) -> None:
        """Release constant buffers that generated code has replaced."""
        for index, buffer in enumerate(self._constants):
            if buffer is not None and self.record.constants[self._first_constant + index].is_native:
                self._constants[index] = None

    def end(self) -> None:
        """Release every resource. Views, samplers and the shader stay, because they are numbers without memory."""
        self._constants[:] = [None] * len(self._constants)
        self.buffers.clear()
        self.images.clear()
        self.residents.textures.clear()
        self.residents.images.clear()

    def put_constants(self, index: int, memory: Memory | Constants | None) -> None:
        """Bind a constant buffer to a slot."""
        slot = self.record.constants[self._first_constant + index]
        self._constants[index] = memory
        if memory is None:
            slot.address = slot.size = slot.room = slot.is_native = 0
        else:
            slot.address, slot.size, slot.is_native = memory.address, memory.size, 0
            slot.room = memory.room if isinstance(memory, Constants) else 0
        self.record.constant_revision[self.processor] = tick()
