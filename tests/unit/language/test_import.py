"""Importing the package is cheap, and loads nothing that only engines need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
    return done.stdout.strip()


def test_import_takes_less_than_100_ms_of_cpu_time() -> None:
    script = "import time; start = time.process_time(); import tgsi; print(time.process_time() - start)"
    assert min(float(run(script)) for _ in range(3)) < 0.1


def test_import_loads_neither_numpy_nor_llvmlite_nor_lark() -> None:
    assert run("import sys, tgsi; print(sorted({'numpy', 'llvmlite', 'lark'} & set(sys.modules)))") == "[]"


def test_parsing_checking_and_printing_load_neither_numpy_nor_llvmlite() -> None:
    script = "import sys, tgsi; str(tgsi.parse('VERT\\nEND')); tgsi.check(tgsi.parse('VERT\\nEND')); "
    assert run(script + "print(sorted({'numpy', 'llvmlite'} & set(sys.modules)))") == "[]"
