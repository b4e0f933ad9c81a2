"""`tgsi.function`: one function of a text of GLSL, or a whole program of TGSI, called with arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frontends.glsl.compiling import compile_prepared
from frontends.glsl.functions import ARGUMENTS, LEAST_VERSION, MAIN, RESULTS, TYPES, Signature, main_function, signatures
from frontends.glsl.prepare import Prepared, prepare
from frontends.glsl.request import Request, check_text, defines_of, folders_of, guessed_stage, stage_of, suffixes
from frontends.numbers import as_drivers
from frontends.programs import is_path, read_file
from tgsi.api import ENGINES, run
from tgsi.functions.values import array_for, is_natural, value_of, words_of
from tgsi.language.facts.enums import File, Processor
from tgsi.language.interface import Block, nearest
from tgsi.language.program import Program
from tgsi.language.source import Source, is_glsl

if TYPE_CHECKING:
    from backends.run.textures import TextureData

_STAGES = (Processor.VERT, Processor.FRAG, Processor.COMP)
_LARGEST = 1200
"""Elements of the largest array that is passed as one argument."""
_MOST = 4_000_000
"""Invocations of one run; longer arrays take several."""


def function(
    source: str | Path,
    name: str = "main",
    *,
    engine: str = "jit",
    stage: Processor | str | None = None,
    uniforms: Mapping[str, Any] | None = None,
    textures: Mapping[str, TextureData] | None = None,
    defines: Mapping[str, Any] | Iterable[str] = (),
    includes: str | Path | Iterable[str | Path] = (),
) -> Function | ProgramFunction:
    """One function of a shader, to be called from Python: ``tgsi.function("brdf.glsl", "brdf")(n, l, v)``.

    GLSL needs the extra ``tgsi[glsl]``. A program of TGSI is a function, too: its inputs are arguments, in the order of their registers.

    Args:
        source: the path of a file, or a text.
        name: the function; "main" for the program of a text of TGSI. Overloads are chosen by the arguments of each call.
        engine: "jit" or "interp"; both give the same bits.
        stage: "vert", "frag" or "comp"; by default what the file's ending or the text says, otherwise "vert". The function runs in a shader
            of this stage; four neighboring invocations of "frag" are a quad.
        uniforms: values of the uniforms that the function reads, by name.
        textures: `tgsi.TextureData` of the samplers that it reads, by name. Parameters that are samplers take TextureData in the call.
        defines, includes: as for `tgsi.compile`.

    Raises:
        ParseError: the text has errors. UnsupportedError: glslang is missing.
        TypeError, ValueError: an argument is wrong, or the text has no such function; the message names the nearest ones.
    """
    call = "function"
    if not isinstance(name, str):
        raise TypeError(f"{call}: name: expected a text, not {type(name).__name__}")
    if engine not in ENGINES:
        raise ValueError(f"{call}: engine: {engine!r} is not one of {', '.join(ENGINES)}")
    if not isinstance(source, str | Path):
        raise TypeError(f"{call}: expected a path or a text, not {type(source).__name__}")
    macros, folders, wanted, shown = defines_of(defines, call), folders_of(includes, call), None, call
    text, language = source, None
    if isinstance(source, Path) or is_path(source):
        path = Path(source)
        wanted, language = suffixes(path.name)
        content = read_file(path, call)
        if isinstance(content, bytes):
            raise TypeError(f"{call}: {path} is SPIR-V, which has no names of functions; give a text of GLSL or TGSI")
        text, shown, folders = content, str(path), (str(path.resolve().parent), *folders)
    assert isinstance(text, str)
    if language == "hlsl":
        raise TypeError(f"{call}: {shown} is HLSL; functions of GLSL and programs of TGSI can be called")
    if language is None and not is_glsl(text) and text.split(None, 1)[:1] and text.split(None, 1)[0] in Processor.__members__:
        return _tgsi(text, shown, name, engine, uniforms, textures)
    processor = stage_of(stage, call) if stage is not None else wanted or guessed_stage(text) or Processor.VERT
    if processor not in _STAGES:
        raise ValueError(
            f"{call}: functions run in {', '.join(item.name.lower() for item in _STAGES)}, not in {processor.name}; say stage="
        )
    given = (*macros, ("main", MAIN))
    request = Request(source=Source(text, shown), stage=processor, defines=given, folders=folders, least_version=LEAST_VERSION)
    return Function(request, name, engine, uniforms or {}, textures or {})


class Function:
    """A function of a text of GLSL. `signatures` are its overloads.

    Arguments are numbers or arrays, (..., 3) for a vec3, (..., rows, columns) for a matrix, (..., size) for an array; the axes in front are
    broadcast. Floats are rounded to 32 bits. The result has these axes, too; where the function has parameters that go out, it is a tuple
    of the returned value and these. A fragment that is discarded gives zeros.
    """

    def __init__(self, request: Request, name: str, engine: str, uniforms: Mapping[str, Any], textures: Mapping[str, Any]) -> None:
        check_text(request.source)
        self._request, self._prepared = request, prepare(request)
        self._texts = [token[0] for token in self._prepared.tokens]
        self._engine, self._uniforms, self._textures = engine, uniforms, textures
        self._programs: dict[Signature, Program] = {}
        every = signatures(self._texts, lambda text: "main" if text == MAIN else self._prepared.words(text))
        self.signatures: Sequence[Signature] = tuple(item for item in every if item.name == name)
        if not self.signatures:
            names = {item.name: None for item in every}
            has = f"; it has {', '.join(names)}" if names else "; it defines no function"
            raise ValueError(f"function: {request.source.name} has no function {name!r}{nearest(name, names) or has}")
        for item in self.signatures:
            _check_types(item)

    def __repr__(self) -> str:
        return f"<function {' | '.join(map(str, self.signatures))} of {self._request.source.name}>"

    def __call__(self, *arguments: Any) -> Any:
        """Call the function. TypeError, ValueError: the arguments do not fit, or a uniform that it reads has no value."""
        signature, arrays = _chosen(self.signatures, arguments)
        program = self._program(signature)
        given = [(item.value, array) for item, array in zip(signature.given, arrays) if not item.value.is_sampler]
        shapes = [array.shape[: array.ndim - len(value.shape)] for value, array in given]
        try:
            leading = np.broadcast_shapes(*shapes)
        except ValueError:
            raise ValueError(f"{signature}: the arguments' axes in front, {', '.join(map(str, shapes))}, cannot be broadcast") from None
        count = prod(leading)
        rows = [words_of(value, array, leading) for value, array in given]
        words = np.concatenate(rows, axis=1) if rows else np.zeros((count, 0), np.uint32)
        samplers = {item.name: array for item, array in zip(signature.given, arrays) if item.value.is_sampler}
        results = self._run(program, signature, words, samplers)
        made, at = [], 0
        for value in signature.results:
            made.append(value_of(value, results[:, at : at + value.words], leading))
            at += value.words
        return None if not made else made[0] if len(made) == 1 else tuple(made)

    def _program(self, signature: Signature) -> Program:
        program = self._programs.get(signature)
        if program is None:
            text = self._prepared.text + main_function(signature, self._request.stage, self._texts)
            prepared: Prepared = replace(self._prepared, text=text)
            program = self._programs[signature] = as_drivers(compile_prepared(self._request, prepared))
        return program

    def _run(self, program: Program, signature: Signature, words: NDArray[np.uint32], samplers: Mapping[str, Any]) -> NDArray[np.uint32]:
        """(invocations, words) of results."""
        width = sum(value.words for value in signature.results)
        options: dict[str, Any] = {"constants": self._constants(program, signature), "engine": self._engine}
        options["textures"] = self._units(program, signature, samplers)
        made = []
        for begin in range(0, len(words), _MOST):
            part = words[begin : begin + _MOST]
            buffers = {ARGUMENTS: part.reshape(-1), RESULTS: np.zeros(len(part) * width, np.uint32)}
            numbers = np.arange(len(part), dtype=np.uint32)
            match program.processor:
                case Processor.COMP:
                    group = prod(max(1, program.property(f"CS_FIXED_BLOCK_{axis}")) for axis in ("WIDTH", "HEIGHT", "DEPTH"))
                    done = run(program, buffers=buffers, grid=(-(-len(part) // group), 1, 1), **options)
                case Processor.FRAG:
                    inputs = np.zeros((len(part), program.file_size(File.IN), 4), np.uint32)
                    for item in program.declared(File.IN):
                        if item.semantic is not None and item.semantic.name == "PRIM_ID":
                            inputs[:, item.first] = numbers[:, None]
                    done = run(program, inputs, buffers=buffers, **options)
                case _:
                    inputs = np.zeros((len(part), program.file_size(File.IN), 4), np.uint32)
                    done = run(program, inputs, buffers=buffers, system_values={"VERTEXID": numbers}, **options)
            made.append(done.buffers[RESULTS].view(np.uint32).reshape(len(part), width))
        return np.concatenate(made) if made else np.zeros((0, width), np.uint32)

    def _constants(self, program: Program, signature: Signature) -> dict[int, NDArray[np.uint32]]:
        """Constant buffers with the uniforms. ValueError: one that the function reads has no value."""
        interface, given = program.interface, dict(self._uniforms)
        blocks: list[Block] = []
        if interface is not None:
            blocks = [*([interface.uniforms] if interface.uniforms is not None else []), *interface.blocks.values()]
        constants = {}
        for block in blocks:
            values = {member: given.pop(member) for member in block.members if member in given}
            missing = [member for member in block.members if member not in values]
            if missing and not block.initial:
                kind = block.members[missing[0]].type
                raise ValueError(f"{signature}: it reads the uniform {missing[0]}, {kind}; give it: uniforms={{{missing[0]!r}: ...}}")
            data = bytes(block.pack(values))
            constants[block.binding] = np.frombuffer(data + bytes(-len(data) % 16), np.uint32).reshape(-1, 4)
        return constants

    def _units(self, program: Program, signature: Signature, samplers: Mapping[str, Any]) -> dict[int, Any]:
        """Textures by unit. ValueError: one that the function reads is missing."""
        interface = program.interface
        units = {}
        places = {f"tgsi_sampler{number}": item.name for number, item in enumerate(signature.parameters) if item.value.is_sampler}
        for unit in () if interface is None else interface.samplers.values():
            texture = samplers.get(places[unit.name]) if unit.name in places else self._textures.get(unit.name)
            if texture is None:
                raise ValueError(
                    f"{signature}: it reads the texture {unit.name}; give it: textures={{{unit.name!r}: tgsi.TextureData(...)}}"
                )
            units[unit.binding] = texture
        return units


class ProgramFunction:
    """A program of TGSI as a function: inputs to outputs, each an array of (..., 4), in the order of their registers."""

    def __init__(self, program: Program, engine: str, options: Mapping[str, Any]) -> None:
        self.program = program
        self._engine, self._options = engine, options

    def __call__(self, *arguments: Any) -> Any:
        """Call the program. TypeError, ValueError: the arguments do not fit its inputs."""
        count = self.program.file_size(File.IN)
        if len(arguments) != count:
            raise TypeError(f"function: the program has {count} input registers, and {len(arguments)} arguments were given")
        arrays = [np.asarray(item) for item in arguments]
        for number, array in enumerate(arrays):
            if array.dtype.kind not in "fiu" or array.shape[-1:] != (4,):
                raise TypeError(f"function: IN[{number}]: expected an array of (..., 4), not of {array.shape}, {array.dtype}")
        leading = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        invocations = prod(leading)
        inputs = np.zeros((invocations, count, 4), np.uint32)
        for number, array in enumerate(arrays):
            plain = array if array.dtype in (np.uint32, np.int32) else array.astype(np.float32)
            inputs[:, number] = np.ascontiguousarray(np.broadcast_to(plain, (*leading, 4))).reshape(-1, 4).view(np.uint32)
        floats = run(self.program, inputs, engine=self._engine, **self._options).floats
        made = tuple(floats[:, number].reshape((*leading, 4)) for number in range(floats.shape[1]))
        return made[0] if len(made) == 1 else made


def _tgsi(text: str, shown: str, name: str, engine: str, uniforms: Any, textures: Any) -> ProgramFunction:
    from tgsi.language.text.parser import parse

    program = parse(text, name=shown)
    if name != "main":
        raise ValueError(f"function: {shown} is a program of TGSI, whose only function is 'main', not {name!r}")
    if program.processor not in (Processor.VERT, Processor.FRAG):
        raise ValueError(f"function: {shown}: programs of VERT and FRAG can be called, not of {program.processor.name}; see tgsi.run")
    return ProgramFunction(program, engine, {"constants": uniforms, "textures": textures})


def _check_types(signature: Signature) -> None:
    """Raise TypeError for values that cannot be passed."""
    for word, value in [("returns", item) for item in signature.results] + [(item.name, item.value) for item in signature.parameters]:
        if value.is_sampler and word != "returns":
            continue
        if value.type not in TYPES:
            raise TypeError(
                f"function: {signature}: {word}: values of type {value.type} cannot be passed; write a function that takes its parts"
            )
        if 0 in value.sizes or prod(value.sizes) > _LARGEST:
            raise TypeError(f"function: {signature}: {word}: the size of the array is not a plain number of up to {_LARGEST}")


def _chosen(overloads: Sequence[Signature], arguments: Sequence[Any]) -> tuple[Signature, list[Any]]:
    """The overload that takes the arguments, and these as arrays. TypeError, ValueError: no overload matches, or several do."""
    fitting = [item for item in overloads if len(item.given) == len(arguments)]
    if not fitting:
        wanted = " or ".join(sorted({str(len(item.given)) for item in overloads}))
        raise TypeError(f"{' | '.join(map(str, overloads))}: expected {wanted} arguments, not {len(arguments)}")
    made: list[tuple[int, int, Signature, list[Any]]] = []
    first: Exception | None = None
    for item in fitting:
        try:
            arrays = [_argument(item, number, given) for number, given in enumerate(arguments)]
        except (TypeError, ValueError) as error:
            first = first or error
            continue
        plain = [(parameter.value, given) for parameter, given in zip(item.given, arguments) if not parameter.value.is_sampler]
        made.append((sum(is_natural(*pair) for pair in plain), sum(prod(value.shape) for value, _ in plain), item, arrays))
    if not made:
        assert first is not None
        raise first
    made.sort(key=lambda entry: entry[:2], reverse=True)
    if len(made) > 1 and made[0][:2] == made[1][:2]:
        raise TypeError(
            f"the arguments fit several overloads: {' | '.join(str(entry[2]) for entry in made)}; convert them to the types of one"
        )
    return made[0][2], made[0][3]


def _argument(signature: Signature, number: int, given: Any) -> Any:
    parameter = signature.given[number]
    argument = f"{signature}: argument {number + 1}, {parameter.name or 'without a name'}"
    if not parameter.value.is_sampler:
        return array_for(parameter.value, given, argument)
    if not hasattr(given, "texels"):
        raise TypeError(f"{argument}: expected {parameter.value}, a tgsi.TextureData, not {type(given).__name__}")
    return given
