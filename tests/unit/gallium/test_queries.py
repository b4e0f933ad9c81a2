"""The tables of queries and counters are complete, and the record of each place has the fields of its counters."""

from __future__ import annotations

import ctypes
from dataclasses import fields

from backends.abi.records import layout_of
from backends.device.counters import BATCH_FIELDS, IN_PIPELINE, Place, Statistics, counted, difference, total
from backends.gallium.context.query_kinds import QUERY_KINDS
from backends.pipe.enums import DriverQuery, QueryType
from backends.raster.records import Batch, Scene, Worker


def test_every_kind_of_query_has_its_row() -> None:
    assert list(QUERY_KINDS) == [*QueryType, *DriverQuery]


def test_only_kinds_without_an_interval_have_no_begin() -> None:
    assert [kind.name for kind, row in QUERY_KINDS.items() if not row.has_begin] == ["TIMESTAMP", "GPU_FINISHED"]
    assert all(row.is_timed is not row.is_fence for row in QUERY_KINDS.values() if not row.has_begin)


def test_every_counter_is_counted_in_one_place() -> None:
    assert sorted(name for place in Place for name in counted(place)) == sorted(row.name for row in fields(Statistics))


def test_records_have_the_fields_of_their_counters() -> None:
    def names(record: type[ctypes.Structure]) -> set[str]:
        return {name.rpartition(".")[2] for name, _, _ in layout_of(record)}

    assert set(BATCH_FIELDS.values()) <= names(Batch)
    assert set(counted(Place.BATCH)) <= names(Scene)
    assert set(counted(Place.WORKER)) <= names(Worker)


def test_pipeline_statistics_are_in_gallium_order() -> None:
    """Order of pipe_query_data_pipeline_statistics: ia, vs, gs, clipper, ps, hs, ds, cs, ts, ms."""
    names = "vertices primitives vs_invocations gs_invocations gs_primitives clipper_in clipper_out fs_invocations hs_invocations"
    assert list(IN_PIPELINE) == [*names.split(), "ds_invocations", "cs_invocations", "ts_invocations", "ms_invocations"]


def test_totals_of_intervals_add_up_stream_by_stream() -> None:
    before, after = Statistics(vertices=2, needed=(1, 0, 0, 0)), Statistics(vertices=5, needed=(4, 7, 0, 0))
    between = difference(after, before)
    assert between == Statistics(vertices=3, needed=(3, 7, 0, 0))
    assert total(before, between) == after
