"""Operations of a function under construction: constants, vectors, calls, memory and loops. Each writes LLVM instructions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from backends.llvm.builder.blocks import Blocks
from backends.llvm.builder.module import Module, returned
from backends.llvm.builder.types import BOOL, F32, I32, I64, PTR, Type, constant_text, element_text
from backends.llvm.builder.values import Loop, Val, Var, is_word_mask, mask_of, words_of


class Operations(Blocks):
    """Basic operations of a function. `Function` adds operations composed of these."""

    def __init__(self, module: Module) -> None:
        """`module` takes the declarations and constants that the operations need."""
        super().__init__(module.stack_space)
        self.module = module
        self.variables: list[Var] = []
        self.args: list[Val] = []
        self._hidden: dict[float, Val] = {}
        self._lane_memory: dict[tuple[str, Type], Val] = {}
        self.placed = "", ""  # block and name of the offsets in the memory of `scalarize`
        self.written_lanes = 0  # lanes of unrolled gathers and scatters; see `scalarize.is_better`

    @property
    def has_word_masks(self) -> bool:
        """True if lane masks are computed as words; see `values.mask_of`."""
        return self.module.has_word_masks

    @abstractmethod
    def helper(self, name: str, params: Sequence[Type]) -> Operations:
        """Start an internal function of the module, without a result."""

    def value(self, type: Type, name: str) -> Val:
        """Value with a given LLVM name."""
        return Val(self, type, name)

    def ret(self, value: Val | None = None) -> None:
        """Return."""
        self.line(f"ret {value}" if value is not None else "ret void")

    def ret_many(self, values: Sequence[Val]) -> None:
        """Return several values."""
        types = [value.type for value in values]
        whole = "zeroinitializer"
        for number, value in enumerate(values):
            name = self.fresh()
            self.line(f"{name} = insertvalue {returned(types)} {whole}, {value}, {number}")
            whole = name
        self.line(f"ret {returned(types)} {whole}")

    # -- values -----------------------------------------------------------------------------------------------------
    def const(self, type: Type, x: Val | float) -> Val:
        """Constant of `type` from a number. A Val is returned unchanged, or splatted to the lanes of `type` if it is a scalar."""
        if isinstance(x, Val):
            return self.splat(x, type.lanes) if x.type.lanes == 1 < type.lanes else x
        return Val(self, type, constant_text(type, x), x)

    def lanes_const(self, type: Type, values: Sequence[float]) -> Val:
        """Constant vector with one number for each lane."""
        one = type.wide(1)
        return Val(self, type, "<" + ", ".join(f"{one} {element_text(one, v)}" for v in values) + ">")

    def word(self, bits: int, lanes: int = 1) -> Val:
        """The 32-bit word `bits` as f32 lanes, bit for bit (signalling NaN included)."""
        return self.const(I32.wide(lanes), bits).as_float()

    def hidden(self, x: float) -> Val:
        """Scalar f32 constant that LLVM treats as a variable and cannot fold; loaded once per function."""
        if x not in self._hidden:
            name = self.fresh()
            table = self.module.constant(f"hidden_{element_text(F32, x)}", F32, [x])
            self.entry.append(f"  {name} = load float, ptr {table}, align 4")
            self._hidden[x] = Val(self, F32, name)
        return self._hidden[x]

    def lane_memory(self, use: str, type: Type) -> Val:
        """Stack memory for a value of `type`.

        Requests with the same `use` share it, so each overwrites the contents of the previous one.
        """
        key = use, type
        if key not in self._lane_memory:
            self._lane_memory[key] = self.alloca(str(type))
        return self._lane_memory[key]

    def splat(self, x: Val, lanes: int) -> Val:
        """Vector with the scalar `x` in every lane; a vector of `lanes` lanes is returned unchanged."""
        if x.type.lanes == lanes:
            return x
        if x.type.lanes != 1:
            raise TypeError(f"{x.type} cannot be splatted to {lanes} lanes")
        t = x.type.wide(lanes)
        if x.number is not None:
            return self.const(t, x.number)
        first = self.pure(t, f"insertelement {t} zeroinitializer, {x}, i32 0")
        return self.shuffle(first, first, [0] * lanes)

    def same(self, a: Val | float, b: Val | float) -> tuple[Val, Val]:
        """Both operands as values of one type: numbers become constants, scalars are splatted. TypeError for other mixtures."""
        if isinstance(a, Val):
            va = a
            vb = b if isinstance(b, Val) else self.const(a.type, b)
            if va.type is vb.type:
                return va, vb
        elif isinstance(b, Val):
            va, vb = self.const(b.type, a), b
        else:
            raise TypeError("at least one operand must be a staged value")
        lanes = max(va.type.lanes, vb.type.lanes)
        va, vb = self.splat(va, lanes), self.splat(vb, lanes)
        if va.type != vb.type:
            raise TypeError(f"{va.type} meets {vb.type}")
        return va, vb

    def shuffle(self, a: Val, b: Val, index: Sequence[int]) -> Val:
        """Lanes of the concatenation of `a` and `b`, picked by constant indices."""
        if is_word_mask(a):
            return mask_of(self.shuffle(words_of(a), words_of(b), index))
        picks = ", ".join(f"i32 {i}" for i in index)
        return self.pure(a.type.wide(len(index)), f"shufflevector {a}, {b}, <{len(index)} x i32> <{picks}>")

    def concat(self, parts: Sequence[Val]) -> Val:
        """Concatenate vectors; their number must be a power of two."""
        while len(parts) > 1:
            n = parts[0].type.lanes
            parts = [self.shuffle(parts[i], parts[i + 1], range(2 * n)) for i in range(0, len(parts), 2)]
        return parts[0]

    def insert(self, vector: Val, x: Val, lane: int) -> Val:
        """`vector` with one lane replaced by the scalar `x`."""
        return self.pure(vector.type, f"insertelement {vector}, {x}, i32 {lane}")

    def select(self, c: Val, a: Val | float, b: Val | float) -> Val:
        """Select `a` in lanes where `c` is true, otherwise `b`. A scalar condition with vector arms selects a whole arm."""
        x, y = self.same(a, b)
        lanes = max(c.type.lanes, x.type.lanes)
        if c.type.lanes > 1:
            x, y = self.splat(x, lanes), self.splat(y, lanes)
            if is_word_mask(x):
                return mask_of(self.select(c, words_of(x), words_of(y)))
            if c.words is not None:
                return self._select_by_words(c.words, x, y)
        return self.pure(x.type, f"select {c}, {x}, {y}")

    def _select_by_words(self, words: Val, x: Val, y: Val) -> Val:
        """Select by the signs of `words`, compared again next to each select, because LLVM turns one-bit lanes that cross a block into
        bytes.

        Zeros come from an AND with the words."""
        if y.number is not None and x.type.bits == 32 and element_text(y.type.wide(1), y.number) == element_text(y.type.wide(1), 0):
            return (x.bits_as(words.type) & words).bits_as(x.type)
        text = f"select by {words}, {x}, {y}"
        result = self.computed(text)
        if result is None:
            here = self.emit(BOOL.wide(words.type.lanes), f"icmp slt {words}, {self.const(words.type, 0).name}")
            result = self.emit(x.type, f"select {here}, {x}, {y}")
            self.remember(text, result)
        return result

    def min(self, a: Val | float, b: Val | float) -> Val:
        """a < b ? a : b (signed; NaN gives `b`)."""
        x, y = self.same(a, b)
        return self.select(x < y, x, y)

    def max(self, a: Val | float, b: Val | float) -> Val:
        """a > b ? a : b (signed; NaN gives `b`)."""
        x, y = self.same(a, b)
        return self.select(x > y, x, y)

    def _call(self, returns: Type | None, target: str, args: Sequence[Val]) -> Val | None:
        text = f"call {returns or 'void'} {target}({', '.join(map(str, args))})"
        if returns is not None:
            return self.emit(returns, text)
        self.line(text)
        return None

    def call(self, returns: Type | None, name: str, *args: Val) -> Val:
        """Call a function by name, and declare it.

        Allowed functions outside of the module are `engine.linking.ALLOWED_SYMBOLS` and shared functions.

        The result of a void call must not be used.
        """
        self.module.declare(returns, name, ", ".join(str(a.type) for a in args))
        result = self._call(returns, f"@{name}", args)
        return result if result is not None else Val(self, Type("i", 0), "void")

    def call_many(self, returns: Sequence[Type], name: str, *args: Val) -> list[Val]:
        """Call a function that returns several values."""
        kind = returned(returns)
        self.module.declare(returns, name, ", ".join(str(a.type) for a in args))
        whole = self.fresh()
        self.line(f"{whole} = call {kind} @{name}({', '.join(map(str, args))})")
        return [self.emit(t, f"extractvalue {kind} {whole}, {number}") for number, t in enumerate(returns)]

    def call_pointer(self, returns: Type | None, target: Val, *args: Val) -> Val:
        """Call through a pointer. The result of a void call must not be used."""
        result = self._call(returns, target.name, args)
        return result if result is not None else Val(self, Type("i", 0), "void")

    def intrinsic(self, name: str, x: Val, *more: Val) -> Val:
        """Result of the intrinsic llvm.NAME, overloaded on the type of `x`, which is also the result's; for intrinsics without effects."""
        full, arguments = f"llvm.{name}.{x.type.suffix}", (x, *more)
        self.module.declare(x.type, full, ", ".join(str(a.type) for a in arguments))
        return self.pure(x.type, f"call {x.type} @{full}({', '.join(map(str, arguments))})")

    def sqrt(self, x: Val) -> Val:
        """IEEE square root."""
        result = self.intrinsic("sqrt", x)
        self.slow.append(result)
        return result

    def abs(self, x: Val) -> Val:
        """A float without its sign bit."""
        return self.intrinsic("fabs", x)

    def neg_bits(self, x: Val) -> Val:
        """A float with its sign bit flipped, NaN included."""
        return self.pure(x.type, f"fneg {x}")

    def popcount(self, x: Val) -> Val:
        """Number of set bits."""
        return self.intrinsic("ctpop", x)

    def first_bit(self, x: Val) -> Val:
        """The number of the lowest set bit of a scalar that is not 0."""
        return self.intrinsic("cttz", x, Val(self, BOOL, "true"))

    def to_int(self, x: Val) -> Val:
        """Float to i32, toward zero; 0 where |x| >= 2^31 or NaN."""
        safe = self.select(self.abs(x) < 2147483648.0, x, 0.0)
        return safe.cast("fptosi", I32)

    def nearest(self, x: Val) -> Val:
        """Float to the nearest i32, ties to even. The result is undefined where it does not fit."""
        whole = I32.wide(x.lanes)
        return self.call(whole, f"llvm.lrint.{whole.suffix}.{x.type.suffix}", x)

    def mask_bits(self, mask: Val) -> Val:
        """Lane mask to an i32 with one bit for each lane (at most 32 lanes)."""
        if mask.type.lanes > 32:
            raise TypeError("a mask of more than 32 lanes does not fit an i32")
        if mask.type.lanes == 1:
            return mask.zext(I32)
        return mask.bits_as(Type("i", mask.type.lanes)).zext(I32)

    def any(self, mask: Val) -> Val:
        """Scalar (i1), true if at least one lane is set."""
        if mask.type.lanes == 1:
            return mask
        if is_word_mask(mask) and mask.type.lanes >= 8:
            return self._signs(mask, "or").ne(0)
        return mask.bits_as(Type("i", mask.type.lanes)).ne(0)

    def all(self, mask: Val) -> Val:
        """Scalar (i1), true if every lane is set."""
        if mask.type.lanes == 1:
            return mask
        if is_word_mask(mask) and mask.type.lanes >= 8:
            return self._signs(mask, "and").eq(255)
        return mask.bits_as(Type("i", mask.type.lanes)).eq(-1)

    def _signs(self, mask: Val, op: str) -> Val:
        """The signs of a mask's words as eight bits, after halves of the mask are combined by `op` down to eight lanes."""
        words = words_of(mask)
        while words.type.lanes > 8:
            half = words.type.lanes // 2
            low, high = (self.shuffle(words, words, range(k, k + half)) for k in (0, half))
            words = low & high if op == "and" else low | high
        return self.call(I32, "llvm.x86.avx.movmsk.ps.256", words.as_float())

    # -- memory -----------------------------------------------------------------------------------------------------
    def at(self, pointer: Val, offset: Val | int) -> Val:
        """`pointer` plus `offset` bytes; an i32 offset is unsigned."""
        if isinstance(offset, int):
            offset = Val(self, I64, str(offset))
        elif offset.type == I32:
            offset = offset.zext(I64)
        return self.pure(PTR, f"getelementptr i8, {pointer}, {offset}")

    def load(self, type: Type, pointer: Val, offset: Val | int = 0, align: int = 4, atomic: bool = False) -> Val:
        """Load from `pointer` plus `offset` bytes. `atomic` loads have acquire order."""
        p = pointer if isinstance(offset, int) and offset == 0 else self.at(pointer, offset)
        if atomic:
            return self.emit(type, f"load atomic {type}, {p} acquire, align {align}")
        return self.emit(type, f"load {type}, {p}, align {align}")

    def store(self, value: Val, pointer: Val, offset: Val | int = 0, align: int = 4, atomic: bool = False) -> None:
        """Store at `pointer` plus `offset` bytes. `atomic` stores have release order."""
        p = pointer if isinstance(offset, int) and offset == 0 else self.at(pointer, offset)
        if atomic:
            self.line(f"store atomic {value}, {p} release, align {align}")
        else:
            self.line(f"store {value}, {p}, align {align}")

    def prefetch(self, pointer: Val) -> None:
        """Prefetch the cache line at `pointer` for writing. Any address is allowed."""
        self._prefetch(pointer, writes=True)

    def prefetch_read(self, pointer: Val) -> None:
        """Prefetch the cache line at `pointer` for reading. Any address is allowed."""
        self._prefetch(pointer, writes=False)

    def _prefetch(self, pointer: Val, *, writes: bool) -> None:
        keep, data = Val(self, I32, "3"), Val(self, I32, "1")
        self.call(None, "llvm.prefetch.p0", pointer, Val(self, I32, "1" if writes else "0"), keep, data)

    def masked_store(self, value: Val, pointer: Val, mask: Val) -> None:
        """Store only the lanes of `mask`."""
        align = Val(self, I32, "4")
        self.call(None, f"llvm.masked.store.{value.type.suffix}.p0", value, pointer, align, mask)

    def atomic_add(self, pointer: Val, value: int) -> Val:
        """Add `value` to the i32 at `pointer` atomically. Returns the old value."""
        return self.emit(I32, f"atomicrmw add {pointer}, i32 {value} seq_cst")

    def change_atomically(self, operation: str, pointer: Val, value: Val) -> None:
        """Change a word: `operation` is one of LLVM's atomicrmw."""
        self.line(f"{self.fresh()} = atomicrmw {operation} {pointer}, {value} seq_cst")

    def exchange(self, pointer: Val, old: Val, new: Val) -> Val:
        """Compare and exchange: write a word if it has the old value, and return whether it did."""
        pair = self.fresh()
        self.line(f"{pair} = cmpxchg {pointer}, {old}, {new} seq_cst seq_cst")
        return self.emit(BOOL, f"extractvalue {{ i32, i1 }} {pair}, 1")

    def load_vec4s(self, pointers: Sequence[Val], type: Type = F32) -> list[Val]:
        """Load four words at pointers[k] for each lane k. Returns four channels, transposed. About 4 times as fast as gathers."""
        n = len(pointers)
        quads = [self.load(type.wide(4), p) for p in pointers]
        if n == 1:
            return [quads[0][c] for c in range(4)]
        m = [self.concat([quads[g + j] for g in range(0, n, 4)]) for j in range(4)]
        return self.transpose4(m)

    def transpose4(self, m: Sequence[Val]) -> list[Val]:
        """Transpose 4x4 blocks inside each group of four lanes; the operation is its own inverse."""
        n = m[0].type.lanes
        lo = [i for g in range(0, n, 4) for i in (g, n + g, g + 1, n + g + 1)]
        hi = [i + 2 for i in lo]
        first = [i for g in range(0, n, 4) for i in (g, g + 1, n + g, n + g + 1)]
        second = [i + 2 for i in first]
        a, b = self.shuffle(m[0], m[1], lo), self.shuffle(m[2], m[3], lo)
        c, d = self.shuffle(m[0], m[1], hi), self.shuffle(m[2], m[3], hi)
        return [self.shuffle(a, b, first), self.shuffle(a, b, second), self.shuffle(c, d, first), self.shuffle(c, d, second)]

    def store_vec4s(self, channels: Sequence[Val], pointers: Sequence[Val], offset: int) -> None:
        """Store lane k's four channels at pointers[k] + `offset` bytes, in ascending order of lanes."""
        n = len(pointers)
        if n == 1:
            for c, v in enumerate(channels):
                self.store(v, pointers[0], offset + 4 * c)
            return
        rows = self.transpose4([c.as_int() for c in channels])
        for k, p in enumerate(pointers):  # in ascending order, so that the highest of several lanes with the same address wins
            g = k // 4 * 4
            self.store(self.shuffle(rows[k % 4], rows[k % 4], range(g, g + 4)), p, offset)

    # -- control flow -----------------------------------------------------------------------------------------------
    def var(self, type: Type, initial: Val | float = 0) -> Var:
        """A new variable, assigned here."""
        v = Var(self, type)
        v.set(initial)
        return v

    @contextmanager
    def loop(self) -> Iterator[Loop]:
        """Write an endless loop, which `break_if` leaves."""
        loop = Loop(self)
        self.jump(loop.head)
        self.place(loop.head)
        yield loop
        self.jump(loop.head)
        self.place(loop.end)

    @contextmanager
    def range(self, start: Val | int, stop: Val | int, step: int = 1) -> Iterator[Val]:
        """Write a loop like Python's `for i in range(start, stop, step)`; i is an i32, compared as signed."""
        i = self.var(I32, start)
        head, body, end = self.label(), self.label(), self.label()
        self.jump(head)
        self.place(head)
        now = i.get()
        self.branch(now < stop, body, end)
        self.place(body)
        yield now
        i.set(now + step)
        self.jump(head)
        self.place(end)
