"""Encode and decode of methods are inverse, for any values that fit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from backends.nvk.methods.calls import Call, call, call_of_word
from backends.nvk.methods.classes import CLASSES
from backends.nvk.methods.lists import MeshBinding, TaskBinding, bind, draw
from backends.nvk.methods.table import METHODS, Field, Method, Topology
from backends.nvk.methods.words import decode, encode


def field_values(field: Field) -> st.SearchStrategy[int]:
    return st.integers(0, field.most) if field.values is None else st.sampled_from(list(field.values)).map(int)


def calls_of(method: Method) -> st.SearchStrategy[Call]:
    values = st.tuples(*(field_values(field) for field in method.fields))
    return st.builds(Call, st.just(method.name), values, st.integers(0, method.copies - 1))


CALLS = st.sampled_from(list(METHODS.values())).flatmap(calls_of)
BINDINGS = st.builds(
    MeshBinding,
    threads=st.integers(1, 32),
    topology=st.sampled_from([Topology.POINTS, Topology.LINES, Topology.TRIANGLES]),
    max_vertices=st.integers(0, 511),
    max_primitives=st.integers(0, 1023),
    shared_lines=st.integers(0, 511),
    has_primitive_attributes=st.booleans(),
)
TASKS = st.none() | st.builds(TaskBinding, st.integers(1, 32), st.integers(0, 511), st.integers(0, 511))


@settings(deadline=None, max_examples=100, derandomize=True)
@given(CALLS)
def test_a_word_leads_back_to_its_call(item: Call) -> None:
    assert call_of_word(item.method, item.copy, item.word) == item


@settings(deadline=None, max_examples=100, derandomize=True)
@given(BINDINGS, TASKS, st.integers(0, (1 << 32) - 1), st.sampled_from(list(CLASSES)), st.integers(0, 7))
def test_bindings_and_draws_come_back_from_their_words(
    mesh: MeshBinding, task: TaskBinding | None, groups: int, class_number: int, subchannel: int
) -> None:
    calls = bind(mesh, task) + draw(groups)
    assert decode(encode(calls, class_number, subchannel), class_number) == calls


@settings(deadline=None, max_examples=100, derandomize=True)
@given(st.lists(CALLS.filter(lambda item: item.name.startswith(("SET_DRAW", "SET_VERTEX")))))
def test_any_list_that_needs_no_order_comes_back(calls: list[Call]) -> None:
    calls = [call("SET_MESH_CONTROL", ENABLE=1), *calls]
    assert decode(encode(calls)) == calls
