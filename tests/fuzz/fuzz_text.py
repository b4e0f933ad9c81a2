"""Fuzzer of the text reader, for use by hand with atheris: `python -m tests.fuzz.fuzz_text [CORPUS] [-max_total_time=60]`."""

from __future__ import annotations

import importlib
import sys

from tests.fuzz import targets


def main() -> None:
    """Search for bytes that raise an unexpected exception."""
    atheris = importlib.import_module("atheris")  # not a dependency of the project
    atheris.instrument_all()
    atheris.Setup(sys.argv, targets.text)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
