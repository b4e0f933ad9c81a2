"""Results of both sides as a table by group, and the cases that the reference passes and we do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from tests.piglit.cases import Case
from tests.piglit.outcomes import Outcome

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


COLUMNS = (("pass", PASSED), ("fail", ("fail",)), ("skip", ("skip",)), ("crash", ("crash",)), ("hang", ("hang",)))
"""Outcomes as the table counts them."""


def rows(cases: Mapping[str, Case], ours: Mapping[str, Outcome], reference: Mapping[str, Outcome]) -> Iterable[tuple[str, ...]]:
    """Cells of the table: for each family its cases, those that were run, the outcomes, ours / the reference's, and how both differ.

    Outcomes of the reference are counted where we have one, too.
    """
    yield ("set", "cases", "run", *dict(COLUMNS), "only the reference passes", "only ours passes")
    by_family: dict[str, list[str]] = {}
    for name, case in cases.items():
        by_family.setdefault(family(case), []).append(name)
    losses, gains = set(worse(ours, reference)), set(better(ours, reference))
    everything = [*sorted(by_family.items()), ("all", list(cases))]
    for title, names in everything:
        found = [name for name in names if name in ours]
        sides = [Counter(side[name].kind for name in found if name in side) for side in (ours, reference)]
        counts = [[kinds.total(), *(sum(kinds[kind] for kind in group) for _, group in COLUMNS)] for kinds in sides]
        pairs = [f"{here:,} / {there:,}" for here, there in zip(*counts)]
        yield (title, f"{len(names):,}", *pairs, f"{len(losses.intersection(found)):,}", f"{len(gains.intersection(found)):,}")


def table(cases: Mapping[str, Case], ours: Mapping[str, Outcome], reference: Mapping[str, Outcome]) -> str:
    """The table as Markdown."""
    head, *body = rows(cases, ours, reference)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *body))
