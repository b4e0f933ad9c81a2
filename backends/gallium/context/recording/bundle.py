"""Bundles: calls that are recorded without being carried out, and can be replayed any number of times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from types import TracebackType
from typing import Any, Protocol

import numpy as np

from backends.device.calls.errors import Unwritable
from backends.device.calls.row import Does, Row
from backends.device.calls.table import ALIASES, CALLS, UNRECORDED
from backends.gallium.context.core import ContextCore
from backends.gallium.context.recording.encoder import Encoder, fields_of
from backends.gallium.context.recording.handles import OBJECTS, Handles
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.transfer import as_bytes
from backends.pipe.state import DrawInfo, VertexBuffer

_DRAW = frozenset(item.name for item in fields(DrawInfo))
_MEMORY = ("index", "buffers")
"""Arguments whose arrays are copied to buffers of the bundle."""


class BundleOwner(Protocol):
    """The part of a context that records bundles."""

    context: ContextCore
    handles: Handles

    def learn(self, handle: int, thing: Any) -> None:
        """Register a new handle."""
        ...


class Bundle:
    """Recorded calls. A bundle has the methods of the context that change state, draw, or write resources, and records each call.

    Nothing is carried out before `Context.replay`. The end of the ``with`` block, or `finish`, ends the recording; a finished bundle never
    changes. Arrays and bytes are copied when they are recorded; a resource is read when the bundle is replayed. Objects are kept alive.
    Arguments of `draw_vbo` are checked at once, arguments of other methods when the bundle is replayed.
    """

    def __init__(self, owner: BundleOwner) -> None:
        self._owner = owner
        self._encoder = Encoder(self._handle_of, owner.context._checked_draw)
        self._words = bytearray()
        self._objects: dict[int, Any] = {}
        self._copies: list[Resource] = []
        self._count = 0
        self.is_finished = False

    def __repr__(self) -> str:
        return f"<Bundle of {self._count} calls{'' if self.is_finished else ', recording'}>"

    def _repr_html_(self) -> str:
        from collections import Counter

        from backends.gallium.context.recording.decoder import items
        from tgsi.language import notebook

        counts = Counter(item.command.name for item in items(memoryview(bytes(self._words)).cast("I")))
        return notebook.heading(repr(self).strip("<>")) + notebook.table(("command", "times"), counts.most_common())

    def __len__(self) -> int:
        return self._count

    def __enter__(self) -> Bundle:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.finish()

    @property
    def context(self) -> ContextCore:
        """The context that made it, on which it is replayed."""
        return self._owner.context

    def finish(self) -> None:
        """End the recording."""
        self.is_finished = True

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name, row in CALLS.items() if row.does is Does.SET)]

    def __getattr__(self, name: str) -> Callable[..., None]:
        row = CALLS.get(ALIASES.get(name, name))
        if row is None or row.does is not Does.SET:
            is_method = row is not None or name in UNRECORDED
            reason = "has a result, or ends an object; call it on the context" if is_method else "is not a method of a context"
            raise AttributeError(f"a bundle does not record {name}: it {reason}")
        method = getattr(type(self._owner.context), name)

        def record(*args: Any, **keywords: Any) -> None:
            self._record(row.name, row, args, keywords)

        record.__name__, record.__doc__ = name, method.__doc__
        return record

    # -- for the context -----------------------------------------------------------------------------------------------------
    def content(self, owner: BundleOwner) -> tuple[memoryview, dict[int, Any]]:
        """The words and the objects by handle. ValueError if the bundle is not finished, belongs elsewhere, or an object was destroyed."""
        if owner is not self._owner:
            raise ValueError("replay: bundle: it was recorded by another context")
        if not self.is_finished:
            raise ValueError("replay: bundle: it is still recording; leave its with block, or call finish()")
        for thing in self._objects.values():
            if thing.is_destroyed:
                raise ValueError(f"replay: bundle: {thing!r}, which it uses, was destroyed")
        return memoryview(self._words).cast("I"), self._objects

    # -- recording -----------------------------------------------------------------------------------------------------------
    def _record(self, name: str, row: Row, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        if self.is_finished:
            raise ValueError(f"{name}: the bundle is finished; record another one")
        row.bound(args, keywords)
        if name == "draw_vbo":
            args, keywords = self._draw(args, keywords)
        elif name in ("set_index_buffer", "set_vertex_buffers"):
            args = tuple(self._placed(item, name) for item in args)
            keywords = {key: self._placed(item, name) if key in _MEMORY else item for key, item in keywords.items()}
        try:
            command = self._encoder.fixed(name, args, keywords) or self._encoder.call(name, args, keywords)
        except Unwritable as error:
            raise TypeError(f"{name}: {error}") from None
        self._words += command
        self._count += 1

    def _draw(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments of a draw whose fields of DrawInfo are checked, with its indices in a buffer of the bundle."""
        info = args[0] if args else keywords.get("info")
        rest = {key: item for key, item in keywords.items() if key in _DRAW}
        if info is not None and not isinstance(info, DrawInfo):
            raise TypeError(f"draw_vbo: info: expected a DrawInfo, not {type(info).__name__}")
        fields = fields_of(info)
        self._owner.context._checked_draw(fields | rest)
        index = keywords.get("index")
        if isinstance(index, np.ndarray):
            if index.dtype.kind not in "ui" or index.itemsize not in (1, 2, 4):
                raise TypeError(f"draw_vbo: index: expected an array of uint8, uint16 or uint32, not {index.dtype}")
            count = (fields | rest).get("count", 0) or max(0, index.size - (fields | rest).get("start", 0))
            keywords = keywords | {"index": self._copy(index), "index_size": index.itemsize, "count": count}
        return args, keywords

    def _placed(self, value: Any, name: str) -> Any:
        """A value with its arrays and bytes as buffers of the bundle."""
        if isinstance(value, VertexBuffer):
            value = {"buffer": value.buffer, "stride": value.stride, "buffer_offset": value.buffer_offset}
        if isinstance(value, dict) and "buffer" in value:
            stride = _stride(value["buffer"]) if value.get("stride") is None else value["stride"]
            return value | {"buffer": self._memory(value["buffer"], name), "stride": stride}
        if isinstance(value, (list, tuple)):
            return [self._placed(item, name) for item in value]
        if name == "set_vertex_buffers" and isinstance(value, np.ndarray):
            return {"buffer": self._memory(value, name), "stride": _stride(value)}
        return self._memory(value, name)

    def _memory(self, value: Any, name: str) -> Any:
        if value is None or isinstance(value, (int, *OBJECTS)):
            return value
        return self._copy(as_bytes(value, f"{name}: buffer")) if as_bytes(value, f"{name}: buffer").size else value

    def _copy(self, data: np.ndarray[Any, Any]) -> Resource:
        values = as_bytes(data, "index")
        copy = self._owner.context.screen.resource_create(target="BUFFER", width0=max(1, values.size))
        copy.storage[: values.size] = values
        self._copies.append(copy)
        return copy

    def _handle_of(self, thing: Any) -> int | None:
        if not isinstance(thing, OBJECTS):
            return None
        if isinstance(thing, Resource):
            self._owner.context.checks.resource(thing, "record: resource")
        if thing.is_destroyed:
            raise ValueError(f"record: {thing!r} was destroyed")
        handle = self._owner.handles.find(thing)
        if handle is None:
            handle = self._owner.handles.add(thing)
            self._owner.learn(handle, thing)
        self._objects[handle] = thing
        return handle


def _stride(source: Any) -> int:
    """The distance of rows that `set_vertex_buffers` uses by default."""
    has_rows = isinstance(source, np.ndarray) and source.ndim and len(source)
    return source.itemsize * (source.size // len(source)) if has_rows else 0
