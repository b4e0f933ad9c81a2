"""Passes of users: registered, found as plugins, checked; the harness that compares programs."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import tgsi
from passes import plugins
from tgsi.language.diagnostics import UnsupportedError, ValidationError
from tgsi.language.facts.enums import Interpolation
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration, DstOperand, Instruction, SrcOperand
from tgsi.passes import Rewriter, register
from tgsi.tools.compile import cli

ROOT = Path(__file__).resolve().parents[3]
TEXT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
  0: IF IN[0].xxxx :3
  1:   MOV TEMP[0], IN[0]
  2:   NOP
  3: ENDIF
  4: MUL OUT[0], TEMP[0], IN[0]
  5: END
"""
MOV, MUL, ADD = OPCODES["MOV"], OPCODES["MUL"], OPCODES["ADD"]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    plugins.reset()
    yield
    plugins.reset()


class SplitMultiplications(Rewriter):
    """Compute products in a new register first."""

    scale: float = 1.0
    opcode: str = "MUL"

    def instruction(self, item: Instruction) -> Instruction | list[Instruction]:
        if item.opcode.name != self.opcode:
            return item
        register = self.temporary()
        product = replace(item, dst=(DstOperand(register),))
        return [product, Instruction(MUL, item.dst, (SrcOperand(register), self.immediate(self.scale)))]


class DropNops(Rewriter):
    """Remove NOP instructions."""

    def instruction(self, item: Instruction) -> Instruction | None:
        return None if item.opcode.name == "NOP" else item


class BrokenPass(Rewriter):
    """Read a register that is not declared."""

    def instruction(self, item: Instruction) -> Instruction:
        return replace(item, src=tuple(replace(s, register=replace(s.register, index=9)) for s in item.src))


def test_a_registered_pass_runs_in_pipelines() -> None:
    register(DropNops)
    program = tgsi.parse(TEXT)
    made = tgsi.optimize(program, "drop-nops")
    assert "NOP" not in str(made)
    assert "0: IF IN[0].xxxx :2" in str(made)
    tgsi.check_equal(program, made)
    assert tgsi.optimize(made, "drop-nops") is made


def test_options_temporaries_and_immediates() -> None:
    register(SplitMultiplications)
    made = tgsi.optimize(TEXT, "split-multiplications{scale=2.5,opcode=MUL}")
    assert "DCL TEMP[1]" in str(made)
    assert "IMM[0] FLT32 {2.5, 2.5, 2.5, 2.5}" in str(made)
    tgsi.check_equal(TEXT, tgsi.optimize(TEXT, "split-multiplications"))
    with pytest.raises(tgsi.DifferenceError) as caught:
        tgsi.check_equal(TEXT, made)
    assert re.match(
        r"run 0 of seed 0: invocation \d+, OUT\[0\]\.[xyzw]: 0x\w{8} \(.*\) before, 0x\w{8} \(.*\) after\n  IN\[0\] = 0x", str(caught.value)
    )
    with pytest.raises(ValueError, match=r"pass split-multiplications: unknown option `scal`; did you mean `scale`\?"):
        tgsi.optimize(TEXT, "split-multiplications{scal=1}")


def test_declared_registers_follow_those_that_are_there() -> None:
    @register
    class AddInput(Rewriter):
        """Add a flat input to the color."""

        def instruction(self, item: Instruction) -> Instruction | list[Instruction]:
            if item.opcode.name != "END":
                return item
            declared = Declaration(tgsi.File.IN, 0, 0, semantic=Semantic("GENERIC", 9), interpolation=Interpolation.CONSTANT)
            return [
                Instruction(
                    MOV, (DstOperand(replace(self.program.instructions[4].dst[0].register)),), (SrcOperand(self.declare(declared)),)
                ),
                item,
            ]

    made = tgsi.optimize(TEXT, "add-input")
    assert "DCL IN[1], GENERIC[9], CONSTANT" in str(made)
    assert "MOV OUT[0], IN[1]" in str(made)


def test_a_wrong_result_names_the_pass() -> None:
    register(BrokenPass)
    with pytest.raises(ValidationError) as caught:
        tgsi.optimize(TEXT, "remove-dead-code,broken-pass")
    assert caught.value.__notes__ == ["this is a bug in pass 'broken-pass'"]

    @register
    class ReturnText(Rewriter):
        """Return a text."""

        def instruction(self, item: Instruction) -> Instruction:
            return "MOV"  # type: ignore[return-value]

    with pytest.raises(TypeError, match="instruction must return Instructions or None, not str") as wrong:
        tgsi.optimize(TEXT, "return-text")
    assert wrong.value.__notes__ == ["in pass 'return-text', at optimize: program:5:3"]


def test_registers_need_a_run_and_room() -> None:
    with pytest.raises(RuntimeError, match="call this from"):
        register(SplitMultiplications)().temporary()
    full = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..4095]\nDCL ADDR[0]\nMUL OUT[0], TEMP[0], TEMP[ADDR[0].x]\nEND\n"
    with pytest.raises(UnsupportedError, match="split-multiplications: the program has no room for another temporary"):
        SplitMultiplications().run(tgsi.parse(full))


def test_wrong_classes_are_refused() -> None:
    def message(cls: object, **options: object) -> str:
        with pytest.raises((TypeError, ValueError)) as caught:
            register(**options)(cls)  # type: ignore[call-overload]
        return str(caught.value)

    assert message(7).startswith("register takes a class derived from tgsi.passes.Pass or Rewriter")
    assert message(tgsi.passes.Pass).endswith("has no method run")
    assert "words joined by hyphens" in message(DropNops, name="Drop Nops")
    assert "there is a pass fold-constants of tgsi itself" in message(DropNops, name="fold-constants")
    assert "needs a docstring" in message(type("Silent", (Rewriter,), {}))
    assert "option n needs a default" in message(type("Optional", (Rewriter,), {"__doc__": "A.", "__annotations__": {"n": int}}))
    assert "option n needs a default of the type" in message(
        type("Listed", (Rewriter,), {"__doc__": "A.", "n": None, "__annotations__": {"n": int}})
    )
    register(DropNops)
    assert register(DropNops) is DropNops  # as when a cell of a notebook runs again
    assert "is registered by" in message(BrokenPass, name="drop-nops")
    register(name="drop-nops", replace=True)(BrokenPass)
    tgsi.passes.unregister("drop-nops")
    with pytest.raises(ValueError, match="there is no pass `drop-nops`"):
        tgsi.optimize(TEXT, "drop-nops")
    with pytest.raises(ValueError, match="no pass drop-nops is registered"):
        tgsi.passes.unregister("drop-nops")


PLUGIN = '''
from dataclasses import replace
import tgsi
from tgsi.passes import Rewriter, register

class SwapNops(Rewriter):
    """Remove NOP, from a plugin."""
    def instruction(self, item):
        return None if item.opcode.name == "NOP" else item
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with an installed distribution of three plugins, two of which are broken."""
    (tmp_path / "nop_plugin_of_a_test.py").write_text(PLUGIN)
    (tmp_path / "broken_plugin_of_a_test.py").write_text("import no_such_module_anywhere\n")
    info = tmp_path / "nop_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: nop-plugin\nVersion: 1.0\n")
    lines = [
        "swap-nops = nop_plugin_of_a_test:SwapNops",
        "lose-nops = broken_plugin_of_a_test:X",
        "fold-constants = nop_plugin_of_a_test:SwapNops",
    ]
    (info / "entry_points.txt").write_text("[tgsi.passes]\n" + "\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_plugins_are_found_by_their_entry_points(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not plugins.registered
    assert "NOP" not in str(tgsi.optimize(TEXT, "swap-nops"))
    assert "swap-nops" in tgsi.passes.names()
    with pytest.raises(
        ValueError, match="the installed pass `lose-nops` cannot be loaded: ModuleNotFoundError: No module named 'no_such_mod"
    ):
        tgsi.optimize(TEXT, "lose-nops")
    with pytest.raises(ValueError, match=r"did you mean `swap-nops`\?"):
        tgsi.optimize(TEXT, "swap-nop")
    (installed / "a.tgsi").write_text(TEXT)
    assert cli.main(["--passes", "swap-nops", str(installed / "a.tgsi")]) == 0
    assert "NOP" not in capsys.readouterr().out
    assert cli.main(["--list-passes"]) == 0
    out = capsys.readouterr().out
    assert "swap-nops\n    Remove NOP, from a plugin.\n" in out
    assert "lose-nops\n    the installed pass `lose-nops` cannot be loaded" in out
    assert "fold-constants` cannot be loaded: ValueError: there is a pass fold-constants of tgsi itself" in out


def test_passes_of_tgsi_look_for_no_plugins() -> None:
    code = "import sys, tgsi; tgsi.optimize('VERT\\nEND\\n'); assert 'importlib.metadata' not in sys.modules, 'loaded'"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_example_of_the_page_runs() -> None:
    page = (ROOT / "docs/passes.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 1
    exec(compile(examples[0], "docs/passes.md", "exec"), {"__name__": "example"})
    assert "lower-colors" in tgsi.passes.names()


@pytest.mark.parametrize("stage", ["VERT", "GEOM", "TESS_CTRL", "TESS_EVAL", "COMP"])
def test_programs_of_every_stage_are_compared(stage: str) -> None:
    heads = {
        "VERT": "DCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0..3]\nMOV OUT[0], IN[0]\n",
        "GEOM": "PROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 3\n"
        "DCL IN[][0], POSITION\nDCL OUT[0], POSITION\nIMM[0] UINT32 {0, 0, 0, 0}\nMOV OUT[0], IN[1][0]\nEMIT IMM[0].xxxx\n",
        "TESS_CTRL": "PROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL OUT[][0], POSITION\nDCL SV[0], INVOCATIONID\nDCL ADDR[0]\n"
        "UARL ADDR[0].x, SV[0].xxxx\nMOV OUT[ADDR[0].x][0], IN[1][0]\n",
        "TESS_EVAL": "PROPERTY TES_PRIM_MODE 4\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nDCL SV[0], TESSCOORD\n"
        "MUL OUT[0], IN[1][0], SV[0].xxxx\n",
        "COMP": "DCL BUFFER[0]\nIMM[0] UINT32 {0, 1, 2, 3}\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\n",
    }
    text = f"{stage}\n{heads[stage]}END\n"
    tgsi.check_equal(text, text, runs=2)
    other = (
        text.replace("IN[1][0]", "IN[0][0]").replace("MOV OUT[0], IN[0]\n", "MOV OUT[0], -IN[0]\n").replace("IMM[0].yyyy", "IMM[0].zzzz")
    )
    with pytest.raises(tgsi.DifferenceError):
        tgsi.check_equal(text, other, runs=2)
    with pytest.raises(ValueError, match="before is a"):
        tgsi.check_equal(text, TEXT)
