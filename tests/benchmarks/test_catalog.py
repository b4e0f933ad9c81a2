"""Workloads have both sides, expected pictures and the shaders that Mesa recorded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import geometry
from benchmarks.__main__ import main, parse_arguments
from benchmarks.catalog import WORKLOADS, Check
from benchmarks.processes import ROOT
from tests.levels import need


def test_every_workload_has_a_side_of_its_own_on_both_sides() -> None:
    from benchmarks.ours import MAKERS

    assert list(MAKERS) == list(WORKLOADS)


def test_every_workload_has_a_peer() -> None:
    pytest.importorskip("moderngl", reason="moderngl is not installed")
    from benchmarks.peer import MAKERS

    assert list(MAKERS) == list(WORKLOADS)


def test_only_pictures_have_an_expected_check() -> None:
    assert [w.name for w in WORKLOADS.values() if w.expected is None] == ["shader_compile"]


def test_generated_shaders_are_what_mesa_recorded() -> None:
    from benchmarks.our_context import shader_text
    from benchmarks.ours import compile_texts

    for serial in (1, 2):
        vertex, fragment = compile_texts(serial)
        assert vertex == shader_text("shader_compile", f"vert{serial - 1:02}")
        assert fragment == shader_text("shader_compile", f"frag{serial - 1:02}")


def test_no_shader_is_compiled_twice() -> None:
    from benchmarks.ours import compile_texts

    texts = {text for frame in range(4) for serial in geometry.compile_serials(frame) for text in compile_texts(serial)}
    assert len(texts) == 4 * 24 * 2


def test_mip_levels_are_rounded_means() -> None:
    level = np.zeros((2, 2, 4), "u1")
    level[0, 0] = (255, 2, 1, 4)
    assert [x.shape for x in geometry.mipmaps(level)] == [(2, 2, 4), (1, 1, 4)]
    assert geometry.mipmaps(level)[1].tolist() == [[[64, 1, 0, 1]]]


def test_a_check_counts_bytes_from_0_to_1() -> None:
    picture = np.zeros((2, 2, 4), "u1")
    picture[0] = 255
    assert geometry.check(picture) == Check((0.5, 0.5, 0.5, 0.5), 0.5)


def test_an_unknown_workload_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_arguments(["--only", "clear,fil_flat"])
    assert "no workload named fil_flat" in capsys.readouterr().err


def test_list_names_every_workload(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(WORKLOADS)


def test_a_run_writes_its_results_as_json(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    assert main(["--only", "fill_flat", "--no-peer", "--budget", "0.05", "--rounds", "1", "--threads", "0", "--json", str(out)]) == 0
    result = json.loads(out.read_text())["fill_flat"]
    assert result["check_ok"] is True
    assert result["ours"] > 0
    assert result["ratio"] is None
    assert result["unit"] == "Mpixel/s"


@pytest.mark.nightly
def test_another_checkout_takes_the_place_of_the_peer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "results.json"
    given = ["--only", "fill_flat", "--against", str(ROOT), "--budget", "0.05", "--rounds", "1", "--threads", "0", "--json", str(out)]
    assert main(given) == 0
    result = json.loads(out.read_text())["fill_flat"]
    assert result["check_ok"] is True
    assert result["ratio"] > 0
    printed = capsys.readouterr().out
    assert f"of {ROOT}" in printed
    assert "geometric mean of 1 ratios: " in printed


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_arguments(["--against", str(tmp_path)])
    assert "it has no benchmarks/serve.py" in capsys.readouterr().err


def test_a_level_limits_our_code_and_is_said(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    need("x86-64-v2")
    assert main(["--only", "fill_flat", "--budget", "0.05", "--rounds", "1", "--no-peer", "--cpu", "x86-64-v2", "--json", str(file)]) == 0
    run = json.loads(file.read_text())["_run"]
    assert run["cpu"] == "x86-64-v2"
    assert "x86-64-v2" in run["sides"]["tgsi"]
    with pytest.raises(SystemExit):
        parse_arguments(["--cpu", "pentium"])
