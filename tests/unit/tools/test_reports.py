"""Forms of findings: commands of GitHub Actions, SARIF 2.1.0 by the rules of its schema, JSON; --quiet and --werror."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.language.command import Run
from tgsi.language.diagnostics import Diagnostic, Severity
from tgsi.tools.compile.batch.places import Report
from tgsi.tools.compile.batch.reports import write_report

BAD = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOVE OUT[0], IN[0]\nMOV OUT[0], IN[0],\nEND\n"
LIKELY_WRONG = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\nMOV OUT[0], IN[0]\nEND\n"
GOOD = LIKELY_WRONG.replace("DCL TEMP[0]\nMOV TEMP[0], IN[0]\n", "")
LEVELS = {"error", "warning", "note", "none"}
REGION = {"startLine", "startColumn", "endLine", "endColumn"}


def test_github_gets_a_command_for_each_finding(run: Run, folder: Path) -> None:
    name = "50%, a:b.tgsi"
    Path(name).write_text(BAD)
    code, out, err = run("--check", "--format", "github", name, "none.tgsi")
    lines = out.splitlines()
    assert (code, len(lines)) == (2, 3)
    place = "file=50%25%2C a%3Ab.tgsi"
    assert lines[0] == "::error file=none.tgsi,title=tgsi-compile::this file could not be read: no such file or directory"
    assert lines[1] == f"::error {place},line=4,col=1,endColumn=5,title=tgsi-compile P005::unknown opcode `MOVE`%0Ahint: write `MOV`"
    assert all(re.fullmatch(r"::(error|warning|notice) [a-zA-Z]+=[^:,\n]*(,[a-zA-Z]+=[^:,\n]*)*::.+", line) for line in lines)
    assert err == "tgsi-compile: none.tgsi: no such file or directory\n"


def test_paths_are_those_of_the_repository(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("sub").mkdir()
    Path("sub/a.tgsi").write_text(BAD)
    monkeypatch.chdir(folder / "sub")
    assert "file=a.tgsi," in run("--check", "--format", "github", "a.tgsi")[1]
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder))
    for name in ("a.tgsi", str(folder / "sub/a.tgsi"), "../sub/a.tgsi"):
        assert "file=sub/a.tgsi," in run("--check", "--format", "github", name)[1]
        assert '"uri": "sub/a.tgsi"' in run("--check", "--format", "sarif", name)[1]


def test_warnings_and_notes_have_their_own_commands(run: Run, folder: Path) -> None:
    Path("a.tgsi").write_text(LIKELY_WRONG)
    code, out, _ = run("--check", "--lint", "--format", "github", "a.tgsi")
    assert (code, out.startswith("::warning file=a.tgsi,line=")) == (0, True)


def check_text(item: Any) -> None:
    assert set(item) <= {"text"}
    assert isinstance(item["text"], str)
    assert item["text"]


def check_location(item: dict[str, Any]) -> None:
    assert set(item) <= {"id", "message", "physicalLocation"}
    place = item["physicalLocation"]
    assert set(place) <= {"artifactLocation", "region"}
    check_artifact(place["artifactLocation"])
    if "region" in place:
        check_region(place["region"])
    if "message" in item:
        check_text(item["message"])


def check_artifact(item: dict[str, str]) -> None:
    assert set(item) <= {"uri", "uriBaseId"}
    assert re.fullmatch(r"[A-Za-z0-9._~/%:-]+", item["uri"])
    assert ("uriBaseId" in item) == (not item["uri"].startswith("file:///"))
    assert not item["uri"].startswith("/")


def check_region(item: dict[str, int]) -> None:
    assert set(item) == REGION
    assert all(isinstance(value, int) and value >= 1 for value in item.values())
    assert (item["startLine"], item["startColumn"]) <= (item["endLine"], item["endColumn"])


def check_sarif(log: dict[str, Any]) -> dict[str, Any]:
    """Hold a log to the rules of the schema: required properties, their types, and no property that the schema does not have."""
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    assert log["$schema"].startswith("https://")
    (run,) = log["runs"]
    assert set(run) == {"tool", "columnKind", "invocations", "results"}
    assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    driver = run["tool"]["driver"]
    assert set(driver) == {"name", "version", "rules"}
    rules = driver["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert set(rule) <= {"id", "shortDescription", "fullDescription", "help"}
        for name in set(rule) - {"id"}:
            check_text(rule[name])
    for invocation in run["invocations"]:
        assert isinstance(invocation["executionSuccessful"], bool)
        for note in invocation.get("toolExecutionNotifications", []):
            assert note["level"] in LEVELS
            check_text(note["message"])
            for place in note["locations"]:
                check_location(place)
    for result in run["results"]:
        assert set(result) <= {"ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations", "fixes"}
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in LEVELS
        check_text(result["message"])
        for place in [*result["locations"], *result.get("relatedLocations", [])]:
            check_location(place)
        for fix in result.get("fixes", []):
            check_text(fix["description"])
            assert fix["artifactChanges"]
            for change in fix["artifactChanges"]:
                check_artifact(change["artifactLocation"])
                assert change["replacements"]
                for item in change["replacements"]:
                    check_region(item["deletedRegion"])
                    if "insertedContent" in item:
                        check_text(item["insertedContent"])
    made: dict[str, Any] = run
    return made


def test_sarif_follows_its_schema(run: Run, folder: Path) -> None:
    Path("sub dir").mkdir()
    Path("sub dir/ä#?.tgsi").write_text(BAD)
    Path("likely.tgsi").write_text(LIKELY_WRONG)
    Path("two.tgsi").write_text("FRAG\nDCL TEMP[0]\nDCL TEMP[0]\nEND\n")
    code, out, _ = run("--check", "--lint", "--format", "sarif", ".", "none.tgsi")
    made = check_sarif(json.loads(out))
    assert code == 2
    assert made["invocations"][0]["executionSuccessful"] is False
    uris = {item["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for item in made["results"]}
    assert uris == {"sub%20dir/%C3%A4%23%3F.tgsi", "likely.tgsi", "two.tgsi"}
    fix = next(item["fixes"][0] for item in made["results"] if item["ruleId"] == "P005")
    assert fix["artifactChanges"][0]["replacements"] == [
        {"deletedRegion": {"startLine": 4, "startColumn": 1, "endLine": 4, "endColumn": 5}, "insertedContent": {"text": "MOV"}}
    ]


def test_sarif_of_right_shaders_says_that_all_is_well(run: Run, folder: Path) -> None:
    Path("a.tgsi").write_text(GOOD)
    code, out, _ = run("--check", "--format", "sarif", "a.tgsi")
    made = check_sarif(json.loads(out))
    assert (code, made["results"], made["invocations"]) == (0, [], [{"executionSuccessful": True}])


def test_json_names_what_could_not_be_read(run: Run, folder: Path) -> None:
    Path("a.tgsi").write_text(BAD)
    made = json.loads(run("--check", "--format", "json", "a.tgsi", "none.tgsi")[1])
    assert made["ok"] is False
    assert made["unread"] == [{"file": "none.tgsi", "reason": "no such file or directory"}]
    assert len(made["findings"]) == 2


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        ("text", "error[U001]: too much\n --> a b.tgsi\n  = hint: use less\n\n1 error, no warnings\n"),
        ("github", "::error file=a b.tgsi,title=tgsi-compile U001::too much%0Ahint: use less\n"),
        ("json", '"file": "a b.tgsi"'),
        ("sarif", '"uri": "a%20b.tgsi"'),
    ],
)
def test_a_finding_without_a_place_names_its_file(folder: Path, form: str, wanted: str) -> None:
    finding = Diagnostic("U001", Severity.ERROR, "too much", hint="use less")
    made = write_report(Report([finding], ["a b.tgsi"], [], True), form)
    assert wanted in made
    assert form != "sarif" or check_sarif(json.loads(made))


def test_quiet_leaves_out_all_but_findings(run: Run, folder: Path) -> None:
    Path("a.tgsi").write_text(LIKELY_WRONG)
    loud, quiet = (run("--check", "--lint", "a.tgsi", *more)[1] for more in ([], ["--quiet"]))
    assert loud == quiet + "no errors, 1 warning\n"


@pytest.mark.parametrize(
    "action", [["--check"], [], ["--emit", "glsl"], ["--run", "--inputs", "[[[1.0, 2, 3, 4]]]"], ["--passes", "default"]]
)
def test_werror_goes_with_every_action(run: Run, folder: Path, action: list[str]) -> None:
    Path("a.tgsi").write_text(LIKELY_WRONG)
    assert run(*action, "--lint", "a.tgsi")[0] == 0
    code, out, err = run(*action, "--lint", "--werror", "a.tgsi")
    assert code == 1
    assert "no errors, 1 warning (--werror: warnings fail)\n" in (out or err)
    assert action == ["--check"] or out == ""


def test_werror_counts_warnings_of_a_link(run: Run, folder: Path) -> None:
    Path("a.vert.tgsi").write_text("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n")
    Path("a.frag.tgsi").write_text(GOOD)
    code, out, err = run("--link", "a.vert.tgsi", "a.frag.tgsi")
    assert (code, "warning[K010]" in out, err) == (0, True, "")
    code, out, err = run("--link", "a.vert.tgsi", "a.frag.tgsi", "--werror")
    assert (code, out, "warning[K010]" in err) == (1, "", True)
    assert "::warning file=a.frag.tgsi,line=2," in run("--link", "a.vert.tgsi", "a.frag.tgsi", "--format", "github")[2]


def test_werror_counts_warnings_of_a_run(run: Run, folder: Path) -> None:
    Path("a.tgsi").write_text("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nBGNLOOP\nENDLOOP\nMOV OUT[0], IN[0]\nEND\n")
    words = ["--run", "a.tgsi", "--inputs", "[[[1.0, 2, 3, 4]]]", "--fuel", "10", "--engine", "interp"]
    assert [run(*words, *more)[0] for more in ([], ["--werror"])] == [0, 1]
