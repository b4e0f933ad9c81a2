"""The calls of files: traces, and streams of tgsi-vtest, each GL context of which becomes a trace."""

from __future__ import annotations

from pathlib import Path

from backends.device.calls.errors import RecordingError
from backends.gallium.tracing.steps import DRAWS, Step, read_steps
from tgsi.language.record import record


@record(eq=False)
class Recording:
    """Calls of one context.

    title: name without folders. others: number of further contexts of the file. end: reason why calls are missing, or "".
    """

    title: str
    steps: list[Step]
    others: int = 0
    end: str = ""


def load(path: Path, context: int | None = None) -> Recording:
    """The calls of a file. context: number of a GL context of a stream, from 1 on; None takes the one that draws most.

    OSError, and RecordingError for other and invalid files.
    """
    from tgsi.tools.replay.streams import is_stream, traces_of

    data = bytearray(path.read_bytes())
    if not is_stream(path):
        steps, error = readable(data)
        if error is not None and not steps:
            raise error
        return Recording(path.name, steps, end=str(error or ""))
    traces = [steps for steps, _ in map(readable, map(bytearray, traces_of(bytes(data), path.stem))) if steps]
    if not traces:
        raise RecordingError("no GL context of the stream draws anything")
    if context is not None and not 1 <= context <= len(traces):
        raise RecordingError(f"--context {context}: the stream has {len(traces)} GL contexts that draw")
    chosen = traces[context - 1] if context is not None else max(traces, key=lambda steps: sum(step.name in DRAWS for step in steps))
    return Recording(path.name, chosen, len(traces) - 1)


def readable(data: bytearray) -> tuple[list[Step], RecordingError | None]:
    """The steps of a trace up to the first invalid one, and its error."""
    steps: list[Step] = []
    try:
        steps.extend(read_steps(data))
    except RecordingError as error:
        return steps, error
    return steps, None
