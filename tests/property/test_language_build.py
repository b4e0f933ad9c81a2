"""Programs of the builder are valid, and read back equal from their text and from their tokens."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tgsi
from tgsi.language.builder.opcode_methods import available
from tgsi.language.builder.program_builder import ProgramBuilder
from tgsi.language.builder.registers import Operand, Register, Source
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import STAGES

PLAIN = [
    info
    for info in available()
    if info.num_dst == 1
    and info.num_src
    and not (info.is_texture or info.has_memory or info.uses_64bit or info.is_later)
    and info.mode.value != "other"
    and info.name not in ("ARL", "ARR", "UARL", "READ_INVOC", "READ_FIRST")
    and not info.name.startswith("DD")
]
MASKS = ["", "x", "y", "xy", "zw", "xyz", "yw", "xyzw"]
SWIZZLES = ["", "x", "w", "wzyx", "xyxy", "zzz"]


def channels(register: Register, letters: str) -> Register:
    chosen: Register = getattr(register, letters) if letters else register
    return chosen


@st.composite
def built(draw: st.DrawFn) -> ProgramBuilder:
    b = ProgramBuilder(draw(st.sampled_from(["VERT", "FRAG", "TASK", "MESH"])))
    is_mesh = STAGES[b.stage].is_mesh
    readable: list[Register] = (
        [b.system_value(name) for name in ("BLOCK_ID", "THREAD_ID")] if is_mesh else [b.input("GENERIC", index) for index in range(2)]
    )
    writable = [b.output("COLOR")] if b.stage is not Processor.TASK else []
    payload = b.memory("PAYLOAD") if is_mesh else None
    for name in ("WIDTH", "HEIGHT", "DEPTH") if is_mesh else ():
        b.property(f"CS_FIXED_BLOCK_{name}", draw(st.integers(1, 10)))
    table, address, values = b.constants(16), b.address(), b.array(draw(st.integers(1, 4)))
    temporaries = [b.temporary() for _ in range(3)]
    for register in temporaries:
        b.MOV(register, readable[0])
    if b.stage is Processor.MESH:
        for name in ("VERTICES", "PRIMITIVES"):
            b.property(f"MS_MAX_OUTPUT_{name}", draw(st.integers(6, 256)))
        b.property("MS_OUTPUT_PRIMITIVE", draw(st.sampled_from(["POINTS", "LINES", "TRIANGLES"])))
        rows = [*writable, b.output("PRIMITIVE_INDICES", per_primitive=True), b.output("GENERIC", 3, per_primitive=draw(st.booleans()))]
        writable += [*rows, *(out[5] for out in rows), *(out[address.x + 1] for out in rows)]
    readable += [*temporaries, b.constant(3, buffer=2), values[0]]

    def operand(integer: bool) -> Operand:
        kind = draw(st.integers(0, 4))
        if kind == 0:
            if integer:
                return draw(st.integers(-(1 << 31), (1 << 32) - 1))
            return draw(st.floats(width=32) | st.integers(-9, 9))
        found = table[address.x + draw(st.integers(0, 9))] if kind == 1 else draw(st.sampled_from(readable))
        found = channels(found, draw(st.sampled_from(SWIZZLES)))
        if not integer:
            found = abs(found) if draw(st.booleans()) else found
            found = -found if draw(st.booleans()) else found
        source: Source = found
        return source

    def statements(depth: int) -> None:
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.integers(0, 9))
            if kind == 0 and depth:
                with b.if_(temporaries[0].x, bits=draw(st.booleans())):
                    statements(depth - 1)
                if draw(st.booleans()):
                    with b.else_():
                        statements(depth - 1)
            elif kind == 1 and depth:
                with b.loop():
                    statements(depth - 1)
                    b.BRK()
            elif kind == 3 and b.stage is Processor.TASK:
                b.EMIT_MESH_TASKS(operand(True))
            elif kind == 3 and b.stage is Processor.MESH:
                b.SET_MESH_OUTPUTS(operand(True))
            elif kind == 4 and payload is not None:
                if b.stage is Processor.TASK:
                    b.STORE(channels(payload, draw(st.sampled_from(["x", "xyzw"]))), operand(True), operand(False))
                b.LOAD(temporaries[2], payload, operand(True))
            elif kind == 2:
                b.ARL(address.x, temporaries[1].x)
            else:
                info = draw(st.sampled_from(PLAIN))
                target = draw(st.sampled_from([*writable, *temporaries, values[address.x]]))
                sources = [operand(name in ("int", "uint")) for name in info.src_types]
                b.emit(info.name, (channels(target, draw(st.sampled_from(MASKS))),), sources, precise=draw(st.booleans()))

    b.ARL(address.x, temporaries[1].x)
    statements(2)
    return b


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(built())
def test_built_programs_are_valid_and_read_back_equal(b: ProgramBuilder) -> None:
    program = b.build()
    assert [str(found) for found in tgsi.check(program) if found.severity is tgsi.Severity.ERROR] == []
    text = str(program)
    again = tgsi.parse(text)
    assert again == program
    assert str(again) == text
    assert tgsi.decode(tgsi.encode(program)) == program
    assert program.info.num_instructions == len(program.instructions)
