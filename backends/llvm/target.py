"""What the machine code is made for: "host" or one of the x86-64 levels, and the few features that change generated text."""

from __future__ import annotations

import functools

import llvmlite.binding as llvm

_V2 = frozenset({"sse4.1", "ssse3", "popcnt"})
_V3 = _V2 | {"avx2", "f16c", "fma"}
_V4 = _V3 | {"avx512f", "avx512bw"}

#: x86-64 levels and the features of each that builders may ask for.
LEVELS: dict[str, frozenset[str]] = {"x86-64": frozenset(), "x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4}


@functools.cache
def initialize() -> None:
    """Set LLVM's native target up, once a process."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@functools.cache
def cpu_features(cpu: str) -> frozenset[str]:
    """Those of `LEVELS`' features that `cpu` has; ValueError for an unknown name."""
    if cpu == "host":
        host = llvm.get_host_cpu_features()
        return frozenset(name for name in _V4 if host.get(name))
    if cpu not in LEVELS:
        raise ValueError(f"cpu must be 'host' or one of {', '.join(LEVELS)}, not {cpu!r}")
    return LEVELS[cpu]


def native_lanes(cpu: str) -> int:
    """How many 32-bit lanes one vector register holds."""
    features = cpu_features(cpu)
    return 16 if "avx512f" in features else 8 if "avx2" in features else 4


@functools.cache
def identity(cpu: str) -> str:
    """Text that two targets share only if the same object code runs on both the same way; for cache keys."""
    if cpu == "host":
        return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    cpu_features(cpu)
    return f"{llvm.get_process_triple()} {cpu}"


def create_machine(cpu: str) -> llvm.TargetMachine:
    """A target machine; code generation at level 2, small code model (constants beside the code)."""
    initialize()
    cpu_features(cpu)
    name, features = cpu, ""
    if cpu == "host":
        name, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(cpu=name, features=features, opt=2, reloc="pic", codemodel="small", jit=True)
