"""Kernels that stop at barriers and resume later: a state machine around the function's body.

The caller calls the function repeatedly, passing the number of the barrier where it stopped, 0 at first. The function returns the number of
the barrier where it stops next, or ENDED. Code before `begin` runs in every call, and its values may be used everywhere. After `begin`, SSA
values do not survive a barrier; variables do, because the function saves them in the state memory.
"""

from __future__ import annotations

from backends.llvm.builder.function import I32, I64, Function, Type, Val, Var

ENDED = -1
_ALIGN = 64


class Barriers:
    """Barriers of one function.

    state: its memory, aligned to 64 bytes, of which it needs `size` bytes, at least one. stopped: the barrier where it stopped, i32.
    """

    def __init__(self, f: Function, state: Val, stopped: Val) -> None:
        self.f, self._state, self._stopped = f, state, stopped
        self.size = 0
        self._labels: list[str] = []
        self._begin, self._resume, self._stop = f.label(), f.label(), f.label()
        self._number = f.alloca("i32")

    @property
    def is_first(self) -> Val:
        """True (at run time) in the first call of the function."""
        return self._stopped.eq(0)

    def reserve(self, size: int) -> Val:
        """Pointer to `size` bytes of state memory that keep their contents between calls. Call it before `begin`."""
        place = self.f.at(self._state, self.size)
        self.size += -(-size // _ALIGN) * _ALIGN
        return place

    def begin(self) -> None:
        """Start the function's body, or resume at the barrier where it stopped."""
        self.f.jump(self._resume)
        self.f.place(self._begin)

    def wait(self) -> None:
        """Write a barrier: store the variables and return; the next call continues here."""
        label = self.f.label()
        self._labels.append(label)
        self.f.store(self.f.const(I32, len(self._labels)), self._number)
        self.f.jump(self._stop)
        self.f.place(label)

    def finish(self) -> None:
        """Finish the function; call it at the end of its code. All its variables are saved at barriers."""
        f = self.f
        f.ret(f.const(I32, ENDED))
        places = [(variable, self._allot(variable)) for variable in f.variables]
        self.size = max(self.size, _ALIGN)  # 0 stands for no barrier
        for variable, _ in places:  # each barrier also saves variables created later in the text
            f.entry.append(f"  store {variable.type} zeroinitializer, ptr {variable.slot.name}")
        restore = f.label()
        f.place(self._resume)
        f.branch(self.is_first, self._begin, restore)
        f.place(restore)
        for variable, place in places:
            variable.set(self._load(variable.type, place))
        cases = " ".join(f"i32 {number}, label %{label}" for number, label in enumerate(self._labels, 1))
        f.line(f"switch {self._stopped}, label %{self._begin} [ {cases} ]")
        f.place(self._stop)
        for variable, place in places:
            self._store(variable.get(), place)
        f.ret(f.load(I32, self._number))

    def _allot(self, variable: Var) -> int:
        place = self.size
        size = max(8, variable.type.bits * variable.type.lanes // 8)
        self.size += -(-size // _ALIGN) * _ALIGN
        return place

    def _load(self, t: Type, place: int) -> Val:
        if t.bits > 1:
            return self.f.load(t, self._state, place, _ALIGN)
        return self.f.load(I64, self._state, place, _ALIGN).trunc(Type("i", t.lanes)).bits_as(t)

    def _store(self, value: Val, place: int) -> None:
        if value.type.bits == 1:  # masks are stored as one integer, because LLVM defines no layout for vectors of i1
            value = value.bits_as(Type("i", value.lanes)).zext(I64)
        self.f.store(value, self._state, place, _ALIGN)


def run_rounds(f: Function, count: Val, first: Val | int, states: Val, stops: Val, state_bytes: int) -> None:
    """Call `shade(record, index, state, stopped)` for the vectors first to first + count - 1, round by round, until all have ended.

    In a round every vector runs to its next barrier; vectors that have ended are skipped. `states` holds the memory of one state a
    vector, `stops` one i32 for every index, 0 at first. The record is the first argument of `f`.
    """
    with f.loop() as rounds:
        waiting = f.var(I32, 0)
        with f.range(0, count) as vector:
            index = vector + first
            place = f.at(stops, index.zext(I64) * 4)
            with f.if_(f.load(I32, place).ne(ENDED)):
                state = f.at(states, vector.zext(I64) * state_bytes)
                stopped = f.call(I32, "shade", f.args[0], index, state, f.load(I32, place))
                f.store(stopped, place)
                waiting.add(stopped.ne(ENDED).zext(I32))
        rounds.break_if(waiting.get().eq(0))
