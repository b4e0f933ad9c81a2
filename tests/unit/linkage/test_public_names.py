"""Public names of linkage: everything that docs/linkage.md teaches is an attribute of `tgsi`, loaded at its first use."""

from __future__ import annotations

import re
import subprocess
import sys
from array import array
from pathlib import Path

import pytest

import tgsi
from tests.unit.linkage.programs import frag, vert
from tgsi.language.facts.enums import File
from tgsi.language.program import Program

ROOT = Path(__file__).parents[3]
VERTEX = vert(("POSITION", 0), ("GENERIC", 7), ("GENERIC", 3))
FRAGMENT = frag(("GENERIC", 3), ("GENERIC", 7))
GEOMETRY = tgsi.parse(
    "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
    "DCL IN[][0], GENERIC[7]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[3]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
    "MOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][0]\nEMIT IMM[0].xxxx\nEND\n"
)


def registers(program: Program, file: File) -> dict[str, int]:
    return {str(item.semantic): item.first for item in program.declared(file)}


def test_every_name_that_the_document_teaches_is_public() -> None:
    text = re.sub(r"`tests/[^`]*`", "", (ROOT / "docs" / "linkage.md").read_text(encoding="utf-8"))
    named = set(re.findall(r"tgsi\.([A-Za-z]\w*)", text)) - {"md", "tgsi"}
    assert {"link", "link_chain", "findings", "relocations", "patch", "linked_program", "Linker", "renumber", "limits", "PROFILES"} <= named
    assert named <= set(tgsi.__all__) | {"gallium"}
    assert "linkage." not in re.sub(r"docs/linkage\.md|linkage\.md|\(in an installed wheel.*?\)", "", text, flags=re.IGNORECASE | re.DOTALL)


def test_the_programs_of_the_document_run_and_print_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "linkage.md").read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(programs) == 2
    for program in programs:
        exec(compile(program, "docs/linkage.md", "exec"), {})
    assert f"```\n{capsys.readouterr().out}```" in text


def test_importing_tgsi_loads_none_of_them() -> None:
    code = "import sys, tgsi; print([n for n in sys.modules if n.split('.')[0] in ('linkage', 'passes')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", sorted({"findings", "link_chain", "linked_program", "patch", "relocations", "renumber"}))
def test_public_functions_say_what_they_raise(name: str) -> None:
    document = getattr(tgsi, name).__doc__
    assert "Raises:" in document or name == "patch"


def test_modules_are_names_too() -> None:
    assert str(tgsi.sm3.PLAIN.usage(tgsi.Semantic("GENERIC", 5))) == "TEXCOORD5"
    assert tgsi.limits.SM3 is tgsi.LIMITS["sm3"]
    assert isinstance(tgsi.LIMITS["byte"], tgsi.SemanticLimits)
    assert "nv50" in tgsi.PROFILES


def test_relocations_of_either_file_are_patched_in_place() -> None:
    for program, file in ((FRAGMENT, File.IN), (VERTEX, File.OUT)):
        found = tgsi.relocations(program, file)
        assert found == tgsi.relocations(tgsi.encode(program), file.name)
        words = array("I", tgsi.encode(program))
        mapping = {register: register + 5 for register in registers(program, file).values()}
        assert tgsi.patch(words, found.fields, mapping) == len(found.fields)
        assert registers(tgsi.decode(words), file) == {name: number + 5 for name, number in registers(program, file).items()}


def test_either_program_of_a_pair_can_be_renumbered_to_match_the_other() -> None:
    assert registers(tgsi.linked_program(VERTEX, FRAGMENT), File.IN) == {"GENERIC[3]": 2, "GENERIC[7]": 1}
    moved = tgsi.linked_program(VERTEX, FRAGMENT, moved="vertex")
    assert registers(moved, File.OUT) == {"GENERIC[3]": 0, "GENERIC[7]": 1, "POSITION": 2}
    assert all(row.output_register == row.input_register for row in tgsi.link(moved, FRAGMENT).rows)
    swap: dict[tgsi.Semantic | str, tgsi.Semantic | str] = {"GENERIC[3]": "GENERIC[7]", "GENERIC[7]": "GENERIC[3]"}
    assert registers(tgsi.linked_program(VERTEX, FRAGMENT, mapping=swap, moved="vertex"), File.OUT)["GENERIC[7]"] == 0


def test_an_output_linker_patches_the_program_before_the_rasterizer_for_each_fragment_program() -> None:
    linker = tgsi.OutputLinker(VERTEX, copies=1)
    other = frag(("GENERIC", 7), ("GENERIC", 3))
    for fragment in (FRAGMENT, other, FRAGMENT):
        words = linker.link(fragment).words
        assert tuple(words) == tgsi.encode(tgsi.linked_program(VERTEX, fragment, moved="vertex"))
    assert linker.counters.patched_slots == 3 * 2
    with pytest.raises(ValueError, match="expected a program before the rasterizer, not FRAG"):
        tgsi.OutputLinker(FRAGMENT)


def test_an_output_that_feeds_two_inputs_has_no_single_number() -> None:
    with pytest.raises(tgsi.LinkError, match=r"K022.*OUT\[2\] feeds IN\[0\] and IN\[1\]"):
        tgsi.linked_program(VERTEX, FRAGMENT, mapping={"GENERIC[7]": "GENERIC[3]"}, moved="vertex")


def test_link_states_take_texts_and_name_what_is_none() -> None:
    state = tgsi.LinkState({"GENERIC[3]": "GENERIC[7]"})  # type: ignore[dict-item]
    assert state.mapping == {tgsi.Semantic("GENERIC", 3): tgsi.Semantic("GENERIC", 7)}
    with pytest.raises(ValueError, match=r"mapping: 'GENERIC\(3\)' is not a semantic"):
        tgsi.LinkState({"GENERIC(3)": "FOG"})  # type: ignore[dict-item]


def test_a_chain_links_pair_by_pair() -> None:
    tables = tgsi.link_chain(VERTEX, GEOMETRY, frag(("GENERIC", 3)), profile="software", mapping={"GENERIC[3]": "GENERIC[3]"})
    assert [[row.output_register for row in table.rows] for table in tables] == [[1], [1]]
    with pytest.raises(tgsi.LinkError, match="K004"):
        tgsi.link_chain(VERTEX, FRAGMENT, unmatched="error", mapping={"GENERIC[3]": "GENERIC[9]"})
    with pytest.raises(TypeError, match="link_chain: programs: expected a Program, a text or a SPIR-V module"):
        tgsi.link_chain(VERTEX, 1)  # type: ignore[arg-type]


def test_findings_hold_errors_as_well_as_warnings() -> None:
    assert [item.code for item in tgsi.findings(VERTEX, frag(("GENERIC", 9)))] == ["K010", "K011", "K011"]
    assert "K032" in [item.code for item in tgsi.findings(VERTEX, frag(("BCOLOR", 0)), profile="nv40")]
    assert [item.code for item in tgsi.findings(VERTEX, VERTEX)] == ["K005"]
    assert tgsi.findings(VERTEX, FRAGMENT) == ()


def test_renumbering_takes_the_name_of_a_set() -> None:
    programs = vert(("POSITION", 0), ("GENERIC", 300)), frag(("GENERIC", 300))
    made = tgsi.renumber(programs, "sm3", reserve=range(8))
    assert made.mapping[tgsi.Semantic("GENERIC", 300)].index in range(8, 219)
    with pytest.raises(ValueError, match="renumber: limits: 'sm4' is not one of sm3"):
        tgsi.renumber(programs, "sm4")
