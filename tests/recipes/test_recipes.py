"""Recipes of ARCHITECTURE.md, followed in a copy of the tree: the tests that they name fail until the last step is done."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.planted.copies import Copy
from tests.planted.faults import ROOT

pytestmark = pytest.mark.nightly
GUIDE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


OF_ISUB = "every_opcode or ISUB or what_is_left or reference"
"""Tests that see a new opcode; the others of these files take minutes."""


class Tree:
    """A copy of the tree that a recipe changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        Copy(folder)

    def add(self, path: str, before: str, text: str) -> None:
        """Put a text in front of another one, which occurs once."""
        place = self._folder / path
        old = place.read_text(encoding="utf-8")
        assert old.count(before) == 1, (path, before)
        place.write_text(old.replace(before, text + before), encoding="utf-8")

    def change(self, path: str, old: str, new: str) -> None:
        """Replace a text, which occurs once."""
        place = self._folder / path
        text = place.read_text(encoding="utf-8")
        assert text.count(old) == 1, (path, old)
        place.write_text(text.replace(old, new), encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        (self._folder / path).write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        """The text of a file."""
        return (self._folder / path).read_text(encoding="utf-8")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the copy."""
        environment = {**os.environ, "PYTHONPATH": str(self._folder), "PYTHONDONTWRITEBYTECODE": "1", "TGSI_READY_MADE": "off"}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=self._folder, env=environment, capture_output=True, text=True, errors="replace", check=False)

    def failures(self, *tests: str, only: str) -> list[str]:
        """Tests that fail, of those whose names fit."""
        done = self.run("-m", "pytest", "-q", "-m", "not nightly and not peers", "-p", "no:cacheprovider", "-k", only, *tests)
        assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-1000:]
        return re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)


def recipe(name: str) -> str:
    """The text of a recipe."""
    return GUIDE.split(f"\n**{name}")[1].split("\n**")[0]


def named_tests(name: str) -> list[str]:
    """The tests that a recipe says to run."""
    found = re.search(r"`\./dev test ([^`]+)`", recipe(name))
    assert found is not None
    return [word for word in found[1].split() if word.startswith("tests/")]


def named_modules(name: str) -> set[str]:
    """Files that a recipe names."""
    return set(re.findall(r"[\w/]+\.py", recipe(name)))


def test_an_opcode_that_computes(tmp_path: Path) -> None:
    name, tree = "An opcode that computes", Tree(tmp_path)
    tests = named_tests(name)
    files = ["tgsi/language/facts/opcodes.py", "backends/glsl/table.py", "backends/spirv/arithmetic.py", "tests/unit/language/test_mesh.py"]
    assert [file for file in files if file not in named_modules(name)] == []
    row = '    (254, "ISUB", "uint", "uint/uint", _C, "later", "d.c := (a.c-b.c) mod 2^32"),\n'
    tree.add(files[0], '    (250, "ATOMINC_WRAP"', row)
    missing = " ".join(tree.failures(*tests, only=OF_ISUB))
    for test in ("test_operations", "test_vectors", "test_reads", "test_spirv_opcodes", "test_mesh"):
        assert f"/{test}.py::" in missing
    tree.add("backends/interp/integer.py", '    "UADD": lambda a, b: a + b,', '    "ISUB": lambda a, b: a - b,\n')
    tree.add("backends/llvm/translate/emit/integers.py", '    "UADD": lambda c, a, b: a + b,', '    "ISUB": lambda c, a, b: a - b,\n')
    tree.add(files[1], '        "UADD": Rule(_integer_sum', '        "ISUB": _operator("-", SUM, *_TWO_INT),\n')
    tree.add(files[2], '        "UADD": "IAdd",', '        "ISUB": "ISub",\n')
    left = '    assert left["opcode"] == [254, 255]'
    tree.change(files[3], left, left.replace("254, ", ""))
    assert tree.run("-m", "tgsi.tools.reference").returncode == 0
    assert tree.failures(*tests, only=OF_ISUB) == []
    text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nISUB OUT[0], IN[0], IN[0].yxwz\nEND\n"
    done = tree.run("-c", f"import tgsi; print(tgsi.write_glsl(tgsi.parse({text!r})))")
    assert " - " in done.stdout, done.stderr


def test_a_pixel_format(tmp_path: Path) -> None:
    name, tree = "A pixel format", Tree(tmp_path)
    tree.add("backends/formats/format.py", "    A4B4G4R4_UNORM = auto()\n", "    A4R4G4B4_UNORM = auto()\n")
    tests = [*named_tests(name), "tests/promises/test_calls.py"]
    missing = " ".join(tree.failures(*tests, "tests/images/test_targets.py", only="A4R4G4B4 or digests_are_known or formats_is_current"))
    assert "test_digests_are_known_for_every_target" in missing
    assert "test_the_page_of_formats_is_current" in missing
    assert "tests.promises.formats" in recipe(name)
    assert tree.run("-m", "tests.promises.formats").returncode == 0
    assert "test_targets.py --update-golden" in recipe(name)
    stored = tree.run("-m", "pytest", "-q", "tests/images/test_targets.py", "--update-golden", "-k", "digests_are_known")
    assert stored.returncode == 0, stored.stdout[-2000:]
    assert tree.failures(*tests, "tests/images/test_targets.py", only="A4R4G4B4 or digests_are_known or formats_is_current") == []


def test_a_query(tmp_path: Path) -> None:
    name, tree = "A query", Tree(tmp_path)
    tree.change("backends/pipe/enums.py", "    PIPELINE_STATISTICS = 12\n", "    PIPELINE_STATISTICS = 12\n    VERTICES = 13\n")
    assert "::test_every_kind_of_query_has_its_row" in " ".join(tree.failures(*named_tests(name), only="row"))
    row = "    QueryType.VERTICES: QueryKind(lambda query: query.held.vs_invocations, Needs.STATISTICS),\n"
    tree.add("backends/gallium/context/query_kinds.py", "    **{kind: _own(", row)
    assert tree.failures(*named_tests(name), only="test_") == []
    done = tree.run("-c", 'import tgsi; tgsi.Screen(threads=0).context_create().create_query("VERTICES")')
    assert done.returncode == 0, done.stderr


def test_a_state_field(tmp_path: Path) -> None:
    name, tree = "A state field", Tree(tmp_path)
    tree.add("backends/pipe/state.py", "    cull_face: Face = Face.NONE\n", "    front_turned: bool = False\n")
    tree.change("backends/raster/draw/style.py", "= not r.front_ccw, int", "= r.front_ccw is r.front_turned, int")
    tests = [*named_tests(name), "tests/promises/test_calls.py"]
    missing = " ".join(tree.failures(*tests, only="has_a_case or up_to_date or keywords"))
    assert "::test_every_field_has_a_case_or_a_reason" in missing
    case = '    "RasterizerState.front_turned": rasterizer(True, {"cull_face": "BACK"}),\n'
    tree.add("tests/unit/gallium/test_every_field.py", '    "RasterizerState.cull_face"', case)
    assert "tests.promises.keywords" in recipe(name)
    assert tree.run("-m", "tests.promises.keywords").returncode == 0
    assert tree.failures(*tests, only="front_turned or has_a_case or up_to_date or keywords") == []


def test_a_call_of_a_context(tmp_path: Path) -> None:
    name, tree = "A call of a context", Tree(tmp_path)
    row = (
        '    Row("set_shading_samples", Does.SET, s.PARAMETERS, {"samples": integer("runs of the shader", 0, 32)},'
        " effect=OneWord(Word.MIN_SAMPLES)),\n"
    )
    tree.add("backends/device/calls/parameters.py", '    Row("set_min_samples"', row)
    assert tree.failures(*named_tests(name), only="test_") != []
    method = '''    def set_shading_samples(self, samples: int) -> None:
        """Set the least number of fragment shader runs for a pixel. (context.rst, "Non-CSO State")"""
        self.state.min_samples = integer(samples, "set_shading_samples: samples", 0, 32)

'''
    tree.add("backends/gallium/context/parameters.py", "    def set_min_samples(", method)
    for command in ("tests.promises.calls", "tests.promises.methods"):
        assert command in recipe(name)
        assert tree.run("-m", command).returncode == 0
    assert "test_a_context_shows_the_methods_of_gallium" in " ".join(tree.failures(*named_tests(name), only="test_"))
    tree.add("tests/unit/gallium/test_public_names.py", "set_patch_vertices set_textures", "set_shading_samples ")
    assert tree.failures(*named_tests(name), only="test_") == []


PASS = '''"""The pass turn-sums."""

from __future__ import annotations

from passes.base import Pass
from passes.edit import with_operands, with_parts
from tgsi.language.facts.traits import Trait
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class TurnSums(Pass):
    """Exchange the first two sources of instructions that allow it."""

    name = "turn-sums"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        items = program.instructions
        turned = [
            with_operands(item, item.dst, (item.src[1], item.src[0], *item.src[2:])) if Trait.COMMUTATIVE in item.opcode.traits else item
            for item in items
        ]
        return with_parts(program, instructions=tuple(turned)) if turned != list(items) else program
'''


def test_a_pass(tmp_path: Path) -> None:
    name, tree = "A pass", Tree(tmp_path)
    tree.write("passes/optimise/turn.py", PASS)
    tree.add("passes/registry.py", '    "blend-moves": ', '    "turn-sums": ("passes.optimise.turn", "TurnSums"),\n')
    tests = named_tests(name)
    assert tree.failures(*tests, only="every or has_a or page or documented") != []
    text = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nADD OUT[0], IN[0], IN[0].wzyx\nEND\n"
    tree.write("tests/filetests/passes/turn-sums.tgsi", text)
    tree.write("tests/filetests/passes/turn-sums.toml", 'stages = ["passes"]\npipeline = "turn-sums"\n')
    assert tree.run("-m", "pytest", "-q", "tests/filetests", "-k", "turn-sums", "--update-golden").returncode == 0
    assert "ADD OUT[0], IN[0].wzyx, IN[0]" in tree.read("tests/filetests/passes/turn-sums.passes.txt")
    assert "tests.promises.pages" in recipe(name)
    assert tree.run("-m", "tests.promises.pages").returncode == 0
    assert "| `turn-sums` |" in tree.read("docs/passes.md")
    assert tree.failures(*tests, only="turn or every or has_a or page or documented") == []
