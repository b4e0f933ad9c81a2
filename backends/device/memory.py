"""Ranges of memory, and the textures, images and samplers that lie in them, as a context hands them to the device.

A range is named by its address; the object that owns the bytes travels along as `keepalive`. A view, an image and a sampler have
two halves: `key` is the part that changes generated code, `record` is the structure that generated code reads.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.abi.keys import ImageKey, SamplerKey, TextureKey
    from backends.abi.records import SamplerRecord, TextureRecord

Range = tuple[int, int]
"""Address and bytes."""


@record
class Memory:
    """A range of bytes: an index buffer, a constant buffer, or a shader buffer that a grid of threads reads and writes."""

    address: int
    size: int  # bytes
    keepalive: object = field(default=None, compare=False, repr=False)


class Constants(NamedTuple):
    """A constant buffer that is never written again, followed by zeros up to `room` bytes, so that kernels may read it in place.

    `keepalive` is None if the context's `ConstantMemory` owns the bytes.
    """

    address: int
    size: int  # bytes
    room: int
    keepalive: NDArray[np.uint8] | None = None


@record
class BoundVertexBuffer:
    """A bound vertex buffer; `address` and `size` include its buffer_offset, unless that is negative."""

    address: int
    size: int  # bytes readable from address
    stride: int  # bytes
    keepalive: object = field(default=None, compare=False, repr=False)
    lead: int = 0  # bytes by which vertex 0 lies before the address, because buffer_offset is negative


@record
class BoundView:
    """A sampler view (pipe_sampler_view)."""

    key: TextureKey
    record: TextureRecord
    keepalive: object = field(default=None, compare=False, repr=False)


@record
class BoundSampler:
    """A sampler state (pipe_sampler_state)."""

    key: SamplerKey
    record: SamplerRecord


@record
class BoundImage:
    """A shader image (pipe_image_view): a level of a texture, or a buffer of texels."""

    key: ImageKey
    record: TextureRecord
    keepalive: object = field(default=None, compare=False, repr=False)
