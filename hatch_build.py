"""Build hook of the wheel, which installs a single top-level name, `tgsi`.

The repository keeps five packages side by side. The Python Package Index has other packages called `linkage` and `backends`, and users
have folders of these names. A wheel therefore holds ours as `tgsi.passes`, `tgsi.linkage`, `tgsi.frontends` and `tgsi.backends`.

The dotted name of a module is rewritten wherever it stands: in imports, in tables of names, in code inside strings, in comments. Lines
are neither added nor removed, so that tracebacks agree with the repository. An old name that is left, or a variable that was taken for
a package, stops the build. An editable install uses the repository as it is.

The copy also gets its ready-made kernels: machine code of all levels, compiled from the copy by its own code generator. It is data for
whoever has the processor, so the wheel fits every machine. TGSI_READY_MADE=off makes a wheel without it.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OWNER = "tgsi"
GUESTS = ("passes", "linkage", "frontends", "backends")

_ANY = "|".join(GUESTS)
_LEFT = re.compile(rf"\A(?:{_ANY})\.|\b(?:import|from) (?:{_ANY})(?:\.|,| import| as|\s*$)", re.MULTILINE)
"""Text in a string that may name a module by its old name."""
_SUSPECT = re.compile(rf"(?<!\b{OWNER}\.)\b(?:{_ANY})\b|(?<!from )(?<!import )\b{OWNER}\.(?:{_ANY})\b")
"""Text of a rewritten module in which something may be wrong. Nine files of ten have none, and need no parser."""
MADE_HERE = ".kernels"
"""Ending of files of ready-made kernels. Those of a checkout are of its source, not of the copy's."""
_SETTLED = 0.5  # seconds; the code generator trusts source that is older than its process by more than a step of the clock


class OneName(BuildHookInterface[BuilderConfig]):
    """Give the wheel a rewritten copy of the sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Hatchling calls this before it builds a wheel; `version` is "editable" or "standard"."""
        if version != "editable":
            self._copy = TemporaryDirectory(prefix="tgsi-wheel-")  # removed by finalize, or with the process if the build fails
            owned = Path(self._copy.name) / OWNER
            place_below_owner(Path(self.root), owned)
            if os.environ.get("TGSI_READY_MADE", "on").lower() != "off":
                self.app.display_waiting("compiling kernels for all levels of processors, for a minute or two")
                add_kernels(owned)
            build_data["force_include"][str(owned)] = OWNER

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Hatchling calls this after it has built a wheel."""
        if version != "editable":
            self._copy.cleanup()


def place_below_owner(root: Path, target: Path) -> None:
    """Write to `target` what an installed `tgsi` holds. ValueError: a name cannot be rewritten with certainty."""
    names = module_names(root)
    for package in (OWNER, *GUESTS):
        for file in package_files(root / package):
            if package == OWNER and file.parent == root / OWNER and file.stem in GUESTS:
                continue  # stands in for the guest in a checkout
            inside = file.relative_to(root / OWNER if package == OWNER else root)
            data = file.read_bytes()
            if file.suffix in (".py", ".pyi"):
                text = names.sub(f"{OWNER}.", data.decode())
                if wrong := list(doubtful(text)):
                    raise ValueError(f"{file}: {'; '.join(wrong)}")
                data = text.encode()
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            with (target / inside).open("xb") as out:  # x: tgsi/passes and passes cannot both have a file
                out.write(data)


def add_kernels(owned: Path) -> None:
    """Compile the ready-made kernels of the package at `owned`, by a process that imports it. RuntimeError: that process failed."""
    time.sleep(_SETTLED)
    found = os.pathsep.join([str(owned.parent), *filter(None, sys.path)])  # pip gives a build its requirements by this path alone
    environment = {**os.environ, "PYTHONPATH": found, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", f"{OWNER}.backends.ready_made", "build", "all", "--portable"]
    done = subprocess.run(command, cwd=owned.parent, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"compiling the ready-made kernels failed; TGSI_READY_MADE=off builds a wheel without them\n{done.stderr}")


def package_files(folder: Path) -> list[Path]:
    """Every file of a package, without caches, ready-made kernels and hidden files, sorted."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != MADE_HERE)
    return sorted(path for path in found if not any(part.startswith((".", "__pycache__")) for part in path.relative_to(folder).parts))


def module_names(root: Path) -> re.Pattern[str]:
    """The empty string in front of the dotted name of a module of `GUESTS`, and of a package in `from PACKAGE import`."""
    dotted = []
    for guest in GUESTS:
        children = sorted({file.relative_to(root / guest).parts[0].removesuffix(".py") for file in package_files(root / guest)})
        dotted.append(rf"{guest}\.(?:{'|'.join(map(re.escape, children))})\b")
    return re.compile(rf"(?<![\w./-])(?={'|'.join(dotted)})|(?<=\bfrom )(?=(?:{_ANY}) import\b)")


def doubtful(text: str) -> Iterator[str]:
    """Messages about what may be wrong in a rewritten module."""
    if not _SUSPECT.search(text):
        return
    nodes = list(ast.walk(ast.parse(text)))
    imported = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names if alias.asname is None]
    owner_is_bound = any(name.split(".")[0] == OWNER for name in imported)
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    if alias.name.split(".")[0] in GUESTS:
                        yield f"line {node.lineno}: write `from {alias.name} import ...`"
            case ast.ImportFrom(module=str(module), level=0) if module.split(".")[0] in GUESTS:
                yield f"line {node.lineno}: there is no module {module}"
            case ast.Attribute(value=ast.Name(id="tgsi"), attr=attribute) if attribute in GUESTS and not owner_is_bound:
                yield f"line {node.lineno}: a variable called {attribute} looks like the package; rename it"
            case ast.Constant(value=str(value)) if _LEFT.search(value):
                yield f"line {node.lineno}: a string may name a module in a way that is not rewritten: {value[:80]!r}"
