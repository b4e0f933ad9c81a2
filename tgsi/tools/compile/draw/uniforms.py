"""Values of uniforms: given by ``--uniform``, derived from well-known names, and constants of TGSI by number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.stages import PIPELINE, STAGES
from tgsi.language.record import record
from tgsi.tools.compile.draw.known import View, is_word, known_value
from tgsi.tools.compile.errors import UsageError
from tgsi.tools.nearest import nearest

if TYPE_CHECKING:
    from tgsi.language.interface import Variable
    from tgsi.language.program import Program

_CONST = re.compile(r"(?:([A-Z_]+)[.:])?CONST(?:\[(\d{1,3})\])?\[(\d{1,5})(?:\.\.(\d{1,5}))?\]")
_MAX_ROWS = 4096
_STAGES = {"VERTEX": "VERT", "FRAGMENT": "FRAG", "GEOMETRY": "GEOM", "COMPUTE": "COMP"}


@record(kw_only=True)
class Uniforms:
    """Values for the programs of a picture.

    Attributes:
        named: name -> value, for `Context.set_uniforms`.
        constants: stage and buffer -> rows of four floats, of programs in TGSI.
        lines: a line for each value, for the report: name, value, reason.
        zeros: uniforms without a value.
    """

    named: Mapping[str, Any]
    constants: Mapping[tuple[Processor, int], NDArray[np.float32]]
    lines: tuple[tuple[str, str, str], ...]
    zeros: tuple[str, ...]


def uniforms_for(programs: Sequence[Program], texts: Sequence[str], entries: Sequence[str], view: View) -> Uniforms:
    """The values of all uniforms of some programs. `texts` are their sources.

    Raises:
        UsageError: --uniform names nothing that a program uses, or its value does not fit.
    """
    values = _given(entries)
    known = {name: item for program in programs for name, item in _variables(program)}
    named: dict[str, Any] = {}
    lines: list[tuple[str, str, str]] = []
    constants = _constants(programs, {name: item for name, item in values.items() if _CONST.fullmatch(name)}, view, lines)
    for name, numbers in values.items():
        if _CONST.fullmatch(name):
            continue
        if not any(name in (key, key.rpartition(".")[2]) for key in known) and is_word(name, texts):
            lines.append((name, "", "no output depends on it; its value is not used"))
        else:
            key, value = _named(name, numbers, known, programs)
            named[key] = value
            lines.append((key, ", ".join(f"{item:g}" for item in numbers), "--uniform"))
    zeros = []
    whole = "\n".join(texts)
    initial = {name for program in programs for name in _initial(program)}
    done = {name.rpartition(".")[2].partition("[")[0] for name in named}
    for name, variable in known.items():
        last = name.rpartition(".")[2].partition("[")[0]
        if name in named or (last in done and any(name.endswith(key) or key.startswith(name) for key in named)):
            continue
        well_known = known_value(name, variable.rows, variable.columns, view) if not variable.sizes and variable.scalar != "bool" else None
        if name in initial:
            lines.append((name, "", "the value that its text gives it"))
        elif well_known is None:
            zeros.append(str(variable).replace(variable.name, name))
        else:
            value, words = well_known
            named[name] = _fitted(variable, value, whole)
            lines.append((name, words, "a well-known name"))
    return Uniforms(named=named, constants=constants, lines=tuple(lines), zeros=tuple(zeros + _unset(programs, constants)))


def _fitted(variable: Variable, value: Any, text: str) -> Any:
    """The value, converted to the uniform's type. HLSL's `mul(matrix, vector)` sees the transpose of GLSL's matrix."""
    last = re.escape(variable.name.rpartition(".")[2])
    if variable.columns > 1 and re.search(rf"\bmul\s*\(\s*(?:\w+\.)*{last}\s*,", text):
        return np.asarray(value).T
    if variable.scalar in ("int", "uint", "int64_t", "uint64_t"):
        return [int(item) for item in value] if isinstance(value, list) else int(value)
    return value


def _variables(program: Program) -> Iterator[tuple[str, Variable]]:
    """Uniforms by the shortest name that `Context.set_uniforms` takes."""
    interface = program.interface
    if interface is None:
        return
    if interface.uniforms is not None:
        yield from interface.uniforms.members.items()
    for block in interface.blocks.values():
        for name, member in block.members.items():
            yield f"{block.name}.{name}", member


def _initial(program: Program) -> list[str]:
    """Default uniforms that have a value other than 0 in the text."""
    block = program.interface.uniforms if program.interface is not None else None
    if block is None or not block.initial:
        return []
    return [name for name, item in block.members.items() if any(block.initial[item.offset : item.offset + 4 * item.rows])]


def _given(entries: Sequence[str]) -> dict[str, list[float]]:
    """The entries of --uniform: NAME=NUMBERS."""
    values: dict[str, list[float]] = {}
    for text in entries:
        name, equals, numbers = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise UsageError(f"--uniform {text[:60]}: expected NAME=NUMBERS, as --uniform tint=1,0,0")
        if name in values:
            raise UsageError(f"--uniform {name}: given twice")
        words = [word for word in re.split(r"[,\s()\[\]{}]+", numbers) if word]
        try:
            values[name] = [{"true": 1.0, "false": 0.0}.get(word.lower()) or float(word.rstrip("fF") or word) for word in words]
        except ValueError:
            values[name] = []
        if not values[name] or len(values[name]) > _MAX_ROWS:
            raise UsageError(f"--uniform {text[:60]}: expected numbers after the sign, as --uniform {name}=1,0,0")
    return values


def _named(name: str, numbers: list[float], known: Mapping[str, Variable], programs: Sequence[Program]) -> tuple[str, Any]:
    """The key and the value of a uniform by its name; a member of a block also goes by its own name."""
    base = re.sub(r"\[\d+\]$", "", name)
    key = next((item for item in (name, base) if item in known), None)
    if key is None:
        matches = [item for item in known if item.rpartition(".")[2] in (name, base)]
        key = matches[0] if len(matches) == 1 else None
    if key is None:
        if not known:
            tgsi = any(program.interface is None for program in programs)
            raise UsageError(f"--uniform {name}: the programs have no uniforms{'; TGSI has numbers, as CONST[0]' if tgsi else ''}")
        hint = nearest(name, list(known)) or f"there are {', '.join(list(known)[:12])}"
        raise UsageError(f"--uniform {name}: no program uses a uniform of this name; {hint}")
    variable = known[key]
    shape = variable.shape[1:] if name != key and name.endswith("]") and variable.sizes else variable.shape
    wanted = int(np.prod(list(shape))) if shape else 1
    values: Any = [int(item) if item.is_integer() else item for item in numbers] if variable.scalar not in ("float", "double") else numbers
    if len(numbers) != wanted and 0 not in shape:
        if len(numbers) != 1 or variable.sizes or variable.columns > 1:
            raise UsageError(f"--uniform {name}: {variable} has {wanted} numbers, and {len(numbers)} came")
        values = values * wanted
    made = values[0] if not shape else np.array(values, object).reshape(shape if 0 not in shape else (-1, *shape[1:])).tolist()
    return (key + name[len(base) :] if name.endswith("]") and variable.sizes else key), made


def _constants(
    programs: Sequence[Program], entries: Mapping[str, list[float]], view: View, lines: list[tuple[str, str, str]]
) -> dict[tuple[Processor, int], NDArray[np.float32]]:
    """Constant buffers of programs in TGSI."""
    buffers: dict[tuple[Processor, int], NDArray[np.float32]] = {}
    for program in programs:
        if program.interface is None:
            for buffer, size in _sizes(program).items():
                buffers[program.processor, buffer] = np.zeros((size, 4), np.float32)
    stages = {stage.name for stage, _ in buffers}
    set_rows: set[tuple[Processor, int, int]] = set()
    for name, numbers in entries.items():
        match = _CONST.fullmatch(name)
        assert match is not None
        stage, buffer, first = _STAGES.get(match[1] or "", match[1]), int(match[2] or 0), int(match[3])
        places = [key for key in buffers if key[1] == buffer and stage in (None, key[0].name) and first < len(buffers[key])]
        if not places:
            has = ", ".join(f"{key[0].name}.CONST[{key[1]}][0..{len(rows) - 1}]" for key, rows in buffers.items())
            raise UsageError(f"--uniform {name}: no program in TGSI reads it; {f'there are {has}' if has else 'none has constants'}")
        for key in places:
            rows = np.array([*numbers, *[0.0] * (-len(numbers) % 4)], np.float32).reshape(-1, 4)
            space = len(buffers[key]) - first
            if len(rows) > space or (match[4] and len(rows) > int(match[4]) - first + 1):
                raise UsageError(f"--uniform {name}: {len(numbers)} numbers do not fit; the program has CONST[0..{len(buffers[key]) - 1}]")
            buffers[key][first : first + len(rows)] = rows
            set_rows |= {(*key, first + k) for k in range(len(rows))}
            more = f"{key[0].name}." if len(stages) > 1 else ""
            lines.append((f"{more}{name}" if not match[1] else name, ", ".join(f"{item:g}" for item in numbers), "--uniform"))
    for program in programs:
        key = (program.processor, 0)
        is_placed = program.processor in PIPELINE and STAGES[program.processor].feeds_rasterizer and len(buffers.get(key, ())) >= 4
        if is_placed and not any((*key, k) in set_rows for k in range(4)):
            _place_matrix(program, buffers[key], view, lines)
    return buffers


def _place_matrix(program: Program, rows: NDArray[np.float32], view: View, lines: list[tuple[str, str, str]]) -> None:
    """Projection * view * model in CONST[0..3]: as rows for programs that multiply by DP4, otherwise as columns."""
    as_rows = any(
        item.opcode is OPCODES["DP4"] and any(operand.register.file is File.CONST for operand in item.src) for item in program.instructions
    )
    matrix = view.camera.product("projection", "view", "model")
    rows[:4] = matrix if as_rows else matrix.T
    way = "rows, for DP4" if as_rows else "columns, for MUL and MAD"
    lines.append((f"{program.processor.name}.CONST[0..3]", "projection * view * model", f"as {way}"))
    if len(rows) >= 7 and not rows[4:7].any():
        normals = view.camera.normals("model")
        rows[4:7, :3] = normals if as_rows else normals.T
        lines.append((f"{program.processor.name}.CONST[4..6]", "normals of model", "after the matrix of positions"))


def _sizes(program: Program) -> dict[int, int]:
    """Rows of each constant buffer that a program declares."""
    sizes: dict[int, int] = {}
    for item in program.declarations:
        if item.file is File.CONST:
            sizes[item.dimension or 0] = min(max(sizes.get(item.dimension or 0, 0), item.last + 1), _MAX_ROWS)
    return sizes


def _unset(programs: Sequence[Program], buffers: Mapping[tuple[Processor, int], NDArray[np.float32]]) -> list[str]:
    """Constants of TGSI that are all 0."""
    unset = []
    for (stage, buffer), rows in buffers.items():
        empty = np.flatnonzero(~rows.any(1))
        if len(empty):
            runs = np.split(empty, np.flatnonzero(np.diff(empty) > 1) + 1)
            ends = [f"{run[0]}" if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs]
            unset += [f"{stage.name}.CONST{f'[{buffer}]' if buffer else ''}[{end}]" for end in ends]
    return unset


def bind_uniforms(context: Any, uniforms: Uniforms) -> None:
    """Set all values on a context whose shaders are bound. UsageError: a value does not fit its type."""
    try:
        context.set_uniforms(dict(uniforms.named))
    except (TypeError, ValueError) as error:
        raise UsageError(f"--uniform: {str(error).removeprefix('set_uniforms: ')}") from None
    for (stage, buffer), rows in uniforms.constants.items():
        context.set_constant_buffer(int(stage), rows, index=buffer)
