"""Every block of code in README.md and docs runs: here blocks that need a few objects around them, others in the tests of `ELSEWHERE`."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageShow

import tgsi
from tests.unit.glsl.glslang import needs_glslang
from tgsi import gallium as g
from tgsi.tools.compile.cli import main

ROOT = Path(__file__).parent.parent
SHADERS = ROOT / "examples" / "shaders"
PAGES = ["README.md", *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))]
ELSEWHERE = {
    "README.md": "tests/test_readme.py",
    "docs/black-picture.md": "tests/test_pages.py",
    "docs/explain.md": "tests/unit/insight/test_page.py",
    "docs/frames.md": "tests/test_pages.py",
    "docs/linkage.md": "tests/unit/linkage/test_public_names.py",
    "docs/opengl-clients.md": "tests/test_recipes_of_clients.py",
    "docs/passes.md": "tests/unit/passes/test_own_passes.py",
    "docs/screenshots.md": "tests/test_pages.py",
    "docs/tgsi.md": "tests/test_pages.py",
    "docs/tutorial.md": "tests/test_tutorial.py",
    "docs/validation.md": "tests/test_pages.py",
    "docs/vtest.md": "tests/vtest/test_programs.py",
}
"""Pages whose Python blocks are run by another test."""

VERTEX = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], GENERIC[2]\n"
VERTEX += "MOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nMOV OUT[2], IN[0]\nEND\n"
FRAGMENT = "FRAG\nDCL IN[0], COLOR, COLOR\nDCL IN[1], GENERIC[2], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n"
FRAGMENT += "DCL CONST[0][0]\nDCL TEMP[0]\nTEX TEMP[0], IN[1], SAMP[0], 2D\nLRP OUT[0], IN[0], TEMP[0], CONST[0][0]\nEND\n"


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture
def screen() -> Iterator[g.Screen]:
    with tgsi.Screen(threads=0) as screen:
        yield screen


def arrays(screen: g.Screen, ctx: g.Context) -> dict[str, Any]:
    target = screen.resource_create(width0=8, height0=8, last_level=1)
    depth = screen.resource_create(format="Z32_FLOAT", width0=8, height0=8)
    ctx.clear_texture(depth, np.array(0.95, np.float32).tobytes())
    vertices = np.zeros(3, [("position", "f4", 3), ("uv", "f4", 2)])
    image = Image.new("RGB", (8, 8), "tomato")
    return {"screen": screen, "context": ctx, "image": image, "vertices": vertices, "target": target, "depth": depth}


def drawn(screen: g.Screen, ctx: g.Context) -> dict[str, Any]:
    ctx.set_framebuffer_state(cbufs=[screen.resource_create(width0=8, height0=8)])
    ctx.set_viewport_states([{"scale": (4, 4, 0.5), "translate": (4, 4, 0.5)}])
    ctx.bind_vs_state(ctx.create_vs_state("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0]\nADD OUT[0], IN[0], CONST[0]\nEND\n"))
    fragment = ctx.create_fs_state("FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND\n")
    ctx.bind_fs_state(fragment)
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
    corners = screen.buffer_from(np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]] * 12, np.float32))
    ctx.set_vertex_buffers([{"buffer": corners, "stride": 16}])
    mesh = SimpleNamespace(matrix=np.zeros(4, np.float32), buffer=screen.buffer_from(np.zeros(32, np.float32)), count=3)
    return {"ctx": ctx, "fs": fragment, "meshes": [mesh, mesh]}


def meshes(screen: g.Screen, ctx: g.Context) -> dict[str, Any]:
    task, mesh = ((SHADERS / f"{stage}.tgsi").read_text() for stage in ("task", "mesh"))
    fragment = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    buffers = {name: screen.buffer_from(np.zeros(1024, np.uint32)) for name in ("vertices", "triangles", "records", "counter")}
    drawn(screen, ctx)
    return {"ctx": ctx, "task_text": task, "mesh_text": mesh, "fragment_text": fragment, "meshlets": 1, **buffers}


def programs(screen: g.Screen, ctx: g.Context) -> dict[str, Any]:
    fragment = tgsi.parse(FRAGMENT)
    return {"text": FRAGMENT, "program": fragment, "fragment": fragment, "vertex": tgsi.parse(VERTEX)}


SESSIONS: dict[str, Callable[[g.Screen, g.Context], dict[str, Any]]] = {
    "docs/arrays.md": arrays,
    "docs/draws.md": drawn,
    "docs/inspect.md": lambda screen, ctx: {**drawn(screen, ctx), "screen": screen},
    "docs/lowering.md": programs,
    "docs/mesh.md": meshes,
    "docs/recording.md": drawn,
    "docs/state.md": programs,
}
"""Objects that the blocks of a page take as given."""


@pytest.mark.parametrize("page", SESSIONS)
def test_the_blocks_of_a_page_run(page: str, screen: g.Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ImageShow, "show", lambda *_, **__: True)
    with screen.context_create() as ctx:
        session = {"np": np, "tgsi": tgsi, "g": g, **SESSIONS[page](screen, ctx)}
        for block in blocks(page, "python"):
            exec(block.replace("1_000_000", "1_000"), session)


@needs_glslang
def test_the_first_program_in_glsl_and_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program, names = blocks("docs/glsl.md", "python")
    session: dict[str, Any] = {}
    exec(program, session)
    with Image.open("triangle.png") as picture:
        assert len(np.unique(np.array(picture).reshape(-1, 4), axis=0)) > 1000
    session["screen"].destroy()
    example = doctest.DocTestParser().get_doctest(names, {"tgsi": tgsi}, "names", "docs/glsl.md", 0)
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_call_that_reads_a_module_of_spirv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module without specialization constants: the name of the page is refused, and the rest of the call reads it."""
    monkeypatch.chdir(tmp_path)
    (call,) = blocks("docs/spirv.md", "python")
    Path("shader.spv").write_bytes(tgsi.write_spirv(tgsi.parse(FRAGMENT)))
    with pytest.raises(tgsi.ParseError, match="there is no specialization constant 'SAMPLES'"):
        exec(call, {"tgsi": tgsi, "Path": Path})
    session: dict[str, Any] = {"tgsi": tgsi, "Path": Path}
    exec(call.replace('{"SAMPLES": 4}', "{}"), session)
    assert session["program"].processor.name == "FRAG"


def test_a_context_of_moderngl_draws_with_the_program_of_the_page() -> None:
    pytest.importorskip("moderngl")
    session: dict[str, Any] = {}
    exec(blocks("docs/opengl.md", "python")[0], session)
    assert session["program"]["p"].location == 0
    session["ctx"].release()


def commands() -> list[str]:
    """Commands of tgsi-compile in the blocks of pages that no other test runs."""
    pages = ("docs/lowering.md", "docs/spirv.md", "docs/state.md")
    return [line for page in pages for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("tgsi-compile")]


@needs_glslang
@pytest.mark.parametrize("command", commands())
def test_a_command_of_a_page_works(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(SHADERS / "lit.tgsi", "shader.tgsi")
    Path("a.vert").write_text("#version 450\nlayout(location = 0) in vec4 p;\nvoid main() { gl_Position = p; }\n")
    Path("a.frag").write_text("#version 450\nlayout(location = 0) out vec4 color;\nvoid main() { color = vec4(1); }\n")
    assert main(shlex.split(command, comments=True)[1:]) == 0


def test_every_page_with_python_is_run_by_a_test() -> None:
    here = {*SESSIONS, "docs/glsl.md", "docs/spirv.md", "docs/opengl.md"}
    assert {page for page in PAGES if blocks(page, "python")} == here | ELSEWHERE.keys()
    for page, test in ELSEWHERE.items():
        text = (ROOT / test).read_text(encoding="utf-8")
        assert Path(page).name in text, (page, test)
