"""First frames of fresh processes: the clock, turns, and results, with a side that only pretends to draw."""

from __future__ import annotations

import json
import types
from pathlib import Path

import pytest

from benchmarks.__main__ import parse_arguments
from benchmarks.cold.clock import Clock
from benchmarks.cold.turns import DEFAULT, ColdSide, measure_first_frames, row

_PRETENDER = """import json, os, sys
name, preload = sys.argv[2], open(sys.argv[sys.argv.index("--preload") + 1]).read().split()
with open("log", "a") as log:
    print(sys.argv[1], len(preload), os.listdir(os.environ["TGSI_CACHE_DIR"]), file=log)
if name == "clear":
    sys.exit("no such luck")
mean = [0.5 if name == "gouraud" and sys.argv[1] == "peer" else 0.25] * 4
answer = {"before": 0, "cpu": 2.0 if sys.argv[1] == "ours" else 1.0, "wall": 3.0, "mean": mean, "covered": 1.0, "modules": ["json", "os"]}
print(json.dumps({"unsupported": "half floats"} if name == "mrt4_rgba16f" else answer))
"""


@pytest.fixture
def sides(tmp_path: Path) -> tuple[ColdSide, ColdSide]:
    folder = tmp_path / "benchmarks" / "cold"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()
    (folder / "process.py").write_text(_PRETENDER)
    return ColdSide("tgsi", ("ours",), {}, tmp_path), ColdSide("llvmpipe", ("peer",), {}, tmp_path)


def test_sides_take_turns_with_an_empty_cache_and_the_modules_of_the_frame_before(sides: tuple[ColdSide, ColdSide]) -> None:
    result = measure_first_frames("fill_flat", *sides, rounds=2)
    log = (sides[0].root / "log").read_text().splitlines()
    assert log == ["peer 0 []", "ours 0 []", "ours 2 []", "peer 2 []", "peer 2 []", "ours 2 []"]
    assert result.ratio("cpu") == 2
    assert result.ratio("wall") == 1
    assert (result.ratio("whole_cpu") or 0) > 0
    assert row(result).split()[:5] == ["fill_flat", "2000", "1000", "2.00", "1.00"]
    assert json.loads(json.dumps(result.as_json()))["ours_cpu_ms"] == 2000


@pytest.mark.parametrize(
    ("name", "said"), [("gouraud", "DIFFERS"), ("clear", "tgsi: no such luck; llvmpipe: no such luck"), ("mrt4_rgba16f", "half floats")]
)
def test_a_picture_that_differs_or_is_missing_has_no_ratio(sides: tuple[ColdSide, ColdSide], name: str, said: str) -> None:
    result = measure_first_frames(name, *sides, rounds=1)
    assert result.ratio("cpu") is None
    assert result.check_ok is not True
    assert said in row(result)


def test_the_clock_starts_once_and_leaves_out_the_functions_of_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter(range(100))
    monkeypatch.setattr("benchmarks.cold.clock.processor_seconds", lambda: next(seconds))
    module = types.ModuleType("vertices")
    exec("def inner(): return 1\ndef outer(): return inner() + 1", vars(module))
    clock = Clock()
    clock.leave_out(module)
    clock.start()  # asks twice: 0 and 1
    clock.start()
    assert module.outer() == 2  # 2 to 5, with the inner function from 3 to 4
    assert clock.stop()["cpu"] == 6 - 1 - 3


def test_only_first_frames_know_the_examples() -> None:
    assert parse_arguments(["--cold"]).names == list(DEFAULT)
    assert parse_arguments(["--cold", "--only", "vase,clear"]).names == ["vase", "clear"]
    with pytest.raises(SystemExit):
        parse_arguments(["--only", "vase"])
