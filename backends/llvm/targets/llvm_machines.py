"""LLVM's target machines. The one module of this package that loads LLVM: code from the object cache needs no target machine."""

from __future__ import annotations

import functools
import re
import sys

import llvmlite.binding as llvm

from backends.llvm.targets.host import host
from backends.llvm.targets.machines import Foreign, code_triple, foreign, own_architecture


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
def processors(triple: str) -> tuple[str, ...]:
    """Names of LLVM's processors for a target. LLVM prints them on stderr, so they are read from another process."""
    import subprocess  # imported late, as only processors named by a user need it

    script = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from backends.llvm.targets.llvm_machines import initialize_all, llvm\n"
        f"initialize_all(); llvm.Target.from_triple({triple!r}).create_target_machine(cpu='help')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)  # some targets abort
    listed = done.stderr.partition("Available features")[0]
    return tuple(re.findall(r"^  (\S+) +- ", listed, re.MULTILINE))


def check_processor(cpu: str) -> None:
    """Raise ValueError if `cpu` names a processor that its target lacks."""
    other = foreign(cpu)
    if other is None or not other.processor or other.processor in (known := processors(other.triple)):
        return
    from difflib import get_close_matches

    close = get_close_matches(other.processor, known, 1)
    hint = f"did you mean {close[0]}?" if close else f"LLVM knows {len(known)}, such as {', '.join(known[:6])}"
    raise ValueError(f"{other.triple} has no processor {other.processor!r}; {hint}")


def create_machine(cpu: str, level: int = 2) -> llvm.TargetMachine:
    """LLVM's target machine. `level` is the code generator's effort (`engine.opt_level`).

    Code for this process uses the small code model: constants lie next to the code.
    """
    other = foreign(cpu)
    if other is not None:
        return _create_foreign(other, level)
    initialize()
    name, features = _own_processor() if cpu == "host" else (cpu, "")
    if "-apple-" in host().triple and own_architecture().name == "aarch64":
        features = ",".join(filter(None, (features, "+reserve-x18")))  # reserved by the system there
    target = llvm.Target.from_triple(code_triple())
    return target.create_target_machine(cpu=name, features=features, opt=level, reloc="pic", codemodel="small", jit=True)


def _own_processor() -> tuple[str, str]:
    """Name and features of this machine. If LLVM cannot detect the features, the name alone may imply too many."""
    own = own_architecture()
    if not host().features:
        return own.processor, own.llvm_features
    is_x86 = own.name == "x86_64"  # LLVM mistakes some virtual processors for old ones, and aborts if those had no 64-bit mode
    return host().processor, host().features + ",+64bit" * is_x86


def _create_foreign(other: Foreign, level: int) -> llvm.TargetMachine:
    initialize_all()
    known = other.architecture
    target = llvm.Target.from_triple(other.triple)
    name, features = other.processor or known.processor, known.llvm_features
    return target.create_target_machine(cpu=name, features=features, opt=level, reloc="pic", codemodel="default", abiname=known.abi)
