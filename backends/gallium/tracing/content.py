"""Contents of resources as bytes, and their digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.gallium.resource.multisampled import part
from backends.gallium.resource.resource import Box, Resource


def digest_of(data: Any) -> bytes:
    """SHA-256 of a buffer or an array."""
    return hashlib.sha256(np.ascontiguousarray(data).data if isinstance(data, np.ndarray) else data).digest()


def planes(resource: Resource) -> Iterator[tuple[int, int, NDArray[np.uint8]]]:
    """Level, sample and bytes of each plane of a resource, without padding."""
    for level in range(len(resource.levels)):
        for sample in range(resource.samples):
            yield level, sample, resource.blocks(level, sample)


def content_digest(resource: Resource) -> bytes:
    """SHA-256 of all planes, one after the other."""
    digest = hashlib.sha256()
    for _, _, plane in planes(resource):
        digest.update(np.ascontiguousarray(plane).data)
    return digest.digest()


def box_bytes(resource: Resource, level: int, box: Box) -> bytes:
    """The bytes of a box of a level; of a multisampled resource those of the first sample."""
    return part(resource.blocks(level), resource.in_blocks(box)).tobytes()
