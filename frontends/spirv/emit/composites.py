"""Variables, composites, vectors and matrices."""

from __future__ import annotations

from frontends.spirv.emit import chain, variables
from frontends.spirv.emit.code import Ref, Refs, immediate
from frontends.spirv.emit.memory import pick, put
from frontends.spirv.emit.places import Unit
from frontends.spirv.emit.registry import emits
from frontends.spirv.emit.state import Sampled, State, scalars
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import Image, Matrix, SampledImage, Sampler, Type, is_wide, name, part


@emits("Nop", "ModuleProcessed", "NoLine", "Label")
def _nothing(s: State, op: Op) -> None:
    pass


@emits("Variable")
def _variable(s: State, op: Op) -> None:
    if op.result in s.fixed:
        s.places[op.result] = s.fixed[op.result]
        return
    _, kind = variables.pointee(s, op)
    s.places[op.result] = place = variables.temporaries(s, kind, op)
    if len(op.operands) > 1:
        chain.store(s, place, s.value(op.id(1)), op)


@emits("AccessChain", "InBoundsAccessChain")
def _chain(s: State, op: Op) -> None:
    s.places[op.result] = chain.walk(s, chain.place_of(s, op.id(0), op), op.ids(1), op)


@emits("Load")
def _load(s: State, op: Op) -> None:
    place = chain.place_of(s, op.id(0), op)
    if isinstance(place, Unit):
        match place.kind:
            case SampledImage():
                s.sampled[op.result] = Sampled(image=place.kind.image, unit=place, texture=place.variable, sampler=place.variable)
            case Image():
                s.sampled[op.result] = Sampled(image=place.kind, unit=place, texture=place.variable)
            case Sampler():
                s.places[op.result] = place
            case _:
                s.fail("M021", f"a whole {name(place.kind)} is not loaded", op)
        return
    s.bind(op, chain.load(s, place, op))


@emits("Store")
def _store(s: State, op: Op) -> None:
    if op.id(0) in s.fixed:
        return
    chain.store(s, chain.place_of(s, op.id(0), op), s.value(op.id(1)), op)


@emits("CopyMemory")
def _copy_memory(s: State, op: Op) -> None:
    target, source = chain.place_of(s, op.id(0), op), chain.place_of(s, op.id(1), op)
    chain.store(s, target, chain.load(s, source, op), op)


def _path(kind: Type, indices: list[int]) -> tuple[Type, int]:
    first = 0
    for index in indices:
        kind, before = part(kind, index)
        first += before
    return kind, first


@emits("CompositeConstruct")
def _construct(s: State, op: Op) -> None:
    values = [s.value(id) for id in op.ids()]
    if sum(map(len, values)) != s.result(op).words:
        s.fail("M006", f"the parts do not make up a {name(s.result(op))}", op)
    s.bind(op, [ref for value in values for ref in value])


@emits("CompositeExtract")
def _extract(s: State, op: Op) -> None:
    kind, first = _path(s.kind(op.id(0)), op.ids(1))
    s.bind(op, s.value(op.id(0))[first : first + kind.words])


@emits("CompositeInsert")
def _insert(s: State, op: Op) -> None:
    kind, first = _path(s.result(op), op.ids(2))
    whole, new = s.value(op.id(1)), s.value(op.id(0))
    if len(new) != kind.words:
        s.fail("M006", f"the part is of type {name(kind)}", op)
    s.bind(op, [*whole[:first], *new, *whole[first + kind.words :]])


@emits("VectorShuffle")
def _shuffle(s: State, op: Op) -> None:
    step = 2 if is_wide(s.result(op)) else 1
    both = scalars([*s.value(op.id(0)), *s.value(op.id(1))], step)
    chosen = [both[index] if index != 0xFFFFFFFF else immediate(*(0,) * step) for index in op.ids(2)]
    s.bind(op, [ref for item in chosen for ref in item])


@emits("VectorExtractDynamic")
def _extract_dynamic(s: State, op: Op) -> None:
    s.bind(op, pick(s, s.value(op.id(0)), s.code.plain(s.value(op.id(1)))[0], s.result(op).words))


@emits("VectorInsertDynamic")
def _insert_dynamic(s: State, op: Op) -> None:
    s.bind(op, put(s, s.value(op.id(0)), s.code.plain(s.value(op.id(2)))[0], s.value(op.id(1))))


# vectors and matrices


def columns(s: State, id: int, op: Op) -> list[Refs]:
    """The columns of a matrix."""
    kind = s.kind(id)
    if not isinstance(kind, Matrix):
        s.fail("M006", f"{name(kind)} is not a matrix", op)
    return scalars(s.value(id), kind.element.words)


def multiply(s: State, a: Refs, b: Refs, wide: bool) -> list[Ref]:
    """Products of the scalars of two values."""
    return s.code.pairs("DMUL", a, b, precise=s.precise) if wide else s.code.lanes("MUL", a, b, precise=s.precise)


def multiply_add(s: State, a: Refs, b: Refs, c: Refs, wide: bool) -> list[Ref]:
    """a * b + c, rounded twice."""
    return s.code.pairs("DMAD", a, b, c, precise=s.precise) if wide else s.code.lanes("MAD", a, b, c, precise=s.precise)


def dot(s: State, a: Refs, b: Refs, wide: bool) -> list[Ref]:
    """The scalar product of two vectors."""
    if len(a) != len(b) or not a:
        raise ValueError("the vectors have different sizes")
    if not wide and len(a) > 1:
        return s.code.one(f"DP{len(a)}", s.code.packed(a, "float"), s.code.packed(b, "float"), precise=s.precise)
    step = 2 if wide else 1
    total = multiply(s, a[:step], b[:step], wide)
    for place in range(step, len(a), step):
        total = multiply_add(s, a[place : place + step], b[place : place + step], total, wide)
    return total


def transform(s: State, matrix: list[Refs], vector: Refs, wide: bool) -> list[Ref]:
    """A matrix times a vector."""
    rows = len(matrix[0]) // (2 if wide else 1)
    words = scalars(vector, 2 if wide else 1)
    if len(words) != len(matrix):
        raise ValueError("the vector does not fit the matrix")
    total: list[Ref] | None = None
    for column, word in zip(matrix, words, strict=True):
        spread = [ref for _ in range(rows) for ref in word]
        total = multiply(s, column, spread, wide) if total is None else multiply_add(s, column, spread, total, wide)
    assert total is not None
    return total


@emits("Dot")
def _dot(s: State, op: Op) -> None:
    s.bind(op, dot(s, s.value(op.id(0)), s.value(op.id(1)), is_wide(s.result(op))))


@emits("VectorTimesScalar", "MatrixTimesScalar")
def _scale(s: State, op: Op) -> None:
    wide = is_wide(s.result(op))
    value, factor = s.value(op.id(0)), s.value(op.id(1))
    parts_ = columns(s, op.id(0), op) if op.name == "OpMatrixTimesScalar" else [value]
    s.bind(op, [ref for item in parts_ for ref in multiply(s, item, factor * (len(item) // len(factor)), wide)])


@emits("MatrixTimesVector")
def _matrix_vector(s: State, op: Op) -> None:
    s.bind(op, transform(s, columns(s, op.id(0), op), s.value(op.id(1)), is_wide(s.result(op))))


@emits("VectorTimesMatrix")
def _vector_matrix(s: State, op: Op) -> None:
    wide = is_wide(s.result(op))
    vector = s.value(op.id(0))
    s.bind(op, [ref for column in columns(s, op.id(1), op) for ref in dot(s, vector, column, wide)])


@emits("MatrixTimesMatrix")
def _matrix_matrix(s: State, op: Op) -> None:
    left, wide = columns(s, op.id(0), op), is_wide(s.result(op))
    s.bind(op, [ref for column in columns(s, op.id(1), op) for ref in transform(s, left, column, wide)])


@emits("OuterProduct")
def _outer(s: State, op: Op) -> None:
    wide = is_wide(s.result(op))
    left, right = s.value(op.id(0)), scalars(s.value(op.id(1)), 2 if wide else 1)
    rows = len(left) // (2 if wide else 1)
    s.bind(op, [ref for word in right for ref in multiply(s, left, [*word] * rows, wide)])


def transposed(matrix: list[Refs], step: int) -> list[Ref]:
    """The words of a matrix with rows and columns exchanged."""
    split = [scalars(column, step) for column in matrix]
    return [ref for row in range(len(split[0])) for column in split for ref in column[row]]


@emits("Transpose")
def _transpose(s: State, op: Op) -> None:
    s.bind(op, transposed(columns(s, op.id(0), op), 2 if is_wide(s.result(op)) else 1))


@emits("ArrayLength")
def _array_length(s: State, op: Op) -> None:
    from frontends.spirv.emit.memory import array_stride, member_offset, resource
    from frontends.spirv.emit.places import Memory
    from frontends.spirv.module.types import Array, Struct
    from tgsi.language.ir import MemoryAccess, SrcOperand

    place = chain.place_of(s, op.id(0), op)
    kind = place.kind
    if not isinstance(place, Memory) or not isinstance(kind, Struct):
        s.fail("M006", "the length is that of an array in a block of memory", op)
    member = kind.members[op.id(1)]
    if not isinstance(member, Array):
        s.fail("M006", "the member is not an array", op)
    length = s.code.new(1)
    from frontends.spirv.emit.code import destination

    s.code.emit("RESQ", destination(length), SrcOperand(resource(s, place)), memory=MemoryAccess())
    rest = s.code.lanes("UADD", length, immediate(-member_offset(s, kind, op.id(1))))
    s.bind(op, s.code.lanes("UDIV", rest, immediate(array_stride(member))))
