"""A bound texture in generated code: the fields of its record, and the size and place of its levels.

Texel offsets are bytes from `base`: i32 for textures up to 1 GiB, i64 for larger ones (`TextureKey.is_wide`).
The memory of a texture is readable for 64 bytes more than `size`: every allocation has that slack.
"""

from __future__ import annotations

from backends.abi.keys import TextureKey
from backends.abi.records import TextureRecord
from backends.llvm.builder.function import I32, I64, Function, Val
from backends.llvm.builder.record import Record
from backends.pipe.enums import TextureTarget
from tgsi.language.record import record


@record
class Level:
    """A mip level. Every field is a vector, so that each lane may have its own level. Sizes are in texels, other fields in bytes.

    Offset and strides are i64 for textures whose keys are wide, otherwise i32.
    """

    width: Val
    height: Val
    depth: Val
    offset: Val
    row_stride: Val
    layer_stride: Val

    def size(self, axis: int) -> Val:
        """Number of texels along s, t or r (i32)."""
        return (self.width, self.height, self.depth)[axis]


class Texture:
    """A sampler view, described by the TextureRecord at `pointer`, which `lanes` lanes sample. `row` of them are neighbors in a picture."""

    def __init__(self, f: Function, key: TextureKey, pointer: Val, lanes: int, row: int = 1) -> None:
        self.f, self.key, self.lanes, self.row = f, key, lanes, row
        self.record = Record(f, pointer, TextureRecord)
        self.base = self.record.fixed("base")

    def field(self, name: str) -> Val:
        """32-bit field of the record, in every lane."""
        return self.f.splat(self.record.fixed(name), self.lanes)

    def _extent(self, name: str) -> Val:
        """Size from the record, at least 1. Only the view of a buffer can be empty; its reads then hit the slack after the buffer."""
        size = self.field(name)
        return self.f.max(size, 1) if self.key.target is TextureTarget.BUFFER else size

    def first_level(self) -> Level:
        """Level 0 of the view, the same in all lanes."""
        f, n, record = self.f, self.lanes, self.record
        wide = [record.fixed("level_offset"), record.fixed("layer_stride")]
        row = record.fixed("row_stride")
        offset, row, layer = wide[0], self.distance(row), wide[1]
        offset, layer = (v if self.key.is_wide else v.trunc(I32) for v in (offset, layer))
        offset, row, layer = (f.splat(v, n) for v in (offset, row, layer))
        sizes = [self._extent(name) for name in ("width", "height", "depth")]
        return Level(sizes[0], sizes[1], sizes[2], offset, row, layer)

    def distance(self, number: Val) -> Val:
        """A number (i32, not negative), or lanes of them, in the type of offsets."""
        return number.zext(I64) if self.key.is_wide else number

    @property
    def volume(self) -> bool:
        """True for a 3D view, whose levels shrink in depth, whatever target it is read as."""
        return self.key.target is TextureTarget.TEXTURE_3D

    def level(self, index: Val, volume: bool) -> Level:
        """Level `index` (i32, 0 to last_level) of each lane, or a scalar for all lanes. `volume`: the depth shrinks from level to level, as
        that of a 3D view always does."""
        f, volume = self.f, volume or self.volume
        is_shared = index.lanes == 1

        def shrunk(name: str) -> Val:
            size = self._extent(name)
            return f.splat(f.max((size[0] if is_shared else size).lshr(index), 1), self.lanes)

        offset, row, layer = self._places(index)
        depth = shrunk("depth") if volume else self._extent("depth")
        return Level(shrunk("width"), shrunk("height"), depth, offset, self.distance(row), layer)

    def _places(self, index: Val) -> list[Val]:
        """Offset, row stride and layer stride of level `index`, of each lane or a scalar, in every lane."""
        f, record = self.f, self.record
        names = ("level_offset", "row_stride", "layer_stride")
        sizes = [4 if name == "row_stride" else 8 for name in names]
        types = [I64 if self.key.is_wide and size > 4 else I32 for size in sizes]  # or the low half of 64-bit fields
        entries = [(type, record.address(name), size) for type, name, size in zip(types, names, sizes)]

        def shared(level: Val) -> list[Val]:
            return [f.splat(f.load(type, address, level * size), self.lanes) for type, address, size in entries]

        if index.lanes == 1:
            return shared(index)
        variables = [f.var(type.wide(index.lanes)) for type in types]
        with f.else_of(f.all(index.eq(index[0]))) as several:
            for variable, value in zip(variables, shared(index[0])):
                variable.set(value)
            several()
            for variable, (type, address, size) in zip(variables, entries):
                variable.set(f.gather(type, address, (index * size).sext(I64)))
        return [variable.get() for variable in variables]
