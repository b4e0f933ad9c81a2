"""Programs of the builder equal those of the corresponding text."""

from __future__ import annotations

import pytest

import tgsi
from tgsi.language.builder.opcode_methods import available
from tgsi.language.builder.program_builder import ProgramBuilder
from tgsi.language.builder.registers import Register
from tgsi.language.facts.enums import File, ImmediateType, Processor


def code(builder: ProgramBuilder) -> list[str]:
    """Text of a built program, checked to be valid and to read back equal."""
    program = builder.build()
    assert [found.message for found in tgsi.check(program) if found.severity is tgsi.Severity.ERROR] == []
    assert tgsi.parse(str(program)) == program
    assert tgsi.decode(tgsi.encode(program)) == program
    return [line.strip() for line in str(program).splitlines()]


def test_a_whole_program_reads_as_expected() -> None:
    b = ProgramBuilder("FRAG")
    color = b.input("COLOR", interpolation="LINEAR")
    out = b.output("COLOR")
    scale = b.constant(2)
    t = b.temporary()
    b.MUL(t, color, scale)
    with b.if_(t.x):
        b.MAD(out, t, 2.0, color.wzyx, saturate=True)
    with b.else_():
        b.MOV(out.xyz, -abs(t))
        b.MOV(out.w, (1.0, 0.5, 2.0, 0.0))
    assert code(b) == [
        "FRAG",
        "DCL IN[0], COLOR, LINEAR",
        "DCL OUT[0], COLOR",
        "DCL TEMP[0]",
        "DCL CONST[0][0..2]",
        "IMM[0] FLT32 {2.0, 1.0, 0.5, 0.0}",
        "0: MUL TEMP[0], IN[0], CONST[0][2]",
        "1: IF TEMP[0].xxxx",
        "2:   MAD_SAT OUT[0], TEMP[0], IMM[0].xxxx, IN[0].wzyx",
        "3: ELSE",
        "4:   MOV OUT[0].xyz, -|TEMP[0]|",
        "5:   MOV OUT[0].w, IMM[0].yzxw",
        "6: ENDIF",
        "7: END",
    ]


def test_arrays_are_indexed_by_address_registers() -> None:
    b = ProgramBuilder(Processor.VERT)
    position = b.output("POSITION")
    number = b.input()
    values = b.array(4)
    address = b.address()
    table = b.constants(8, buffer=1)
    b.ARL(address.x, number.x)
    b.MOV(values[address.x], number)
    b.MOV(values[3], table[address.x - 2])
    b.MOV(position, values[address.x + 1].wwww)
    lines = code(b)
    assert "DCL TEMP[0..3], ARRAY(1)" in lines
    assert lines[-5:] == [
        "0: ARL ADDR[0].x, IN[0].xxxx",
        "1: MOV TEMP[ADDR[0].x](1), IN[0]",
        "2: MOV TEMP[3], CONST[1][ADDR[0].x-2]",
        "3: MOV OUT[0], TEMP[ADDR[0].x+1](1).wwww",
        "4: END",
    ]
    with pytest.raises(IndexError, match="registers 0 to 3, not 4"):
        values[4]


def test_loops_switches_and_subroutines_are_closed() -> None:
    b = ProgramBuilder("VERT")
    out, t = b.output("POSITION"), b.temporary()
    with b.loop():
        b.UADD(t.x, t.x, 1)
        b.USGE(t.y, t.x, 10)
        with b.if_(t.y, bits=True):
            b.BRK()
    with b.switch(t.x):
        b.CASE(10)
        b.MOV(out, 1.0)
        b.BRK()
        b.DEFAULT()
        b.BRK()
    b.call("copy")
    with pytest.raises(RuntimeError, match="'copy' is called and not defined"):
        b.build()
    b.END()
    with b.subroutine("copy"):
        b.MOV(out, t)
    code(b)
    instructions = b.build().instructions
    assert [item.opcode.name for item in instructions[:7]] == ["BGNLOOP", "UADD", "USGE", "UIF", "BRK", "ENDIF", "ENDLOOP"]
    assert [item.opcode.name for item in instructions[-6:]] == ["CAL", "END", "BGNSUB", "MOV", "RET", "ENDSUB"]
    assert instructions[-6].label == len(instructions) - 4
    with pytest.raises(ValueError, match="'copy' is defined already"), b.subroutine("copy"):
        pass


def test_textures_take_targets_and_offsets() -> None:
    b = ProgramBuilder("FRAG")
    out, coordinate = b.output("COLOR"), b.input("GENERIC", 3)
    sampler, view = b.sampler(), b.view("2D")
    b.TEX(out, coordinate, sampler, "2D", offsets=[b.immediate(1, 2, 3, kind="int")])
    b.SAMPLE(out, coordinate, view, sampler)
    lines = code(b)
    assert "0: TEX OUT[0], IN[0], SAMP[0], 2D, IMM[0].xyz" in lines
    assert "1: SAMPLE OUT[0], IN[0], SVIEW[0], SAMP[0]" in lines
    with pytest.raises(ValueError, match="TEX needs a texture target"):
        b.emit("TEX", (out,), (coordinate, sampler))
    with pytest.raises(ValueError, match="no texture target '4D'"):
        b.TEX(out, coordinate, sampler, "4D")


def test_memory_of_a_compute_program() -> None:
    b = ProgramBuilder("COMP")
    b.property("CS_FIXED_BLOCK_WIDTH", 64)
    thread, buffer, shared = b.system_value("THREAD_ID"), b.buffer(), b.memory()
    t = b.temporary()
    b.LOAD(t.x, buffer, thread.x)
    b.STORE(Register(File.MEMORY, shared.index).x, thread.x, t.x)
    b.BARRIER()
    b.ATOMUADD(t.y, buffer, 4, 1)
    assert "0: LOAD TEMP[0].x, BUFFER[0], SV[0].xxxx" in code(b)


def test_geometry_inputs_are_indexed_by_vertex() -> None:
    b = ProgramBuilder("GEOM")
    b.property("GS_INPUT_PRIMITIVE", "TRIANGLES")
    b.property("GS_OUTPUT_PRIMITIVE", "TRIANGLE_STRIP")
    b.property("GS_MAX_OUTPUT_VERTICES", 3)
    position, out = b.input("POSITION"), b.output("POSITION")
    for vertex in range(3):
        b.MOV(out, position[vertex])
        b.EMIT(0)
    b.ENDPRIM(0)
    assert "2: MOV OUT[0], IN[1][0]" in code(b)


def test_immediates_are_pooled() -> None:
    b = ProgramBuilder("VERT")
    assert b.immediate(1.0) == b.immediate(1.0)
    assert b.immediate(1.0, 2.0).swizzle == (0, 1, 1, 1)
    assert b.immediate(3.0, 1.0, 4.0, 1.0).swizzle == (2, 0, 3, 0)
    assert b.immediate(-0.0).index == 1
    assert b.immediate(-1, kind="int").index == 2
    assert b.immediate_words(ImmediateType.FLT64, (0, 0x3FF00000, 0, 0x3FF00000)).index == 3
    assert b.immediate(1e60).letters == "y"
    words = [item.words for item in b.build().immediates]
    assert words[0] == (0x3F800000, 0x40000000, 0x40400000, 0x40800000)
    assert words[1][:2] == (0x80000000, 0x7F800000)


def test_released_temporaries_come_again() -> None:
    b = ProgramBuilder("VERT")
    first = b.temporary()
    b.release(first)
    assert b.temporary() == first
    assert b.temporary() != first
    b.release(first)
    with pytest.raises(ValueError, match="not a temporary in use"):
        b.release(first)


def test_every_opcode_has_a_method_with_its_meaning() -> None:
    for info in available():
        assert info.formula in (getattr(ProgramBuilder, info.name).__doc__ or "")


def test_misuse_is_named() -> None:
    b = ProgramBuilder("VERT")
    out, t = b.output("POSITION"), b.temporary()
    with pytest.raises(ValueError, match="no stage 'PIXEL'"):
        ProgramBuilder("PIXEL")
    with pytest.raises(ValueError, match="MAD takes 1 destinations and 3 sources, not 1 and 2"):
        b.MAD(out, t, t)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="a register or numbers, not str"):
        b.MOV(out, "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="in the order xyzw, not 'yx'"):
        b.MOV(out.yx, t)
    with pytest.raises(ValueError, match="no sign"):
        b.MOV(-out, t)
    with pytest.raises(TypeError, match="not an integer"):
        b.UADD(t, t, 0.5)
    with pytest.raises(AttributeError, match="channels x, y, z, w, not 'r'"):
        t.r  # noqa: B018
    with pytest.raises(RuntimeError, match="directly follow"), b.else_():
        pass
    with pytest.raises(ValueError, match="no semantic 'COLOUR'"):
        b.output("COLOUR")
    with pytest.raises(ValueError, match="none called 'SPEED'"):
        b.property("SPEED", 1)
    with b.loop(), pytest.raises(RuntimeError, match="BGNLOOP is still open"):
        b.build()


def test_public_names_of_the_language() -> None:
    assert tgsi.ProgramBuilder is ProgramBuilder
    program = tgsi.parse("VERT\nDCL OUT[0], POSITION\nEND")
    assert isinstance(program.info, tgsi.ShaderInfo)
    assert tgsi.decode(tgsi.encode(program)) == program
    assert tgsi.dump(program, style="mesa") == "VERT\nDCL OUT[0], POSITION\n  0: END\n"
    assert {"decode", "dump", "encode", "ProgramBuilder", "ShaderInfo"} <= set(tgsi.__all__) & set(dir(tgsi))
