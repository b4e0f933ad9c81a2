"""Runs of piglit's files through `tgsi.opengl`, next to those without it.

``python -m tests.shader_test.gl_runs --count 500 --results results.jsonl`` goes on where it ended.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from frontends.glsl.extensions import KNOWN
from tests.shader_test.gl_machine import BelowError, GlMachine, RefusedError
from tests.shader_test.probes import LacksError, ProbeError
from tests.shader_test.runs import COUNTED, drawn_files, folder, outcome
from tests.shader_test.texts import NotGlslError, read_script
from tgsi import gallium as g
from tgsi.opengl.calls import current


def gl_outcome(path: Path) -> tuple[str, str]:
    """Outcome of a file through OpenGL, and the words that say why: pass, fail, lacks (the runner has no such command), error; and refused
    (a shader does not compile or link), other (not GLSL), quiet (without a probe), skip (a limit is too small, or shaders are SPIR-V)."""
    try:
        script = read_script(path, takes_parts=True)
    except NotGlslError as error:
        return "other", str(error)
    if script.modules or (absent := script.extensions & KNOWN):
        return ("skip", "GL_ARB_gl_spirv is not offered") if script.modules else ("refused", f"{min(absent)} is not offered")
    if not any(re.match(r"(relative )?probe (?!warn)", line) for line in script.commands):
        return "quiet", "no probe"
    machine = None
    try:
        machine = GlMachine(script)
        machine.play()
        code = machine.gl.glGetError()
    except RefusedError as error:
        return "refused", str(error)
    except BelowError as error:
        return "skip", str(error)
    except ProbeError as error:
        return "fail", str(error)
    except LacksError as error:
        return "lacks", str(error)
    except Exception as error:
        return "error", f"{type(error).__name__}: {error}"
    finally:
        context = current()
        if context is not None:
            machine.gl.loader.release() if machine is not None else context.destroy()
    return ("pass", "") if not code else ("fail", f"GL error {code:#x}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run files until `count` of them have an outcome in `COUNTED`, and print the outcomes with and without `tgsi.opengl`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--shard", default="0/1", help="number of this process / number of processes")
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args(arguments)
    root = folder()
    if root is None:
        print("piglit is not installed")
        return 1
    shard, shards = map(int, given.shard.split("/"))
    known: dict[str, list[str]] = {}
    if given.results is not None and given.results.exists():
        known = {item[0]: item[1:] for item in map(json.loads, given.results.read_text().splitlines())}
    with g.Screen(threads=0) as screen:
        for number, path in enumerate(given.files or drawn_files(root)):
            if number % shards != shard:
                continue
            name = str(path.relative_to(root)) if root in path.parents else str(path)
            if name not in known or given.files:
                known[name] = [*gl_outcome(root / path), *outcome(root / path, screen)]
                if given.results is not None:
                    with given.results.open("a") as file:
                        file.write(json.dumps([name, *known[name]]) + "\n")
                if given.files:
                    print(name, *known[name], sep="\n   ")
            if not given.files and sum(item[0] in COUNTED for item in known.values()) >= given.count // shards:
                break
    print(report(known))
    return 0


def report(known: dict[str, list[str]]) -> str:
    """Counts of pairs of outcomes, and the files that pass without OpenGL alone."""
    pairs = collections.Counter((item[0], item[2]) for item in known.values())
    lines = [f"{count:6} {first:8} {second}" for (first, second), count in pairs.most_common()]
    lines += [
        f"{name}: {item[0]} {item[1][:200]!r}" for name, item in known.items() if item[2] == "pass" and item[0] not in ("pass", "skip")
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
