"""``tgsi-compile --link``: chains, mappings and rasterizer state from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tgsi.tools.compile.cli import main

VERTEX = (
    "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], {0}\nDCL OUT[2], {1}\n"
    "MOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nMOV OUT[2], IN[0]\nEND\n"
)
FRAGMENT = "FRAG\nDCL IN[0], {0}, PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
GEOMETRY = (
    "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
    "DCL IN[][0], GENERIC[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
    "MOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][0]\nEMIT IMM[0].xxxx\nEND\n"
)
CONTROL = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], GENERIC[1]\nDCL OUT[][0], GENERIC[2]\nMOV OUT[0][0], IN[0][0]\nEND\n"
EVALUATION = (
    "TESS_EVAL\nDCL IN[][0], GENERIC[2]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[1]\nMOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][0]\nEND\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {
        "v": VERTEX.format("GENERIC[0]", "GENERIC[1]"),
        "colors": VERTEX.format("COLOR", "BCOLOR"),
        "f": FRAGMENT.format("GENERIC[0]"),
        "color": FRAGMENT.format("COLOR"),
        "g": GEOMETRY,
        "tcs": CONTROL,
        "tes": EVALUATION,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], command: str) -> tuple[int, str, str]:
    code = main(command.split())
    return code, *capsys.readouterr()


@pytest.mark.usefixtures("folder")
def test_a_chain_prints_a_table_for_each_pair_whatever_the_order_of_files(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "f tes g v tcs --link")
    assert (code, err) == (0, "")
    heads = [line for line in out.splitlines() if " to " in line and "profile" in line]
    assert [head.split(",")[0] for head in heads] == ["VERT to TESS_CTRL", "TESS_CTRL to TESS_EVAL", "TESS_EVAL to GEOM", "GEOM to FRAG"]
    links = json.loads(run(capsys, "v g f --link nv50 --emit json")[1])["links"]
    assert [(link["from"], link["to"], len(link["rows"])) for link in links] == [("VERT", "GEOM", 1), ("GEOM", "FRAG", 1)]
    assert links[1]["device"]["blocks"][0]["name"] == "map"


@pytest.mark.usefixtures("folder")
def test_a_mapping_feeds_an_input_with_another_output(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--map GENERIC[0]=GENERIC[1]", "--map=generic[0]=generic[1]"):
        assert json.loads(run(capsys, f"v f --link --emit json {option}")[1])["rows"][0]["output_register"] == 2
    assert run(capsys, "v f --link --emit text --map GENERIC[0]=GENERIC[1]")[1].startswith("FRAG\nDCL IN[2], GENERIC[0]")
    tokens = run(capsys, "v f --link --emit tokens --map GENERIC[0]=GENERIC[1]")[1]
    Path("linked").write_text(tokens)
    assert run(capsys, "linked")[1].startswith("FRAG\nDCL IN[2], GENERIC[0]")


@pytest.mark.usefixtures("folder")
def test_either_program_is_emitted(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "v f --link --emit text --moved vertex")[1]
    assert "DCL OUT[0], GENERIC[0]" in text
    Path("linked").write_text(run(capsys, "v f --link --emit tokens --moved vertex")[1])
    assert run(capsys, "linked")[1] == text


@pytest.mark.usefixtures("folder")
def test_rasterizer_state_reaches_the_device(capsys: pytest.CaptureFixture[str]) -> None:
    assert "back of IN[0], chosen by facing" in run(capsys, "colors color --link r600 --light-twoside")[1]
    assert "back of IN[0]" not in run(capsys, "colors color --link r600")[1]
    words = [
        json.loads(run(capsys, f"v f --link r600 --emit json {more}")[1])["device"]["blocks"][-1]["values"][0]
        for more in ("", "--sprite-coord-enable 0x1", "--sprite-coord-enable 2")
    ]
    assert words == [1, 1 | 1 << 17, 1]
    assert "t upside down" in run(capsys, "v f --link svga10 --sprite-coord-enable 1 --sprite-lower-left")[1]
    assert "id 1\n" in run(capsys, "colors color --link r600 --ids configured")[1]
    assert "id 137\n" in run(capsys, "colors color --link r600")[1]
    Path("flat").write_text(FRAGMENT.format("COLOR").replace("PERSPECTIVE", "COLOR"))
    words = [json.loads(run(capsys, f"colors flat --link r600 --emit json {more}")[1]) for more in ("", "--flatshade")]
    assert [word["device"]["blocks"][-1]["values"][0] for word in words] == [137, 137 | 1 << 10]


@pytest.mark.usefixtures("folder")
def test_unmatched_inputs_are_refused_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "v f --link --map GENERIC[0]=GENERIC[7]")[0] == 0
    code, _, err = run(capsys, "v f --link --map GENERIC[0]=GENERIC[7] --unmatched error")
    assert (code, "error[K004]" in err) == (1, True)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("v f --link --map GENERIC[0]", 2, "--map GENERIC[0]: expected INPUT=OUTPUT, as GENERIC[0]=TEXCOORD[2]"),
        ("v f --link --map GENERC[0]=FOG", 2, "'GENERC[0]' is not a semantic; GENERIC[3] and FOG are; did you mean `GENERIC`?"),
        ("v f --link --map GENERIC(0)=FOG", 2, "'GENERIC(0)' is not a semantic; GENERIC[3] and FOG are"),
        ("v f --link --map GENERIC[0]=FOG,GENERIC[0]=COLOR", 2, "--map: GENERIC[0] is mapped twice, to FOG and to COLOR"),
        ("v f --link --map GENERIC[5]=FOG", 2, "the fragment program reads no GENERIC[5]; it reads GENERIC[0]"),
        ("v f --link --sprite-coord-enable x", 2, "--sprite-coord-enable x: expected 32 bits, as 5 or 0x5"),
        ("v f --link --ids auto_matic", 2, "--ids: unknown value `auto_matic`; did you mean `automatic`?"),
        ("v f --link --moved vertex", 2, "--moved goes with --emit text, tokens"),
        (
            "v --link",
            2,
            "--link takes two files or more, 1 given; a chain is VERT TESS_CTRL TESS_EVAL GEOM FRAG or TASK MESH FRAG, some left out",
        ),
        ("v --light-twoside", 2, "--light-twoside goes with --link"),
        ("v --map FOG=COLOR --check", 2, "--map goes with --link"),
        ("v v f --link", 1, "v and v are both VERT programs"),
        ("v g --link --unmatched eror", 2, "--unmatched: unknown value `eror`; did you mean `error`?"),
        ("tcs f --link", 1, "error[K005]: a FRAG program cannot follow a TESS_CTRL program"),
    ],
)
def test_mistakes_are_answered_with_the_way_out(capsys: pytest.CaptureFixture[str], command: str, code: int, message: str) -> None:
    found, out, err = run(capsys, command)
    assert (found, out) == (code, "")
    assert message in err
