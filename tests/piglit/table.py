"""Results of both sides as a table by group, and the cases that the reference passes and we do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from tests.piglit.cases import Case
from tests.piglit.outcomes import RANKS, Outcome

PASSED = ("pass", "warn")


def worse(ours: Mapping[str, Outcome], reference: Mapping[str, Outcome]) -> list[str]:
    """Names that the reference passes and we do not."""
    return sorted(
        name for name, outcome in ours.items() if outcome.kind not in PASSED and name in reference and reference[name].kind in PASSED
    )


def better(ours: Mapping[str, Outcome], reference: Mapping[str, Outcome]) -> list[str]:
    """Names that we pass and the reference fails."""
    return sorted(
        name
        for name, outcome in ours.items()
        if outcome.kind in PASSED and name in reference and reference[name].kind not in (*PASSED, "skip")
    )


def unknown(ours: Mapping[str, Outcome], reference: Mapping[str, Outcome]) -> list[str]:
    """Names that do not pass and that the reference has not run."""
    return [name for name, outcome in ours.items() if outcome.kind not in PASSED and name not in reference]


def family(case: Case) -> str:
    """A row of the table: parts of OpenGL that belong together."""
    group = case.group.removeprefix("spec@")
    words = group.split("_")
    if group.startswith("!opengl"):
        return "OpenGL " + group.split()[-1].split(".")[0]
    if group.startswith("glsl-es"):
        return "GLSL ES"
    if group.startswith("glsl-"):
        return "GLSL " + group.removeprefix("glsl-").split("@")[0]
    if len(words) > 1 and words[0] in ("arb", "ext", "khr", "oes", "nv", "amd", "ati", "mesa", "intel", "apple"):
        return words[0].upper()
    return group if group in ("shaders", "glx", "fbo", "texturing") else "others"


def rows(cases: Mapping[str, Case], ours: Mapping[str, Outcome], reference: Mapping[str, Outcome]) -> Iterable[tuple[str, ...]]:
    """Cells of the table: for each family its cases, those that were run, our outcomes, and how both differ."""
    yield ("set", "cases", "run", *RANKS, "only the reference passes", "only ours passes")
    by_family: dict[str, list[str]] = {}
    for name, case in cases.items():
        by_family.setdefault(family(case), []).append(name)
    losses, gains = set(worse(ours, reference)), set(better(ours, reference))
    everything = [*sorted(by_family.items()), ("all", list(cases))]
    for title, names in everything:
        found = [name for name in names if name in ours]
        counts = Counter(ours[name].kind for name in found)
        lost, won = losses.intersection(found), gains.intersection(found)
        yield (title, *(f"{count:,}" for count in (len(names), len(found), *(counts[kind] for kind in RANKS), len(lost), len(won))))


def table(cases: Mapping[str, Case], ours: Mapping[str, Outcome], reference: Mapping[str, Outcome]) -> str:
    """The table as Markdown."""
    head, *body = rows(cases, ours, reference)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *body))
