"""Rules of declarations: ranges are right, no register is declared twice, array numbers and semantics are unambiguous."""

from __future__ import annotations

import re
from collections.abc import Iterable

from passes.validate.context import Context
from tgsi.language.diagnostics import Fix, Label
from tgsi.language.facts.enums import File, Interpolation
from tgsi.language.facts.limits import MAX_ARRAY
from tgsi.language.facts.semantics import SEMANTICS, Semantic
from tgsi.language.ir import Declaration
from tgsi.language.source import Span

MAX_INDEX = 32767
"""Tokens hold register numbers in 16 signed bits."""

_ALSO_SYSTEM_VALUES = frozenset({"POSITION", "PCOORD"})
"""Fragment inputs that some drivers require as system values."""

_COLOR = Interpolation.COLOR  # which is looked up for every declaration
_INTERFACE = frozenset({File.IN, File.OUT})
_WITHOUT_SEMANTIC = frozenset({File.IMAGE, File.SVIEW, File.BUFFER, File.MEMORY})
_UNDECLARED_HINTS = {
    File.NULL: "leave the declaration out",
    File.IMM: "write the values, as `IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}`, without DCL",
}
_CHECKED = frozenset({*_UNDECLARED_HINTS, File.SV})


def check(context: Context) -> None:
    """Check V020 to V027."""
    has_arrays = has_semantics = False
    for item in context.declarations:
        if item.array_id:
            has_arrays = True
        if item.semantic is not None:
            has_semantics = True
        elif item.interpolation is _COLOR and item.file not in _WITHOUT_SEMANTIC:
            context.error("V027", "interpolation COLOR without a semantic cannot be written as text", item)
        if not 0 <= item.first <= item.last <= MAX_INDEX or item.dimension or item.array_id:
            _check_numbers(context, item)
        if item.file in _CHECKED:
            _check_file(context, item)
    for registers in context.registers.values():
        if len(registers.ranges) > 1 and not _are_in_order(registers.ranges):
            _check_overlap(context, registers.ranges)
    if has_arrays:
        _check_arrays(context)
    if has_semantics:
        _check_semantics(context)


def _check_file(context: Context, item: Declaration) -> None:
    if item.file is not File.SV:
        context.error("V023", f"{item.file.name} registers are not declared", item, hint=_UNDECLARED_HINTS[item.file])
    elif item.semantic is None:
        context.error("V026", "a system value needs a semantic", item, hint="as `DCL SV[0], INSTANCEID`")
    elif "SV" not in SEMANTICS[item.semantic.name].stages and item.semantic.name not in _ALSO_SYSTEM_VALUES:
        context.error(
            "V026", f"{item.semantic.name} is not a system value", item, hint=f"declare it as an input, as `DCL IN[0], {item.semantic}`"
        )


def _check_numbers(context: Context, item: Declaration) -> None:
    if item.first > item.last:
        context.error(
            "V021",
            f"the range {item.first}..{item.last} runs backwards",
            item,
            hint=f"write `[{item.last}..{item.first}]`",
            fixes=_turned(item),
        )
    if not 0 <= item.first <= MAX_INDEX or not 0 <= item.last <= MAX_INDEX or not 0 <= (item.dimension or 0) <= MAX_INDEX:
        context.error("V022", f"a register number is beyond {MAX_INDEX}", item, hint="use lower numbers")
    if not 0 <= item.array_id <= MAX_ARRAY:
        context.error("V022", f"an array number is beyond {MAX_ARRAY}", item, hint="use a lower number")


def _turned(item: Declaration) -> tuple[Fix, ...]:
    """The correction of a range that runs backwards."""
    span = item.span
    match = re.search(rf"{item.first}([ \t]*\.\.[ \t]*){item.last}(?=[ \t]*\])", span.text) if span is not None else None
    if span is None or match is None:
        return ()
    place = Span(span.source, span.start + match.start(), span.start + match.end())
    return (Fix(place, f"{item.last}{match[1]}{item.first}"),)


def _are_in_order(ranges: Iterable[Declaration]) -> bool:
    """Return true if each range begins after the end of the previous one."""
    end = -1
    for item in ranges:
        if item.first <= end:
            return False
        end = item.last
    return True


def _check_overlap(context: Context, ranges: Iterable[Declaration]) -> None:
    """Check that ranges share registers only with disjoint masks."""
    open_ranges: list[Declaration] = []
    for item in sorted(ranges, key=lambda declared: declared.first):
        open_ranges = [other for other in open_ranges if other.last >= item.first]
        for other in open_ranges:
            if other.usage_mask & item.usage_mask:
                later, earlier = (item, other) if _place(item) >= _place(other) else (other, item)
                also = (Label(earlier.span, "declared here"),) if earlier.span is not None else ()
                register = max(item.first, other.first)
                # Mesa itself declares an output again if stream output captures a part of it; the meaning is the same
                report = context.warning if item.semantic is not None and item.semantic == other.semantic else context.error
                report(
                    "V020",
                    f"{item.file.name}[{register}] is declared twice",
                    later,
                    hint="leave one of the two out, or use other numbers",
                    also=also,
                )
                break
        if len(open_ranges) < 16:  # more than there can be disjoint masks
            open_ranges.append(item)


def _place(item: Declaration) -> int:
    return item.span.start if item.span is not None else 0


def _check_arrays(context: Context) -> None:
    seen: dict[tuple[File, int], Declaration] = {}
    for item in context.program.declarations:
        key = item.file, item.array_id
        if item.array_id and key in seen:
            first = seen[key].span
            also = (Label(first, "first used here"),) if first is not None else ()
            context.error(
                "V024",
                f"ARRAY({item.array_id}) names two ranges of {item.file.name}",
                item,
                hint="give one of the two another number",
                also=also,
            )
        seen.setdefault(key, item)


def _check_semantics(context: Context) -> None:
    """Check that no two registers carry one semantic: linkage takes the first and ignores the other."""
    carriers = [item for item in context.program.declarations if item.semantic is not None and item.file in _INTERFACE]
    if len({(item.file, item.semantic) for item in carriers}) == len(carriers):
        return
    seen: dict[tuple[File, Semantic], list[Declaration | None]] = {}
    for item in carriers:
        assert item.semantic is not None
        owners = seen.setdefault((item.file, item.semantic), [None] * 4)  # by channel
        for channel in range(4):
            if not item.usage_mask >> channel & 1:
                continue
            other = owners[channel] = owners[channel] or item
            if other.first != item.first and other.streams[channel] == item.streams[channel]:
                also = (Label(other.span, "first declared here"),) if other.span is not None else ()
                context.warning(
                    "V025",
                    f"two {item.file.name} registers mean {item.semantic}",
                    item,
                    hint="give one of the two another index",
                    also=also,
                )
                break
