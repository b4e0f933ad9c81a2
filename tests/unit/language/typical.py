"""Typical mistakes of people and programs: the text with a mark at the place of the message, its code, a part of the hint, the correction.

The mark is `\u00a6`. Statements stand in a program that declares their registers; whole texts have their rows in `TEXTS`. The last
column is the text after all corrections; it is empty where no correction, or only a part of it, is certain.
"""

from __future__ import annotations

from typing import NamedTuple

MARK = "\u00a6"

HEAD = """FRAG
DCL IN[0..1], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..3]
DCL CONST[0..3]
DCL ADDR[0]
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL BUFFER[0]
IMM[0] FLT32 {0.0, 1.0, 2.0, 3.0}
IMM[1] INT32 {0, 1, 2, 3}
"""


class Row(NamedTuple):
    """One mistake."""

    wrong: str
    code: str
    hint: str
    right: str = ""


_ROWS = r"""
# comments and separators
¦// copy the color | P003 | begins with `#` | # copy the color
MOV OUT[0], IN[0] ¦// add it to the light | P003 | begins with `#` | MOV OUT[0], IN[0] # add it to the light
MOV OUT[0], IN[0] ¦/* add it to the light */ | P003 | begins with `#` | MOV OUT[0], IN[0]
¦/* copy */ MOV OUT[0], IN[0] | P003 | begins with `#` |  MOV OUT[0], IN[0]
¦; MOV a color | P003 | begins with `#` | # MOV a color
¦-- a color | P003 | begins with `#` | # a color
¦% a color | P003 | begins with `#` | # a color
MOV OUT[0], IN[0]¦; | P003 | without a semicolon | MOV OUT[0], IN[0]
MOV OUT[0], IN[0]¦; NOP | P003 | without a semicolon | MOV OUT[0], IN[0]  NOP
MOV OUT[0], IN[0] ¦\ | P003 | leave the backslash out | MOV OUT[0], IN[0]
# functions and expressions
MOV OUT[0], ¦abs(IN[0]) | P003 | write `|IN[0]|` | MOV OUT[0], |IN[0]|
MOV OUT[0], -¦abs(IN[0].xxxx) | P003 | write `|IN[0].xxxx|` | MOV OUT[0], -|IN[0].xxxx|
MOV OUT[0], ¦neg(IN[0]) | P003 | write `-IN[0]` | MOV OUT[0], -IN[0]
MOV OUT[0], ¦saturate(IN[0]) | P003 | write `MOV_SAT`
MOV OUT[0], ¦max(IN[0], IN[1]) | P003 | write MAX as a statement
MOV OUT[0], ¦rsqrt(IN[0]) | P003 | write RSQ as a statement
ADD TEMP[0], IN[0] ¦+ IN[1], IN[0] | P003 | are not expressions
MOV OUT[0], IN[0] ¦+ IN[1] | P003 | write `ADD OUT[0], IN[0], IN[1]` | ADD OUT[0], IN[0], IN[1]
MOV OUT[0], IN[0]¦*IN[1] | P003 | write `MUL OUT[0], IN[0], IN[1]` | MUL OUT[0], IN[0], IN[1]
MOV OUT[0], IN[0] ¦- IN[1] | P003 | write `ADD OUT[0], IN[0], -IN[1]` | ADD OUT[0], IN[0], -IN[1]
MOV OUT[0] ¦= IN[0] | P003 | write `MOV OUT[0], IN[0]` | MOV OUT[0], IN[0]
¦OUT[0] = IN[0] | P003 | write `MOV OUT[0], IN[0]` | MOV OUT[0], IN[0]
¦OUT[0] = IN[0] * IN[1] | P003 | write `MUL OUT[0], IN[0], IN[1]` | MUL OUT[0], IN[0], IN[1]
¦OUT[0], IN[0] | P003 | begins with its opcode
MOV OUT[0], ¦1-IN[0] | P015 | are not expressions
MOV OUT[0], ¦!IN[0] | P003 | there is no `!`
MOV OUT[0], ¦~IN[0] | P003 | write `NOT d, a`
MOV OUT[0], ¦(IN[0]) | P003 | leave them out | MOV OUT[0], IN[0]
MOV OUT[0], ¦&IN[0] | P003 | no references | MOV OUT[0], IN[0]
MOV OUT[0], ¦+IN[0] | P003 | no plus sign | MOV OUT[0], IN[0]
MOV OUT[0], -¦-IN[0] | P003 | cancel out | MOV OUT[0], IN[0]
DIV OUT[0], IN[0], ¦"two" | P003 | there are no strings
MOV OUT[0], ¦'x' | P003 | there are no strings
IF IN[0].x ¦> 0 | P003 | `SGT TEMP[0].x, a, b`
IF ¦(IN[0].xxxx) | P003 | leave them out
MOV OUT[0], ¦abs IN[0] | P003 | write `|IN[0]|` | MOV OUT[0], |IN[0]|
MOV OUT[0], IN[0]¦^2 | P003 | compute with POW
MOV OUT[0] ¦<- IN[0] | P003 | there are no arrows | MOV OUT[0], IN[0]
¦%5 = fadd float %3, %4 | P003 | values have no names
¦gl_FragColor = vec4(1.0); | P005 | `DCL OUT[0], COLOR`
¦float x = 1.0; | P005 | no types and no names
¦} | P003 | blocks have no braces
# numbers in the place of registers
MOV OUT[0], ¦IMM FLT32 {1.0, 0.0, 0.0, 1.0} | P015 | write `IMM[0].yxxy` | MOV OUT[0], IMM[0].yxxy
MOV OUT[0], ¦0x3f800000 | P015 | write `IMM[0].yyyy` | MOV OUT[0], IMM[0].yyyy
MOV OUT[0], ¦true | P015 | write `IMM[0].yyyy` | MOV OUT[0], IMM[0].yyyy
MOV ¦0, IN[0] | P003 | writes its first operand
MOV OUT[0], ¦pi | P015 | a source is a register
MOV OUT[0], ¦{1.0, 0.0, 0.0, 1.0} | P003 | write `IMM[0].yxxy` | MOV OUT[0], IMM[0].yxxy
MUL OUT[0], IN[0], ¦2.0 | P015 | write `IMM[0].zzzz` | MUL OUT[0], IN[0], IMM[0].zzzz
MOV OUT[0], ¦vec4(1.0) | P003 | write `IMM[0].yyyy` | MOV OUT[0], IMM[0].yyyy
UADD TEMP[0], TEMP[0], ¦3 | P015 | write `IMM[1].wwww` | UADD TEMP[0], TEMP[0], IMM[1].wwww
ADD OUT[0], IN[0], ¦0.5 | P015 | declare `IMM[2] FLT32 {0.5, | IMM[2] FLT32 {0.5, 0.0, 0.0, 0.0}~ADD OUT[0], IN[0], IMM[2].xxxx
MOV OUT[0], ¦float4(0.5, 0.25, 1, 1) | P003 | write `IMM[2]` | IMM[2] FLT32 {0.5, 0.25, 1.0, 1.0}~MOV OUT[0], IMM[2]
TEX OUT[0], IN[0], ¦0, 2D | P015 | write `SAMP[0]` | TEX OUT[0], IN[0], SAMP[0], 2D
# registers
MOV OUT[0], ¦TEMP0 | P015 | write `TEMP[0]` | MOV OUT[0], TEMP[0]
MOV OUT[0], ¦TEMP.0 | P003 | write `TEMP[0]` | MOV OUT[0], TEMP[0]
MOV OUT[0], ¦IN(0) | P003 | write `IN[0]` | MOV OUT[0], IN[0]
MOV ¦OUT(0), IN[0] | P003 | write `OUT[0]` | MOV OUT[0], IN[0]
MOV OUT[0], ¦CONST 0 | P003 | write `CONST[0]` | MOV OUT[0], CONST[0]
MOV OUT[0], ¦IN | P015 | write `IN[0]` | MOV OUT[0], IN[0]
MOV OUT[0], ¦r0 | P015 | write `TEMP[0]` | MOV OUT[0], TEMP[0]
MOV OUT[0], -¦c2.xxxx | P003 | write `CONST[2]` | MOV OUT[0], -CONST[2].xxxx
mov ¦oC0, TEMP[0] | P003 | write `OUT[0]` | mov OUT[0], TEMP[0]
MOV OUT[0], ¦%1 | P003 | write `TEMP[1]` | MOV OUT[0], TEMP[1]
MOV ¦gl_FragColor, IN[0] | P003 | `DCL OUT[0], COLOR`
MOV ¦result.color, IN[0] | P003 | `DCL OUT[0], COLOR`
MOV OUT[0], ¦fragment.texcoord[1] | P003 | TEXCOORD[1]
MOV OUT[0], ¦gl_FragCoord | P015 | `DCL IN[0], POSITION`
MOV OUT[0], ¦program.local[1] | P003 | write `CONST[1]`
MOV ¦TMP[0], IN[0] | P006 | `TEMP` | MOV TEMP[0], IN[0]
MOV OUT[0], ¦UNIFORM[0] | P006 | `CONST` | MOV OUT[0], CONST[0]
MOV OUT[0], ¦INPUT[0] | P006 | `IN` | MOV OUT[0], IN[0]
TEX OUT[0], IN[0], ¦SAMPLER[0], 2D | P006 | `SAMP` | TEX OUT[0], IN[0], SAMP[0], 2D
TEX OUT[0], IN[0], ¦texture[0], 2D | P006 | `SAMP` | TEX OUT[0], IN[0], SAMP[0], 2D
TEX OUT[0], IN[0], ¦SAMP0, 2D | P015 | write `SAMP[0]` | TEX OUT[0], IN[0], SAMP[0], 2D
# indices and brackets
MOV OUT[0], IN[0¦ | P004 | closing bracket is missing | MOV OUT[0], IN[0]
MOV OUT[0¦, IN[0] | P003 | closing bracket is missing | MOV OUT[0], IN[0]
MOV OUT[0], IN0¦] | P003 | write `IN[0]` | MOV OUT[0], IN[0]
MOV OUT[0], IN[0]¦) | P003 | leave it out | MOV OUT[0], IN[0]
MOV OUT[¦O], IN[0] | P003 | write `0`, a digit | MOV OUT[0], IN[0]
MOV OUT[0], CONST[1¦.0] | P003 | write `1` | MOV OUT[0], CONST[1]
MOV OUT[0], CONST[0¦x2] | P003 | write `2` | MOV OUT[0], CONST[2]
MOV OUT[0], CONST[¦x] | P003 | a number, or a channel
MOV OUT[0], CONST[¦] | P003 | an index is missing
MOV OUT[0], CONST[¦-1] | P003 | not negative
MOV OUT[0], CONST[¦A0.x] | P003 | write `ADDR[0].x` | MOV OUT[0], CONST[ADDR[0].x]
MOV OUT[0], CONST[2¦+ADDR[0].x] | P003 | write `ADDR[0].x+2` | MOV OUT[0], CONST[ADDR[0].x+2]
MOV OUT[0], CONST[ADDR[0].x¦*4] | P003 | multiply before
MOV OUT[0], CONST[ADDR[0].¦xy] | P018 | write `.x` | MOV OUT[0], CONST[ADDR[0].x]
MOV OUT[0], CONST[0][0]¦[0] | P003 | at most two indices
MOV OUT[0], ¦IMM[5] | V035 | IMM[0..1]
MOV ¦TEMP[7], IN[0] | V030 | write `DCL TEMP[7]` | DCL TEMP[7]~MOV TEMP[7], IN[0]
MOV OUT[0], ¦IN[9] | V030 | declared are IN[0..1]
MOV OUT[0], ¦IN[99999] | V022 | lower number
MOV OUT[0], IN[¦+1] | P003 | write `1` | MOV OUT[0], IN[1]
MOV OUT[0], CONST[0¦,1] | P003 | its own brackets
MOV OUT[0], CONST[0¦..3] | P003 | belong to declarations
MOV OUT[0], CONST[ADDR[0].x ¦+ TEMP[0].x] | P003 | one register plus or minus one number
# swizzles, masks and modifiers
MOV OUT[0], IN[0].¦.xyzw | P003 | leave the second out | MOV OUT[0], IN[0].xyzw
MOV OUT[0], IN[0]¦,xyzw | P009 | not a comma | MOV OUT[0], IN[0].xyzw
MOV OUT[0], IN[0]¦| | P003 | first bar is missing | MOV OUT[0], |IN[0]|
MOV OUT[0], IN[0]¦. | P004 | channels follow the point | MOV OUT[0], IN[0]
MOV OUT[0], IN[0].¦rgba | P003 | write `.xyzw` | MOV OUT[0], IN[0].xyzw
MOV OUT[0], IN[0].¦stpq | P003 | write `.xyzw` | MOV OUT[0], IN[0].xyzw
MOV OUT[0], IN[0].¦rrrr | P003 | write `.xxxx` | MOV OUT[0], IN[0].xxxx
MOV OUT[0].¦rgb, IN[0] | P003 | write `.xyz` | MOV OUT[0].xyz, IN[0]
MOV OUT[0], IN[0].¦xy | P012 | write `.xyyy` | MOV OUT[0], IN[0].xyyy
MOV OUT[0], IN[0].¦xyzzw | P012 | write `.xyzz` | MOV OUT[0], IN[0].xyzz
MOV OUT[0].¦xyzz, IN[0] | P013 | write `.xyz` | MOV OUT[0].xyz, IN[0]
MOV OUT[0].¦wzyx, IN[0] | P013 | write `.xyzw` | MOV OUT[0].xyzw, IN[0]
MOV OUT[0], IN[0]¦xyzw | P003 | write `.xyzw` | MOV OUT[0], IN[0].xyzw
MOV OUT[0], IN[0].¦0 | P003 | x, y, z and w
MOV OUT[0].xy¦.x, IN[0] | P003 | leave the second out | MOV OUT[0].xy, IN[0]
MOV OUT[0], IN[0].x¦,y,z,w | P009 | stand together | MOV OUT[0], IN[0].xyzw
MOV ¦-OUT[0], IN[0] | P014 | signs belong to sources
MOV |¦OUT[0]|, IN[0] | P014 | bars belong to sources
MOV OUT[0], |¦-IN[0]| | P003 | write `-|IN[0]|` | MOV OUT[0], -|IN[0]|
MOV OUT[0], |IN[0]¦ | P004 | second bar is missing | MOV OUT[0], |IN[0]|
MOV OUT[0], |¦|IN[0]|| | P003 | one bar stands at each side | MOV OUT[0], |IN[0]|
¦MOV_SATURATE OUT[0], IN[0] | P005 | write `MOV_SAT` | MOV_SAT OUT[0], IN[0]
¦MOV.SAT OUT[0], IN[0] | P003 | write `MOV_SAT` | MOV_SAT OUT[0], IN[0]
¦MOVSAT OUT[0], IN[0] | P005 | write `MOV_SAT` | MOV_SAT OUT[0], IN[0]
MOV OUT[0]¦_SAT, IN[0] | P003 | write `MOV_SAT` | MOV_SAT OUT[0], IN[0]
¦MOV_PRECISE_SAT OUT[0], IN[0] | P005 | `MOV_SAT_PRECISE` | MOV_SAT_PRECISE OUT[0], IN[0]
¦ADD_PP TEMP[0], IN[0], IN[1] | P005 | no such suffix | ADD TEMP[0], IN[0], IN[1]
¦MOV_ABS OUT[0], IN[0] | P005 | bars around a source
# commas and operand counts
MOV OUT[0] ¦IN[0] | P003 | separated by commas | MOV OUT[0], IN[0]
ADD OUT[0], IN[0] ¦IN[1] | P003 | separated by commas | ADD OUT[0], IN[0], IN[1]
MOV OUT[0],¦, IN[0] | P003 | leave the second out | MOV OUT[0], IN[0]
MOV¦, OUT[0], IN[0] | P003 | no comma follows the opcode | MOV OUT[0], IN[0]
MOV OUT[0], IN[0]¦, | P009 | no comma follows the last | MOV OUT[0], IN[0]
MOV OUT[0]¦, | P004 | write the operand
MOV¦(OUT[0], IN[0]) | P003 | without parentheses | MOV OUT[0], IN[0]
¦MOVOUT[0], IN[0] | P003 | a space stands between | MOV OUT[0], IN[0]
MAD ¦OUT[0], IN[0], IN[1] | P009 | write `MAD d, a, b, e`
MOV ¦OUT[0] | P009 | write `MOV d, a`
MOV ¦OUT[0], IN[0], IN[1] | P009 | write `MOV d, a`
RET ¦IN[0] | P009 | write `RET` alone | RET
KILL ¦IN[0] | P009 | `KILL_IF a`
STORE ¦BUFFER[0], IMM[1] | P009 | write `STORE d, a, b`
# textures
TEX ¦OUT[0], IN[0], SAMP[0] | P009 | as `, 2D` | TEX OUT[0], IN[0], SAMP[0], 2D
TEX OUT[0], IN[0], SAMP[0], ¦TEX_2D | P011 | write `2D` | TEX OUT[0], IN[0], SAMP[0], 2D
TEX OUT[0], IN[0], SAMP[0], ¦GL_TEXTURE_2D | P011 | write `2D` | TEX OUT[0], IN[0], SAMP[0], 2D
TEX OUT[0], IN[0], SAMP[0], ¦sampler2D | P011 | write `2D` | TEX OUT[0], IN[0], SAMP[0], 2D
TEX OUT[0], IN[0], SAMP[0], ¦D2 | P011 | a word as `2D`
TEX OUT[0], IN[0], SAMP[0] ¦2D | P003 | separated by commas | TEX OUT[0], IN[0], SAMP[0], 2D
TEX OUT[0], IN[0], 2D, ¦SAMP[0] | P011 | the last operand
TEX OUT[0], ¦SAMP[0], IN[0], 2D | V033 | after the coordinates
TEX OUT[0], IN[0], SAMP[0], ¦3D | V051 | write `2D` | TEX OUT[0], IN[0], SAMP[0], 2D
MOV OUT[0], ¦SAMP[0] | V033 | read by texture instructions
¦TEX_2D OUT[0], IN[0], SAMP[0] | P005 | the last operand | TEX OUT[0], IN[0], SAMP[0], 2D
TEX ¦OUT[0], SAMP[0], 2D | P009 | write `TEX d, a, b, 2D`
# writes
MOV ¦IN[0], TEMP[0] | V032 | inputs are read only
MOV ¦CONST[0], TEMP[0] | V032 | constants are read only
MOV ¦IMM[0], TEMP[0] | V032 | immediates are read only
MOV ¦BUFFER[0], TEMP[0] | V032 | written by STORE
# control flow
¦BRK | V006 | between BGNLOOP and ENDLOOP
¦CONT | V006 | between BGNLOOP and ENDLOOP
¦ENDIF | V003 | write IF before
¦ELSE | V003 | write IF before
¦ENDLOOP | V003 | write BGNLOOP before
¦CASE IN[0].xxxx | V003 | write SWITCH before
¦IF IN[0].xxxx | V004 | add ENDIF
¦BGNLOOP | V004 | add ENDLOOP
¦ELSEIF IN[0].xxxx | P005 | write ELSE, then an IF
¦END IF | P009 | write `ENDIF`
¦END LOOP | P005 | write `ENDLOOP`
¦break | P005 | name is BRK now
¦discard | P005 | write `KILL` | KILL
¦return | P005 | write `RET` | RET
¦WHILE IN[0].xxxx | P005 | a loop is BGNLOOP
¦goto end | P005 | there are no jumps
CAL ¦3 | P003 | write `:3`
¦CAL :77 | V008 | number of a BGNSUB
¦again: MOV OUT[0], IN[0] | P005 | nothing jumps to a name |  MOV OUT[0], IN[0]
¦0 MOV OUT[0], IN[0] | P003 | a colon follows | 0: MOV OUT[0], IN[0]
IF IN[0].xxxx ¦{ | P003 | blocks have no braces
MOV OUT[0], IN[0] :¦3 | P010 | labels follow CAL
CAL ¦main | P005 | subroutines have no names
BGNLOOP ¦10 | P003 | takes no number
IF IN[0].xxxx ¦THEN | P005 | leave it out
END¦; | P003 | leave it out
# opcodes of others
¦MOVE OUT[0], IN[0] | P005 | `MOV` | MOV OUT[0], IN[0]
¦M0V OUT[0], IN[0] | P005 | `MOV` | MOV OUT[0], IN[0]
¦SUB OUT[0], IN[0], IN[1] | P005 | write `ADD d, a, -b`
¦IADD TEMP[0], TEMP[0], TEMP[1] | P005 | write `UADD` | UADD TEMP[0], TEMP[0], TEMP[1]
¦fadd TEMP[0], TEMP[0], TEMP[1] | P005 | write `ADD` | ADD TEMP[0], TEMP[0], TEMP[1]
¦OpFMul TEMP[0], TEMP[0], TEMP[1] | P005 | write `MUL` | MUL TEMP[0], TEMP[0], TEMP[1]
¦mix OUT[0], IN[0], IN[1], IN[0] | P005 | write `LRP` | LRP OUT[0], IN[0], IN[1], IN[0]
¦inversesqrt OUT[0], IN[0] | P005 | write `RSQ` | RSQ OUT[0], IN[0]
¦NEG OUT[0], IN[0] | P005 | write `MOV d, -a`
¦normalize OUT[0], IN[0] | P005 | `DP3 t, a, a`
¦m4x4 OUT[0], IN[0], CONST[0] | P005 | four DP4
¦texld OUT[0], IN[0], SAMP[0] | P005 | name is TEX now | TEX OUT[0], IN[0], SAMP[0], 2D
¦def c0, 1.0, 0.0, 0.0, 1.0 | P005 | constants are written
¦dcl_texcoord v0 | P005 | DCL IN[0], TEXCOORD[0]
¦PARAM p = {1, 0, 0, 1}; | P005 | constants are written
¦ATTRIB t = fragment.texcoord[0]; | P005 | declarations are written
¦TEMP t; | P005 | declarations are written
¦DECLARE TEMP[9] | P005 | declarations are written
# declarations
DCL IN[2], GENERIC¦(2), PERSPECTIVE | P003 | write `GENERIC[2]` | DCL IN[2], GENERIC[2], PERSPECTIVE
DCL IN[2], ¦GENERIC2, PERSPECTIVE | P007 | write `GENERIC[2]` | DCL IN[2], GENERIC[2], PERSPECTIVE
DCL IN[2], GENERIC ¦2, PERSPECTIVE | P003 | write `GENERIC[2]` | DCL IN[2], GENERIC[2], PERSPECTIVE
DCL IN[2], ¦GENERC[2], PERSPECTIVE | P007 | `GENERIC` | DCL IN[2], GENERIC[2], PERSPECTIVE
DCL IN[2], ¦VARYING[2], PERSPECTIVE | P007 | write `GENERIC` | DCL IN[2], GENERIC[2], PERSPECTIVE
DCL IN[2], GENERIC[2], ¦SMOOTH | P007 | write `PERSPECTIVE` | DCL IN[2], GENERIC[2], PERSPECTIVE
DCL IN[2], GENERIC[2], ¦FLAT | P007 | write `CONSTANT` | DCL IN[2], GENERIC[2], CONSTANT
DCL IN[2], GENERIC[2], ¦NOPERSPECTIVE | P007 | write `LINEAR` | DCL IN[2], GENERIC[2], LINEAR
DCL IN[2], GENERIC[2] ¦LINEAR | P003 | separated by commas | DCL IN[2], GENERIC[2], LINEAR
DCL IN[2] ¦GENERIC[2], LINEAR | P003 | separated by commas | DCL IN[2], GENERIC[2], LINEAR
DCL IN[2], LINEAR, ¦GENERIC[2] | P008 | write `GENERIC[2], LINEAR` | DCL IN[2], GENERIC[2], LINEAR
DCL OUT[1], ¦COLOUR[1] | P007 | `COLOR` | DCL OUT[1], COLOR[1]
DCL OUT[1], ¦SV_Depth | P007 | write `POSITION` | DCL OUT[1], POSITION
DCL IN[2], ¦SV_IsFrontFace | P007 | write `FACE` | DCL IN[2], FACE
DCL TEMP[4¦-7] | P003 | `[4..7]` | DCL TEMP[4..7]
DCL TEMP[4¦:7] | P003 | `[4..7]` | DCL TEMP[4..7]
DCL TEMP[4¦, 7] | P003 | `[4..7]` | DCL TEMP[4..7]
DCL TEMP[4..¦.7] | P003 | `[4..7]` | DCL TEMP[4..7]
¦DCL TEMP[7..4] | V021 | write `[4..7]` | DCL TEMP[4..7]
DCL ¦TEMP8 | P003 | write `TEMP[8]` | DCL TEMP[8]
DCL ¦TEMP(8) | P003 | write `TEMP[8]` | DCL TEMP[8]
DCL ¦TEMP | P003 | write `TEMP[0]`
DCL TEMP[8], ¦TEMP[9] | P007 | another DCL
¦DCL TEMP[0] | V020 | leave one of the two out
DCL TEMP[8..9], ARRAY ¦1 | P003 | `ARRAY(1)` | DCL TEMP[8..9], ARRAY(1)
DCL ¦SAMPLER[1] | P006 | `SAMP` | DCL SAMP[1]
DCL SAMP[1], ¦2D | P007 | belongs to the SVIEW
DCL SVIEW[1], ¦TEXTURE_CUBE, FLOAT | P011 | write `CUBE` | DCL SVIEW[1], CUBE, FLOAT
DCL SVIEW[1], ¦2D | P027 | write `, FLOAT` | DCL SVIEW[1], 2D, FLOAT
DCL ¦CONST[1][] | P019 | `[0..3]`
DCL OUT[1].¦yx, GENERIC[0] | P013 | write `.xy` | DCL OUT[1].xy, GENERIC[0]
DCL ¦[8] | P003 | register file is missing
DCL OUT[1]¦: COLOR[1] | P003 | a comma stands before | DCL OUT[1], COLOR[1]
DCL OUT[1], GENERIC[¦-1] | P003 | a number from 0
DCL OUT[1], GENERIC[0¦..1] | P003 | one index
DCL TEMP[8..9], ¦TEMP[10..11] | P003 | registers of one file
DCL TEMP[8] ¦TEMP[9] | P003 | write `DCL` before | DCL TEMP[8] DCL TEMP[9]
DCL TEMP[¦..8] | P003 | write `0..8`
DCL TEMP[¦a] | P003 | numbered from 0
DCL TEMP[8]¦, | P004 | leave the comma out
DCL IMAGE[0], 2D, ¦RGBA8 | P007 | PIPE_FORMAT_R8G8B8A8_UNORM
# immediates
IMM FLT32 {1.0¦; 2.0; 3.0; 4.0} | P003 | commas separate values | IMM FLT32 {1.0, 2.0, 3.0, 4.0}
IMM FLT32 {1¦/2, 2.0, 3.0, 4.0} | P003 | an immediate is written
IMM FLT64 {¦1.0, 2.0, 3.0, 4.0} | P022 | takes two values
IMM ¦{1.0, 0.0, 0.0, 1.0} | P003 | `IMM FLT32 {1.0, 0.0, 0.0, 1.0}` | IMM FLT32 {1.0, 0.0, 0.0, 1.0}
IMM ¦FLOAT {1.0, 0.0, 0.0, 1.0} | P003 | FLT32 | IMM FLT32 {1.0, 0.0, 0.0, 1.0}
IMM ¦FLOAT32 {1.0, 0.0, 0.0, 1.0} | P021 | write `FLT32` | IMM FLT32 {1.0, 0.0, 0.0, 1.0}
IMM FLT32 {¦nan, 0.0, 0.0, 1.0} | P023 | `0x7fc00000` | IMM FLT32 {0x7fc00000, 0.0, 0.0, 1.0}
IMM FLT32 {¦-inf, 0.0, 0.0, 1.0} | P023 | `0xff800000` | IMM FLT32 {0xff800000, 0.0, 0.0, 1.0}
IMM FLT32 {¦0x1.8p3, 0.0, 0.0, 1.0} | P023 | write `12.0` | IMM FLT32 {12.0, 0.0, 0.0, 1.0}
IMM FLT32 {¦1.0f, 0.0, 0.0, 1.0} | P023 | write `1.0` | IMM FLT32 {1.0, 0.0, 0.0, 1.0}
IMM FLT32 {¦1,0, 0,5, 0,0, 1,0} | P022 | decimal has a point | IMM FLT32 {1.0, 0.5, 0.0, 1.0}
IMM FLT32 {1.0 ¦0.0 0.0 1.0} | P003 | commas separate values | IMM FLT32 {1.0, 0.0, 0.0, 1.0}
IMM FLT32 {¦1.0, 2.0, 3.0} | P022 | `{1.0, 2.0, 3.0, 0.0}` | IMM FLT32 {1.0, 2.0, 3.0, 0.0}
IMM FLT32 {¦1.0, 2.0, 3.0, 4.0, 5.0} | P022 | write 4 values
IMM FLT32 ¦1.0, 2.0, 3.0, 4.0 | P003 | stand in braces | IMM FLT32 {1.0, 2.0, 3.0, 4.0}
IMM FLT32 ¦(1.0, 2.0, 3.0, 4.0) | P003 | stand in braces | IMM FLT32 {1.0, 2.0, 3.0, 4.0}
IMM FLT32 {1.0, 2.0, 3.0, 4.0,¦} | P003 | write `IMM FLT32 {1.0, 2.0, 3.0, 4.0}` | IMM FLT32 {1.0, 2.0, 3.0, 4.0}
IMM FLT32 {1.0, 2.0, 3.0, 4.0¦ | P004 | closing brace is missing | IMM FLT32 {1.0, 2.0, 3.0, 4.0}
IMM INT32 {¦1.5, 0, 0, 0} | P023 | `FLT32` | IMM FLT32 {1.5, 0, 0, 0}
IMM UINT32 {¦0xff, 0, 0, 0} | P023 | write `255` | IMM UINT32 {255, 0, 0, 0}
IMM UINT32 {¦-1, 0, 0, 0} | P023 | `4294967295` | IMM UINT32 {4294967295, 0, 0, 0}
DCL IMM[2] ¦FLT32 {1.0, 2.0, 3.0, 4.0} | P003 | have no DCL | IMM[2] FLT32 {1.0, 2.0, 3.0, 4.0}
IMM[¦0] FLT32 {1.0, 2.0, 3.0, 4.0} | P020 | write `IMM[2]` | IMM[2] FLT32 {1.0, 2.0, 3.0, 4.0}
# properties
PROPERTY FS_COORD_ORIGIN ¦= UPPER_LEFT | P003 | after a space | PROPERTY FS_COORD_ORIGIN  UPPER_LEFT
PROPERTY ¦FS_COORD_ORIGN UPPER_LEFT | P024 | `FS_COORD_ORIGIN` | PROPERTY FS_COORD_ORIGIN UPPER_LEFT
PROPERTY FS_COORD_ORIGIN ¦TOP_LEFT | P025 | `UPPER_LEFT` | PROPERTY FS_COORD_ORIGIN UPPER_LEFT
PROPERTY FS_COORD_ORIGIN¦ | P004 | UPPER_LEFT
¦PROP FS_COORD_ORIGIN UPPER_LEFT | P005 | properties are written
PROPERTY FS_COORD_ORIGIN ¦"UPPER_LEFT" | P003 | are not quoted | PROPERTY FS_COORD_ORIGIN UPPER_LEFT
# pasted from pages
¦"MOV OUT[0], IN[0]\n" | P003 | leave the quotes out | MOV OUT[0], IN[0]
¦[1] MOV OUT[0], IN[0] | P003 | leave the mark out | MOV OUT[0], IN[0]
MOV OUT[0], ¦\u2013IN[0] | P003 | en dash | MOV OUT[0], -IN[0]
MOV OUT[0],¦\u00a0IN[0] | P003 | no-break space | MOV OUT[0], IN[0]
MOV OUT[0]¦\uff0c IN[0] | P003 | write `,` | MOV OUT[0], IN[0]
MOV OUT[0], ¦\u0406N[0] | P003 | write `I` | MOV OUT[0], IN[0]
MOV OUT[0], IN[0]¦\u200b | P003 | leave it out | MOV OUT[0], IN[0]
MOV OUT[0], ¦\u201cIN[0]\u201d | P003 | nothing is quoted | MOV OUT[0], IN[0]
MOV OUT[0], IN¦&#91;0&#93; | P003 | write `[` | MOV OUT[0], IN[0]
MOV OUT[0],¦&nbsp;IN[0] | P003 | write a space | MOV OUT[0], IN[0]
MOV OUT[0], IN[0]¦<br> | P003 | leave them out | MOV OUT[0], IN[0]
¦`MOV OUT[0], IN[0]` | P003 | leave it out | MOV OUT[0], IN[0]
¦> MOV OUT[0], IN[0] | P003 | leave the mark out | MOV OUT[0], IN[0]
¦+MOV OUT[0], IN[0] | P003 | leave the mark out | MOV OUT[0], IN[0]
"""

_BODY = "DCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\n"

TEXTS: tuple[Row, ...] = (
    Row(f"{MARK}{_BODY}END\n", "P001", "as `FRAG`", f"FRAG\n{_BODY}END\n"),
    Row(
        f"{MARK}DCL OUT[0], POSITION\nMOV OUT[0], OUT[0]\nEND\n",
        "P001",
        "as `VERT`",
        "VERT\nDCL OUT[0], POSITION\nMOV OUT[0], OUT[0]\nEND\n",
    ),
    Row(f"{MARK}FRAGMENT\n{_BODY}END\n", "P001", "write `FRAG`", f"FRAG\n{_BODY}END\n"),
    Row(f"{MARK}FARG\n{_BODY}END\n", "P001", "did you mean `FRAG`", f"FRAG\n{_BODY}END\n"),
    Row(f"{MARK}FRAG;\n{_BODY}END\n", "P001", "write `FRAG`", f"FRAG\n{_BODY}END\n"),
    Row(f"{MARK}PIPE_SHADER_FRAGMENT\n{_BODY}END\n", "P001", "write `FRAG`", f"FRAG\n{_BODY}END\n"),
    Row(f"{MARK}```tgsi\nFRAG\n{_BODY}END\n```\n", "P001", "fence of Markdown", f"FRAG\n{_BODY}END\n"),
    Row(f"{MARK}Here is my shader:\n\nFRAG\n{_BODY}END\n", "P001", "lines before the stage", f"FRAG\n{_BODY}END\n"),
    Row(f"FRAG\n{_BODY}END\n{MARK}```\n", "P003", "fence of Markdown", f"FRAG\n{_BODY}END\n\n"),
    Row(f"FRAG\n{_BODY[:-1]}".replace("MOV", f"{MARK}MOV") + "\n", "V001", "write END", f"FRAG\n{_BODY}END\n"),
    Row(f"FRAG\n{_BODY}END\n{MARK}END\n", "V002", "leave it out"),
    Row(f"FRAG\n{_BODY}END\n{MARK}VERT\n", "P005", "second program"),
    Row(f"{MARK}!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n", "P001", "ARB or NV assembly"),
    Row(f"{MARK}ps_2_0\nmov oC0, v0\n", "P001", "HLSL assembly"),
    Row(f"#version 330\n{MARK}void main() {{ }}\n", "P001", "GLSL"),
    Row(f"{MARK}precision mediump float;\nvoid main() {{ }}\n", "P001", "GLSL"),
    Row(f"{MARK}OpCapability Shader\n", "P001", "SPIR-V"),
    Row(f"{MARK}define void @main() {{\n", "P001", "LLVM"),
    Row(f"{MARK}shader: MESA_SHADER_FRAGMENT\n", "P001", "NIR"),
    Row(f"{MARK}@fragment fn main() {{}}\n", "P001", "WGSL"),
    Row(f"\n{MARK}", "P001", "first word is one of"),
    Row(f"VERT\nDCL OUT[0], POSITION\n{MARK}KILL\nEND\n", "V060", "only fragments"),
    Row(f"FRAG\nDCL OUT[0], COLOR\nMOV OUT[0], OUT[0]\n{MARK}DCL TEMP[0]\nEND\n", "V011", "Mesa's checker"),
)
"""Whole texts."""


def _read(line: str) -> Row:
    wrong, code, hint, right = ([*(part for part in line.split(" | ")), ""])[:4]
    wrong, right = (
        text.encode("latin-1", "backslashreplace").decode("unicode_escape") if "\\u" in text else text for text in (wrong, right)
    )
    return Row(wrong, code, hint, right)


STATEMENTS: tuple[Row, ...] = tuple(_read(line) for line in _ROWS.strip().split("\n") if not line.startswith("# "))
"""Single statements."""


def text_of(statement: str) -> str:
    """A whole program with the statement, or with the lines that `~` separates."""
    return f"{HEAD}{statement}\nEND\n"
