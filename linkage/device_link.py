"""Records of a link in a device's own scheme: blocks of words or bytes with notes, places to patch, and carriers."""

from __future__ import annotations

from dataclasses import field

from linkage.relocate import Field
from tgsi.language.diagnostics import Diagnostic
from tgsi.language.record import record


@record
class Block:
    """A table of the device: entries of `width` bits, with a note for people on each one (empty where there is nothing to say)."""

    name: str
    width: int
    values: tuple[int, ...]
    notes: tuple[str, ...]

    def bytes(self) -> bytes:
        """The table as it lies in memory, little-endian."""
        return b"".join(value.to_bytes(self.width // 8, "little") for value in self.values)


@record
class Patch:
    """A place in the fragment program's tokens that is written at link time with an input's number or a constant."""

    kind: str
    field: Field
    value: int
    note: str = ""


@record
class Place:
    """Carrier of a value: `what` is an input or output, `place` the device's name for the carrier."""

    what: str
    place: str


@record
class DeviceLink:
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
