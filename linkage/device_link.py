"""Records of a link in a device's own scheme: blocks of words or bytes with notes, places to patch, and carriers.

A link computes the numbers. Notes, carriers and findings are texts for people, which `open_link` defers until they are first read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any

from linkage.relocate import Field
from tgsi.language.diagnostics import Diagnostic
from tgsi.language.record import record

Words = tuple[str, int, tuple[int, ...]]
"""Name, width and values of a block without its notes."""


class _LateNotes:
    """The deferred notes of a block: its device link and its position there."""

    __slots__ = ("_link", "_position")

    _link: DeviceLink
    _position: int

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name != "notes":
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            notes = self._link._explained().blocks[self._position].notes
            object.__setattr__(self, name, notes)
            return notes


@record
class Block(_LateNotes):
    """A table of the device: entries of `width` bits, each with a readable note, which may be empty."""

    name: str
    width: int
    values: tuple[int, ...]
    notes: tuple[str, ...]

    def bytes(self) -> bytes:
        """The table as bytes, little-endian."""
        return b"".join(value.to_bytes(self.width // 8, "little") for value in self.values)


@record
class Patch:
    """A place in the fragment program's tokens to which linking writes an input's number or a constant."""

    kind: str
    field: Field
    value: int
    note: str = ""


@record
class Place:
    """Carrier of a value: `what` is an input or output, `place` the device's name for the carrier."""

    what: str
    place: str


class _LateTexts:
    """The deferred parts of a device link: the numbers of its blocks, and a function that explains the whole link."""

    __slots__ = ("_explain", "_words")

    _words: tuple[Words, ...]
    _explain: Any

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name == "blocks":
                value = tuple(_open_block(self, number, words) for number, words in enumerate(self._words))
            elif name in ("places", "findings"):
                value = getattr(self._explained(), name)
            else:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            object.__setattr__(self, name, value)
            return value

    def _explained(self) -> DeviceLink:
        """The link with all texts."""
        if isinstance(self._explain, DeviceLink):
            return self._explain
        make, *facts = self._explain
        explained: DeviceLink = make(*facts)
        object.__setattr__(self, "_explain", explained)
        return explained


@record
class DeviceLink(_LateTexts):
    """One link in the scheme of a device."""

    profile: str
    blocks: tuple[Block, ...]
    places: tuple[Place, ...]
    patches: tuple[Patch, ...] = ()
    findings: tuple[Diagnostic, ...] = field(default=(), compare=False)

    def block(self, name: str) -> Block:
        """The block of a name. KeyError if there is none."""
        for block in self.blocks:
            if block.name == name:
                return block
        raise KeyError(name)


_OpenBlock: Any = type("Block", (_LateNotes,), {"__slots__": vars(Block)["__slots__"]})
_OpenLink: Any = type("DeviceLink", (_LateTexts,), {"__slots__": vars(DeviceLink)["__slots__"]})


def _open_block(link: Any, position: int, words: Words) -> Block:
    block = _OpenBlock()
    block.name, block.width, block.values = words
    block._link, block._position = link, position
    block.__class__ = Block
    return block  # type: ignore[no-any-return]


def open_link(
    profile: str, words: tuple[Words, ...], patches: tuple[Patch, ...], make: Callable[..., DeviceLink], *facts: Any
) -> DeviceLink:
    """Return a link with deferred texts. `make(*facts)` creates the same link with texts when one of them is first read."""
    link = _OpenLink()
    link.profile, link.patches, link._words, link._explain = profile, patches, words, (make, *facts)
    link.__class__ = DeviceLink
    return link  # type: ignore[no-any-return]
