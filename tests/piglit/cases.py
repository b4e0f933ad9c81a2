"""Cases of an installed piglit, as the lists of its profile name them, and units: what one process runs. Nothing of piglit is in here."""

from __future__ import annotations

import ast
import gzip
import random
import re
import xml.etree.ElementTree as Tree
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

LISTS = ("quick_gl", "quick_shader")
"""The lists of piglit's profile `gpu`. The third of `quick`, glslparser, ends in Mesa's compiler and draws nothing."""

PLATFORM = "glx"
UNIT = 25  # files of a unit at most


@dataclass(frozen=True)
class Case:
    """A test by its name.

    kind: as the list says. options: those that the list gives, as Python writes them. variables: of its environment.
    """

    name: str
    kind: str
    options: Mapping[str, str]
    variables: Mapping[str, str]

    @property
    def group(self) -> str:
        """Beginning of the name, which names a part of OpenGL."""
        words = self.name.split("@")
        return "@".join(words[:2]) if words[0] == "spec" else words[0]

    @property
    def program(self) -> str:
        return self._words[0]

    @cached_property
    def _words(self) -> list[str]:
        return _list(self.options["command"])

    @property
    def is_here(self) -> bool:
        """True if the case is one of our platform."""
        needs, excludes = self.options.get("require_platforms"), self.options.get("exclude_platforms")
        return (needs is None or PLATFORM in _list(needs)) and (excludes is None or PLATFORM not in _list(excludes))

    @property
    def is_file(self) -> bool:
        """True if the case is a file that shader_runner reads, which takes many of them at once."""
        return self.kind == "shader"

    def arguments(self, root: Path) -> list[str]:
        """The words after the program."""
        words = self._words[1:]
        if self.kind == "gl_builtin":
            words[0] = str(root / "tests" / words[0])
        if self.is_file:
            words[0] = str(root / words[0])
        if self.kind in ("gl", "shader"):
            words = [word for word in words if word not in ("-auto", "-fbo")] + ["-auto"]
            words += ["-fbo"] if self.is_file or ast.literal_eval(self.options["run_concurrent"]) else []
        return words

    @property
    def subtest(self) -> str:
        """Name under which shader_runner reports a file among others."""
        return Path(self._words[1]).stem.casefold() if self.is_file else ""

    @property
    def family(self) -> tuple[str, str]:
        """Cases of one family can be run by one process: files of one folder for one program."""
        return (self.program, str(Path(self._words[1]).parent)) if self.is_file else (self.program, self.name)


Unit = tuple[Case, ...]


def read_list(path: Path) -> Iterator[Case]:
    """Cases of a list. Raises OSError, or ParseError of the XML library."""
    with gzip.open(path) as file:
        for _, row in Tree.iterparse(file):
            if row.tag == "Test":
                options = {option.get("name", ""): option.get("value", "") for option in row.iter("option")}
                variables = {env.get("name", ""): env.get("value", "") for env in row.iter("env")}
                yield Case(row.get("name", ""), row.get("type", ""), options, variables)


def _list(text: str) -> list[str]:
    found: list[str] = ast.literal_eval(text)
    return found


def read_cases(root: Path) -> dict[str, Case]:
    """All cases of the profile for our platform, by name."""
    found = (case for name in LISTS for case in read_list(root / "tests" / f"{name}.xml.gz"))
    return {case.name: case for case in found if case.is_here}


def units(cases: Iterable[Case], chance: random.Random) -> list[Unit]:
    """Cases as units, in an order by chance."""
    families: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        families.setdefault(case.family, []).append(case)
    found: list[Unit] = []
    for family in families.values():
        chance.shuffle(family)
        found += [tuple(family[begin : begin + UNIT]) for begin in range(0, len(family), UNIT)]
    chance.shuffle(found)
    return found


def ordered(cases: Mapping[str, Case], first: Collection[str], seed: int) -> list[Unit]:
    """Units of all cases: at first those that are named, then the others, each part in an order by chance."""
    named = [cases[name] for name in first if name in cases]
    known = set(first)
    others = [case for name, case in cases.items() if name not in known]
    chance = random.Random(seed)
    return units(named, chance) + units(others, chance)


def shard(found: Sequence[Unit], number: int, count: int) -> list[Unit]:
    """Every `count`-th unit, from `number` on, which counts from 1. ValueError."""
    if not 1 <= number <= count:
        raise ValueError(f"there is no shard {number} of {count}")
    return list(found[number - 1 :: count])


def matching(cases: Mapping[str, Case], pattern: str) -> dict[str, Case]:
    """Cases in whose names a regular expression is found."""
    return {name: case for name, case in cases.items() if re.search(pattern, name)}
