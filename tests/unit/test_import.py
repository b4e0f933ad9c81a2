"""`import tgsi` is fast and imports little."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from backends.llvm.targets import host

ROOT = Path(__file__).parents[2]
DATACLASS = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)


def run(
    code: str, *arguments: str, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=cwd or ROOT, env=environment, capture_output=True, text=True, check=False)


def source(name: str) -> str:
    place = ROOT.joinpath(*name.split("."))
    return (place / "__init__.py" if place.is_dir() else place.with_suffix(".py")).read_text(encoding="utf-8")


@pytest.mark.parametrize("more", ["", "tgsi.check(tgsi.parse('VERT\\nEND')); str(tgsi.parse('VERT\\nEND'))"])
def test_importing_and_reading_load_nothing_heavy(more: str) -> None:
    done = run(f"import sys, tgsi; {more or None}; print({{'numpy', 'llvmlite', 'lark'}} & set(sys.modules))")
    assert (done.stdout, done.stderr) == ("set()\n", "")


def test_screen_answers_without_llvmlite() -> None:
    done = run("import sys, tgsi; tgsi.Screen().get_param('PIPE_CAP_SM3'); sys.exit('llvmlite' in sys.modules)")
    assert done.returncode == 0, done.stderr


def test_import_takes_less_than_60_ms_of_cpu_time(tmp_path: Path) -> None:
    code = "import time; a = time.process_time(); import tgsi; print(time.process_time() - a)"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": str(tmp_path)}  # like an installed package, whose bytecode is compiled
    times = (float(run(code, environment=environment).stdout) for _ in range(20))
    assert any(time < 0.06 for time in times)  # other work on the machine slows some runs


def test_a_triangle_from_a_warm_cache_loads_no_code_generator(tmp_path: Path) -> None:
    code = (
        "import runpy, sys; sys.argv[1:] = ['-o', sys.argv[1]]; runpy.run_path('examples/triangle.py', run_name='__main__'); "
        "print(*sorted(sys.modules), sep='\\n')"
    )
    environment = {**os.environ, "TGSI_CACHE_DIR": str(tmp_path / "objects")}
    for _ in range(2):  # the first run compiles bytecode
        done = run(code, str(tmp_path), environment=environment)
        assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "backends.raster.kernels" in loaded
    unwanted = [f"backends.llvm.{floor}" for floor in ("builder", "kernels", "library", "sampling", "translate")]
    unwanted += ["backends.interp", "backends.compute", "backends.geometry.pipeline", "linkage.linker", "linkage.profiles.nvfx"]
    unwanted += ["passes.lower", "passes.optimise", "tgsi.tools", "lark", "json", "subprocess"]
    unwanted += ["PIL.JpegImagePlugin", "PIL.GifImagePlugin"]
    assert [name for name in loaded if name in unwanted or name.startswith(tuple(f"{folder}." for folder in unwanted))] == []
    if host.surroundings() is not None:  # LLVM's answers about this machine come from the cache, too
        assert "llvmlite.binding" not in loaded
    ours = [name for name in loaded if name.partition(".")[0] in ("tgsi", "passes", "linkage", "frontends", "backends")]
    assert len(ours) < 254
    made = [name for name in ours if name != "tgsi.language.record" and DATACLASS.search(source(name))]
    assert made == []  # those classes are records (tgsi.language.record), whose methods are compiled when they are used


def test_a_first_triangle_loads_few_modules(tmp_path: Path) -> None:
    """In a process without a cache, on ready-made kernels."""
    code = (
        "import runpy, sys; sys.argv[1:] = ['-o', sys.argv[1]]; runpy.run_path('examples/triangle.py', run_name='__main__'); "
        "print(*sorted(sys.modules), sep='\\n')"
    )
    done = run(code, str(tmp_path), environment={**os.environ, "TGSI_CACHE_DIR": str(tmp_path / "objects")})
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    if "backends.raster.front.setup" in loaded:
        pytest.skip("kernels that depend on no program were compiled: no ready-made ones fit this source")
    unwanted = ["backends.llvm.sampling", "backends.llvm.translate.emit.memory", "backends.llvm.translate.emit.textures"]
    unwanted += ["backends.llvm.translate.parts", "backends.llvm.kernels.primitives", "backends.run.arguments", "backends.interp"]
    unwanted += ["backends.raster.front.points_lines", "backends.raster.front.far_clip", "lark"]
    unwanted += ["difflib", "json", "subprocess", "platformdirs"]
    assert [name for name in loaded if name in unwanted or name.startswith(tuple(f"{folder}." for folder in unwanted))] == []
    assert len([name for name in loaded if name.partition(".")[0] in ("tgsi", "passes", "linkage", "frontends", "backends")]) < 323


def test_every_public_name_is_there() -> None:
    import tgsi

    assert all(hasattr(tgsi, name) for name in tgsi.__all__)
    assert set(tgsi.__all__) <= set(dir(tgsi))


def test_unknown_name_is_an_attribute_error() -> None:
    import tgsi

    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tgsi.nonsense


def test_foreign_package_in_front_is_named(tmp_path: Path) -> None:
    (tmp_path / "passes").mkdir()
    (tmp_path / "passes" / "__init__.py").write_text("")
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]; import tgsi"
    done = run(code, cwd=tmp_path)
    assert done.returncode == 1
    assert f"Python finds {tmp_path / 'passes'}" in done.stderr.replace("\n", " ")
