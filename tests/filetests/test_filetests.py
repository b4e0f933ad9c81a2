"""One test per file and stage: the program NAME.tgsi, the expected text NAME.<stage>.txt, and settings in an optional NAME.toml.

Settings: ``stages`` (default ``["findings"]``), ``dialect``, ``limits`` (a set of semantic limits) and ``pipeline``. Stages: ``text`` is
the canonical text, ``findings`` the findings of parser and validator, ``passes`` the text after a pipeline. ``pytest tests/filetests
--update-golden`` rewrites the expected texts.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from passes.pipeline import Pipeline
from passes.registry import PASSES
from passes.validate import check
from passes.validate.semantics import LIMITS
from tgsi.language.codes import EXPLANATIONS
from tgsi.language.diagnostics import ParseError
from tgsi.language.printer import print_program
from tgsi.language.text.parser import parse

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Settings:
    stages: Sequence[str] = ("findings",)
    dialect: str = "default"
    limits: str = ""
    pipeline: str = ""


MADE_BY_HAND = frozenset(
    {
        "P030",
        "P031",
        "P032",
        "P040",
        "P041",
        "P042",
        "P043",
        "P044",
        "P045",
        "V027",
        "V040",
        "V041",
        "V050",
        "V052",
        "V053",
        "V090",
        "S001",
        "S003",
    }
)
"""Findings that no text causes. Unit tests build programs that cause them."""

STAGES: dict[str, Callable[[str, str, Settings], str]] = {}


def stage(function: Callable[[str, str, Settings], str]) -> Callable[[str, str, Settings], str]:
    STAGES[function.__name__] = function
    return function


@stage
def text(source: str, name: str, given: Settings) -> str:
    return print_program(parse(source, name=name, dialect=given.dialect))


@stage
def findings(source: str, name: str, given: Settings) -> str:
    try:
        program = parse(source, name=name, dialect=given.dialect)
        found = program.notes + check(program, semantic_limits=LIMITS[given.limits] if given.limits else None)
    except ParseError as error:
        found = error.diagnostics
    return "\n\n".join(diagnostic.render() for diagnostic in found) + "\n" if found else "no findings\n"


@stage
def passes(source: str, name: str, given: Settings) -> str:
    return print_program(Pipeline.parse(given.pipeline).run(parse(source, name=name, dialect=given.dialect)))


def settings(path: Path) -> Settings:
    described = path.with_suffix(".toml")
    return Settings(**tomllib.loads(described.read_text())) if described.exists() else Settings()


def cases() -> list[object]:
    return [
        pytest.param(path, name, id=f"{path.relative_to(HERE).with_suffix('')}:{name}")
        for path in sorted(HERE.rglob("*.tgsi"))
        for name in settings(path).stages
    ]


@pytest.mark.parametrize(("path", "stage_name"), cases())
def test_file_makes_the_expected_text(path: Path, stage_name: str, golden: Callable[[Path, str], None]) -> None:
    source = path.read_bytes().decode("utf-8")  # read_text would convert carriage returns
    made = STAGES[stage_name](source, path.name, settings(path))
    golden(path.with_suffix(f".{stage_name}.txt"), made)


def test_every_language_code_has_a_filetest() -> None:
    shown = {code for path in HERE.rglob("*.findings.txt") for code in re.findall(r"^\w+\[([PVS]\d{3})\]", path.read_text(), re.MULTILINE)}
    wanted = {code for code in EXPLANATIONS if code[0] in "PVS"} - MADE_BY_HAND
    assert wanted - shown == set()
    assert shown <= set(EXPLANATIONS)


def test_every_pass_has_a_filetest() -> None:
    shown = {item.name for path in HERE.rglob("*.toml") for item in Pipeline.parse(settings(path.with_suffix(".tgsi")).pipeline).passes}
    assert set(PASSES) - shown == set()
