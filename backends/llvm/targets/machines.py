"""The machines that code is made for, and the few features that change generated text.

A `cpu` is "host" or an x86-64 level, whose code runs in this process, or an LLVM target as TRIPLE or TRIPLE/CPU ("aarch64-linux-gnu",
"nvptx64-nvidia-cuda/sm_80"), whose objects run elsewhere.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from difflib import get_close_matches

import llvmlite.binding as llvm

from backends.llvm.targets.architectures import ALIASES, ARCHITECTURES, Architecture, architecture_of
from tgsi.language.record import record

_BASE = frozenset({"x86"})
_V2 = _BASE | {"sse4.1", "ssse3", "popcnt"}
_V3 = _V2 | {"avx2", "f16c", "fma"}
_V4 = _V3 | {"avx512f", "avx512bw"}

#: x86-64 levels and the features of each that builders may ask for; "x86" stands for the common base, such as MXCSR.
LEVELS: dict[str, frozenset[str]] = {"x86-64": _BASE, "x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4}


@record
class Foreign:
    """A target given as TRIPLE or TRIPLE/CPU. `processor` is "" for the architecture's default."""

    triple: str
    processor: str
    architecture: Architecture

    @property
    def features(self) -> frozenset[str]:
        """Features that builders may ask for."""
        if self.architecture.name == "x86_64":
            return LEVELS.get(self.processor, _BASE)
        return self.architecture.features


@functools.cache
def initialize() -> None:
    """Initialize LLVM's native target, once a process."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@functools.cache
def initialize_all() -> None:
    """Initialize all of LLVM's targets, once a process."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


@functools.cache
def foreign(cpu: str) -> Foreign | None:
    """The target that `cpu` names with a triple; None for "host" and levels. ValueError for a name that is none of these."""
    if cpu == "host" or cpu in LEVELS:
        return None
    triple, _, processor = cpu.partition("/")
    if "-" not in triple and triple not in ARCHITECTURES and triple not in ALIASES:
        raise ValueError(f"cpu must be 'host', one of {', '.join(LEVELS)}, or a target triple, not {cpu!r}")
    found = architecture_of(triple)
    return Foreign(triple if "-" in triple else found.triple, processor, found)


@functools.cache
def processors(triple: str) -> tuple[str, ...]:
    """Names of the processors that LLVM knows for a target. LLVM prints them on stderr, so another process asks for them."""
    script = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from backends.llvm.targets.machines import initialize_all, llvm\n"
        f"initialize_all(); llvm.Target.from_triple({triple!r}).create_target_machine(cpu='help')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    listed = done.stderr.partition("Available features")[0]
    return tuple(re.findall(r"^  (\S+) +- ", listed, re.MULTILINE))


def check_processor(cpu: str) -> None:
    """Raise ValueError if `cpu` names a processor that its target lacks."""
    other = foreign(cpu)
    if other is None or not other.processor or other.processor in (known := processors(other.triple)):
        return
    close = get_close_matches(other.processor, known, 1)
    hint = f"did you mean {close[0]}?" if close else f"LLVM knows {len(known)}, such as {', '.join(known[:6])}"
    raise ValueError(f"{other.triple} has no processor {other.processor!r}; {hint}")


def require_runnable(cpu: str) -> None:
    """Raise ValueError for a `cpu` that names another target: its code cannot be linked into this process."""
    if foreign(cpu) is not None:
        raise ValueError(f"cpu: code for {cpu} cannot run here; 'host' and the levels {', '.join(LEVELS)} can")


@functools.cache
def cpu_features(cpu: str) -> frozenset[str]:
    """The features of `cpu` that builders may ask for: those of `LEVELS`, or of its architecture; ValueError for an unknown name."""
    if cpu == "host":
        host = llvm.get_host_cpu_features()
        own = architecture_of(llvm.get_process_triple())
        return frozenset(name for name in _V4 if host.get(name)) | _BASE if own.name == "x86_64" else own.features
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
    """Text that identifies a target in cache keys: targets with equal text run the same object code in the same way."""
    if cpu == "host":
        return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    cpu_features(cpu)
    return f"{llvm.get_process_triple()} {cpu}"


def create_machine(cpu: str, level: int = 2) -> llvm.TargetMachine:
    """LLVM's target machine. `level` is the code generator's effort (`engine.opt_level`).

    Code for this process uses the small code model: constants lie next to the code.
    """
    other = foreign(cpu)
    if other is not None:
        return _create_foreign(other, level)
    initialize()
    name, features = cpu, ""
    if cpu == "host":
        name, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(cpu=name, features=features, opt=level, reloc="pic", codemodel="small", jit=True)


def _create_foreign(other: Foreign, level: int) -> llvm.TargetMachine:
    initialize_all()
    known = other.architecture
    target = llvm.Target.from_triple(other.triple)
    name, features = other.processor or known.processor, known.llvm_features
    return target.create_target_machine(cpu=name, features=features, opt=level, reloc="pic", codemodel="default", abiname=known.abi)
