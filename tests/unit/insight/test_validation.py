"""Screen(validate=True): each mistake is said with its cause, at the line of the program; right programs are silent."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import tgsi
from tests.unit.insight.warned_mistakes import MISTAKES, Mistake, Sketch, culled, depth_never_cleared, no_viewport, right, sketch
from tgsi.gallium import ValidationWarning

pytestmark = pytest.mark.light


@contextmanager
def recorded() -> Iterator[list[warnings.WarningMessage]]:
    """Warnings of a block."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


@pytest.mark.parametrize("mistake", MISTAKES, ids=[item.name for item in MISTAKES])
def test_a_mistake_is_said_with_its_cause_at_its_line(mistake: Mistake) -> None:
    with recorded() as found, sketch(validate=True) as s:
        mistake.program(s)
        s.target.pixels()
    texts = [str(item.message) for item in found]
    assert any(mistake.word in text for text in texts), texts
    assert {item.category for item in found} == {ValidationWarning}
    assert {item.filename for item in found} == {mistake.program.__code__.co_filename}


def test_there_are_25_mistakes_at_least() -> None:
    assert len({item.name for item in MISTAKES}) == len(MISTAKES) >= 25


def test_a_right_program_is_silent_and_draws_the_same_picture() -> None:
    pictures = []
    for validate in (True, False):
        with sketch(validate=validate) as s:
            s.with_depth()
            right(s)
            pictures.append((s.target.pixels(), s.depth.pixels()))
    assert all(np.array_equal(a, b) for a, b in zip(*pictures))


@pytest.mark.parametrize("program", [culled, depth_never_cleared])
def test_a_draw_that_is_looked_into_leaves_its_targets_as_they_were(program: object) -> None:
    pictures = []
    for validate in (True, False):
        with recorded(), sketch(validate=validate) as s:
            program(s)  # type: ignore[operator]
            s.draw()
            pictures.append((s.target.pixels(), s.depth.pixels()))
    assert all(np.array_equal(a, b) for a, b in zip(*pictures))


def test_a_finding_is_said_once_and_to_the_debug_callback() -> None:
    told: list[tuple[str, str]] = []
    with recorded() as found, sketch(validate=True) as s:
        s.ctx.set_debug_callback(lambda kind, text: told.append((kind, text)))
        culled(s)
        culled(s)
        s.target.pixels()
        s.draw()
        s.target.pixels()
    assert len(found) == 1
    assert [text for kind, text in told if kind == "validation"] == [str(found[0].message)]


def test_an_object_that_is_hidden_in_one_draw_and_seen_in_another_is_no_mistake() -> None:
    with sketch(validate=True) as s:
        s.vertices([[x + 9, y, z, w] for x, y, z, w in [[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0, 0.5, 0, 1]]])
        s.draw()
        s.vertices([[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0, 0.5, 0, 1]])
        s.draw()
        s.target.pixels()  # warnings are errors here


def test_a_warning_that_is_an_error_ends_the_call_and_the_context_can_be_used() -> None:
    with sketch(validate=True) as s:
        with pytest.raises(ValidationWarning, match="viewport"):
            no_viewport(s)
        right(s)
        assert s.target.pixels().any()


def test_draws_that_somebody_counts_are_not_made_again() -> None:
    with recorded(), sketch(validate=True) as s:
        culled(s)  # the combination has no effect
        query = s.ctx.create_query("PRIMITIVES_GENERATED")
        s.ctx.begin_query(query)
        s.rasterizer(cull_face="FRONT_AND_BACK", flatshade=True)
        s.draw()
        s.ctx.end_query(query)
        assert s.ctx.get_query_result(query) == 1


def test_without_it_the_device_stands_alone_and_known_draws_run_no_python() -> None:
    with sketch() as s:
        assert not s.screen.validates
        assert type(s.ctx.device).__module__.startswith("backends.software")
        for _ in range(8):
            s.draw()
        before = s.ctx.device.statistics().known_draws
        s.draw()
        assert s.ctx.device.statistics().known_draws == before + 1


def test_grids_name_memory_that_is_not_bound() -> None:
    program = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
    program += "DCL BUFFER[2]\nIMM[0] UINT32 {0, 1, 2, 3}\nSTORE BUFFER[2].x, IMM[0].xxxx, IMM[0].yyyy\nEND"
    with recorded() as found, tgsi.Screen(threads=0, validate=True) as screen, screen.context_create() as ctx:
        ctx.bind_compute_state(ctx.create_compute_state(program))
        ctx.launch_grid(grid=(1, 1, 1))
    assert [str(item.message) for item in found] == [
        "launch_grid: the compute shader uses BUFFER[2], which is not bound: it reads 0, and stores are lost; set_shader_buffers"
    ]
    assert found[0].filename == __file__


def test_validate_is_a_boolean() -> None:
    with pytest.raises(TypeError, match="validate"):
        tgsi.Screen(validate=np.array([1, 0]))  # type: ignore[arg-type]


def scenes() -> dict[str, object]:
    from tests.images.test_images import SCENES

    return dict(SCENES)


@pytest.mark.nightly
@pytest.mark.parametrize("scene", scenes())
def test_no_scene_has_a_false_alarm(scene: str) -> None:
    with tgsi.Screen(threads=0, validate=True) as screen:
        scenes()[scene](screen)  # type: ignore[operator]


def test_a_sketch_is_what_it_says() -> None:
    with sketch() as s:
        assert isinstance(s, Sketch)
        right(s)
        assert (s.target.pixels()[..., 0] == 255).any()
