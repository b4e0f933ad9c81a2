"""Architectures for which code is generated, in addition to the x86-64 of this process.

The rules of determinism hold on all of them: IEEE arithmetic with denormals, no fused operations except FMA, no approximations. A row
enables features that these rules need (vectors, double floats) and disables features that break them (units that flush denormals).
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from types import MappingProxyType

from tgsi.language.record import record


@record
class Architecture:
    """One architecture.

    name: the first word of the triple. triple: the triple for the bare name. about: one line for users. processor, llvm_features, abi:
    LLVM's names, for targets without a named processor. features: features that change generated text. stack: LLVM's address space of the
    stack. objects: True if LLVM writes object files for it, not only text.
    """

    name: str
    triple: str
    about: str
    processor: str = ""
    _: KW_ONLY
    llvm_features: str = ""
    abi: str = ""
    features: frozenset[str] = frozenset()
    stack: int = 0
    objects: bool = True


_FMA = frozenset({"fma"})
_ROWS = (
    Architecture("x86_64", "x86_64-linux-gnu", "64-bit x86; a level is a good processor", "x86-64"),
    Architecture("i686", "i686-linux-gnu", "32-bit x86 with SSE2", "pentium4", features=frozenset({"x86"})),
    Architecture("aarch64", "aarch64-linux-gnu", "64-bit ARM", "generic", features=_FMA | {"aarch64"}),
    Architecture(
        "armv7",
        "armv7-linux-gnueabihf",
        "32-bit ARM; vectors are split up, since NEON flushes denormals",
        "generic",
        llvm_features="+vfp4,-neon",
    ),
    Architecture(
        "riscv64", "riscv64-linux-gnu", "RISC-V, RV64GC", "generic-rv64", llvm_features="+m,+a,+f,+d,+c", abi="lp64d", features=_FMA
    ),
    Architecture(
        "riscv32", "riscv32-linux-gnu", "RISC-V, RV32GC", "generic-rv32", llvm_features="+m,+a,+f,+d,+c", abi="ilp32d", features=_FMA
    ),
    Architecture("loongarch64", "loongarch64-linux-gnu", "LoongArch", "generic-la64", llvm_features="+f,+d", abi="lp64d", features=_FMA),
    Architecture("powerpc64le", "powerpc64le-linux-gnu", "POWER8", "pwr8", features=_FMA),
    Architecture("mips64el", "mips64el-linux-gnu", "MIPS64, release 2", "mips64r2"),
    Architecture("wasm32", "wasm32-unknown-unknown", "WebAssembly with 128-bit vectors", "generic", llvm_features="+simd128"),
    Architecture("wasm64", "wasm64-unknown-unknown", "WebAssembly with 64-bit memory", "generic", llvm_features="+simd128"),
    Architecture("nvptx64", "nvptx64-nvidia-cuda", "NVIDIA GPUs; PTX is text", "sm_75", features=_FMA, objects=False),
    Architecture("amdgcn", "amdgcn-amd-amdhsa", "AMD GPUs", "gfx900", features=_FMA, stack=5),
)

ARCHITECTURES = MappingProxyType({row.name: row for row in _ROWS})

ALIASES = {
    "amd64": "x86_64",
    "arm64": "aarch64",
    "i386": "i686",
    "i586": "i686",
    "arm": "armv7",
    "armv7a": "armv7",
    "ppc64le": "powerpc64le",
}
_REFUSED = {
    **dict.fromkeys(
        ("s390x", "mips", "mips64", "sparc", "sparcv9", "powerpc", "powerpc64", "aarch64_be", "lanai", "armeb", "bpfeb"),
        "it is big-endian, and the records and texels that kernels read are little-endian",
    ),
    **dict.fromkeys(("bpf", "bpfel", "avr", "msp430", "xcore"), "it has no floating-point unit"),
    "r600": "it has no function calls and no 64-bit pointers",
}


def architecture_of(triple: str) -> Architecture:
    """Row of `ARCHITECTURES` for a triple or for the bare name of an architecture.

    Raises ValueError for a target without code generation. The message gives the reason, or the nearest name, or all names.
    """
    first = triple.partition("-")[0]
    name = ALIASES.get(first, first)
    if name in ARCHITECTURES:
        return ARCHITECTURES[name]
    if name in _REFUSED:
        raise ValueError(f"no code is generated for {triple}: {_REFUSED[name]}")
    from difflib import get_close_matches

    close = get_close_matches(first.lower(), [*ARCHITECTURES, *ALIASES], 1, 0.5)
    hint = f"did you mean {triple.replace(first, close[0], 1)}?" if close else f"it may begin with {', '.join(ARCHITECTURES)}"
    raise ValueError(f"unknown target {triple!r}; {hint}")
