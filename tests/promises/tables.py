"""Tables of promises: rows of text that join a name or a promise with the tests that hold it, or with its row of docs/deviations.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tgsi.language.record import record

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
DEVIATIONS = "docs/deviations.md"
_FIELD = " | "


@record
class Test:
    """A test function: the path of its module from the root, its name, and the parameter if a row names one."""

    path: str
    name: str
    parameter: str = ""

    def __str__(self) -> str:
        return self.name + (f"[{self.parameter}]" if self.parameter else "")


@record
class Row:
    """A row of a table.

    Attributes:
        section: headline above it.
        names: names that the row is about; of a promise those in backticks.
        text: the promise, or the reason of a capability's value.
        tests: tests that hold it.
        deviations: first columns of rows of docs/deviations.md that say what is different.
    """

    section: str
    names: tuple[str, ...]
    text: str
    tests: tuple[Test, ...]
    deviations: tuple[str, ...]


@cache
def tests_of_the_tree() -> Mapping[str, tuple[str, ...]]:
    """The modules, as paths from the root, that define each test function, by the function's name without test_."""
    found: dict[str, tuple[str, ...]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in re.findall(r"^def test_(\w+)\(", file.read_text(encoding="utf-8"), re.MULTILINE):
            found[name] = (*found.get(name, ()), file.relative_to(ROOT).as_posix())
    return found


@cache
def deviations() -> tuple[str, ...]:
    """First columns of all rows of docs/deviations.md."""
    return tuple(re.findall(r"^\| (.*?) \|", (ROOT / DEVIATIONS).read_text(encoding="utf-8"), re.MULTILINE))


def find_tests(reference: str) -> Iterator[Test]:
    """The tests of a reference: NAME or MODULE::NAME, without test_, and [PARAMETER]. ValueError if none or, without MODULE, several."""
    module, _, rest = reference.rpartition("::")
    name, _, parameter = rest.partition("[")
    places = [
        path
        for path in tests_of_the_tree().get(name, ())
        if not module or path.removesuffix(".py").endswith((f"/{module}", f"/test_{module}"))
    ]
    if not places or (len(places) > 1 and not module):
        raise ValueError(f"{reference}: {len(places)} tests have this name: {', '.join(places)}")
    for path in places:
        if parameter and parameter.rstrip("]") not in (ROOT / path).read_text(encoding="utf-8"):
            raise ValueError(f"{reference}: {path} has no such parameter")
        yield Test(path, f"test_{name}", parameter.rstrip("]"))


def read(table: str) -> tuple[Row, ...]:
    """The rows of a table of this folder. ValueError names the table, the line and the mistake."""
    section = ""
    found = []
    for number, line in enumerate((HERE / table).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("== "):
            section = line[3:]
        elif line and not line.startswith("#"):
            try:
                found.append(_row(section, line))
            except ValueError as error:
                raise ValueError(f"{table}:{number}: {error}") from None
    return tuple(found)


def _row(section: str, line: str) -> Row:
    *heads, held = line.split(_FIELD)
    text = heads[-1]
    names = tuple(heads[0].split()) if len(heads) == 2 else tuple(re.findall(r"`(\w+)`", text))
    tests: list[Test] = []
    rows: list[str] = []
    for item in held.split(", "):
        if item.startswith("row: "):
            wanted = item.removeprefix("row: ")
            matches = [row for row in deviations() if wanted in row]
            if not matches:
                raise ValueError(f"{wanted}: no row of {DEVIATIONS} begins with this")
            rows += matches[:1]
        else:
            tests += find_tests(item)
    return Row(section, names, text, tuple(tests), tuple(rows))
