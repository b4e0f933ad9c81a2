"""Text of calls, with names of fields and values, as Mesa's NVK notes write them."""

from __future__ import annotations

from collections.abc import Iterable

from backends.nvk.methods.calls import Call
from backends.nvk.methods.classes import FIRST


def print_calls(calls: Iterable[Call], class_number: int = FIRST) -> str:
    """One block a call: the method's name with the class, then a line for each field."""
    return "".join(_block(item, class_number) for item in calls)


def _block(item: Call, class_number: int) -> str:
    copy = f"({item.copy})" if item.method.copies > 1 else ""
    lines = [f"NV{class_number:04X}_{item.name}{copy}"]
    for field, value in zip(item.method.fields, item.values):
        shown = f"(0x{value:x})" if field.values is None else field.values(value).name
        lines.append(f"    .{field.name} = {shown}")
    return "\n".join(lines) + "\n"
