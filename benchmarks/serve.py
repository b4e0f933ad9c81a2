"""Process of one side: answers one JSON line for each JSON line that it reads.

    python -m benchmarks.serve ours|peer [--threads N] [--lanes N] [--history]

    {"do": "describe"}                  -> {"describe": text}
    {"do": "prepare", "name": NAME}     -> {"first": seconds} or {"unsupported": reason}
    {"do": "round", "budget": SECONDS, "most": FRAMES}  -> {"wall": [...], "cpu": [...], "processor": seconds}; "most" may be left out
    {"do": "check"}                     -> {"mean": [...], "covered": share} or {}
    {"do": "phases"}                    -> {"seconds": now, "clock": now, "front": .., "tiles": .., "work": ..} or {}
    {"do": "close"}                     -> {}

A separate process confines a crash of native code to one workload, and keeps compiled shaders and warm caches from round to round.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from benchmarks.side import MAX_FRAMES, Job, Samples, Side, Unsupported, run_round, time_frame

Message = dict[str, Any]


class Server:
    """Server that answers messages about one side."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._job: Job | None = None

    def answer(self, message: Message) -> Message:
        """Answer one message. Raises the exceptions of the side."""
        match message["do"]:
            case "describe":
                return {"describe": self._side.describe()}
            case "prepare":
                self._job = None
                return self._prepare(message["name"])
            case "round":
                before = time.process_time()
                samples = run_round(self._ready(), message["budget"], message.get("most", MAX_FRAMES))
                return {"wall": samples.wall, "cpu": samples.cpu, "processor": time.process_time() - before}
            case "check":
                look = self._ready().check
                if look is None:
                    return {}
                seen = look()
                return {"mean": list(seen.mean), "covered": seen.covered}
            case "phases":
                phases = self._ready().phases
                return {} if phases is None else {"seconds": time.perf_counter(), **phases()}
            case "close":
                self._side.close()
                return {}
        raise ValueError(f"do: unknown message {message['do']!r}")

    def _prepare(self, name: str) -> Message:
        try:
            job = self._side.prepare(name)
            first = Samples()
            time_frame(job.frame, first)
        except Unsupported as reason:
            return {"unsupported": str(reason)}
        self._job = job
        return {"first": first.wall[0]}

    def _ready(self) -> Job:
        if self._job is None:
            raise ValueError("do: no workload is prepared")
        return self._job


def serve(make: Callable[[], Side], requests: TextIO, answers: TextIO) -> None:
    """Answer messages until "close" or the end of `requests`. An exception is answered with {"error": text}."""
    server: Server | None = None
    for line in requests:
        message = json.loads(line)
        try:
            server = server or Server(make())
            answer = server.answer(message)
        except Exception as error:  # the parent process reports the error and goes on with the next workload
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if message["do"] == "close":
            return


def _make_side(arguments: argparse.Namespace) -> Side:
    if arguments.side == "peer":
        from benchmarks.peer import Peer

        return Peer()
    from benchmarks.ours import Ours

    return Ours(threads=arguments.threads, lanes=arguments.lanes, history=arguments.history)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serve")
    parser.add_argument("side", choices=["ours", "peer"])
    parser.add_argument("--threads", type=int)
    parser.add_argument("--lanes", type=int)
    parser.add_argument("--history", action="store_true", help="contexts keep their calls")
    arguments = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not mix with the answers
    serve(lambda: _make_side(arguments), sys.stdin, answers)


if __name__ == "__main__":
    main()
