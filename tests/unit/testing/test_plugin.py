"""pytest's plugin, in processes of pytest of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[3]
OURS = ("-p", "tgsi.testing.plugin", "-p", "no:cacheprovider", "-q", "-W", "error")
TESTS = """
import numpy, os, pytest

def gray(k):
    array = numpy.full((6, 8), 40 * k, numpy.uint8)
    if os.environ.get("CHANGED") == str(k):
        array[2, 5] += 3
    return array

@pytest.mark.parametrize("k", [1, 2])
def test_gray(assert_image, k):
    assert_image(gray(k), f"gray/{k}")

def test_tolerance(assert_image):
    assert_image(gray(3), "third", largest=3)

def test_depth(assert_image):
    depth = numpy.linspace(0, 1, 12, dtype=numpy.float32).reshape(3, 4)
    assert_image(depth + numpy.float32("CHANGED" in os.environ) / 1024, "depth")
"""


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A process of pytest in a folder, with our plugin alone, and all warnings as errors."""
    command = [sys.executable, "-m", "pytest", *OURS, *arguments]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT), **variables}
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST"):
        environment.pop(name, None)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


Run = Callable[..., pytest.RunResult]


@pytest.fixture
def tests(pytester: pytest.Pytester) -> Path:
    """A folder with a file of tests."""
    pytester.makepyfile(test_pictures=TESTS)
    pytester.makeini("[pytest]\n")
    return pytester.path


@pytest.fixture
def inside(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run of pytest in this process."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(*arguments: str, **variables: str) -> pytest.RunResult:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            return pytester.runpytest_inprocess(*OURS, *arguments)

    return run


def test_a_run_without_our_fixtures_loads_the_plugin_and_nothing_else_of_ours(tmp_path: Path) -> None:
    (tmp_path / "test_none.py").write_text(
        "import sys\ndef test_names():\n"
        "    names = sorted(name for name in sys.modules if name.partition('.')[0] in ('tgsi', 'backends', 'numpy', 'PIL', 'passes'))\n"
        "    assert names == ['tgsi', 'tgsi._siblings', 'tgsi.testing', 'tgsi.testing.plugin']\n",
        encoding="utf-8",
    )
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "tgsi" not in done.stdout
    assert [path.name for path in tmp_path.iterdir() if path.name != "__pycache__"] == ["test_none.py"]


def test_pytest_compiles_none_of_our_modules_again(tmp_path: Path) -> None:
    """An installed package with a plugin is marked as a whole, which rewrites the asserts of all its modules."""
    (tmp_path / "test_marks.py").write_text(
        "def test_marks(pytestconfig):\n"
        "    hook = pytestconfig.pluginmanager.rewrite_hook\n    assert 'tgsi' not in hook._must_rewrite\n"
        "    import tgsi.api\n    assert not isinstance(tgsi.api.__loader__, type(hook))\n",
        encoding="utf-8",
    )
    (tmp_path / "conftest.py").write_text("", encoding="utf-8")
    code = (
        "import sys, pytest\nfrom _pytest.assertion.rewrite import AssertionRewritingHook as Hook\nfirst = Hook.__init__\n"
        "def begin(self, config):\n    first(self, config)\n    self._must_rewrite.add('tgsi')\nHook.__init__ = begin\n"
        "sys.exit(pytest.main(['-q', '-p', 'tgsi.testing.plugin', '-p', 'no:cacheprovider']))"
    )
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_pictures_are_stored_compared_and_reported(tests: Path, inside: Run) -> None:
    missing = inside()
    assert missing.ret == 1
    assert "gray/1: no picture is stored as pictures/gray/1.png" in missing.stdout.str()
    assert "--tgsi-update=failed" in missing.stdout.str()
    assert json.loads((tests / "tgsi-report" / "report.json").read_text())["pictures"][0]["status"] == "missing"

    stored = inside("--tgsi-update=failed")
    assert stored.ret == 0, stored.stdout.str()
    assert "stored: depth, gray/1, gray/2, third" in stored.stdout.str()
    found = sorted(path.relative_to(tests / "pictures").as_posix() for path in (tests / "pictures").rglob("*.*"))
    of_bytes = [f"{name}.{kind}" for name in ("gray/1", "gray/2", "third") for kind in ("json", "png")]
    assert found == ["depth.json", "depth.npy", "depth.png", *of_bytes]
    report = sorted(path.relative_to(tests / "tgsi-report").as_posix() for path in (tests / "tgsi-report").rglob("*"))
    assert report == ["report.html", "report.json"], "pictures of the first run are gone, with their folders"

    Image.open(tests / "pictures" / "gray" / "1.png").save(tests / "again.png", compress_level=0)
    (tests / "again.png").replace(tests / "pictures" / "gray" / "1.png")
    assert inside(CHANGED="3").stdout.str().count("FAILED") == 1  # depth; the third is within its tolerance, the encoder does not matter

    differ = inside(CHANGED="2")
    assert "gray/2: 1 of 48 pixels differ from pictures/gray/2.png; the largest difference is 3" in differ.stdout.str()
    assert "the first one is x=5, y=2: (83) instead of (80)" in differ.stdout.str()
    assert "depth: 12 of 12 pixels differ" in differ.stdout.str()
    facts = json.loads((tests / "tgsi-report" / "report.json").read_text())
    (record,) = (item for item in facts["pictures"] if item["name"] == "gray/2")
    assert (record["status"], record["differing"], record["first"]) == ("different", 1, [5, 2])
    assert {"tgsi", "python", "processor", "numpy"} <= set(facts["environment"])
    assert np.asarray(Image.open(tests / "tgsi-report" / record["files"]["new"]))[2, 5] == 83
    page = (tests / "tgsi-report" / "report.html").read_text()
    assert page.count('class="compare"') == 2
    assert not re.search(r'(src|href)="(?!data:)', page)


@pytest.mark.nightly
def test_workers_of_xdist_report_together(tests: Path) -> None:
    pytest.importorskip("xdist")
    parallel = ("-p", "xdist", "-n", "2")
    assert run(tests, "--tgsi-update=failed", *parallel).returncode == 0
    differ = run(tests, *parallel, CHANGED="1")
    assert "2 of 4 pictures differ" in differ.stdout
    assert len(json.loads((tests / "tgsi-report" / "report.json").read_text())["pictures"]) == 4


def test_the_first_pixel_that_differs_is_explained(pytester: pytest.Pytester, inside: Run) -> None:
    pytester.makepyfile(
        test_clear="""
        import os
        def test_clear(tgsi_context, assert_image):
            target = tgsi_context.screen.resource_create(format="R8G8B8A8_UNORM", width0=8, height0=8)
            tgsi_context.set_framebuffer_state(cbufs=[target])
            tgsi_context.clear("COLOR", color=(0, 0, float("CHANGED" in os.environ), 1))
            assert_image(target, "clear")
        """
    )
    assert inside("--tgsi-update=failed").ret == 0
    text = inside(CHANGED="1").stdout.str()
    assert "the first one is x=0, y=0: (0, 0, 255, 255) instead of (0, 0, 0, 255)" in text
    assert "pixel (0, 0) of <Resource" in text
    assert 'clear("COLOR", color=(0, 0, 1, 1))' in text


def test_stored_pictures_that_no_test_uses_are_named_unless_their_tests_did_not_run(tests: Path, inside: Run) -> None:
    inside("--tgsi-update=failed")
    text = (tests / "test_pictures.py").read_text().replace('"third"', '"fourth"').replace("def test_depth", "def no_test")
    (tests / "test_pictures.py").write_text(text)
    done = inside("--tgsi-update=all")
    assert "stored, and used by no test: depth, third" in done.stdout.str()
    assert "used by no test: third\n" in inside("-k", "tolerance").stdout.str()
    assert "used by no test" not in inside("-k", "gray").stdout.str()


def test_a_stored_picture_that_was_changed_by_hand_is_no_baseline(tests: Path, inside: Run) -> None:
    inside("--tgsi-update=failed", "-k", "gray")
    stored = tests / "pictures" / "gray" / "1.png"
    Image.new("L", (8, 6), 7).save(stored)
    assert inside("-k", "gray").ret == 0  # the digest decides
    assert "was changed by hand" in inside("-k", "gray", CHANGED="1").stdout.str()
