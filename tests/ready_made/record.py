"""Record the list of ready-made kernels: draw frames at each level, and collect the kernels they request that contain no program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import tgsi
from backends.entries.python_table import TUPLE_ITEMS
from backends.llvm.engine import engine, kernel_cache
from backends.ready_made import rows
from backends.ready_made.rows import Row

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ("antialias", "block_sums", "cube", "cube_faces", "geometry", "meshlets", "model", "museum", "particles")
MORE_EXAMPLES = ("tessellation", "transparency", "triangle")
_DIGITS = 64
"""Length of a layout's digest in a key, which is not an argument."""


@contextmanager
def requests() -> Iterator[list[tuple[str, tuple[Any, ...]]]]:
    """Name and arguments of each kernel of no program that is requested meanwhile."""
    noted: list[tuple[str, tuple[Any, ...]]] = []
    kept = engine.compile_cached

    def note(parts: tuple[Any, ...], build: Callable[..., Any], **options: Any) -> Any:
        if not options.get("of_program", True):
            noted.append((parts[0], tuple(part for part in parts[1:] if not (isinstance(part, str) and len(part) == _DIGITS))))
        return kept(parts, build, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "compile_cached", note)
        patch.setattr(kernel_cache, "compile_cached", note)
        yield noted


def run_frames() -> None:
    """Run everything that the list is recorded from, at the level of TGSI_CPU."""
    from tests.images.test_images import SCENES
    from tests.ready_made.frames import FRAMES
    from tests.vtest.test_command import red
    from tgsi.tools.vtest.cli import main

    with tgsi.Screen(threads=1) as screen:
        for frame in (*FRAMES, *SCENES.values()):
            frame(screen)
    sys.path.insert(0, str(ROOT / "examples"))
    with TemporaryDirectory() as folder:
        for name in (*EXAMPLES, *MORE_EXAMPLES):
            sys.argv = [name, "-o", folder]
            import_module(name).main()
        (Path(folder) / "red.bin").write_bytes(red().data)
        main(["--replay", f"{folder}/red.bin", "-o", f"{folder}/replies"])


def record_here() -> list[str]:
    """Run the frames in this process. Returns the lines of the list."""
    with requests() as noted:
        run_frames()
    found = set(noted) | {(name, (*args[:2], items)) for name, args in noted if name == "entries" for items in TUPLE_ITEMS}
    level = os.environ["TGSI_CPU"]
    return sorted(str(Row(name, arguments, frozenset([level]))) for name, arguments in found)


def record() -> None:
    """Write the list. A process for each level runs the frames; this machine must have the highest of them."""
    levels: dict[tuple[str, Any], set[str]] = {}
    for level in rows.RECORDED:
        command = [sys.executable, "-m", "tests.ready_made", "--here"]
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, "TGSI_CPU": level}, stdout=subprocess.PIPE, text=True, check=True)
        for line in json.loads(done.stdout.splitlines()[-1]):
            row = Row.parse(line)
            levels.setdefault((row.name, row.arguments), set()).update(row.levels)
    rows.write(Row(name, arguments, frozenset(of)) for (name, arguments), of in levels.items())
