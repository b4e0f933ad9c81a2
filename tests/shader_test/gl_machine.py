"""The commands of shader_runner, sent through `tgsi.opengl`: programs, vertex data, uniforms, buffers, draws and probes."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np

from tests.shader_test.attributes import vertex_data
from tests.shader_test.gl_resources import GlResources
from tests.shader_test.gl_uniforms import Place, Uniforms
from tests.shader_test.probes import DTYPES, LacksError, ProbeError, probe_colors, probe_word
from tests.shader_test.texts import Script
from tests.shader_test.values import floats
from tests.unit.opengl.binding import Binding
from tgsi.opengl.registry import enums as GL

TYPES = {
    "vert": GL.VERTEX_SHADER, "frag": GL.FRAGMENT_SHADER, "geom": GL.GEOMETRY_SHADER, "tesc": GL.TESS_CONTROL_SHADER,
    "tese": GL.TESS_EVALUATION_SHADER, "comp": GL.COMPUTE_SHADER,
}  # fmt: skip
STREAMED = {"POINT": GL.POINTS, "LINE": GL.LINES, "TRIANGLE": GL.TRIANGLES}
_IGNORED = re.compile(r"(link success|memory barrier|hint |probe warn|verify |active |SSO|SPIRV|GL_|nowarn|deletelist)")


class RefusedError(Exception):
    """A shader does not compile, or the program does not link; the message is the log."""


def profile_of(script: Script) -> str:
    """The profile of a context that a file's versions want."""
    found = [re.search(r"#\s*version\s+(\d+)\s*(\w*)", text) for _, text in script.parts]
    versions = [(int(item[1]), item[2]) for item in found if item]
    if any(word == "es" or number == 100 for number, word in versions):
        return "es"
    return "core" if versions and all(number >= 150 and word != "compatibility" for number, word in versions) else "compatibility"


class BelowError(Exception):
    """A file requires a larger limit; shader_runner skips it."""


class GlMachine(GlResources):
    """State of one file in a context of its own."""

    def __init__(self, script: Script) -> None:
        self.script, self.profile = script, profile_of(script)
        self.width, self.height = script.size
        super().__init__(Binding(self.profile, size=script.size))
        self.tolerance = [3 / 256] * 4
        self.patch_vertices, self.element, self.binding, self.offset = 3, 0, 0, -1
        self.size = script.size
        self.lists: list[str] = []
        self.stated: list[int] = []
        self.stride, self.is_row_major = 16, False
        self.format = "R8G8B8A8_UNORM"
        gl = self.gl
        for name, least in script.limits:
            if gl.get(getattr(GL, name))[0] < least:
                raise BelowError(f"{name} is below {least}")
        if self.profile == "core":
            gl.glBindVertexArray(gl.make("VertexArrays"))
        self.program = self._link()
        gl.glUseProgram(self.program)
        self._make_blocks()

    def _link(self) -> int:
        gl = self.gl
        made = int(gl.glCreateProgram())
        log = ctypes.create_string_buffer(2000)
        status = (ctypes.c_int32 * 1)()
        for stage, text in self.script.parts:
            shader = gl.glCreateShader(TYPES[stage])
            raw = ctypes.c_char_p(text.encode(errors="replace"))
            gl.glShaderSource(shader, 1, ctypes.byref(raw), None)
            gl.glCompileShader(shader)
            gl.glGetShaderiv(shader, GL.COMPILE_STATUS, status)
            if not status[0]:
                gl.glGetShaderInfoLog(shader, 2000, None, log)
                raise RefusedError(log.value.decode(errors="replace"))
            gl.glAttachShader(made, shader)
        gl.glBindAttribLocation(made, 0, b"piglit_vertex")
        gl.glBindAttribLocation(made, 1, b"piglit_texcoord")
        gl.glLinkProgram(made)
        gl.glGetProgramiv(made, GL.LINK_STATUS, status)
        if not status[0]:
            gl.glGetProgramInfoLog(made, 2000, None, log)
            raise RefusedError("link: " + log.value.decode(errors="replace"))
        return made

    def _make_blocks(self) -> None:
        """A buffer for each uniform block, at the binding point of its index."""
        gl, count = self.gl, (ctypes.c_int32 * 1)()
        gl.glGetProgramiv(self.program, GL.ACTIVE_UNIFORM_BLOCKS, count)
        for index in range(count[0]):
            size = (ctypes.c_int32 * 1)()
            gl.glGetActiveUniformBlockiv(self.program, index, GL.UNIFORM_BLOCK_DATA_SIZE, size)
            name = gl.buffer(GL.UNIFORM_BUFFER, np.zeros(max(16, size[0]), np.uint8))
            gl.glGetActiveUniformBlockiv(self.program, index, GL.UNIFORM_BLOCK_BINDING, size)
            self.stated.append(size[0])
            gl.glUniformBlockBinding(self.program, index, index)
            gl.glBindBufferBase(GL.UNIFORM_BUFFER, index, name)
            self.blocks.append(name)

    # -- commands
    def play(self, commands: list[str] | None = None) -> None:
        """Do all commands. LacksError, ProbeError."""
        for line in self.script.commands if commands is None else commands:
            line = re.sub(r"\s+", " ", line)
            words = line.split()
            if words[0] == "newlist":
                self.gl.glNewList(1, GL.COMPILE_AND_EXECUTE if words[1] == "GL_COMPILE_AND_EXECUTE" else GL.COMPILE)
                continue
            if words[0] in ("endlist", "calllist"):
                self.gl.glEndList() if words[0] == "endlist" else self.gl.glCallList(1)
                continue
            plain = [word for word in words[:3] if word.replace("_", "").isalpha()]
            names = ["_".join(plain[:count]) for count in (3, 2, 1) if len(plain) >= count]
            method = next((getattr(self, f"do_{name}") for name in names if hasattr(self, f"do_{name}")), None)
            if method is not None:
                method(line, words)
            elif not _IGNORED.match(line):
                raise LacksError(" ".join(plain) or words[0])

    def do_clear(self, line: str, words: list[str]) -> None:
        if len(words) == 1:
            self.gl.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT)
        elif words[1] == "color":
            self.gl.glClearColor(*floats(" ".join(words[2:]))[:4])
        elif words[1] == "depth":
            self.gl.glClearDepth(float(words[2])) if self.profile != "es" else self.gl.glClearDepthf(float(words[2]))
        else:
            raise LacksError(line)

    def do_uniform(self, line: str, words: list[str]) -> None:
        put = Uniforms(self.gl, self.program, self.blocks, self.element)
        if self.offset >= 0 and not words[2].isdigit():
            binding = self.binding + self.element
            block = self.stated.index(binding) if binding in self.stated else -1
            put.at(words[1], words[3:], Place(block, self.offset, 16, self.stride, self.is_row_major))
        else:
            put.put(words[1], words[2], words[3:])

    def do_ubo_array_index(self, line: str, words: list[str]) -> None:
        self.element = int(words[3])

    def do_block(self, line: str, words: list[str]) -> None:
        if words[1] == "array":
            self.element = int(words[3])
        elif words[1] == "matrix":
            self.stride = int(words[3])
        elif words[1] == "row":
            self.is_row_major = bool(int(words[3]))
        elif words[1] == "binding":
            self.binding = int(words[2])
        else:
            self.offset = int(words[2])

    def do_clip_plane(self, line: str, words: list[str]) -> None:
        self.gl.glClipPlane(GL.CLIP_DISTANCE0 + int(words[2]), np.array([float(word) for word in words[3:7]]))

    def do_enable(self, line: str, words: list[str]) -> None:
        self._switch(words, self.gl.glEnable)

    def do_disable(self, line: str, words: list[str]) -> None:
        self._switch(words, self.gl.glDisable)

    def _switch(self, words: list[str], call: Any) -> None:
        value = getattr(GL, words[1].removeprefix("GL_").replace("CLIP_PLANE", "CLIP_DISTANCE"), None)
        if value is None:
            raise LacksError(f"{words[0]} {words[1]}")
        call(value)

    def do_provoking_vertex(self, line: str, words: list[str]) -> None:
        self.gl.glProvokingVertex(GL.FIRST_VERTEX_CONVENTION if words[2] == "first" else GL.LAST_VERTEX_CONVENTION)

    def do_polygon_mode(self, line: str, words: list[str]) -> None:
        mode = getattr(GL, words[3].removeprefix("GL_"), None)
        if mode not in (GL.FILL, GL.LINE, GL.POINT, GL.FILL_RECTANGLE_NV):
            raise LacksError(line)
        self.gl.glPolygonMode(GL.FRONT_AND_BACK, mode)

    def do_shade_model(self, line: str, words: list[str]) -> None:
        self.gl.glShadeModel(GL.FLAT if words[2] == "flat" else GL.SMOOTH)

    def do_tolerance(self, line: str, words: list[str]) -> None:
        self.tolerance = floats(" ".join(words[1:]))

    def do_ortho(self, line: str, words: list[str]) -> None:
        found = [float(word) for word in words[1:5]] or [0.0, float(self.width), 0.0, float(self.height)]
        self._projection("glOrtho", found)

    def do_frustum(self, line: str, words: list[str]) -> None:
        self._projection("glFrustum", [float(word) for word in words[1:7]])

    def _projection(self, name: str, values: list[float]) -> None:
        self.gl.glMatrixMode(GL.PROJECTION)
        self.gl.glLoadIdentity()
        getattr(self.gl, name)(*values, *((-1.0, 1.0) if len(values) == 4 else ()))
        self.gl.glMatrixMode(GL.MODELVIEW)

    def do_color(self, line: str, words: list[str]) -> None:
        self.gl.glColor4f(*[float(word) for word in words[1:5]])

    def do_texcoord(self, line: str, words: list[str]) -> None:
        self.gl.glMultiTexCoord4f(GL.TEXTURE0 + int(words[1]), *[float(word) for word in words[2:6]])

    def do_patch_parameter(self, line: str, words: list[str]) -> None:
        if words[2] == "vertices":
            self.patch_vertices = int(words[3])
            self.gl.glPatchParameteri(GL.PATCH_VERTICES, self.patch_vertices)
        else:
            name = GL.PATCH_DEFAULT_OUTER_LEVEL if words[4] == "outer" else GL.PATCH_DEFAULT_INNER_LEVEL
            self.gl.glPatchParameterfv(name, np.array([float(word) for word in words[5:]], np.float32))

    def do_fb(self, line: str, words: list[str]) -> None:
        gl = self.gl
        if words[1:3] == ["tex", "2d"] or words[1:3] == ["tex", "layered"]:
            unit = int(words[3])
            gl.glBindFramebuffer(GL.FRAMEBUFFER, gl.make("Framebuffers"))
            name, target = self.textures[unit]
            if target == GL.TEXTURE_2D:
                gl.glFramebufferTexture2D(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT0, target, name, 0)
            else:
                gl.glFramebufferTexture(GL.FRAMEBUFFER, GL.COLOR_ATTACHMENT0, name, 0)
            self.size, self.format = self.sizes[unit]
        elif words[1:] == ["draw", "winsys"]:
            gl.glBindFramebuffer(GL.FRAMEBUFFER, 0)
            self.size, self.format = self.script.size, "R8G8B8A8_UNORM"
        else:
            raise LacksError(" ".join(words[:3]))
        gl.glViewport(0, 0, *self.size)

    # -- draws
    def do_draw(self, line: str, words: list[str]) -> None:
        instances, is_patch, rest = 1, False, words[1:]
        if rest[0] == "instanced":
            rest = rest[1:]
            at = next(place for place, word in enumerate(rest) if re.match(r"[-+.\d]", word))
            instances = int(rest.pop(at))
        if rest[0] == "rect":
            is_patch = "patch" in rest
            values = [float(word) for word in rest if re.match(r"[-+.\d]", word)]
            x, y, w, h = values[:4]
            if "ortho" in rest:
                x, w, y, h = -1 + 2 * x / self.width, 2 * w / self.width, -1 + 2 * y / self.height, 2 * h / self.height
            s, t, u, v = values[4:8] if "tex" in rest else (0.0, 0.0, 0.0, 0.0)
            places = [[x, y, 0, 1], [x + w, y, 0, 1], [x, y + h, 0, 1], [x + w, y + h, 0, 1]]
            self._rectangle(places, [[s, t, 0, 1], [s + u, t, 0, 1], [s, t + v, 0, 1], [s + u, t + v, 0, 1]] if "tex" in rest else None)
            mode, first, count = (GL.PATCHES if is_patch else GL.TRIANGLE_STRIP), 0, 4
        elif rest[0] == "arrays":
            rest = rest[1:]
            if rest[0] == "instanced":
                rest, instances = rest[1:-1], int(rest[-1])
            mode, first, count = getattr(GL, rest[0].removeprefix("GL_")), int(rest[1]), int(rest[2])
            self._vertex_data()
        else:
            raise LacksError(" ".join(words[:2]))
        if is_patch:
            self.gl.glPatchParameteri(GL.PATCH_VERTICES, 4)
        (self.gl.glDrawArrays if instances == 1 else self.gl.glDrawArraysInstanced)(mode, first, count, *([instances] * (instances != 1)))

    def do_xfb_draw(self, line: str, words: list[str]) -> None:
        """Capture a draw of points, lines or triangles."""
        kind = next(word.removeprefix("GL_") for word in words if word.startswith("GL_"))
        self.gl.glBeginTransformFeedback(next(value for name, value in STREAMED.items() if kind.startswith(name)))
        self.do_draw(line, words[1:])
        self.gl.glEndTransformFeedback()

    def _array(self, location: int, data: Any, kind: str = "f", column: int = 0) -> None:
        gl = self.gl
        gl.buffer(GL.ARRAY_BUFFER, data)
        size = data.shape[1]
        if kind == "f":
            gl.glVertexAttribPointer(location, size, GL.FLOAT, 0, 0, None)
        elif kind == "d":
            gl.glVertexAttribLPointer(location, size, GL.DOUBLE, 0, None)
        else:
            gl.glVertexAttribIPointer(location, size, GL.INT if kind == "i" else GL.UNSIGNED_INT, 0, None)
        gl.glEnableVertexAttribArray(location)

    def _rectangle(self, places: list[list[float]], coordinates: list[list[float]] | None) -> None:
        gl = self.gl
        location = max(0, gl.glGetAttribLocation(self.program, b"piglit_vertex"))
        self._array(location, np.array(places, np.float32))
        if coordinates is None:
            return
        location = gl.glGetAttribLocation(self.program, b"piglit_texcoord")
        data = np.array(coordinates, np.float32)
        if location >= 0:
            self._array(location, data)
        elif self.profile == "compatibility":
            gl.buffer(GL.ARRAY_BUFFER, data)
            gl.glTexCoordPointer(4, GL.FLOAT, 0, None)
            gl.glEnableClientState(GL.TEXTURE_COORD_ARRAY)

    def _vertex_data(self) -> None:
        gl = self.gl
        for name, data in vertex_data(self.script.vertices).items():
            title, _, column = name.partition("/")
            fixed = {"gl_Vertex": 0, "piglit_vertex": 0}
            location = int(title) if title.isdigit() else gl.glGetAttribLocation(self.program, title.encode())
            location = fixed.get(title, location) if location < 0 else location
            if location < 0:
                if title in ("gl_Color", "gl_Normal", "gl_SecondaryColor", "gl_FogCoord") or title.startswith("gl_MultiTexCoord"):
                    raise LacksError(title)
                continue
            kind = self._kind_of(location, title)
            made = data.astype({"f": np.float32, "d": np.float64, "i": np.int32, "I": np.uint32}[kind])
            self._array(location + int(column or 0), np.ascontiguousarray(made), kind)

    def _kind_of(self, location: int, title: str) -> str:
        """The kind of numbers of an input."""
        gl, count = self.gl, (ctypes.c_int32 * 1)()
        gl.glGetProgramiv(self.program, GL.ACTIVE_ATTRIBUTES, count)
        name, size, type = ctypes.create_string_buffer(200), (ctypes.c_int32 * 1)(), (ctypes.c_uint32 * 1)()
        for index in range(count[0]):
            gl.glGetActiveAttrib(self.program, index, 200, None, size, type, name)
            if name.value.decode() == title.partition("[")[0] or gl.glGetAttribLocation(self.program, name.value) == location:
                value = type[0]
                if value in (GL.INT, GL.INT_VEC2, GL.INT_VEC3, GL.INT_VEC4):
                    return "i"
                if value in (GL.UNSIGNED_INT, GL.UNSIGNED_INT_VEC2, GL.UNSIGNED_INT_VEC3, GL.UNSIGNED_INT_VEC4):
                    return "I"
                return "d" if value == GL.DOUBLE or GL.DOUBLE_MAT2 <= value <= GL.DOUBLE_VEC4 else "f"
        return "f"

    def do_compute(self, line: str, words: list[str]) -> None:
        if words[1] == "group":
            raise LacksError("compute group size")
        self.gl.glDispatchCompute(*[int(word) for word in words[1:4]])

    # -- probes
    def do_relative(self, line: str, words: list[str]) -> None:
        self.do_probe(line.removeprefix("relative "), words[1:], True)

    def do_probe(self, line: str, words: list[str], relative: bool = False) -> None:
        gl = self.gl
        if words[1] in ("ssbo", "atomic"):
            self._probe_memory(words)
        elif words[1] == "depth":
            x, y, wanted = floats(line.removeprefix("probe depth "))
            found = np.zeros(1, np.float32)
            gl.glReadPixels(int(x), int(y), 1, 1, GL.DEPTH_COMPONENT, GL.FLOAT, found)
            if abs(float(found[0]) - wanted) > 0.01:
                raise ProbeError(f"{line}: it is {found[0]}")
        elif words[1] == "xfb":
            self._probe_stream(line, words)
        else:
            probe_colors(self._pixels(), line, relative, self.tolerance, self)

    def _pixels(self) -> Any:
        width, height = self.size
        kinds = {"FLOAT": (GL.RGBA, GL.FLOAT, np.float32), "SINT": (GL.RGBA_INTEGER, GL.INT, np.int32)}
        kinds["UINT"] = GL.RGBA_INTEGER, GL.UNSIGNED_INT, np.uint32
        format, type, kind = kinds.get(self.format.rpartition("_")[2], (GL.RGBA, GL.FLOAT, np.float32))
        data = np.zeros((height, width, 4), kind)
        self.gl.glReadPixels(0, 0, width, height, format, type, data)
        return data

    def _probe_memory(self, words: list[str]) -> None:
        if words[1] == "ssbo":
            kind = {"int64": "int64_t", "uint64": "uint64_t"}.get(words[2], words[2])
            target, index, offset, sign, text = GL.SHADER_STORAGE_BUFFER, int(words[3]), int(words[4], 0), words[5], words[6]
        else:
            has_buffer = words[3] == "buffer"
            words = [*words[:3], *words[4:]] if has_buffer else [*words[:3], "0", *words[3:]]
            offset = int(words[4]) * (1 if has_buffer else 4)
            target, index, sign, text, kind = GL.ATOMIC_COUNTER_BUFFER, int(words[3]), words[5], words[6], "uint"
        data = np.zeros(np.dtype(DTYPES[kind]).itemsize, np.uint8)
        self.gl.glBindBufferBase(target, index, self.buffers[target, index])
        self.gl.glGetBufferSubData(target, offset, data.nbytes, data)
        probe_word(data.tobytes(), kind, 0, sign, text, " ".join(words))
