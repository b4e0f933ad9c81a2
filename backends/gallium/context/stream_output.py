"""Stream output: declarations of shaders, targets, and the binding of targets."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from backends.device.commands.bound_record import Hindrance
from backends.device.commands.known_objects import Kind
from backends.device.stream_target import StreamTarget
from backends.gallium.context.core import ContextCore
from backends.gallium.resource.reference import Reference
from backends.pipe.checks import integer, make, sequence
from backends.pipe.limits import MAX_STREAM_OUTPUT_TARGETS, MAX_STREAM_OUTPUTS, MAX_STREAM_STRIDE
from backends.pipe.state import StreamOutputInfo
from tgsi.language.facts.enums import File
from tgsi.language.program import Program

if TYPE_CHECKING:
    from backends.gallium.resource.resource import Resource

APPEND = -1
_U32 = (1 << 32) - 1


class StreamOutputTarget(StreamTarget):
    """A target of stream output: a range of a buffer. `offset` is the number of bytes written so far.

    owner: represents the context that made it.
    """

    def __init__(self, owner: object, resource: Resource, buffer_offset: int, buffer_size: int) -> None:
        super().__init__(resource.address + buffer_offset, buffer_size, resource.storage)
        self.buffer_offset, self.buffer_size = buffer_offset, buffer_size
        self.owner = owner
        self._reference = Reference(resource)

    @property
    def resource(self) -> Resource:
        """The buffer. Once the target was destroyed and is not bound, this is an empty resource, unless it has other references."""
        return self._reference.last

    @property
    def is_destroyed(self) -> bool:
        """True after `stream_output_target_destroy`."""
        return bool(self.record.ended)

    def end(self) -> None:
        """Refuse later bindings."""
        self.record.ended = 1

    def release(self) -> None:
        """Release the buffer, after the end of the last binding."""
        self.keepalive = None
        self._reference.release()

    def __repr__(self) -> str:
        return f"<StreamOutputTarget of {self.buffer_size} bytes, {self.offset} written>"


def checked_info(info: Any, program: Program, name: str) -> StreamOutputInfo | None:
    """The checked stream output of a program; None if nothing is streamed out. TypeError and ValueError name the field."""
    if info is None:
        return None
    checked = make(StreamOutputInfo, info, {}, f"{name}: stream_output")
    if len(checked.output) > MAX_STREAM_OUTPUTS or len(checked.stride) > MAX_STREAM_OUTPUT_TARGETS:
        raise ValueError(f"{name}: stream_output: at most {MAX_STREAM_OUTPUTS} outputs to {MAX_STREAM_OUTPUT_TARGETS} buffers are possible")
    registers = program.file_size(File.OUT)
    limits = {"register_index": registers - 1, "start_component": 3, "num_components": 4, "output_buffer": MAX_STREAM_OUTPUT_TARGETS - 1}
    limits |= {"dst_offset": MAX_STREAM_STRIDE, "stream": 3}
    for number, stride in enumerate(checked.stride):
        integer(stride, f"{name}: stream_output: stride[{number}]", 0, MAX_STREAM_STRIDE)
    for number, output in enumerate(checked.output):
        where = f"{name}: stream_output: output[{number}]"
        for item in fields(output):
            integer(getattr(output, item.name), f"{where}: {item.name}", 0, limits[item.name])
        if output.start_component + output.num_components > 4:
            raise ValueError(f"{where}: components {output.start_component} to {output.start_component + output.num_components - 1}")
    return checked if any(output.num_components for output in checked.output) else None


def _offset(offset: Any, argument: str) -> int:
    """The checked byte at which a target is written from now on; APPEND: after the data written so far."""
    wanted = integer(offset, argument, APPEND, _U32)
    if wanted in (APPEND, _U32):
        return APPEND
    if wanted % 4:
        raise ValueError(f"{argument}: {wanted} is not a multiple of 4")
    return wanted


class StreamOutputs(ContextCore):
    """Stream output targets: create_stream_output_target, set_stream_output_targets."""

    def create_stream_output_target(
        self, buffer: Resource, *, buffer_offset: int = 0, buffer_size: int | None = None
    ) -> StreamOutputTarget:
        """Create a target of stream output: a range of a buffer (its rest without `buffer_size`), with nothing written yet.

        Raises:
            TypeError, ValueError: `buffer` is not a buffer, the range reaches outside it, or `buffer_offset` is not a multiple of 4.

        (context.rst, "Stream output targets")
        """
        name = "create_stream_output_target"
        self.checks.resource(buffer, f"{name}: buffer")
        if not buffer.is_buffer:
            raise ValueError(f"{name}: buffer: a texture cannot be a stream output target")
        start = integer(buffer_offset, f"{name}: buffer_offset", 0, buffer.size)
        if start % 4:
            raise ValueError(f"{name}: buffer_offset: {start} is not a multiple of 4")
        size = buffer.size - start if buffer_size is None else integer(buffer_size, f"{name}: buffer_size", 0, buffer.size - start)
        return StreamOutputTarget(self._owner, buffer, start, size)

    def stream_output_target_destroy(self, target: StreamOutputTarget) -> None:
        """Destroy a target, which releases its buffer, at once or when it is no longer bound. (context.rst, "Stream output targets")"""
        stream = self._check_target(target, "stream_output_target_destroy: target")
        stream.end()
        self.state.known.forget(stream)
        if stream not in self.state.stream_targets:
            self._let_go_of_target(stream)

    def _let_go_of_target(self, target: StreamOutputTarget) -> None:
        self.state.forget_target(target)
        target.release()

    def set_stream_output_targets(self, targets: Sequence[StreamOutputTarget | None] = (), *, offsets: Sequence[int] = ()) -> None:
        """Bind targets to the buffers 0, 1, ... of stream output; None leaves a buffer without a target, no argument unbinds all.

        offsets: byte of its range at which each target is written from now on, which is also the amount of data that draws with
        `count_from_stream_output` find in it. -1, or no offset, appends to the written bytes.

        (context.rst, "Stream output targets")
        """
        name = "set_stream_output_targets"
        sequence(targets, f"{name}: targets")
        sequence(offsets, f"{name}: offsets")
        if len(targets) > MAX_STREAM_OUTPUT_TARGETS:
            raise ValueError(f"{name}: targets: {len(targets)} are too many; {MAX_STREAM_OUTPUT_TARGETS} are possible")
        bound = tuple(None if t is None else self._check_target(t, f"{name}: targets[{k}]") for k, t in enumerate(targets))
        places = [_offset(offset, f"{name}: offsets[{k}]") for k, offset in enumerate(offsets)] + [APPEND] * len(bound)
        for target, place in zip(bound, places):
            if target is None:
                continue
            self.order.note_use(target.resource)
            if place != APPEND:
                target.offset = place
            if target.resource.user is None:
                self.state.known.learn(target, Kind.OUTPUT_TARGET, ctypes.addressof(target.record), end=target.resource.ended)
        before, self.state.stream_targets = self.state.stream_targets, bound
        for old in before:
            if isinstance(old, StreamOutputTarget) and old.is_destroyed and old not in bound:
                self._let_go_of_target(old)
        self._choose_stages()

    def _choose_stages(self) -> None:
        """Decide, after a shader or a target was bound, if a draw goes through more than a vertex and a fragment shader."""
        state = self.state
        last = state.last_shader()
        streams = last is not None and last.stream_output is not None and any(target is not None for target in state.stream_targets)
        state.hinder(Hindrance.STREAMS, streams)
        state.has_stages = streams or last is not state.vertex.shader

    def _show_streams(self) -> None:
        """Copy data that a draw may have streamed out to memory of the caller."""
        for target in self.state.stream_targets:
            if isinstance(target, StreamOutputTarget):
                target.resource.push()

    def _streamed_count(self, target: Any) -> int:
        """Number of vertices that a draw finds in a target: its bytes by the stride of vertex buffer 0, otherwise by the stride of its
        writer.
        """
        name = "draw_vbo: count_from_stream_output"
        stream = self._check_target(target, name)
        self.state.known.learn(stream, Kind.STREAM_TARGET, ctypes.addressof(stream.record), end=stream.resource.ended)
        buffers = self.state.vertex_buffers
        stride = buffers[0].stride if buffers and buffers[0] is not None else stream.stride
        return stream.offset // stride if stride else 0

    def _check_target(self, target: Any, argument: str) -> StreamOutputTarget:
        if not isinstance(target, StreamOutputTarget):
            raise TypeError(f"{argument}: expected an object from create_stream_output_target, not {type(target).__name__}")
        if target.is_destroyed:
            raise ValueError(f"{argument}: it was destroyed")
        if target.resource.screen is not self.screen:
            raise ValueError(f"{argument}: it belongs to another screen")
        if target.owner is not self._owner:
            raise ValueError(f"{argument}: it belongs to another context")
        self.checks.resource(target.resource, argument)
        return target
