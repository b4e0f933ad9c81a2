"""Structured control flow as IF, BGNLOOP and SWITCH. Calls are written out.

Methods that reach further blocks are generators, which `run` drives with an explicit stack, because blocks may nest a thousand deep.
"""

from __future__ import annotations

from frontends.spirv.emit.chain import place_of
from frontends.spirv.emit.code import Ref, Refs, immediate
from frontends.spirv.emit.frames import MAX_CALLS, Frame, Region, case_order, count_uses, joins_before_next, returns_early
from frontends.spirv.emit.registry import EMITTERS
from frontends.spirv.emit.state import MAX_WORK, State
from frontends.spirv.emit.steps import Steps, run
from frontends.spirv.module.errors import Op
from frontends.spirv.module.module import Block
from frontends.spirv.module.types import Int, Pointer
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.limits import MAX_INDENTED


class Flow:
    """The writer of functions."""

    def __init__(self, s: State) -> None:
        self.s = s

    def main(self) -> None:
        """Write the entry point."""
        function = self.s.tables.functions.get(self.s.entry.function)
        if function is None:
            self.s.fail("M007", f"the entry point {self.s.entry.name!r} has no function", self.s.entry.op)
        run(self.function(Frame(function=function, is_main=True)))

    def call(self, op: Op, depth: int) -> Steps[None]:
        """Write out a function that is called."""
        s = self.s
        function = s.tables.functions.get(op.id(0))
        if function is None:
            s.fail("M005", f"the id {op.id(0)} is not a function of this module", op)
        if depth > MAX_CALLS:
            s.fail("M023", f"calls nest deeper than {MAX_CALLS}, or a function calls itself", op)
        if not function.blocks:
            s.fail("M022", f"the function {s.tables.name(function.id)} has no body", op)
        if len(op.operands) - 1 != len(function.parameters):
            s.fail("M006", f"the function has {len(function.parameters)} parameters, not {len(op.operands) - 1}", op)
        s.detach_all(s.is_live)
        outer = s.instance, s.function, s.block, s.position
        result = s.code.new(s.result(op).words)
        s.instance = (*s.instance, op.at)
        for parameter, id in zip(function.parameters, op.ids(1), strict=True):
            kind = s.tables.types.get(parameter.type, parameter)
            if isinstance(kind, Pointer):
                s.places[parameter.result] = place_of(s, id, op)
            elif id in s.sampled:
                s.sampled[parameter.result] = s.sampled[id]
            else:
                s.bind_id(parameter.result, s.value(id), kind, op)
        yield self.function(Frame(function=function, result=result, wraps=returns_early(function), depth=depth))
        s.instance, s.function, s.block, s.position = outer
        s.aliases.clear()
        if op.result and result:
            s.bind(op, result)
        elif op.result:
            s.values[op.result] = []

    def function(self, frame: Frame) -> Steps[None]:
        """Write a function."""
        s, function = self.s, frame.function
        s.function = function
        if function.id not in s.uses:
            s.uses[function.id] = count_uses(function)
        if frame.wraps:
            frame.regions.append(Region(kind="call"))
            s.code.emit("BGNLOOP")
        yield self.walk(frame, function.entry, 0)
        if frame.wraps:
            s.code.emit("BRK")
            s.code.emit("ENDLOOP")

    # blocks

    def walk(self, frame: Frame, label: int, end: int) -> Steps[bool]:
        """Write blocks from a label on, up to the label `end`. Returns true if control can reach `end`."""
        s = self.s
        while label != end:
            block = self._block(frame, label)
            if block.merge is not None and block.merge[0] == "loop" and not (frame.regions and frame.regions[-1].header == label):
                label = yield self._loop(frame, block)
                continue
            if label in frame.visited and not frame.repeats:
                s.fail("M008", f"control comes to the block {label} on two ways that no merge instruction joins", block.end)
            frame.visited.add(label)
            yield self._body(frame, block)
            following = yield self._end(frame, block, end)
            if following is None:
                return False
            label = following
        return True

    def _block(self, frame: Frame, label: int) -> Block:
        block = frame.function.blocks.get(label)
        if block is None or block.end is None:
            self.s.fail("M008", f"there is no block {label} in the function", frame.function.op)
        return block

    def _body(self, frame: Frame, block: Block) -> Steps[None]:
        s = self.s
        s.block = block
        for place, op in enumerate(block.body):
            s.position = place
            self._count(op)
            s.code.begin((s.instance, op.at))
            s.precise = op.result != 0 and "NoContraction" in s.tables.decorations.get(op.result, ())
            if op.name == "OpFunctionCall":
                yield self.call(op, frame.depth + 1)
                s.function, s.block = frame.function, block
                continue
            emitter = EMITTERS.get(op.name)
            if emitter is None:
                s.fail("M021", "the instruction is not supported", op)
            emitter(s, op)
        s.position = len(block.body)
        uses = s.uses[frame.function.id].last
        s.detach_all(lambda id: any(label != block.label for label in uses.get(id, ())))

    def _count(self, op: Op | None) -> None:
        self.s.work += 1
        if self.s.work > MAX_WORK:
            self.s.fail("M023", f"with every call written out the shader has more than {MAX_WORK} instructions", op)

    def _end(self, frame: Frame, block: Block, end: int) -> Steps[int | None]:
        """Write the end of a block. Returns the label of the next block; None if control ends here."""
        s, op = self.s, block.end
        assert op is not None
        self._count(op)
        s.code.begin((s.instance, op.at))
        following: int | None = None
        match op.number:
            case 249:
                following = yield self._go(frame, block, op.id(0), end)
            case 250:
                following = yield self._condition(frame, block, op, end)
            case 251:
                following = yield self._switch(frame, block, op)
            case 252 | 4416:
                if s.processor is not Processor.FRAG:
                    s.fail("M006", "only fragment shaders discard", op)
                s.code.emit("KILL")
                if s.loops:
                    s.code.emit("RET")
            case 253 | 254:
                self._return(frame, op)
            case 5294:
                EMITTERS["OpEmitMeshTasksEXT"](s, op)
                self._return(frame, op)
        return following

    def _return(self, frame: Frame, op: Op) -> None:
        s = self.s
        if frame.result is not None and op.name == "OpReturnValue":
            value = s.value(op.id(0))
            if len(value) != len(frame.result):
                s.fail("M006", "the value is not of the function's type", op)
            s.code.move(frame.result, value)
        if frame.is_main:
            if frame.nesting or frame.regions:
                s.code.emit("RET")
        elif frame.wraps:
            self._leave(frame, 0)

    def _leave(self, frame: Frame, target: int) -> None:
        """Leave the regions from the innermost one to the one with a number."""
        s = self.s
        for region in frame.regions[target + 1 :]:
            if not region.flag:
                place, serial = s.code.place, s.code.serial
                s.code.begin((s.instance, "flag", frame.function.id, id(region)))
                region.flag = s.code.new(1)
                s.code.place, s.code.serial = place, serial
            s.code.move(region.flag, immediate(target + 1))
        s.code.emit("BRK")

    def _open(self, frame: Frame, region: Region) -> int:
        """Begin a region. Returns the number of instructions before it, where its flag must be cleared."""
        frame.regions.append(region)
        return len(self.s.code.instructions)

    def _close(self, frame: Frame, begun: int) -> None:
        """After the end of a region: continue an exit from outer regions if its flag is set."""
        s = self.s
        region = frame.regions.pop()
        if not region.flag:
            return
        clear = len(s.code.instructions)
        s.code.move(region.flag, immediate(0))
        s.code.instructions.insert(begun, s.code.instructions.pop(clear))
        s.code.emit("UIF", (), s.code.source(region.flag))
        s.code.emit("BRK")
        s.code.emit("ENDIF")

    # branches

    def _go(self, frame: Frame, block: Block, target: int, end: int) -> Steps[int | None]:
        """Branch to a block: break, continue, or emit the block."""
        self._phis(frame, block.label, target)
        if target == end:
            return target
        for number in range(len(frame.regions) - 1, -1, -1):
            region = frame.regions[number]
            if region.kind != "call" and target == region.merge:
                self._leave(frame, number)
                return None
            if region.kind == "loop" and target == region.next:
                yield self._continue(frame, number)
                return None
            if region.kind == "loop" and target == region.header:
                self.s.code.emit("CONT")
                return None
        return target

    def _continue(self, frame: Frame, number: int) -> Steps[None]:
        """Write the continue construct of a loop, and go back to its beginning."""
        region = frame.regions[number]
        if any(inner.kind == "loop" for inner in frame.regions[number + 1 :]):
            self.s.fail("M008", "a branch continues a loop that is not the innermost one", frame.function.op)
        if region.next == region.header:
            self.s.code.emit("CONT")
            return
        hidden, region.next = region.next, 0
        frame.repeats += 1
        yield self.walk(frame, hidden, 0)
        frame.repeats -= 1
        region.next = hidden

    def _phis(self, frame: Frame, origin: int, target: int) -> None:
        """Give the phis of a block their values, all at once."""
        s = self.s
        block = self._block(frame, target)
        targets: list[Ref] = []
        values: list[Ref] = []
        for phi in block.phis:
            ids = phi.ids()
            source = next((value for value, label in zip(ids[::2], ids[1::2], strict=False) if label == origin), None)
            if source is None:
                s.fail("M008", f"the phi has no value for the block {origin}", phi)
            place, serial = s.code.place, s.code.serial
            s.code.begin((s.instance, phi.at))
            home = s.code.new(s.result(phi).words)
            s.code.place, s.code.serial = place, serial
            value = s.value(source) if source in s.values or source in s.tables.constants.known else home
            targets += home
            values += value
            if len(value) != len(home):
                s.fail("M006", "a value of the phi is of another type", phi)
            s.code.begin((s.instance, "edge", origin, target))
        if targets:
            s.code.move(targets, values)
        for phi in block.phis:
            place, serial = s.code.place, s.code.serial
            s.code.begin((s.instance, phi.at))
            s.bind(phi, s.code.new(s.result(phi).words))
            s.code.place, s.code.serial = place, serial

    def _arm(self, frame: Frame, block: Block, target: int, end: int) -> Steps[None]:
        """Write one arm of a branch, up to the label `end`."""
        frame.nesting += 1
        following = yield self._go(frame, block, target, end)
        if following is not None:
            yield self.walk(frame, following, end)
        frame.nesting -= 1

    def _is_exit(self, frame: Frame, target: int) -> bool:
        return any(target in (region.merge, region.next, region.header) for region in frame.regions)

    def _condition(self, frame: Frame, block: Block, op: Op, end: int) -> Steps[int | None]:
        s = self.s
        following: int | None
        condition = s.value(op.id(0))
        yes, no = op.id(1), op.id(2)
        merge = block.merge[1] if block.merge is not None and block.merge[0] == "selection" else 0
        if yes == no:
            following = yield self._go(frame, block, yes, end)
            return following
        if merge:
            yield self._if(frame, block, condition, (yes, no), merge)
            return merge
        if self._is_exit(frame, no) or no == end:
            if yes == end or self._is_exit(frame, yes):
                yield self._if(frame, block, condition, (yes, no), end)
                return end if end in (yes, no) else None
            yield self._if(frame, block, condition, (0, no), no if no == end else 0)
            following = yield self._go(frame, block, yes, end)
            return following
        if self._is_exit(frame, yes) or yes == end:
            yield self._if(frame, block, condition, (yes, 0), yes if yes == end else 0)
            following = yield self._go(frame, block, no, end)
            return following
        s.fail("M008", "a conditional branch has no merge instruction before it", op)

    def _if(self, frame: Frame, block: Block, condition: Refs, arms: tuple[int, int], merge: int) -> Steps[None]:
        """Write the arms of a condition; 0 means an empty arm."""
        s = self.s
        s.code.emit("UIF", (), s.code.source(s.code.plain(condition)[:1]))
        first = len(s.code.instructions)
        if arms[0]:
            yield self._arm(frame, block, arms[0], merge)
        middle = len(s.code.instructions)
        s.code.emit("ELSE")
        if arms[1]:
            yield self._arm(frame, block, arms[1], merge)
        if len(s.code.instructions) == middle + 1:
            s.code.instructions.pop()
            if middle == first:
                s.code.instructions.pop()
                return
        s.code.emit("ENDIF")

    def _loop(self, frame: Frame, block: Block) -> Steps[int]:
        s = self.s
        assert block.merge is not None
        _, merge, following = block.merge
        if len(frame.regions) >= MAX_INDENTED:
            s.fail("M023", f"blocks nest deeper than {MAX_INDENTED}", block.end)
        once = joins_before_next(frame.function, block)
        begun = self._open(frame, Region(kind="loop", merge=merge, next=0 if once else following, header=block.label))
        nesting, frame.nesting = frame.nesting, frame.nesting + 1
        s.loops += 1
        s.code.emit("BGNLOOP")
        if once:
            yield self._round(frame, block.label, following)
            yield self.walk(frame, following, 0)
        else:
            yield self.walk(frame, block.label, 0)
        s.loops -= 1
        if s.code.instructions[-1].opcode.name == "CONT":
            s.code.instructions.pop()
        s.code.emit("ENDLOOP")
        frame.nesting = nesting
        self._close(frame, begun)
        return merge

    def _round(self, frame: Frame, label: int, following: int) -> Steps[None]:
        """Write the body of a loop as an inner loop of one iteration, so that all lanes meet before the continue construct."""
        s = self.s
        begun = self._open(frame, Region(kind="round", merge=following, header=label))
        s.code.emit("BGNLOOP")
        yield self.walk(frame, label, 0)
        if s.code.instructions[-1].opcode.name != "BRK":
            s.code.emit("BRK")
        s.code.emit("ENDLOOP")
        self._close(frame, begun)

    # switches

    def _switch(self, frame: Frame, block: Block, op: Op) -> Steps[int]:
        s = self.s
        if block.merge is None:
            s.fail("M008", "a switch has no merge instruction before it", op)
        merge = block.merge[1]
        selector = s.kind(op.id(0))
        if not isinstance(selector, Int) or selector.width != 32:
            s.fail("M021", "the selector of a switch has 32 bits", op)
        words = op.ids(2)
        cases: dict[int, list[int]] = {}
        for literal, target in zip(words[::2], words[1::2], strict=True):
            cases.setdefault(target, []).append(literal)
        default = op.id(1)
        if default != merge or not cases:
            cases.setdefault(default, [])
        value = s.code.plain(s.value(op.id(0)))[:1]
        order = case_order(frame, list(cases), merge)
        if (
            default in cases and order[-1][0] != default
        ):  # DEFAULT is taken if no CASE before it matches So each target gets a number instead
            numbers = {target: number for number, target in enumerate(cases)}
            chosen = immediate(numbers[default])
            for target, literals in cases.items():
                for literal in literals if target != default else ():
                    test = s.code.lanes("USEQ", value, immediate(literal))
                    chosen = s.code.lanes("UCMP", test, immediate(numbers[target]), chosen)
            value, cases, default = chosen, {target: [number] for target, number in numbers.items()}, 0
        for target in (op.id(1), *cases):  # before the switch: an arm reached by fall-through has other phi values
            self._phis(frame, block.label, target)
        begun = self._open(frame, Region(kind="switch", merge=merge))
        nesting, frame.nesting = frame.nesting, frame.nesting + 1
        s.code.emit("SWITCH", (), s.code.source(value))
        for target, falls in order:
            for literal in cases[target]:
                s.code.emit("CASE", (), s.code.source(immediate(literal)))
            if target == default:
                s.code.emit("DEFAULT")
            if target != merge:
                yield self.walk(frame, target, falls or merge)
            last = s.code.instructions[-1].opcode.name
            if not falls and last not in ("BRK", "CONT", "RET"):
                s.code.emit("BRK")
        s.code.emit("ENDSWITCH")
        frame.nesting = nesting
        self._close(frame, begun)
        return merge
