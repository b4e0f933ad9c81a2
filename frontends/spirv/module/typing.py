"""Decoder of type instructions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from frontends.spirv.module.enumerants import name_of
from frontends.spirv.module.errors import Op, Sources
from frontends.spirv.module.types import (
    MAX_WORDS,
    Array,
    Bool,
    Float,
    Function,
    Image,
    Int,
    Matrix,
    Pointer,
    SampledImage,
    Sampler,
    Struct,
    Type,
    Vector,
    Void,
    name,
)
from tgsi.language.record import record

MAX_DEPTH = 64
"""Types inside of types."""


@record(frozen=False)
class Types:
    """The types of a module by id."""

    sources: Sources
    known: dict[int, Type] = field(default_factory=dict)
    depths: dict[int, int] = field(default_factory=dict)
    decorations: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    constant: Callable[[int, Op], int] | None = None

    def get(self, id: int, op: Op | None = None) -> Type:
        """The type of an id. Error M006 if the id is not a type."""
        kind = self.known.get(id)
        if kind is None:
            self.sources.fail("M006", f"the id {id} is not a type defined before", op)
        return kind

    def define(self, op: Op) -> None:
        """Read a type."""
        makers: dict[str, Callable[[Op], Type]] = {
            "OpTypeVoid": lambda op: Void(),
            "OpTypeBool": lambda op: Bool(),
            "OpTypeInt": self._int,
            "OpTypeFloat": self._float,
            "OpTypeVector": self._vector,
            "OpTypeMatrix": self._matrix,
            "OpTypeImage": self._image,
            "OpTypeSampler": lambda op: Sampler(),
            "OpTypeSampledImage": self._sampled,
            "OpTypeArray": self._array,
            "OpTypeRuntimeArray": self._runtime,
            "OpTypeStruct": self._struct,
            "OpTypePointer": lambda op: Pointer(name_of("StorageClass", op.id(0)), op.id(1)),
            "OpTypeFunction": lambda op: Function(),
            "OpTypeForwardPointer": lambda op: Void(),
        }
        make = makers.get(op.name)
        if make is None:
            self.sources.fail("M021", f"the type {op.name} is not supported", op)
        if op.name == "OpTypeForwardPointer":
            return
        depth = 0
        if op.name not in ("OpTypePointer", "OpTypeFunction"):
            depth = 1 + max((self.depths.get(x, 0) for x in op.operands if isinstance(x, int)), default=0)
        if depth > MAX_DEPTH:
            self.sources.fail("M023", f"types nest deeper than {MAX_DEPTH}", op)
        self.known[op.result] = make(op)
        self.depths[op.result] = depth

    def _int(self, op: Op) -> Type:
        if op.id(0) not in (32, 64):
            self.sources.fail("M021", f"integers of {op.id(0)} bits are not supported", op)
        return Int(op.id(0), bool(op.id(1)))

    def _float(self, op: Op) -> Type:
        if op.id(0) not in (32, 64):
            self.sources.fail("M021", f"floats of {op.id(0)} bits are not supported", op)
        return Float(op.id(0))

    def _vector(self, op: Op) -> Type:
        element = self.get(op.id(0), op)
        if not isinstance(element, Bool | Int | Float) or not 2 <= op.id(1) <= 4:
            self.sources.fail("M006", f"a vector has 2 to 4 scalars, not {op.id(1)} of type {name(element)}", op)
        return Vector(element, op.id(1))

    def _matrix(self, op: Op) -> Type:
        element = self.get(op.id(0), op)
        if not isinstance(element, Vector) or not isinstance(element.element, Float) or not 2 <= op.id(1) <= 4:
            self.sources.fail("M006", "a matrix has 2 to 4 columns, vectors of floats", op)
        return Matrix(element, op.id(1))

    def _image(self, op: Op) -> Type:
        return Image(
            sampled=self.get(op.id(0), op),
            dim=name_of("Dim", op.id(1)),
            depth=op.id(2) == 1,
            arrayed=bool(op.id(3)),
            multisampled=bool(op.id(4)),
            storage=op.id(5) == 2,
            format=name_of("ImageFormat", op.id(6)),
        )

    def _sampled(self, op: Op) -> Type:
        image = self.get(op.id(0), op)
        if not isinstance(image, Image):
            self.sources.fail("M006", f"{name(image)} is not an image", op)
        return SampledImage(image)

    def _stride(self, op: Op) -> int:
        return (self.decorations.get(op.result, {}).get("ArrayStride") or [0])[0]

    def _array(self, op: Op) -> Type:
        element = self.get(op.id(0), op)
        size = self.constant(op.id(1), op) if self.constant is not None else 0
        if size < 1:
            self.sources.fail("M006", "an array has at least one element", op)
        return Array(element, size, self._stride(op), min(max(element.words, 1) * size, MAX_WORDS))

    def _runtime(self, op: Op) -> Type:
        return Array(self.get(op.id(0), op), 0, self._stride(op), 0)

    def _struct(self, op: Op) -> Type:
        members = tuple(self.get(id, op) for id in op.ids())
        return Struct(members, op.result, min(sum(item.words for item in members), MAX_WORDS))
