"""``tgsi-compile --emit nvk``: a mesh shader, with or without a task shader, in the form that NVIDIA hardware accepts."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from tgsi.tools.compile.errors import UsageError
from tgsi.tools.compile.files import inputs, report, write
from tgsi.tools.compile.front import checked, fails
from tgsi.tools.compile.passes import make_runner
from tgsi.tools.compile.run import run_arguments
from tgsi.tools.compile.run_data import ArgumentsError, read_triple
from tgsi.tools.compile.run_options import RESOURCES

if TYPE_CHECKING:
    from backends.nvk.emulator.compare import Comparison
    from backends.nvk.lower.code import LoweredMesh, LoweredTask
    from backends.nvk.methods.calls import Call
    from tgsi.language.program import Program


def emit_nvk(options: argparse.Namespace) -> int:
    """Write methods, words and lowered programs of one or two files. Returns the exit code."""
    from backends.nvk.methods.table import MethodError
    from tgsi.language.diagnostics import DiagnosticError

    shaders = inputs(options)
    if len(shaders) > 2:
        given = "shaders given; --pick chooses" if options.from_log is not None else "files given"
        raise UsageError(f"--emit nvk takes a mesh shader and at most one task shader, {len(shaders)} {given}")
    try:
        run_passes = make_runner(options, sys.stderr.write)
    except ValueError as error:
        raise UsageError(str(error)) from None
    findings: list[Any] = []
    programs: list[Program] = []
    try:
        for item in shaders:
            program, more = checked(item, options)
            findings += more
            programs.append(program)
        if fails(findings, options):
            report(options, findings, True)
            return 1
        mesh, task = _stages([run_passes(program) for program in programs])
        output, differs = _made(mesh, task, options)
    except DiagnosticError as error:
        report(options, [*findings, *error.diagnostics], True)
        return 1
    except (MethodError, ArgumentsError) as error:
        raise UsageError(f"--emit nvk: {error}") from None
    if options.format != "json":
        report(options, findings, False)
    write(options, output)
    return int(differs)


def _stages(programs: list[Program]) -> tuple[Program, Program | None]:
    """The mesh program, and the task program or None."""
    from tgsi.language.facts.stages import STAGES

    meshes = [item for item in programs if STAGES[item.processor].is_mesh and STAGES[item.processor].feeds_rasterizer]
    tasks = [item for item in programs if STAGES[item.processor].is_mesh and item not in meshes]
    if len(meshes) != 1 or len(meshes) + len(tasks) != len(programs):
        given = " and ".join(item.processor.name for item in programs)
        raise UsageError(f"--emit nvk takes a MESH program, and a TASK program if there is one, not {given}")
    return meshes[0], tasks[0] if tasks else None


def _made(mesh: Program, task: Program | None, options: argparse.Namespace) -> tuple[str, bool]:
    """The text to write, and True if a comparison found differences."""
    with options.watch.stage("lower"):
        from backends.nvk.lower.binding import calls_of
        from backends.nvk.lower.lowering import lower_mesh, lower_task
        from backends.nvk.methods.classes import checked_class
        from backends.nvk.methods.words import encode

        number = checked_class(_class(options))
        grid = (1, 1, 1) if options.grid is None else read_triple("--grid", options.grid)
        lowered_mesh = lower_mesh(mesh, task)
        lowered_task = None if task is None else lower_task(task)
        calls = calls_of(lowered_mesh, lowered_task, grid[0] * grid[1] * grid[2])
        words = encode(calls, number)
    compared = _compared(mesh, task, grid, options) if options.compare else {}
    differs = any(item.differences for item in compared.values())
    if options.format == "json":
        return json.dumps(_as_json(lowered_mesh, lowered_task, calls, words, number, compared), indent=1) + "\n", differs
    return "\n".join(_lines(lowered_mesh, lowered_task, calls, words, number, compared)) + "\n", differs


def _class(options: argparse.Namespace) -> int:
    from backends.nvk.methods.classes import FIRST

    try:
        return FIRST if options.class_number is None else int(options.class_number, 16)
    except ValueError:
        raise UsageError(f"--class {options.class_number}: a class is a hexadecimal number, e.g. c597") from None


def _compared(mesh: Program, task: Program | None, grid: tuple[int, int, int], options: argparse.Namespace) -> dict[str, Comparison]:
    """Comparisons by the name of the engine."""
    with options.watch.stage("load engine"):
        from backends.nvk.emulator.compare import compare
        from tgsi.api import run
    given = run_arguments(options)
    resources = {name: given[name] for name in RESOURCES if name in given}
    engines = [options.engine] if options.engine else ["jit", "interp"]
    try:
        with options.watch.stage("compare"):
            return {name: compare(mesh, task, partial(run, engine=name), grid, **resources) for name in engines}
    except (TypeError, ValueError) as error:
        raise ArgumentsError(f"--compare: {error}") from None


def _lines(
    mesh: LoweredMesh, task: LoweredTask | None, calls: list[Call], words: list[int], number: int, compared: dict[str, Comparison]
) -> Iterator[str]:
    from backends.nvk.lower.listing import memory_lines
    from backends.nvk.methods.classes import CLASSES
    from backends.nvk.methods.printer import print_calls

    yield f"# methods of class {number:04x} ({CLASSES[number]})"
    yield print_calls(calls, number).rstrip()
    yield "# words"
    yield from (" ".join(f"{word:08x}" for word in words[at : at + 8]) for at in range(0, len(words), 8))
    for name, lowered in (("task", task), ("mesh", mesh)):
        if lowered is not None:
            yield f"# {name} program: memory"
            yield from memory_lines(lowered)
            yield f"# {name} program"
            yield str(lowered.code).rstrip()
    for engine, item in compared.items():
        yield f"# comparison: {engine}"
        counted = "invocations: {} task, {} mesh".format(*item.invocations)
        yield f"{len(item.direct)} mesh workgroups, {item.primitives} primitives; {counted}"
        yield from (f"fault: {text}" for text in item.faults)
        yield from item.differences or ("no difference",)


def _as_json(
    mesh: LoweredMesh, task: LoweredTask | None, calls: list[Call], words: list[int], number: int, compared: dict[str, Comparison]
) -> dict[str, Any]:
    from backends.nvk.lower.listing import memory_lines

    named = {"task": task, "mesh": mesh}
    programs = {name: {"memory": list(memory_lines(item)), "code": str(item.code)} for name, item in named.items() if item is not None}
    methods = [{"name": item.name, "copy": item.copy, "address": item.address, "fields": item.fields} for item in calls]
    results = {
        engine: {
            "workgroups": len(item.direct),
            "primitives": item.primitives,
            "invocations": list(item.invocations),
            "faults": list(item.faults),
            "differences": list(item.differences),
        }
        for engine, item in compared.items()
    }
    return {"class": f"{number:04x}", "methods": methods, "words": words, **programs, "comparison": results}
