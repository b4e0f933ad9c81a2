"""Command words of calls, and calls of command words.

A command is a header and its data. Headers are those of NVIDIA's FIFO since Fermi, from the channel class headers (e.g. c56f, the DMA
method formats): bits 31:29 the kind (1 incrementing, 3 not incrementing, 4 immediate, 5 incrementing once), bits 28:16 the number of data
words or the immediate value, bits 15:13 the subchannel, bits 11:0 the byte address of the method divided by 4. The encoder writes
incrementing headers only and joins methods whose addresses follow each other; the decoder reads all four kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum

from backends.nvk.methods.calls import Call, call_of_word
from backends.nvk.methods.classes import FIRST, checked_class
from backends.nvk.methods.order import check_order
from backends.nvk.methods.table import BY_ADDRESS, MethodError

MAX_COUNT = (1 << 13) - 1
MAX_SUBCHANNEL = 7


class Kind(IntEnum):
    """Kinds of headers."""

    INCREMENTING = 1
    NOT_INCREMENTING = 3
    IMMEDIATE = 4
    INCREMENTING_ONCE = 5


def encode(calls: Sequence[Call], class_number: int = FIRST, subchannel: int = 0) -> list[int]:
    """32-bit words of a list of calls.

    Raises:
        MethodError: the class has no mesh shaders, the subchannel is not in 0 .. 7, or the order of the calls is wrong.
    """
    checked_class(class_number)
    if not 0 <= subchannel <= MAX_SUBCHANNEL:
        raise MethodError(f"subchannel {subchannel} does not fit into 3 bits (0 .. {MAX_SUBCHANNEL})")
    check_order(calls)
    words: list[int] = []
    for run in _runs(calls):
        words.append(Kind.INCREMENTING << 29 | len(run) << 16 | subchannel << 13 | run[0].address >> 2)
        words += [item.word for item in run]
    return words


def decode(words: Iterable[int], class_number: int = FIRST) -> list[Call]:
    """Calls of 32-bit words, in any order. Subchannels are not looked at.

    Raises:
        MethodError: the class has no mesh shaders, a header or a method is unknown, a word sets bits outside of all fields, or data is
        missing.
    """
    checked_class(class_number)
    calls: list[Call] = []
    stream = iter(enumerate(words))
    for place, header in stream:
        kind, count, address = header >> 29, header >> 16 & MAX_COUNT, (header & 0xFFF) << 2
        if not 0 <= header < 1 << 32 or kind not in set(Kind):
            raise MethodError(f"word {place}: 0x{header:08x} is not a header of a known kind")
        data = [count] if kind == Kind.IMMEDIATE else [word for _, (_, word) in zip(range(count), stream)]
        if kind != Kind.IMMEDIATE and len(data) < count:
            raise MethodError(f"word {place}: the header announces {count} words, {len(data)} follow")
        for number, word in enumerate(data):
            steps = {Kind.NOT_INCREMENTING: 0, Kind.INCREMENTING_ONCE: min(number, 1)}.get(Kind(kind), number)
            method = BY_ADDRESS.get(address + 4 * steps)
            if method is None:
                raise MethodError(f"word {place}: method 0x{address + 4 * steps:04x} is not in the table of mesh shading")
            calls.append(call_of_word(*method, word))
    return calls


def _runs(calls: Sequence[Call]) -> Iterator[list[Call]]:
    run: list[Call] = []
    for item in calls:
        if run and (item.address != run[-1].address + 4 or len(run) == MAX_COUNT):
            yield run
            run = []
        run.append(item)
    if run:
        yield run
