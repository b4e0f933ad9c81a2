"""Public functions on programs: parse, check, link, run. Each but `parse` takes a Program, a text of TGSI or GLSL, or a SPIR-V module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import passes.validate
from linkage.link import find_profile
from linkage.link import link as _link
from linkage.options import DEFAULT, LinkOptions, link_state
from linkage.table import LinkTable
from passes.validate.semantics import LIMITS, SemanticLimits
from tgsi.language.diagnostics import Diagnostic, LinkError, Severity, show_at_caller
from tgsi.language.facts.enums import File
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from backends.pipe.state import SamplerState
    from backends.run.arguments import RunOptions
    from backends.run.result import RunResult
    from backends.run.textures import TextureData
    from linkage.relocate import RelocationList
    from passes.lower.renumber import Renumbering

__all__ = [
    "ENGINES",
    "check",
    "findings",
    "link",
    "link_chain",
    "linked_program",
    "optimize",
    "parse",
    "relocations",
    "renumber",
    "run",
    "validate",
]

ENGINES = ("jit", "interp")
"""Engines that run programs: compiled code ("jit"), and the interpreter that defines its results ("interp")."""


def check(
    program: Program | str | bytes, profile: str = "software", *, limits: str | SemanticLimits | None = None, lint: bool = False
) -> tuple[Diagnostic, ...]:
    """Every finding about a program, errors and warnings, in the order of their places.

    Args:
        program: the program to check.
        profile: the device whose semantic limits judge the program; `link` names them.
        limits: other semantic limits instead: a `SemanticLimits`, or a name of `passes.validate.semantics.LIMITS` such as "sm3", "byte"
            or "a".
        lint: also report likely mistakes in valid programs (codes L001 to L032).

    Raises:
        TypeError, ValueError: an argument is wrong.
    """
    program = _program(program, "check: program")
    findings = passes.validate.check(program, semantic_limits=_limits("check", profile, limits))
    if not lint or any(item.severity is Severity.ERROR for item in findings):
        return findings
    from passes.lint import lint as lints

    return tuple(sorted((*findings, *lints(program)), key=lambda item: item.span.start if item.span is not None else -1))


def validate(program: Program | str | bytes, profile: str = "software", *, limits: str | SemanticLimits | None = None) -> None:
    """Check a program as `check` does, and raise if it has errors.

    Raises:
        ValidationError: the program breaks a rule of the language; every finding is in the exception.
        LimitError: the program is correct, but too large, or its semantics are beyond the limits.
        TypeError, ValueError: an argument is wrong.
    """
    passes.validate.validate(_program(program, "validate: program"), semantic_limits=_limits("validate", profile, limits))


def optimize(program: Program | str | bytes, pipeline: str | None = None) -> Program:
    """Return a program of the same results, made by passes.

    Args:
        program: the program; it is validated first.
        pipeline: passes to run, as ``"fold-constants,if-to-select{instructions=2}"``; by default those that make the program shorter.
            ``tgsi-compile --list-passes`` names them all. Passes called ``lower-`` change the results.

    Raises:
        ValidationError, LimitError: the program may not run.
        UnsupportedError: a lowering met an instruction or declaration that it cannot lower; the message names it and its place.
        ValueError: the pipeline names an unknown pass or option.
    """
    from passes.pipeline import Pipeline
    from passes.registry import DEFAULT

    made = Pipeline.parse(DEFAULT if pipeline is None else pipeline)
    passes.validate.validate(program := _program(program, "optimize: program"))
    return made.run(program, is_valid=True)


def link(
    vertex: Program | str | bytes,
    fragment: Program | str | bytes,
    *,
    profile: str = "software",
    unmatched: str = "fill",
    mapping: Mapping[Semantic | str, Semantic | str] | None = None,
    options: LinkOptions = DEFAULT,
    limits: str | SemanticLimits | None = None,
) -> LinkTable:
    """Link a fragment program with the stage before it: the origin of each of its inputs. See `linkage.link.link`.

    Args:
        vertex: the program before the rasterizer.
        fragment: a FRAG program.
        profile: the scheme of a device: "software", "nv30", "nv40", "nv50", "r300", "r500", "r600", "svga", "svga10" or "i915".
        unmatched: "fill" lets an input without an output read 0, 0, 0, 1; "error" refuses it.
        mapping: a linkage other than the identity: fragment input -> the output that feeds it, e.g. ``{"GENERIC[0]": "TEXCOORD[2]"}``.
        options: rasterizer state that devices fold into their tables.
        limits: semantic limits that judge the pair instead of the profile's, as for `check`.

    Raises:
        LinkError: wrong stages, a semantic beyond the limits, two outputs of one semantic, an unmatched input under "error", or a device
            that cannot link the pair.
        TypeError, ValueError: an argument is wrong.
    """
    programs = _program(vertex, "link: vertex"), _program(fragment, "link: fragment", "frag")
    state = link_state(mapping, "link: mapping")
    return _link(*programs, profile, unmatched=unmatched, state=state, options=options, limits=_limits("link", profile, limits))


def link_chain(
    *programs: Program | str | bytes,
    profile: str = "software",
    unmatched: str = "fill",
    mapping: Mapping[Semantic | str, Semantic | str] | None = None,
    options: LinkOptions = DEFAULT,
    limits: str | SemanticLimits | None = None,
) -> tuple[LinkTable, ...]:
    """Link all stages of a draw: one table for each pair of neighbors. See `linkage.chain.link_chain`.

    Args:
        programs: VERT, TESS_CTRL, TESS_EVAL, GEOM, FRAG in this order, or TASK, MESH, FRAG; stages may be left out. profile, options,
        limits: as for `link`; the limits apply to all programs together.
        unmatched, mapping: as for `link`, for the pair with the fragment program.

    Raises:
        LinkError: the stages are in the wrong order, or two of them do not link.
        TypeError, ValueError: an argument is wrong, or there are fewer than two programs.
    """
    from linkage.chain import link_chain as chain

    given = [_program(item, "link_chain: programs") for item in programs]
    state, chosen = link_state(mapping, "link_chain: mapping"), _limits("link_chain", profile, limits)
    return chain(*given, profile=profile, unmatched=unmatched, state=state, options=options, limits=chosen)


def findings(
    *programs: Program | str | bytes,
    profile: str = "software",
    unmatched: str = "fill",
    mapping: Mapping[Semantic | str, Semantic | str] | None = None,
    options: LinkOptions = DEFAULT,
    limits: str | SemanticLimits | None = None,
) -> tuple[Diagnostic, ...]:
    """Every finding about the links of a chain, pair by pair: errors, warnings and notes.

    Arguments as for `link_chain`. A link that is refused gives its errors here, and pairs after it are not judged.

    Raises:
        TypeError, ValueError: an argument is wrong, or there are fewer than two programs.
    """
    try:
        tables = link_chain(*programs, profile=profile, unmatched=unmatched, mapping=mapping, options=options, limits=limits)
    except LinkError as error:
        return error.diagnostics
    return tuple(item for table in tables for item in table.findings)


def linked_program(
    vertex: Program | str | bytes,
    fragment: Program,
    *,
    mapping: Mapping[Semantic | str, Semantic | str] | None = None,
    moved: str = "fragment",
) -> Program:
    """One program of a pair with its registers renumbered, so that matching inputs and outputs have equal numbers.

    Args:
        vertex: the program before the rasterizer.
        fragment: a FRAG program.
        mapping: a linkage other than the identity, as in `link`.
        moved: "fragment" returns the fragment program, each input with the number of the output that feeds it; "vertex" returns the
            vertex program, each output with the number of the input that it feeds.

    Raises:
        LinkError: the programs do not link, or a declared range would have to be torn apart.
        TypeError, ValueError: an argument is wrong.
    """
    from linkage.linker import linked_program as linked

    programs = _program(vertex, "linked_program: vertex"), _program(fragment, "linked_program: fragment", "frag")
    return linked(*programs, state=link_state(mapping, "linked_program: mapping"), moved=moved)


def relocations(program: Program | Sequence[int], file: File | str = File.IN) -> RelocationList:
    """The places of a token stream that name registers of a file: words, bits, and the register. `patch` writes them.

    Args:
        program: a program, whose tokens come from `encode`, or the tokens themselves.
        file: the register file, e.g. File.IN of a fragment program or File.OUT of a vertex program.

    Raises:
        TypeError, ValueError: an argument is wrong; the words are not a token stream.
    """
    from linkage.relocate import relocations as places
    from tgsi.language.tokens.encoder import encode

    if isinstance(file, str) and file not in File.__members__:
        raise ValueError(f"relocations: file: {file!r} is not one of {', '.join(File.__members__)}")
    return places(encode(program) if isinstance(program, Program) else program, File[file] if isinstance(file, str) else file)


def renumber(programs: Sequence[Program], limits: str | SemanticLimits = "sm3", *, reserve: Iterable[int] = ()) -> Renumbering:
    """Give the semantics of linked programs legal indices, the same in each. See `passes.lower.renumber.renumber`.

    Args:
        programs: stages that link with each other, such as a vertex and a fragment program.
        limits: a `SemanticLimits`, or a name of `LIMITS`.
        reserve: GENERIC indices held free for other programs, e.g. ``range(8)``.

    Returns:
        A Renumbering: `programs`, in the order given, and `mapping`, the new semantic for each old one.

    Raises:
        LimitError: there are not enough legal indices.
        TypeError, ValueError: an argument is wrong.
    """
    from passes.lower.renumber import renumber as numbered

    chosen = _limits("renumber", "software", limits)
    return numbered([_program(item, "renumber: programs") for item in programs], chosen, reserve=reserve)


def run(
    program: Program | str | bytes,
    inputs: ArrayLike | None = None,
    *,
    constants: Mapping[int, ArrayLike] | None = None,
    system_values: Mapping[str, ArrayLike] | None = None,
    coefs: ArrayLike | None = None,
    quad_pos: ArrayLike | None = None,
    face: float = 1.0,
    flatshade_color: bool = False,
    textures: Mapping[int, TextureData] | None = None,
    samplers: Mapping[int, SamplerState] | None = None,
    buffers: Mapping[int, ArrayLike | bytes] | None = None,
    images: Mapping[int, TextureData] | None = None,
    counters: Mapping[int, ArrayLike | bytes] | None = None,
    memory: Mapping[str, ArrayLike | bytes] | None = None,
    payload: ArrayLike | bytes | None = None,
    shared_memory: int = 32768,
    grid: tuple[int, int, int] | None = None,
    block: tuple[int, int, int] | None = None,
    framebuffer: Mapping[int, ArrayLike] | None = None,
    sample_positions: ArrayLike | None = None,
    coverage: ArrayLike | None = None,
    fuel: int | None = None,
    time_limit: float | None = None,
    engine: str = "jit",
    lanes: int = 16,
    cpu: str = "host",
    trace: bool = False,
) -> RunResult:
    """Run a program of any stage over many invocations. All arguments except the last four apply to both engines.

    Args:
        program: the program; it is validated first.
        inputs: floats, or whole numbers, which are 32-bit words (1.0 is a float, 1 is not). VERT, FRAG: (invocations, registers, 4).
            GEOM: (primitives, vertices, registers, 4), each primitive running GS_INVOCATIONS times. TESS_CTRL: (patches, vertices,
            registers, 4), with TCS_VERTICES_OUT invocations a patch. TESS_EVAL: (patches, vertices, registers, 4), to which the
            outputs of TESS_CTRL can be reshaped: outputs that exist once a patch are read from its first vertex; TESSCOORD gives the
            invocations, equally many for each patch, patch by patch. COMP: none. Inputs declared as PRIM_ID always hold the number of the
            primitive.
        constants: buffer number (0 to 15) -> (vec4s, 4); reads outside give 0.
        system_values: semantic name -> (invocations,), for all channels, or (invocations, 1 to 4), other channels 0. Without a value,
            VERTEXID and VERTEXID_NOBASE count from 0, PRIM_ID, INVOCATIONID, THREAD_ID, BLOCK_ID, GRID_SIZE, BLOCK_SIZE, VERTICESIN
            and SUBGROUP_* follow the run, FACE follows `face`, SAMPLEMASK `coverage`, SAMPLEPOS SAMPLEID; everything else is 0.
        coefs, quad_pos: instead of `inputs`, for FRAG: (registers, 3, 4) planes a0, dadx, dady, and (4, invocations) x, y, z, 1/w of
            whole quads; whole numbers are converted here. `face` is above 0 for front faces; `flatshade_color` makes COLOR inputs constant.
        textures: unit -> `tgsi.TextureData`, the texels of a view. Units without one read (0, 0, 0, 1).
        samplers: unit -> `tgsi.gallium.SamplerState`; without this argument all textures have the defaults: nearest, repeat.
        buffers, counters: number of a BUFFER, or of a buffer of HWATOMIC counters (0 to 31) -> 32-bit words, or bytes (`bytes` or uint8).
        images: unit (0 to 31) -> TextureData with one level.
        memory: for COMP, "GLOBAL" and "INPUT" -> words or bytes. The result holds buffers, counters, images and memory as the run
            leaves them; the arguments are copied. shared_memory: bytes of SHARED memory of a block, and of PRIVATE memory of an
            invocation. TASK and MESH programs declare their SHARED memory in a property.
        payload: for MESH, words or bytes of PAYLOAD memory, which a task wrote: a row of the `payload` of its result. None by default.
        grid, block: for COMP, blocks and threads a block by axis, x first; by default one block of the program's fixed size. TASK and MESH
            have a `grid`, too; their programs always fix the block.
        framebuffer: for FRAG, number of a color output -> (invocations, 4), the stored colors that FBFETCH reads.
        sample_positions: for FRAG, (samples, 2) from 0 to 1 in the pixel, by default one in its center. coverage: (invocations,) bits of
            the covered samples, by default all.
        fuel: rounds of an invocation in an outermost loop, rounds of inner loops included (default 262144). After the last one it leaves
            the loop that it is in, and each outer loop at the end of its round; `exhausted` of the result is then true.
        time_limit: the most seconds that the run may take, compiling included; None: no limit.
        engine: "jit" or "interp"; both give the same values (EX2, LG2, POW, SIN, COS and linear filters within 2 units of the last
            place or 2e-6). If invocations race for memory, those that run together act in the order of their numbers: all of them in the
            interpreter, `lanes` at a time in compiled code.
        lanes, cpu: of compiled code: 4 to 64 invocations in a vector; "host" or an x86-64 level.
        trace: list the executed instructions ("interp" only).

    Returns:
        A RunResult: `outputs` are 32-bit words, (invocations, output registers, 4); `floats` is the same memory as float32; `alive`;
        `exhausted`, the invocations that ran out of fuel; `emitted` and `strips` of geometry programs; `tasks` and `payload` of task
        programs; `meshes` of mesh programs; `faults` of both; `buffers`, `counters`, `images`, `memory`; `trace`.

    Raises:
        ValidationError: the program breaks a rule.
        UnsupportedError: the engine does not support something that the program uses; the message names it and its place.
        TimeLimitError: the run took longer than `time_limit`.
        TypeError, ValueError: an argument does not fit; the message names it.
    """
    from backends.pipe.checks import seconds
    from backends.run.words import flag
    from passes.analysis.regions import FUEL
    from passes.fitting import fitted
    from tgsi.language import budgets

    limit = None if time_limit is None else seconds(time_limit, "run: time_limit")
    passes.validate.validate(program := _program(program, "run: program"))
    given: RunOptions = {
        "constants": constants,
        "system_values": system_values,
        "coefs": coefs,
        "quad_pos": quad_pos,
        "face": face,
        "flatshade_color": flatshade_color,
        "textures": textures,
        "samplers": samplers,
        "buffers": buffers,
        "images": images,
        "counters": counters,
        "memory": memory,
        "payload": payload,
        "shared_memory": shared_memory,
        "grid": grid,
        "block": block,
        "framebuffer": framebuffer,
        "sample_positions": sample_positions,
        "coverage": coverage,
        "fuel": FUEL if fuel is None else fuel,
    }
    if engine not in ENGINES:
        raise ValueError(f"run: engine: {engine!r} is not one of {', '.join(ENGINES)}")
    trace = flag("trace", trace)
    with budgets.limited("run", limit, "run(time_limit=...)"):
        if engine == "jit":
            from backends.llvm.kernels.run import run as compiled

            if trace:
                raise ValueError('run: trace: only engine="interp" has one')
            return compiled(fitted(program), inputs, lanes=lanes, cpu=cpu, **given)
        from backends.interp.run import run as interpreted

        return interpreted(fitted(program), inputs, trace=trace, **given)


def _limits(call: str, profile: str, limits: str | SemanticLimits | None) -> SemanticLimits:
    """The limit set of a profile, or its replacement."""
    try:
        own = find_profile(profile).semantic_limits
    except (TypeError, ValueError) as error:
        raise type(error)(f"{call}: {error}") from None
    if limits is None:
        return own
    if isinstance(limits, str):
        if limits not in LIMITS:
            raise ValueError(f"{call}: limits: {limits!r} is not one of {', '.join(LIMITS)}")
        return LIMITS[limits]
    if not isinstance(limits, SemanticLimits):
        raise TypeError(f"{call}: limits: expected a SemanticLimits or its name, not {type(limits).__name__}")
    return limits


def _program(value: Any, argument: str, stage: str | None = None) -> Program:
    if isinstance(value, str | bytes):
        from frontends.programs import compile_program

        return compile_program(value, argument, stage=stage)
    if not isinstance(value, Program):
        raise TypeError(f"{argument}: expected a Program, a text or a SPIR-V module, not {type(value).__name__}")
    return value


show_at_caller(globals(), __all__)
