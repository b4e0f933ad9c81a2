"""Calls that recreate objects from before a recording began."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from backends.device.bound import Shader
from backends.device.calls.errors import Unwritable
from backends.device.grid import ComputeShader
from backends.gallium.context.handles import StateObject
from backends.gallium.context.query_kinds import Query
from backends.gallium.context.stream_output import StreamOutputTarget
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import SamplerView, Surface
from tgsi.language.facts.stages import STAGES

Definition = tuple[str, tuple[Any, ...], dict[str, Any]]
"""Name, positional arguments and keywords of a call."""


def definition_of(thing: object) -> Definition:
    """The call that creates an equal object. Unwritable if a part of the object no longer exists."""
    for kind, define in _DEFINITIONS.items():
        if isinstance(thing, kind):
            return define(thing)
    raise Unwritable(f"no call creates an object of type {type(thing).__name__}")


def _view(view: SamplerView) -> Definition:
    texture = _living(view.texture, view)
    given: dict[str, Any] = {"format": view.format, "target": view.target, "swizzle": tuple(view.swizzle)}
    if texture.is_buffer:
        given |= {"offset": view.buf_offset, "size": view.buf_size}
    else:
        given |= {name: getattr(view, name) for name in ("first_level", "last_level", "first_layer", "last_layer")}
    return "create_sampler_view", (texture,), given


def _surface(target: Surface) -> Definition:
    given = {name: getattr(target, name) for name in ("format", "level", "first_layer", "last_layer")}
    samples = target.own.target.samples if target.own is not None else 0
    return "create_surface", (_living(target.texture, target),), {**given, "nr_samples": samples}


def _state(item: StateObject[Any]) -> Definition:
    return f"create_{item.kind}_state", (item.state,), {}


def _shader(shader: Shader) -> Definition:
    given: dict[str, Any] = {}
    if isinstance(shader, ComputeShader):
        given = {name: getattr(shader, name) for name in ("req_local_mem", "req_private_mem", "req_input_mem")}
    elif shader.stream_output is not None:
        given = {"stream_output": shader.stream_output}
    return f"create_{STAGES[shader.program.processor].call}_state", (shader.program,), given


def _query(query: Query) -> Definition:
    return "create_query", (query.kind,), {"index": query.stream}


def _target(target: StreamOutputTarget) -> Definition:
    given = {"buffer_offset": target.buffer_offset, "buffer_size": target.buffer_size}
    return "create_stream_output_target", (_living(target.resource, target),), given


def _living(resource: Resource, of: object) -> Resource:
    if resource.is_destroyed:
        raise Unwritable(f"the resource of {of!r} is gone")
    return resource


_DEFINITIONS: Mapping[type, Callable[[Any], Definition]] = {
    SamplerView: _view,
    Surface: _surface,
    StateObject: _state,
    Shader: _shader,
    Query: _query,
    StreamOutputTarget: _target,
}
