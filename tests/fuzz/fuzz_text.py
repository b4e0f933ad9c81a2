"""Run by hand, with atheris installed: `python -m tests.fuzz.fuzz_text [CORPUS] [-max_total_time=60]`."""

from __future__ import annotations

import importlib
import sys

from tests.fuzz import targets


def main() -> None:
    """Let the fuzzer look for bytes that raise."""
    atheris = importlib.import_module("atheris")  # no dependency of the project
    atheris.instrument_all()
    atheris.Setup(sys.argv, targets.text)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
