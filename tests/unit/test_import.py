"""`import tgsi` is light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(code: str, *, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=cwd or ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("heavy", ["numpy", "llvmlite", "lark"])
def test_import_loads_nothing_heavy(heavy: str) -> None:
    done = run(f"import sys, tgsi; sys.exit({heavy!r} in sys.modules)")
    assert done.returncode == 0, done.stderr


def test_screen_answers_without_llvmlite() -> None:
    done = run("import sys, tgsi; tgsi.Screen().get_param('PIPE_CAP_SM3'); sys.exit('llvmlite' in sys.modules)")
    assert done.returncode == 0, done.stderr


def test_import_takes_less_than_a_tenth_of_a_second() -> None:
    code = "import time; a = time.process_time(); import tgsi; print(time.process_time() - a)"
    assert min(float(run(code).stdout) for _ in range(5)) < 0.1


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
