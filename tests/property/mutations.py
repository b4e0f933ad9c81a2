"""Plant many small faults in our sources, one at a time, and tell which generated programs find each.

By hand: ``python -m tests.property.mutations --count 300 --seed 1 --programs 200``. A seed determines the faults: another operator, another
constant, a condition turned round, an operand left out, in functions that the programs execute. Each fault lives in a process of its own.
The report says after how many programs each was found, so it tells what a smaller sample would lose. Some faults change nothing that a
program can see (a faster way, a message), so not all can be found.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import multiprocessing
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CHECKS: dict[str, tuple[str, ...]] = {
    "engines": ("backends/llvm/translate", "backends/llvm/program", "backends/llvm/sampling", "backends/llvm/kernels", "backends/interp"),
    "meshes": ("backends/nvk/lower",),
}
"""Places of faults, by the kind of generated programs that look for them."""

LIMIT_S = 60
"""Processor seconds after which a program that does not end counts as finding its fault."""

_OTHER: dict[type[ast.AST], type[Any]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Fault:
    """One change of one function. number: place among all places of the function."""

    file: str
    function: str
    line: int
    number: int

    def __str__(self) -> str:
        return f"{self.file}:{self.function}:{self.line}#{self.number}"


def _places(node: ast.AST) -> list[ast.AST]:
    """Nodes of a function that a fault may change, without annotations and errors."""
    found: list[ast.AST] = []
    for item in ast.iter_child_nodes(node):
        if isinstance(item, ast.Raise | ast.Assert | ast.arguments | ast.FunctionDef | ast.JoinedStr):
            continue
        operators = [*getattr(item, "ops", [])] or [getattr(item, "op", None)]
        number = isinstance(item, ast.Constant) and isinstance(item.value, int | float)
        if number or type(operators[0]) in _OTHER or isinstance(item, ast.IfExp):
            found.append(item)
        found += _places(item)
    return found


def _change(node: ast.AST) -> None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    elif isinstance(node, ast.IfExp):
        node.body, node.orelse = node.orelse, node.body
    elif isinstance(node, ast.Compare):
        node.ops[0] = _OTHER[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp | ast.BoolOp):
        node.op = _OTHER[type(node.op)]()


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Outermost functions of a module and of its classes, by qualified name."""
    for item in ast.iter_child_nodes(tree):
        if isinstance(item, ast.ClassDef):
            yield from _functions(item, f"{prefix}{item.name}.")
        elif isinstance(item, ast.FunctionDef):
            yield f"{prefix}{item.name}", item


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _codes(item)


def plant(fault: Fault) -> bool:
    """Change the function in this process. False if no such function lives."""
    path = ROOT / fault.file
    tree = ast.parse(path.read_text())
    node = next(item for name, item in _functions(tree) if name == fault.function)
    _change(_places(node)[fault.number])
    made = compile(ast.fix_missing_locations(tree), str(path), "exec")
    (code,) = (item for item in _codes(made) if item.co_qualname == fault.function)
    wanted = str(path), fault.function, code.co_freevars
    was_frozen = gc.get_freeze_count() > 0
    gc.unfreeze()  # frozen functions are not among the objects
    living = [item for item in gc.get_objects() if isinstance(item, FunctionType)]
    if was_frozen:
        gc.freeze()  # each full collection of later tests would walk everything that pytest has collected
    for item in living:
        if (item.__code__.co_filename, item.__code__.co_qualname, item.__code__.co_freevars) == wanted:
            item.__code__ = code
    return any(item.__code__ is code for item in living)


def faults(count: int, seed: int, executed: set[tuple[str, str]]) -> list[Fault]:
    """Faults of a seed in executed functions, evenly over the functions."""
    chance, found = random.Random(seed), list[list[Fault]]()
    for file in sorted({file for file, _ in executed}):
        for name, node in _functions(ast.parse((ROOT / file).read_text())):
            if (file, name) in executed:
                places = _places(copy.deepcopy(node))
                own = [Fault(file, name, getattr(place, "lineno", 0), k) for k, place in enumerate(places)]
                chance.shuffle(own)
                found.append(own)
    chance.shuffle(found)
    order = [row[k] for k in range(max(map(len, found), default=0)) for row in found if k < len(row)]
    return order[:count]


class Engines:
    """Generated programs in both engines."""

    def __init__(self, programs: int) -> None:
        from tests.property.programs import seeds

        self.programs = seeds(programs)

    def differs(self, number: int) -> bool:
        from tests.property.engines import engine_differences

        chosen = self.programs[number]
        return bool(engine_differences(chosen.text, chosen.arguments))


class Meshes:
    """Generated pairs of task and mesh programs, as they are and lowered, in the interpreter."""

    def __init__(self, programs: int) -> None:
        from tests.property.mesh_pairs import generate

        self.programs = [generate(seed) for seed in range(programs)]

    def differs(self, number: int) -> bool:
        import tgsi
        from backends.nvk.emulator.compare import compare

        pair = self.programs[number]
        mesh, task = tgsi.parse(pair.mesh), tgsi.parse(pair.task) if pair.task else None

        def run(*given: Any, **options: Any) -> Any:
            return tgsi.run(*given, engine="interp", **options)

        return bool(compare(mesh, task, run, pair.grid, draw_id=pair.seed, **pair.arguments).differences)


def _executed(check: Engines | Meshes, places: Sequence[str]) -> set[tuple[str, str]]:
    """Functions below the places that the first programs execute, by file and outermost name."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        seen.add(frame.f_code)

    sys.setprofile(note)
    for number in range(len(check.programs)):
        assert not check.differs(number), f"program {number} differs without a fault"
    sys.setprofile(None)
    named = {(os.path.relpath(code.co_filename, ROOT), code.co_qualname.split(".<locals>")[0]) for code in seen}
    return {(file, name) for file, name in named if file.startswith(tuple(places))}


def _look(check: Engines | Meshes, fault: Fault, answer: Any) -> None:
    """Plant a fault and run the programs until one finds it; runs in a process of its own."""
    from backends.llvm.engine import engine
    from tests.effort import _kernels

    if not plant(fault):
        answer.send((-1, "not planted"))
        return
    _kernels.clear()
    if "sampling" in fault.file:
        engine._shared_libraries.clear()
    for number in range(len(check.programs)):
        answer.send((number, "ended"))
        signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
        try:
            if check.differs(number):
                answer.send((number, "found"))
                return
        except Exception as error:
            answer.send((number, f"raised {type(error).__name__}"))
            return
    answer.send((-1, "not found"))


def hunt(check: Engines | Meshes, fault: Fault) -> tuple[int, str]:
    """Number of the first program that finds a fault, and in what way; -1 if none does."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        _look(check, fault, theirs)
        os._exit(0)
    theirs.close()
    last = (0, "ended")
    while True:
        try:
            last = ours.recv()
        except EOFError:
            break
    os.waitpid(child, 0)
    return last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", choices=CHECKS, default="engines")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=200)
    given = parser.parse_args()
    import pytest

    from tests.effort import lower

    os.environ["TGSI_CACHE_DIR"] = ""
    lower(pytest.MonkeyPatch())
    check = Engines(given.programs) if given.check == "engines" else Meshes(given.programs)
    chosen = faults(given.count, given.seed, _executed(check, CHECKS[given.check]))
    results: list[int] = []
    begin = time.time()
    for fault in chosen:
        number, how = hunt(check, fault)
        print(f"{number}\t{how}\t{fault}", flush=True)
        if how != "not planted":
            results.append(number)
    found = [number for number in results if number >= 0]
    print(f"{len(results)} faults, {len(found)} found, {time.time() - begin:.0f} s")
    for size in (5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, given.programs):
        print(f"by {size} programs: {sum(number < size for number in found)}")


if __name__ == "__main__":
    main()
