"""`tgsi-compile --explain`: every name of the tables has an explanation; hints for words that nothing is called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from linkage import PROFILES
from passes.registry import PASSES
from tests.unit.language.command import Run
from tgsi.language.builder.opcode_methods import available
from tgsi.language.codes import EXPLANATIONS
from tgsi.language.facts.enums import TARGETS, File
from tgsi.language.facts.files import FILES
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.facts.stages import STAGES
from tgsi.tools.compile.lexicon import KINDS, lookup


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("code", list(EXPLANATIONS)),
        ("opcode", [item.name for item in available()]),
        ("semantic", list(SEMANTICS)),
        ("property", list(PROPERTIES)),
        ("register file", [item.name for item in File]),
        ("stage", [item.name for item in STAGES]),
        ("texture target", list(TARGETS)),
        ("pass", list(PASSES)),
        ("profile", list(PROFILES)),
    ],
)
def test_every_name_has_an_explanation(kind: str, names: list[str]) -> None:
    listed = {entry.name: entry for make in KINDS.values() for entry in make() if entry.kind == kind}
    assert list(listed) == names
    for name in names[:: max(len(names) // 3, 1)]:
        assert listed[name] in lookup(name.lower())


def test_files_have_their_words() -> None:
    assert set(FILES) == set(File)


@pytest.mark.parametrize(
    ("word", "lines"),
    [
        ("MAD", ["MAD: opcode", "d.c := a.c*b.c + e.c, two roundings", "  number  16", "  e       float, the channels of the write mask"]),
        ("mad_sat", ["MAD: opcode"]),
        ("TGSI_OPCODE_DP3", ["DP3: opcode", "  a       float, its xyz"]),
        ("generic[3]", ["GENERIC: semantic", "  indices  as many as the profile allows"]),
        ("COLOR", ["COLOR: semantic", "COLOR: interpolation"]),
        ("FS_COORD_ORIGIN", ["FS_COORD_ORIGIN: property"]),
        ("xpd", ["XPD: removed opcode"]),
        ("nv40", ["nv40: profile", "  geometry shaders               no"]),
        ("if-to-select", ["if-to-select: pass"]),
        ("SM3", ["PIPE_CAP_SM3: capability", "  answer of our renderer  1"]),
        ("shadow2d", ["SHADOW2D: texture target", "  reference value  z"]),
        ("v030", ["V030: undeclared register"]),
    ],
)
def test_names_of_all_kinds_are_explained(run: Run, word: str, lines: list[str]) -> None:
    code, out, err = run("--explain", word)
    assert (code, err) == (0, "")
    assert [line for line in lines if line not in out.splitlines()] == []
    assert max(map(len, out.splitlines())) <= 110


def test_an_explanation_as_json_has_the_facts(run: Run) -> None:
    made = json.loads(run("--explain", "MAD", "--format", "json")[1])
    assert (made["kind"], made["name"], made["facts"]["number"]) == ("opcode", "MAD", 16)
    assert [item["kind"] for item in json.loads(run("--explain", "COLOR", "--format", "json")[1])] == ["semantic", "interpolation"]


@pytest.mark.parametrize("kind", ["all", *KINDS])
def test_each_kind_is_listed(run: Run, kind: str) -> None:
    code, out, _ = run("--explain", kind)
    assert code == 0
    assert len(out.splitlines()) > 2
    assert len(json.loads(run("--explain", kind, "--format", "json")[1])) == len(out.splitlines())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--explain", "MAAD"], "nothing is called `MAAD`; did you mean `MAD`?"),
        (["--explain", "GENERC"], "nothing is called `GENERC`; did you mean `GENERIC`?"),
        (["--explain", "zzzzzz"], "nothing is called `zzzzzz`; --explain lists the codes, opcodes, semantics, "),
        (["--explain", "x" * 100], f"nothing is called `{'x' * 57}...`; "),
        (["a", "--passes", "remove-dead-cod"], "there is no pass `remove-dead-cod`; did you mean `remove-dead-code`?"),
        (["a", "--passes", "default", "--print-after", "merge-move"], "did you mean `merge-moves`?"),
        (["a", "b", "--link", "nv4"], "--link: unknown profile `nv4`; did you mean `nv40`?"),
        (["--link", "nv4", "a", "b"], "--link: unknown profile `nv4`; did you mean `nv40`?"),
        (["--link", "nvidia", "a", "b"], "--link nvidia: there is no such profile, and no such file; the profiles are software, nv30, "),
        (["--check", "a", "--profile", "nv4"], "--profile: unknown profile `nv4`; did you mean `nv40`?"),
        (["--check", "a", "--format", "sari"], "--format: unknown value `sari`; did you mean `sarif`?"),
        (["--wach", "a"], "unknown option `--wach`; did you mean `--watch`?"),
    ],
)
def test_wrong_words_get_a_hint(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("tgsi-compile: ")
    assert message in err
    assert err.count("\n") == 1


def test_files_may_stand_between_options(run: Run, folder: Path) -> None:
    code, out, err = run("one.tgsi", "--check", "two.tgsi", "--lint", "three.tgsi")
    assert (code, out) == (2, "")
    assert [line.split(":")[1] for line in err.splitlines()] == [" one.tgsi", " two.tgsi", " three.tgsi"]


def test_a_file_whose_name_looks_like_an_option_is_reached(run: Run, folder: Path) -> None:
    Path("-x.tgsi").write_text("FRAG\nMOVE\nEND\n")
    assert run("--check", "-x.tgsi")[2] == "tgsi-compile: unknown option `-x.tgsi`; the file of that name is written `./-x.tgsi`\n"
    for words in (["--check", "--", "-x.tgsi"], ["./-x.tgsi", "--check", "--", "-x.tgsi"]):
        code, out, err = run(*words)
        assert (code, err, out.count("error[P005]")) == (1, "", len(words) - 2 if words[0] == "--check" else 2)
