"""Code of a module as output for users: LLVM's text, assembly, object files.

An object is complete: it contains the shared functions that it calls. The assembly of targets without objects does, too. Other texts
show the module's own code only.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import llvmlite.binding as llvm

from backends.llvm.builder.function import Module
from backends.llvm.engine.codegen import emit_assembly, emit_object, parse_module, run_passes, way_of
from backends.llvm.engine.engine import build_shared
from backends.llvm.engine.linking import ALLOWED_SYMBOLS
from backends.llvm.engine.object_files import undefined_symbols
from backends.llvm.targets.llvm_machines import check_processor
from backends.llvm.targets.machines import foreign
from tgsi.language.record import record

#: Further symbols that objects for other machines may leave undefined: the linker's tables, and integer routines of the compiler's library.
_LINKER_SYMBOLS = frozenset({"_GLOBAL_OFFSET_TABLE_", ".TOC.", "_fltused", "__chkstk", "memmove"})
_INTEGER_ROUTINES = frozenset(
    f"__{prefix}{name}"
    for prefix, names in {
        "": "divdi3 moddi3 udivdi3 umoddi3 muldi3 ashldi3 ashrdi3 lshrdi3 popcountsi2 popcountdi2 divsi3 modsi3 udivsi3 umodsi3 multi3",
        "aeabi_": "ldivmod uldivmod idiv uidiv idivmod uidivmod lmul llsl llsr lasr "
        "memcpy memcpy4 memcpy8 memmove memset memclr memclr4 memclr8",
    }.items()
    for name in names.split()
)
_FATAL, _ASSERTION = "LLVM ERROR: ", "Assertion `"  # of LLVM's last messages


@record
class Artifact:
    """Text, or the bytes of an object, and the milliseconds of each step; steps of LLVM are its passes by name."""

    data: str | bytes
    times: dict[str, float]


def has_objects(cpu: str) -> bool:
    """True if LLVM writes objects for `cpu`, not only text. ValueError for an unknown one."""
    other = foreign(cpu)
    return other is None or other.architecture.objects


def generate_artifact(build: Callable[[], Module], kind: str, *, cpu: str = "host") -> Artifact:
    """Generate code of the module that `build` returns. `kind` is "llvm", "asm" or "obj"; `targets.machines` describes `cpu`.

    Raises:
        UnsupportedError: an instruction or resource cannot be generated; the message gives its name and place.
        ValueError: an unknown cpu or target, or one for which LLVM writes no code or no objects.
    """
    if kind == "obj" and not has_objects(cpu):
        raise ValueError(f"LLVM writes no objects for {cpu}, only text (asm)")
    times: dict[str, float] = {}
    with _measured(times, "build LLVM text"):
        module = build()
        text = module.text()
    exports = tuple(f.name for f in module.functions if not f.internal)
    with _measured(times, "set up target"):
        check_processor(cpu)
        _try_elsewhere(text, kind, cpu, exports)
    code = make_code(text, kind, cpu, exports, times)
    if isinstance(code, bytes):
        with _measured(times, "scan symbols"):
            _check_symbols(code, module.name)
    return Artifact(code, times)


def make_code(text: str, kind: str, cpu: str, exports: Sequence[str], times: dict[str, float]) -> str | bytes:
    """Machine code of LLVM text. exports: functions of the module that are called from outside. times: gets the milliseconds of each
    step."""
    textual = not has_objects(cpu)
    with _measured(times, "set up code generator"):
        text, machine, chosen = way_of(text, cpu)
    with _measured(times, "parse LLVM text"):
        parsed = parse_module(text, machine)
    if kind == "obj" or (kind == "asm" and textual):
        with _measured(times, "link shared functions"):
            _link_shared(parsed, cpu, exports, machine)
    passes: dict[str, float] = {}
    run_passes(parsed, machine, passes, chosen)
    times.update({f"LLVM {name}": spent for name, spent in passes.items()})
    if kind == "llvm":
        return str(parsed)
    with _measured(times, "generate code"):
        whole = str(parsed)
        return emit_assembly(parsed, machine, cpu) if kind == "asm" else emit_object(parsed, machine, cpu, lambda: whole)


def _try_elsewhere(text: str, kind: str, cpu: str, exports: Sequence[str]) -> None:
    """Try the code generation in another process first, unless the target is a row of our table, because LLVM aborts the process for
    unsuitable targets.

    Raises ValueError with LLVM's last messages.
    """
    other = foreign(cpu)
    if other is None or (other.triple == other.architecture.triple and not other.processor):
        return
    script = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from backends.llvm.engine.artifact import make_code\n"
        f"make_code(sys.stdin.read(), {kind!r}, {cpu!r}, {tuple(exports)!r}, {{}})"
    )
    done = subprocess.run([sys.executable, "-c", script], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()] or ["it ended without a message"]
        reason = next((line for line in lines if line.startswith(_FATAL) or _ASSERTION in line), lines[-1])
        words = reason.removeprefix(_FATAL) if _ASSERTION not in reason else reason[reason.index(_ASSERTION) :]
        raise ValueError(f"LLVM cannot generate code for {cpu}: {words}")


@contextmanager
def _measured(times: dict[str, float], name: str) -> Iterator[None]:
    begin = time.perf_counter()
    yield
    times[name] = (time.perf_counter() - begin) * 1e3


def _link_shared(parsed: llvm.ModuleRef, cpu: str, exports: Sequence[str], machine: llvm.TargetMachine) -> None:
    """Link the shared functions that a module calls into it."""
    while True:
        missing = [f.name for f in parsed.functions if f.is_declaration]
        shared = next(((name, library) for name in missing if (library := build_shared(name, cpu)) is not None), None)
        if shared is None:
            break
        parsed.link_in(parse_module(shared[1].text(), machine))
    for function in parsed.functions:
        if not function.is_declaration and function.name not in exports:
            function.linkage = llvm.Linkage.internal
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(parsed, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1)))


def _check_symbols(image: bytes, name: str) -> None:
    wanted = undefined_symbols(image) - ALLOWED_SYMBOLS - _LINKER_SYMBOLS - _INTEGER_ROUTINES
    if wanted:
        raise ValueError(f"module {name!r} calls {', '.join(sorted(wanted))}, which generated code must not call")
