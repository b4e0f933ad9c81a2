"""Child processes by fork: work is done in a copy of this process."""

from __future__ import annotations

import faulthandler
import os
import traceback
from collections.abc import Callable


def start(work: Callable[[], object]) -> int:
    """Run `work` in a child process, which is killed after two minutes. Returns its process number without waiting."""
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(120, exit=True, file=2)
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return child


def exit_code(child: int) -> int:
    """Wait for a child's end. Returns its exit code, or the number of the signal that ended it as a negative number."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
