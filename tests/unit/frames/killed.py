"""A program with workers, which is killed: ``python -m tests.unit.frames.killed CHECK``; it prints the processes of its workers."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import tgsi
from tests.unit.frames import drawn
from tgsi.tools.verify import running


def pid(number: int) -> int:
    """The process, after a while in which others take numbers, too."""
    time.sleep(0.2)
    return os.getpid()


def main(kind: str) -> None:
    """Print processes until the end."""
    if kind == "frames":
        for _, process in tgsi.frames(drawn.slow, range(1000), workers=2):
            print(process, flush=True)
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(2, mp_context=context, initializer=running._begin, initargs=(False,)) as pool:
            for process in pool.map(pid, range(1000)):
                print(process, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
