"""Records that shaders read. One `ctypes.Structure` each; `structs.Record` gives generated code the same offsets."""

from __future__ import annotations

import ctypes

MAX_LEVELS = 16
MAX_CONSTANT_BUFFERS = 16


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
        ("level_offset", ctypes.c_int64 * MAX_LEVELS),
        ("row_stride", ctypes.c_int32 * MAX_LEVELS),
        ("layer_stride", ctypes.c_int64 * MAX_LEVELS),
        ("sample_stride", ctypes.c_int64),
    ]


class SamplerRecord(ctypes.Structure):
    """The run-time part of a sampler. `border_color` holds float bits or integers, already in the view's kind."""

    _fields_ = [
        ("lod_bias", ctypes.c_float),
        ("min_lod", ctypes.c_float),
        ("max_lod", ctypes.c_float),
        ("max_anisotropy", ctypes.c_int32),
        ("border_color", ctypes.c_uint32 * 4),
    ]


class BufferRecord(ctypes.Structure):
    """One bound BUFFER: `words` 32-bit words at `base`."""

    _fields_ = [("base", ctypes.c_void_p), ("words", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class ShaderEnv(ctypes.Structure):
    """Everything of one draw and stage that a shader may read.

    `constant_words` counts the readable 32-bit words behind each of `constants`. Storage is zero padded up to the range that
    the shader declares, so only indirect reads are checked at run time. `textures` and `samplers` point to arrays of
    TextureRecord and SamplerRecord, one a unit, `buffers` to BufferRecords where a kernel has memory, `images` to TextureRecords of
    one level. `sample_positions`: of the render target's `samples` samples, x and y each; 0 samples: it has one, at the center.
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
    ]
