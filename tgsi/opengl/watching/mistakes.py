"""Likely mistakes of OpenGL programs: checks of each command, and Gallium's findings in OpenGL's terms, each reported once."""

from __future__ import annotations

import ctypes
import re
import warnings
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tgsi.opengl.objects.texture import Texture
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.watching import draw_checks, framebuffer_checks, pixel_checks, texture_checks
from tgsi.opengl.watching.callers import caller, unraisable
from tgsi.opengl.watching.command_text import enum_text
from tgsi.opengl.watching.uniform_notes import UniformNotes
from tgsi.opengl.watching.words import translated
from tgsi.validation.findings import Finding
from tgsi.validation.warning import Place

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.objects.framebuffer import Framebuffer

DRAW = re.compile(r"gl(Multi)?Draw(Arrays|Elements|RangeElements|TransformFeedback)\w*$")
UNIFORM = re.compile(r"gl(Program)?Uniform(Matrix)?\d")
PIXELS_IN = re.compile(r"glTex(Sub)?Image[23]D$")
ASKING = re.compile(r"gl(Readn?Pixels|Get(n|Compressed)?(Tex|Texture)(Sub)?Image)$|the end")
"""Commands that read or show a picture."""
OTHERS_SAY = frozenset(
    {
        "nan",
        "element",
        "buffer",
        "texture",
        "sampler",
        "memory",
        "constants",
        "depth",
        "stencil",
        "framebuffer",
        "fragment",
        "count",
        "instances",
    }
)
"""Gallium's rules that are skipped because OpenGL's state is checked instead."""
PATIENCE = 5000
"""Number of commands after which an error counts as never queried."""


class Mistakes:
    """Findings about the commands of a context, and notes for later checks."""

    def __init__(self, gl: Context) -> None:
        self._gl = weakref.ref(gl)
        self._name = ""
        self._reports: Any = gl.pipe.device.reports  # type: ignore[attr-defined]
        self._reports.tell, self._reports.place, self._reports.words, self._reports.warn = self._tell, self._place, self._words, _warn
        self._reports.is_asked = lambda: ASKING.match(self._name) is not None
        self._uniforms = UniformNotes()
        self._viewport_size: tuple[int, int] | None = None  # of the framebuffer that glViewport was called for last
        self._errors: list[tuple[int, str, Place]] = []
        self._age = 0
        self._aligned: set[int] = set()  # alignments set by the program
        self._drawn: weakref.WeakSet[Any] = weakref.WeakSet()
        self._draws: list[str] = []
        self._deleted: dict[tuple[int, int], int] = {}  # textures that were deleted while bound, by unit and target
        self._without_depth: Place | None = None
        self._has_depth = self._stores = False
        self._acts: dict[str, Callable[[Context, tuple[Any, ...]], None] | None] = {}

    # -- commands --------------------------------------------------------------------------------------------------------
    def begin(self, gl: Context, name: str, values: tuple[Any, ...]) -> None:
        """Check a command before it is executed."""
        self._name = name
        if name not in self._acts:
            self._acts[name] = self._act_of(name)
        act = self._acts[name]
        if act is not None:
            act(gl, values)
        if self._errors:
            self._age += 1
            if self._age > PATIENCE:
                self._say_errors()

    def _act_of(self, name: str) -> Callable[[Context, tuple[Any, ...]], None] | None:
        fixed = {
            "glClear": self._clear,
            "glGetError": self._get_error,
            "glReadPixels": self._read,
            "glReadnPixels": self._read,
            "glDeleteTextures": self._delete,
            "glFinish": lambda gl, values: self._ask(gl),
            "glPixelStorei": lambda gl, values: self._aligned.add(values[0]),
            "glGetUniformLocation": self._uniforms.ask,
            "glBlitFramebuffer": lambda gl, values: self._note_drawn(gl),
            "glBlitNamedFramebuffer": lambda gl, values: self._note_drawn(gl, gl.framebuffers.get(values[1])),
        }
        if name in fixed:
            return fixed[name]
        if DRAW.match(name):
            return self._draw
        if name in ("glEnd", "glDrawPixels", "glBitmap", "glCallList", "glCallLists") or name.startswith(("glRect", "glEvalMesh")):
            return lambda gl, values: self._note_drawn(gl)
        if name.startswith("glViewport"):
            return lambda gl, values: setattr(self, "_viewport_size", gl.draw_framebuffer.size())
        if UNIFORM.match(name):
            return lambda gl, values: self._uniforms.put(gl, self._name, values, self._place())
        if PIXELS_IN.match(name):
            return self._upload
        if name.startswith("glDispatchCompute"):
            return self._dispatch
        if re.match(r"gl(BindImage|Copy|Clear|(Compressed)?Tex|Texture|Named|Accum)", name):
            return self._other_writes
        return None

    def error(self, gl: Context, code: int, name: str, values: tuple[Any, ...], text: str) -> None:
        """Note an error; an error about a framebuffer is reported immediately, because then nothing is drawn."""
        place = self._place()
        if name == "glUseProgram" and code == GL.INVALID_OPERATION:
            text += self._log(gl, values)
        if code == GL.INVALID_FRAMEBUFFER_OPERATION:
            is_read = name.startswith(("glRead", "glCopy"))
            framebuffer = gl.read_framebuffer if is_read else gl.draw_framebuffer
            self._say(Finding("gl framebuffer", (name, framebuffer.name), framebuffer_checks.incomplete(gl, framebuffer)), place)
        elif len(self._errors) < 8:
            self._errors.append((code, text, replace(place, call=name)))

    @staticmethod
    def _log(gl: Context, values: tuple[Any, ...]) -> str:
        """The first lines of the log of a program that failed to link."""
        thing: Any = gl.share.programs.get(values[0]) if values else None
        lines = [line.strip() for line in getattr(thing, "log", "").splitlines() if line.strip()]
        return f": {' '.join(lines[:2])}" if lines else ""

    def end(self, gl: Context) -> None:
        """Report remaining findings at the end of the context."""
        self._name = "the end of the context"
        gl.pipe.flush()
        self._ask(gl)

    # -- effects of commands ----------------------------------------------------------------------------------------------------
    def _draw(self, gl: Context, values: tuple[Any, ...]) -> None:
        for item in self._facts(gl):
            self._say(item)
        if _is_empty(self._name, values):
            self._say(Finding("gl count", self._name, "the count is 0, so nothing is drawn"))
        else:
            for item in draw_checks.counts(gl, self._name, values):
                self._say(item)
            self._note_drawn(gl)
        if GL.DEPTH_TEST in gl.enabled and gl.draw_framebuffer.attachments:
            if GL.DEPTH_ATTACHMENT in gl.draw_framebuffer.attachments:
                self._has_depth = True
            elif self._without_depth is None:
                self._without_depth = self._place()

    def _facts(self, gl: Context) -> Iterator[Finding]:
        yield from draw_checks.programs(gl)
        linked = gl.own_linked()
        if linked is None:
            return
        yield from draw_checks.arrays(gl, linked)
        yield from framebuffer_checks.outputs(gl)
        yield from framebuffer_checks.stale_viewport(gl, self._viewport_size or gl.default_framebuffer.size())
        for part in linked.leaves():
            for item, place in self._uniforms.misspelled(part):
                self._say(item, place)
            named = self._uniforms.given(part)
            yield from draw_checks.uniforms(part, named, self._uniforms.hint)
            yield from draw_checks.not_numbers(part)
            yield from draw_checks.units(part, named)
        yield from texture_checks.textures(gl, linked, self._lost_textures(gl))
        yield from draw_checks.blocks(gl, linked)
        yield from draw_checks.images(gl, linked)

    def _dispatch(self, gl: Context, values: tuple[Any, ...]) -> None:
        self._stores = True
        if self._name == "glDispatchCompute" and 0 in values[:3]:
            text = f"of {' x '.join(map(str, values[:3]))} groups there is none, so nothing runs: round up where sizes are divided"
            self._say(Finding("gl count", (self._name, values[:3]), text))
        linked = gl.own_linked()
        if linked is not None:
            for item in (
                *draw_checks.blocks(gl, linked),
                *draw_checks.images(gl, linked),
                *texture_checks.textures(gl, linked, self._lost_textures(gl)),
            ):
                self._say(item)

    def _delete(self, gl: Context, values: tuple[Any, ...]) -> None:
        count, address = values
        names = set((ctypes.c_uint * count).from_address(address)) if address and count > 0 else set()
        for number, unit in enumerate(gl.units):
            for target, item in unit.textures.items():
                if item.name in names - {0}:
                    self._deleted[number, target] = item.name

    def _lost_textures(self, gl: Context) -> dict[tuple[int, int], int]:
        """Deleted textures whose unit and target have had no other texture since."""
        for number, target in list(self._deleted):
            texture = gl.units[number].textures.get(target)
            if texture is not None and texture.name:
                del self._deleted[number, target]
        return self._deleted

    def _note_drawn(self, gl: Context, framebuffer: Framebuffer | None = None) -> None:
        framebuffer = framebuffer or gl.draw_framebuffer
        for point in framebuffer.draw_buffers:
            item = framebuffer.attachments.get(point)
            if item is not None:
                self._drawn.add(item.item)
        title = framebuffer_checks.title_of(framebuffer)
        if title not in self._draws:
            self._draws.append(title)

    def _other_writes(self, gl: Context, values: tuple[Any, ...]) -> None:
        self._stores = self._stores or not self._name.startswith(("glTexParameter", "glTexEnv", "glTexGen", "glTexCoord", "glClearColor"))

    def _clear(self, gl: Context, values: tuple[Any, ...]) -> None:
        for item in framebuffer_checks.clears(gl, values[0]):
            self._say(item)

    def _upload(self, gl: Context, values: tuple[Any, ...]) -> None:
        self._stores = True
        if GL.UNPACK_ALIGNMENT not in self._aligned:
            for item in pixel_checks.uploads(gl, self._name, values):
                self._say(item)

    def _get_error(self, gl: Context, values: tuple[Any, ...]) -> None:
        self._errors.clear()
        self._age = 0

    def _read(self, gl: Context, values: tuple[Any, ...]) -> None:
        if GL.PACK_ALIGNMENT not in self._aligned:
            for item in pixel_checks.reads(gl, values):
                self._say(item)
        framebuffer = gl.read_framebuffer
        picture = framebuffer.color(framebuffer.read_buffer)
        is_color = values[4] not in (GL.DEPTH_COMPONENT, GL.STENCIL_INDEX, GL.DEPTH_STENCIL)
        is_texture = picture is not None and isinstance(picture.item, Texture)
        if picture is not None and is_color and self._draws and picture.item not in self._drawn and not (self._stores and is_texture):
            title, others = framebuffer_checks.title_of(framebuffer), " and ".join(self._draws[:3])
            text = (
                f"{title} is read, and nothing was drawn to it; draws went to {others}: glBindFramebuffer before them, or before the read"
            )
            self._say(Finding("gl read", framebuffer.name, text))
        self._ask(gl)

    def _ask(self, gl: Context) -> None:
        """Report the findings that matter only when the picture is read."""
        self._say_errors()
        if self._without_depth is not None and not self._has_depth:
            text = "GL_DEPTH_TEST is enabled, and no framebuffer that was drawn to has a depth buffer, so every fragment passes"
            self._say(Finding("gl depth", "none", f"{text}: attach one to GL_DEPTH_ATTACHMENT"), self._without_depth)
            self._without_depth = None

    def _say_errors(self) -> None:
        errors, self._errors, self._age = self._errors, [], 0
        for code, text, place in errors:
            self._say(Finding("gl error", (code, place.call, text), f"{enum_text(code)}, and glGetError was never called: {text}"), place)

    # -- reports ----------------------------------------------------------------------------------------------------------
    def _place(self) -> Place:
        return replace(caller(), call=self._name)

    def _say(self, item: Finding, place: Place | None = None) -> None:
        self._reports.say(self._name, item, place or self._place())

    def _words(self, item: Finding) -> str:
        if item.rule.startswith("gl "):
            return item.text
        gl = self._gl()
        if item.rule in OTHERS_SAY or gl is None:
            return ""
        # the fixed-function pipeline has a program per state, such as that of an object out of view; depth peeling discards on purpose
        may_be_meant = item.rule == "no effect" and (not gl.is_core() or "shader discards" in item.text)
        if may_be_meant and gl.pipe.device.has_seen:  # type: ignore[attr-defined]
            return ""
        if item.rule == "loop":
            return framebuffer_checks.loops(gl)
        if item.rule == "gaps":
            title = framebuffer_checks.title_of_resource(gl, item.subject)
            return f"{title} was never cleared, and pixels that no draw covers hold 0: glClear(GL_COLOR_BUFFER_BIT)"
        if item.rule == "kind" and isinstance(item.subject, tuple) and not draw_checks.has_array(gl, item.subject[0]):
            return ""
        if item.rule == "matrix" and isinstance(item.subject, tuple):
            linked = gl.own_linked()
            named = self._uniforms.given(linked)
            if item.subject[1] not in named:
                return ""
        return translated(item.text)

    def _tell(self, text: str) -> None:
        gl = self._gl()
        if gl is not None:
            gl.message(GL.DEBUG_SOURCE_API, GL.DEBUG_TYPE_OTHER, 0, GL.DEBUG_SEVERITY_MEDIUM, text)


def _is_empty(name: str, values: tuple[Any, ...]) -> bool:
    """True if a draw has a count or an instance count of 0."""
    from tgsi.opengl.registry.table import command

    row = command(name)
    counts = [value for value, item in zip(values, row.parameters) if item.name in ("count", "instancecount")] if row is not None else []
    return 0 in counts


def _warn(text: str, category: type[Warning], file: str, line: int) -> None:
    """Warn. If a filter makes the warning an error, it cannot go through C and goes to `sys.unraisablehook`."""
    try:
        warnings.warn_explicit(text, category, file, line)
    except Warning as error:
        unraisable(error)
