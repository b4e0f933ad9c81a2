"""Control flow: the region tree of a program as structured blocks and functions."""

from __future__ import annotations

from backends.spirv.instructions import write
from backends.spirv.state import State
from passes.analysis.regions import Block, Call, If, Jump, Loop, Region, Regions, Switch
from tgsi.language.facts.traits import Flow
from tgsi.language.record import record


@record(frozen=False)
class _Target:
    """The blocks that jumps inside of a loop or an arm of a switch lead to.

    `inside`: the variable that says whether lanes run the arms of a switch.
    """

    leave: int
    again: int | None = None
    inside: int | None = None


class Writer:
    """Functions of a program. `ended`: the block that is being written has its last instruction."""

    def __init__(self, s: State, regions: Regions) -> None:
        self.s, self.regions = s, regions
        self.subs = {number: s.module.id() for number in regions.subs}
        self.targets: list[_Target] = []
        self.ended = False
        self.is_main = True

    def write(self) -> None:
        """Write the main function and the functions of subroutines."""
        self._function(self.s.entry, self.regions.main)
        self.is_main = False
        for number, sub in self.regions.subs.items():
            self.s.module.name(self.subs[number], f"sub_{number}")
            self._function(self.subs[number], sub.body)

    def _function(self, id: int, body: Region) -> None:
        m = self.s.module
        void = m.scalar("void")
        m.do_function(id, void, m.type("Function", void))
        m.label(m.id())
        self.ended = False
        self._region(body)
        if not self.ended:
            self._return()
        m.do("FunctionEnd")

    def _return(self) -> None:
        if self.is_main:
            for work in self.s.flush:
                work()
        self.s.module.do("Return")
        self.ended = True

    def _region(self, region: Region) -> None:
        for node in region:
            if self.ended:
                return  # no lane comes here
            match node:
                case Block():
                    for item in node.instructions:
                        self.s.instruction = item
                        write(self.s, item)
                    self.s.instruction = None
                case If():
                    self._if(node)
                case Loop():
                    self._loop(node)
                case Switch():
                    self._switch(node)
                case Jump():
                    self._jump(node)
                case Call():
                    m = self.s.module
                    m.op("FunctionCall", m.scalar("void"), self.subs[node.sub])

    def _branch(self, label: int) -> None:
        if not self.ended:
            self.s.module.do("Branch", label)
        self.ended = True

    def _begin(self, label: int) -> None:
        self.s.module.label(label)
        self.ended = False

    def _if(self, node: If) -> None:
        s, m = self.s, self.s.module
        s.instruction = node.head
        is_float = node.head.opcode.src_types[0] == "float"
        kind = "float" if is_float else "uint"
        value = s.registers.source(node.head.src[0], kind, [0])
        test = s.test("FUnordNotEqual", value, s.number(0)) if is_float else s.test("INotEqual", value, m.uint(0))
        s.instruction = None
        then, after = m.id(), m.id()
        otherwise = m.id() if node.otherwise else after
        m.do("SelectionMerge", after, 0)
        m.do("BranchConditional", test, then, otherwise)
        self._begin(then)
        self._region(node.then)
        both = self.ended and bool(node.otherwise)
        self._branch(after)
        if node.otherwise:
            self._begin(otherwise)
            self._region(node.otherwise)
            both = both and self.ended
            self._branch(after)
        self._begin(after)
        if both:
            m.do("Unreachable")
            self.ended = True

    def _loop(self, node: Loop) -> None:
        m = self.s.module
        head, body, again, leave = (m.id() for _ in range(4))
        self._branch(head)
        self._begin(head)
        m.do("LoopMerge", leave, again, 0)
        m.do("Branch", body)
        self._begin(body)
        self.targets.append(_Target(leave, again))
        self._region(node.body)
        self.targets.pop()
        self._branch(again)
        self._begin(again)
        self._branch(head)
        self._begin(leave)

    def _switch(self, node: Switch) -> None:
        """A switch as a sequence of arms: lanes fall through, and selectors of arms need not be constants."""
        s, m = self.s, self.s.module
        s.instruction = node.head
        selector = s.registers.source(node.head.src[0], "uint", [0])
        s.instruction = None
        uint = m.scalar("uint")
        inside = m.variable("Private", uint, "inside", m.uint(0))
        matched = m.variable("Private", uint, "matched", m.uint(0))
        m.do("Store", inside, m.uint(0))
        m.do("Store", matched, m.uint(0))
        for arm in node.arms:
            if arm.is_default:
                hit = m.op("BitwiseXor", uint, s.load(matched, uint), m.uint(1))
            else:
                s.instruction = arm.head
                value = s.registers.source(arm.head.src[0], "uint", [0])
                s.instruction = None
                hit = s.choose(s.test("IEqual", selector, value), m.uint(1), m.uint(0), "uint", 1)
                m.do("Store", matched, m.op("BitwiseOr", uint, s.load(matched, uint), hit))
            entered = m.op("BitwiseOr", uint, s.load(inside, uint), hit)
            m.do("Store", inside, entered)
            body, after = m.id(), m.id()
            m.do("SelectionMerge", after, 0)
            m.do("Switch", entered, after, 1, body)
            self._begin(body)
            self.targets.append(_Target(after, self.targets[-1].again if self.targets else None, inside))
            self._region(arm.body)
            self.targets.pop()
            self._branch(after)
            self._begin(after)

    def _jump(self, node: Jump) -> None:
        m = self.s.module
        if node.kind is Flow.RETURN:
            self._return()
            return
        target = self.targets[-1]
        if node.kind is Flow.CONTINUE:
            assert target.again is not None
            self._branch(target.again)
            return
        if target.inside is not None:
            m.do("Store", target.inside, m.uint(0))
        self._branch(target.leave)
