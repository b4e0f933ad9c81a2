"""Drawings of a program for Graphviz (``dot -Tsvg``): its control flow, and the data flow between its instructions."""

from __future__ import annotations

from collections.abc import Iterable

from passes.analysis.cells import place_of
from passes.analysis.graph import flow_graph
from passes.analysis.values import UNWRITTEN, Values
from tgsi.language.printer import print_instruction
from tgsi.language.program import Program


def draw_flow(program: Program) -> str:
    """A digraph with a node for each basic block of a validated program. Blocks after which the program may end have a double border."""
    graph, items = flow_graph(program), program.instructions
    nodes = []
    for number, block in enumerate(graph.blocks):
        label = _text(f"{place}: {print_instruction(items[place])}" for place in block)
        nodes.append(f"  {number} [label={label}{', peripheries=2' if number in graph.exits else ''}];")
    edges = [f"  {number} -> {target};" for number, targets in enumerate(graph.successors) for target in targets]
    return _digraph("flow", nodes + edges)


def draw_values(program: Program) -> str:
    """A digraph with a node for each instruction of a validated program, and an edge to each reader of its results.

    Edges are labelled with the channels that are read, and dashed where several instructions may have written the channel.
    """
    values, edges = Values(program), dict[tuple[int, int, bool], dict[str, str]]()
    for place, cells in enumerate(values.reads):
        for cell in cells:
            if cell < 0:
                continue
            writer = values.writer(cell, place)
            file, index, channel = place_of(cell)
            for source in values.writers.get(cell, ()) if writer is None else () if writer == UNWRITTEN else (writer,):
                names = edges.setdefault((source, place, writer is None), {})
                register = f"{file.name}[{index}]"
                names[register] = names.get(register, "") + "xyzw"[channel]
    lines = [f"  {place} [label={_text([f'{place}: {print_instruction(item)}'])}];" for place, item in enumerate(program.instructions)]
    for (first, later, is_one_of_several), names in edges.items():
        label = _text(f"{register}.{channels}" for register, channels in names.items())
        lines.append(f"  {first} -> {later} [label={label}{', style=dashed' if is_one_of_several else ''}];")
    return _digraph("values", lines)


def _text(lines: Iterable[str]) -> str:
    r"""A label of left-aligned lines. ``\l`` ends one."""
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "".join(f"{line}\\l" for line in escaped) + '"'


def _digraph(name: str, lines: Iterable[str]) -> str:
    return "\n".join([f"digraph {name} {{", "  node [shape=box, fontname=monospace];", *lines, "}"]) + "\n"
