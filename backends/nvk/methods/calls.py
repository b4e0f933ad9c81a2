"""Calls: one method with the values of its fields, checked when it is made, and the word of each call."""

from __future__ import annotations

from backends.nvk.methods.table import METHODS, Method, MethodError
from tgsi.language.record import record


@record
class Call:
    """A method with a value for each field, in the order of the table. `copy` is the number of the copy, 0 for single methods.

    Raises:
        MethodError: the method or the copy does not exist, or a value does not fit its field; the message gives the width.
    """

    name: str
    values: tuple[int, ...]
    copy: int = 0

    def __post_init__(self) -> None:
        method = self.method
        if not 0 <= self.copy < method.copies:
            raise MethodError(f"{self.name}({self.copy}): the copies are 0 .. {method.copies - 1}")
        if len(self.values) != len(method.fields):
            raise MethodError(f"{self.name}: {len(self.values)} values for {len(method.fields)} fields")
        for field, value in zip(method.fields, self.values):
            if not 0 <= value <= field.most:
                bits = "1 bit" if field.width == 1 else f"{field.width} bits"
                raise MethodError(f"{self.name}.{field.name}: {value} does not fit into {bits} (0 .. {field.most})")
            if field.values is not None and value not in field.values.__members__.values():
                names = ", ".join(f"{item.value} {item.name}" for item in field.values)
                raise MethodError(f"{self.name}.{field.name}: {value} is not a value of this field of {field.width} bits ({names})")

    @property
    def method(self) -> Method:
        """Row of the table."""
        if self.name not in METHODS:
            raise MethodError(f"method {self.name} is not known; those known are {', '.join(METHODS)}")
        return METHODS[self.name]

    @property
    def address(self) -> int:
        """Byte address of the method."""
        return self.method.address + self.copy * self.method.stride

    @property
    def word(self) -> int:
        """The 32-bit word: every field at its bits."""
        return sum(int(value) << field.low for field, value in zip(self.method.fields, self.values))

    @property
    def fields(self) -> dict[str, int]:
        """Value of each field by its name."""
        return {field.name: int(value) for field, value in zip(self.method.fields, self.values)}

    def __getitem__(self, field: str) -> int:
        return self.values[self.method.fields.index(self.method.field(field))]


def call(name: str, copy: int = 0, **fields: int) -> Call:
    """A call with its fields by name. Every field of the method must be given.

    Raises:
        MethodError: as `Call`; or a field is missing, or the method does not have it.
    """
    method = METHODS.get(name)
    if method is None:
        return Call(name, (), copy)  # which raises
    for named in fields:
        method.field(named)
    missing = [field.name for field in method.fields if field.name not in fields]
    if missing:
        raise MethodError(f"{name}: no value for {', '.join(missing)}")
    return Call(name, tuple(int(fields[field.name]) for field in method.fields), copy)


def call_of_word(method: Method, copy: int, word: int) -> Call:
    """The call whose word is `word`. Raises MethodError if a bit outside of all fields is set, or a value is not allowed in its field."""
    values = tuple(word >> field.low & field.most for field in method.fields)
    decoded = Call(method.name, values, copy)
    if rest := word & ~decoded.word:
        raise MethodError(f"{method.name}: word 0x{word:08x} sets bits 0x{rest:08x}, which belong to no field")
    return decoded
