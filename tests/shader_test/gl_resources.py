"""Textures, images, buffers and counters of shader_runner's commands through `tgsi.opengl`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.shader_test.probes import DTYPES, LacksError, probe_word
from tests.shader_test.textures import FORMATS, make
from tests.shader_test.values import number
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

TARGETS = {
    "TEXTURE_1D": GL.TEXTURE_1D, "TEXTURE_2D": GL.TEXTURE_2D, "TEXTURE_3D": GL.TEXTURE_3D, "TEXTURE_RECT": GL.TEXTURE_RECTANGLE,
    "TEXTURE_1D_ARRAY": GL.TEXTURE_1D_ARRAY, "TEXTURE_2D_ARRAY": GL.TEXTURE_2D_ARRAY, "TEXTURE_CUBE": GL.TEXTURE_CUBE_MAP,
    "TEXTURE_CUBE_ARRAY": GL.TEXTURE_CUBE_MAP_ARRAY,
}  # fmt: skip
KINDS: dict[str, tuple[int, ...]] = {
    "UNORM": (GL.UNSIGNED_BYTE, GL.UNSIGNED_SHORT),
    "SNORM": (GL.BYTE, GL.SHORT),
    "UINT": (GL.UNSIGNED_BYTE, GL.UNSIGNED_SHORT, GL.UNSIGNED_INT),
    "SINT": (GL.BYTE, GL.SHORT, GL.INT),
    "FLOAT": (0, GL.HALF_FLOAT, GL.FLOAT),
}


class Recorder:
    """Fake screen and context that record the arguments of the textures created through them."""

    def resource_create(self, **given: Any) -> Any:
        """The arguments, with the levels that are written later."""
        return SimpleNamespace(**{"array_size": 1, "levels": {}, **given})

    def texture_subdata(self, resource: Any, data: Any, level: int = 0) -> None:
        """Keep the texels of a level."""
        resource.levels[level] = data


def formats_of(name: str) -> tuple[int, int, int]:
    """Internal format, format and type of a Gallium format."""
    if name == "Z32_FLOAT":
        return GL.DEPTH_COMPONENT32F, GL.DEPTH_COMPONENT, GL.FLOAT
    if name == "R11G11B10_FLOAT":
        return GL.R11F_G11F_B10F, GL.RGB, GL.UNSIGNED_INT_10F_11F_11F_REV
    internal = next(word for word, format in FORMATS.items() if format == name and word not in ("GL_COMPRESSED_RGBA", "GL_RGBA"))
    layout, kind = name.split("_")
    letters = "".join(letter for letter in layout if letter.isalpha())
    bits = int(layout[1:].split("G")[0])
    suffix = "_INTEGER" if kind.endswith("INT") else ""
    return getattr(GL, internal[3:]), getattr(GL, {"R": "RED"}.get(letters, letters) + suffix), KINDS[kind][{8: 0, 16: 1, 32: 2}[bits]]


class GlResources:
    """A context with textures by unit, and buffers by target and binding point."""

    def __init__(self, gl: Binding) -> None:
        self.gl = gl
        self.textures: dict[int, tuple[int, int]] = {}
        self.sizes: dict[int, tuple[tuple[int, int], str]] = {}
        self.buffers: dict[tuple[int, int], int] = {}
        self.blocks: list[int] = []

    def do_texture(self, line: str, words: list[str]) -> None:
        recorder: Any = Recorder()
        made = make(recorder, recorder, line)
        if made is None:
            raise LacksError(" ".join(words[:2]))
        unit, texture = made
        gl, resource = self.gl, texture.resource
        target = TARGETS[resource.target]
        gl.glActiveTexture(GL.TEXTURE0 + unit)
        name = gl.make("Textures")
        gl.glBindTexture(target, name)
        gl.glPixelStorei(GL.UNPACK_ALIGNMENT, 1)
        internal, format, type = formats_of(str(resource.format))
        levels = resource.levels or {0: None}
        for level, data in levels.items():
            size = [max(1, resource.width0 >> level), max(1, resource.height0 >> level), max(1, resource.depth0 >> level)]
            if target == GL.TEXTURE_1D_ARRAY:
                size[1] = resource.array_size
            if target in (GL.TEXTURE_2D_ARRAY, GL.TEXTURE_CUBE_MAP_ARRAY):
                size[2] = resource.array_size
            self._image(target, level, internal, size, format, type, data)
        gl.glTexParameteri(target, GL.TEXTURE_MIN_FILTER, GL.NEAREST_MIPMAP_NEAREST if len(levels) > 1 else GL.NEAREST)
        gl.glTexParameteri(target, GL.TEXTURE_MAG_FILTER, GL.NEAREST)
        self._sampler(target, texture.sampler)
        self.textures[unit] = name, target
        self.sizes[unit] = (resource.width0, resource.height0), str(resource.format)
        self.unit = unit

    def _image(self, target: int, level: int, internal: int, size: list[int], format: int, type: int, data: Any) -> None:
        gl = self.gl
        if target == GL.TEXTURE_CUBE_MAP:
            for face in range(6):
                part = data[face] if data is not None and data.ndim > 3 else data
                gl.glTexImage2D(GL.TEXTURE_CUBE_MAP_POSITIVE_X + face, level, internal, *size[:2], 0, format, type, part)
        elif target == GL.TEXTURE_1D:
            gl.glTexImage1D(target, level, internal, size[0], 0, format, type, data)
        elif target in (GL.TEXTURE_3D, GL.TEXTURE_2D_ARRAY, GL.TEXTURE_CUBE_MAP_ARRAY):
            gl.glTexImage3D(target, level, internal, *size, 0, format, type, data)
        else:
            gl.glTexImage2D(target, level, internal, *size[:2], 0, format, type, data)

    def _sampler(self, target: int, given: dict[str, Any]) -> None:
        gl = self.gl
        for key, value in given.items():
            if key in ("wrap_s", "wrap_t", "wrap_r"):
                gl.glTexParameteri(target, getattr(GL, f"TEXTURE_{key.upper()}"), getattr(GL, value))
            elif key == "border_color":
                gl.glTexParameterfv(target, GL.TEXTURE_BORDER_COLOR, np.array(value, np.float32))
            elif key == "compare_mode":
                gl.glTexParameteri(target, GL.TEXTURE_COMPARE_MODE, GL.COMPARE_REF_TO_TEXTURE)
            elif key == "compare_func":
                gl.glTexParameteri(target, GL.TEXTURE_COMPARE_FUNC, getattr(GL, value))

    def do_texparameter(self, line: str, words: list[str]) -> None:
        target = self.textures[self.unit][1]
        name = {"min": "MIN_FILTER", "mag": "MAG_FILTER", "depth_mode": "DEPTH_MODE"}.get(words[2], words[2].upper())
        word = f"TEXTURE_{name}" if name != "DEPTH_MODE" else "DEPTH_TEXTURE_MODE"
        if not hasattr(GL, word):
            raise LacksError(f"texparameter {words[2]}")
        if name == "BORDER_COLOR":
            self.gl.glTexParameterfv(target, GL.TEXTURE_BORDER_COLOR, np.array([float(value) for value in words[3:7]], np.float32))
        elif name == "LOD_BIAS":
            self.gl.glTexParameterf(target, GL.TEXTURE_LOD_BIAS, float(words[3]))
        else:
            value = getattr(GL, words[3].upper(), None) if not words[3].lstrip("-").isdigit() else int(words[3])
            if value is None:
                raise LacksError(line)
            self.gl.glTexParameteri(target, getattr(GL, word), value)

    def do_image_texture(self, line: str, words: list[str]) -> None:
        unit = int(words[2])
        name, target = self.textures[unit]
        format = getattr(GL, words[3].removeprefix("GL_")) if len(words) > 3 else GL.RGBA8
        self.gl.glBindImageTexture(unit, name, 0, int(target in (GL.TEXTURE_3D, GL.TEXTURE_2D_ARRAY)), 0, GL.READ_WRITE, format)

    def _buffer(self, target: int, index: int, size: int) -> None:
        name = self.gl.buffer(target, np.zeros(size, np.uint8))
        self.buffers[target, index] = name
        self.gl.glBindBufferBase(target, index, name)

    def do_ssbo(self, line: str, words: list[str]) -> None:
        index, rest = int(words[1]), words[2:]
        if rest[0] != "subdata":
            self._buffer(GL.SHADER_STORAGE_BUFFER, index, int(rest[0]))
            return
        kind = {"int64": "int64_t", "uint64": "uint64_t"}.get(rest[1], rest[1])
        data = np.array([number(word, kind) for word in rest[3:]], DTYPES[kind])
        self.gl.glBindBufferBase(GL.SHADER_STORAGE_BUFFER, index, self.buffers[GL.SHADER_STORAGE_BUFFER, index])
        self.gl.glBufferSubData(GL.SHADER_STORAGE_BUFFER, int(rest[2]), data.nbytes, data)

    def do_xfb_buffer(self, line: str, words: list[str]) -> None:
        self._buffer(GL.TRANSFORM_FEEDBACK_BUFFER, int(words[3]), int(words[4]))

    def _probe_stream(self, line: str, words: list[str]) -> None:
        """Compare a captured number: ``probe xfb buffer float 0 3 4.0``."""
        kind, index = words[3], int(words[4])
        data = np.zeros(np.dtype(DTYPES[kind]).itemsize, np.uint8)
        self.gl.glBindBufferBase(GL.TRANSFORM_FEEDBACK_BUFFER, index, self.buffers[GL.TRANSFORM_FEEDBACK_BUFFER, index])
        self.gl.glGetBufferSubData(GL.TRANSFORM_FEEDBACK_BUFFER, data.nbytes * int(words[5]), data.nbytes, data)
        probe_word(data.tobytes(), kind, 0, "~", words[6], line)

    def do_atomic_counters(self, line: str, words: list[str]) -> None:
        self._buffer(GL.ATOMIC_COUNTER_BUFFER, 0, 4 * int(words[2]))

    def do_atomic_counter(self, line: str, words: list[str]) -> None:
        if words[2] == "buffer":
            self._buffer(GL.ATOMIC_COUNTER_BUFFER, int(words[3]), 4 * int(words[4]))
            return
        data = np.array([int(words[4], 0)], np.uint32)
        self.gl.glBindBufferBase(GL.ATOMIC_COUNTER_BUFFER, int(words[2]), self.buffers[GL.ATOMIC_COUNTER_BUFFER, int(words[2])])
        self.gl.glBufferSubData(GL.ATOMIC_COUNTER_BUFFER, 4 * int(words[3]), 4, data)
