"""Every TGSI opcode: one row each, the only place where its facts are written.

Numbers are those of Mesa 18.1; opcodes marked ``later`` were added after it and use numbers that are gaps there. A row has seven columns:

* number and name;
* types of the destinations, separated by ``/``;
* sources, separated by ``/``: ``TYPE[:MODIFIERS][.READS]``. MODIFIERS is the type that negation and absolute value act on, where it
  differs from TYPE. READS is the channels that are read (``xy``, ``none``) or a rule of `Reads`. Without READS, component-wise opcodes
  read the channels that they write (64-bit ones by the pair rules), and replicated ones read x.
* mode: the way in which channels of the destination depend on those of the sources;
* words: traits (`Trait`); ``flow=`` the part in control flow (`Flow`); ``skip=`` and ``ports=``: see `OpcodeInfo`;
* formula.

Sources: Mesa's opcode table and documentation as collected in the reference of the project. The channels that 64-bit opcodes read were
measured on Mesa 18.1's interpreter.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from tgsi.language.facts.opcode_row import OpcodeInfo, read_row
from tgsi.language.facts.traits import Flow, Mode

__all__ = ["FLOW_NAMES", "GAPS", "OPCODES", "Mode", "OpcodeInfo"]


_N, _C, _R, _D, _O = Mode.NONE, Mode.COMPONENTWISE, Mode.REPLICATE, Mode.CHANNEL_DEPENDENT, Mode.OTHER

Row = tuple[int, str, str, str, Mode, str, str]
"""Number, name, destination types, sources, mode, words, formula."""

# fmt: off
_ROWS: tuple[Row, ...] = (
    (0, "ARL", "int", "float", _C, "", "d.c := int(floor(a.c)), d in ADDR"),
    (1, "MOV", "untyped", "untyped", _C, "copy picks", "d.c := a.c (bit copy; modifiers act as float)"),
    (2, "LIT", "float", "float.xyw", _D, "exact_nan skip=16", "d := (1, max(a.x,0), a.x>0 ? max(a.y,0)^clip(a.w,-128,+128) : 0, 1)"),
    (3, "RCP", "float", "float", _R, "ports=3+0 divides", "d.* := 1 / a.x"),
    (4, "RSQ", "float", "float", _R, "ports=5+0 divides", "d.* := a.x^(-1/2); unspecified for a.x<=0, no implied abs"),
    (5, "EXP", "float", "float.x", _D, "skip=10", "let k=floor(a.x): d := (2^k, a.x-k, 2^a.x, 1)"),
    (6, "LOG", "float", "float.x", _D, "skip=10", "let v=|a.x|, k=floor(log2 v): d := (k, v*2^-k, log2 v, 1)"),
    (7, "MUL", "float", "float/float", _C, "product commutative ports=1+0", "d.c := a.c*b.c"),
    (8, "ADD", "float", "float/float", _C, "commutative ports=0+1", "d.c := a.c+b.c"),
    (9, "DP3", "float", "float.xyz/float.xyz", _R, "product commutative ports=3+2", "d.* := sum over {x,y,z} of a.c*b.c"),
    (10, "DP4", "float", "float.xyzw/float.xyzw", _R, "product commutative ports=4+3", "d.* := sum over {x,y,z,w} of a.c*b.c"),
    (11, "DST", "float", "float.yz/float.yw", _D, "product", "d := (1, a.y*b.y, a.z, b.w)"),
    (12, "MIN", "float", "float/float", _C, "picks ports=0+1", "d.c := a.c<b.c ? a.c : b.c; -0 is below +0"),
    (13, "MAX", "float", "float/float", _C, "picks ports=0+1", "d.c := a.c>b.c ? a.c : b.c; -0 is below +0"),
    (14, "SLT", "float", "float/float", _C, "exact_nan ports=1+0", "d.c := [a.c < b.c] as 1.0/0.0"),
    (15, "SGE", "float", "float/float", _C, "exact_nan ports=1+0", "d.c := [a.c >= b.c] as 1.0/0.0"),
    (16, "MAD", "float", "float/float/float", _C, "product commutative ports=1+1", "d.c := a.c*b.c + e.c, two roundings"),
    (17, "TEX_LZ", "untyped", "float.coordinates/untyped.sampler", _O, "tex filter one_vector", "d := filter(unit=b, P=a.xyz, lod=0)"),
    (18, "LRP", "float", "float/float/float", _C, "product ports=1+2", "d.c := a.c*(b.c-e.c) + e.c"),
    (19, "FMA", "float", "float/float/float", _C, "product commutative ports=1+0", "d.c := rnd(a.c*b.c + e.c), a single rounding"),
    (20, "SQRT", "float", "float", _R, "ports=3+0", "d.* := a.x^(1/2); unspecified for a.x<0"),
    (21, "LDEXP", "float", "float/int:untyped", _C, "", "d.c := a.c * 2^(int b.c)"),
    (22, "F2U64", "uint64", "float", _C, "", "d.xy := uint64(trunc a.x); d.zw := uint64(trunc a.y)"),
    (23, "F2I64", "int64", "float", _C, "", "d.xy := int64(trunc a.x); d.zw := int64(trunc a.y)"),
    (24, "FRC", "float", "float", _C, "ports=1+1", "d.c := a.c - floor(a.c); 0 for an infinity"),
    (25, "TXF_LZ", "untyped", "int.coordinates/untyped.sampler", _O, "tex fetch", "d := texel(unit=b, integer position a.xyz, level 0)"),
    (26, "FLR", "float", "float", _C, "", "d.c := floor(a.c)"),
    (27, "ROUND", "float", "float", _C, "", "d.c := nearest integer to a.c (ties: to even)"),
    (28, "EX2", "float", "float", _R, "exact_nan skip=6 ports=8+9", "d.* := 2^a.x"),
    (29, "LG2", "float", "float", _R, "exact_nan skip=6 ports=11+12", "d.* := log2(a.x)"),
    (30, "POW", "float", "float/float", _R, "exact_nan skip=16 ports=40+30", "d.* := a.x ^ b.x"),
    (31, "DEMOTE", "", "", _N, "later kill", "become a helper lane: no more writes, derivatives stay defined"),
    (32, "U2I64", "int64", "uint", _C, "", "d.xy := zext64(a.x); d.zw := zext64(a.y)"),
    (33, "CLOCK", "uint", "", _O, "volatile", "d.xy := 64-bit monotone shader time (low, high)"),
    (34, "I2I64", "int64", "int", _C, "", "d.xy := sext64(a.x); d.zw := sext64(a.y)"),
    (35, "READ_HELPER", "uint", "", _C, "later helper", "d := ~0 when this lane is a helper (also after DEMOTE) else 0"),
    (36, "COS", "float", "float", _R, "exact_nan skip=10 ports=14+10", "d.* := cos(a.x), radians"),
    (37, "DDX", "float", "float", _C, "derivative", "d.c := da.c/dX over the 2x2 quad, may be one value per quad"),
    (38, "DDY", "float", "float", _C, "derivative", "d.c := da.c/dY over the 2x2 quad, may be one value per quad"),
    (39, "KILL", "", "", _N, "kill", "live := false for every active fragment"),
    (40, "PK2H", "uint", "float.xy", _R, "", "d.* := bits f16(a.x) | f16(a.y)<<16"),
    (41, "PK2US", "uint", "float.xy", _R, "", "d.* := bits unorm16(a.x) | unorm16(a.y)<<16"),
    (42, "PK4B", "uint", "float.xyzw", _R, "", "d.* := bits of snorm8(a.x), (a.y)<<8, (a.z)<<16, (a.w)<<24"),
    (43, "PK4UB", "uint", "float.xyzw", _R, "", "d.* := bits of unorm8(a.x), (a.y)<<8, (a.z)<<16, (a.w)<<24"),
    (44, "D2U64", "uint64", "double", _C, "", "d.xy := uint64(trunc a.xy); d.zw likewise from a.zw"),
    (45, "SEQ", "float", "float/float", _C, "exact_nan commutative ports=1+0", "d.c := [a.c = b.c] as 1.0/0.0"),
    (46, "D2I64", "int64", "double", _C, "", "d.xy := int64(trunc a.xy); d.zw likewise from a.zw"),
    (47, "SGT", "float", "float/float", _C, "exact_nan ports=1+0", "d.c := [a.c > b.c] as 1.0/0.0"),
    (48, "SIN", "float", "float", _R, "exact_nan skip=10 ports=9+7", "d.* := sin(a.x), radians"),
    (49, "SLE", "float", "float/float", _C, "exact_nan ports=1+0", "d.c := [a.c <= b.c] as 1.0/0.0"),
    (50, "SNE", "float", "float/float", _C, "exact_nan commutative ports=1+0", "d.c := [a.c != b.c] as 1.0/0.0"),
    (51, "U642D", "double", "uint64", _C, "exact_nan", "d.xy := double(uint64 a.xy); d.zw likewise"),
    (52, "TEX", "untyped", "float.coordinates/untyped.sampler", _O, "tex implicit_lod filter one_vector", "d := filter(unit=b, P=a, ref=a.z or a.w by target, implicit lod)"),  # noqa: E501
    (53, "TXD", "untyped", "float.coordinates/float.gradient/float.gradient/untyped.sampler", _O, "tex filter one_vector", "d := filter(unit=f, P=a, dP/dX=b, dP/dY=e)   (f = 4th source)"),  # noqa: E501
    (54, "TXP", "untyped", "float.coordinates_w/untyped.sampler", _O, "tex implicit_lod filter one_vector", "d := filter(unit=b, P=a.xyz/a.w, implicit lod)"),  # noqa: E501
    (55, "UP2H", "float", "uint.x", _D, "", "lo=f16(a.x & 0xffff), hi=f16(a.x>>16): d := (lo, hi, lo, hi)"),
    (56, "UP2US", "float", "uint.x", _D, "exact_nan", "d := unorm16 halves of a.x as (lo, hi, lo, hi)"),
    (57, "UP4B", "float", "uint.x", _D, "exact_nan", "d.c := snorm8(byte c of a.x)"),
    (58, "UP4UB", "float", "uint.x", _D, "exact_nan", "d.c := unorm8(byte c of a.x)"),
    (59, "U642F", "float", "uint64", _C, "exact_nan", "first written d.c := float(uint64 p), p=a.xy; second: p=a.zw"),
    (60, "I642F", "float", "int64", _C, "exact_nan", "first written d.c := float(int64 p), p=a.xy; second: p=a.zw"),
    (61, "ARR", "int", "float", _C, "", "d.c := int(round(a.c)), d in ADDR; floor(a.c+0.5)"),
    (62, "I642D", "double", "int64", _C, "exact_nan", "d.xy := double(int64 a.xy); d.zw likewise"),
    (63, "CAL", "", "", _N, "label flow=call", "push(pc+1); pc := label (per-lane execution mask is saved)"),
    (64, "RET", "", "", _N, "flow=return", "return from the subroutine for active lanes; in main: stop them"),
    (65, "SSG", "float", "float", _C, "exact_nan", "d.c := sign(a.c) in {-1,0,+1}"),
    (66, "CMP", "float", "float/float/float", _C, "picks ports=1+0", "d.c := a.c<0 ? b.c : e.c"),
    (68, "TXB", "untyped", "float.coordinates_w/untyped.sampler", _O, "tex implicit_lod filter one_vector", "d := filter(unit=b, P=a.xyz, implicit lod + a.w)"),  # noqa: E501
    (69, "FBFETCH", "untyped", "untyped.target", _O, "framebuffer", "d := colour stored at this pixel of the COLOR output named by a, before this invocation"),  # noqa: E501
    (70, "DIV", "float", "float/float", _C, "ports=2+0 divides", "d.c := a.c / b.c"),
    (71, "DP2", "float", "float.xy/float.xy", _R, "product commutative ports=2+1", "d.* := a.x*b.x + a.y*b.y"),
    (72, "TXL", "untyped", "float.coordinates_w/untyped.sampler", _O, "tex filter one_vector", "d := filter(unit=b, P=a.xyz, lod=a.w)"),
    (73, "BRK", "", "", _N, "flow=break", "leave the innermost loop or switch for active lanes"),
    (74, "IF", "", "float.x", _N, "label indent flow=if", "push mask; mask &= [a.x != 0.0]"),
    (75, "UIF", "", "uint.x", _N, "label indent flow=if", "push mask; mask &= [bits(a.x) != 0]"),
    (76, "READ_INVOC", "untyped", "untyped/uint.x", _C, "subgroup picks", "d.c := a.c of lane number b.x (b.x must be subgroup-uniform)"),
    (77, "ELSE", "", "", _N, "label dedent indent flow=else", "mask := saved mask & ~mask of the IF arm"),
    (78, "ENDIF", "", "", _N, "dedent flow=endif", "mask := pop"),
    (79, "DDX_FINE", "float", "float", _C, "derivative", "d.c := da.c/dX, own value per quad row"),
    (80, "DDY_FINE", "float", "float", _C, "derivative", "d.c := da.c/dY, own value per quad column"),
    (83, "CEIL", "float", "float", _C, "", "d.c := ceil(a.c)"),
    (84, "I2F", "float", "int", _C, "exact_nan", "d.c := float(int a.c)"),
    (85, "NOT", "uint", "uint", _C, "", "d.c := bitwise complement of a.c"),
    (86, "TRUNC", "float", "float", _C, "", "d.c := a.c rounded toward zero"),
    (87, "SHL", "uint", "uint/uint", _C, "", "d.c := a.c << (b.c & 31), low 32 bits"),
    (88, "BALLOT", "uint", "float.x", _O, "subgroup active", "d.xy := 64-bit mask of active lanes with a.x != 0"),
    (89, "AND", "uint", "uint/uint", _C, "commutative", "d.c := a.c and b.c, bitwise"),
    (90, "OR", "uint", "uint/uint", _C, "commutative", "d.c := a.c or b.c, bitwise"),
    (91, "MOD", "int", "int/int", _C, "divides", "d.c := signed remainder a.c rem b.c; gives ~0 for b.c=0"),
    (92, "XOR", "uint", "uint/uint", _C, "commutative", "d.c := a.c xor b.c, bitwise"),
    (94, "TXF", "untyped", "int.coordinates_w/untyped.sampler", _O, "tex fetch", "d := texel(unit=b, integer position a.xyz (+ offset), level or sample a.w)"),  # noqa: E501
    (95, "TXQ", "int", "int.x/untyped.sampler", _O, "tex query", "d := (width, height, depth-or-layers, number of levels) of unit b at level a.x"),  # noqa: E501
    (96, "CONT", "", "", _N, "flow=continue", "active lanes skip to the end of the loop body"),
    (97, "EMIT", "", "int.x", _N, "emit stream", "append current outputs as a vertex to stream a.x"),
    (98, "ENDPRIM", "", "int.x", _N, "stream", "close the primitive being built on stream a.x"),
    (99, "BGNLOOP", "", "", _N, "label indent flow=loop", "start of an endless loop; left only by BRK/RET"),
    (100, "BGNSUB", "", "", _N, "indent flow=subroutine", "start of a subroutine body (target of CAL)"),
    (101, "ENDLOOP", "", "", _N, "label dedent flow=endloop", "if any lane is active go back to BGNLOOP, else fall through"),
    (102, "ENDSUB", "", "", _N, "dedent flow=endsubroutine", "end of the subroutine body; acts like RET"),
    (103, "ATOMFADD", "float", "untyped.resource/uint.address/float.x", _O, "mem store later atomic", "atomic on resource a at b: d.x := old; new := old + e.x (float)"),  # noqa: E501
    (104, "TXQS", "int", "untyped.sampler", _O, "tex query", "d.x := number of samples of unit a (1 when not multisampled)"),
    (105, "RESQ", "int", "untyped.resource", _O, "mem query", "buffer a: d.x := bytes; image a: d := (width, height, depth-or-layers, samples)"),  # noqa: E501
    (106, "READ_FIRST", "untyped", "untyped", _C, "subgroup active picks", "d.c := a.c of the lowest-numbered active lane"),
    (107, "NOP", "", "", _N, "nothing", "no effect"),
    (108, "FSEQ", "int", "float/float", _C, "commutative ports=1+0", "d.c := [a.c = b.c] as ~0/0, ordered"),
    (109, "FSGE", "int", "float/float", _C, "ports=1+0", "d.c := [a.c >= b.c] as ~0/0, ordered"),
    (110, "FSLT", "int", "float/float", _C, "ports=1+0", "d.c := [a.c < b.c] as ~0/0, ordered"),
    (111, "FSNE", "int", "float/float", _C, "commutative ports=1+0", "d.c := [a.c != b.c] as ~0/0, unordered (NaN gives ~0)"),
    (112, "MEMBAR", "", "uint.x", _O, "", "wait for memory traffic of the classes in bit set a.x (1 ssbo, 2 atomic, 4 image, 8 shared, 16 group scope)"),  # noqa: E501
    (116, "KILL_IF", "", "float.xyzw", _N, "kill", "live &= not (a.x<0 or a.y<0 or a.z<0 or a.w<0)"),
    (117, "END", "", "", _N, "flow=end", "end of the main program"),
    (118, "DFMA", "double", "double/double/double", _C, "commutative", "d.xy := rnd(a.xy*b.xy+e.xy), a single rounding; d.zw likewise"),
    (119, "F2I", "int", "float", _C, "", "d.c := int(trunc a.c); out of range or NaN unspecified"),
    (120, "IDIV", "int", "int/int", _C, "divides", "d.c := a.c/b.c toward zero, signed; 0 when b.c=0"),
    (121, "IMAX", "int", "int/int", _C, "commutative", "d.c := signed max(a.c,b.c)"),
    (122, "IMIN", "int", "int/int", _C, "commutative", "d.c := signed min(a.c,b.c)"),
    (123, "INEG", "int", "int", _C, "", "d.c := -a.c mod 2^32"),
    (124, "ISGE", "int", "int/int", _C, "", "d.c := [a.c >= b.c, signed] as ~0/0"),
    (125, "ISHR", "int", "int/int", _C, "", "d.c := a.c >> (b.c & 31), sign filled"),
    (126, "ISLT", "int", "int/int", _C, "", "d.c := [a.c < b.c, signed] as ~0/0"),
    (127, "F2U", "uint", "float", _C, "", "d.c := uint(trunc a.c); out of range or NaN unspecified"),
    (128, "U2F", "float", "uint", _C, "exact_nan", "d.c := float(uint a.c)"),
    (129, "UADD", "uint", "uint/uint", _C, "commutative", "d.c := (a.c+b.c) mod 2^32"),
    (130, "UDIV", "uint", "uint/uint", _C, "divides", "d.c := a.c/b.c unsigned; ~0 when b.c=0"),
    (131, "UMAD", "uint", "uint/uint/uint", _C, "commutative", "d.c := (a.c*b.c+e.c) mod 2^32"),
    (132, "UMAX", "uint", "uint/uint", _C, "commutative", "d.c := unsigned max(a.c,b.c)"),
    (133, "UMIN", "uint", "uint/uint", _C, "commutative", "d.c := unsigned min(a.c,b.c)"),
    (134, "UMOD", "uint", "uint/uint", _C, "divides", "d.c := a.c rem b.c unsigned; ~0 when b.c=0"),
    (135, "UMUL", "uint", "uint/uint", _C, "commutative", "d.c := (a.c*b.c) mod 2^32"),
    (136, "USEQ", "uint", "uint/uint", _C, "commutative", "d.c := [a.c = b.c] as ~0/0"),
    (137, "USGE", "uint", "uint/uint", _C, "", "d.c := [a.c >= b.c, unsigned] as ~0/0"),
    (138, "USHR", "uint", "uint/uint", _C, "", "d.c := a.c >> (b.c & 31), zero filled"),
    (139, "USLT", "uint", "uint/uint", _C, "", "d.c := [a.c < b.c, unsigned] as ~0/0"),
    (140, "USNE", "uint", "uint/uint", _C, "commutative", "d.c := [a.c != b.c] as ~0/0"),
    (141, "SWITCH", "", "uint.x", _N, "flow=switch", "open a switch on the bits of a.x"),
    (142, "CASE", "", "uint.x", _N, "flow=case", "lanes whose selector equals a.x become active (fall-through kept)"),
    (143, "DEFAULT", "", "", _N, "flow=default", "lanes matched by no CASE become active"),
    (144, "ENDSWITCH", "", "", _N, "flow=endswitch", "close the switch, restore the mask"),
    (145, "SAMPLE", "untyped", "float.xyzw/untyped.view/untyped.sampler", _O, "sample implicit_lod filter", "d := filter(view=b, sampler=e, P=a)"),  # noqa: E501
    (146, "SAMPLE_I", "untyped", "int.xyzw/untyped.view", _O, "sample fetch", "d := texel(view=b, unsigned position a.xyz, level a.w); 0 outside"),  # noqa: E501
    (147, "SAMPLE_I_MS", "untyped", "int.xyz/untyped.view/int.x", _O, "sample fetch", "d := texel(view=b, unsigned position a, sample e.x); 0 outside"),  # noqa: E501
    (148, "SAMPLE_B", "untyped", "float.xyzw/untyped.view/untyped.sampler/float.x", _O, "sample implicit_lod filter", "d := filter(view=b, sampler=e, P=a, implicit lod + f.x)"),  # noqa: E501
    (149, "SAMPLE_C", "untyped", "float.xyzw/untyped.view/untyped.sampler/float.x", _O, "sample implicit_lod filter", "d := filter of [f.x cmp texel.r] (view=b, sampler=e, P=a)"),  # noqa: E501
    (150, "SAMPLE_C_LZ", "untyped", "float.xyzw/untyped.view/untyped.sampler/float.x", _O, "sample filter", "as SAMPLE_C at lod 0"),
    (151, "SAMPLE_D", "untyped", "float.xyzw/untyped.view/untyped.sampler/float.xyz/float.xyz", _O, "sample filter", "d := filter(view=b, sampler=e, P=a, dP/dX=f, dP/dY=g)"),  # noqa: E501
    (152, "SAMPLE_L", "untyped", "float.xyzw/untyped.view/untyped.sampler/float.x", _O, "sample filter", "d := filter(view=b, sampler=e, P=a, lod=f.x)"),  # noqa: E501
    (153, "GATHER4", "untyped", "float.xyzw/untyped.view/untyped.sampler", _O, "sample filter", "d := one component of the four bilinear texels of view b, sampler e at P=a, order (-,+),(+,+),(+,-),(-,-)"),  # noqa: E501
    (154, "SVIEWINFO", "int", "int.x/untyped.view", _O, "", "d := uint (width, height, depth-or-layers, levels) of view b at level a.x; sizes 0 when a.x is out of range"),  # noqa: E501
    (155, "SAMPLE_POS", "float", "untyped.target/int.x", _O, "", "d.xy := position in [0,1]^2 of sample b.x of view/target a; (1/2,1/2) when single-sampled"),  # noqa: E501
    (156, "SAMPLE_INFO", "float", "untyped.target/int.none", _O, "", "d := (number of samples of view/target a,0,0,0); 1 when single-sampled"),  # noqa: E501
    (157, "UARL", "int", "int", _C, "", "d.c := integer bits a.c, d in ADDR"),
    (158, "UCMP", "untyped", "uint/untyped/untyped", _C, "picks", "d.c := bits(a.c)!=0 ? b.c : e.c (b,e carry float modifiers)"),
    (159, "IABS", "int", "int", _C, "", "d.c := |int a.c|"),
    (160, "ISSG", "int", "int", _C, "", "d.c := sign(int a.c) in {-1,0,+1}"),
    (161, "LOAD", "untyped", "untyped.resource/uint.address", _O, "mem load", "d := data of BUFFER/IMAGE/MEMORY/CONSTBUF a at integer address b, no filter, swizzle of a applied"),  # noqa: E501
    (162, "STORE", "untyped", "uint.address/untyped.stored", _O, "mem store", "resource d at address a.x (buffer/memory, bytes) or texel a (image) := b under the write mask of d"),  # noqa: E501
    (163, "IMG2HND", "uint64", "untyped.image", _O, "later", "d.xy := 64-bit bindless handle of image a"),
    (164, "SAMP2HND", "uint64", "untyped.sampler", _O, "tex later", "d.xy := 64-bit bindless handle of texture+sampler a"),
    (166, "BARRIER", "", "", _O, "mem barrier", "each thread waits until the whole block is here"),
    (167, "ATOMUADD", "uint", "untyped.resource/uint.address/uint.x", _O, "mem store atomic any_order", "atomic on resource a at b: d.x := old; new := old + e.x"),  # noqa: E501
    (168, "ATOMXCHG", "uint", "untyped.resource/uint.address/uint.x", _O, "mem store atomic", "atomic on resource a at b: d.x := old; new := e.x"),  # noqa: E501
    (169, "ATOMCAS", "uint", "untyped.resource/uint.address/uint.x/uint.x", _O, "mem store atomic", "atomic on resource a at b: d.x := old; new := old=e.x ? f.x : old"),  # noqa: E501
    (170, "ATOMAND", "uint", "untyped.resource/uint.address/uint.x", _O, "mem store atomic any_order", "atomic on resource a at b: d.x := old; new := old and e.x"),  # noqa: E501
    (171, "ATOMOR", "uint", "untyped.resource/uint.address/uint.x", _O, "mem store atomic any_order", "atomic on resource a at b: d.x := old; new := old or e.x"),  # noqa: E501
    (172, "ATOMXOR", "uint", "untyped.resource/uint.address/uint.x", _O, "mem store atomic any_order", "atomic on resource a at b: d.x := old; new := old xor e.x"),  # noqa: E501
    (173, "ATOMUMIN", "uint", "untyped.resource/uint.address/uint.x", _O, "mem store atomic any_order", "atomic on resource a at b: d.x := old; new := unsigned min(old,e.x)"),  # noqa: E501
    (174, "ATOMUMAX", "uint", "untyped.resource/uint.address/uint.x", _O, "mem store atomic any_order", "atomic on resource a at b: d.x := old; new := unsigned max(old,e.x)"),  # noqa: E501
    (175, "ATOMIMIN", "int", "untyped.resource/uint.address/int.x", _O, "mem store atomic any_order", "atomic on resource a at b: d.x := old; new := signed min(old,e.x)"),  # noqa: E501
    (176, "ATOMIMAX", "int", "untyped.resource/uint.address/int.x", _O, "mem store atomic any_order", "atomic on resource a at b: d.x := old; new := signed max(old,e.x)"),  # noqa: E501
    (177, "TEX2", "untyped", "float.coordinates/float.x/untyped.sampler", _O, "tex implicit_lod filter", "d := filter(unit=e, P=a (4 coordinates), ref=b.x): shadow cube arrays"),  # noqa: E501
    (178, "TXB2", "untyped", "float.coordinates/float.x/untyped.sampler", _O, "tex implicit_lod filter", "d := filter(unit=e, P=a, implicit lod + b.x)"),  # noqa: E501
    (179, "TXL2", "untyped", "float.coordinates/float.x/untyped.sampler", _O, "tex filter", "d := filter(unit=e, P=a, lod=b.x)"),
    (180, "IMUL_HI", "int", "int/int", _C, "commutative", "d.c := high 32 bits of the signed 64-bit product a.c*b.c"),
    (181, "UMUL_HI", "uint", "uint/uint", _C, "commutative", "d.c := high 32 bits of the unsigned 64-bit product a.c*b.c"),
    (182, "TG4", "untyped", "float.coordinates/int.x/untyped.sampler", _O, "tex filter", "d := the four bilinear texels of unit e at P=a, component index b.x (or shadow reference b.x for cube arrays)"),  # noqa: E501
    (183, "LODQ", "float", "float.coordinates/untyped.sampler", _O, "tex implicit_lod filter query", "d.xy := (clamped lod actually used, raw lod) for unit b at P=a"),  # noqa: E501
    (184, "IBFE", "int", "int/int/int", _C, "", "d.c := bits [b.c, b.c+e.c) of a.c, sign extended; e.c=0 gives 0; b.c=0, e.c=32 give a.c"),
    (185, "UBFE", "uint", "uint/uint/uint", _C, "", "d.c := bits [b.c, b.c+e.c) of a.c, zero extended; e.c=0 gives 0; b.c=0, e.c=32 give a.c"),  # noqa: E501
    (186, "BFI", "uint", "uint/uint/uint/uint", _C, "", "d.c := a.c with bits [e.c, e.c+f.c) replaced by the low bits of b.c; e.c=0, f.c=32 give b.c"),  # noqa: E501
    (187, "BREV", "uint", "uint", _C, "", "d.c := bits of a.c in reverse order"),
    (188, "POPC", "uint", "uint", _C, "", "d.c := number of one bits of a.c"),
    (189, "LSB", "uint", "uint", _C, "", "d.c := index of the lowest one bit, -1 if none"),
    (190, "IMSB", "int", "int", _C, "", "d.c := index of the highest bit differing from the sign bit, -1 if none"),
    (191, "UMSB", "uint", "uint", _C, "", "d.c := index of the highest one bit, -1 if none"),
    (192, "INTERP_CENTROID", "float", "float.varying", _O, "interpolate", "d := input a evaluated at the centroid"),
    (193, "INTERP_SAMPLE", "float", "float.varying/int.x", _O, "interpolate", "d := input a evaluated at sample number b.x"),
    (194, "INTERP_OFFSET", "float", "float.varying/float.xy", _O, "interpolate", "d := input a evaluated at pixel centre + (b.x,b.y)"),
    (195, "F2D", "double", "float", _C, "", "d.xy := double(a.x); d.zw := double(a.y)"),
    (196, "D2F", "float", "double", _C, "", "first written d.c := float(p), p=a.xy; second: p=a.zw"),
    (197, "DABS", "double", "double", _C, "picks", "d.xy := |a.xy|; d.zw := |a.zw|"),
    (198, "DNEG", "double", "double", _C, "picks", "d.xy := -a.xy; d.zw := -a.zw"),
    (199, "DADD", "double", "double/double", _C, "commutative", "d.xy := a.xy+b.xy; zw likewise"),
    (200, "DMUL", "double", "double/double", _C, "commutative", "d.xy := a.xy*b.xy; zw likewise"),
    (201, "DMAX", "double", "double/double", _C, "picks", "d.xy := max(a.xy,b.xy); zw likewise"),
    (202, "DMIN", "double", "double/double", _C, "picks", "d.xy := min(a.xy,b.xy); zw likewise"),
    (203, "DSLT", "int", "double/double", _C, "", "d.x := [a.xy < b.xy] as ~0/0; d.z from zw"),
    (204, "DSGE", "int", "double/double", _C, "", "d.x := [a.xy >= b.xy] as ~0/0; d.z from zw"),
    (205, "DSEQ", "int", "double/double", _C, "commutative", "d.x := [a.xy = b.xy] as ~0/0; d.z from zw"),
    (206, "DSNE", "int", "double/double", _C, "commutative", "d.x := [a.xy != b.xy] as ~0/0; d.z from zw"),
    (207, "DRCP", "double", "double", _C, "divides", "d.xy := 1/a.xy; zw likewise"),
    (208, "DSQRT", "double", "double", _C, "", "d.xy := sqrt(a.xy); zw likewise"),
    (209, "DMAD", "double", "double/double/double", _C, "commutative", "d.xy := a.xy*b.xy+e.xy; zw likewise"),
    (210, "DFRAC", "double", "double", _C, "", "d.xy := a.xy-floor(a.xy); zw likewise"),
    (211, "DLDEXP", "double", "double/int", _C, "", "d.xy := a.xy*2^(int b.x); d.zw := a.zw*2^(int b.z)"),
    (212, "DFRACEXP", "double/int", "double.xy", _R, "", "a.xy = m*2^k: d0.xy = d0.zw := m, d1.* := int k"),
    (213, "D2I", "int", "double", _C, "", "first written d.c := int(trunc p), p=a.xy; second: p=a.zw"),
    (214, "I2D", "double", "int", _C, "exact_nan", "d.xy := double(int a.x); d.zw := double(int a.y)"),
    (215, "D2U", "uint", "double", _C, "", "first written d.c := uint(trunc p), p=a.xy; second: p=a.zw"),
    (216, "U2D", "double", "uint", _C, "exact_nan", "d.xy := double(uint a.x); d.zw := double(uint a.y)"),
    (217, "DRSQ", "double", "double", _C, "divides", "d.xy := a.xy^(-1/2); zw likewise"),
    (218, "DTRUNC", "double", "double", _C, "", "d.xy := trunc(a.xy); zw likewise"),
    (219, "DCEIL", "double", "double", _C, "", "d.xy := ceil(a.xy); zw likewise"),
    (220, "DFLR", "double", "double", _C, "", "d.xy := floor(a.xy); zw likewise"),
    (221, "DROUND", "double", "double", _C, "", "d.xy := round(a.xy); zw likewise"),
    (222, "DSSG", "double", "double", _C, "exact_nan", "d.xy := sign(a.xy); zw likewise"),
    (223, "VOTE_ANY", "uint", "float", _R, "subgroup active", "d := ~0 if any active lane has a.x != 0 else 0"),
    (224, "VOTE_ALL", "uint", "float", _R, "subgroup active", "d := ~0 if every active lane has a.x != 0 else 0"),
    (225, "VOTE_EQ", "uint", "untyped", _R, "subgroup active", "d := ~0 if a.x is equal in all active lanes else 0"),
    (226, "U64SEQ", "int", "uint64/uint64", _C, "commutative", "d.x := [a.xy = b.xy] as ~0/0; d.z from zw"),
    (227, "U64SNE", "int", "uint64/uint64", _C, "commutative", "d.x := [a.xy != b.xy] as ~0/0; d.z from zw"),
    (228, "I64SLT", "int", "int64/int64", _C, "", "d.x := [a.xy < b.xy, signed] as ~0/0; d.z from zw"),
    (229, "U64SLT", "int", "uint64/uint64", _C, "", "d.x := [a.xy < b.xy, unsigned] as ~0/0; d.z from zw"),
    (230, "I64SGE", "int", "int64/int64", _C, "", "d.x := [a.xy >= b.xy, signed] as ~0/0; d.z from zw"),
    (231, "U64SGE", "int", "uint64/uint64", _C, "", "d.x := [a.xy >= b.xy, unsigned] as ~0/0; d.z from zw"),
    (232, "I64MIN", "int64", "int64/int64", _C, "commutative", "d.xy := signed min(a.xy,b.xy); zw likewise"),
    (233, "U64MIN", "uint64", "uint64/uint64", _C, "commutative", "d.xy := unsigned min(a.xy,b.xy); zw likewise"),
    (234, "I64MAX", "int64", "int64/int64", _C, "commutative", "d.xy := signed max(a.xy,b.xy); zw likewise"),
    (235, "U64MAX", "uint64", "uint64/uint64", _C, "commutative", "d.xy := unsigned max(a.xy,b.xy); zw likewise"),
    (236, "I64ABS", "int64", "int64", _C, "", "d.xy := |int64 a.xy|; zw likewise"),
    (237, "I64SSG", "int64", "int64", _C, "", "d.xy := sign(int64 a.xy); zw likewise"),
    (238, "I64NEG", "int64", "int64", _C, "", "d.xy := -a.xy mod 2^64; zw likewise"),
    (239, "U64ADD", "uint64", "uint64/uint64", _C, "commutative", "d.xy := (a.xy+b.xy) mod 2^64; zw likewise"),
    (240, "U64MUL", "uint64", "uint64/uint64", _C, "commutative", "d.xy := (a.xy*b.xy) mod 2^64; zw likewise"),
    (241, "U64SHL", "uint64", "uint64/uint64.counts", _C, "", "d.xy := a.xy << (n0 & 63); d.zw := a.zw << (n1 & 63); n0=b.x; n1=b.z"),
    (242, "I64SHR", "int64", "int64/int64.counts", _C, "", "as U64SHL but >> with sign fill"),
    (243, "U64SHR", "uint64", "uint64/uint64.counts", _C, "", "as U64SHL but >> with zero fill"),
    (244, "I64DIV", "int64", "int64/int64", _C, "divides", "d.xy := a.xy/b.xy signed; zw likewise; 0 for divisor 0"),
    (245, "U64DIV", "uint64", "uint64/uint64", _C, "divides", "d.xy := a.xy/b.xy unsigned; zw likewise; ~0 for divisor 0"),
    (246, "I64MOD", "int64", "int64/int64", _C, "divides", "d.xy := a.xy rem b.xy signed; zw likewise; ~0 for divisor 0"),
    (247, "U64MOD", "uint64", "uint64/uint64", _C, "divides", "d.xy := a.xy rem b.xy unsigned; zw likewise; ~0 for divisor 0"),
    (248, "DDIV", "double", "double/double", _C, "divides", "d.xy := a.xy/b.xy; zw likewise"),
    (249, "LOD", "float", "float.xyzw/untyped.view/untyped.sampler", _O, "implicit_lod filter", "d := (clamped lod, raw lod, 0, 0) for view b, sampler e at P=a"),  # noqa: E501
    (250, "ATOMINC_WRAP", "uint", "untyped.resource/uint.address/uint.x", _O, "mem store later atomic", "atomic: d.x := old; new := old>=e.x ? 0 : old+1"),  # noqa: E501
    (251, "ATOMDEC_WRAP", "uint", "untyped.resource/uint.address/uint.x", _O, "mem store later atomic", "atomic: d.x := old; new := (old=0 or old>e.x) ? e.x : old-1"),  # noqa: E501
    (252, "EMIT_MESH_TASKS", "", "uint.xyz", _O, "launch later", "task, thread 0: launch a.x * a.y * a.z mesh workgroups; the last one counts"),  # noqa: E501
    (253, "SET_MESH_OUTPUTS", "", "uint.xy", _O, "outputs later", "mesh, thread 0: output a.x vertices and a.y primitives; the last one counts"),  # noqa: E501
)
# fmt: on

GAPS: tuple[int, ...] = (31, 35, 67, 81, 82, 93, 103, 113, 114, 115, 163, 164, 165)
"""Numbers without an opcode in Mesa 18.1; its reader takes the spelling ``UNK<number>`` for each."""


class _Table(Mapping[str, OpcodeInfo]):
    """Opcode facts by name. A row is read when its opcode is first asked for: most programs use twenty of them."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """ValueError for an opcode that is defined twice."""
        self._rows: dict[str, Row] = {}
        self._read: dict[str, OpcodeInfo] = {}
        for row in rows:
            if self._rows.setdefault(row[1], row) is not row:
                raise ValueError(f"opcode {row[1]} is defined twice")

    def __getitem__(self, name: str) -> OpcodeInfo:
        try:
            return self._read[name]
        except KeyError:
            return self._read.setdefault(name, read_row(*self._rows[name]))  # one object, whichever thread was first

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


OPCODES: Mapping[str, OpcodeInfo] = _Table(
    (*_ROWS, *((number, f"UNK{number}", "", "", _N, "gap nothing", "unused number, no effect") for number in GAPS))
)
"""Opcode facts by name."""


def _named(name: str) -> OpcodeInfo:
    return OPCODES[name]


copyreg.pickle(OpcodeInfo, lambda info: (_named, (info.name,)))  # there is one object for each opcode: identity tells them apart

FLOW_NAMES: Mapping[Flow, str] = MappingProxyType(
    {flow: row[1] for row in reversed(_ROWS) if "flow=" in row[5] and (flow := OPCODES[row[1]].flow) is not None}
)
"""The opcode that plays each part in control flow; IF, not UIF, where both do."""
