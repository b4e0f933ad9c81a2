"""The command: reads a trace, reduces it, and has the smallest one so far in its file at any time."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backends.device.calls.errors import RecordingError
from backends.gallium.tracing.content import content_digest
from backends.gallium.tracing.steps import COMPARED, DRAWS, Step, check_of, with_outcome, write_steps
from backends.system import write_whole
from tgsi.tools.parsing import reason
from tgsi.tools.replay.played import PlayedTrace, load_steps
from tgsi.tools.replay.shrink.needs import uncompared
from tgsi.tools.replay.shrink.properties import Property, Screens, read_property
from tgsi.tools.replay.shrink.reduce import Reduction

if TYPE_CHECKING:
    from tgsi.gallium import Screen


def run(screen: Screen, options: Any, screens: Screens) -> int:
    """The command; returns its exit code: 0 if a smaller trace was written, 1 if none is smaller, 2 for a wrong file or property."""
    source: Path = options.scenes[0]
    target = (options.output or Path()) / f"{source.stem}.shrunk.trace"
    try:
        steps = load_steps(source)
        with tempfile.TemporaryDirectory(prefix="tgsi-shrink-") as folder:
            wanted = read_property(options.shrink, screen, screens, Path(folder))
            return _shrink(screen, steps, wanted, target, options.jobs)
    except OSError as error:
        print(f"tgsi-replay: {error.filename or source}: {reason(error)}", file=sys.stderr)
    except RecordingError as error:
        print(f"tgsi-replay: {source}: {error}", file=sys.stderr)
    except ValueError as error:
        print(f"tgsi-replay: {error}", file=sys.stderr)
    return 2


def _shrink(screen: Screen, steps: Sequence[Step], wanted: Property, target: Path, jobs: int) -> int:
    began = time.monotonic()
    whole = uncompared(steps)
    if not wanted.holds(whole):
        raise ValueError(f"--shrink: the whole trace, of {len(steps)} calls, does not have the property")
    reduction = Reduction(whole, wanted.holds, lambda smaller: _note(smaller, target), 1 if wanted.plays else jobs)
    is_stopped = False
    try:
        reduction.run()
    except KeyboardInterrupt:
        is_stopped = True
    best = reduction.best
    write_whole(target, write_steps(best))
    if wanted.plays and not is_stopped:
        best = with_digests(screen, best)
        write_whole(target, write_steps(best))
    draws, all_draws = (sum(step.name in DRAWS for step in some) for some in (best, steps))
    print(
        f"{target}: {len(best)} of {len(steps)} calls, {draws} of {all_draws} draws; "
        f"{reduction.tests} traces tried in {time.monotonic() - began:.1f} s{'; stopped before the end' if is_stopped else ''}"
    )
    return 130 if is_stopped else int(len(reduction.best) == len(whole))


def _note(smaller: Sequence[Step], target: Path) -> None:
    write_whole(target, write_steps(smaller))
    if sys.stderr.isatty():
        print(f"\r{len(smaller)} calls, {sum(step.name in DRAWS for step in smaller)} draws   ", end="", file=sys.stderr, flush=True)


def with_digests(screen: Screen, steps: Sequence[Step]) -> Sequence[Step]:
    """The steps with the digests of what they read, and of all resources at the end; as they are if a call is refused."""
    with PlayedTrace(screen, steps) as trace:
        try:
            trace.play(len(steps))
        except RecordingError:
            return steps
        values = iter(digest.value for digest in trace.digests)
        found = [with_outcome(step, next(values)) if step.name in COMPARED else step for step in steps]
        return [*found, *(check_of(handle, content_digest(resource)) for handle, resource in trace.resources().items())]
