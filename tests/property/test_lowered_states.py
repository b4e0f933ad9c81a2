"""Lowerings of state on generated programs and on the corpus: the oracle applies the state to what the program computed before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from passes.pipeline import Pipeline
from passes.validate import validate
from tests.property import lowered_shapes, lowered_states
from tgsi.language.text.parser import parse

Case = Callable[[int], list[str]]

CASES: Sequence[Case] = (
    lowered_states.alpha_test,
    lowered_states.clamp_color,
    lowered_states.two_side,
    lowered_states.flat_shade,
    lowered_states.per_sample,
    lowered_states.point_coord,
    lowered_states.window_position,
    lowered_states.polygon_stipple,
    lowered_states.clip_distances,
    lowered_states.smooth_points,
    lowered_states.smooth_lines,
    lowered_states.edge_flag,
    lowered_states.clip_planes,
    lowered_states.clip_planes_of_geometry,
    lowered_shapes.point_sprite,
    lowered_shapes.smooth_point_geometry,
    lowered_shapes.smooth_line_geometry,
)


def check(case: Case, seeds: Iterable[int], least: int) -> None:
    """Compare programs from these seeds on, until enough were compared that no reason leaves out."""
    name, before = None, lowered_states.COMPARED.copy()
    for seed in seeds:
        found = case(seed)
        assert not found, f"seed {seed}\n" + "\n".join(found[:12])
        if name is None:
            name = next((key for key, count in lowered_states.COMPARED.items() if count > before[key]), None)
        if name is not None and lowered_states.COMPARED[name] - before[name] >= least:
            return
    raise AssertionError(f"too few programs were compared: {lowered_states.SKIPPED}")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_lowered_program_computes_what_the_state_makes_of_it(case: Case) -> None:
    check(case, range(200), 8)


@pytest.mark.nightly
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.parametrize("part", range(5))
def test_5000_lowered_programs_compute_what_the_state_makes_of_them(case: Case, part: int) -> None:
    check(case, range(10_000 * part, 10_000 * part + 10_000), 1000)


LOWERINGS = (
    *(f"lower-alpha-test{{func={func},ref=0.5}}" for func in ("NEVER", "GEQUAL")),
    "lower-alpha-test{func=LESS,constant=300,buffer=1}",
    "lower-clamp-color",
    "lower-clip-distances{distances=255,generic=60}",
    "lower-clip-planes{planes=255}",
    "lower-edge-flag",
    "lower-flat-shade",
    "lower-flat-shade{inputs=GENERIC+COLOR+TEXCOORD[1]}",
    "lower-per-sample",
    "lower-per-sample{inputs=DECLARED}",
    "lower-point-coord{generics=85,flips=yes}",
    "lower-point-sprite{generics=3,coord=62}",
    "lower-polygon-stipple",
    "lower-polygon-stipple{sampler=25}",
    "lower-smooth-lines{generic=63}",
    "lower-smooth-points{generic=64,coord=65}",
    "lower-two-side",
    "lower-window-position",
    "lower-window-position{origin=LOWER_LEFT,center=INTEGER}",
)


@pytest.mark.peers
@pytest.mark.parametrize("stage", ["FRAG", "VERT"])
def test_every_lowering_of_state_takes_the_corpus(stage: str, shared: Path) -> None:
    """Validation follows each pass; the text of the result is read back."""
    pipelines = [Pipeline.parse(text) for text in LOWERINGS]
    changed = set()
    for path in sorted((shared / "corpus").glob(f"{stage}-*.tgsi"))[::3]:
        program = parse(path.read_text(), name=path.name)
        for pipeline in pipelines:
            made = pipeline.run(program)
            if made is not program:
                changed.add(str(pipeline))
        whole = Pipeline.parse(",".join(LOWERINGS)).run(program)
        validate(whole)
        assert parse(str(whole)) == whole
    assert len(changed) >= {"FRAG": 17, "VERT": 4}[stage]
