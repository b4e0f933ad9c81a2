"""Objects that contexts share: buffers, textures, samplers, renderbuffers, shaders and programs, sync objects."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakSet

from tgsi import native
from tgsi.language._forks import freed_after_fork

if TYPE_CHECKING:
    from tgsi.opengl.objects.buffer import Buffer
    from tgsi.opengl.objects.program import Program, Shader
    from tgsi.opengl.objects.renderbuffer import Renderbuffer
    from tgsi.opengl.objects.sampler import Sampler
    from tgsi.opengl.objects.texture import Texture

T = TypeVar("T")


class Names(Generic[T]):
    """Names of one kind of object. A generated name has no object until it is first bound."""

    def __init__(self) -> None:
        self.objects: dict[int, T | None] = {}
        self._next = 1
        self._lock = freed_after_fork(threading.Lock())

    def generate(self, count: int) -> list[int]:
        """Fresh names."""
        fresh: list[int] = []
        with self._lock:
            while len(fresh) < count:
                if self._next not in self.objects:
                    self.objects[self._next] = None
                    fresh.append(self._next)
                self._next += 1
        return fresh

    def create(self, count: int, make: Callable[[int], T]) -> list[int]:
        """Fresh names with their objects."""
        names = self.generate(count)
        for name in names:
            self.objects[name] = make(name)
        return names

    def get(self, name: int) -> T | None:
        """The object of a name, or None."""
        return self.objects.get(name)

    def put(self, name: int, item: T) -> T:
        """Give a name its object."""
        self.objects[name] = item
        return item

    def drop(self, name: int) -> T | None:
        """Free a name, and return its object."""
        return self.objects.pop(name, None)

    def __iter__(self) -> Iterator[T]:
        return (item for item in self.objects.values() if item is not None)


class Share:
    """The objects of a group of contexts. `generation` counts changes of storage, each of which makes bindings in all contexts stale."""

    def __init__(self) -> None:
        self.buffers: Names[Buffer] = Names()
        self.textures: Names[Texture] = Names()
        self.samplers: Names[Sampler] = Names()
        self.renderbuffers: Names[Renderbuffer] = Names()
        self.programs: Names[Program | Shader] = Names()
        self.syncs: dict[int, object] = {}
        self.lists: dict[int, object] = {}
        self.generation = 0
        self.natives: WeakSet[native.State] = WeakSet()
        self.lock = freed_after_fork(threading.RLock())
        """Held while a draw binds objects of the group."""

    def note_storage(self) -> None:
        """Note that an object got other storage, so that bindings in every context are stale."""
        self.generation += 1
        self.forget_natives()

    def forget_natives(self) -> None:
        """Force the next draw of every context through Python."""
        for state in tuple(self.natives):
            state.valid[0] = 0
