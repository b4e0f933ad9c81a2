"""Diagnostic codes and their explanations, for `tgsi-compile --explain`.

P parse, G GLSL and HLSL, M modules of SPIR-V, V validate, L lint, S semantic limits, K linkage, B backend.
A code keeps its meaning for ever; a retired one is not used again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.foreign_codes import ENTRIES
from tgsi.language.record import record

# One entry a code: a line with the code and its title, then indented lines of explanation.
_ENTRIES = """
P001 unknown shader stage
    The first word of a text names its stage: VERT, FRAG, GEOM, TESS_CTRL, TESS_EVAL, COMP, TASK or MESH.
    The strict dialect has no TASK and MESH.
P003 unexpected text
    Something stands where the syntax wants something else; the message lists what may stand there.
P004 incomplete statement
    A statement ends before all of its parts are there. A newline is only white space, so a statement may go on in the next line, but
    here the next statement begins.
P005 unknown opcode
    The word is not an opcode, or its suffixes are in the wrong order: _SAT comes before _PRECISE. Opcodes added after Mesa 18.1 are refused
    by the strict dialect.
P006 unknown register file
    Registers are written FILE[index], where FILE is one of NULL, CONST, IN, OUT, TEMP, SAMP, ADDR, IMM, SV, IMAGE, SVIEW, BUFFER,
    MEMORY, CONSTBUF, HWATOMIC.
P007 unknown attribute
    The word after a declaration's brackets is not a known semantic, interpolation mode, location or other attribute.
P008 attribute in the wrong place
    Attributes of a declaration have one order: ARRAY(n), LOCAL, semantic, STREAM(a, b, c, d) or PRIMITIVE, interpolation mode,
    location. Some belong to one register file or stage only.
P009 wrong number of operands
    Every opcode takes a fixed number of destinations and sources, then a texture target if it is a texture instruction.
P010 label where none is allowed
    `:n` may follow CAL, IF, UIF, ELSE, BGNLOOP and ENDLOOP only (and BGNSUB in the default dialect).
P011 unknown texture target
    A texture target is one of BUFFER, 1D, 2D, 3D, CUBE, RECT, SHADOW1D, SHADOW2D, SHADOWRECT, 1D_ARRAY, 2D_ARRAY, SHADOW1D_ARRAY,
    SHADOW2D_ARRAY, SHADOWCUBE, 2D_MSAA, 2D_ARRAY_MSAA, CUBEARRAY, SHADOWCUBEARRAY, UNKNOWN.
P012 wrong swizzle
    A source swizzle has exactly four letters of xyzw. The default dialect also takes one letter, `.x` for `.xxxx`.
P013 wrong mask
    A write mask or usage mask names each channel at most once, in the order xyzw, as `.xz`.
P014 modifier on a destination
    Negation and absolute value belong to sources; a destination has a write mask only.
P015 not an operand
    A word stands where a register or another operand belongs.
P016 wrong texture offset
    After the texture target up to four texel offsets may follow, each a register with three letters, as `IMM[0].xyz`.
P017 unknown memory word
    The operands of a memory instruction are followed by COHERENT, RESTRICT or VOLATILE, a texture target, and a format as
    PIPE_FORMAT_R32_UINT.
P018 wrong index component
    An indirect index reads one channel of its register: `ADDR[0].x`.
P019 size is not implied
    `[]` means all vertices of the primitive: after PROPERTY GS_INPUT_PRIMITIVE in a geometry shader, and in the tessellation stages.
    In mesh programs it means all vertices or primitives that the workgroup outputs.
P020 immediate out of order
    The number in IMM[n] counts the immediates that came before.
P021 unknown immediate type
    An immediate is of type FLT32, UINT32, INT32, FLT64, UINT64 or INT64.
P022 wrong number of values
    An immediate has four values of a 32-bit type, or two of a 64-bit type.
P023 wrong value
    The text is not a value of the immediate's type. FLT32 takes decimals or 0x and eight hexadecimal digits, UINT32 and INT32 take
    decimals.
P024 unknown property
    The word after PROPERTY is not a known property.
P025 wrong property value
    Most properties take an unsigned number; primitives, coordinate conventions and the next stage are named.
P026 number too long
    A number has thousands of digits.
P027 wrong return type
    A sampler view is declared with its target and the type that it returns: UNORM, SNORM, SINT, UINT or FLOAT.
P029 extension in strict text
    The form is an extension of the default dialect; Mesa 18.1 does not read it.
P030 format without a number
    Token streams hold formats by Gallium's number, and this name has none. Texts may name any format, but only known ones are encoded.
P031 semantic index beyond 16 bits
    Tokens hold a semantic's index in 16 bits, so a declaration with a larger one cannot be encoded. Texts may have any.
P032 not in Mesa's text
    `--emit mesa` and `tgsi.dump(program, style="mesa")` print what Mesa 18.1 reads back to the same words. Its text cannot say masks
    without channels, views that return several types, values of properties without a name, and attributes of vertex inputs.
P040 token stream ends too soon
    The last statement wants more words than the stream has.
P041 wrong token header
    The first word of a stream holds the size of the header (2 words) and the number of words after it.
P042 unknown token type
    Every statement begins with its type: 0 declaration, 1 immediate, 2 instruction, 3 property. The statement before
    this one has a wrong length.
P043 unknown number
    A field holds a number that no opcode, register file, semantic or other name has.
P044 parts do not fit
    The length of a statement, or the presence of a texture or memory word, does not agree with its opcode and flags.
P045 wrong JSON of a program
    The data are not of the shape that `tgsi-compile --emit json` prints and `tgsi-compile --help` describes. The message begins
    with the path of the entry, as `instructions[3].dst[0].file`.
P050 read differently
    The legacy dialect read a form of 2007 to 2017 as what means the same today. `tgsi-compile --dialect legacy FILE` prints the text of
    today.
V001 END is missing
    A program ends with END. Subroutines, if there are any, follow it.
V002 second END
    A program has one END; only subroutines may follow it.
V003 closing word without its opening word
    ELSE and ENDIF belong to IF or UIF, ENDLOOP to BGNLOOP, CASE, DEFAULT and ENDSWITCH to SWITCH, ENDSUB to BGNSUB.
V004 block is not closed
    Every IF, UIF, BGNLOOP, SWITCH and BGNSUB needs its closing word before the block around it ends.
V005 second ELSE or DEFAULT
    An IF has at most one ELSE, a SWITCH at most one DEFAULT.
V006 BRK or CONT outside
    BRK leaves the innermost loop or switch, CONT goes on with the innermost loop: outside of one they mean nothing.
V008 CAL names no subroutine
    The label of CAL is the number of a BGNSUB, counting all instructions from 0.
V009 recursion
    A subroutine calls itself, directly or through others. TGSI has no stack for that.
V010 subroutine inside a block
    BGNSUB stands at the top level, after the END of the main program.
V011 declaration after instructions
    Declarations and immediates come before the first instruction; Mesa's checker refuses another order. The canonical text puts them in
    front.
V020 register declared twice
    Two declarations of one file and dimension overlap in registers and channels. It is only a warning where both give the same
    semantic.
V021 range runs backwards
    The first register of a range is not greater than its last.
V022 number too large
    Registers are numbered up to 32767 and arrays up to 1023: more does not fit into tokens.
V023 file is not declared
    NULL needs no declaration, immediates are declared by IMM.
V024 array number used twice
    ARRAY(n) names one range of a register file.
V025 semantic used twice
    Two registers of one direction have the same semantic and channel, so the other stage can reach only one of them.
V026 not a system value
    A register of file SV is declared with a semantic that the machine can supply, such as INSTANCEID or THREAD_ID.
V027 COLOR without a semantic
    COLOR is a semantic and an interpolation: where only the latter is set, no text says so. A program made by hand needs a semantic.
V030 undeclared register
    Every register that an instruction names must lie in a declared range. For an indirect access some register of the file must be
    declared.
V032 destination cannot be written
    Instructions write OUT, TEMP, ADDR and NULL; STORE writes BUFFER, IMAGE and MEMORY.
V033 file cannot be read as a value
    Values are read from CONST, IN, OUT, TEMP, ADDR, IMM and SV. Samplers and resources are named only where an opcode expects one.
V034 wrong index register
    An indirect index adds a channel of a register that is read as a value (CONST, IN, OUT, TEMP, ADDR, IMM, SV), which must be declared.
    It has one bracket: CONST means buffer 0, and inputs and outputs with a vertex in their first bracket are copied to a TEMP first.
V035 immediate does not exist
    IMM[n] names the n-th immediate of the program, counted from 0.
V036 number of indices
    CONST and HWATOMIC take one or two indices, per-vertex inputs and outputs two, everything else one. Mesa ignores a first index of
    TEMP: a warning.
V037 vertex outside of the primitive
    The first index of a per-vertex register is less than the number of vertices of the input primitive. In a mesh program it is less than
    MS_MAX_OUTPUT_VERTICES, or MS_MAX_OUTPUT_PRIMITIVES for outputs that exist once a primitive.
V038 wrong kind of operand
    Texture instructions take a SAMP register, SAMPLE instructions an SVIEW and a SAMP, memory instructions a BUFFER, IMAGE, MEMORY,
    CONSTBUF or HWATOMIC.
V039 unknown array
    The array number after an indirect register must be declared with ARRAY(n) for that file.
V040 operand count
    The number of destinations or sources is not that of the opcode. Only programs made in Python can have this mistake, not texts.
V041 wrong write mask
    A write mask has at least one of the bits 1 (x), 2 (y), 4 (z), 8 (w) and no other.
V050 texture target missing or unexpected
    Texture instructions name their target, others do not.
V051 texture target differs from the view's
    The SVIEW of the same number declares another target than the instruction reads.
V052 texture offsets
    Only texture and SAMPLE instructions take offsets, at most four.
V053 wrong memory access
    Only memory instructions take qualifiers, an image target and a format.
V054 texture target cannot be sampled
    UNKNOWN names no texture, and a BUFFER has no filter: it is read by TXF.
V055 no room for the reference value
    Four coordinates fill the one vector of TEX, TXB and TXL, so shadow cube arrays are read by TEX2, TXB2 and TXL2.
V060 opcode of another stage
    KILL, KILL_IF, DDX, DDY, FBFETCH and INTERP_* belong to fragment programs, EMIT and ENDPRIM to geometry programs, BARRIER to compute,
    task, mesh and tessellation control programs, EMIT_MESH_TASKS to task programs, SET_MESH_OUTPUTS to mesh programs.
V061 property of another stage
    The property says something about a stage that this program is not of, and is ignored.
V062 wrong property value
    The property has no meaning for this value.
V063 registers of another stage
    Task programs have no IN and OUT, mesh programs no IN. Their memory is SHARED or PAYLOAD, which other stages do not have: GLOBAL,
    PRIVATE and INPUT belong to compute programs.
V064 mesh program writes the payload
    A task writes the payload; all mesh workgroups that it launches read the same one. Use SHARED memory, or a buffer.
V065 index leaves open which rows are meant
    In a task or mesh program with a payload, MEMORY is named by a number. In a mesh program with outputs of both kinds, an indexed OUT
    register names its array, as `OUT[0][ADDR[0].x](1)`.
V066 output once a primitive, or once a vertex
    PRIMITIVE after an output of a mesh program says that the register exists once a primitive. PRIM_ID, LAYER, VIEWPORT_INDEX,
    VIEWPORT_MASK, CULL_PRIMITIVE and PRIMITIVE_INDICES always do; POSITION, PSIZE, CLIPDIST and CLIPVERTEX never do.
V067 task or mesh program lacks a size or an output
    Task and mesh programs fix the size of their blocks: CS_FIXED_BLOCK_WIDTH, _HEIGHT and _DEPTH. Mesh programs set
    MS_MAX_OUTPUT_VERTICES and MS_MAX_OUTPUT_PRIMITIVES and declare PRIMITIVE_INDICES. Memory that is declared without TS_PAYLOAD_BYTES,
    TS_SHARED_BYTES or MS_SHARED_BYTES has no bytes: a warning.
V068 workgroup too large
    A workgroup of a task or mesh program has at most 1024 threads and 32768 bytes of payload and shared memory together. Outputs of a
    mesh program have at most 128 components (32 registers), of vertices and primitives together.
V090 control flow does not nest
    The control flow of the program could not be read as nested blocks. `tgsi-compile --check` says where.
L001 read before it is written
    No instruction that comes before on any way writes the channel, and its value is needed. Registers begin as 0 here; other drivers leave
    what was there. The lints are off unless --lint, or lint=True in Python, asks for them.
L002 read that may come before the write
    Some way to the instruction does not write the channel. It may be a way that no data takes, so this is a note; it is not judged in
    programs with subroutines, whose ways cannot be told apart.
L003 output never written
    The output is declared, and no instruction writes it. The next stage reads zeros.
L004 output partly written
    A fixed stage, such as the rasterizer or the blender, reads channels of the output that no instruction writes; or, as a note, some way
    to the end does not write what others write.
L010 declaration without a use
    No instruction names the register or the immediate. A part of a range is only a note, and a part of IN and CONST is not reported, since
    their ranges may follow a buffer.
L011 result that is never read
    Every channel that the instruction writes is overwritten or forgotten before it is read.
L020 code that is never reached
    The instruction follows a jump that every lane takes, or stands before the first CASE.
L021 every fragment is discarded
    A discard outside of all blocks, without a condition or with a constant that is below 0, leaves no fragment.
L022 loop that never ends
    No BRK and no RET that a lane can reach leaves the loop.
L023 loop that runs once
    Every way through the loop leaves it before ENDLOOP.
L024 subroutine without a call
    No CAL that a lane can reach names the subroutine.
L030 condition that is always the same
    The condition is an immediate, perhaps copied to a register before.
L031 division by zero
    The divisor is an immediate of 0 in a channel that is read.
L032 texture without a declared view
    The sampler has no SVIEW of its number. Texts before 2014 have none, and all drivers take them; some need the type of texels, and
    take FLOAT.
S001 too many instructions
    The program is longer than the limit set allows.
S002 nested too deep
    Loops, switches and the IFs between them stand inside each other deeper than the limit set allows. Of IFs directly inside of each other
    only two count: they are written one after another.
S003 too many immediates
    The program has more immediates than the limit set allows.
S004 no such constant buffer
    The first index of CONST names one of the constant buffers of the limit set.
S005 register beyond the limit
    The register file has fewer registers in this limit set.
S010 NORMAL is removed
    Fixed-function normals are not a semantic of shaders any more; pass them as GENERIC.
S011 index beyond the semantic's own
    Semantics other than GENERIC have only index 0, but for COLOR, BCOLOR and CLIPDIST (0 and 1), TEXCOORD (0 to 7) and PATCH (0 to 31).
    The last three are younger than the proposal of 2010, which gives all but GENERIC, COLOR and BCOLOR one index.
S012 color index
    COLOR and BCOLOR between two stages have the indices 0 and 1. Color outputs of a fragment program name render targets, 0 to 7.
S013 GENERIC index beyond the limit set
    The limit set says how many GENERIC indices there are: 219 for sm3, 217 if one of the linked programs has a BCOLOR, 256 for byte, 65536
    for our own renderer. Renumbering both programs of a pair (passes.lower.renumber) makes them legal.
S014 too many semantics at once
    The device has fewer interpolators than the program has varyings.
S015 GENERIC indices have gaps
    The limit set wants GENERIC indices from 0 on without gaps.
K001 not a stage before the rasterizer
    The first program of a link is the last one before the rasterizer: a vertex, tessellation evaluation, geometry or mesh program.
K002 not a fragment program
    The second program of a link is a fragment program.
K003 two outputs of one semantic
    Semantics are how the next stage finds a value, so two output registers of a program cannot carry the same name and index.
K004 unmatched input
    The fragment program reads a semantic that no output of the program before it carries, and the link was asked to refuse that. The
    nearest outputs are named.
K005 wrong order of stages
    A chain is VERT, TESS_CTRL, TESS_EVAL, GEOM, FRAG; stages between the first and the last may be left out. Or it is TASK, MESH, FRAG,
    where the first may be left out. Stages of one do not stand in the other.
K006 task and mesh program do not fit
    The payload of a task is memory of each mesh workgroup, too: with the mesh program's MS_SHARED_BYTES it has at most 32768 bytes.
K007 two semantics in one register
    Two declarations give one register different semantics, each for other channels. A link moves whole registers, so the next stage
    would get channels of the other value.
K008 one value of two types
    Two programs that come from GLSL, HLSL or SPIR-V share a value by name, location or semantic, and state different types for it. OpenGL
    refuses to link them. Without names, values between stages are words that have no type.
K010 input reads its default
    The fragment program reads a semantic that no output carries. It reads 0, 0, 0, 1.
K011 output is never read
    No fragment input and no part of the rasterizer reads this output. It costs time and changes nothing.
K012 no interpolation is stated
    A fragment input without an interpolation mode is constant over a primitive, as in Mesa. Colors follow the flatshade state instead.
K013 color comes from the back color
    A fragment input COLOR has no output COLOR of its index to read from, but a BCOLOR of that index, which it reads on both faces.
K014 no position
    The program before the rasterizer writes no POSITION.
K015 output is read and not surely written
    The next stage or the rasterizer reads channels of an output that the program never writes, or writes on some ways through it only.
    What is read there differs by device; the software profile reads 0.
K020 index beyond a byte
    Sets and tables of the linkage utility hold GENERIC 0 to 255. Renumbering the pair (passes.lower.renumber) makes room.
K021 more semantics than slots
    More GENERIC semantics are in use than the layout has slots for.
K022 registers move in one piece
    Token patching moves a declared range or an array as a whole, and the outputs that feed it do not stand side by side.
K030 too many varyings for the device
    The fragment program reads more than the device can carry. Unread declarations do not count.
K031 the device has no such feature
    The device has no such stage, input or instruction, e.g. control flow in fragment programs of nv30.
K032 no carrier for a semantic
    The device has nothing that carries this semantic or this index of it.
K033 two semantics in one place
    Two varyings would share an id or a carrier of the device.
K034 unmatched input on a device
    The value of an input without an output differs by device; often it is not the 0, 0, 0, 1 of the software profile.
K035 device unknown
    The linkage scheme of this device is not known.
K036 quirk of the device
    The link works otherwise than the programs suggest, because the device or its driver does.
K037 side of a polygon cannot be lowered
    Two-sided color and FACE are made of each other where a device has only one; here the inputs or colors for that are taken.
K038 renumbered for the device
    The index is beyond those that the device takes, so the link gives this varying another name in both programs. Programs that are
    linked with several others want an index of the device's limit set instead.
K039 state cannot be lowered
    A state such as clip planes or window positions has no program of the same effect here: an address may reach a register that the
    state changes, a name is taken, or the program has properties that exclude it. The message says which.
B001 not supported by the engine
    The code generator or the renderer does not do this yet; the message names it. The interpreter may: tgsi.run(..., engine='interp').
B004 operand or property not supported
    The code generator knows the opcode, but not this kind of operand, target, system value or property yet.
B005 arrays too large
    Registers that are indexed indirectly live in memory of 1 MiB for each block of invocations, and the program's arrays need more.
B006 stage not supported by the code generator
    The code generator builds vertex and fragment programs.
B040 nested too deep for the engines
    Blocks and calls nest deeper than the engines can follow, and the flags that would stand for some of the blocks have no registers.
B041 calls expand too far
    With every call written out the program is longer than the engines can take.
B042 too long to compile
    Compiling the program would take many seconds and much memory. Shorten or divide it. Fewer lanes cost less, and the interpreter
    compiles nothing.
B051 not supported by the interpreter
    The interpreter does not do this yet; the message names it.
B052 cannot be lowered
    A lowering has no way to write this without the feature that the device lacks; the message names it.
B060 no domain of the tessellator
    Patches become isolines, triangles or quadrilaterals: a TESS_EVAL program says TES_PRIM_MODE 1, 4 or 7.
B062 polygons as lines after a vertex shader that writes memory
    Such a draw goes through memory as triangles, which do not know the edges of quads and polygons. Draw triangles instead.
B063 not a feature of this driver
    The context or the screen has a method of this name because Gallium has one, but this driver does not have the feature.
B064 time limit
    A call took longer than the time_limit of its Screen, or of `tgsi.run`. It was ended: targets and memory that it writes may hold
    any part of its results. The context, and everything else, can be used as before. Clear the targets before the next draws.
B070 no lowering for NVIDIA's mesh shading
    The program is correct, but its lowering to the staging memory of NVIDIA hardware has no way to do this; docs/mesh.md has the list.
B071 beyond NVIDIA's mesh shading
    The hardware has less of this: 32 threads run a workgroup, vertex numbers have 8 bits, and sizes have the widths of their fields.
B080 beyond GLSL
    The program is correct, but GLSL, or the version of it that was asked for, has no words for this; docs/glsl.md has the list.
B081 state that the program cannot have
    A field of the ShaderKey does not fit what the program does; docs/state.md has the fields. Leave it out for this program.
"""


@record
class Explanation:
    """A title that fits on a line, and a paragraph with the way out."""

    title: str
    text: str


def _read(entries: str) -> dict[str, Explanation]:
    matches = re.findall(r"^([A-Z][0-9]{3}) (.+)\n((?:    .+\n)+)", entries, re.MULTILINE)
    table = {code: Explanation(title, " ".join(text.split())) for code, title, text in matches}
    if len(table) != len(matches):
        raise ValueError("a code is explained twice")
    return table


EXPLANATIONS: Mapping[str, Explanation] = MappingProxyType(_read(_ENTRIES + ENTRIES))
"""The explanation of each code."""
