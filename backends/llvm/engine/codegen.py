"""LLVM text to machine code: parse, verify, optimise, generate. This module loads LLVM, so code from the disk cache never imports it.

CPU time of a miss, in ms, for a median FRAG of the corpus: text 1.6, parsing and verifying 1.2, passes 0.6, LLVM's code
generator 7, flat image and placing 0.2, keys and disk 0.6. Measured on 84 shaders and rejected:
- optimisation level 0 of the code generator: 3.0 instead of 6.9 (level 1) or 7.4 (level 2), but code that is a third longer, and slow.
- a target machine without `jit`, or with static relocation: no difference.
- options of LLVM's command line (no machine scheduler, no loop strength reduction, no sinking, no hoisting, no merging, another register
  allocator): at most 15 % for the first two; they affect the whole process, including other users of llvmlite.
- no verifier: saves 0.2, but the verifier turns a mistake in an emitter into an error instead of a crash.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import llvmlite.binding as llvm

from backends.llvm.engine import budget, ternary
from backends.llvm.engine import opt_level as effort
from backends.llvm.targets.llvm_machines import create_machine
from backends.llvm.targets.machines import cpu_features

if TYPE_CHECKING:
    from backends.llvm.builder.function import Module


@functools.cache
def machine_for(cpu: str, level: int = effort.DEFAULT) -> llvm.TargetMachine:
    """Target machine of a `cpu` and a level of code generation, created once. ValueError for an unknown `cpu`."""
    return create_machine(cpu, level)


def parse_module(text: str, machine: llvm.TargetMachine) -> llvm.ModuleRef:
    """Parse and verify LLVM text, for the target of `machine`."""
    parsed = llvm.parse_assembly(text)
    parsed.triple, parsed.data_layout = machine.triple, str(machine.target_data)
    parsed.verify()
    return parsed


#: LLVM's passes: name and llvmlite's method. Chosen by measurement (85 kernels of the corpus; ms of passes + of code generation, bytes):
#: these four 48 + 914, 267152; sroa alone 26 + 924, 271640 (its loops test at both ends); without loop-rotate 34 + 891, 268712 (likewise);
#: without simplifycfg 44 + 930; with instcombine 146 + 908, 284272; with sccp 63 + 908; with reassociate 65 + 941; with NewGVN 138 + 941
#: (and an assertion of its own aborts the process on some valid input). The builder itself computes pure values once, and keeps values that
#: a single region uses out of memory, which saves a fifth of the text. LLVM's fast instruction selector does not support wide vectors.
PASSES = (
    ("sroa", "add_sroa_pass"),
    ("simplifycfg", "add_simplify_cfg_pass"),
    ("loop-rotate", "add_loop_rotate_pass"),
    ("dce", "add_dead_code_elimination_pass"),
)


LARGE_PASSES = tuple(item for item in PASSES if item[0] in ("sroa", "dce"))
"""Passes for large modules (`budget`): all others would join the pieces of blocks, and take more than linear time."""


def run_passes(
    parsed: llvm.ModuleRef,
    machine: llvm.TargetMachine,
    times: dict[str, float] | None = None,
    chosen: tuple[tuple[str, str], ...] = PASSES,
) -> None:
    """Run passes on a module.

    With `times`, run them one after the other over the whole module, which gives the same code, and record the milliseconds of each.
    """
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    for group in [chosen] if times is None else [(item,) for item in chosen]:
        passes = llvm.create_new_function_pass_manager()
        for _, method in group:
            getattr(passes, method)()
        begin = time.perf_counter()
        for function in parsed.functions:
            if not function.is_declaration:
                passes.run(function, builder)
        if times is not None:
            times[group[0][0]] = (time.perf_counter() - begin) * 1e3


def optimized_module(text: str, machine: llvm.TargetMachine, passes: tuple[tuple[str, str], ...] = PASSES) -> llvm.ModuleRef:
    """Parse LLVM text and run the passes."""
    parsed = parse_module(text, machine)
    run_passes(parsed, machine, chosen=passes)
    return parsed


def way_of(text: str, cpu: str) -> tuple[str, llvm.TargetMachine, tuple[tuple[str, str], ...]]:
    """The text, the machine and the passes for compiling a module. UnsupportedError for a module beyond the budget."""
    if budget.is_large(text, cpu):
        return budget.in_pieces(text), machine_for(cpu, 0), LARGE_PASSES
    return text, machine_for(cpu, effort.code_generation_level(text)), PASSES


def optimized_text(module: Module, *, cpu: str | None = None) -> str:
    """LLVM text of a module after the passes, for reading."""
    text, machine, passes = way_of(module.text(), cpu or module.cpu)
    return str(optimized_module(text, machine, passes))


def generate(text: str, cpu: str) -> tuple[bytes, dict[str, float]]:
    """Object code of LLVM text, and the milliseconds of CPU time of each step. Calls must not overlap.

    Raises UnsupportedError for a module beyond the budget.
    """
    begin = time.thread_time()
    text, machine, passes = way_of(text, cpu)
    parsed = parse_module(text, machine)
    after_parse = time.thread_time()
    run_passes(parsed, machine, chosen=passes)
    after_passes = time.thread_time()
    image = emit_object(parsed, machine, cpu, lambda: str(optimized_module(text, machine, passes)))
    return image, {
        "parse_ms": (after_parse - begin) * 1e3,
        "passes_ms": (after_passes - after_parse) * 1e3,
        "codegen_ms": (time.thread_time() - after_passes) * 1e3,
    }


def emit_object(parsed: llvm.ModuleRef, machine: llvm.TargetMachine, cpu: str, again: Callable[[], str]) -> bytes:
    """Object code of a module, which LLVM modifies. `again` returns the module's original text."""
    image = bytes(machine.emit_object(parsed))
    if "x86" not in cpu_features(cpu) or not ternary.is_suspect(image):
        return image
    sound, machine = _sound(again(), machine, cpu)
    return bytes(machine.emit_object(sound))


def emit_assembly(parsed: llvm.ModuleRef, machine: llvm.TargetMachine, cpu: str) -> str:
    """The code of `emit_object` as text."""
    if "x86" in cpu_features(cpu):
        text = str(parsed)
        if ternary.is_suspect(bytes(machine.emit_object(parsed))):
            parsed, machine = _sound(text, machine, cpu)
        else:
            parsed = parse_module(text, machine)
    return str(machine.emit_assembly(parsed))


def _sound(text: str, machine: llvm.TargetMachine, cpu: str) -> tuple[llvm.ModuleRef, llvm.TargetMachine]:
    """A module equivalent to `text`, and the machine that compiles it without the bug of `ternary`.

    At level 0 no operand comes from memory.
    """
    hidden = ternary.hide_masks(text)
    if ternary.is_suspect(bytes(machine.emit_object(parse_module(hidden, machine)))):
        hidden, machine = text, machine_for(cpu, 0)
    return parse_module(hidden, machine), machine


def assembly(text: str, cpu: str) -> str:
    """Machine code of LLVM text, as text."""
    text, machine, passes = way_of(text, cpu)
    return emit_assembly(optimized_module(text, machine, passes), machine, cpu)
