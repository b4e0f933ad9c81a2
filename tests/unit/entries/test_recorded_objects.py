"""Objects that generated code records as they are created, and mappings, whose bytes are recorded at their end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.entries.install import fits
from backends.gallium.tracing.history import HistoryTracer
from backends.gallium.tracing.steps import read_steps
from backends.gallium.tracing.trace_player import TracePlayer

needs_entries = pytest.mark.skipif(not fits(), reason="native entries need a plain CPython 3.11 to 3.14")


@pytest.fixture
def ctx() -> Iterator[Any]:
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        yield ctx


def steps(ctx: Any, name: str = "") -> list[Any]:
    """The recorded steps, or those with a name."""
    return [step for step in read_steps(bytearray(ctx.recorded_parts()[0].data)) if name in ("", step.name)]


def played(ctx: Any, resource: Any) -> Any:
    """The bytes of a buffer after the recorded calls were made again."""
    found = ctx.recorded_parts()[0]
    with tgsi.Screen(threads=0) as screen, screen.context_create() as again:
        player = TracePlayer(screen, again, lambda digest: None)
        player.play(found.data)
        return np.asarray(player.find(found.handles[id(resource)])).copy()


@needs_entries
def test_python_does_not_record_the_next_objects_of_a_known_texture(ctx: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    texture = ctx.screen.texture_from(np.full((4, 4, 4), 200, np.uint8))
    first, _ = ctx.create_sampler_view(texture, first_level=0), ctx.create_blend_state(dither=False)  # the names are known now
    monkeypatch.setattr(HistoryTracer, "_creation", lambda *given: pytest.fail("Python records a creation"))
    views = [ctx.create_sampler_view(texture, first_level=0) for _ in range(3)]
    blend = ctx.create_blend_state(dither=True)
    assert blend.state.dither
    ctx.set_sampler_views("FRAGMENT", [first, *views])
    handles = ctx.recorded_parts()[0].handles
    numbers = [handles[id(thing)] for thing in (first, *views, blend)]
    assert len(set(numbers)) == 5
    assert [step.call.result for step in steps(ctx, "create_sampler_view")] == numbers[:4]
    assert [item.number for item in steps(ctx, "set_sampler_views")[-1].call.args[1]] == numbers[:4]
    monkeypatch.undo()
    with tgsi.Screen(threads=0) as screen, screen.context_create() as again:
        player = TracePlayer(screen, again, lambda digest: None)
        player.play(ctx.recorded_parts()[0].data)
        assert player.find(numbers[4]).state == blend.state


def test_a_refused_creation_is_not_recorded_and_takes_no_handle(ctx: Any) -> None:
    texture = ctx.screen.texture_from(np.full((4, 4, 4), 200, np.uint8))
    first = ctx.create_sampler_view(texture)
    for _ in range(3):
        with pytest.raises(ValueError, match="first_level"):
            ctx.create_sampler_view(texture, first_level=7)
    second = ctx.create_sampler_view(texture)
    handles = ctx.recorded_parts()[0].handles
    assert handles[id(second)] == handles[id(first)] + 1
    assert [step.call.result for step in steps(ctx, "create_sampler_view")] == [handles[id(first)], handles[id(second)]]


@needs_entries
def test_objects_that_have_ended_are_forgotten_without_a_call_of_python(ctx: Any) -> None:
    texture = ctx.screen.texture_from(np.full((4, 4, 4), 200, np.uint8))
    for _ in range(1000):
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])
    assert len(ctx._tracer._ended) < 300
    created = {step.call.result for step in steps(ctx, "create_sampler_view")}
    living = created - {handle for step in steps(ctx) for handle in step.forgets}
    assert len(created) == 1000
    assert len(living) < 10


@needs_entries
def test_a_creation_after_an_open_mapping_is_recorded_after_the_bytes_of_the_mapping(ctx: Any) -> None:
    buffer = ctx.screen.resource_create(target="BUFFER", width0=16)
    with ctx.transfer_map(buffer, usage="WRITE") as mapped:
        mapped.data[:] = 1
        blend = ctx.create_blend_state()
        mapped.data[:8] = 2
    names = [step.name for step in steps(ctx) if step.name in ("write_mapped", "create_blend_state")]
    assert names == ["write_mapped", "create_blend_state", "write_mapped"]
    assert blend is not None
    assert list(played(ctx, buffer)) == [2] * 8 + [1] * 8


@pytest.mark.parametrize(("usage", "count"), [("WRITE", 1), ("READ|WRITE", 0), ("WRITE|UNSYNCHRONIZED", 0), ("READ", 0)])
def test_a_mapping_that_changes_nothing_is_recorded_only_if_all_of_it_counts_as_written(ctx: Any, usage: str, count: int) -> None:
    buffer = ctx.screen.buffer_from(np.arange(300, dtype=np.uint16))
    with ctx.transfer_map(buffer, usage=usage):
        pass
    assert len(steps(ctx, "write_mapped")) == count
    assert (played(ctx, buffer) == np.asarray(buffer)).all() or not count


@pytest.mark.parametrize("box", [(3, 5), (0, 300), None])
@pytest.mark.parametrize("usage", ["WRITE", "READ|WRITE", "WRITE|UNSYNCHRONIZED", "WRITE|FLUSH_EXPLICIT"])
def test_bytes_written_into_mappings_are_played_back(ctx: Any, usage: str, box: tuple[int, int] | None) -> None:
    buffer = ctx.screen.resource_create(target="BUFFER", width0=400)
    for k in range(3):
        with ctx.transfer_map(buffer, usage=usage, box=box) as mapped:
            mapped.data[::2] = k + 1
            if "EXPLICIT" in usage:
                ctx.transfer_flush_region(mapped)
    assert np.asarray(buffer).any()
    assert (played(ctx, buffer) == np.asarray(buffer)).all()
