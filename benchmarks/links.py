"""Speed of linking, in every profile: `python -m benchmarks.links [plot.svg]`. CPU time of one thread, the best of several rounds."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from linkage import PROFILES, Linker, interface_of, link
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration, DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program

PAIRS = 20_000
LINKS_WANTED = 20_000.0
RELINK_WANTED = 10.0
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def _mov(dst: int, src: int) -> Instruction:
    return Instruction(OPCODES["MOV"], (DstOperand(RegisterRef(File.OUT, dst)),), (SrcOperand(RegisterRef(File.IN, src)),))


def vertex_program(indices: Sequence[int]) -> Program:
    """Vertex program with POSITION and a GENERIC output for each index."""
    semantics = [Semantic("POSITION"), *(Semantic("GENERIC", index) for index in indices)]
    outputs = (Declaration(File.OUT, i, i, semantic=semantic) for i, semantic in enumerate(semantics))
    body = (*(_mov(i, 0) for i in range(len(semantics))), Instruction(OPCODES["END"]))
    return Program(Processor.VERT, (Declaration(File.IN, 0, 0), *outputs), instructions=body)


def fragment_program(indices: Sequence[int]) -> Program:
    """Fragment program with a GENERIC input for each index, all of them read."""
    inputs = tuple(
        Declaration(File.IN, i, i, semantic=Semantic("GENERIC", index), interpolation=Interpolation.PERSPECTIVE)
        for i, index in enumerate(indices)
    )
    output = Declaration(File.OUT, 0, 0, semantic=Semantic("COLOR"))
    body = (*(_mov(0, i) for i in range(len(indices))), Instruction(OPCODES["END"]))
    return Program(Processor.FRAG, (*inputs, output), instructions=body)


def best(rounds: int, work: Callable[[], int]) -> float:
    """Least CPU seconds for one unit of work."""
    found = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        count = work()
        found = min(found, (time.process_time() - start) / count)
    return found


def links_per_second(varyings: int = 16, pairs: int = PAIRS, rounds: int = 3, profile: str = "software", read: str = "slots") -> float:
    """Links per second of distinct pairs of programs with `varyings` varyings each, in random order. `read` is read of each table."""
    choose = random.Random(1)
    side = int(pairs**0.5) + 1
    vertices = [vertex_program(choose.sample(range(varyings), varyings)) for _ in range(side)]
    fragments = [fragment_program(choose.sample(range(varyings), varyings)) for _ in range(side)]
    for program in (*vertices, *fragments):
        interface_of(program)

    def work() -> int:
        for vertex in vertices:
            for fragment in fragments:
                getattr(link(vertex, fragment, profile), read)
        return side * side

    return 1 / best(rounds, work)


def relink_microseconds(varyings: int = 16, rounds: int = 5) -> float:
    """Microseconds of a relink and patch after one varying changed its place. The two vertex programs alternate."""
    order = list(range(varyings))
    changed = [*order[:-1], 200, order[-1]]  # the last varying moves up by one register
    vertices = [vertex_program([*order, 200]), vertex_program(changed)]
    linker = Linker(fragment_program(order), copies=1)
    for vertex in vertices:
        interface_of(vertex)

    def work() -> int:
        for _ in range(1000):
            linker.link(vertices[0])
            linker.link(vertices[1])
        return 2000

    found = best(rounds, work)
    assert linker.counters.patched_slots >= 2000, "one varying a relink"
    return found * 1e6


def microseconds_by_size(sizes: Sequence[int] = SIZES, rounds: int = 5) -> dict[int, float]:
    """Microseconds of a link by number of varyings."""
    return {size: 1e6 / links_per_second(size, 400, rounds) for size in sizes}


def plot(costs: Mapping[int, float]) -> str:
    """SVG of microseconds by varyings, with the straight line through the first and the last point."""
    width, height, margin = 480, 300, 45
    right, top = max(costs), max(costs.values()) * 1.1

    def at(x: float, y: float) -> str:
        return f"{margin + (width - 2 * margin) * x / right:.1f},{height - margin - (height - 2 * margin) * y / top:.1f}"

    ends = [at(size, costs[size]) for size in (min(costs), right)]
    marks = "".join('<circle cx="{}" cy="{}" r="3"/>'.format(*at(x, y).split(",")) for x, y in costs.items())
    labels = [(f"{right} varyings", at(right, 0), "end", 18), (f"{max(costs.values()):.0f} us", at(right, costs[right]), "end", -8)]
    texts = "".join(
        '<text x="{}" y="{}" text-anchor="{}">{}</text>'.format(place.split(",")[0], float(place.split(",")[1]) + down, anchor, text)
        for text, place, anchor, down in [*labels, ("one link, us", at(0, top), "start", -8)]
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">'
        f'<rect width="{width}" height="{height}" fill="white"/>'
        f'<polyline points="{at(0, top)} {at(0, 0)} {at(right, 0)}" fill="none" stroke="black"/>'
        f'<polyline points="{" ".join(ends)}" fill="none" stroke="gray" stroke-dasharray="4"/>{marks}{texts}</svg>\n'
    )


def main() -> None:
    """Print the figures and the goals, and write the plot if a file is named."""
    rate, relink = links_per_second(), relink_microseconds()
    print(f"links of 16 varyings: {rate:,.0f} a second (wanted {LINKS_WANTED:,.0f})")
    print(f"with their rows read: {links_per_second(read='rows'):,.0f} a second")
    print(f"relink of one changed varying: {relink:.2f} us (wanted less than {RELINK_WANTED:.0f})")
    for name, profile in PROFILES.items():
        if name not in ("software", "i965"):
            count = min(16, profile.interpolators)
            print(f"{name}: {links_per_second(count, 2000, 3, name):,.0f} a second with {count} varyings")
    costs = microseconds_by_size()
    for size, cost in costs.items():
        print(f"{size:4} varyings: {cost:8.2f} us a link, {cost / size:5.2f} us a varying")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(plot(costs))


if __name__ == "__main__":
    main()
