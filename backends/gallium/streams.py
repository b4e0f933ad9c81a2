"""Stream output as shaders declare it. It is not supported yet; the declarations exist so that a refusal can be precise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StreamOutput:
    """Components of an output register that go to a buffer; offsets in 32-bit words."""

    register_index: int
    start_component: int = 0
    num_components: int = 4
    output_buffer: int = 0
    dst_offset: int = 0
    stream: int = 0


@dataclass(frozen=True, slots=True)
class StreamOutputInfo:
    """What a vertex or geometry shader streams out; `stride` of each buffer in 32-bit words."""

    stride: tuple[int, ...] = ()
    output: tuple[StreamOutput, ...] = ()
