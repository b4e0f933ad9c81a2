"""Rounds of measurement. Our side and the peers take turns, so that both see the same machine; ratios are taken within a round.

A round runs each side for a slice of the budget. A round's time is the median of its frames; the value of a workload is the median over
its rounds, and its spread is the 10th to 90th percentile of the rounds' ratios. A round of all sides in which others took a processor is
rejected and repeated, as often as there are rounds; after that it counts, and the note of the workload says so.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from benchmarks.catalog import TOLERANCE, Check, Workload
from benchmarks.load.processors import LOST, Processors
from benchmarks.processes import SideDied, SideFailed


class Asked(Protocol):
    """Side as the rounds use it; implemented by `SideProcess`."""

    name: str

    def ask(self, do: str, **fields: Any) -> dict[str, Any]: ...


@dataclass(slots=True)
class Track:
    """Measurements of one side for one workload. Times are seconds per frame."""

    name: str
    rounds: list[float] = field(default_factory=list)
    best: float = float("inf")
    latest: dict[str, Any] = field(default_factory=dict)
    cpu: list[float] = field(default_factory=list)
    first: float | None = None
    check: Check | None = None
    failure: str | None = None

    def keep(self) -> None:
        """Accept the latest round."""
        answer, self.latest = self.latest, {}
        if "wall" in answer:
            self.rounds.append(statistics.median(answer["wall"]))
            self.best = min(self.best, *answer["wall"])
            self.cpu.append(statistics.median(answer["cpu"]))

    @property
    def seconds(self) -> float | None:
        """Median of the rounds, or None without a round."""
        return statistics.median(self.rounds) if self.rounds else None


@dataclass(frozen=True, slots=True)
class Result:
    """Row of the table. A `ratio` above 1 means that our side is faster; `ratio` and `spread` are None without a comparison."""

    workload: Workload
    ours: Track
    peer: Track | None
    ratio: float | None
    spread: tuple[float, float] | None
    check_ok: bool | None
    note: str
    rejected: int = 0

    @property
    def best_ratio(self) -> float | None:
        """Ratio of the fastest frames, which are least disturbed by other load."""
        return None if self.ratio is None or self.peer is None else self.peer.best / self.ours.best

    def as_json(self) -> dict[str, Any]:
        """The result as plain data, with times in milliseconds per frame."""
        w = self.workload
        out: dict[str, Any] = {"unit": w.unit, "ours": _value(w, self.ours), "peer": _value(w, self.peer)}
        out |= {"ratio": _rounded(self.ratio), "spread": [_rounded(s) for s in self.spread] if self.spread else None}
        out |= {"best_ratio": _rounded(self.best_ratio), "check_ok": self.check_ok, "note": self.note, "rejected": self.rejected}
        for label, track in (("ours", self.ours), ("peer", self.peer)):
            if track is not None and track.seconds is not None:
                out[f"{label}_ms"] = _rounded(track.seconds * 1e3)
                out[f"{label}_best_ms"] = _rounded(track.best * 1e3)
                out[f"{label}_cpu_ms"] = _rounded(statistics.median(track.cpu) * 1e3)
                out[f"{label}_first_ms"] = _rounded((track.first or 0.0) * 1e3)
            if track is not None and track.check is not None:
                out[f"{label}_check"] = {"mean": [round(m, 4) for m in track.check.mean], "covered": round(track.check.covered, 5)}
        return out


def _rounded(x: float | None) -> float | None:
    return None if x is None else float(f"{x:.5g}")


def _value(workload: Workload, track: Track | None) -> float | None:
    return None if track is None or track.seconds is None else _rounded(workload.value(track.seconds))


def percentile(values: Sequence[float], share: float) -> float:
    """Value below which the fraction `share` (0..1) of the sorted values lies, interpolated linearly."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def run_workload(
    workload: Workload,
    ours: Asked,
    peers: Sequence[Asked],
    *,
    budget: float,
    rounds: int,
    processors: Processors | None = None,
    warm_up: float = 0.0,
) -> Result:
    """Measure one workload:

    `budget` seconds per side in `rounds` turns. processors: rounds in which others took too much of them are rejected.
    warm_up: seconds of a first round of each side that does not count.
    """
    sides = [ours, *peers]
    tracks = [_prepare(side, workload) for side in sides]
    for side, track in zip(sides, tracks, strict=True):
        if warm_up:
            ask(side, track, "round", budget=warm_up)
    turn = rejected = disturbed = 0
    while turn < rounds:
        order = range(len(sides)) if turn % 2 == 0 else reversed(range(len(sides)))
        lost = max(_run_round(sides[i], tracks[i], budget / rounds, processors) for i in order)
        if lost > LOST and rejected < rounds:
            rejected += 1
            continue
        disturbed += lost > LOST
        turn += 1
        for track in tracks:
            track.keep()
    for side, track in zip(sides, tracks, strict=True):
        _look(side, track)
    result = conclude(workload, tracks[0], tracks[1:])
    if not rejected:
        return result
    words = f"{rejected} rounds rejected, in which others took a processor" + (f"; {disturbed} more counted" if disturbed else "")
    return replace(result, rejected=rejected, note="; ".join(filter(None, (result.note, words))))


def _prepare(side: Asked, workload: Workload) -> Track:
    track = Track(side.name)
    answer = ask(side, track, "prepare", name=workload.name)
    if "unsupported" in answer:
        track.failure = f"unsupported: {answer['unsupported']}"
    track.first = answer.get("first")
    return track


def _run_round(side: Asked, track: Track, budget: float, processors: Processors | None) -> float:
    """Run a round of one side. Returns the share of a processor that others took meanwhile."""
    if processors is not None:
        processors.begin()
    track.latest = ask(side, track, "round", budget=budget)
    if processors is None or "processor" not in track.latest:
        return 0.0
    return processors.lost(track.latest["processor"])


def _look(side: Asked, track: Track) -> None:
    answer = ask(side, track, "check")
    if "mean" in answer:
        track.check = Check(tuple(answer["mean"]), answer["covered"])


class Failing(Protocol):
    """Measurements of a side that may have failed. `rounds` are those that count."""

    failure: str | None
    rounds: list[Any]


def ask(side: Asked, track: Failing, do: str, **fields: Any) -> dict[str, Any]:
    """The answer of a side; an empty one if it has failed, now or before. A failure is noted, and later rounds are ignored."""
    if track.failure is not None:
        return {}
    try:
        return side.ask(do, **fields)
    except (SideDied, SideFailed) as error:
        track.failure = str(error)
        track.rounds.clear()
        return {}


def conclude(workload: Workload, ours: Track, peers: Sequence[Track]) -> Result:
    """Compare our side with the fastest peer."""
    peer = min((p for p in peers if p.seconds is not None), key=lambda p: p.seconds or 0.0, default=None)
    failures = [f"{t.name}: {t.failure}" for t in (ours, *peers) if t.failure is not None]
    ratios = [theirs / mine for theirs, mine in zip(peer.rounds, ours.rounds, strict=False)] if peer else []
    check_ok = _agree(workload, ours, peer)
    if check_ok is False:
        failures.append(f"{ours.name} draws {ours.check}, wanted {peer.check if peer and peer.check else workload.expected}")
    ratio = statistics.median(ratios) if ratios and check_ok is not False else None
    spread = (percentile(ratios, 0.1), percentile(ratios, 0.9)) if ratio is not None else None
    return Result(workload, ours, peer, ratio, spread, check_ok, "; ".join(failures))


def _agree(workload: Workload, ours: Track, peer: Track | None) -> bool | None:
    """True if the pictures agree. None if nothing was drawn."""
    wanted = peer.check if peer is not None and peer.check is not None else workload.expected
    if wanted is None:
        return None if ours.failure is not None else True
    if ours.check is None:
        return None
    return ours.check.distance(wanted) <= TOLERANCE
