"""Doors: a library in memory that programs find by its name, the loader object, and a program that runs with ours."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tgsi.opengl.doors.elf import CONSTANTS, TABLE, shared_object
from tgsi.opengl.doors.library import is_possible

needs_door = pytest.mark.skipif(not is_possible(), reason="libraries in memory are for Linux on x86-64 and AArch64")

PROGRAM = """
import ctypes, sys
library = ctypes.CDLL("libOSMesa.so.8", mode=ctypes.RTLD_GLOBAL)
library.OSMesaCreateContextExt.restype = ctypes.c_void_p
library.OSMesaMakeCurrent.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_int]
library.glClearColor.argtypes = [ctypes.c_float] * 4
context = library.OSMesaCreateContextExt(0x1908, 24, 8, 0, None)
pixels = (ctypes.c_uint8 * (4 * 4 * 4))()
assert library.OSMesaMakeCurrent(context, pixels, 0x1401, 4, 4) == 1
library.glClearColor(1.0, 0.5, 0.0, 1.0)
library.glClear(0x4000)
library.glEnable(0x0C11)  # scissor
library.glScissor(0, 0, 4, 1)
library.glClearColor(0.0, 0.0, 1.0, 1.0)
library.glClear(0x4000)
library.glFinish()
print(list(pixels[:4]), list(pixels[-4:]), sys.argv[1:])
class AtTheEnd:
    def __del__(self):
        library.glFinish()
keep = AtTheEnd()
sys.exit(3)
"""


EGL_PROGRAM = """
import ctypes
egl, gl = ctypes.CDLL("libEGL.so.1"), ctypes.CDLL("libGL.so.1")
for name in ("eglGetDisplay", "eglCreatePbufferSurface", "eglCreateContext", "eglGetProcAddress", "eglQueryString"):
    getattr(egl, name).restype = ctypes.c_void_p
P = ctypes.c_void_p
display = P(egl.eglGetDisplay(None))
assert egl.eglInitialize(display, None, None) == 1
config, count = P(), ctypes.c_int()
wanted = (ctypes.c_int * 7)(0x3024, 8, 0x3025, 24, 0x3031, 4, 0x3038)
assert egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(count)) == 1 and count.value == 1
size = (ctypes.c_int * 5)(0x3057, 3, 0x3056, 2, 0x3038)
surface = P(egl.eglCreatePbufferSurface(display, config, size))
assert egl.eglBindAPI(0x30A2) == 1
context = P(egl.eglCreateContext(display, config, None, None))
assert egl.eglMakeCurrent(display, surface, surface, context) == 1
samples, box = ctypes.c_int(), (ctypes.c_int * 4)()
gl.glGetIntegerv(0x80A9, ctypes.byref(samples))
gl.glGetIntegerv(0x0BA2, box)
print(samples.value, list(box), ctypes.string_at(egl.eglQueryString(display, 0x3053)).decode())
assert egl.eglCreateContext(display, config, None, (ctypes.c_int * 3)(0x3098, 9, 0x3038)) is None and egl.eglGetError() == 0x3009
for name in ("CopyBuffers", "BindTexImage", "CreatePixmapSurface", "SurfaceAttrib", "CreateImage", "CreatePlatformWindowSurface"):
    assert not getattr(egl, "egl" + name)(display, surface, 0, 0, 0) and egl.eglGetError() >= 0x3002, name
egl.eglCreateSync.restype = ctypes.c_void_p
fence = P(egl.eglCreateSync(display, 0x30F9, None))
assert egl.eglClientWaitSync(display, fence, 0, ctypes.c_uint64(0)) == 0x30F6
assert egl.eglDestroySync(display, fence) == 1 and egl.eglDestroySync(display, fence) == 0
assert bool(egl.eglGetProcAddress(b"glDrawArrays")) and egl.eglGetProcAddress(b"glNoSuchFunction") is None
"""


def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[3]
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=120, check=False, cwd=root, env={**os.environ, **more}
    )


@needs_door
def test_a_program_finds_the_library_by_name_and_draws_into_its_memory(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    done = run("-m", "tgsi.opengl", str(script), "a", "b")
    assert done.stdout == "[0, 0, 255, 255] [255, 128, 0, 255] ['a', 'b']\n"
    assert done.stderr == ""
    assert done.returncode == 3


@needs_door
def test_a_program_finds_egl_and_gets_a_pbuffer_with_its_samples_and_size(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(EGL_PROGRAM)
    done = run("-m", "tgsi.opengl", str(script))
    assert (done.stdout, done.stderr) == ("4 [0, 0, 3, 2] tgsi\n", "")


@needs_door
def test_the_variable_that_vispy_reads_names_the_library(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("import ctypes, os\nprint(ctypes.CDLL(os.environ['OSMESA_LIBRARY']).OSMesaGetCurrentContext())\n")
    done = run("-m", "tgsi.opengl", str(script), OSMESA_LIBRARY="/no/such/library.so")
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_a_missing_script_is_named() -> None:
    done = run("-m", "tgsi.opengl", "no-such-file.py")
    assert done.returncode == 2
    assert done.stderr == "python -m tgsi.opengl: there is no file no-such-file.py\n"


LATE = """
import ctypes
find = ctypes.CDLL("LIBRARY").GetProcAddress
find.restype = ctypes.c_void_p
process = ctypes.CDLL(None)
process.__cxa_atexit.argtypes = [ctypes.c_void_p] * 3
for name in (b"glFinish", b"GetCurrentContext"):
    assert process.__cxa_atexit(find(name), None, None) == 0
"""


@needs_door
@pytest.mark.parametrize(("library", "prefix"), [("libOSMesa.so.8", "OSMesa"), ("libEGL.so.1", "egl")])
def test_addresses_that_a_program_asked_for_can_be_called_after_python_has_ended(tmp_path: Path, library: str, prefix: str) -> None:
    script = tmp_path / "program.py"
    script.write_text(LATE.replace("LIBRARY", library).replace("Get", prefix + "Get"))
    done = run("-m", "tgsi.opengl", str(script))
    assert (done.returncode, done.stderr) == (0, "")


@needs_door
def test_install_sets_variables_and_uninstall_takes_them_back() -> None:
    text = (
        "import os, ctypes.util, tgsi.opengl\n"
        "before = os.environ.get('MUJOCO_GL'), ctypes.util.find_library\n"
        "tgsi.opengl.install(); tgsi.opengl.install()\n"
        "print(os.environ['MUJOCO_GL'], ctypes.util.find_library('OSMesa'))\n"
        "tgsi.opengl.uninstall()\n"
        "print((os.environ.get('MUJOCO_GL'), ctypes.util.find_library) == before)\n"
    )
    done = run("-c", text)
    assert done.stdout == "osmesa libOSMesa.so.8\nTrue\n", done.stderr


def symbols(image: bytes) -> dict[str, int]:
    """The exports of a shared object, by name, with their addresses: read again by its dynamic section."""
    count = struct.unpack_from("<H", image, 56)[0]
    headers = [struct.unpack_from("<IIQQQQQQ", image, 64 + 56 * k) for k in range(count)]
    dynamic = next(header for header in headers if header[0] == 2)
    entries = dict(struct.unpack_from("<QQ", image, dynamic[2] + 16 * k) for k in range(dynamic[5] // 16))
    total = struct.unpack_from("<II", image, entries[4])[1]
    found = {}
    for k in range(1, total):
        name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", image, entries[6] + 24 * k)
        start = entries[5] + name
        found[image[start : image.index(b"\0", start)].decode()] = value
    return found


@pytest.mark.parametrize("kind", [62, 183])
def test_each_export_jumps_through_its_slot(kind: int) -> None:
    names = [f"glFunction{k}" for k in range(700)]
    image = shared_object("libTest.so.1", names, kind)
    found = symbols(image)
    assert set(found) == {*names, TABLE, *CONSTANTS.values()}
    for k in (0, 1, 699):
        at, slot = found[names[k]], found[TABLE] + 8 * k
        if kind == 62:
            assert image[at : at + 6] == b"\xf3\x0f\x1e\xfa\xff\x25"
            assert at + 10 + struct.unpack_from("<i", image, at + 6)[0] == slot
        else:
            _, adrp, load, branch = struct.unpack_from("<4I", image, at)
            pages = (adrp >> 29 & 3) | (adrp >> 5 & 0x7FFFF) << 2
            assert ((at + 4) & ~0xFFF) + (pages << 12) + (load >> 10 & 0xFFF) * 8 == slot
            assert branch == 0xD61F0200


def test_an_unknown_machine_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="is not x86-64 or AArch64"):
        shared_object("libTest.so.1", ["glFlush"], 40)


def test_a_context_that_ends_with_the_interpreter_ends_silently() -> None:
    program = """
import ctypes, tgsi.opengl

class Owner:
    def __init__(self):
        self.loader = tgsi.opengl.create(size=(64, 64))
    def __del__(self):
        self.loader.release()

owner = Owner()
ctypes.CFUNCTYPE(None, ctypes.c_uint32)(owner.loader.load("glClear"))(0x4000)
"""
    run = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr) == (0, "")


def test_moderngl_takes_the_loader_object() -> None:
    moderngl = pytest.importorskip("moderngl")
    import tgsi.opengl

    ctx = moderngl.create_context(context=tgsi.opengl.create())
    assert ctx.version_code == 430
    program = ctx.program(
        vertex_shader="#version 330\nin vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); }",
        fragment_shader="#version 330\nuniform vec3 tone; out vec4 color; void main() { color = vec4(tone, 1.0); }",
    )
    program["tone"].value = (0.0, 1.0, 0.0)
    corners = struct.pack("8f", -1, -1, 1, -1, -1, 1, 1, 1)
    vertices = ctx.vertex_array(program, [(ctx.buffer(corners), "2f", "p")])
    target = ctx.simple_framebuffer((4, 4))
    target.use()
    vertices.render(moderngl.TRIANGLE_STRIP)
    assert target.read(components=3) == bytes((0, 255, 0)) * 16
    assert ctx.error == "GL_NO_ERROR"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x = 1\nhello world\n", '  File "{path}", line 2\n    hello world\n          ^^^^^\nSyntaxError: invalid syntax\n'),
        (b"x\0y", "{path}"),
    ],
)
def test_a_script_that_is_no_program_is_named_without_frames_of_ours(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_bytes(content)
    done = subprocess.run([sys.executable, "-m", "tgsi.opengl", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert message.format(path=path) in done.stderr
    assert "Traceback" not in done.stderr
