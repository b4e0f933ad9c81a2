"""Records that shaders read. One `ctypes.Structure` each; `backends.llvm.builder.record.Record` gives generated code the same offsets."""

from __future__ import annotations

import ctypes
import hashlib
from ctypes import c_int32, c_int64, c_void_p

from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_TEXTURE_LEVELS
from backends.pipe.state import SamplerState

ALIVE, EXHAUSTED = 1, 2
"""Bits of a lane's word behind a run: it was not killed; a loop ended because its fuel had run out."""


class TextureRecord(ctypes.Structure):
    """One bound sampler view.

    `base` and `size` bound every read. Levels are the view's own: index 0 is its first level, `last_level` is relative to it.
    width, height, depth: of that first level, in texels; for arrays `depth` counts layers. Offsets and strides are bytes. The samples
    of a multisampled texture are planes `sample_stride` apart.
    """

    _fields_ = [
        ("base", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("width", ctypes.c_int32),
        ("height", ctypes.c_int32),
        ("depth", ctypes.c_int32),
        ("first_level", ctypes.c_int32),
        ("last_level", ctypes.c_int32),
        ("samples", ctypes.c_int32),
        ("level_offset", ctypes.c_int64 * MAX_TEXTURE_LEVELS),
        ("row_stride", ctypes.c_int32 * MAX_TEXTURE_LEVELS),
        ("layer_stride", ctypes.c_int64 * MAX_TEXTURE_LEVELS),
        ("sample_stride", ctypes.c_int64),
    ]


class SamplerRecord(ctypes.Structure):
    """The run-time part of a sampler. The border color as float bits, and as the integers that views of integer formats read."""

    _fields_ = [
        ("lod_bias", ctypes.c_float),
        ("min_lod", ctypes.c_float),
        ("max_lod", ctypes.c_float),
        ("max_anisotropy", ctypes.c_int32),
        ("border_color", ctypes.c_uint32 * 4),
        ("border_integers", ctypes.c_uint32 * 4),
    ]

    @classmethod
    def of(cls, state: SamplerState) -> SamplerRecord:
        """A sampler state's run-time part. Border colors that no 32-bit float holds become infinite, or 0 as integers."""
        record = cls(state.lod_bias, state.min_lod, state.max_lod, state.max_anisotropy)
        for k, value in enumerate(state.border_color):
            record.border_color[k] = ctypes.c_uint32.from_buffer(ctypes.c_float(value)).value
            record.border_integers[k] = int(value) & 0xFFFFFFFF if abs(value) < float("inf") else 0
        return record


class BufferRecord(ctypes.Structure):
    """One bound BUFFER: `words` 32-bit words at `base`."""

    _fields_ = [("base", ctypes.c_void_p), ("words", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class ShaderEnv(ctypes.Structure):
    """Everything of one draw and stage that a shader may read.

    `constant_words` counts the readable 32-bit words behind each of `constants`. Storage is zero padded up to the range that
    the shader declares, so only indirect reads are checked at run time. `textures` and `samplers` point to arrays of
    TextureRecord and SamplerRecord, one a unit, `buffers` to BufferRecords where a kernel has memory, `images` to TextureRecords of
    one level; `counters`, in draws, to those of HWATOMIC. `sample_positions`: of the render target's `samples` samples, x and y each; 0
    samples: it has one, at the center. For programs that use handles, `texture_kinds` and `image_kinds` say of which kind handles 1, 2,
    ... are (i32, -1: nothing), and there are `num_textures`, `num_images`.
    """

    _fields_ = [
        ("constants", ctypes.c_void_p * MAX_CONSTANT_BUFFERS),
        ("constant_words", ctypes.c_int32 * MAX_CONSTANT_BUFFERS),
        ("textures", ctypes.c_void_p),
        ("samplers", ctypes.c_void_p),
        ("buffers", ctypes.c_void_p),
        ("images", ctypes.c_void_p),
        ("sample_positions", ctypes.c_void_p),
        ("samples", ctypes.c_int32),
        ("counters", ctypes.c_void_p),
        ("texture_kinds", ctypes.c_void_p),
        ("image_kinds", ctypes.c_void_p),
        ("num_textures", ctypes.c_int32),
        ("num_images", ctypes.c_int32),
    ]


class RunRecord(ctypes.Structure):
    """What a run kernel works on: `units` times `vectors` vectors of lanes, one after the other.

    A unit is a group whose vectors wait for each other at barriers, or one vector. Staged arrays hold 32-bit words as
    [vector][register * 4 + channel][lane]: `inputs`, `outputs`, `system`; or as [vector][lane]: `alive` (not 0 where the lane is an
    invocation; becomes ALIVE, EXHAUSTED, both or none), `primitives` and `members` (numbers of the lane's primitive, of the lane in it),
    `groups` (number of the lane's group in this call), `counts`.

    vertices: [primitive][vertex_rows][IN register][channel]; patches: [primitive][patch_rows][OUT register][channel] of all primitives.
    emitted: [vector][lane][vertex][OUT register][channel], marks: [vector][lane][vertex]; `counts` receives how many.
    counters: BufferRecords of HWATOMIC; grid_memory: of GLOBAL and INPUT; shared, private: `shared_words` words a group, and a lane.
    state: `state_bytes` a vector of a unit, kept while it waits at a barrier; where it is null, a kernel with barriers only says how
    many that are. stops: [vector], 0 at the start: where the vector waits, -1 where it has ended.
    fragments: see `fragments`.
    """

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("env", "inputs", "outputs", "system", "alive", "primitives", "members", "groups")),
        *((name, ctypes.c_void_p) for name in ("vertices", "patches", "emitted", "marks", "counts")),
        *((name, ctypes.c_void_p) for name in ("counters", "grid_memory", "shared", "private", "state", "stops", "fragments")),
        ("state_bytes", ctypes.c_int64),
        *((name, ctypes.c_int32) for name in ("units", "vectors", "vertex_rows", "patch_rows", "shared_words", "reserved")),
    ]


class ResolveRecord(ctypes.Structure):
    """Pixels whose samples are averaged. `source`, `target`: where pixel (0, 0) lies; box: x0, y0, x1, y1, the ends outside."""

    _fields_ = [
        ("kernel", c_void_p),
        ("source", c_void_p),
        ("source_stride", c_int64),
        ("sample_stride", c_int64),
        ("target", c_void_p),
        ("target_stride", c_int64),
        ("box", c_int32 * 4),
    ]


def layout_of(layout: type[ctypes.Structure], prefix: str = "", base: int = 0) -> list[tuple[str, int, str]]:
    """Dotted name, byte offset and type of every field, those of nested structures included: for keys of compiled code."""
    found: list[tuple[str, int, str]] = []
    for name, t, *_ in layout._fields_:
        at = base + int(getattr(layout, name).offset)
        if issubclass(t, ctypes.Structure):
            found += layout_of(t, f"{prefix}{name}.", at)
        else:
            found.append((f"{prefix}{name}", at, f"{getattr(t, '_type_', t)} {ctypes.sizeof(t)}"))
    return found


def layout_digest(*records: type[ctypes.Structure]) -> str:
    """A digest of the layouts of records: the memory that a kernel assumes, as part of its key in the cache on disk."""
    return hashlib.sha256(repr([layout_of(record) for record in records]).encode()).hexdigest()
