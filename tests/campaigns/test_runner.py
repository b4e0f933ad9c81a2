"""The runner of campaigns names the seed of a crash, of a hang and of an error, goes on after it, and goes on where it ended."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.campaigns.__main__ import main
from tests.campaigns.catalog import CAMPAIGNS, Campaign
from tests.campaigns.page import PAGE, counts, written
from tests.campaigns.runner import Progress, Run, State, names_of, table
from tests.nights import sampled

CHILD = """
import json, os, signal, sys, time
for seed in range(int(sys.argv[2]), int(sys.argv[3])):
    print(json.dumps({"begin": seed}), flush=True)
    if seed == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    if seed == 5:
        signal.signal(signal.SIGUSR1, lambda *given: print("here it hangs", file=sys.stderr, flush=True))
        time.sleep(60)
    if seed == 7:
        print(json.dumps({"found": seed, "report": "a wrong answer"}))
    print(json.dumps({"done": seed, "counts": {"found": 1} if seed == 7 else {"read": 2}}), flush=True)
"""
FAKE = replace(CAMPAIGNS["tokens"], batch=6, patience=3.0)


def run(state: State, begin: int, end: int, jobs: int = 1, script: str = CHILD) -> Progress:
    return Run(state, command=("-c", script)).run(FAKE, begin, end, jobs)


@pytest.mark.parametrize("jobs", sampled([2, 1], 2))
def test_a_crash_a_hang_and_an_error_each_cost_one_seed(jobs: int) -> None:
    progress = run(State(), 0, 10, jobs)
    assert progress.done == [[0, 10]]
    assert progress.counts == {"read": 14, "found": 3}
    assert sorted(progress.found) == ["3", "5", "7"]
    assert "ended by SIGSEGV" in progress.found["3"]
    assert "hung for 3.0 s" in progress.found["5"]
    assert "here it hangs" in progress.found["5"]
    assert progress.found["7"] == "a wrong answer"
    assert "0: " in progress.found["3"], "what the seed stands for"


def test_a_run_goes_on_where_it_ended_and_tries_findings_again(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    run(State(file), 0, 4)
    assert json.loads(file.read_text())["tokens"]["done"] == [[0, 4]]
    state = State(file)  # only seed 3 is run again: the next child would die of any other
    script = CHILD.replace("seed == 3", "seed < 3").replace("seed == 5", "False").replace("seed == 7", "False")
    progress = run(state, 0, 8, script=script)
    assert progress.done == [[0, 8]]
    assert progress.counts == {"read": 16}
    assert not progress.found


def test_a_run_without_time_runs_nothing() -> None:
    progress = Run(State(), seconds=0, command=("-c", CHILD)).run(FAKE, 0, 10)
    assert progress.done == []


def test_the_table_has_a_row_for_each_campaign_that_ran() -> None:
    state = State()
    run(state, 0, 2)
    assert table(state).splitlines()[1].split()[:3] == ["tokens", "2", "4"]


def test_names_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert names_of([]) == list(CAMPAIGNS.values())
    with pytest.raises(ValueError, match="there is no campaign 'words'; there are texts, "):
        names_of(["words"])
    with pytest.raises(SystemExit):
        main(["words"])
    assert "there is no campaign 'words'" in capsys.readouterr().err


def test_the_page_of_reliability_has_the_rows_of_the_catalog() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == written(text, counts(text)), "run python -m tests.campaigns.page"


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_each_campaign_has_run_what_was_wanted(name: str) -> None:
    assert counts(PAGE.read_text(encoding="utf-8"))[name] >= CAMPAIGNS[name].goal


def campaign(name: str) -> Campaign:
    return CAMPAIGNS[name]


@pytest.mark.parametrize("name", ["texts", "glsl", "tokens", "streams"])
def test_seeds_of_cheap_campaigns_find_nothing(name: str) -> None:
    counts = campaign(name).module.attempt(10**6)
    assert counts.total() > 0
    assert campaign(name).module.given(10**6)


@pytest.mark.nightly
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_the_share_of_a_night_finds_nothing(name: str) -> None:
    progress = Run(State()).run(campaign(name), 0, campaign(name).night)
    assert not progress.found, str(progress.found)
    assert progress.seeds == campaign(name).night
