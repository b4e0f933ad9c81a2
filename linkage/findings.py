"""What a link table would like to be said about it: warnings and notes, made only when somebody asks."""

from __future__ import annotations

from linkage.table import LinkTable
from tgsi.language.diagnostics import Diagnostic, Label, Severity
from tgsi.language.source import Span


def findings(table: LinkTable) -> tuple[Diagnostic, ...]:
    """Warnings and notes about a link: unmatched inputs, dead outputs, missing position, inputs without interpolation."""
    found: list[Diagnostic] = []
    for item in table.unmatched_inputs:
        hint = f"did you mean {' or '.join(str(n) for n in item.nearest)}?" if item.nearest else ""
        text = f"IN[{item.input_register}] {item.semantic} has no output to read from"
        if table.device is None:
            text += "; it reads 0, 0, 0, 1"
        found.append(Diagnostic("K010", Severity.WARNING, text, _labels(item.span), hint))
    for output in table.dead_outputs:
        text = f"OUT[{output.output_register}] {output.semantic} is read by nobody"
        found.append(Diagnostic("K011", Severity.NOTE, text, _labels(output.span)))
    for item in table.implicit:
        text = f"IN[{item.input_register}] {item.semantic} states no interpolation; it is CONSTANT"
        found.append(Diagnostic("K012", Severity.WARNING, text, _labels(item.span), "write PERSPECTIVE or LINEAR to have it vary"))
    for row in table.rows:
        if row.semantic.name == "COLOR" and row.output_register is not None and table.back.get(row.semantic.index) == row.output_register:
            text = f"IN[{row.input_register}] {row.semantic} has only a back color to read from"
            found.append(Diagnostic("K013", Severity.WARNING, text))
    if table.position is None:
        found.append(Diagnostic("K014", Severity.WARNING, "the vertex program writes no POSITION; nothing can be rasterized"))
    return (*found, *(table.device.findings if table.device is not None else ()))


def _labels(span: Span | None) -> tuple[Label, ...]:
    return (Label(span),) if span is not None else ()
