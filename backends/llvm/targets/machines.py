"""The machines for which code is generated, and the few features that change generated text.

A `cpu` is "host" or an x86-64 level, whose code runs in this process, or an LLVM target as TRIPLE or TRIPLE/CPU ("aarch64-linux-gnu",
"nvptx64-nvidia-cuda/sm_80"), whose objects run elsewhere.
"""

from __future__ import annotations

import functools

from backends.llvm.targets.architectures import ALIASES, ARCHITECTURES, Architecture, architecture_of
from backends.llvm.targets.host import host
from tgsi.language.record import record

RUNNABLE = ("x86_64", "aarch64")
"""Architectures whose code can run in this process. Records, entries and the linker are made for them."""

_BASE = frozenset({"x86"})
_V2 = _BASE | {"sse4.1", "ssse3", "popcnt"}
_V3 = _V2 | {"avx2", "f16c", "fma"}
_V4 = _V3 | {"avx512f", "avx512bw"}

#: x86-64 levels and the features of each that builders may ask for; "x86" is the common base, for example the floating-point mode.
LEVELS: dict[str, frozenset[str]] = {"x86-64": _BASE, "x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4}


_OF_V2 = frozenset({"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"})
_OF_V3 = _OF_V2 | {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}
_OF_V4 = _OF_V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}

#: x86-64 levels and LLVM's names of the features that code of each may use. Source: the System V ABI for AMD64, section 3.1.1.
NEEDED: dict[str, frozenset[str]] = {"x86-64": frozenset(), "x86-64-v2": _OF_V2, "x86-64-v3": _OF_V3, "x86-64-v4": _OF_V4}


@record
class Foreign:
    """A target given as TRIPLE or TRIPLE/CPU. `processor` is "" for the architecture's default."""

    triple: str
    processor: str
    architecture: Architecture

    @property
    def features(self) -> frozenset[str]:
        """Features that change generated text."""
        if self.architecture.name == "x86_64":
            return LEVELS.get(self.processor, _BASE)
        return self.architecture.features


@functools.cache
def foreign(cpu: str) -> Foreign | None:
    """The target that `cpu` names with a triple; None for "host" and levels. ValueError for any other name."""
    if cpu == "host" or cpu in LEVELS:
        return None
    triple, _, processor = cpu.partition("/")
    if "-" not in triple and triple not in ARCHITECTURES and triple not in ALIASES:
        raise ValueError(f"cpu must be 'host', one of {', '.join(LEVELS)}, or a target triple, not {cpu!r}")
    architecture = architecture_of(triple)
    return Foreign(triple if "-" in triple else architecture.triple, processor, architecture)


@functools.cache
def own_architecture() -> Architecture:
    """Architecture of this process. ValueError if compiled code cannot run here; the message gives the reason and the way out."""
    triple = host().triple
    try:
        architecture = architecture_of(triple)
    except ValueError as error:
        raise ValueError(f"{error}; {_INTERPRETER}") from None
    if architecture.name not in RUNNABLE:
        raise ValueError(f"compiled code runs on {' and '.join(RUNNABLE)}, and this process is {triple}; {_INTERPRETER}")
    return architecture


def code_triple() -> str:
    """Triple of the code that runs in this process.

    Objects are ELF on every system, as the engine's own linker reads them. Only the calling convention depends on the system: Windows has
    its own; macOS and Linux agree for all types that generated code and its callers pass.
    """
    own, triple = own_architecture().name, host().triple
    if "-windows" in triple:
        return f"{own}-pc-windows-msvc-elf"
    return f"{own}-unknown-linux-gnu" if "-apple-" in triple else triple


_INTERPRETER = 'engine="interp" runs programs here'


@functools.cache
def require_runnable(cpu: str) -> None:
    """Raise ValueError if code for `cpu` cannot run in this process: another target, a level above this machine, an unknown machine."""
    own = own_architecture()
    if foreign(cpu) is not None or (cpu != "host" and own.name != "x86_64"):
        choices = f"'host' and the levels {', '.join(LEVELS)} can" if own.name == "x86_64" else f"this is {own.name}; 'host' can"
        raise ValueError(f"cpu: code for {cpu} cannot run here; {choices}")
    missing = NEEDED.get(cpu, frozenset()) - set(host().features.replace("+", "").split(","))
    if missing:
        raise ValueError(f"cpu: code for {cpu} cannot run here; this machine lacks {', '.join(sorted(missing))}")


@functools.cache
def cpu_features(cpu: str) -> frozenset[str]:
    """The features of `cpu` that change generated text, from `LEVELS` or its architecture; ValueError for an unknown name."""
    if cpu == "host":
        own = own_architecture()
        return frozenset(name for name in _V4 if host().has(name)) | _BASE if own.name == "x86_64" else own.features
    other = foreign(cpu)
    return LEVELS[cpu] if other is None else other.features


def stack_space(cpu: str) -> int:
    """LLVM's address space of stack memory."""
    other = foreign(cpu)
    return 0 if other is None else other.architecture.stack


def native_lanes(cpu: str) -> int:
    """Number of 32-bit lanes of one vector register."""
    features = cpu_features(cpu)
    return 16 if "avx512f" in features else 8 if "avx2" in features else 4


@functools.cache
def identity(cpu: str) -> str:
    """Text that identifies a target in cache keys: targets with equal text run the same object code identically."""
    if cpu == "host":
        return f"{host().triple} {host().processor} {host().features}"
    cpu_features(cpu)
    return f"{host().triple} {cpu}"
