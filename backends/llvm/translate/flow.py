"""Control flow of a translated program: scalar branches where lanes agree, masks where they diverge.

A loop ends for a lane when the lane's fuel has run out (`fuel`), independently of the other lanes.
"""

from __future__ import annotations

from collections.abc import Callable

from backends.abi.limits import MAX_LINES
from backends.llvm.builder.function import BOOL, I32, Function, Val, Var
from backends.llvm.builder.masks import MaskVar
from backends.llvm.program.access import Key, channels
from backends.llvm.program.divergence import Exit
from backends.llvm.program.plan import Plan
from backends.llvm.program.tree import Control, Leaf, Region, controls, enclosing, leaves
from backends.llvm.translate.barriers import Barriers
from backends.llvm.translate.fuel import Fuel, Rounds
from backends.llvm.translate.operands import Operands
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.traits import Flow, Mode, Trait
from tgsi.language.ir import Instruction

_SKIP_COST = 10
"""Arms with at least this number of operations are skipped by a jump when no lane is active."""


def _cost(region: Region) -> int:
    total = 0
    for leaf in leaves(region):
        opcode = leaf.instruction.opcode
        width = max((len(channels(d.write_mask)) for d in leaf.instruction.dst), default=1)
        total += _SKIP_COST if opcode.mode is Mode.OTHER else opcode.skip_cost * (width if opcode.mode is Mode.COMPONENTWISE else 1)
    return total


class FlowBuilder:
    """Walk over the control tree. `active`: the execution mask at the current place; None means all lanes that entered."""

    def __init__(
        self,
        f: Function,
        plan: Plan,
        lanes: int,
        covered: Val | None,
        read: Callable[[Instruction], Val],
        emit: Callable[[Leaf], None],
        operands: Operands,
        rounds: Rounds,
        barriers: Barriers | None = None,
    ) -> None:
        """Prepare the walk.

        covered: lanes with used results (whole quads); code that none of them reaches is skipped. read: fetches x of an instruction's
        source. emit: generates an instruction. operands: its `known` has the values of variables that dominate the current position; the
        walk maintains it at joins. barriers: the points where lanes wait for each other; if None, BARRIER is an ordinary instruction.
        """
        self.f, self.plan, self.flow, self.lanes, self.covered = f, plan, plan.flow, lanes, covered
        self.read, self.emit, self.operands, self.known = read, emit, operands, operands.known
        self.rounds = rounds
        self.barriers = barriers
        self.crossed: set[Control] = set()  # controls with a barrier inside, which SSA values do not survive
        if barriers is not None:
            waits = (leaf for leaf in leaves(plan.main) if Trait.BARRIER in leaf.instruction.opcode.traits)
            self.crossed = {control for leaf in waits for control in enclosing(leaf.region)}
        jumps = (exit for exit in plan.flow.exits.values() if exit.kind is Flow.CONTINUE and not exit.divergent)
        self.continued = {exit.target for exit in jumps}  # loops whose rounds all lanes begin together
        self.active: Val | None = None
        self.live: dict[Control, MaskVar] = {}  # lanes still inside a loop, or inside a switch
        self.waiting: dict[Control, MaskVar] = {}  # lanes that wait at the end of a loop's body after CONT
        self.running: dict[Control | None, MaskVar] = {}  # lanes that have not returned
        self.ends: dict[Control | None, str] = {}
        self.nexts: dict[Control, str] = {}
        self.fuel: Fuel | None = None  # fuel of the outermost loop around the current place, unless it is short
        self.spent: Var | None = None

    def run(self) -> None:
        """Generate the whole program."""
        if self.flow.main_divergent:
            self.running[None] = MaskVar(self.f, self.lanes)
            self.running[None].set(True)
        if self.rounds.reports and any(control.kind == "loop" for control in controls(self.plan.main)):
            self.spent = self.f.var(I32.wide(self.lanes), 0)
        end = self.ends[None] = self.f.label()
        self.region(self.plan.main)
        self.f.jump(end)
        self.f.place(end)
        self.known.clear()

    # -- known values of variables ----------------------------------------------------------------------------------
    def keep(self, *paths: dict[Key, Val]) -> None:
        """Join paths: keep the known values that are the same on all of them."""
        first, *others = paths
        same = {key: value for key, value in first.items() if all(path.get(key) is value for path in others)}
        self.known.clear()
        self.known.update(same)

    # -- masks ------------------------------------------------------------------------------------------------------
    def execution_mask(self) -> Val:
        """Active lanes as an i1 vector."""
        return self.active if self.active is not None else self.f.const(BOOL.wide(self.lanes), 1)

    def some(self, mask: Val) -> Val:
        """Scalar (i1, at run time), true if the mask has a lane with used results."""
        return self.f.any(mask & self.covered if self.covered is not None else mask)

    def both(self, a: Val | None, b: Val) -> Val:
        """Lanes that are in both masks."""
        return b if a is None else a & b

    def rejoined(self, entered: Val | None, control: Control) -> Val | None:
        """Lanes that entered a control and have not left it for an outer one."""
        mask = entered
        seen: set[tuple[Flow, Control | None]] = set()
        for exit in self.flow.through.get(control, ()):
            if (exit.kind, exit.target) in seen:
                continue
            seen.add((exit.kind, exit.target))
            if exit.kind is Flow.RETURN:
                stays = self.running[exit.target].get()
            elif exit.kind is Flow.BREAK:
                assert exit.target is not None
                stays = self.live[exit.target].get()
            else:
                assert exit.target is not None
                stays = ~self.waiting[exit.target].get()
            mask = self.both(mask, stays)
        return mask

    def save_mask(self, mask: Val | None, control: Control) -> Callable[[], Val | None]:
        """Save `mask` for use after `control`. Returns a function that reads it back.

        At a BARRIER inside of the control the kernel returns and is entered again, so an SSA value would be lost. The mask is then stored
        in a variable. Otherwise the same value is returned and no code is written.
        """
        if mask is None or control not in self.crossed:
            return lambda: mask
        held = MaskVar(self.f, self.lanes)
        held.set(mask)
        return held.get

    def wait(self, barriers: Barriers) -> None:
        """Generate BARRIER. After it, the values of all variables are unknown."""
        held = MaskVar(self.f, self.lanes) if self.active is not None else None
        if held is not None and self.active is not None:
            held.set(self.active)
        barriers.wait()
        self.known.clear()
        self.active = held.get() if held is not None else None

    # -- structure --------------------------------------------------------------------------------------------------
    def region(self, region: Region) -> None:
        """Generate the items of a region."""
        for item in region.items:
            if len(self.f.body) > MAX_LINES:
                raise UnsupportedError.at(
                    "B042",
                    f"the program needs more than {MAX_LINES} lines of LLVM text up to here",
                    item.instruction.span,
                    hint="shorten or divide the shader; tgsi.run(..., engine='interp') needs no code",
                )
            if isinstance(item, Control):
                self.control(item)
            elif item in self.flow.exits:
                self.exit(self.flow.exits[item])
                return
            elif self.barriers is not None and Trait.BARRIER in item.instruction.opcode.traits:
                self.wait(self.barriers)
            else:
                self.emit(item)

    def control(self, control: Control) -> None:
        """Generate one control."""
        entered = self.save_mask(self.active, control)
        if control.kind == "if":
            self.branch(control, entered)
        elif control.kind == "loop":
            self.loop(control, entered)
        elif control.kind == "switch":
            self.switch(control, entered)
        else:
            self.call(control)
        self.active = self.rejoined(entered(), control)

    def guarded(self, region: Region, mask: Val) -> None:
        """Generate a region for the lanes of `mask`. A jump skips an expensive region if there are no lanes."""
        self.active = mask
        if _cost(region) < _SKIP_COST and not any(True for _ in controls(region)):
            self.region(region)
            return
        before = dict(self.known)
        with self.f.if_(self.some(mask)):
            self.region(region)
        self.keep(before, self.known)

    def branch(self, control: Control, entered: Callable[[], Val | None]) -> None:
        """Generate IF or UIF."""
        then, otherwise = control.arms
        value = self.read(control.instruction)
        taken = value.truth if value.truth is not None else value.ne(0)
        active = self.active
        if control not in self.flow.controls:
            before = dict(self.known)
            with self.f.else_of(taken) as turn:
                self.region(then)
                turn()
                after = dict(self.known)
                self.keep(before)
                self.active = active
                self.region(otherwise)
            self.keep(before, after, self.known)
            return
        taken = self.f.splat(taken, self.lanes)
        chosen = self.save_mask(taken, control)
        if then.items:
            self.guarded(then, self.both(active, taken))
        if otherwise.items:
            again = chosen()
            assert again is not None
            self.guarded(otherwise, self.both(entered(), ~again))

    def call(self, control: Control) -> None:
        """Generate CAL: the subroutine is written out in place."""
        if control in self.flow.controls:
            self.running[control] = MaskVar(self.f, self.lanes)
            self.running[control].set(True)
        end = self.ends[control] = self.f.label()
        before = dict(self.known)
        self.region(control.arms[0])
        self.f.jump(end)
        self.f.place(end)
        self.keep(before, self.known)

    def switch(self, control: Control, entered: Callable[[], Val | None]) -> None:
        """Generate SWITCH. Lanes enter at their CASE and fall through."""
        f = self.f
        selector = self.read(control.instruction)
        stored_selector = f.var(selector.type, selector) if control in self.crossed else None
        inside = self.live[control] = MaskVar(f, self.lanes)
        matched = MaskVar(f, self.lanes)
        for arm in control.arms:
            assert arm.case is not None
            present = self.rejoined(entered(), control)
            if arm.case.opcode.flow is Flow.CASE:
                selector = stored_selector.get() if stored_selector is not None else selector
                hits = f.splat(selector.eq(self.read(arm.case)), self.lanes)
                hits = self.both(present, hits)
                matched.add(hits)
            else:
                hits = self.both(present, ~matched.get())
            inside.add(hits)
            self.guarded(arm, self.both(present, inside.get()))

    def exit(self, exit: Exit) -> None:
        """Generate BRK, CONT or RET of the active lanes."""
        f, target = self.f, exit.target
        if not exit.divergent:
            f.jump(self.nexts[target] if exit.kind is Flow.CONTINUE and target is not None else self.ends[target])
            f.place(f.label(), follows=True)  # unreachable
            return
        if exit.kind is Flow.RETURN:
            self.running[target].remove(self.active)
            for control in exit.between:
                if control.kind == "loop":
                    self.live[control].remove(self.active)
        elif target is not None and exit.kind is Flow.BREAK:
            self.live[target].remove(self.active)
        elif target is not None:
            self.waiting[target].add(self.active)

    def _with_some(self, condition: Val | None, live: MaskVar | None) -> Val:
        """A scalar condition combined with "the loop has lanes"."""
        if live is not None:
            stays = self.some(live.get())
            return stays if condition is None else condition & stays
        assert condition is not None
        return condition

    # -- loops ------------------------------------------------------------------------------------------------------
    def loop(self, control: Control, entered: Callable[[], Val | None]) -> None:
        """Generate BGNLOOP to ENDLOOP. A loop without divergence is a scalar loop."""
        f = self.f
        outer = self.flow.outer_loop(control)
        is_leaf = not any(inner.kind == "loop" for inner in controls(control.arms[0]))
        if control is outer:
            size = sum(1 for _ in leaves(control.arms[0]))
            is_short = self.plan.short.get(control, self.rounds.count) < self.rounds.count
            self.fuel = None if is_short else Fuel(f, self.lanes, self.rounds, outer in self.flow.nests, self.spent, size)
        live: MaskVar | None = None
        if control in self.flow.controls:
            live = self.live[control] = MaskVar(f, self.lanes)
            live.set(True if self.active is None else self.active)
        if control in self.flow.conts:
            self.waiting[control] = MaskVar(f, self.lanes)
        if control is outer:
            self.operands.enter_loop(control)
        again, head, next_, end = f.label(), f.label(), f.label(), f.label()
        self.nexts[control], self.ends[control] = next_, end
        begin = len(f.body)
        f.jump(again)
        f.place(again)  # slices of fuel form an outer loop, to keep calls out of the inner one
        f.jump(head)
        f.place(head)
        self.operands.begin_round()
        self.active = live.get() if live is not None else entered()
        if control in self.flow.conts:
            self.waiting[control].set(False)
        self.region(control.arms[0])
        if is_leaf:
            self._shape_round(control, begin, live)
        else:
            f.jump(next_)
            f.place(next_)
        if self.fuel is not None:
            self._refill(self.fuel, live, entered, again, head)
            f.jump(end)
        elif live is not None:
            f.branch(self.some(live.get()), head, end)
        else:
            f.jump(head)
        f.place(end)
        self.known.clear()
        if control is outer:
            self.operands.leave_loop()

    def _shape_round(self, control: Control, begin: int, live: MaskVar | None) -> None:
        """Optimize the body of a loop without inner loops, the lines from `begin` on, for registers and ports of the CPU."""
        from backends.llvm.translate.loop_carried import carry  # only for loops
        from backends.llvm.translate.parts import divide, part_width
        from backends.llvm.translate.port_balance import balance

        f = self.f
        is_plain = self.plan.samples + self.plan.fetches == 0 and control not in self.crossed
        is_divided = is_plain and live is None  # divergent exits are tested together, once a round
        recomputes = is_divided and f.has_word_masks and self.lanes >= 4 * part_width(f)  # carried values would spill registers
        if control not in self.continued and not recomputes:
            begin += carry(f, begin, self.operands.heads, self.operands.variables | self.operands.twins, self.known)
        f.jump(self.nexts[control])
        f.place(self.nexts[control])
        if not recomputes:
            balance(f, begin)
        if is_divided:
            divide(f, begin, self.lanes, {value.name for value in self.operands.straight.values()})

    def _refill(self, fuel: Fuel, live: MaskVar | None, entered: Callable[[], Val | None], again: str, head: str) -> None:
        """Begin another round at `head`, or the next slice of fuel at `again`; fall through when both end."""
        f = self.f
        last, spent, after = f.label(), f.label(), f.label()
        f.branch(self._with_some(fuel.count_round(live), live), head, last)
        f.place(last)
        f.branch(self._with_some(fuel.is_out, live), spent, after, unlikely=True)
        f.place(spent)
        f.branch(self._with_some(fuel.refill(live), live), again, after)
        f.place(after)
        fuel.leave(live.get() if live is not None else entered())
