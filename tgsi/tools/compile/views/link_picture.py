"""Links of a chain as SVG: a box for each program, inputs left and outputs right, an arrow for each row of a link table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from linkage.chain import link_chain
from linkage.rows import Relocation
from linkage.table import NAMED_OUTPUTS, LinkTable
from linkage.text import channels_text, device_lines, names_of
from linkage.usage import interface_of
from tgsi.language.diagnostics import Diagnostic, LinkError
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.tools.compile.views.svg import FONT, element, escaped, text_at, width_of, wrapped

_COLORS = ("#1f5fbf", "#b3541e", "#2f7d4f", "#7b3fa0", "#a3324f", "#1b7a85", "#6b6300", "#444c5c")
_SEVERITIES = {"error": "#b3261e", "warning": "#a86200", "note": "#5b6472"}
_GREY, _RED, _BACK = "#7a828f", "#b3261e", "#f4f6f9"
_ROW, _SIZE, _SMALL, _EDGE, _TOP = 36.0, 12.0, 10.5, 24.0, 84.0
_MOST_LINES = 48
"""Lines of a device's link that are shown."""


@record(kw_only=True)
class Port:
    """An input or output of a program: its register, and the text in the box."""

    register: int
    text: str


@record(kw_only=True)
class Box:
    """A program with its place in the picture."""

    title: str
    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    x: float = 0.0
    width: float = field(init=False)

    def __post_init__(self) -> None:
        both = [max((width_of(port.text, _SIZE) for port in ports), default=0.0) for ports in (self.inputs, self.outputs)]
        head = width_of(self.title, 14) + width_of(self.name, _SMALL) + 16
        object.__setattr__(self, "width", max(both[0] + both[1] + (36 if all(both) else 20), head + 24, 150.0) + 16)

    def row(self, ports: Sequence[Port], register: int) -> float | None:
        """The height of a port's middle; None if the program has no such port."""
        return next((_TOP + 44 + _ROW * k for k, port in enumerate(ports) if port.register == register), None)


def link_picture(tables: Sequence[LinkTable], programs: Sequence[Program], names: Sequence[str], errors: Sequence[Diagnostic] = ()) -> str:
    """The picture as the text of an SVG file, the same for the same chain.

    `names` are the names of the programs' files. `errors`: findings that reject the link. Tables, if given, are then from another profile,
    and their findings are not shown.
    """
    boxes = _placed([_box(program, name) for program, name in zip(programs, names)], tables)
    right = boxes[-1].x + boxes[-1].width + _EDGE
    parts = [part for box in boxes for part in _drawn_box(box)]
    marks = [part for table, left, after in zip(tables, boxes, boxes[1:]) for part in _arrows(table, left, after)]
    parts += [part for part in marks if not part.startswith("<text")]
    parts += [_halo(part) for part in marks if part.startswith("<text")]  # above all lines
    rows = max([1, *(max(len(box.inputs), len(box.outputs)) for box in boxes)])
    height = _TOP + 44 + _ROW * rows + 8
    right = max(right, 560.0)
    below, height = _findings(tables, boxes, errors, right, height)
    title = _title(tables, programs, errors)
    head = [text_at(title, _EDGE, 36, size=16, weight="bold"), text_at(_legend(errors), _EDGE, 58, size=_SMALL, color=_GREY)]
    return _document(title, right, height + 12, [*head, *parts, *below])


def refused_picture(programs: Sequence[Program], names: Sequence[str], errors: Sequence[Diagnostic]) -> str:
    """The picture of a link that a device, or a rule of the language, rejects: its arrows come from the software profile, if that accepts
    the link."""
    try:
        tables = link_chain(*programs)
    except LinkError:
        tables = ()
    return link_picture(tables, programs, names, errors)


def _document(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    marker = "".join(
        element(
            "marker",
            element("path", d="M0,0 L8,4 L0,8 z", fill=color),
            id=f"head{k}",
            markerWidth=8,
            markerHeight=8,
            refX=7,
            refY=4,
            orient="auto",
            markerUnits="userSpaceOnUse",
        )
        for k, color in enumerate((*_COLORS, _GREY))
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' font-family="{FONT}" role="img" aria-label="{escaped(title)}">',
        f"<title>{escaped(title)}</title>",
        element("defs", marker),
        element("rect", x=0, y=0, width="100%", height="100%", fill="#ffffff"),
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _title(tables: Sequence[LinkTable], programs: Sequence[Program], errors: Sequence[Diagnostic]) -> str:
    chain = " \u2192 ".join(program.processor.name for program in programs)
    if errors:
        return f"{chain}: no link"
    slots = tables[-1].slots
    return f"{chain}, profile {tables[-1].profile}: {slots} slot{'s' * (slots != 1)}"


def _legend(errors: Sequence[Diagnostic]) -> str:
    if errors:
        return "the link is refused, see below; arrows show which semantics would meet"
    return "an arrow: slot, channels that are read, interpolation; values meet by semantic, never by register number"


def _box(program: Program, name: str) -> Box:
    """The box of a program: inputs that it reads, outputs that it declares."""
    interface, names = interface_of(program), names_of(program)
    found = [*interface.varyings, *interface.specials] if program.processor is not Processor.VERT else []
    inputs = [Port(register=item.register, text=_labelled(f"IN[{item.register}]", item.semantic, names)) for item in found]
    if program.processor is Processor.VERT:
        ports = program.interface.inputs.values() if program.interface is not None else ()
        named = {port.location: f" {port.name}" for port in ports}
        inputs = [Port(register=k, text=f"IN[{k}]{named.get(k, '')}") for k, item in enumerate(program.info.inputs) if item.usage_mask]
    outputs = [Port(register=item.register, text=_labelled(f"OUT[{item.register}]", item.semantic, names)) for item in interface.outputs]
    if program.processor is Processor.FRAG:
        declared = [(k, item.semantic) for item in program.declared(File.OUT) if item.semantic for k in range(item.first, item.last + 1)]
        outputs = [Port(register=k, text=f"OUT[{k}] {semantic}") for k, semantic in declared]
    by_register = sorted(inputs, key=lambda port: port.register), sorted(outputs, key=lambda port: port.register)
    return Box(title=program.processor.name, name=_short(name), inputs=tuple(by_register[0]), outputs=tuple(by_register[1]))


def _labelled(register: str, semantic: Semantic, names: Mapping[Semantic, str]) -> str:
    return f"{register} {names[semantic]} {semantic}" if semantic in names else f"{register} {semantic}"


def _short(name: str) -> str:
    last = name.replace("\\", "/").rpartition("/")[2]
    return last if len(last) <= 28 else f"{last[:27]}\u2026"


def _placed(boxes: Sequence[Box], tables: Sequence[LinkTable]) -> list[Box]:
    """Boxes side by side, with room for the labels of the arrows between them."""
    placed, x = [], _EDGE
    for k, box in enumerate(boxes):
        placed.append(Box(title=box.title, name=box.name, inputs=box.inputs, outputs=box.outputs, x=x))
        x += box.width
        if k < len(boxes) - 1:
            labels = [_arrow_label(row, boxes[k + 1].title) for row in tables[k].rows] if k < len(tables) else []
            x += max([190.0, *(width_of(label, _SMALL) + 180 for label in labels)])
    return placed


def _drawn_box(box: Box) -> list[str]:
    rows = max(len(box.inputs), len(box.outputs), 1)
    parts = [
        element("rect", x=box.x, y=_TOP, width=box.width, height=24 + _ROW * rows + 4, rx=8, fill=_BACK, stroke="#c3cad6"),
        text_at(box.title, box.x + 12, _TOP + 19, size=14, weight="bold"),
        text_at(box.name, box.x + box.width - 12, _TOP + 19, size=_SMALL, color=_GREY, anchor="end"),
    ]
    for ports, x, anchor, edge in (
        (box.inputs, box.x + 12, "start", box.x),
        (box.outputs, box.x + box.width - 12, "end", box.x + box.width),
    ):
        for port in ports:
            y = box.row(ports, port.register) or 0.0
            parts.append(element("circle", cx=edge, cy=y, r=4, fill="#ffffff", stroke="#5b6472", stroke_width=1.5))
            parts.append(text_at(port.text, x, y + 4, anchor=anchor))
    return parts


def _arrow_label(row: Relocation, reader: str) -> str:
    """Words on an arrow to a program of a stage: interpolation happens before fragment programs alone."""
    words = [f"slot {row.slot}", channels_text(row)]
    if reader == Processor.FRAG.name:
        words.append(row.interpolation.name.lower() + ("" if row.location.name == "CENTER" else f", {row.location.name.lower()}"))
    return " \u00b7 ".join([*words, *(["once a primitive"] if row.per_primitive else [])])


def _arrows(table: LinkTable, before: Box, after: Box) -> list[str]:
    """Arrows of a table, and marks at unconnected ports."""
    parts: list[str] = []
    x, end = before.x + before.width, after.x
    if Processor[before.title] is Processor.TASK:
        middle = _TOP + 44
        return [_stub(x + 5, end - 5, middle), text_at("payload", (x + end) / 2, middle - 6, size=_SMALL, color=_GREY, anchor="middle")]
    unwritten = {(item.output_register, item.input_register) for item in table.unwritten}
    for row in table.rows:
        y = after.row(after.inputs, row.input_register)
        if y is None:
            continue
        if row.output_register is None:
            value = "reads 0, 0, 0, 1" if table.device is None else "nothing feeds it"
            parts += [_cross(end - 14, y), text_at(value, end - 26, y + 4, size=_SMALL, color=_RED, anchor="end")]
            continue
        back = table.back_register(row)
        color = row.slot % len(_COLORS)
        label = _arrow_label(row, after.title)
        if (row.output_register, row.input_register) in unwritten:
            label = f"{label} \u00b7 not surely written"
        for register, dashes in ((row.output_register, ""), *(((back, "5 4"),) if back not in (None, row.output_register) else ())):
            start = before.row(before.outputs, register if register is not None else -1)
            if start is not None:
                parts.append(_arrow(x + 5, start, end - 5, y, color, dashes, f"{row.semantic}: {label}"))
        parts.append(text_at(label, end - 16, y - 6, size=_SMALL, color=_COLORS[color], anchor="end"))
    return [*parts, *_ends(table, before, after, x, end)]


def _ends(table: LinkTable, before: Box, after: Box, x: float, end: float) -> list[str]:
    """Outputs that the rasterizer reads, or that have no reader, and inputs that the rasterizer writes."""
    parts: list[str] = []
    taken = {register: name.replace("_", " ") for name, _ in NAMED_OUTPUTS if (register := getattr(table, name)) is not None}
    taken |= {register: "clip distance" for register in table.clip_distance if register is not None}
    if Processor.FRAG.name == after.title:
        for register, name in taken.items():
            y = before.row(before.outputs, register)
            if y is not None:
                parts += [_stub(x + 5, x + 30, y), text_at(f"rasterizer: {name}", x + 36, y + 4, size=_SMALL, color=_GREY)]
        for special in table.specials:
            y = after.row(after.inputs, special.input_register)
            if y is not None:
                parts += [
                    _stub(end - 30, end - 5, y),
                    text_at("from the rasterizer", end - 36, y + 4, size=_SMALL, color=_GREY, anchor="end"),
                ]
    for output in table.dead_outputs:
        y = before.row(before.outputs, output.output_register)
        if y is not None and output.output_register not in taken:
            parts += [_cross(x + 14, y, _GREY), text_at("never read", x + 26, y + 4, size=_SMALL, color=_GREY)]
    return parts


def _arrow(x: float, y: float, to_x: float, to_y: float, color: int, dashes: str, title: str) -> str:
    bend = (to_x - x) * 0.45
    path = f"M{x:.1f},{y:.1f} C{x + bend:.1f},{y:.1f} {to_x - bend:.1f},{to_y:.1f} {to_x:.1f},{to_y:.1f}"
    more = {"stroke_dasharray": dashes} if dashes else {}
    return element(
        "path",
        f"<title>{escaped(title)}{' (back faces)' if dashes else ''}</title>",
        d=path,
        fill="none",
        stroke=_COLORS[color],
        stroke_width=1.8,
        marker_end=f"url(#head{color})",
        **more,
    )


def _stub(x: float, to_x: float, y: float) -> str:
    return element(
        "path", d=f"M{x:.1f},{y:.1f} L{to_x:.1f},{y:.1f}", stroke=_GREY, stroke_width=1.5, marker_end=f"url(#head{len(_COLORS)})"
    )


def _cross(x: float, y: float, color: str = _RED) -> str:
    d = f"M{x - 4:.1f},{y - 4:.1f} L{x + 4:.1f},{y + 4:.1f} M{x - 4:.1f},{y + 4:.1f} L{x + 4:.1f},{y - 4:.1f}"
    return element("path", d=d, stroke=color, stroke_width=2)


def _halo(text: str) -> str:
    """Text with a white edge, which stays readable on lines."""
    return text.replace("<text ", '<text stroke="#ffffff" stroke-width="4" paint-order="stroke" stroke-linejoin="round" ', 1)


def _findings(
    tables: Sequence[LinkTable], boxes: Sequence[Box], errors: Sequence[Diagnostic], width: float, y: float
) -> tuple[list[str], float]:
    """The findings of each pair and the link of its device, below the boxes; and the height where they end."""
    parts: list[str] = []
    room = width - 2 * _EDGE - 16
    several = len(boxes) > 2

    def line(text: str, color: str, size: float = _SMALL, weight: str = "normal") -> None:
        nonlocal y
        y += size + 6
        inset = width_of(text[: len(text) - len(text.lstrip("\u00a0"))], size)
        parts.append(text_at(text.lstrip("\u00a0"), _EDGE + inset, y, size=size, color=color, weight=weight))

    def finding(item: Diagnostic) -> None:
        words = f"{item.severity.value}[{item.code}]: {item.message}" + (f"; {item.hint}" if item.hint else "")
        for text in wrapped(words, room, _SMALL):
            line(text, _SEVERITIES[item.severity.value])

    for item in errors:
        finding(item)
    for table, before, after in zip(tables, boxes, boxes[1:]):
        findings = () if errors or Processor[before.title] is Processor.TASK else table.findings
        device = [] if table.device is None or errors else device_lines(table.device)
        if several and (findings or device):
            line(f"{before.title} \u2192 {after.title}", "#1d2433", _SIZE, "bold")
        for item in findings:
            finding(item)
        for text in device[:_MOST_LINES]:
            line(text[: int(room / width_of("m", _SMALL))].replace(" ", "\u00a0"), "#1d2433")
        if len(device) > _MOST_LINES:
            line(f"and {len(device) - _MOST_LINES} more lines, which --link {table.profile} prints", _GREY)
    return parts, y + 8
