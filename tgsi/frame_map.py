"""`tgsi.frames`: frames drawn by several processes or machines, in order."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from typing import Any, TypeVar, cast

from backends.gallium.resource.resource import Resource
from backends.system import end_with_parent

F = TypeVar("F")
Progress = Callable[[int, "int | None"], None]
_MOST_DEATHS = 3
"""Workers that may die with a frame before it is given up."""


def frames(
    draw: Callable[[F], Any],
    frames: Iterable[F],
    executor: Any = None,
    *,
    workers: int | None = None,
    threads: int = 0,
    progress: Progress | bool | None = None,
) -> Iterator[Any]:
    """Draw frames in other processes, and yield the results in the order of the frames.

    ``for picture in tgsi.frames(draw, range(240)): ...`` below ``if __name__ == "__main__":``. Every process draws the same bytes, and
    finds the kernels of the others in the cache on disk. At most four frames for each worker are under way, so a long film takes little
    memory.

    Args:
        draw: a function of a module, called with one frame: a number, a path, whatever can be pickled. It makes its Screen itself, and
            returns what can be pickled; for a Resource, its `pixels()`.
        frames: the frames; an iterator is read as it is needed.
        executor: a `concurrent.futures.Executor`: Dask's ``client.get_executor()``, mpi4py's `MPIPoolExecutor`, a thread pool. Or a pool
            with `apply_async`, such as Ray's. None: processes of this machine, which end with the iterator.
        workers: processes, one for each CPU by default; for another executor, how many workers it has.
        threads: native threads of each Screen in addition to its worker, unless the Screen or TGSI_THREADS sets another number.
        progress: called with the number of finished frames and the number of all frames, None if unknown; True prints both to stderr;
            None prints them if stderr is a terminal.

    A frame whose worker died is drawn again, up to three times. Another executor replaces its dead workers itself, as Dask does.

    Raises:
        TypeError, ValueError: an argument is wrong, or `draw` cannot be sent to another process.
        RuntimeError: workers die again and again; the message names the frame. Exceptions of `draw` are raised as they are.
    """
    call = "frames"
    if not callable(draw):
        raise TypeError(f"{call}: draw: expected a function, not {type(draw).__name__}")
    if isinstance(frames, str | bytes) or not isinstance(frames, Iterable):
        raise TypeError(f"{call}: frames: expected an iterable, not {type(frames).__name__}")
    if executor is not None and not hasattr(executor, "submit") and not hasattr(executor, "apply_async"):
        kinds = "a concurrent.futures.Executor or a pool with apply_async"
        raise TypeError(f"{call}: executor: expected {kinds}, not {type(executor).__name__}")
    count = workers if workers is not None else os.cpu_count() or 1
    if type(count) is not int or count < 1:
        raise ValueError(f"{call}: workers: expected a number of at least 1, not {workers!r}")
    if type(threads) is not int or not 0 <= threads <= 256:
        raise ValueError(f"{call}: threads: expected a number from 0 to 256, not {threads!r}")
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise RuntimeError(f"{call}: a worker imports the program that draws; put the call below `if __name__ == '__main__':`")
    if executor is None:
        _check_picklable(draw, call)
    return _Map(draw, frames, executor, count, threads, _shown(progress, frames)).results()


def _check_picklable(draw: Callable[..., Any], call: str) -> None:
    try:
        pickle.dumps(draw)
    except Exception as error:
        hint = "define it with `def` at the top of a module"
        raise TypeError(f"{call}: draw: {getattr(draw, '__name__', draw)!r} cannot be sent to another process ({error}); {hint}") from None


def _shown(progress: Progress | bool | None, frames: Iterable[Any]) -> Callable[[int], None]:
    total = len(frames) if isinstance(frames, Sized) else None
    if callable(progress):
        return lambda done: progress(done, total)
    if progress is False or (progress is None and not sys.stderr.isatty()):
        return lambda done: None
    of = "" if total is None else f" of {total}"

    def show(done: int) -> None:
        print(f"\r{done}{of} frames", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return show


class _Frame:
    """A frame under way."""

    def __init__(self, number: int, frame: Any) -> None:
        self.number, self.frame, self.deaths = number, frame, 0
        self.future: Future[Any] | None = None


class _Map:
    """A map of frames. `_own`: the pool of processes, if it is ours."""

    def __init__(
        self, draw: Callable[..., Any], frames: Iterable[Any], executor: Any, workers: int, threads: int, show: Callable[[int], None]
    ) -> None:
        self._task = _Task(draw, os.getpid(), threads)
        self._frames, self._given, self._workers, self._show = iter(frames), executor, workers, show
        self._own: ProcessPoolExecutor | None = None
        self._waiting: deque[_Frame] = deque()
        self._next = 0

    def results(self) -> Iterator[Any]:
        """Results in order."""
        done = 0
        try:
            while True:
                self._fill()
                if not self._waiting:
                    return
                result = self._result(self._waiting[0])
                self._waiting.popleft()
                done += 1
                self._show(done)
                yield result
        finally:
            for item in self._waiting:
                if item.future is not None:
                    item.future.cancel()
            self._end()

    def _fill(self) -> None:
        """Keep four frames for each worker under way."""
        while len(self._waiting) < 4 * self._workers:
            try:
                frame = next(self._frames)
            except StopIteration:
                return
            item = _Frame(self._next, frame)
            self._next += 1
            self._waiting.append(item)
            item.future = self._submit(item)

    def _result(self, item: _Frame) -> Any:
        """The result of the first frame. Frames of a pool that broke are drawn again by a new one."""
        while True:
            try:
                if item.future is None:
                    item.future = self._submit(item)
                return item.future.result()
            except BrokenExecutor:
                item.deaths += 1
                if item.deaths >= _MOST_DEATHS:
                    text = f"frames: frame {item.number}, {item.frame!r}: its worker died {item.deaths} times"
                    hint = "is the call below `if __name__ == '__main__':`?" if item.number == 0 else "does drawing it end the process?"
                    if self._given is not None:
                        hint = f"{type(self._given).__name__} has no new workers; processes of `executor=None` are replaced"
                    raise RuntimeError(f"{text}; {hint}") from None
                self._again()

    def _again(self) -> None:
        """Give every frame that is not done to a new pool. After the second death, frames are drawn one by one, which finds the culprit."""
        self._end()
        is_careful = self._waiting[0].deaths > 1
        for number, item in enumerate(self._waiting):
            if item.future is not None and item.future.done() and not item.future.cancelled() and item.future.exception() is None:
                continue
            item.future = None
            if number == 0 or not is_careful:
                item.future = self._submit(item)

    def _submit(self, item: _Frame) -> Future[Any]:
        executor: Any = self._own if self._given is None else self._given
        if executor is None:
            context = multiprocessing.get_context("spawn")
            executor = self._own = ProcessPoolExecutor(self._workers, mp_context=context, initializer=end_with_parent)
        future: Future[Any] = Future()
        if hasattr(executor, "submit"):
            try:
                return cast("Future[Any]", executor.submit(self._task, item.frame))
            except BrokenExecutor as error:  # since the last result
                future.set_exception(error)
                return future
        executor.apply_async(self._task, (item.frame,), callback=future.set_result, error_callback=future.set_exception)
        return future

    def _end(self) -> None:
        if self._own is not None:
            self._own.shutdown(wait=True, cancel_futures=True)
            self._own = None


class _Task:
    """The work of one frame, as it is sent to workers."""

    def __init__(self, draw: Callable[..., Any], parent: int, threads: int) -> None:
        self._draw, self._parent, self._threads = draw, parent, threads

    def __call__(self, frame: Any) -> Any:
        """Draw a frame."""
        if os.getpid() != self._parent:
            os.environ.setdefault("TGSI_THREADS", str(self._threads))  # several workers share the CPUs
        result = self._draw(frame)
        return result.pixels() if isinstance(result, Resource) else result
