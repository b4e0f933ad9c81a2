"""Vocabulary of an opcode's row: the channels that its sources are read in, its part in control flow, its effects.

Analyses, passes and engines test these facts instead of comparing opcode names. The rows are in `tgsi.language.facts.opcodes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Self


class _Fact(StrEnum):
    """A word of a row, with its meaning."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        """Make a member that equals the string `value`."""
        self = str.__new__(cls, value)
        self._value_ = value
        self.meaning = meaning
        return self


class Mode(Enum):
    """Dependence of the destination's channels on the channels of the sources."""

    NONE = "none"
    COMPONENTWISE = "component-wise"
    REPLICATE = "replicate"
    CHANNEL_DEPENDENT = "channel-dependent"
    OTHER = "other"


class Reads(_Fact):
    """Rules for the channels that a source is read in, before its swizzle, for sources that are not always read in the same ones.

    A pair is xy or zw, two words of a 64-bit number. `tgsi.language.channels.source_channels` applies the rules.
    """

    WRITTEN = "written", "the channels of the write mask"
    VARYING = "varying", "the channels of the write mask, of a fragment input that is interpolated again"
    PAIRS = "pairs", "each pair of which the write mask has a channel"
    WHOLE_PAIRS = "whole pairs", "each pair of which the write mask has both channels"
    PACKED = "packed pairs", "xy for the first written channel, zw for the second"
    WIDENED = "widened", "x where xy are written, y where zw are"
    COUNTS = "counts", "x where x or y is written, z where z or w is"
    COORDINATES = "coordinates", "the coordinates of the texture target, its shadow reference included"
    COORDINATES_W = "coordinates and w", "the coordinates, and w: divisor, level, bias or sample"
    GRADIENT = "gradient", "the coordinates of the texture target without the layer"
    ADDRESS = "address", "a byte offset, or the coordinates of the image's target"
    STORED = "stored", "the channels of the write mask in buffers, all four in images"
    SAMPLER = "sampler", "a sampler, or the xy of a 64-bit handle"
    VIEW = "view", "a sampler view"
    RESOURCE = "resource", "a buffer, an image or memory, or a handle"
    IMAGE = "image", "an image, or a handle"
    TARGET = "target", "the register number alone: a color output, a view or the render targets"


class Flow(StrEnum):
    """The part of an opcode in control flow. UIF is an IF that tests bits instead of a float."""

    IF = "if"
    ELSE = "else"
    ENDIF = "endif"
    LOOP = "loop"
    ENDLOOP = "endloop"
    BREAK = "break"
    CONTINUE = "continue"
    SWITCH = "switch"
    CASE = "case"
    DEFAULT = "default"
    ENDSWITCH = "endswitch"
    SUBROUTINE = "subroutine"
    ENDSUBROUTINE = "endsubroutine"
    CALL = "call"
    RETURN = "return"
    END = "end"


IF, ELSE, ENDIF, LOOP, ENDLOOP, BREAK, CONTINUE = Flow.IF, Flow.ELSE, Flow.ENDIF, Flow.LOOP, Flow.ENDLOOP, Flow.BREAK, Flow.CONTINUE
SWITCH, CASE, DEFAULT, ENDSWITCH, SUBROUTINE, ENDSUBROUTINE = (
    Flow.SWITCH,
    Flow.CASE,
    Flow.DEFAULT,
    Flow.ENDSWITCH,
    Flow.SUBROUTINE,
    Flow.ENDSUBROUTINE,
)
CALL, RETURN, END = Flow.CALL, Flow.RETURN, Flow.END
"""Parts that analyses compare with for every instruction: Python 3.11 takes ten times as long to find a member through its enumeration."""

CLOSER: Mapping[Flow, Flow] = MappingProxyType(
    {
        Flow.IF: Flow.ENDIF,
        Flow.LOOP: Flow.ENDLOOP,
        Flow.SWITCH: Flow.ENDSWITCH,
        Flow.SUBROUTINE: Flow.ENDSUBROUTINE,
    }
)
"""The part that ends the block which another part begins."""

OPENERS = frozenset(CLOSER)
CLOSERS = frozenset(CLOSER.values())
ARMS = frozenset({Flow.ELSE, Flow.CASE, Flow.DEFAULT})
"""Parts that end one arm of a block and begin another."""
JUMPS = frozenset({Flow.BREAK, Flow.CONTINUE, Flow.RETURN})
"""Parts after which the lanes that run them continue at another place."""


class Trait(_Fact):
    """Yes-or-no facts of an opcode."""

    # syntax
    TEX = "tex", "a texture target and a sampler: the last source"
    SAMPLE = "sample", "a sampler view; texel offsets may follow, as they may after TEX"
    MEM = "mem", "qualifiers, a target and a format of memory may follow"
    LABEL = "label", "`:n` may follow"
    INDENT = "indent", "listings indent what follows"
    DEDENT = "dedent", "listings end an indentation before it"
    LATER = "later", "newer than Mesa 18.1"
    GAP = "gap", "a number without an opcode"

    # effects
    NOTHING = "nothing", "no effect at all"
    LOAD = "load", "reads memory that invocations share"
    STORE = "store", "writes memory"
    ATOMIC = "atomic", "reads and writes a word of memory in one step"
    ANY_ORDER = "any order", "atomic: any number with one opcode leave the same word in any order"
    BARRIER = "barrier", "lanes wait for each other"
    KILL = "kill", "ends the life of fragments"
    EMIT = "emit", "outputs become a vertex"
    STREAM = "stream", "acts on a vertex stream"
    LAUNCH = "launch", "thread 0 of a task's block launches mesh workgroups"
    OUTPUTS = "outputs", "thread 0 of a mesh's block says how many vertices and primitives there are"
    VOLATILE = "volatile", "may return another result each time: neither shared nor dropped"

    # other lanes, and facts of a lane
    DERIVATIVE = "derivative", "differences within the 2x2 quad"
    IMPLICIT_LOD = "implicit lod", "level of detail from differences within the quad"
    SUBGROUP = "subgroup", "votes, ballots and reads of other lanes"
    ACTIVE = "active", "subgroup: depends on which lanes are active"
    HELPER = "helper", "depends on being a helper lane"
    INTERPOLATE = "interpolate", "an input at another place of the pixel"
    FRAMEBUFFER = "framebuffer", "the stored color of the pixel"

    # textures
    FILTER = "filter", "texels are filtered by a sampler"
    FETCH = "fetch", "unchanged texels"
    ONE_VECTOR = "one vector", "coordinates, reference, level and bias share the first source"
    QUERY = "query", "returns facts of a resource instead of its content"

    # arithmetic
    COPY = "copy", "the result is the source, bit for bit"
    PICKS = "picks", "the result has the bits of a source; abs and negation change its sign bit alone"
    EXACT_NAN = "exact nan", "the code of the opcode gives no NaN but the canonical one"
    COMMUTATIVE = "commutative", "the first two sources may change places, to the last bit"
    DIVIDES = "divides", "the last source is a divisor"
    PRODUCT = "product", "multiplies: the property MUL_ZERO_WINS matters"


FIRST_THREAD = frozenset({Trait.LAUNCH, Trait.OUTPUTS})
"""Traits of opcodes that act for thread 0 of a block alone; the last of several counts."""

QUAD = frozenset({Trait.DERIVATIVE, Trait.IMPLICIT_LOD})
"""Traits of opcodes whose result depends on neighbors in the 2x2 quad, active or not."""

OTHER_LANES = QUAD | {Trait.SUBGROUP}
"""Traits of opcodes whose result depends on values of other lanes."""
