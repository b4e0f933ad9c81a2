"""Campaigns in child processes. A child that dies or hangs costs one seed, which is named, and the next child goes on after it.

The state is a file of JSON, written after each batch and every few seconds, so that a run that ends early goes on where it ended.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import Any

from tests.campaigns.catalog import CAMPAIGNS, Campaign

ROOT = Path(__file__).resolve().parents[2]
KEPT = 20
"""Reports of findings whose words a state keeps of a campaign."""
_SAVING_S = 5.0
_ERRORS = 4000  # last bytes of a dead child's errors
_GIVEN = 100_000  # first characters of a seed's case


@dataclass
class Progress:
    """Progress of a campaign: which ranges of seeds are finished, how their cases ended, and the reports of failed seeds."""

    done: list[list[int]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    found: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, seed: int, counts: dict[str, int]) -> None:
        """Note a seed."""
        self.counts.update(counts)
        for reach in self.done:
            if reach[1] == seed:
                reach[1] = seed + 1
                break
        else:
            self.done.append([seed, seed + 1])
        self.done.sort()
        for k in range(len(self.done) - 1, 0, -1):
            if self.done[k - 1][1] >= self.done[k][0]:
                self.done[k - 1][1] = max(self.done[k - 1][1], self.done.pop(k)[1])

    def report(self, seed: int, words: str) -> None:
        """Note a finding; only the first ones keep their words."""
        self.found[str(seed)] = words if len(self.found) < KEPT else ""

    def forget_findings(self) -> None:
        """Mark seeds with findings as not done."""
        for seed in map(int, self.found):
            for reach in [reach for reach in self.done if reach[0] <= seed < reach[1]]:
                self.done.remove(reach)
                self.done += [part for part in ([reach[0], seed], [seed + 1, reach[1]]) if part[0] < part[1]]
        self.done.sort()
        self.found.clear()
        del self.counts["found"]

    def missing(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Ranges of seeds that are not done."""
        for first, last in [*self.done, [end, end]]:
            if begin < min(first, end):
                yield begin, min(first, end)
            begin = max(begin, last)

    @property
    def seeds(self) -> int:
        return sum(last - first for first, last in self.done)

    @property
    def cases(self) -> int:
        return self.counts.total()


class State:
    """Progress of campaigns by name, in a file if one is given."""

    def __init__(self, path: Path | None = None) -> None:
        self.path, self.progress = path, dict[str, Progress]()
        if path is not None and path.exists():
            for name, row in json.loads(path.read_text(encoding="utf-8")).items():
                self.progress[name] = Progress(row["done"], Counter(row["counts"]), row["found"], row["seconds"])

    def of(self, name: str) -> Progress:
        """The progress of a campaign."""
        return self.progress.setdefault(name, Progress())

    def save(self) -> None:
        """Write the file, whole or not at all."""
        if self.path is None:
            return
        data = {name: vars(progress) for name, progress in sorted(self.progress.items())}
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        fresh.write_text(json.dumps(data, indent=1), encoding="utf-8")
        fresh.replace(self.path)


class Run:
    """One call of the command. Several threads may each watch a child."""

    def __init__(self, state: State, seconds: float = float("inf"), command: Sequence[str] = ("-m", "tests.campaigns.worker")) -> None:
        self.state, self._end, self._command = state, time.monotonic() + seconds, command
        self._lock, self._saved = Lock(), time.monotonic()

    def run(self, campaign: Campaign, begin: int, end: int, jobs: int = 1) -> Progress:
        """Run the seeds that are not done yet, and those with findings again."""
        progress = self.state.of(campaign.name)
        progress.forget_findings()
        ranges = [
            (first, min(first + campaign.batch, last))
            for start, last in list(progress.missing(begin, end))
            for first in range(start, last, campaign.batch)
        ]
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda reach: self._batch(campaign, progress, *reach), ranges))
        self.state.save()
        return progress

    def _batch(self, campaign: Campaign, progress: Progress, begin: int, end: int) -> None:
        while begin < end and time.monotonic() < self._end:
            begin = self._child(campaign, progress, begin, end)

    def _child(self, campaign: Campaign, progress: Progress, begin: int, end: int) -> int:
        """Watch a process. Returns the seed to continue with."""
        start, running = time.monotonic(), begin
        command = [sys.executable, *self._command, campaign.name, str(begin), str(end)]
        with (
            TemporaryFile() as errors,
            subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, bufsize=0, start_new_session=True) as child,
        ):
            ended = "ended"
            for line in self._lines(child, campaign.patience):
                if line is None:
                    ended = f"hung for {campaign.patience} s" if time.monotonic() < self._end else ""
                    break
                running = line.get("begin", running)
                with self._lock:
                    self._note(progress, line)
                if "done" in line:
                    running = line["done"] + 1
            self._kill(child, asks=ended.startswith("hung"))
            code = child.wait()
            size = errors.seek(0, os.SEEK_END)
            errors.seek(max(0, size - _ERRORS))
            words = errors.read().decode("utf-8", "replace")
        with self._lock:
            progress.seconds += time.monotonic() - start
            if running < end and ended:
                how = f"{ended} by {signal.Signals(-code).name}" if code < 0 and ended == "ended" else f"{ended}, code {code}"
                progress.report(running, f"{how}\n{words}\n{_given(campaign, running)[:_GIVEN]}")
                progress.add(running, {"found": 1})
                running += 1
            elif not ended:
                return end
        return running

    def _note(self, progress: Progress, line: dict[str, Any]) -> None:
        if "found" in line:
            progress.report(line["found"], line["report"])
        if "done" in line:
            progress.add(line["done"], line["counts"])
            if time.monotonic() - self._saved > _SAVING_S:
                self._saved = time.monotonic()
                self.state.save()

    def _lines(self, child: subprocess.Popen[bytes], patience: float) -> Iterator[dict[str, Any] | None]:
        """Lines of a child to its end; None if it stays silent for too long or the time of the run is over."""
        assert child.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            while True:
                wait = min(patience, max(0.0, self._end - time.monotonic()))
                if not selector.select(wait):
                    yield None
                    return
                line = child.stdout.readline()
                if not line:
                    return
                yield json.loads(line)

    @staticmethod
    def _kill(child: subprocess.Popen[bytes], *, asks: bool) -> None:
        """End a hanging child and its processes. asks: first have it print the stacks of its threads."""
        try:
            child.wait(0 if asks else 5)  # it may be on its way out
        except subprocess.TimeoutExpired:
            if asks:
                child.send_signal(signal.SIGUSR1)
                time.sleep(1)
            os.killpg(child.pid, signal.SIGKILL)


def _given(campaign: Campaign, seed: int) -> str:
    try:
        return campaign.module.given(seed)
    except Exception as error:
        return f"(the seed cannot be shown: {error!r})"


def table(state: State) -> str:
    """The state as lines."""
    rows = [("campaign", "seeds", "cases", "seconds", "findings", "outcomes")]
    for name, progress in state.progress.items():
        outcomes = ", ".join(f"{what} {count}" for what, count in progress.counts.most_common())
        rows.append((name, str(progress.seeds), str(progress.cases), f"{progress.seconds:.0f}", str(progress.counts["found"]), outcomes))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def names_of(given: Sequence[str]) -> list[Campaign]:
    """Campaigns by name; all of them if none is named. ValueError."""
    wrong = [name for name in given if name not in CAMPAIGNS]
    if wrong:
        raise ValueError(f"there is no campaign {wrong[0]!r}; there are {', '.join(CAMPAIGNS)}")
    return [CAMPAIGNS[name] for name in given] or list(CAMPAIGNS.values())
