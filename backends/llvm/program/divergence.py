"""Divergence analysis: finds values and control flow that are the same for all participating lanes.

A register channel has a home: the innermost region that contains all its uses and begins with a write of it. If there is none, the home
is the main region, where every register starts as 0. The channel is never read outside of its home, and the lanes that read it inside are
among those that entered the home. So a write needs a mask only if divergent control flow lies between it and the home. A channel is uniform
(one scalar serves all lanes) if every write of it is unmasked and computes from uniform values.

Two refinements make scalars of loop counters. A channel that is not read after an outermost loop is owned by the loop: lanes that have left
never read it again, so writes inside need no mask for them. A channel that is read after the loop may have a twin: lanes in the loop all
have the value of the unmasked writes, so one scalar serves all reads inside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, field

from backends.llvm.program.access import Access, Key, access, is_indirect
from backends.llvm.program.crossing import crossing
from backends.llvm.program.tree import Control, Leaf, Region, enclosing
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.traits import JUMPS, OTHER_LANES, Flow, Mode, Trait
from tgsi.language.ir import Instruction
from tgsi.language.record import record

_VARIABLES = frozenset({File.TEMP, File.ADDR, File.OUT})
_MOST_SHADOWS = 2  # limit per loop, because each takes separate CPU registers
_SPLIT = frozenset({File.TEMP, File.ADDR})
_LEFT: Mapping[Flow, tuple[str, ...]] = {Flow.BREAK: ("loop", "switch"), Flow.CONTINUE: ("loop",), Flow.RETURN: ("call",)}
"""Kinds of control that are targets of a jump."""


def _reads_others(opcode: OpcodeInfo) -> bool:
    """True if the result depends on other lanes, active or not."""
    return not OTHER_LANES.isdisjoint(opcode.traits)


@record(frozen=False, eq=False)
class Exit:
    """A BRK, CONT or RET.

    target: the control that the jump leaves, None for main. between: the controls between the jump and `target`, innermost first.
    """

    leaf: Leaf
    kind: Flow
    target: Control | None
    between: tuple[Control, ...]
    divergent: bool = False


@record(frozen=False)
class Divergence:
    """Result of the analysis.

    divergent: channels that need one value for each lane.
    controls: controls that lanes leave one by one. conts: loops with a divergent CONT. through: divergent exits that leave a control for
    one further out.
    nests: outermost loops in which each lane's fuel is counted.
    owners: channels that no code after their outermost loop reads.
    twins: channels that are uniform inside of an outermost loop.
    shadows: channels with a second version in a loop without masks, so that its rounds need not wait for the masks. watched: channels that
    lanes read from each other, so lanes that have left main must keep their values. straight: channels that a single region uses in all
    of its lanes, so the last value in the text is the channel's value.
    crossing: channels that are live across a barrier.
    """

    homes: dict[Key, Region | None]
    _: KW_ONLY
    divergent: set[Key] = field(default_factory=set)
    integer: set[Key] = field(default_factory=set)
    controls: set[Control] = field(default_factory=set)
    conts: set[Control] = field(default_factory=set)
    exits: dict[Leaf, Exit] = field(default_factory=dict)
    through: dict[Control, list[Exit]] = field(default_factory=dict)
    nests: set[Control] = field(default_factory=set)
    owners: dict[Key, Control] = field(default_factory=dict)
    twins: dict[Key, Control] = field(default_factory=dict)
    shadows: dict[Key, Control] = field(default_factory=dict)
    watched: set[Key] = field(default_factory=set)
    straight: set[Key] = field(default_factory=set)
    crossing: set[Key] = field(default_factory=set)
    main_divergent: bool = False

    def is_masked(self, region: Region, key: Key) -> bool:
        """True if a write in `region` needs the execution mask."""
        home = self.homes.get(key)
        if self.main_divergent and ((home is None and key[0] is File.OUT) or key in self.watched):
            return True
        owner = self.owners.get(key)
        for control in _path(region, home):
            if control is owner and control not in self.conts:
                return False
            if control in self.controls:
                return True
        return False

    def outer_loop(self, loop: Control) -> Control:
        """The outermost loop around a loop, or the loop itself."""
        outer = loop
        for control in enclosing(loop.region):
            if control.kind == "loop":
                outer = control
        return outer


def _path(region: Region, home: Region | None) -> Iterator[Control]:
    """Controls between a region and an outer one (None: outside of all), from the innermost outward."""
    while region is not home:
        control = region.control
        if control is None:
            return
        yield control
        region = control.region


class _Analysis:
    def __init__(self, main: Region, memory: frozenset[tuple[File, int]], waits: bool) -> None:
        self.main = main
        self.memory = memory  # registers in indirectly addressed arrays
        self.steps: list[tuple[Region, Instruction, Leaf | Control, Access]] = []
        self.loops: list[Control] = []
        self.inside: dict[Control, range] = {}  # the steps of each control
        self.readers: dict[Key, list[int]] = {}
        self._collect(main)
        for at, (_, _, _, uses) in enumerate(self.steps):
            for key in uses.reads:
                self.readers.setdefault(key, []).append(at)
        self.due: dict[int, None] = {}  # worklist: steps whose facts may have changed since their last visit
        self.pinned: set[Key] = set()  # channels read across lanes in divergent code
        self.outermost: list[Control | None] = []  # outermost loop around each step
        self.spans: dict[Control, tuple[int, int]] = {}  # first and last step inside of outermost loops
        self.candidates: dict[Key, Control] = {}  # channels that may become twins or shadows
        homes = self._homes()
        self.flow = Divergence(homes, crossing=crossing(self.steps, self.inside, homes, main) if waits else set())
        self.flow.watched = {key for _, instruction, _, uses in self.steps if _reads_others(instruction.opcode) for key in uses.reads}
        self._find_owners()

    def _collect(self, region: Region) -> None:
        for item in region.items:
            begin = len(self.steps)
            self._step(region, item.instruction, item)
            if isinstance(item, Control):
                if item.kind == "loop":
                    self.loops.append(item)
                for arm in item.arms:
                    if arm.case is not None:
                        self._step(region, arm.case, item)
                    self._collect(arm)
                self.inside[item] = range(begin, len(self.steps))

    def _step(self, region: Region, instruction: Instruction, item: Leaf | Control) -> None:
        uses = access(instruction)
        if instruction.opcode.uses_64bit:
            # The written words of a pair depend on the opcode's pair rule, so treat all four as updated.
            uses.writes = [(d.register.file, d.register.index, c) for d in instruction.dst if not is_indirect(d.register) for c in range(4)]
            uses.reads = uses.reads + uses.writes
        self.steps.append((region, instruction, item, uses))

    def _homes(self) -> dict[Key, Region | None]:
        first: dict[Key, tuple[bool, Region]] = {}
        home: dict[Key, Region] = {}
        pinned = self.pinned
        for region, instruction, _, uses in self.steps:
            if region.control is not None and _reads_others(instruction.opcode):
                pinned.update(uses.reads)  # inactive neighbors are read, too
            for is_write, keys in ((False, uses.reads), (True, uses.writes)):
                for key in keys:
                    if key[0] not in _VARIABLES:
                        continue
                    if key not in first:
                        first[key] = (is_write, region)
                        home[key] = region
                    else:
                        home[key] = _common(home[key], region)
        result: dict[Key, Region | None] = {}
        for key, (is_write, region) in first.items():
            if key[0] is File.OUT:
                result[key] = None
            elif is_write and home[key] is region and key not in pinned and (key[0], key[1]) not in self.memory:
                result[key] = region
            else:
                result[key] = self.main
        return result

    def _find_owners(self) -> None:
        """Find owners: for every channel that outermost loops write, decide whether the last such loop owns it or may have a twin of it."""
        last: dict[Key, int] = {}
        written: dict[Key, Control] = {}
        for at, (region, _, _, uses) in enumerate(self.steps):
            loop = None
            for control in enclosing(region):
                if control.kind == "loop":
                    loop = control
            self.outermost.append(loop)
            last.update(dict.fromkeys(uses.reads, at))
            if loop is not None:
                self.spans[loop] = (self.spans.get(loop, (at,))[0], at)
                for key in uses.writes:
                    if key[0] in _SPLIT and key not in self.pinned and (key[0], key[1]) not in self.memory:
                        written[key] = loop
        for key, loop in written.items():
            kind = self.flow.owners if last.get(key, -1) <= self.spans[loop][1] else self.candidates
            kind[key] = loop
        self.flow.twins.update(self.candidates)

    def _visit_twins(self, at: int, region: Region, uses: Access, varies: bool) -> None:
        """Test a twin. It must be uniform when the loop begins, and every write in the loop must be uniform."""
        flow = self.flow
        for key in uses.writes:
            loop = flow.twins.get(key)
            if loop is None or at > self.spans[loop][1]:
                continue
            if at < self.spans[loop][0]:
                masked = flow.is_masked(region, key)
            else:
                masked = loop in flow.conts or any(control in flow.controls for control in _path(region, loop.arms[0]))
            if varies or masked:
                del flow.twins[key]
                self._again(self.readers.get(key, ()))

    def run(self) -> Divergence:
        flow = self.flow
        self._find_exits()
        flow.divergent = {key for _, _, _, uses in self.steps for key in uses.writes if (key[0], key[1]) in self.memory}
        self._again(range(len(self.steps)))
        while self.due:
            for at in sorted(self.due):
                if at in self.due:  # otherwise it was visited already and is queued again
                    self._visit(at)
            if not self.due:
                self._visit_nests()
        for exit in flow.exits.values():
            if exit.divergent:
                for control in exit.between:
                    flow.through.setdefault(control, []).append(exit)
        candidates = [(key, loop) for key, loop in self.candidates.items() if key in flow.divergent]
        flow.twins = {key: loop for key, loop in candidates if key in flow.twins}
        flow.shadows = self._shadows([(key, loop) for key, loop in candidates if key not in flow.twins])
        flow.straight = self._straight()
        self._find_integers()
        return flow

    def _straight(self) -> set[Key]:
        regions: dict[Key, set[Region]] = {}
        for region, _, _, uses in self.steps:
            for key in (*uses.reads, *uses.writes):
                if key[0] in _VARIABLES and (key[0], key[1]) not in self.memory:
                    regions.setdefault(key, set()).add(region)
        returns = any(exit.target is None for exit in self.flow.exits.values())
        home = {key: None if returns else self.main if key[0] is File.OUT else self.flow.homes[key] for key in regions}
        return {key for key, found_in in regions.items() if found_in == {home[key]}} - self.flow.crossing

    def _shadows(self, candidates: list[tuple[Key, Control]]) -> dict[Key, Control]:
        """Channels that a divergent loop carries from round to round, uniform in its lanes; none if there are more than _MOST_SHADOWS."""
        first: dict[Key, bool] = {}  # True if the first access inside of the loop is a write
        fit = {key: loop for key, loop in candidates if loop in self.flow.controls and loop not in self.flow.conts}
        for at, (region, _, _, uses) in enumerate(self.steps):
            for key in (*uses.reads, *uses.writes):
                loop = fit.get(key)
                if loop is not None and self.outermost[at] is loop:
                    first.setdefault(key, key not in uses.reads)
                    if key in uses.writes and any(control in self.flow.controls for control in _path(region, loop.arms[0])):
                        del fit[key]
        carried = {key: loop for key, loop in fit.items() if not first.get(key, True)}
        count = Counter(carried.values())
        return {key: loop for key, loop in carried.items() if count[loop] <= _MOST_SHADOWS}

    # -- visits: each marks the consequences of a step and queues the steps that the new marks may affect -----
    def _again(self, steps: Iterable[int]) -> None:
        self.due.update(dict.fromkeys(steps))

    def _visit(self, at: int) -> None:
        del self.due[at]
        region, instruction, item, uses = self.steps[at]
        if isinstance(item, Control):
            self._visit_control(at, item, uses)
        elif instruction.opcode.flow in JUMPS:
            self._visit_exit(self.flow.exits[item])
        elif uses.writes:
            self._visit_writes(at, region, instruction, uses)

    def _mark(self, marked: set[Control], control: Control) -> None:
        """Add a control to `controls` or `conts`, and queue all steps inside of it."""
        if control not in marked:
            marked.add(control)
            self._again(self.inside[control])

    def _find_exits(self) -> None:
        for _, instruction, item, _ in self.steps:
            kind = instruction.opcode.flow
            if kind is None or kind not in _LEFT or not isinstance(item, Leaf):
                continue
            wanted = _LEFT[kind]
            between: list[Control] = []
            target = None
            for control in enclosing(item.region):
                if control.kind in wanted:
                    target = control
                    break
                between.append(control)
            self.flow.exits[item] = Exit(item, kind, target, tuple(between))

    def _varies(self, at: int, uses: Access) -> bool:
        if uses.opaque:
            return True
        flow, loop = self.flow, self.outermost[at]

        def has_twin(key: Key) -> bool:
            return loop is not None and flow.twins.get(key) is loop

        files = (File.IN, File.SV)
        return any(
            key[0] in files or (key[0], key[1]) in self.memory or (key in flow.divergent and not has_twin(key)) for key in uses.reads
        )

    def _visit_control(self, at: int, control: Control, uses: Access) -> None:
        if control.kind == "switch" or (control.kind == "if" and self._varies(at, uses)):
            self._mark(self.flow.controls, control)

    def _visit_exit(self, exit: Exit) -> None:
        flow, target = self.flow, exit.target
        rejoined = exit.kind is Flow.BREAK and target in flow.conts  # lanes wait at the end of the body and must not leave with the others
        into_switch = target is not None and target.kind == "switch"
        if not (rejoined or into_switch or any(control in flow.controls for control in exit.between)):
            return
        exit.divergent = True
        if target is not None:
            self._mark(flow.controls, target)
        elif not flow.main_divergent:
            flow.main_divergent = True
            self._again(range(len(self.steps)))
        if exit.kind is Flow.CONTINUE and target is not None:
            self._mark(flow.conts, target)
        for control in exit.between:
            if control.kind != "if":
                self._mark(flow.controls, control)

    def _visit_writes(self, at: int, region: Region, instruction: Instruction, uses: Access) -> None:
        flow = self.flow
        opcode = instruction.opcode
        varies = opcode.mode is Mode.OTHER or _reads_others(opcode) or Trait.HELPER in opcode.traits or self._varies(at, uses)
        self._visit_twins(at, region, uses, varies)
        for key in uses.writes:
            if key not in flow.divergent and (varies or flow.is_masked(region, key)):
                flow.divergent.add(key)
                self._again(self.readers.get(key, ()))

    def _visit_nests(self) -> None:
        """Mark nests in which lanes enter or leave inner loops one by one.

        Their fuel differs, so all loops of the nest must be able to drop single lanes.
        """
        flow = self.flow
        nested = [loop for loop in self.loops if flow.outer_loop(loop) is not loop]
        for loop in nested:
            outer = flow.outer_loop(loop)
            inside = [loop, *_path(loop.region, outer.arms[0])]
            if outer in flow.conts or any(control in flow.controls for control in inside):
                flow.nests.add(outer)
        for loop in nested:
            outer = flow.outer_loop(loop)
            if outer in flow.nests:
                self._mark(flow.controls, outer)
                self._mark(flow.controls, loop)

    def _find_integers(self) -> None:
        kinds: dict[Key, set[str]] = {}
        for _, instruction, _, uses in self.steps:
            types = instruction.opcode.dst_types
            kind = {"int": "i", "uint": "i", "untyped": ""}.get(types[0], "f") if types else ""
            for key in uses.writes:
                kinds.setdefault(key, set()).add(kind)
        self.flow.integer = {key for key, found_kinds in kinds.items() if "i" in found_kinds and "f" not in found_kinds}


def _common(a: Region, b: Region) -> Region:
    """Innermost region that contains both regions."""
    if a is b:
        return a
    around = {id(a)}
    while a.control is not None:
        a = a.control.region
        around.add(id(a))
    while id(b) not in around:
        assert b.control is not None
        b = b.control.region
    return b


def analyse(main: Region, memory: frozenset[tuple[File, int]], waits: bool) -> Divergence:
    """Find the uniform channels and controls.

    `memory`: registers (file, index) in arrays that are addressed at run time. `waits`: the program has barriers.
    """
    return _Analysis(main, memory, waits).run()
