"""Short programs that a good optimiser makes shorter, each with the number of instructions that may be left, END included."""

from __future__ import annotations

HEADS = {
    "FRAG": (
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], GENERIC[1], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\n"
        "DCL SAMP[0]\nDCL CONST[0..7]\nDCL TEMP[0..7]\nDCL TEMP[8..11], ARRAY(1)\nDCL ADDR[0..1]\n"
        "IMM[0] UINT32 {0, 1, 2, 3}\nIMM[1] FLT32 {0.0, 1.0, 2.0, 0.5}\nIMM[2] UINT32 {4, 8, 100, 4294967295}\n"
    ),
    "GEOM": (
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 6\n"
        "DCL IN[][0], GENERIC[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL CONST[0..7]\n"
        "DCL TEMP[0..7]\nDCL TEMP[8..11], ARRAY(1)\nDCL ADDR[0..1]\n"
        "IMM[0] UINT32 {0, 1, 2, 3}\nIMM[1] FLT32 {0.0, 1.0, 2.0, 0.5}\nIMM[2] UINT32 {4, 8, 100, 4294967295}\n"
    ),
}
"""Declarations of the programs, by stage."""

LOOP = "MOV TEMP[7].x, IMM[0].xxxx; BGNLOOP; USGE TEMP[6].x, TEMP[7].xxxx, {end}; UIF TEMP[6].xxxx; BRK; ENDIF; {body}; {step}; ENDLOOP"
STEP = "UADD TEMP[7].x, TEMP[7].xxxx, IMM[0].yyyy"


def loop(body: str, end: str = "IMM[0].wwww") -> str:
    """Text of a loop that counts TEMP[7].x from 0 to `end`."""
    return LOOP.format(body=body, end=end, step=STEP)


CASES: dict[str, tuple[str, int]] = {
    # results go to outputs
    "a result is moved to an output": ("ADD TEMP[0], IN[0], IN[1]; MOV OUT[0], TEMP[0]", 2),
    "a result is moved through two registers": ("ADD TEMP[0], IN[0], IN[1]; MOV TEMP[1], TEMP[0]; MOV OUT[0], TEMP[1]", 2),
    "a result is moved with its channels exchanged": ("ADD TEMP[0], IN[0], IN[1]; MOV OUT[0], TEMP[0].wzyx", 2),
    "one channel is moved to all": ("MUL TEMP[0].x, IN[0], IN[1]; MOV OUT[0], TEMP[0].xxxx", 2),
    "a dot product is moved": ("DP3 TEMP[0].x, IN[0], IN[1]; MOV OUT[0], TEMP[0].xxxx", 2),
    "a sample is moved": ("TEX TEMP[0], IN[0], SAMP[0], 2D; MOV OUT[0], TEMP[0]", 2),
    "a sum is saturated by its move": ("ADD TEMP[0], IN[0], IN[1]; MOV_SAT OUT[0], TEMP[0]", 2),
    "parts of an output come from two instructions": ("MUL TEMP[0].xyz, IN[0], IN[1]; MOV TEMP[0].w, IMM[1].yyyy; MOV OUT[0], TEMP[0]", 3),
    "both arms compute what is moved later": (
        "IF IN[0].xxxx; ADD TEMP[0], IN[0], IN[1]; ELSE; MUL TEMP[0], IN[0], IN[1]; ENDIF; MOV OUT[0], TEMP[0]",
        6,
    ),
    "an arm changes what is moved later": (
        "MUL TEMP[0], IN[0], IN[1]; IF IN[0].xxxx; ADD TEMP[0].x, IN[0], IN[1]; ENDIF; MOV OUT[0], TEMP[0]",
        5,
    ),
    "a chain of sums ends in an output": (
        "MUL TEMP[0], CONST[0], IN[0].xxxx; MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]; MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]; "
        "ADD TEMP[0], TEMP[0], CONST[3]; MOV OUT[0], TEMP[0]",
        5,
    ),
    "a loop variable is copied back": (
        "MOV TEMP[0], IN[0]; BGNLOOP; IF TEMP[0].xxxx; BRK; ENDIF; ADD TEMP[1], TEMP[0], IN[1]; MOV TEMP[0], TEMP[1]; "
        "ENDLOOP; MOV OUT[0], TEMP[0]",
        9,
    ),
    # copies
    "a copy of an input is read": ("MOV TEMP[0], IN[0]; ADD OUT[0], TEMP[0], IN[1]", 2),
    "copies of copies are read": ("MOV TEMP[0], IN[0]; MOV TEMP[1], TEMP[0].yxwz; MUL OUT[0], TEMP[1], TEMP[1].xxxx", 2),
    "a negated copy is read": ("MOV TEMP[0], -IN[0]; ADD OUT[0], TEMP[0], IN[1]", 2),
    "the magnitude of a copy is read": ("MOV TEMP[0], |IN[0]|; ADD OUT[0], TEMP[0], -TEMP[0]", 2),
    "a copy is read in a branch": ("MOV TEMP[0], IN[0]; MOV OUT[0], IN[1]; IF IN[1].xxxx; MOV OUT[0], TEMP[0]; ENDIF", 5),
    "both arms copy the same": ("IF IN[0].xxxx; MOV TEMP[0], IN[1]; ELSE; MOV TEMP[0], IN[1]; ENDIF; MOV OUT[0], TEMP[0]", 2),
    "a copy is read after its register is written again": (
        "ADD TEMP[0], IN[0], IN[1]; MOV TEMP[1], TEMP[0]; MUL TEMP[0], TEMP[0], IN[0]; MUL OUT[0], TEMP[1], TEMP[0]",
        4,
    ),
    "a register is moved to itself": ("MOV TEMP[0], IN[0]; MOV TEMP[0].xy, TEMP[0]; ADD OUT[0], TEMP[0], IN[1]", 2),
    "an output holds the value already": ("MOV OUT[0], IN[0]; MOV OUT[0].xy, IN[0]", 2),
    # stores that nothing sees
    "an output is overwritten": ("ADD OUT[0], IN[0], IN[1]; MOV OUT[0], IN[1]", 2),
    "channels of an output are overwritten": ("ADD OUT[0], IN[0], IN[1]; MOV OUT[0].xy, IN[1]; MOV OUT[0].zw, IN[1].yyyy", 3),
    "an output is overwritten in both arms": (
        "ADD OUT[0], IN[0], IN[1]; IF IN[0].xxxx; MOV OUT[0], IN[1]; ELSE; MUL OUT[0], IN[1], IN[1]; ENDIF",
        6,
    ),
    "an output is overwritten after a loop": (f"{loop('ADD OUT[0], IN[0], IN[1]', 'CONST[0].xxxx')}; MOV OUT[0], IN[0]", 10),
    "a result is not read": ("ADD TEMP[0], IN[0], IN[1]; RCP TEMP[1].x, TEMP[0]; MOV OUT[0], IN[0]", 2),
    "a result is overwritten": ("ADD TEMP[0], IN[0], IN[1]; MUL TEMP[0], IN[0], IN[1]; MOV OUT[0], TEMP[0]", 2),
    "only one channel is read": ("ADD TEMP[0], IN[0], IN[1]; RCP OUT[0], TEMP[0].yyyy", 3),
    "unread counters": ("BGNLOOP; IF IN[0].xxxx; BRK; ENDIF; ADD TEMP[0], TEMP[0], IN[1]; ENDLOOP; MOV OUT[0], IN[0]", 7),
    # common subexpressions
    "an expression recurs": ("MUL TEMP[0], IN[0], IN[1]; MUL TEMP[1], IN[0], IN[1]; ADD OUT[0], TEMP[0], TEMP[1]", 3),
    "a sum recurs with its operands exchanged": (
        "UADD TEMP[0], IN[0], IN[1]; UADD TEMP[1], IN[1], IN[0]; UMUL OUT[0], TEMP[0], TEMP[1]",
        3,
    ),
    "an expression recurs in a branch": (
        "MUL TEMP[0], IN[0], IN[1]; MOV OUT[0], TEMP[0]; IF IN[0].xxxx; MUL TEMP[1], IN[0], IN[1]; ADD OUT[0], TEMP[1], TEMP[1]; ENDIF",
        6,
    ),
    "a reciprocal recurs": ("RCP TEMP[0].x, IN[0].wwww; RCP TEMP[1].x, IN[0].wwww; MUL OUT[0], TEMP[0].xxxx, TEMP[1].xxxx", 3),
    "a sample recurs": ("TEX TEMP[0], IN[0], SAMP[0], 2D; TEX TEMP[1], IN[0], SAMP[0], 2D; ADD OUT[0], TEMP[0], TEMP[1]", 3),
    "an address is loaded twice": (
        "UARL ADDR[0].x, IN[0]; MOV TEMP[0], CONST[ADDR[0].x]; UARL ADDR[1].x, IN[0]; ADD OUT[0], TEMP[0], CONST[ADDR[1].x+1]",
        3,
    ),
    # constants
    "a chain of integers is constant": (
        "UADD TEMP[0].x, IMM[0].yyyy, IMM[0].zzzz; SHL TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz; XOR TEMP[0].x, TEMP[0].xxxx, IMM[2].yyyy; "
        "UADD OUT[0], TEMP[0].xxxx, IN[0]",
        2,
    ),
    "a chain of floats is constant": (
        "ADD TEMP[0].x, IMM[1].yyyy, IMM[1].zzzz; MUL TEMP[0].x, TEMP[0].xxxx, IMM[1].wwww; ADD OUT[0], TEMP[0].xxxx, IN[0]",
        2,
    ),
    "a comparison is constant": (
        "USLT TEMP[0].x, IMM[0].yyyy, IMM[0].zzzz; UIF TEMP[0].xxxx; MOV OUT[0], IN[0]; ELSE; MOV OUT[0], IN[1]; ENDIF",
        2,
    ),
    "a choice is constant": ("USEQ TEMP[0].x, IMM[0].yyyy, IMM[0].zzzz; UCMP OUT[0], TEMP[0].xxxx, IN[0], IN[1]", 2),
    "a register is 0 from the start": ("UADD OUT[0], TEMP[5], IN[0]", 2),
    # control flow
    "a branch is empty": ("IF IN[0].xxxx; ELSE; ENDIF; MOV OUT[0], IN[0]", 2),
    "an arm computes an unread result": (
        "MOV OUT[0], IN[0]; IF IN[0].xxxx; MUL TEMP[0], IN[0], IN[1]; ELSE; ADD OUT[0], IN[0], IN[1]; ENDIF",
        6,
    ),
    "arms are equal": ("IF IN[0].xxxx; ADD OUT[0], IN[0], IN[1]; ELSE; ADD OUT[0], IN[0], IN[1]; ENDIF", 2),
    "code stands after RET": ("MOV OUT[0], IN[0]; RET; MOV OUT[0], IN[1]", 2),
    "code stands after KILL": ("MOV OUT[0], IN[0]; KILL; MOV OUT[0], IN[1]", 3),
    "code stands after a break": (f"{loop('MOV OUT[0], IN[0]; BRK; MOV OUT[1], IN[0]')}", 2),
    "the last instruction returns": ("MOV OUT[0], IN[0]; RET", 2),
    "a switch is constant": (
        "SWITCH IMM[0].yyyy; CASE IMM[0].xxxx; MOV OUT[0], IN[0]; BRK; CASE IMM[0].yyyy; MOV OUT[0], IN[1]; BRK; DEFAULT; "
        "MOV OUT[0], IMM[1].yyyy; ENDSWITCH",
        2,
    ),
    "a switch takes its default": (
        "SWITCH IMM[0].wwww; CASE IMM[0].xxxx; MOV OUT[0], IN[0]; BRK; DEFAULT; MOV OUT[0], IN[1]; ENDSWITCH",
        2,
    ),
    "a condition is known from an outer chain": (
        "MOV TEMP[0].x, IMM[0].yyyy; IF IN[0].xxxx; UIF TEMP[0].xxxx; MOV OUT[0], IN[1]; ENDIF; ENDIF",
        4,
    ),
    # loops
    "a loop ends in its first round": ("BGNLOOP; ADD TEMP[0], IN[0], IN[1]; BRK; ENDLOOP; MOV OUT[0], TEMP[0]", 2),
    "a loop has three short rounds": (loop("ADD TEMP[0], TEMP[0], IN[0]") + "; MOV OUT[0], TEMP[0]", 4),
    "a loop has no round": (loop("MOV OUT[0], IN[0]", "IMM[0].xxxx") + "; MOV OUT[0], IN[1]", 2),
    "a loop does nothing": (loop("ADD TEMP[0], TEMP[0], IN[0]") + "; MOV OUT[0], IN[0]", 2),
    "a loop fills an array": (
        loop("UARL ADDR[0].x, TEMP[7].xxxx; MOV TEMP[ADDR[0].x+8](1), CONST[ADDR[0].x]") + "; ADD OUT[0], TEMP[8], TEMP[10]",
        2,
    ),
    "a loop inside of a loop is constant": (
        "MOV TEMP[5].x, IMM[0].xxxx; BGNLOOP; USGE TEMP[6].x, TEMP[5].xxxx, IMM[0].zzzz; UIF TEMP[6].xxxx; BRK; ENDIF; "
        + loop("ADD TEMP[0], TEMP[0], IN[0]", "IMM[0].zzzz")
        + "; UADD TEMP[5].x, TEMP[5].xxxx, IMM[0].yyyy; ENDLOOP; MOV OUT[0], TEMP[0]",
        5,
    ),
    "a loop computes the same each round": (
        loop("MUL TEMP[1], IN[0], IN[1]; ADD TEMP[0], TEMP[0], TEMP[1]", "CONST[0].xxxx") + "; MOV OUT[0], TEMP[0]",
        12,
    ),
    # addresses
    "an address is constant": ("UARL ADDR[0].x, IMM[0].zzzz; MOV OUT[0], CONST[ADDR[0].x+1]", 2),
    "an address is a rounded constant": ("ARL ADDR[0].x, IMM[1].zzzz; MOV OUT[0], CONST[ADDR[0].x]", 2),
    "an array is indexed by constants alone": (
        "UARL ADDR[0].x, IMM[0].yyyy; MOV TEMP[ADDR[0].x+8](1), IN[0]; MOV TEMP[10], IN[1]; ADD OUT[0], TEMP[9], TEMP[10]",
        2,
    ),
    # writes
    "scalars are joined": ("ADD TEMP[0].x, IN[0], IN[1]; ADD TEMP[0].y, IN[0], IN[1]; MOV OUT[0], TEMP[0].xyxy", 2),
    "scalars of an output are joined": ("MUL OUT[0].x, IN[0], IN[1]; MUL OUT[0].y, IN[0], IN[1]; MUL OUT[0].zw, IN[0], IN[1]", 2),
    "scalars in registers of their own are packed": (
        "ADD TEMP[0].x, IN[0], IN[1]; ADD TEMP[1].x, IN[0].yyyy, IN[1].yyyy; MUL OUT[0], TEMP[0].xxxx, TEMP[1].xxxx",
        3,
    ),
    "constants are moved one by one": (
        "MOV OUT[0].x, IMM[1].xxxx; MOV OUT[0].y, IMM[1].yyyy; MOV OUT[0].z, IMM[0].zzzz; MOV OUT[0].w, IMM[0].wwww",
        2,
    ),
    "an operand is put together by moves": (
        "MUL TEMP[1], IN[0], IN[0]; MOV TEMP[0].x, CONST[0].xxxx; MOV TEMP[0].y, CONST[1].xxxx; ADD TEMP[2].xy, TEMP[0], TEMP[1]; "
        "DP2 OUT[0], TEMP[2], TEMP[2]",
        5,
    ),
    "a result is moved to two outputs": ("MUL TEMP[0], IN[0], IN[1]; MOV OUT[0], TEMP[0]; MOV OUT[1], TEMP[0]", 3),
    # channels together
    "a sum of squares": (
        "MOV TEMP[0], IN[0]; MUL TEMP[1].x, IN[0].yyyy, IN[0].yyyy; MAD TEMP[1].x, IN[0].xxxx, IN[0].xxxx, TEMP[1].xxxx; "
        "MAD TEMP[1].x, IN[0].zzzz, IN[0].zzzz, TEMP[1].xxxx; MAD OUT[0], IN[0].wwww, IN[0].wwww, TEMP[1].xxxx",
        2,
    ),
    "a difference of products, factors exchanged": (
        "MUL TEMP[1].x, -IN[0].xxxx, IN[1].yyyy; MAD OUT[0].x, IN[1].zzzz, -IN[0].wwww, TEMP[1].xxxx",
        2,
    ),
    "an output comes from two registers": ("MOV OUT[0].xy, IN[0]; MOV OUT[0].zw, IN[1]", 2),
    "an output comes from four registers": (
        "MOV OUT[0].x, IN[0]; MOV OUT[0].y, IN[1]; MOV OUT[0].z, CONST[0]; MOV OUT[0].w, CONST[1]",
        3,
    ),
    "a flag and constants": ("USEQ TEMP[0].x, CONST[0], CONST[1]; AND OUT[0].x, TEMP[0], IMM[1].yyyy; MOV OUT[0].yzw, IMM[1].xxxx", 3),
    "a choice of constants and constants": (
        "UCMP OUT[0].x, CONST[0].xxxx, IMM[0].xxxx, IMM[0].yyyy; MOV OUT[0].yzw, IMM[1].xyxy",
        2,
    ),
    "two vectors are different": (
        "FSNE TEMP[0], IN[0], CONST[0]; FSNE TEMP[1], IN[1], CONST[1]; OR TEMP[2].x, TEMP[0].xxxx, TEMP[0].yyyy; "
        "OR TEMP[2].y, TEMP[0].zzzz, TEMP[0].wwww; OR TEMP[2].x, TEMP[2].xxxx, TEMP[2].yyyy; OR TEMP[3].x, TEMP[1].xxxx, TEMP[1].yyyy; "
        "OR TEMP[3].y, TEMP[1].zzzz, TEMP[1].wwww; OR TEMP[3].x, TEMP[3].xxxx, TEMP[3].yyyy; OR OUT[0].x, TEMP[2].xxxx, TEMP[3].xxxx",
        6,
    ),
    "a branch chooses between registers": (
        "UIF IN[0].xxxx; MOV TEMP[0], IN[1]; ELSE; MOV TEMP[0], CONST[0]; ENDIF; MOV OUT[0], TEMP[0]",
        2,
    ),
    "a branch on a comparison of floats": (
        "SLT TEMP[1].x, IN[0].xxxx, IN[1].xxxx; IF TEMP[1].xxxx; MOV TEMP[0], IN[1]; ELSE; MOV TEMP[0], CONST[0]; ENDIF; "
        "MOV OUT[0], TEMP[0]",
        3,
    ),
    # subroutines
    "a subroutine is called once": ("CAL :2; END; BGNSUB; MOV OUT[0], IN[0]; RET; ENDSUB", 2),
    "a short subroutine is called twice": (
        "MOV TEMP[0], IN[0]; CAL :4; CAL :4; END; BGNSUB; ADD TEMP[0], TEMP[0], IN[1]; MOV OUT[0], TEMP[0]; ENDSUB",
        3,
    ),
    "a subroutine is never called": ("MOV OUT[0], IN[0]; END; BGNSUB; MOV OUT[0], IN[1]; ENDSUB", 2),
    # vertices
    "every vertex gets the same": (
        "GEOM: "
        + loop("UARL ADDR[0].x, TEMP[7].xxxx; MOV TEMP[0], IN[ADDR[0].x][0]; MOV OUT[0], TEMP[0]; MOV OUT[1], CONST[0]; EMIT IMM[0].xxxx"),
        8,
    ),
    "an output is overwritten before EMIT": (
        "GEOM: MOV OUT[0], IN[0][0]; MOV OUT[0], IN[1][0]; EMIT IMM[0].xxxx; MOV OUT[0], CONST[0]; EMIT IMM[0].xxxx",
        5,
    ),
    "inputs pass through an array": (
        "GEOM: MOV TEMP[8], IN[0][0]; MOV TEMP[9], IN[1][0]; MOV TEMP[10], IN[2][0]; UARL ADDR[0].x, IMM[0].zzzz; "
        "MOV OUT[0], TEMP[ADDR[0].x+8](1); EMIT IMM[0].xxxx",
        3,
    ),
}
"""Instructions, separated by semicolons, and the number that may be left; programs are fragment programs unless a stage begins them."""
