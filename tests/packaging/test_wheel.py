"""The installed package owns one name, `tgsi`, and works next to packages that are named like the repository's other folders."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from backends.llvm.engine import ready_made
from hatch_build import GUESTS, MADE_HERE, doubtful, module_names, package_files
from tests.vtest.test_command import RED, red

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

FRAGMENT = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nSIN OUT[0], IN[0].xxxx\nEND\n"
VERTEX = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"

PROGRAM = f"""
import hashlib, pickle, sys
import numpy as np, tgsi
vertex, fragment = tgsi.optimize(tgsi.parse({VERTEX!r})), tgsi.parse({FRAGMENT!r})
print(tgsi.link(vertex, fragment))
assert pickle.loads(pickle.dumps(fragment)) == fragment
vertices = np.float32([[0, -.8, 0, 1, 1, .2, .2, 1], [-.8, .7, 0, 1, .2, 1, .2, 1], [.8, .7, 0, 1, .2, .4, 1, 1]])
ctx = tgsi.Screen(threads=1).context_create()
target = ctx.screen.resource_create(format="R8G8B8A8_UNORM", width0=64, height0=64)
ctx.set_framebuffer_state(cbufs=[target])
ctx.set_viewport_states([{{"scale": (32, 32, 0.5), "translate": (32, 32, 0.5)}}])
ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]))
ctx.set_vertex_buffers([vertices])
ctx.bind_vs_state(ctx.create_vs_state(vertex))
ctx.bind_fs_state(ctx.create_fs_state(fragment))
ctx.clear("COLOR", color=(0.08, 0.09, 0.12, 1))
ctx.draw_vbo(mode="TRIANGLES", count=3)
pixels = np.array(ctx.transfer_map(target, usage="READ"))
assert len(np.unique(pixels)) > 30
print(hashlib.sha256(pixels.tobytes()).hexdigest())
"""

COUNTS = """
from tgsi.backends.llvm.engine import kernel_cache
print(sum(kernels.compiled for kernels in kernel_cache._shared.values()))
"""

COMPILES_NOTHING = """
import llvmlite.binding
def refuse(*_):
    raise AssertionError("LLVM was asked to compile")
llvmlite.binding.parse_assembly = refuse
"""

DISTRIBUTIONS = """
from importlib.metadata import files
ours, others = ({str(file) for file in files(name)} for name in ("tgsi", "linkage"))
assert not ours & others, ours & others
owned = {file.split("/")[0] for file in ours if not file.startswith("..")}  # the commands are in ../../../bin
assert {name.partition("-")[0] for name in owned} == {"tgsi"}, owned
assert {"linkage/__init__.py", "linkage/table.py"} <= others
"""

MODULES = """
import importlib, sys
from pathlib import Path
for file in sorted(file for file in ours if file.endswith(".py")):
    importlib.import_module(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
assert not {"passes", "linkage", "frontends", "backends"} & sys.modules.keys()
import tgsi
assert all(getattr(tgsi, name) is not None for name in tgsi.__all__)
from tgsi.passes import Pipeline, Rewriter, names, register, registry, unregister
assert tgsi.passes.register is register and "fold-constants" in names()
@register
class DropNops(Rewriter):
    "Remove NOP instructions."
    def instruction(self, item):
        return None if item.opcode.name == "NOP" else item
assert "NOP" not in str(tgsi.optimize("VERT\\nNOP\\nEND\\n", "drop-nops"))
assert all(registry.find(name) for name in registry.PASSES)
from tgsi.backends.llvm.targets.llvm_machines import processors
assert "cortex-a76" in processors("aarch64-linux-gnu")
from tgsi.backends.llvm.engine.sources import APART, source_files
known = set(map(Path, source_files()))
for folder in ("backends", "linkage", "language", "passes/lower", "passes/validate"):
    place = Path(tgsi.__file__).parent / folder
    needed = {file for file in place.rglob("*.py") if file.relative_to(place).parts[0] not in APART}
    assert needed and needed <= known, folder
"""

COMMANDS = (
    "tgsi-compile --version",
    "tgsi-compile --check fs.tgsi",
    "tgsi-compile --emit llvm fs.tgsi",
    "tgsi-compile --emit text --passes default fs.tgsi",
    "tgsi-compile --emit asm --target aarch64-linux-gnu fs.tgsi",
    "tgsi-compile --run fs.tgsi --inputs [[[0.5,0.25,0,1]]]",
    "tgsi-compile --run fs.tgsi --inputs [[[0.5,0.25,0,1]]] --engine interp",
    "tgsi-compile vs.tgsi fs.tgsi --link nv40",
    "tgsi-replay alphatest_LESS.json --compare",
    "tgsi-vtest --help",
    "tgsi-inspect --help",
    "tgsi-verify scene-000 program-000 --jobs 1",
    "tgsi check fs.tgsi",
    "tgsi help replay",
)


UNLIKE_A_USER = {"PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH", "PYTHONDONTWRITEBYTECODE"}
"""Variables that commands do not inherit. Without bytecode each of them would compile the whole package."""


def run(command: Sequence[object], **options: object) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in UNLIKE_A_USER}
    environment |= {name: str(value) for name, value in options.items() if name != "cwd"}
    done = subprocess.run([*map(str, command)], env=environment, cwd=str(options["cwd"]), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(builder: type[WheelBuilder] | type[SdistBuilder], source: Path, target: Path) -> Path:
    (made,) = builder(str(source)).build(directory=str(target), versions=["standard"])
    return Path(made)


def make_other_linkage(folder: Path) -> Path:
    """Wheel of another distribution that owns the name `linkage`, which tgsi must not import."""
    wheel = folder / "linkage-7.0-py3-none-any.whl"
    info = "linkage-7.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("linkage/__init__.py", "raise ImportError('the linkage of another package')\n")
        archive.writestr("linkage/table.py", "")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: linkage\nVersion: 7.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        names = ("linkage/__init__.py", "linkage/table.py", f"{info}/METADATA", f"{info}/WHEEL", f"{info}/RECORD")
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in names))
    return wheel


def make_environment(folder: Path) -> Path:
    """Create a virtual environment and return its folder of scripts.

    Nothing is downloaded: a .pth file leads to the dependencies that run this test. Python does not process .pth files in a folder
    found that way, so an editable install of the checkout stays out.
    """
    venv.create(folder, with_pip=False, symlinks=True)
    needed = {
        Path(spec.origin).parents[1]
        for name in ("numpy", "llvmlite", "lark", "PIL", "platformdirs", "rich")
        if (spec := find_spec(name)) and spec.origin
    }
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text("".join(f"{place}\n" for place in sorted(needed)))
    return folder / "bin"


def install(scripts: Path, wheel: Path) -> None:
    command = [sys.executable, "-m", "pip", "--python", scripts / "python", "install", "-q", "--disable-pip-version-check"]
    run([*command, "--no-deps", "--no-index", "--no-compile", "--force-reinstall", wheel], cwd=scripts)


def make_hostile(folder: Path) -> Path:
    """Create a folder for the front of sys.path with modules that must not be imported."""
    (folder / "passes").mkdir(parents=True)
    for file in ("backends.py", "passes/__init__.py"):
        (folder / file).write_text(f"raise ImportError('the {file} of another package')\n")
    return folder


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the tree, without ready-made kernels, which take a minute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TGSI_READY_MADE", "off")
        return build(WheelBuilder, ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.mark.nightly
def test_an_installed_wheel_compiles_its_programs_alone(tmp_path: Path) -> None:
    wheel = build(WheelBuilder, ROOT, tmp_path / "wheel")
    with zipfile.ZipFile(wheel) as archive:
        sizes = {Path(item.filename).name: item.file_size for item in archive.infolist() if item.filename.endswith(MADE_HERE)}
    assert sizes.keys() == {f"{level}{MADE_HERE}" for level in ready_made.LEVELS}
    assert 1 << 20 < sum(sizes.values()) < 16 << 20
    scripts = make_environment(tmp_path / "environment")
    install(scripts, wheel)
    states = run([scripts / "python", "-m", "tgsi.backends.ready_made"], cwd=tmp_path).splitlines()[1:]
    assert len(states) == len(ready_made.LEVELS)
    assert all(state.endswith(", current") for state in states), states
    said = run([scripts / "python", "-c", PROGRAM + COUNTS], cwd=tmp_path, TGSI_CACHE="off").split()
    assert said[-1] == ("2" if ready_made.level_of("host") is not None else said[-1])  # a vertex and a fragment program


@pytest.mark.nightly  # `./dev release` compares them, too
def test_a_wheel_of_the_sdist_is_the_wheel_of_the_tree(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_READY_MADE", "off")
    sdist = build(SdistBuilder, ROOT, tmp_path / "sdist")
    run([sys.executable, "-m", "tarfile", "-e", sdist, tmp_path / "unpacked"], cwd=tmp_path)
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert build(WheelBuilder, unpacked, tmp_path / "again").read_bytes() == wheel.read_bytes()
    assert all((unpacked / name).is_dir() for name in ("tgsi", *GUESTS, "tests"))

    with zipfile.ZipFile(wheel) as archive:
        lines = {name: archive.read(name).count(b"\n") for name in archive.namelist() if ".dist-info/" not in name}
    expected = {}
    for package in ("tgsi", *GUESTS):
        for file in package_files(ROOT / package):
            place = file.relative_to(ROOT).as_posix()
            if package == "tgsi" and file.parent == ROOT / "tgsi" and file.stem in GUESTS:
                continue  # a checkout's stub for the package of that name, which the wheel contains itself
            expected[place if package == "tgsi" else f"tgsi/{place}"] = file.read_bytes().count(b"\n")
    assert lines == expected  # a traceback names the lines of the repository
    assert {"tgsi/py.typed", "tgsi/language/builder/opcode_methods.pyi", "tgsi/language/text/grammar/tgsi.lark"} <= lines.keys()


@pytest.mark.slow
def test_an_installed_tgsi_works_beside_packages_of_the_same_names(
    wheel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_other_linkage(tmp_path)
    hostile = make_hostile(tmp_path / "hostile")
    scripts = make_environment(tmp_path / "environment")
    install(scripts, other)
    install(scripts, wheel)
    for name, text in {"fs.tgsi": FRAGMENT, "vs.tgsi": VERTEX}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "triangle.bin").write_bytes(red().data)
    with zipfile.ZipFile(ROOT / "tests/golden/scenes.zip") as scenes:
        for name in ("alphatest_LESS.json", "alphatest_LESS.c0.raw"):
            scenes.extract(name, tmp_path)

    cache = tmp_path / "objects"
    monkeypatch.chdir(tmp_path)
    assert {command.split()[0] for command in COMMANDS} == PROJECT["scripts"].keys()
    for command in COMMANDS:
        name, *arguments = command.split()
        said = run([scripts / name, *arguments], cwd=tmp_path, PYTHONPATH=hostile, TGSI_CACHE_DIR=cache)
        here = _said_here(capsys, name, arguments)
        assert _without_times(said) == _without_times(here), command
    module = PROJECT["scripts"]["tgsi-vtest"].partition(":")[0]
    run([scripts / "python", "-m", module, "--replay", "triangle.bin", "-o", "replies"], cwd=tmp_path, TGSI_CACHE_DIR=cache)
    assert Path("replies/triangle.rep").read_bytes() == RED

    run([scripts / "python", "-c", DISTRIBUTIONS + MODULES], cwd=hostile, TGSI_CACHE_DIR=cache)
    exec(PROGRAM, {})
    expected = capsys.readouterr().out
    cache = tmp_path / "objects of the program"
    assert run([scripts / "python", "-c", PROGRAM], cwd=hostile, TGSI_CACHE_DIR=cache) == expected
    install(scripts, other)  # now after tgsi
    again = DISTRIBUTIONS + COMPILES_NOTHING + PROGRAM  # all compiled code is in the disk cache
    assert run([scripts / "python", "-c", again], cwd=hostile, TGSI_CACHE_DIR=cache) == expected


def _without_times(said: str) -> str:
    return re.sub(r" in \d+ s", " in N s", said)


def _said_here(capsys: pytest.CaptureFixture[str], name: str, arguments: list[str]) -> str:
    """Output of a command that runs in this process from the checkout."""
    module, _, function = PROJECT["scripts"][name].partition(":")
    with contextlib.suppress(SystemExit):  # argparse exits after --help
        assert getattr(import_module(module), function)(arguments) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "source",
    [
        "import linkage",
        "import passes as p",
        "from backends.no_such_module import x",
        "def f(linkage):\n    return linkage.table",
        "x = __import__('backends.' + name)",
        "x = f'backends.{name}'",
        "script = 'import sys, os\\nimport backends\\n'",
        "script = 'from passes.no_such_module import x'",
    ],
)
def test_what_the_build_hook_cannot_rewrite_stops_the_build(source: str) -> None:
    assert list(doubtful(module_names(ROOT).sub("tgsi.", source)))


def test_names_of_modules_are_rewritten_wherever_they_stand() -> None:
    source = """
import passes.validate
from linkage import link  # see backends.llvm
from tgsi.tools.compile.passes import listing
TABLE = {"screen": "backends.gallium", "path": "docs/linkage.table", "word": "the passes. linkage.nothing"}
passes.validate.check(self.linkage.table, f"{sys.path!r}; from backends.llvm import x")
"""
    target = """
import tgsi.passes.validate
from tgsi.linkage import link  # see tgsi.backends.llvm
from tgsi.tools.compile.passes import listing
TABLE = {"screen": "tgsi.backends.gallium", "path": "docs/linkage.table", "word": "the passes. linkage.nothing"}
tgsi.passes.validate.check(self.linkage.table, f"{sys.path!r}; from tgsi.backends.llvm import x")
"""
    assert module_names(ROOT).sub("tgsi.", source) == target
    assert list(doubtful(target)) == []
