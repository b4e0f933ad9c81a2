"""Attributes of a declaration, after its brackets, in one fixed order: each reader consumes its own words from the front."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tgsi.language.facts.enums import CHANNELS, TARGETS, File, Interpolation, Location, MemoryType, Processor, ReturnType
from tgsi.language.facts.formats import NO_FORMAT
from tgsi.language.facts.limits import MAX_ARRAY
from tgsi.language.facts.semantics import SEMANTICS, TOKEN_INDICES, Semantic
from tgsi.language.ir import Declaration, ImageInfo, ViewInfo
from tgsi.language.messages import Mistake, did_you_mean, known
from tgsi.language.source import Span

_MODES: Mapping[str, Interpolation] = {mode.name: mode for mode in Interpolation}
_LOCATIONS: Mapping[str, Location] = {place.name: place for place in Location}
_MEMORY_TYPES: Mapping[str, MemoryType] = {kind.name: kind for kind in MemoryType}
_STRICT_MEMORY_TYPES = {name: kind for name, kind in _MEMORY_TYPES.items() if kind is not MemoryType.PAYLOAD}
_STRICT_SEMANTICS = {name: info for name, info in SEMANTICS.items() if not info.is_later}
_RETURN_TYPES: Mapping[str, ReturnType] = {kind.name: kind for kind in ReturnType}
_ORDER = "the order is ARRAY, LOCAL, semantic, STREAM or PRIMITIVE, mode, location"
_NO_STREAMS = (0, 0, 0, 0)
_OF_MESH = "it follows outputs of MESH programs, after their semantic"
_PER_PRIMITIVE = {"PRIMITIVE": 0}
_CYLINDRICAL = "CYLWRAP_"
TARGET_HINT = "a target is a word as `2D`, `CUBE` or `SHADOW2D`"
_ZERO_TARGET = "BUFFER"
"""Texture target of a declaration without attributes: number 0 of the enumeration."""

_SPELLABLE_TYPES = {name: kind for name, kind in _RETURN_TYPES.items() if kind is not ReturnType.UNKNOWN}


_INFORMED = frozenset({File.IMAGE, File.SVIEW, File.MEMORY})
"""Files whose declarations have a tail (target, types, kind of memory) even without attributes."""


class Attribute(NamedTuple):
    """One attribute as written. `word` is in capitals; `token` is its text, which may carry its place."""

    kind: str
    word: str
    numbers: tuple[int, ...]
    token: str

    @classmethod
    def array(cls, number: str) -> Attribute:
        """``ARRAY(1)``."""
        return cls("array", "ARRAY", (int(number),), number)

    @classmethod
    def stream(cls, *numbers: str) -> Attribute:
        """``STREAM(0, 0, 0, 1)``."""
        return cls("stream", "STREAM", tuple([int(number) for number in numbers]), numbers[0])

    @classmethod
    def named(cls, name: str, index: str | None) -> Attribute:
        """``GENERIC[3]`` or ``LINEAR``."""
        return cls("named", name.upper(), () if index is None else (int(index),), name)


class _Tail:
    """The attributes that are still to be read."""

    def __init__(self, words: list[Attribute]) -> None:
        self._left = words[::-1]

    @property
    def head(self) -> Attribute | None:
        return self._left[-1] if self._left else None

    def pop(self) -> Attribute:
        return self._left.pop()

    def word(self, table: Mapping[str, object]) -> str:
        """Take a bare word of a table, or return the empty string."""
        head = self.head
        if head is not None and head.kind == "named" and not head.numbers and head.word in table:
            self.pop()
            return head.word
        return ""


class AttributeReader:
    """Builder of the declarations of one stage and dialect."""

    def __init__(self, stage: Processor, strict: bool) -> None:
        self._stage = stage
        self._strict = strict
        self.semantics: Mapping[str, object] = _STRICT_SEMANTICS if strict else SEMANTICS

    def bare(self, file: File, first: int, last: int, dimension: int | None, mask: int, span: Span) -> Declaration:
        """Build a declaration without attributes."""
        if file in _INFORMED:
            return self.read(file, first, last, dimension, mask, span, [])
        return Declaration(
            file,
            first,
            last,
            dimension=dimension,
            semantic=None,
            interpolation=None,
            location=Location.CENTER,
            usage_mask=mask,
            array_id=0,
            invariant=False,
            local=False,
            streams=_NO_STREAMS,
            per_primitive=False,
            image=None,
            view=None,
            memory=None,
            atomic=False,
            cylindrical_wrap=0,
            span=span,
        )

    def read(self, file: File, first: int, last: int, dimension: int | None, mask: int, span: Span, words: list[Attribute]) -> Declaration:
        """Build a declaration with its attributes.

        Raises:
            Mistake: an attribute is unknown, missing, or stands where it may not.
        """
        tail = _Tail(words)
        head = tail.head
        array = tail.pop().numbers[0] if head is not None and head.kind == "array" else 0
        if self._strict:
            array &= MAX_ARRAY
        semantic: Semantic | None = None
        image: ImageInfo | None = None
        view: ViewInfo | None = None
        memory: MemoryType | None = None
        atomic = local = False
        if self._strict and tail.head is not None and file is File.IN and self._stage is Processor.VERT:
            raise Mistake("P008", "a vertex input takes ARRAY only", tail.head.token, "the default dialect takes the others too")
        if file is File.IMAGE:
            image = self._image(tail)
        elif file is File.SVIEW:
            view = self._view(tail)
        elif file is File.BUFFER:
            atomic = bool(tail.word({"ATOMIC": 0}))
        elif file is File.MEMORY:
            memory = _MEMORY_TYPES.get(tail.word(_STRICT_MEMORY_TYPES if self._strict else _MEMORY_TYPES), MemoryType.GLOBAL)
        else:
            local = bool(tail.word({"LOCAL": 0}))
            semantic = self._semantic(tail)
        streams = self._streams(tail, file)
        per_primitive = file is File.OUT and self._stage is Processor.MESH and bool(tail.word(_PER_PRIMITIVE))
        mode = tail.word(_MODES)
        location = tail.word(_LOCATIONS) if mode or not self._strict else ""
        wrap, invariant = (0, False) if self._strict else self._extensions(tail)
        if tail.head is not None:
            raise _misplaced(tail.head)
        return Declaration(
            file,
            first,
            last,
            dimension=dimension,
            semantic=semantic,
            interpolation=_MODES[mode] if mode else None,
            location=_LOCATIONS[location] if location else Location.CENTER,
            usage_mask=mask,
            array_id=array,
            invariant=invariant,
            local=local,
            streams=streams,
            per_primitive=per_primitive,
            image=image,
            view=view,
            memory=memory,
            atomic=atomic,
            cylindrical_wrap=wrap,
            span=span,
        )

    def _streams(self, tail: _Tail, file: File) -> tuple[int, int, int, int]:
        """Take a STREAM attribute: of outputs of GEOM programs, or one of zeros in the default dialect."""
        head = tail.head
        if head is None or head.kind != "stream":
            return _NO_STREAMS
        if file is File.OUT and self._stage is Processor.GEOM:
            a, b, c, d = (number & 3 for number in tail.pop().numbers)
            return a, b, c, d
        if not self._strict and not any(head.numbers):
            tail.pop()
        return _NO_STREAMS

    def _semantic(self, tail: _Tail) -> Semantic | None:
        head = tail.head
        if head is None or head.kind != "named" or head.word not in self.semantics:
            return None
        tail.pop()
        index = head.numbers[0] if head.numbers else 0
        return Semantic(head.word, index % TOKEN_INDICES if self._strict else index)  # Mesa keeps the lower bits

    def _image(self, tail: _Tail) -> ImageInfo:
        if tail.head is None:
            return ImageInfo(_ZERO_TARGET)
        target = known(TARGETS, tail.pop().token, "texture target", "P011", TARGET_HINT).name
        image_format, raw, writable = "", False, False
        while (head := tail.head) is not None and head.kind == "named" and not head.numbers:
            if head.word == "RAW":
                raw = True
            elif head.word == "WR":
                writable = True
            elif head.word.startswith("PIPE_FORMAT_"):
                image_format = head.word if head.word != NO_FORMAT else ""
            else:
                break
            tail.pop()
        return ImageInfo(target, image_format, writable, raw)

    def _view(self, tail: _Tail) -> ViewInfo:
        if tail.head is None:
            return ViewInfo(_ZERO_TARGET, (ReturnType.UNORM,) * 4)
        target = known(TARGETS, tail.pop().token, "texture target", "P011", TARGET_HINT).name
        types: list[ReturnType] = []
        while len(types) < 4 and (word := tail.word(_SPELLABLE_TYPES)):
            types.append(_RETURN_TYPES[word])
        if not types:
            if tail.head is not None:
                known(_SPELLABLE_TYPES, tail.head.token, "return type", "P027")
            raise Mistake("P027", "a sampler view needs a return type", target, "write `, FLOAT`")
        first = types[0]
        if self._strict or len(types) < 4:  # Mesa 18.1 copies the first type to all channels
            return ViewInfo(target, (first, first, first, first))
        return ViewInfo(target, (first, types[1], types[2], types[3]))

    def _extensions(self, tail: _Tail) -> tuple[int, bool]:
        """Read CYLWRAP and INVARIANT, which Mesa prints and does not read."""
        wrap = 0
        head = tail.head
        if head is not None and head.word.startswith(_CYLINDRICAL) and not head.numbers:
            letters = head.word.removeprefix(_CYLINDRICAL).lower()
            if letters and set(letters) <= set(CHANNELS):
                wrap = sum(1 << CHANNELS.index(letter) for letter in set(letters))
                tail.pop()
        return wrap, bool(tail.word({"INVARIANT": 0}))


def _misplaced(head: Attribute) -> Mistake:
    every = [*SEMANTICS, *_MODES, *_LOCATIONS, "LOCAL", "ARRAY", "STREAM", "PRIMITIVE", "INVARIANT", "ATOMIC"]
    if head.word in every:
        return Mistake("P008", f"`{head.word}` cannot stand here", head.token, _OF_MESH if head.word in _PER_PRIMITIVE else _ORDER)
    return Mistake("P007", f"unknown attribute `{head.word}`", head.token, did_you_mean(head.word, every))
