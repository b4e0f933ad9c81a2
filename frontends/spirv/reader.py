"""SPIR-V modules to programs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn, TypeVar

from frontends.spirv.emit import arithmetic, atomics, composites, conversions, extended, images, integers, subgroups, textures, variables  # noqa: F401 they register emitters
from frontends.spirv.emit.bindings import separated
from frontends.spirv.emit.builtins import is_computed
from frontends.spirv.emit.capture import captured, stream_output
from frontends.spirv.emit.code import TooLong
from frontends.spirv.emit.finish import finish, varyings
from frontends.spirv.emit.flow import Flow
from frontends.spirv.emit.frames import tables_of
from frontends.spirv.emit.locations import moved
from frontends.spirv.emit.memory import store
from frontends.spirv.emit.places import Place, is_opaque, registers
from frontends.spirv.emit.stages import PROCESSORS, properties, shared_bytes
from frontends.spirv.emit.state import State
from frontends.spirv.interface import describe
from frontends.spirv.module.decoder import Module
from frontends.spirv.module.errors import Op
from frontends.spirv.module.module import EntryPoint, Tables, load
from frontends.spirv.module.types import MAX_WORDS, Pointer, inner
from tgsi.language.diagnostics import TgsiError
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.limits import MANY_TEMPORARIES
from tgsi.language.program import Program

if TYPE_CHECKING:
    from linkage.interner import SemanticInterner

T = TypeVar("T")


def entry_points(module: Module, *, name: str = "<module>") -> tuple[tuple[str, Processor | None], ...]:
    """Name and stage of each entry point of a module; the stage is None if TGSI does not have it.

    Raises:
        ParseError, UnsupportedError: the module is invalid, or TGSI cannot express it.
    """
    tables = _guarded(lambda: load(module, name), name)
    return tuple((item.name, PROCESSORS.get(item.model)) for item in tables.entries)


def read(
    module: Module,
    entry: str | None = None,
    specialization: Mapping[int | str, float] | None = None,
    *,
    stage: Processor | str | None = None,
    bindings: Mapping[str, int] | None = None,
    interner: SemanticInterner | None = None,
    name: str = "<module>",
    located: Collection[str] | None = None,
    bound: Collection[str] | None = None,
) -> Program:
    """The program of one entry point (docs/spirv.md describes the translation).

    Args:
        module: bytes of either order, or 32-bit words.
        entry, stage: name and stage of the entry point; needed where the module has several.
        specialization: values of specialization constants by SpecId or name.
        bindings: numbers of buffers, textures and images in place of those of the module, by the name of the variable or its block.
        interner: table that gives locations their semantics; without it location n is GENERIC[n].
        name: the name of the module in messages.
        located: names of the inputs and outputs whose locations are meant; others may get free ones. All of them, if nothing is given.
        bound: the same of the bindings of buffers, textures and images.

    Raises:
        ParseError: the module is wrong, or has no such entry point or constant (M001 to M010).
        UnsupportedError: TGSI cannot express the module, or it is too large (M020 to M023).
        LimitError: the interner has no semantic left.
        TypeError, ValueError: an argument is wrong.
    """
    wanted = Processor[stage] if isinstance(stage, str) else stage
    tables = _guarded(lambda: load(module, name, specialization), name)
    chosen = _entry(tables, entry, wanted)
    state = State(tables=tables, entry=chosen, processor=PROCESSORS[chosen.model], interner=interner)
    state.bindings = _bindings(tables, bindings or {}, bound)
    return _guarded(lambda: _program(state, located), name, state)


def _program(s: State, located: Collection[str] | None) -> Program:
    s.properties = properties(s)
    s.uniforms = _uniforms(s)
    s.locations = moved(s, located)
    _prologue(s)
    Flow(s).main()
    shared_bytes(s)
    streamed = captured(s)
    names = replace(describe(s), stream_output=stream_output(s, streamed, varyings(s)), is_upward=s.properties.get("FS_COORD_ORIGIN") == 1)
    return replace(_fitting(finish(s)), interface=names)


def _fitting(program: Program) -> Program:
    """The program with shared temporaries if it has very many, since the reader gives each value its own."""
    if program.file_size(File.TEMP) <= MANY_TEMPORARIES:
        return program
    from passes.optimise.merge import MergeTemporaries

    return MergeTemporaries().run(program)


def _entry(tables: Tables, name: str | None, stage: Processor | None) -> EntryPoint:
    have = ", ".join(f"{item.name!r} ({item.model})" for item in tables.entries) or "none"
    entries = [item for item in tables.entries if name in (None, item.name) and (stage is None or PROCESSORS.get(item.model) is stage)]
    if not entries:
        tables.sources.fail("M007", f"there is no entry point {'' if name is None else repr(name)}; there are: {have}")
    if len(entries) > 1:
        tables.sources.fail("M007", f"there are several entry points, choose one with entry= or stage=: {have}")
    if entries[0].model not in PROCESSORS:
        tables.sources.fail("M020", f"the execution model {entries[0].model} is not supported", entries[0].op)
    return entries[0]


def _bindings(tables: Tables, given: Mapping[str, int], bound: Collection[str] | None) -> dict[int, int]:
    numbers = separated(tables, bound)
    for id, op in tables.globals.items():
        names = {tables.names.get(id)}
        kind = tables.types.get(op.type, op)
        if isinstance(kind, Pointer):
            target = tables.types.known.get(kind.target)
            names.add(None if target is None else tables.names.get(getattr(inner(target), "id", 0)))
        for label in names & given.keys():
            numbers[id] = given[label]  # type: ignore[index]
    return numbers


def _uniforms(s: State) -> dict[int, int]:
    """First register of each default uniform in CONST[0], in the order of locations."""
    tables = s.tables
    uniforms = []
    for id, op in tables.globals.items():
        kind = tables.types.get(op.type, op)
        if isinstance(kind, Pointer) and kind.storage == "UniformConstant":
            target = tables.types.get(kind.target, op)
            if not is_opaque(target) and tables.decoration(id, "BuiltIn") is None:
                uniforms.append((tables.decoration(id, "Location") or 0, id, target))
    first, numbers = 0, {}
    for _, id, target in sorted(uniforms, key=lambda item: item[:2]):
        if target.words >= MAX_WORDS:
            s.fail("M023", "the uniforms are too large", tables.globals[id])
        numbers[id] = first
        first += registers(target)
    s.uniform_registers = first
    return numbers


def _prologue(s: State) -> None:
    """Write the prologue: values computed from system values, and variables with initializers."""
    used = {
        id
        for function in s.tables.functions.values()
        for block in function.blocks.values()
        for op in block.body
        for id in op.operands
        if isinstance(id, int)
    }
    for id, op in s.tables.globals.items():
        if id in used and (is_computed(s.tables, id) or len(op.operands) > 1):
            variables.root(s, id, op)
    shared: dict[tuple[int, int], Place] = {}
    for id, value in tables_of(s.tables, s.entry.function).items():  # arrays of constants are written once, however often they are used
        kind = s.tables.type_of[id], value
        if kind not in shared:
            target = s.tables.types.get(s.tables.type_of[value])
            s.code.begin(("table", *kind))
            shared[kind] = place = variables.temporaries(s, target, None)
            store(s, place, s.value(value))
        s.fixed[id] = shared[kind]


def _guarded(work: Callable[[], T], name: str, state: State | None = None) -> T:
    """Run a part of the reader. Exceptions caused by a hostile module become errors at the current instruction."""
    try:
        return work()
    except (TgsiError, MemoryError):
        raise
    except TooLong:
        _fail(state, name, "M023", "the program is too long")
    except RecursionError:
        _fail(state, name, "M023", "blocks and calls nest too deep")
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError, OverflowError, RuntimeError, ArithmeticError) as error:
        if isinstance(error, TypeError | ValueError) and state is None and str(error).startswith(("a module", "specialization")):
            raise
        _fail(state, name, "M006", f"the operands do not fit the instruction ({error})")


def _fail(state: State | None, name: str, code: str, text: str) -> NoReturn:
    from frontends.spirv.module.errors import error

    op: Op | None = None
    if state is not None and state.block is not None:
        body = [*state.block.body, *([state.block.end] if state.block.end is not None else [])]
        op = body[min(state.position, len(body) - 1)] if body else None
    if state is not None:
        state.fail(code, text, op)
    raise error(code, f"{name}: {text}")
