"""Modules that glslang made of HLSL, with the arithmetic of HLSL.

- Remainders have the sign of the dividend: FMod and SMod become FRem and SRem.
- `ldexp` takes a float: a product with a power of 2 in place of Ldexp.
- `mad` of whole numbers is a product and a sum, not Fma.
- `*` of two matrices multiplies component by component.
- Whole numbers and bools that become columns of a matrix are converted.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from frontends.glsl.hlsl.tree import Product
from frontends.spirv.module.grammar import ROWS

_HEADER = 5
_NAME, _IMPORT, _EXTENDED, _ENTRY, _BOOL, _INT, _FLOAT, _VECTOR, _MATRIX = 5, 11, 12, 15, 20, 21, 22, 23, 24
_CONSTANT, _CONSTANT_COMPOSITE, _FUNCTION = 43, 44, 54
_CONSTRUCT, _EXTRACT, _S_TO_F, _U_TO_F, _I_ADD, _I_MUL, _F_MUL, _SELECT = 80, 81, 111, 112, 128, 132, 133, 169
_TIMES, _DECORATE, _NO_CONTRACTION = 146, 71, 42
_RENAMED = {141: 140, 139: 138}
"""FMod and SMod -> FRem and SRem."""
_EXP2, _INVERSE, _FMA, _LDEXP = 29, 34, 50, 53


def string(words: Sequence[int]) -> str:
    """The string that begins at the first of some words."""
    return struct.pack(f"<{len(words)}I", *words).split(b"\0")[0].decode("utf-8", "replace")


def instructions(words: Sequence[int]) -> list[list[int]]:
    """The instructions of a module of glslang: number, then operands."""
    made = []
    at = _HEADER
    while at < len(words):
        count = max(words[at] >> 16, 1)
        made.append([words[at] & 0xFFFF, *words[at + 1 : at + count]])
        at += count
    return made


def assemble(header: Sequence[int], items: Sequence[Sequence[int]], bound: int) -> bytes:
    """A module of instructions."""
    words = [*header[:3], bound, *header[4:_HEADER]]
    for item in items:
        words += [len(item) << 16 | item[0], *item[1:]]
    return struct.pack(f"<{len(words)}I", *words)


def mend_module(module: bytes, products: Mapping[str, Sequence[Product]]) -> tuple[bytes, list[str]]:
    """A module with HLSL's arithmetic, and errors as glslang writes them.

    Args:
        module: a module of glslang.
        products: products with matrices by function, in order (`tree.products`).
    """
    words = struct.unpack(f"<{len(module) // 4}I", module)
    mender = _Mender(instructions(words), words[3], products)
    items = mender.run()
    return assemble(words, items, mender.bound), mender.errors


def whole_matrix_error(name: str) -> str:
    """The error for a type of matrices of whole numbers or bools."""
    return f"ERROR: '{name}' : glslang has no matrices of whole numbers; use matrices of floats, or vectors"


class _Mender:
    def __init__(self, items: list[list[int]], bound: int, products: Mapping[str, Sequence[Product]]) -> None:
        self.items = items
        self.bound = bound
        self.errors: list[str] = []
        self.products = products
        self.types: dict[int, list[int]] = {}  # id of a type -> its instruction
        self.type_of: dict[int, int] = {}
        self.names: dict[int, str] = {}
        self.library = self.entry = 0
        self.globals: list[list[int]] = []
        self.decorations: list[list[int]] = []
        self.body: list[list[int]] = []
        self.waiting: list[Product] = []
        self.exact = {item[1] for item in items if item[0] == _DECORATE and item[2:] == [_NO_CONTRACTION]}
        for item in items:
            row = ROWS.get(item[0])
            if item[0] in (_BOOL, _INT, _FLOAT, _VECTOR, _MATRIX):
                self.types[item[1]] = item
                self._check(item)
            elif item[0] == _NAME:
                self.names[item[1]] = string(item[2:])
            elif item[0] == _IMPORT:
                self.library = item[1]
            elif item[0] == _ENTRY:
                self.entry = item[2]
            elif row is not None and row.has_type and row.has_result:
                self.type_of[item[2]] = item[1]

    def _check(self, item: list[int]) -> None:
        """Report a matrix type that SPIR-V does not have."""
        kind, size = self._shape(item[2]) if item[0] == _MATRIX else (_FLOAT, 0)
        if kind != _FLOAT:
            name = "bool" if kind == _BOOL else "int" if self.types[self.types[item[2]][2]][3] else "uint"
            self.errors.append(whole_matrix_error(f"{name}{item[3]}x{size}"))

    def run(self) -> list[list[int]]:
        """All instructions, mended."""
        head: list[list[int]] = []
        for item in self.items:
            if item[0] == _FUNCTION:
                self._finish()
                name = "main" if item[2] == self.entry else self.names.get(item[2], "")
                self.waiting = [product for product in self.products.get(name, ()) if product.is_matrix]
            (self._mend if self.body or item[0] == _FUNCTION else head.append)(item)
        self._finish()
        last = max((place for place, item in enumerate(head) if item[0] == _DECORATE), default=-1) + 1
        return [*head[:last], *self.decorations, *head[last:], *self.globals, *self.body]

    def _finish(self) -> None:
        """At the end of a function, report products of the tree that have no instruction."""
        for product in self.waiting[:1]:
            if any(item.is_componentwise for item in self.waiting):
                self.errors.append(
                    f"ERROR: stdin:{product.line}: '*' : glslang does not show which product of matrices this is; write it by rows"
                )
        self.waiting = []

    def _id(self) -> int:
        self.bound += 1
        return self.bound - 1

    def _op(self, number: int, type: int, *operands: int) -> int:
        result = self._id()
        self.body.append([number, type, result, *operands])
        self.type_of[result] = type
        return result

    def _shape(self, type: int) -> tuple[int, int]:
        """Instruction of the scalar type, and number of scalars; None for types other than scalars and vectors."""
        item = self.types.get(type, [0])
        if item[0] == _VECTOR:
            return self.types[item[2]][0], item[3]
        return (item[0], 1) if item[0] in (_BOOL, _INT, _FLOAT) else (0, 0)

    def _mend(self, item: list[int]) -> None:
        number = item[0]
        if number in _RENAMED:
            self.body.append([_RENAMED[number], *item[1:]])
        elif number == _EXTENDED and item[3] == self.library:
            self._function(item)
        elif number == _CONSTRUCT and self._shape(item[1])[0] == _FLOAT:
            self.body.append([*item[:3], *(self._as_float(part, item[1]) for part in item[3:])])
        elif number == _TIMES:
            self._product(item)
        else:
            self.body.append(item)

    def _function(self, item: list[int]) -> None:
        """Translate a function of GLSL.std.450; functions of matrices are applied column by column."""
        _, type, result, _, function, *operands = item
        if self.types.get(type, [0])[0] == _MATRIX and function != _INVERSE:
            column, count = self.types[type][2:4]
            columns = []
            for place in range(count):
                columns.append(self._id())
                self.type_of[columns[-1]] = column
                parts = [self._op(_EXTRACT, column, id, place) if self.type_of.get(id) == type else id for id in operands]
                self._function([_EXTENDED, column, columns[-1], self.library, function, *parts])
            self.body.append([_CONSTRUCT, type, result, *columns])
        elif function == _LDEXP and self._shape(self.type_of.get(operands[1], 0))[0] == _FLOAT:
            power = self._op(_EXTENDED, self.type_of[operands[1]], self.library, _EXP2, operands[1])
            self.body.append([_F_MUL, type, result, operands[0], power])
        elif function == _FMA and self._shape(type)[0] == _INT:
            self.body.append([_I_ADD, type, result, self._op(_I_MUL, type, *operands[:2]), operands[2]])
        else:
            self.body.append(item)

    def _product(self, item: list[int]) -> None:
        """A product of two matrices: that of `mul`, or that of `*`."""
        product = self.waiting.pop(0) if self.waiting else None
        if product is None and any(any(one.is_componentwise for one in some) for some in self.products.values()):
            self.errors.append("ERROR: '*' : glslang does not show which products of matrices are `*`; write them by rows")
        if product is None or not product.is_componentwise:
            self.body.append(item)
            return
        type = item[1]
        if any(self.type_of.get(matrix) != type for matrix in item[3:5]):
            self.errors.append(
                f"ERROR: stdin:{product.line}: '*' : the matrices of a product have different sizes; cast one of them, or write mul"
            )
            return
        column, count = self.types[type][2:4]
        columns = []
        for place in range(count):
            a, b = (self._op(_EXTRACT, column, matrix, place) for matrix in item[3:5])
            columns.append(self._op(_F_MUL, column, a, b))
        if item[2] in self.exact:
            self.decorations += [[_DECORATE, id, _NO_CONTRACTION] for id in columns]
        self.body.append([_CONSTRUCT, type, item[2], *columns])

    def _as_float(self, value: int, wanted: int) -> int:
        """A scalar or vector as floats of the scalar type of `wanted`."""
        type = self.type_of.get(value, 0)
        kind, count = self._shape(type)
        if kind not in (_INT, _BOOL):
            return value
        scalar = self.types[wanted][2] if self.types[wanted][0] == _VECTOR else wanted
        target = scalar if count == 1 else self._vector(scalar, count)
        if kind == _BOOL:
            return self._op(_SELECT, target, value, self._number(scalar, target, count, 1.0), self._number(scalar, target, count, 0.0))
        whole = self.types[type] if count == 1 else self.types[self.types[type][2]]
        return self._op(_S_TO_F if whole[3] else _U_TO_F, target, value)

    def _vector(self, scalar: int, count: int) -> int:
        known = next((id for id, item in self.types.items() if item[0] == _VECTOR and item[2:] == [scalar, count]), None)
        if known is None:
            known = self._id()
            self.types[known] = [_VECTOR, known, scalar, count]
            self.globals.append(self.types[known])
        return known

    def _number(self, scalar: int, target: int, count: int, value: float) -> int:
        width = self.types[scalar][2]
        words = struct.unpack("<2I", struct.pack("<d", value)) if width == 64 else struct.unpack("<I", struct.pack("<f", value))
        one = self._id()
        self.globals.append([_CONSTANT, scalar, one, *words])
        if count == 1:
            return one
        all_equal = self._id()
        self.globals.append([_CONSTANT_COMPOSITE, target, all_equal, *[one] * count])
        return all_equal
