"""``tgsi-compile --draw``: from shaders to a picture, with a report of everything that was chosen automatically."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tgsi.language.diagnostics import DiagnosticError, Severity, TgsiError
from tgsi.language.facts.enums import File, Processor
from tgsi.language.record import record
from tgsi.tools.compile.draw.attributes import ZERO, Input, bind_inputs, match_inputs
from tgsi.tools.compile.draw.camera import make_camera
from tgsi.tools.compile.draw.drawing import Canvas, Look, image_units, mesh_draw, patch_vertices
from tgsi.tools.compile.draw.known import View
from tgsi.tools.compile.draw.mesh import Mesh
from tgsi.tools.compile.draw.mesh_files import read_mesh
from tgsi.tools.compile.draw.options import MOST_SAMPLES, read_color, read_size
from tgsi.tools.compile.draw.reasons import why_plain
from tgsi.tools.compile.draw.saving import check_name, save
from tgsi.tools.compile.draw.stages import draws, fragment_for, is_main_image, vertex_for, whole_image, within_text
from tgsi.tools.compile.draw.textures import bind_textures, pictures, samplers_of
from tgsi.tools.compile.draw.uniforms import bind_uniforms, uniforms_for
from tgsi.tools.compile.errors import PROGRAM, UsageError
from tgsi.tools.compile.files import Shader, inputs, report
from tgsi.tools.compile.front import checked, is_foreign
from tgsi.tools.compile.link import in_order
from tgsi.tools.compile.passes import make_runner
from tgsi.tools.compile.run_data import read_triple

if TYPE_CHECKING:
    from tgsi.language.program import Program


@record(kw_only=True)
class Drawn:
    """A picture and its report.

    Attributes:
        picture: RGB, shape (height, width, 3).
        title: the line about the picture.
        lines: kind of choice, such as ``input``, and words about it.
        reasons: sentences about a picture that shows nothing.
    """

    picture: NDArray[np.uint8]
    title: str
    lines: tuple[tuple[str, str], ...]
    reasons: tuple[str, ...] = ()


def draw_shaders(options: argparse.Namespace) -> int:
    """Draw with the shaders of the command line. Returns the exit code."""
    if options.output is not None:
        raise UsageError("-o: not allowed with --draw, which names the picture")
    for name in ("emit", "link"):
        if getattr(options, name):
            raise UsageError(f"--{name}: not allowed with --draw")
    try:
        run_passes = make_runner(options, sys.stderr.write)
    except ValueError as error:
        raise UsageError(str(error)) from None
    check_name(options.draw)
    findings: list[Any] = []
    try:
        shaders = inputs(options)
        programs = []
        for shader in shaders:
            program, found = _checked(shader, options)
            programs.append(program)
            findings += found
        if any(item.severity.value == "error" for item in findings):
            report(options, findings, True)
            return 1
        programs = in_order([run_passes(program) for program in programs], [shader.heading for shader in shaders])
        drawn = drawn_programs(programs, options, [shader.text for shader in shaders], _clip(shaders, programs, options))
    except DiagnosticError as error:
        report(options, [*findings, *error.diagnostics], True)
        return 1
    except TgsiError as error:
        raise UsageError(f"--draw: {error}") from None
    except MemoryError as error:
        raise UsageError(f"--draw: out of memory: {error or 'a smaller --size or fewer --samples may fit'}") from None
    save(drawn.picture, options.draw)
    report(options, findings, False)
    _tell(drawn, options)
    return 0


def _checked(shader: Shader, options: argparse.Namespace) -> tuple[Program, Sequence[Any]]:
    """The program of a shader, and findings. A text with mainImage becomes a whole fragment shader first."""
    if shader.module or not is_main_image(shader.text):
        return checked(shader, options)
    whole = shader._replace(text=whole_image(shader.text))
    given = argparse.Namespace(**{**vars(options), "stage": "frag", "language": "glsl"})
    try:
        program, findings = checked(whole, given)
    except DiagnosticError as error:
        raise type(error)(within_text(error.diagnostics, shader.text, shader.name)) from None
    return program, within_text(findings, shader.text, shader.name)


def _clip(shaders: Sequence[Shader], programs: Sequence[Program], options: argparse.Namespace) -> str:
    """Clip space of the last shader before the rasterizer, by its language."""
    if options.clip is not None:
        return str(options.clip)
    if all(program.processor is Processor.FRAG for program in programs):
        return "gl"
    from frontends.glsl.request import suffixes

    foreign = [(shader, program) for shader, program in zip(shaders, programs, strict=True) if is_foreign(shader, options)]
    if any(options.language == "hlsl" or suffixes(shader.name)[1] == "hlsl" for shader, _ in foreign):
        return "d3d"
    named = [program.interface for shader, program in foreign if shader.module or program.processor is not Processor.FRAG]
    return "vulkan" if any(names is not None and not names.is_upward for names in named) else "gl"


def drawn_programs(programs: Sequence[Program], options: argparse.Namespace, texts: Sequence[str], clip: str) -> Drawn:
    """The picture of some programs in the order of their stages.

    Raises:
        UsageError: an option does not fit the programs.
        DiagnosticError: the programs do not link.
    """
    import tgsi

    look = Look(
        size=read_size(options.size),
        samples=options.samples or 1,
        background=read_color(options.background),
        clip=clip,
        wireframe=options.wireframe,
        cull=(options.cull or "none").upper(),
        grid=read_triple("--grid", options.grid) if options.grid else (1, 1, 1),
    )
    if look.size[0] * look.size[1] * look.samples > MOST_SAMPLES:
        raise UsageError(f"--size: {look.size[0]} x {look.size[1]} pixels of {look.samples} samples are more than {MOST_SAMPLES}")
    kind = draws(programs)
    with tgsi.Screen() as screen, screen.context_create() as context:
        if kind == "grid":
            return _grid(context, programs[0], look, options, texts)
        return _scene(context, programs, look, options, texts, kind)


def _scene(context: Any, programs: Sequence[Program], look: Look, options: argparse.Namespace, texts: Sequence[str], kind: str) -> Drawn:
    """The picture of programs with a rasterizer."""
    from tgsi.api import link_chain

    lines: list[tuple[str, str]] = []
    mesh = read_mesh(options.mesh or _usual_mesh(programs)) if kind == "vertices" else None
    if kind == "meshes" and options.mesh is not None:
        raise UsageError("--mesh: mesh programs make their own vertices; leave it out")
    own_fragment = programs[-1].processor is not Processor.FRAG
    programs = _completed(programs, options, lines)
    for table in link_chain(*programs):
        lines += [("link", f"warning: {item.message}") for item in table.findings if item.severity is Severity.WARNING]
    canvas = Canvas(context, look, programs)
    view = View(camera=make_camera(mesh or read_mesh("cube"), look.size, look.clip), size=look.size, time=options.time or 0.0)
    call, inputs_found = _call(context, programs[: -1 if own_fragment else None], mesh, look, options, lines)
    uniforms = uniforms_for(programs, texts, options.uniform, view)
    bind_uniforms(context, uniforms)
    lines += [("uniform", f"{name} = {value} ({reason})" if value else f"{name}: {reason}") for name, value, reason in uniforms.lines]
    lines += [("uniform", f"{name} = 0: it has no value") for name in uniforms.zeros]
    samplers = samplers_of(programs)
    given = pictures(options.texture, samplers, texts, lines)
    lines += [("texture", f"{name}: {file}") for name, file in bind_textures(context, samplers, given)]
    counts = canvas.draw(call)
    picture = canvas.picture()
    zeros = [*uniforms.zeros, *(item.name for item in inputs_found if item.attribute == ZERO and item.registers == 1)]
    reasons = why_plain(picture, counts, canvas, call, mesh, zeros)
    if mesh is not None:
        lines += [("mesh", note) for note in mesh.notes]
    title = f"{look.size[0]} x {look.size[1]} pixels, {_summary(mesh, picture, look)}"
    return Drawn(picture=picture, title=title, lines=tuple(lines), reasons=tuple(reasons))


def _completed(programs: Sequence[Program], options: argparse.Namespace, lines: list[tuple[str, str]]) -> list[Program]:
    """The programs with a vertex or fragment program, if one is missing."""
    completed = list(programs)
    if completed[0].processor is Processor.FRAG:
        completed.insert(0, vertex_for(completed[0]))
        lines.append(("shader", "a vertex shader of our own places the mesh and hands on its attributes"))
    if completed[-1].processor is not Processor.FRAG:
        fragment, words = fragment_for(completed[-1], options.show)
        completed.append(fragment)
        lines.append(("shader", f"a fragment shader of our own shows {words}"))
    elif options.show is not None:
        raise UsageError("--show: there is a fragment shader, which decides about colors; leave out one of them")
    return completed


def _call(
    context: Any, programs: Sequence[Program], mesh: Mesh | None, look: Look, options: argparse.Namespace, lines: list[tuple[str, str]]
) -> tuple[Callable[[], None], Sequence[Input]]:
    """The call that draws, with its vertices bound."""
    if mesh is None:
        if options.attribute:
            raise UsageError("--attribute: mesh programs have no inputs of vertices")
        return (lambda: context.draw_mesh_tasks(grid=look.grid)), ()
    matches = match_inputs(programs[0], programs[1] if len(programs) > 1 else None, mesh, options.attribute)
    bind_inputs(context, matches, mesh)
    for item in matches:
        words = f"{item.name} <- {item.attribute} ({item.reason})"
        if item.attribute == ZERO:
            words = f"{item.name} is {'the identity' if item.registers > 1 and item.letter == 'f' else '0'}: {item.reason}"
        lines.append(("input", words))
    return mesh_draw(programs, mesh, context, bool(matches)), matches


def _usual_mesh(programs: Sequence[Program]) -> str:
    """The mesh of a command that names none: a quad for a fragment shader, a cube for programs with a camera, otherwise a triangle."""
    if programs[0].processor is Processor.FRAG:
        return "quad"
    if patch_vertices(programs) == 4 and not _has_camera(programs):
        return "quad"
    return "cube" if _has_camera(programs) else "triangle"


def _has_camera(programs: Sequence[Program]) -> bool:
    """True if a stage before the rasterizer has a matrix, or four constants in TGSI, where the camera goes."""
    for program in programs:
        if program.processor is Processor.FRAG:
            continue
        interface = program.interface
        if interface is None:
            if program.info.file_max[File.CONST] >= 3:
                return True
            continue
        blocks = [*interface.blocks.values(), *([interface.uniforms] if interface.uniforms is not None else [])]
        if any(item.columns == item.rows == 4 for block in blocks for item in block.members.values()):
            return True
    return False


def _summary(mesh: Mesh | None, picture: NDArray[np.uint8], look: Look) -> str:
    """Words about the draw."""
    name = f"{mesh.name} of {len(mesh.triangles)} triangle{'s' * (len(mesh.triangles) != 1)}" if mesh is not None else "meshes"
    background = np.array([round(item * 255) for item in look.background[:3]])
    covered = (abs(picture.astype(int) - background) > 1).any(-1).mean()
    share = "less than 1%" if 0 < covered < 0.01 else f"{covered:.0%}"
    return f"{name}, {share} of the picture differs from the background"


def _grid(context: Any, program: Program, look: Look, options: argparse.Namespace, texts: Sequence[str]) -> Drawn:
    """The picture that a compute program stores in an image."""
    if options.mesh is not None or options.attribute:
        raise UsageError(f"--{'mesh' if options.mesh is not None else 'attribute'}: a compute program has no vertices")
    formats, written = image_units(program)
    shown = min(written, default=None)
    if shown is None:
        raise UsageError("--draw: the compute program stores to no image (image2D, IMAGE); there is nothing to show")
    width, height = look.size
    names = {unit.binding: unit.name for unit in program.interface.images.values()} if program.interface is not None else {}
    images = []
    for unit in range(max(formats, default=-1) + 1):
        images.append(context.screen.resource_create(format=formats.get(unit, "R8G8B8A8_UNORM"), width0=width, height0=height))
    context.bind_compute_state(context.create_compute_state(program))
    context.set_shader_images("COMPUTE", images)
    lines = [("image", f"{names.get(shown, f'IMAGE[{shown}]')} is the picture, {formats[shown]}")]
    lines += [
        ("image", f"{names.get(unit, f'IMAGE[{unit}]')} is 0 everywhere, {formats[unit]}") for unit in sorted(formats) if unit != shown
    ]
    view = View(camera=make_camera(read_mesh("cube"), look.size, look.clip), size=look.size, time=options.time or 0.0)
    uniforms = uniforms_for([program], texts, options.uniform, view)
    bind_uniforms(context, uniforms)
    lines += [("uniform", f"{name} = {value} ({reason})" if value else f"{name}: {reason}") for name, value, reason in uniforms.lines]
    lines += [("uniform", f"{name} = 0: it has no value") for name in uniforms.zeros]
    samplers = samplers_of([program])
    given = pictures(options.texture, samplers, texts, lines)
    lines += [("texture", f"{name}: {file}") for name, file in bind_textures(context, samplers, given)]
    block = [program.info.properties.get(f"CS_FIXED_BLOCK_{axis}", 0) for axis in ("WIDTH", "HEIGHT", "DEPTH")]
    if not all(block):
        block = [8, 8, 1]
    grid = look.grid if options.grid else (-(-width // block[0]), -(-height // block[1]), 1)
    context.launch_grid(block=tuple(block), grid=grid)
    found = images[shown].picture()
    picture = np.ascontiguousarray(np.repeat(found[..., None], 3, -1) if found.ndim == 2 else found[..., :3])
    reasons = (
        [] if (picture != picture[0, 0]).any() else [f"every pixel has the color {', '.join(str(int(item)) for item in picture[0, 0])}"]
    )
    title = f"{width} x {height} pixels, {grid[0]} x {grid[1]} x {grid[2]} blocks of {block[0]} x {block[1]} x {block[2]}"
    return Drawn(picture=picture, title=title, lines=tuple(lines), reasons=tuple(reasons))


def _tell(drawn: Drawn, options: argparse.Namespace) -> None:
    """Write the report: to stdout, or to stderr where the picture goes to stdout."""
    stream = sys.stderr if options.draw == "-" else sys.stdout
    if options.format == "json":
        facts = {
            "picture": options.draw,
            "title": drawn.title,
            "choices": [list(item) for item in drawn.lines],
            "reasons": list(drawn.reasons),
        }
        stream.write(json.dumps(facts, indent=1) + "\n")
        return
    name = "stdout" if options.draw == "-" else options.draw
    stream.write(f"{name}: {drawn.title}\n")
    for kind, words in drawn.lines:
        stream.write(f"  {kind:8} {words}\n")
    for reason in drawn.reasons:
        stream.write(f"{PROGRAM}: {reason}\n")
