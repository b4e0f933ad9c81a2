"""Order of calls: mesh control before programs are bound, programs and draw control before a draw.

Source: Mesa's NVK notes ("Draw", "Stages").
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.nvk.methods.calls import Call
from backends.nvk.methods.table import MethodError

_CONTROL = "SET_MESH_CONTROL"
_BINDING = ("SET_PIPELINE_SHADER", "SET_MESH_SHADER_A", "SET_MESH_SHADER_B", "SET_MESH_INIT_SHADER")
_IGNORED = ("IGNORE_GLOBAL_BASE_VERTEX_INDEX", "IGNORE_GLOBAL_BASE_INSTANCE_INDEX")
_START = "DRAW_VERTEX_ARRAY_BEGIN_END_B"
_BEFORE_DRAW = ("SET_VERTEX_ID_BASE", "SET_DRAW_CONTROL_A", "DRAW_VERTEX_ARRAY_BEGIN_END_A")


def check_order(calls: Sequence[Call]) -> None:
    """Check a list that begins without any state: prerequisites of a method must precede it in the list.

    Raises:
        MethodError: a program is bound before SET_MESH_CONTROL; a mesh method follows while mesh shading is off; or a mesh draw starts
            without vertex ids from 0, or without ignoring the global base indices. The message names the number of the call.
    """
    state: dict[str, Call] = {}
    for number, item in enumerate(calls):
        name, place = item.name, f"call {number}: {item.name}"
        control = state.get(_CONTROL)
        if name in _BINDING and control is None:
            raise MethodError(f"{place} stands before {_CONTROL}; put {_CONTROL} first")
        if name in _BINDING[1:] and control is not None and not control["ENABLE"]:
            raise MethodError(f"{place} while mesh shading is off; call {_CONTROL} with ENABLE = TRUE first")
        if name == _START and control is not None and control["ENABLE"]:
            _check_draw(state, place)
        state[name] = item


def _check_draw(state: dict[str, Call], place: str) -> None:
    for needed in (*_BINDING[:3], *_BEFORE_DRAW):
        if needed not in state:
            raise MethodError(f"{place} starts a mesh draw without {needed} before it")
    for name, field in (("SET_VERTEX_ID_BASE", "V"), ("DRAW_VERTEX_ARRAY_BEGIN_END_A", "START")):
        if state[name][field]:
            raise MethodError(f"{place} starts a mesh draw with {name}.{field} = {state[name][field]}; workgroups count from 0")
    for field in _IGNORED:
        if not state["SET_DRAW_CONTROL_A"][field]:
            raise MethodError(f"{place} starts a mesh draw; SET_DRAW_CONTROL_A.{field} must be TRUE")
