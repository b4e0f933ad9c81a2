"""Types of a module, and their sizes as values."""

from __future__ import annotations

from math import prod
from typing import TypeAlias

from tgsi.language.record import record

MAX_WORDS = 1 << 15
"""Maximum size of a type in 32-bit words; larger types have this size."""


@record
class Void:
    """No value."""

    words: int = 0


@record
class Bool:
    """All bits set for true, none for false."""

    words: int = 1


@record
class Int:
    """An integer of 32 or 64 bits."""

    width: int
    signed: bool

    @property
    def words(self) -> int:
        """32-bit words of a value."""
        return self.width // 32


@record
class Float:
    """A float of 32 or 64 bits."""

    width: int

    @property
    def words(self) -> int:
        """32-bit words of a value."""
        return self.width // 32


Scalar: TypeAlias = Bool | Int | Float


@record
class Vector:
    """Two to four scalars."""

    element: Scalar
    size: int

    @property
    def words(self) -> int:
        """32-bit words of a value."""
        return self.element.words * self.size


@record
class Matrix:
    """Two to four columns."""

    element: Vector
    size: int

    @property
    def words(self) -> int:
        """32-bit words of a value."""
        return self.element.words * self.size


@record(kw_only=True)
class Image:
    """An image: `sampled` is the type of its texels; `depth`, `arrayed`, `multisampled` and `storage` are its kind."""

    sampled: Type
    dim: str
    depth: bool
    arrayed: bool
    multisampled: bool
    storage: bool
    format: str
    words: int = 0


@record
class Sampler:
    """A sampler without a texture."""

    words: int = 0


@record
class SampledImage:
    """A texture with its sampler."""

    image: Image
    words: int = 0


@record(slots=False)
class Array:
    """`size` elements; 0 where the size is that of the memory. `stride` is in bytes, 0 where nothing says it."""

    element: Type
    size: int
    stride: int
    words: int


@record(slots=False)
class Struct:
    """Members in order; `id` finds their names and decorations."""

    members: tuple[Type, ...]
    id: int
    words: int


@record
class Pointer:
    """A pointer to a value of the type `target` (an id, because types may point to themselves)."""

    storage: str
    target: int
    words: int = 0


@record
class Function:
    """A function type; the ids of its result and parameters are in the functions themselves."""

    words: int = 0


Type: TypeAlias = Void | Bool | Int | Float | Vector | Matrix | Image | Sampler | SampledImage | Array | Struct | Pointer | Function


def parts(kind: Type) -> tuple[Type, ...]:
    """The types of the direct parts of a composite; none for a scalar."""
    match kind:
        case Vector() | Matrix():
            return (kind.element,) * kind.size
        case Array():
            return (kind.element,) * kind.size
        case Struct():
            return kind.members
    return ()


def part(kind: Type, index: int) -> tuple[Type, int]:
    """The type of one part, and the words before it. IndexError where it does not exist."""
    if isinstance(kind, Struct):
        if not 0 <= index < len(kind.members):
            raise IndexError(f"there is no member {index}")
        return kind.members[index], sum(item.words for item in kind.members[:index])
    if not isinstance(kind, Vector | Matrix | Array) or not 0 <= index < kind.size:
        raise IndexError(f"there is no part {index}")
    return kind.element, index * kind.element.words


def inner(kind: Type) -> Type:
    """The innermost element type of a nested array; other types are returned unchanged."""
    while isinstance(kind, Array):
        kind = kind.element
    return kind


def array_sizes(kind: Type) -> tuple[int, ...]:
    """Sizes of arrays of arrays, the outer one first; 0 for an array without an end. None for every other type."""
    sizes = []
    while isinstance(kind, Array):
        sizes.append(kind.size)
        kind = kind.element
    return tuple(sizes)


def elements(kind: Type) -> int:
    """The number of innermost elements of a nested array; 0 for an array without a fixed size, 1 for other types."""
    return prod(array_sizes(kind))


def scalar(kind: Type) -> Scalar:
    """The type of the scalars of a scalar, vector or matrix. TypeError for every other type."""
    while isinstance(kind, Vector | Matrix):
        kind = kind.element
    if not isinstance(kind, Bool | Int | Float):
        raise TypeError(f"{name(kind)} is not a scalar, vector or matrix")
    return kind


def is_wide(kind: Type) -> bool:
    """True for scalars and vectors of 64 bits."""
    return scalar(kind).words == 2


def components(kind: Type) -> int:
    """Number of scalars of a scalar or vector. TypeError for every other type."""
    if isinstance(kind, Vector):
        return kind.size
    if isinstance(kind, Bool | Int | Float):
        return 1
    raise TypeError(f"{name(kind)} is neither a scalar nor a vector")


def name(kind: Type) -> str:
    """The type as GLSL spells it, for messages and interfaces."""
    match kind:
        case Int():
            return ("int" if kind.signed else "uint") + "64_t" * (kind.width == 64)
        case Float():
            return "float" if kind.width == 32 else "double"
        case Vector():
            prefix = {"float": "", "double": "d", "int": "i", "uint": "u", "bool": "b", "int64_t": "i64", "uint64_t": "u64"}
            return f"{prefix[name(kind.element)]}vec{kind.size}"
        case Matrix():
            rows = kind.element.size
            prefix_ = "d" if kind.element.element.words == 2 else ""
            return f"{prefix_}mat{kind.size}" + f"x{rows}" * (rows != kind.size)
        case Array():
            return f"{name(kind.element)}[{kind.size or ''}]"
        case SampledImage():
            return _image(kind.image, "sampler", kind.image.depth)
        case Image():
            return _image(kind, "image" if kind.storage else "texture", False)
    return type(kind).__name__.lower()


def _image(kind: Image, word: str, shadow: bool) -> str:
    prefix = {"int": "i", "uint": "u"}.get(name(kind.sampled), "")
    dim = {"Cube": "Cube", "Rect": "2DRect", "Dim1D": "1D", "1D": "1D"}.get(kind.dim, kind.dim)
    return f"{prefix}{word}{dim}{'MS' * kind.multisampled}{'Array' * kind.arrayed}{'Shadow' * shadow}"
