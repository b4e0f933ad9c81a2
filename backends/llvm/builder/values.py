"""Values, variables and loops of a kernel under construction."""

from __future__ import annotations

from typing import Protocol

from backends.llvm.builder.types import BOOL, F32, F64, I32, I64, PTR, Type, reinterpreted


class Writer(Protocol):
    """The methods of a `Function` that values, variables and loops call to write their code."""

    slow: list[Val]
    variables: list[Var]

    @property
    def has_word_masks(self) -> bool:
        """True if lane masks are computed as words; see `mask_of`."""

    def const(self, type: Type, x: Val | float) -> Val:
        """Constant of `type` from a number; a scalar value is splatted to the lanes of `type`."""

    def same(self, a: Val | float, b: Val | float) -> tuple[Val, Val]:
        """Both operands as values of one type. TypeError without a common type."""

    def pure(self, type: Type, text: str) -> Val:
        """Result of an instruction without effects, which is written at most once."""

    def emit(self, type: Type, text: str) -> Val:
        """Write an instruction and name its result."""

    def line(self, text: str) -> None:
        """Write an instruction that has no result."""

    def alloca(self, type: str, align: int = 64) -> Val:
        """Stack memory of the LLVM type named `type`."""

    def label(self) -> str:
        """A new block label."""

    def branch(self, cond: Val, yes: str, no: str) -> None:
        """Jump to one of two labels by a scalar condition."""

    def place(self, label: str, *, follows: bool = False) -> None:
        """Start the block `label`. `follows`: all available values are from blocks that dominate it."""


class Val:
    """A value at the run time of the kernel.

    Operators write instructions. A scalar is splatted if the other operand is a vector, and a Python number becomes a constant of the
    other operand's type; any other mixture of types is a TypeError. The operators <, <=, > and >= compare as signed; `ult`, `ule`, `ugt`
    and `uge` compare as unsigned. Equality is `eq` and `ne`, so that Python's == remains identity of objects.
    """

    __slots__ = ("f", "floored", "is_usual", "name", "number", "truth", "type", "words")

    def __init__(self, f: Writer, type: Type, name: str, number: float | None = None) -> None:
        """`number`: the known value of every lane, for constants."""
        self.f, self.type, self.name, self.number = f, type, name, number
        self.floored: Val | None = None  # with `rounding.DENORMAL_GUARD` for smaller values, for sums that do not change
        self.is_usual = False  # rarely denormal: products need no guard against slow factors
        self.words: Val | None = None  # of a lane mask: the i32 lanes of all ones or 0 whose signs it is
        self.truth: Val | None = None  # the i1 lanes whose sign extension this value is, if known

    def __str__(self) -> str:
        return f"{self.type.text} {self.name}"

    def __repr__(self) -> str:
        return f"Val({self})"

    def __bool__(self) -> bool:
        raise TypeError("a staged value has no truth value while the kernel is being built")

    @property
    def lanes(self) -> int:
        """Number of lanes; 1 for a scalar."""
        return self.type.lanes

    # -- arithmetic -------------------------------------------------------------------------------------------------
    def _binary(self, other: Val | float, fop: str, iop: str, swap: bool = False) -> Val:
        a, b = self.f.same(self, other)
        if swap:
            a, b = b, a
        op = fop if a.type.kind == "f" else iop
        if not op:
            raise TypeError(f"no such operation on {a.type}")
        if is_word_mask(a):
            return mask_of(self.f.pure(I32.wide(a.type.lanes), f"{op} {words_of(a)}, {words_of(b).name}"))
        result = self.f.pure(a.type, f"{op} {a}, {b.name}")
        if op == "fdiv":
            self.f.slow.append(result)
        return result

    def __add__(self, o: Val | float) -> Val:
        return self._binary(o, "fadd", "add")

    def __sub__(self, o: Val | float) -> Val:
        return self._binary(o, "fsub", "sub")

    def __mul__(self, o: Val | float) -> Val:
        return self._binary(o, "fmul", "mul")

    def __truediv__(self, o: Val | float) -> Val:
        return self._binary(o, "fdiv", "")

    def __rsub__(self, o: float) -> Val:
        return self._binary(o, "fsub", "sub", swap=True)

    def __rtruediv__(self, o: float) -> Val:
        return self._binary(o, "fdiv", "", swap=True)

    def __and__(self, o: Val | int) -> Val:
        return self._binary(o, "", "and")

    def __or__(self, o: Val | int) -> Val:
        return self._binary(o, "", "or")

    def __xor__(self, o: Val | int) -> Val:
        return self._binary(o, "", "xor")

    def __lshift__(self, o: Val | int) -> Val:
        return self._binary(o, "", "shl")

    def __rshift__(self, o: Val | int) -> Val:
        """Arithmetic shift to the right. Counts must be below the width of an element."""
        return self._binary(o, "", "ashr")

    def lshr(self, o: Val | int) -> Val:
        """Logical shift to the right. Counts must be below the width of an element."""
        return self._binary(o, "", "lshr")

    def udiv(self, o: Val | int) -> Val:
        """Unsigned division; the divisor must not be 0 in any lane."""
        return self._binary(o, "", "udiv")

    def urem(self, o: Val | int) -> Val:
        """Unsigned remainder; the divisor must not be 0 in any lane."""
        return self._binary(o, "", "urem")

    def sdiv(self, o: Val | int) -> Val:
        """Signed division; no lane may divide by 0 or the least integer by -1."""
        return self._binary(o, "", "sdiv")

    def __neg__(self) -> Val:
        """Difference 0 - x. For the float +0 it is +0, so the sign bit is not flipped; `f.neg_bits` flips it."""
        return self.__rsub__(0)

    def __invert__(self) -> Val:
        return self ^ -1

    __radd__, __rmul__, __rand__, __ror__ = __add__, __mul__, __and__, __or__

    # -- comparison -------------------------------------------------------------------------------------------------
    def _compare(self, other: Val | float, fop: str, iop: str) -> Val:
        a, b = self.f.same(self, other)
        op = f"fcmp {fop}" if a.type.kind == "f" else f"icmp {iop}"
        if op == "fcmp ":
            raise TypeError(f"no such comparison on {a.type}")
        return self.f.pure(BOOL.wide(a.type.lanes), f"{op} {a}, {b.name}")

    def __lt__(self, o: Val | float) -> Val:
        return self._compare(o, "olt", "slt")

    def __le__(self, o: Val | float) -> Val:
        return self._compare(o, "ole", "sle")

    def __gt__(self, o: Val | float) -> Val:
        return self._compare(o, "ogt", "sgt")

    def __ge__(self, o: Val | float) -> Val:
        return self._compare(o, "oge", "sge")

    def eq(self, o: Val | float) -> Val:
        """Equal; false for NaN."""
        return self._compare(o, "oeq", "eq")

    def ne(self, o: Val | float) -> Val:
        """Not equal; true for NaN."""
        return self._compare(o, "une", "ne")

    def ult(self, o: Val | int) -> Val:
        """Unsigned <."""
        return self._compare(o, "", "ult")

    def ule(self, o: Val | int) -> Val:
        """Unsigned <=."""
        return self._compare(o, "", "ule")

    def ugt(self, o: Val | int) -> Val:
        """Unsigned >."""
        return self._compare(o, "", "ugt")

    def uge(self, o: Val | int) -> Val:
        """Unsigned >=."""
        return self._compare(o, "", "uge")

    # -- conversion -------------------------------------------------------------------------------------------------
    def cast(self, op: str, to: Type) -> Val:
        """LLVM conversion `op` to the element type of `to`; the number of lanes stays."""
        to = to.wide(self.type.lanes)
        return self if to == self.type else self.f.pure(to, f"{op} {self} to {to}")

    def bits_as(self, to: Type) -> Val:
        """Bits of this value as the type `to` (LLVM's bitcast); the lanes may differ in number and width."""
        if to == self.type:
            return self
        if self.number is not None and to.lanes == self.type.lanes:
            known = reinterpreted(self.type, self.number, to)
            if known is not None:
                return self.f.const(to, known)
        result = self.f.pure(to, f"bitcast {self} to {to}")
        if to.lanes == self.type.lanes:
            result.truth = self.truth
        return result

    def to_float(self) -> Val:
        """Signed integer to f32, rounded to nearest."""
        return self.cast("sitofp", F32)

    def to_double(self) -> Val:
        """Signed integer or f32 to f64."""
        return self.cast("sitofp" if self.type.kind == "i" else "fpext", F64)

    def sext(self, to: Type) -> Val:
        """Sign-extend to the element type of `to`."""
        result = self.words if self.words is not None and to.bits == 32 else self.cast("sext", to)
        if self.type.bits == 1 and result is not self:
            result.truth = self
        return result

    def zext(self, to: Type) -> Val:
        """Zero-extend to the element type of `to`."""
        return self.cast("zext", to)

    def trunc(self, to: Type) -> Val:
        """Keep the low bits that the element type of `to` holds."""
        return self.cast("trunc", to)

    def as_pointer(self) -> Val:
        """An i64 address as a pointer."""
        return self.cast("inttoptr", PTR)

    def as_address(self) -> Val:
        """A pointer as an i64 address."""
        return self.cast("ptrtoint", I64)

    def as_int(self) -> Val:
        """The bits as i32 lanes."""
        return self.bits_as(I32.wide(self.type.lanes))

    def as_float(self) -> Val:
        """The bits as f32 lanes."""
        return self.bits_as(F32.wide(self.type.lanes))

    def __getitem__(self, lane: int) -> Val:
        return self.f.pure(self.type.wide(1), f"extractelement {self}, i32 {lane}")


def is_word_mask(value: Val) -> bool:
    """True for a lane mask of a function that computes with masks as words."""
    return value.type.bits == 1 and value.type.lanes > 1 and value.f.has_word_masks


def mask_of(words: Val) -> Val:
    """Lane mask from i32 lanes that are all ones or 0; these stay available as `Val.words`.

    AVX2 has no registers for lanes of one bit: LLVM would pack them to bytes for every operation, and unpack the results.
    """
    result = words < 0
    result.words = words
    return result


def words_of(mask: Val) -> Val:
    """The i32 lanes, all ones or 0, of a lane mask."""
    if mask.words is not None:
        return mask.words
    if mask.number is not None:
        return mask.f.const(I32.wide(mask.type.lanes), -1 if int(mask.number) & 1 else 0)
    return mask.sext(I32)


class Var:
    """A mutable variable: an alloca that LLVM's SROA turns into SSA values."""

    __slots__ = ("f", "slot", "type")

    def __init__(self, f: Writer, type: Type, *, crosses: bool = True) -> None:
        """crosses: the value is kept across barriers."""
        self.f, self.type = f, type
        self.slot = f.alloca(str(type))
        if crosses:
            f.variables.append(self)

    def get(self) -> Val:
        """Current value."""
        return self.f.emit(self.type, f"load {self.type}, ptr {self.slot.name}")

    def set(self, value: Val | float) -> None:
        """Assign a value; a number or a scalar is splatted."""
        stored = self.f.const(self.type, value)
        if stored.type != self.type:
            raise TypeError(f"a variable of type {self.type} is assigned {stored.type}")
        self.f.line(f"store {stored}, ptr {self.slot.name}")

    def add(self, value: Val | float) -> None:
        """Add `value`."""
        self.set(self.get() + value)


class Loop:
    """An endless loop under construction; `break_if` and `continue_if` take scalar conditions."""

    def __init__(self, f: Writer) -> None:
        self.f, self.head, self.end = f, f.label(), f.label()

    def break_if(self, cond: Val) -> None:
        """Leave the loop where `cond` is true."""
        go_on = self.f.label()
        self.f.branch(cond, self.end, go_on)
        self.f.place(go_on, follows=True)

    def continue_if(self, cond: Val) -> None:
        """Start the next round where `cond` is true."""
        go_on = self.f.label()
        self.f.branch(cond, self.head, go_on)
        self.f.place(go_on, follows=True)
