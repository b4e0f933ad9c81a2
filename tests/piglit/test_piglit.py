"""The runner of piglit's cases: what lists and outputs mean, and that nothing is lost when a process dies, hangs or is cut off."""

from __future__ import annotations

import datetime
import gzip
import json
import os
import random
import signal
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks import virpipe
from benchmarks.virpipe import Server
from tests.conftest import SHARED
from tests.piglit.__main__ import SEED, chosen, main, names_in, parse
from tests.piglit.cases import Case, ordered, read_cases, read_list, shard, units
from tests.piglit.kept import keep, kept
from tests.piglit.known import KNOWN
from tests.piglit.outcomes import Ended, Outcome, Start, Starter, judged, reports, run_case, run_unit
from tests.piglit.page import page
from tests.piglit.results import RECORDED, Results, read_any
from tests.piglit.runner import remaining, run
from tests.piglit.sides import alone, missing, served, started
from tests.piglit.table import PASSED, better, family, table, worse
from tests.shader_test.runs import folder
from tgsi.tools.vtest.launch.known_path import KnownPath

LIST = """<?xml version='1.0' encoding='utf-8'?>
<PiglitTestList count="4" name="made_up">
<Test type="gl" name="spec@arb_a@one"><option name="command" value="['one', 'x', '-auto']" />
<option name="run_concurrent" value="True" /></Test>
<Test type="gl" name="glx@two"><option name="require_platforms" value="['glx']" /><option name="command" value="['two']" />
<option name="run_concurrent" value="False" /><environment><env name="vblank_mode" value="0" /></environment></Test>
<Test type="gl" name="spec@egl@three"><option name="exclude_platforms" value="['glx']" /><option name="command" value="['three']" />
<option name="run_concurrent" value="False" /></Test>
<Test type="shader" name="spec@glsl-1.10@four"><option name="command" value="['runner', 'tests/Four.shader_test']" />
<option name="run_concurrent" value="True" /></Test>
</PiglitTestList>
"""
REPORT = 'PIGLIT: {"result": "pass" }\n'


@pytest.fixture
def listed(tmp_path: Path) -> list[Case]:
    path = tmp_path / "made_up.xml.gz"
    path.write_bytes(gzip.compress(LIST.encode()))
    return list(read_list(path))


def files(count: int) -> list[Case]:
    return [Case(f"spec@a@{k}", "shader", {"command": f"['runner', 'tests/f{k}.shader_test']"}, {}) for k in range(count)]


def test_a_list_gives_commands_variables_and_platforms(listed: list[Case]) -> None:
    one, two, three, four = listed
    assert one.arguments(Path("/p")) == ["x", "-auto", "-fbo"]
    assert two.arguments(Path("/p")) == ["-auto"]
    assert two.variables == {"vblank_mode": "0"}
    assert [case.is_here for case in listed] == [True, True, False, True]
    assert three.program == "three"
    assert four.arguments(Path("/p")) == ["/p/tests/Four.shader_test", "-auto", "-fbo"]
    assert [case.is_file for case in listed] == [False, False, False, True]


def test_units_hold_files_of_one_folder_and_program_and_the_order_follows_the_seed(listed: list[Case]) -> None:
    cases = {case.name: case for case in [*listed, *files(60)]}
    found = ordered(cases, ["glx@two"], 3)
    assert found == ordered(cases, ["glx@two"], 3) != ordered(cases, ["glx@two"], 4)
    assert found[0] == (cases["glx@two"],)
    assert sorted(case.name for unit in found for case in unit) == sorted(cases)
    assert sorted(len(unit) for unit in found) == [1, 1, 1, 11, 25, 25]
    assert all(len({case.family for case in unit}) == 1 for unit in found)


def test_shards_are_parts_and_together_everything() -> None:
    everything = units(files(300), random.Random(0))
    parts = [shard(everything, k, 5) for k in range(1, 6)]
    assert [len(part) for part in parts] == [3, 3, 2, 2, 2]
    assert sorted(case.name for part in parts for unit in part for case in unit) == sorted(
        case.name for unit in everything for case in unit
    )
    with pytest.raises(ValueError, match="no shard 6 of 5"):
        shard(everything, 6, 5)


@pytest.mark.parametrize(
    ("output", "code", "kind"),
    [
        (REPORT, 0, "pass"),
        (REPORT, 1, "warn"),
        ('PIGLIT: {"result": "skip" }\n', 0, "skip"),
        ('PIGLIT: {"subtest": {"a" : "pass"}}\nPIGLIT: {"subtest": {"b" : "fail"}}\n' + REPORT, 0, "fail"),
        ('PIGLIT: {"subtest": {"a" : "skip"}}\nPIGLIT: {"subtest": {"b" : "pass"}}\n', 0, "pass"),
        ("nothing of use\n", 0, "fail"),
        ("sh: 1: exec: nothing: not found\n", 127, "skip"),
        (REPORT, -11, "crash"),
        (REPORT, 134, "crash"),
        (REPORT, None, "hang"),
    ],
)
def test_the_outcome_is_that_of_the_worst_part(output: str, code: int | None, kind: str) -> None:
    made = judged(Ended(output, code, 1.0))
    assert made.kind == kind
    assert bool(made.words) is (kind not in ("pass",) and "nothing" in output)


def test_lines_that_are_no_reports_are_left_out() -> None:
    assert reports('PIGLIT: {broken\nPIGLIT: {"result": "fail" }\nPIGLIT TEST: 1 - x\n') == ("fail", {})


class Fake:
    """A stand-in for processes. Files whose number is in a set skip and end the process, say that they skip, or fail."""

    def __init__(self, ends: Sequence[int] = (), fails: Sequence[int] = (), skips: Sequence[int] = ()) -> None:
        self.ends, self.fails, self.skips, self.calls = set(ends), set(fails), set(skips), list[int]()

    def __call__(self, words: Sequence[str], variables: Mapping[str, str], seconds: float) -> Ended:
        numbers = [int(Path(word).stem[1:]) for word in words if word.endswith(".shader_test")]
        self.calls.append(len(numbers))
        lines = list[str]()
        for number in numbers:
            if number in self.ends:
                return Ended("".join(lines) + 'PIGLIT: {"result": "skip" }\n', 0, 1.0)
            kind = "fail" if number in self.fails else "skip" if number in self.skips else "pass"
            part = f'{{"subtest": {{"F{number}" : "{kind}"}}}}'
            lines.append(f"PIGLIT: {part}\n" if "-report-subtests" in words else f'PIGLIT: {{"result": "{kind}" }}\n')
        return Ended("".join(lines), 0, 1.0)


def test_a_unit_goes_on_after_files_that_end_its_process_or_fail() -> None:
    fake = Fake(ends=[2], fails=[5])
    found = run_unit(tuple(files(8)), Path("/p"), fake)
    assert [found[f"spec@a@{k}"].kind for k in range(8)] == ["pass", "pass", "skip", "pass", "pass", "fail", "pass", "pass"]
    assert fake.calls == [8, 1, 5, 1], "all; the file that ended the process; the others; the one that failed, alone"


def test_files_that_say_that_they_skip_are_not_run_again() -> None:
    fake = Fake(skips=[0, 1, 3])
    assert [outcome.kind for outcome in run_unit(tuple(files(4)), Path("/p"), fake).values()] == ["skip", "skip", "pass", "skip"]
    assert fake.calls == [4]


def test_a_window_that_changed_its_size_is_tried_again() -> None:
    answers = [Ended("Got spurious window resize\n", 1, 1.0), Ended(REPORT, 0, 1.0)]
    case = Case("spec@a@b", "gl", {"command": "['b']", "run_concurrent": "False"}, {})
    assert run_case(case, Path("/p"), lambda *given: answers.pop(0)).kind == "pass"


def test_a_process_that_uses_too_much_time_or_none_at_all_hangs() -> None:
    start = Starter([], {})
    assert start(["sh", "-c", "echo begun; while :; do :; done"], {}, 0.3).code is None
    used = iter(range(1000))
    assert Starter([], {}, lambda: 10.0 * next(used))(["sleep", "100"], {}, 1.0).code is None
    assert start(["sleep", "100"], {}, 0.1).code is None
    ended = start(["sh", "-c", "echo $A; kill -ABRT $$"], {"A": "b"}, 5.0)
    assert (ended.code, ended.output) == (-6, "b\n")


def test_a_process_that_gets_little_of_a_busy_machine_does_not_hang() -> None:
    used = iter(range(1000))
    assert Starter([], {}, lambda: 0.001 * next(used))(["sleep", "1.5"], {}, 0.1).code == 0


def test_results_are_kept_and_a_line_that_was_cut_off_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "results.tsv"
    Results(path).add({"spec@a": Outcome("fail", 1.5, "two\nlines\tand a tab"), "spec@b": Outcome("pass", 0.1)})
    with path.open("a") as file:
        file.write("pass\t1.0")
    again = Results(path)
    again.add({"spec@c": Outcome("crash", 2.0)})
    assert Results(path).found == {
        "spec@a": Outcome("fail", 1.5, "two lines and a tab"),
        "spec@b": Outcome("pass", 0.1),
        "spec@c": Outcome("crash", 2.0),
    }
    path.write_text("good\t1.0\tspec@a\t\n")
    with pytest.raises(ValueError, match="'good' is not an outcome; there are skip, pass"):
        Results(path)


def test_a_run_goes_on_with_what_is_not_done(tmp_path: Path) -> None:
    results, fake = Results(tmp_path / "results.tsv"), Fake()

    @contextmanager
    def starter() -> Iterator[Fake]:
        yield fake

    found = units(files(60), random.Random(1))
    run(found[:1], Path("/p"), results, starter)
    assert len(results.found) == len(found[0])
    run(remaining(found, results.found), Path("/p"), results, starter, jobs=2)
    assert len(results.found) == 60
    assert sum(fake.calls) == 60


def test_an_error_of_a_thread_is_that_of_the_run() -> None:
    @contextmanager
    def starter() -> Iterator[Fake]:
        raise RuntimeError("no display")
        yield Fake()

    with pytest.raises(RuntimeError, match="no display"):
        run(units(files(3), random.Random(1)), Path("/p"), Results(), starter, jobs=2)


def test_the_table_counts_by_family_and_names_what_differs(listed: list[Case]) -> None:
    cases = {case.name: case for case in listed}
    ours = {"spec@arb_a@one": Outcome("fail", 1), "glx@two": Outcome("pass", 1), "spec@glsl-1.10@four": Outcome("crash", 1)}
    reference = {"spec@arb_a@one": Outcome("pass", 1), "glx@two": Outcome("fail", 1), "spec@glsl-1.10@four": Outcome("fail", 1)}
    assert worse(ours, reference) == ["spec@arb_a@one"]
    assert better(ours, reference) == ["glx@two"]
    assert [family(case) for case in listed] == ["ARB", "glx", "others", "GLSL 1.10"]
    lines = table(cases, ours, reference).splitlines()
    assert "| ARB | 1 | 1 / 1 | 0 / 1 | 1 / 0 | 0 / 0 | 0 / 0 | 0 / 0 | 1 | 0 |" in lines
    assert lines[-1] == "| all | 4 | 3 / 3 | 1 / 1 | 1 / 2 | 0 / 0 | 1 / 0 | 0 / 0 | 1 | 1 |"


def test_the_page_says_which_share_ran_and_names_what_does_not_pass(listed: list[Case]) -> None:
    cases = {case.name: case for case in listed}
    ours = {"spec@arb_a@one": Outcome("fail", 1), "glx@two": Outcome("pass", 1), "spec@glsl-1.10@four": Outcome("crash", 1)}
    reference = {"spec@arb_a@one": Outcome("pass", 1), "glx@two": Outcome("fail", 1), "spec@glsl-1.10@four": Outcome("fail", 1)}
    text = page(cases, ours, reference, {"abc123": 1, "def456": 2}, datetime.date(2026, 11, 24))
    assert "Run up to 24 November 2026, on tree def456 (2), tree abc123 (1): 3 of 4 cases (75.0 %)." in text
    parts = {part.splitlines()[0]: part.splitlines()[2:] for part in text.split("\n## ")[1:]}
    assert parts == {
        "Only the reference passes": ["- `spec@arb_a@one`: fail"],
        "Only ours passes": ["- `glx@two`: fail"],
        "Neither passes": ["- `spec@glsl-1.10@four`: crash"],
    }


def test_outcomes_of_the_reference_come_from_a_recording_and_from_later_runs(tmp_path: Path) -> None:
    recorded = tmp_path / "piglit.json"
    recorded.write_text(json.dumps({"meta": {}, "softpipe": {"a": "fail"}, RECORDED: {"a": "pass", "b": "timeout"}}))
    later = Results(tmp_path / "later.tsv")
    later.add({"b": Outcome("pass", 1.0)})
    found = read_any(recorded).merged(read_any(tmp_path / "later.tsv")).found
    assert {name: outcome.kind for name, outcome in found.items()} == {"a": "pass", "b": "pass"}
    assert read_any(recorded).names("hang") == ["b"]


def test_names_come_from_lines_and_from_json(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x@y\nz\n")
    (tmp_path / "a.json").write_text(json.dumps({"meta": {"host": "h"}, "one": {"a": "pass", "b": "fail"}, "two": {"b": "pass"}}))
    assert names_in(tmp_path / "a.txt") == ["x@y", "z"]
    assert names_in(tmp_path / "a.json") == ["a", "b"]


def test_a_sample_of_what_the_other_side_has_run_is_the_same_each_time(tmp_path: Path) -> None:
    cases = {case.name: case for case in files(60)}
    ours = Results(tmp_path / "ours.tsv")
    ours.add({name: Outcome("pass", 1.0) for name in list(cases)[:40]})
    words = ["--among", str(tmp_path / "ours.tsv"), "--sample", "10", "--seed"]
    first, again, other = ({case.name for unit in chosen(cases, parse([*words, seed]), Results()) for case in unit} for seed in "334")
    assert first == again != other
    assert len(first) == 10
    assert first < set(ours.found)


def test_outcomes_that_are_kept_have_no_names_and_later_ones_replace_them(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    keep({"spec@a": Outcome("fail", 1.0), "spec@b": Outcome("pass", 1.0)}, "0123abcd", path)
    keep({"spec@a": Outcome("pass", 1.0)}, "4567abcd", path)
    assert "spec" not in path.read_text()
    assert kept(["spec@a", "spec@b", "spec@c"], path) == {
        "spec@a": Outcome("pass", 0.0, "4567abcd"),
        "spec@b": Outcome("pass", 0.0, "0123abcd"),
    }
    path.write_text("0123 pass\n")
    with pytest.raises(ValueError, match="not enough values"):
        kept(["spec@a"], path)


SERVER = """
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
print("some last words", flush=True)
time.sleep(60)
"""


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, Start, Path]]:
    """A server that only listens, a starter of its clients, and the path over which its socket is mounted."""
    if lacks := missing("ours"):
        pytest.skip(f"missing: {', '.join(lacks)}")
    known, socket = tmp_path / "known", tmp_path / "socket"
    monkeypatch.setattr(virpipe, "KNOWN_SOCKET", known)
    run = KnownPath(known, other := tmp_path / "other")
    other.touch()
    run.claim()
    with Server("fake", [sys.executable, "-c", SERVER, str(socket)], socket, {}) as server, started(server) as start:
        run.release()
        yield server, start, known


def test_a_run_of_tgsi_vtest_that_ends_leaves_the_path_to_others(beside: tuple[Server, Start, Path]) -> None:
    _, start, known = beside
    assert start(["test", "-S", str(known)], {}, 10.0).code == 0


@pytest.mark.parametrize(
    ("harm", "cause"),
    [
        (lambda server, known: os.kill(server.pid, signal.SIGKILL), r"signal 9 \(Killed\); it said: some last words"),
        (lambda server, known: server.socket.unlink(), r"socket is gone"),
    ],
)
def test_a_run_ends_where_its_server_has_ended_and_names_the_cause(
    beside: tuple[Server, Start, Path], harm: Callable[[Server, Path], None], cause: str
) -> None:
    server, start, known = beside
    assert start(["true"], {}, 10.0).code == 0
    harm(server, known)
    with pytest.raises(RuntimeError, match=f"the server fake cannot be reached.*{cause}"):
        start(["true"], {}, 10.0)


def test_a_path_that_another_server_has_removed_is_made_again_and_what_ran_last_runs_again(beside: tuple[Server, Start, Path]) -> None:
    _, start, known = beside
    known.unlink()
    assert start(["test", "-S", str(known)], {}, 10.0).code == 0
    assert known.exists()


@pytest.mark.slow
def test_our_server_reads_bytecode_although_none_is_to_be_written_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virpipe, "KNOWN_SOCKET", tmp_path / "known")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    with served("ours") as server:
        variables = Path(f"/proc/{server.pid}/environ").read_bytes().split(b"\0")
    assert b"PYTHONDONTWRITEBYTECODE=" in variables


# -- with piglit -----------------------------------------------------------------------------------------------------------

ROOT = folder()
LACKS = ["the package piglit"] if ROOT is None else missing("reference")
installed = pytest.mark.skipif(bool(LACKS), reason=f"missing: {', '.join(LACKS)}")
PARTS = 400
"""Parts of the profile. A night runs one of them, another one each day: about 70 cases."""


def compare(root: Path, names: Sequence[str]) -> tuple[dict[str, Outcome], dict[str, Outcome]]:
    """Run cases here, and on the reference those that do not pass here."""
    cases = read_cases(root)
    found: list[dict[str, Outcome]] = []
    for side in ("ours", "reference"):
        wanted = names if not found else [name for name in names if found[0][name].kind not in (*PASSED, "skip")]
        results = Results()
        parts = units([cases[name] for name in wanted], random.Random(SEED))
        run(parts, root, results, lambda side=side: alone(side))  # type: ignore[misc]
        found.append(results.found)
    return found[0], found[1]


@pytest.mark.peers
@pytest.mark.slow
@installed
def test_cases_run_on_both_servers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ROOT is not None
    pattern = "scope_limits_in_loop|glsl-arb-fragment-coord-conventions"
    file = tmp_path / "ours.tsv"
    assert main(["--only", pattern, "--results", str(file)]) == 0
    assert "{'pass': 3}" in capsys.readouterr().out
    assert main(["--only", pattern, "--side", "reference", "--results", str(tmp_path / "reference.tsv"), "--against", str(file)]) == 0
    assert "0 cases in 0 units" in capsys.readouterr().out


@pytest.mark.nightly
@pytest.mark.peers
@installed
def test_a_part_of_piglit_passes_wherever_the_reference_does() -> None:
    assert ROOT is not None
    day = datetime.datetime.now(datetime.UTC).date().toordinal() % PARTS
    part = shard(ordered(read_cases(ROOT), [], SEED), day + 1, PARTS)
    ours, reference = compare(ROOT, [case.name for unit in part for case in unit])
    ended = {name: outcome for name, outcome in ours.items() if outcome.kind in ("crash", "hang") and name not in KNOWN}
    assert ended == {}
    assert [name for name in worse(ours, reference) if name not in KNOWN] == []


@pytest.mark.skipif(ROOT is None or not (SHARED / "peers" / "piglit.json").exists(), reason="missing: piglit, or ../shared/peers")
def test_the_recorded_names_are_cases_of_the_profile_and_so_are_the_known_ones() -> None:
    assert ROOT is not None
    cases = read_cases(ROOT)
    names = names_in(SHARED / "peers" / "piglit.json")
    assert [name for name in names if name not in cases] == []
    assert [name for name in KNOWN if name not in cases] == []
    assert stat.S_ISDIR((ROOT / "bin").stat().st_mode)
