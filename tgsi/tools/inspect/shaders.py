"""Shaders of a trace: source, TGSI, the program after each pass that changes it, assembly; links of those that draw together."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import STAGES
from tgsi.language.record import record

if TYPE_CHECKING:
    from tgsi.insight.drawn_kernels import DrawnKernel
    from tgsi.language.program import Program

_MOST_SHADERS, _MOST_ASSEMBLIES, _MOST_LINKS, _MOST_KERNELS = 400, 24, 48, 16
"""Most shaders, shaders with assembly, drawn links, and kernels with assembly."""
_MOST_LINES = 2000
"""Most lines of a text in the page."""
_STORES = re.compile(r"\b(STORE|ATOM\w*)\b")
_STAGES = {row.call: processor for processor, row in STAGES.items()}
"""Stages by the words of methods."""
ORDER = tuple(sorted((row.call for row in STAGES.values() if row.is_drawn), key=lambda call: _STAGES[call] is Processor.FRAG))
"""Words of the stages of draws, in the order in which they link."""


@record(frozen=False, kw_only=True)
class Shader:
    """A shader of a trace.

    program: None if it could not be read. error: why it could not, or what is invalid in the program, which is then shown as it is.
    writes_memory: a second run may have side effects.
    """

    handle: int
    stage: str
    source: str
    program: Program | None = None
    error: str = ""
    draws: int = 0
    writes_memory: bool = True


def stage_of(method: str) -> str:
    """The word of a stage in the name of a method that creates a shader; "" for another method."""
    word = method.removeprefix("create_").removesuffix("_state")
    return word if word in _STAGES else ""


def read_shader(handle: int, stage: str, source: Any) -> Shader:
    """The shader of a recorded source: TGSI, a language that compiles to it, or words of SPIR-V."""
    text = source if isinstance(source, str) else f"SPIR-V, {len(source)} bytes" if isinstance(source, (bytes, bytearray)) else str(source)
    shader = Shader(handle=handle, stage=stage, source=text)
    try:
        from frontends.programs import compile_program
        from passes.validate import validate

        shader.program = compile_program(source, "inspect", stage=_STAGES[stage])
        validate(shader.program)
        shader.writes_memory = bool(_STORES.search(str(shader.program)))
    except Exception as error:  # a hostile text may cause any error, which the page reports
        shader.error = str(error)[:2000] or type(error).__name__
    return shader


def as_data(shader: Shader, with_assembly: bool) -> dict[str, Any]:
    """A shader for the page. Lines of the views have the number of their original TGSI line, if known."""
    views: list[dict[str, Any]] = []
    data = {"handle": shader.handle, "stage": shader.stage, "draws": shader.draws, "error": shader.error, "views": views}
    program = shader.program
    source = text_view("source", shader.source, [])
    views.append(source)
    if program is None:
        return data
    text = str(program)
    is_tgsi = any(item.span is not None for item in program.instructions)
    views.append(text_view("TGSI", text, _origins(program) if is_tgsi else _numbered(program)))
    if is_tgsi:
        lines = {item.span.line for item in program.instructions if item.span is not None}
        source["from"] = [k + 1 if k + 1 in lines else 0 for k in range(len(source["lines"]))]
    if shader.error:
        return data
    views += _passes(program if is_tgsi else _again(text, program))
    if with_assembly:
        views.append(_assembly(program))
    return data


def text_view(name: str, text: str, origins: Sequence[int] = ()) -> dict[str, Any]:
    """A text for the page, up to `_MOST_LINES`. origins: for each line, the number of its original TGSI line."""
    lines = text.splitlines()
    if len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"… {len(lines) - _MOST_LINES} more lines"]
    return {"name": name, "lines": lines, "from": list(origins[: len(lines)])}


def _again(text: str, program: Program) -> Program:
    """The program of another language read from its TGSI, so that its instructions have lines."""
    import tgsi

    try:
        return tgsi.parse(text)
    except tgsi.TgsiError:
        return program


def _origins(program: Program) -> list[int]:
    """For each line of the program's text, the original line of its instruction; 0 for declarations."""
    lines = str(program).splitlines()
    lengths = len(lines) - len(program.instructions)
    return [0] * lengths + [item.span.line if item.span is not None else 0 for item in program.instructions]


def _numbered(program: Program) -> list[int]:
    """Each instruction's own line."""
    lines = str(program).splitlines()
    first = len(lines) - len(program.instructions)
    return [k + 1 if k >= first else 0 for k in range(len(lines))]


def _passes(program: Program) -> list[dict[str, Any]]:
    """The program after each pass of the default pipeline that changes it."""
    from passes.pipeline import Pipeline
    from passes.registry import DEFAULT

    texts, before = [], str(program)
    try:
        for item in Pipeline.parse(DEFAULT).passes:
            program = Pipeline((item,)).run(program)
            after = str(program)
            if after != before:
                texts.append(text_view(f"after {item}", after, _origins(program)))
            before = after
    except ValueError as error:
        texts.append(text_view("passes", str(error), []))
    return texts


@lru_cache(64)
def _kept_assembly(program: Program) -> str:
    from tgsi.tools.compile.emit import assembly_of

    return assembly_of(program)


def _assembly(program: Program) -> dict[str, Any]:
    try:
        return text_view("assembly", _kept_assembly(program), [])
    except ValueError as error:
        return text_view("assembly", str(error), [])


def kernels_as_data(kernels: Sequence[DrawnKernel]) -> list[dict[str, Any]]:
    """Kernels for the page. Those of shaders with most draws have their assembly."""
    ranked = sorted((item for item in kernels if item.kernel.of_program), key=lambda item: -item.draws)
    shown = set(map(id, ranked[:_MOST_KERNELS]))
    return [
        {
            "name": item.kernel.name,
            "draws": item.draws,
            "views": [text_view("key", item.kernel.parts), *([text_view("assembly", _code_of(item))] if id(item) in shown else [])],
        }
        for item in kernels
    ]


def _code_of(kernel: DrawnKernel) -> str:
    try:
        return kernel.kernel.assembly()
    except (ValueError, MemoryError, RuntimeError) as error:
        return str(error)


def link_svg(shaders: Sequence[Shader]) -> str:
    """The link of shaders that draw together as base64 of an SVG; "" if there is none."""
    from linkage.chain import link_chain
    from tgsi.language.diagnostics import LinkError, TgsiError
    from tgsi.tools.compile.views.link_picture import link_picture, refused_picture

    programs = [shader.program for shader in shaders if shader.program is not None and not shader.error]
    names = [f"#{shader.handle}" for shader in shaders]
    if len(programs) != len(shaders) or len(programs) < 2:
        return ""
    try:
        picture = link_picture(link_chain(*programs), programs, names)
    except LinkError as error:
        picture = refused_picture(programs, names, error.diagnostics)
    except (TgsiError, ValueError):
        return ""
    return base64.b64encode(picture.encode()).decode()


class Shaders:
    """All shaders of a trace, and the links of those that draw together."""

    def __init__(self) -> None:
        self.of: dict[int, Shader] = {}
        self._links: dict[tuple[int, ...], int] = {}
        self._chains: list[tuple[Shader, ...]] = []

    def create(self, handle: int, stage: str, source: Any) -> None:
        """Add a created shader."""
        known = next((item for item in self.of.values() if item.source == source and item.stage == stage), None)
        if known is not None:
            self.of[handle] = replace(known, handle=handle, draws=0)
        else:
            self.of[handle] = read_shader(handle, stage, source)

    def draw(self, handles: Sequence[int]) -> int:
        """Add shaders that draw together, in the order of the stages. Returns the number of their link."""
        shaders = tuple(self.of[handle] for handle in handles if handle in self.of)
        for shader in shaders:
            shader.draws += 1
        key = tuple(shader.handle for shader in shaders)
        if key not in self._links:
            self._links[key] = len(self._chains)
            self._chains.append(shaders)
        return self._links[key]

    def as_data(self) -> dict[str, Any]:
        """Shaders and links for the page; the most used ones have their assembly."""
        used = sorted(self.of.values(), key=lambda shader: -shader.draws)[:_MOST_SHADERS]
        with_assembly = {id(shader) for shader in [item for item in used if item.program is not None][:_MOST_ASSEMBLIES]}
        return {
            "shaders": [as_data(shader, id(shader) in with_assembly) for shader in sorted(used, key=lambda shader: shader.handle)],
            "links": [
                {"shaders": [shader.handle for shader in chain], "svg": link_svg(chain) if k < _MOST_LINKS else ""}
                for k, chain in enumerate(self._chains)
            ],
        }
