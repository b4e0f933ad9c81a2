"""Random GLSL 4.30 of vertex, fragment and compute programs, made so that two right compilers agree on the results.

Floats stay between -2 and 2 and away from the places where a function is steep. Operations that jump (floor, comparisons, conversions to
whole numbers) take inputs and constants alone, which are the same words on both sides. Whole numbers come from whole numbers. The inverse
trigonometric functions are left out: Mesa has coarse polynomials for them. Every input is handed through, so that no compiler removes one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.mesa_glsl.expressions import (
    CONDITIONS,
    FLOATS,
    PAIRS,
    SCALARS,
    SIZED,
    VECTORS,
    WHOLE,
    WHOLE_BY_KIND,
    WHOLE_SCALARS,
    templates,
)

STAGES = ("vert", "frag", "comp")
MARK = 1_000_000_000
"""The word by which a program of seed n is known is MARK + n."""
BLOCK = 16
"""Invocations of a workgroup of a compute program."""
GROUPS = 4
"""Workgroups of such a program."""
WORDS = 16
"""Words of an invocation of a compute program: four floats twice, four ints and four uints, which are read first and then written.
One word more, after those of all invocations, is their sum."""
_SHORT = {"float": "vec", "int": "ivec", "uint": "uvec"}


def named(kind: str, size: int) -> str:
    """The type of `size` components."""
    return kind if size == 1 else f"{_SHORT[kind]}{size}"


@dataclass(frozen=True)
class Shader:
    """A program: its stage by the name that `tgsi.compile` takes, and its text."""

    seed: int
    stage: str
    text: str


@dataclass
class Writer:
    """Statements of one program. Names in scope are kept by type."""

    random: random.Random
    stage: str
    leaves: dict[str, list[str]]
    locals: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    count: int = 0

    # Expressions.

    def _swizzle(self, size: int, among: str = "xyzw") -> str:
        return "".join(self.random.choice(among) for _ in range(size))

    def exact(self, size: int = 1) -> str:
        """Floats that are the same words on both sides: inputs and constants."""
        if self.random.random() < 0.15:
            return f"{named('float', size)}({self.random.choice((0.25, 0.75, -0.5, 1.25, -1.75))})"
        return f"{self.random.choice(self.leaves['float'])}.{self._swizzle(size)}"

    def _leaf(self, kind: str, size: int) -> str:
        """A local of a type, a part of a wider one, an input or a constant."""
        wide = [(name, have) for (of, have), names in self.locals.items() if of == kind and have >= size for name in names]
        if wide and self.random.random() < 0.6:
            name, have = self.random.choice(wide)
            return name if have == size else f"{name}.{self._swizzle(size, 'xyzw'[:have])}"
        if kind == "float":
            return self.exact(size)
        if self.random.random() < 0.15:
            return f"{named(kind, size)}({self.random.choice((0, 1, 2, 5, 31, 255, 65535, 2147483647))}{'u' if kind == 'uint' else ''})"
        return f"{self.random.choice(self.leaves[kind])}.{self._swizzle(size)}"

    def value(self, kind: str, size: int, depth: int) -> str:
        """An expression of a type."""
        if depth <= 0:
            return self._leaf(kind, size)
        if kind == "float":
            found = templates(FLOATS, SCALARS if size == 1 else VECTORS + SIZED[size])
            if size == 1 and self.functions:
                found += [f"{self.random.choice(self.functions)}({{f}}, {{f}})"] * 5
        else:
            found = templates(WHOLE, WHOLE_BY_KIND[kind], WHOLE_SCALARS[kind] if size == 1 else "")
        return self._filled(self.random.choice(found), kind, size, depth - 1)

    def condition(self, depth: int) -> str:
        """A condition on whole numbers and inputs."""
        found = templates(CONDITIONS)
        return self._filled(self.random.choice(found if depth > 0 else found[:9]), "bool", 1, depth - 1)

    def _filled(self, template: str, kind: str, size: int, depth: int) -> str:
        """A template with expressions in its places."""
        many = self.random.choice((2, 3, 4))
        of: dict[str, Callable[[], str]] = {
            "a": lambda: self.value(kind, size, depth),
            "b": lambda: self.condition(depth),
            "B": lambda: self._filled(self.random.choice(templates(PAIRS)), "bool", size if kind != "bool" else many, depth),
            "c": lambda: self.random.choice("xyzw"),
            "e": lambda: self.exact(size),
            "f": lambda: self.value("float", 1, depth),
            "i": lambda: self.value("int", 1, depth),
            "I": lambda: self.value("int", size, depth),
            "M": lambda: "m" if size == 4 else f"mat{size}(m)",
            "n": lambda: str(size),
            "T": lambda: named(kind, size),
            "u": lambda: "u" if kind == "uint" else "",
            "U": lambda: self.value("uint", size, depth),
            "v": lambda: self.value("float", many, depth),
        }
        return re.sub(r"\{(\w)\}", lambda found: of[found[1]](), template)

    def everything(self, kind: str) -> str:
        """Every local of a kind and its array, so that what came before counts in a result."""
        names = ["vec4(table[0], table[1], table[2], table[3])"] if kind == "float" else []
        names = ["ivec4(numbers[0], numbers[1], numbers[2], numbers[3])"] if kind == "int" else names
        for (of, size), found in self.locals.items():
            names += [f"{named(kind, 4)}({name})" if size == 1 else f"{name}.{'xyzx'[:size]:x<4}" for name in found if of == kind]
        return "".join(f" + {name} * 0.125" if kind == "float" else f" ^ {name}" for name in names)

    # Statements.

    def line(self, indent: int, text: str) -> None:
        self.lines.append("  " * indent + text)

    def new_local(self, indent: int, depth: int) -> None:
        """A local with a value."""
        kind, size = self.random.choice(("float", "float", "int", "uint")), self.random.randrange(1, 5)
        value = self.value(kind, size, depth)
        name = self._name("x")
        self.line(indent, f"{named(kind, size)} {name} = {value};")
        self.locals.setdefault((kind, size), []).append(name)

    def _name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def assign(self, indent: int, depth: int) -> None:
        """A new value for a local, for some of its components, or for an element of an array."""
        if self.random.random() < 0.2:
            target, kind = self.random.choice((("table", "float"), ("numbers", "int")))
            self.line(indent, f"{target}[{self.value('int', 1, depth - 1)} & 3] = {self.value(kind, 1, depth)};")
            return
        kind, size, name = self.random.choice([(*key, name) for key, names in self.locals.items() for name in names])
        if size > 1 and self.random.random() < 0.4:
            part = self.random.sample("xyzw"[:size], count := self.random.randrange(1, size + 1))
            name, size = f"{name}.{''.join(part)}", count
        by = self.random.choice(("=", "=", "+=", "-=", "^=", "*=", "|=")) if kind != "float" else "="
        self.line(indent, f"{name} {by} {self.value(kind, size, depth)};")

    def block(self, indent: int, depth: int, statements: int, *, in_loop: bool = False) -> None:
        """Statements with names of their own."""
        outer = {key: list(names) for key, names in self.locals.items()}
        for _ in range(statements):
            self.statement(indent, depth, in_loop=in_loop)
        self.locals = outer

    def statement(self, indent: int, depth: int, *, in_loop: bool = False) -> None:
        """One statement, with those in it."""
        pick = self.random.random()
        if depth <= 1 or pick < 0.35:
            self.assign(indent, depth)
        elif pick < 0.55:
            self.new_local(indent, depth)
        elif pick < 0.7:
            self.line(indent, f"if ({self.condition(depth - 1)}) {{")
            self.block(indent + 1, depth - 1, 2, in_loop=in_loop)
            if self.random.random() < 0.5:
                self.line(indent, "} else {")
                self.block(indent + 1, depth - 1, 2, in_loop=in_loop)
            self.line(indent, "}")
        elif pick < 0.88:
            self._loop(indent, depth)
        elif in_loop and pick < 0.92:
            self.line(indent, f"if ({self.condition(1)}) {self.random.choice(('break', 'continue'))};")
        else:
            self._switch(indent, depth)

    def _loop(self, indent: int, depth: int) -> None:
        i, kind = self._name("i"), self.random.choice(("for", "do", "while"))
        limit = self.random.choice(("3", "5", "(n[0].x & 3)", f"({self.value('int', 1, 1)} & 3)"))
        if kind == "for":
            self.line(indent, f"for (int {i} = 0; {i} < {limit}; {i}++) {{")
        else:
            self.line(indent, f"int {i} = 0;")
            self.line(indent, "do {" if kind == "do" else f"while ({i} < {limit}) {{")
            self.line(indent + 1, f"{i}++;")
        self.leaves["int"].append(f"ivec4({i})")
        self.block(indent + 1, depth - 1, 2, in_loop=True)
        self.leaves["int"].pop()
        self.line(indent, f"}} while ({i} < 3);" if kind == "do" else "}")

    def _switch(self, indent: int, depth: int) -> None:
        self.line(indent, f"switch ({self.value('int', 1, depth - 1)} & 3) {{")
        for label in ("case 0", "case 2", "default"):
            self.line(indent, f"{label}:")
            self.block(indent + 1, depth - 1, 1)
            if label == "default" or self.random.random() < 0.7:
                self.line(indent + 1, "break;")
        self.line(indent, "}")

    def function(self) -> str:
        """A function of two floats that may return early, and one that changes its arguments."""
        name = f"f{len(self.functions)}"
        saved, self.leaves = self.leaves, {"float": ["vec4(a, b, a, b)", "k[1]"], "int": ["n[1]"], "uint": ["w"]}
        value = self.value("float", 1, 2)
        self.leaves = saved
        self.functions.append(name)
        return (
            f"void h{name}(inout float a, out float b) {{ b = a * 0.5; a = b + 0.25; }}\n"
            f"float {name}(float a, float b) {{\n  float c;\n  if (n[0].z {self.random.choice('<>')} 3) return max(a, b);\n"
            f"  h{name}(a, c);\n  return mix({value}, c, 0.25);\n}}\n"
        )


_LEAVES: dict[str, dict[str, list[str]]] = {
    "vert": {"float": ["v0", "v1", "k[0]", "k[3]"], "int": ["v2", "n[0]", "ivec4(gl_VertexID)"], "uint": ["v3", "w"]},
    "frag": {"float": ["v0", "v1", "k[0]", "k[3]"], "int": ["v2", "n[0]"], "uint": ["v3", "w"]},
    "comp": {"float": ["v0", "v1", "k[0]", "k[3]"], "int": ["v2", "n[0]", "ivec4(gl_GlobalInvocationID.xyzx)"], "uint": ["v3", "w"]},
}
_HEAD = """#version 430
layout(std140, binding = 0) uniform Uniforms { vec4 k[4]; mat4 m; ivec4 n[2]; uvec4 w; };
layout(binding = 0) uniform sampler2D s0;
float table[4];
int numbers[4];
"""
_INPUTS = ("vec4", "vec4", "ivec4", "uvec4")
_OUTPUTS = {
    "vert": ("vec4", "ivec4", "uvec4", "vec4", "vec4", "ivec4", "uvec4", "ivec4", "vec4"),
    "frag": ("vec4", "ivec4", "uvec4", "vec4", "vec4", "ivec4", "uvec4", "ivec4"),
}
_SAMPLE = "textureLod(s0, vec2(0.25), 0.0)"
_STORE = f"""
  for (uint i = 0u; i < 4u; i++) d[at + i] = floatBitsToUint(o0[i]);
  for (uint i = 0u; i < 4u; i++) d[at + 4u + i] = floatBitsToUint({_SAMPLE}[i]);
  d[at + 8u] = uint(o1.x); d[at + 9u] = uint(o1.y); d[at + 10u] = uint(o1.z); d[at + 11u] = {{mark}}u;
  d[at + 12u] = o2.x; d[at + 13u] = o2.y; d[at + 14u] = o2.z; atomicAdd(d[{GROUPS * BLOCK * WORDS}], o2.w);
"""
_LOAD = f"""
  uint at = gl_GlobalInvocationID.x * {WORDS}u, here = gl_LocalInvocationIndex;
  vec4 v0 = uintBitsToFloat(uvec4(d[at], d[at + 1u], d[at + 2u], d[at + 3u]));
  vec4 v1 = uintBitsToFloat(uvec4(d[at + 4u], d[at + 5u], d[at + 6u], d[at + 7u]));
  ivec4 v2 = ivec4(d[at + 8u], d[at + 9u], d[at + 10u], d[at + 11u]);
  uvec4 v3 = uvec4(d[at + 12u], d[at + 13u], d[at + 14u], d[at + 15u]);
  together[here] = v3.x;
  barrier();
  v3.w ^= together[{BLOCK - 1}u - here];
"""


def _ports(stage: str) -> str:
    """Declarations of what a stage reads and writes."""
    if stage == "comp":
        memory = f"layout(std430, binding = 0) buffer Words {{ uint d[]; }};\nshared uint together[{BLOCK}];\n"
        return f"layout(local_size_x = {BLOCK}) in;\n{memory}"

    def flat(kind: str, varies: bool) -> str:
        return "flat " if varies and kind != "vec4" else ""

    lines = [f"layout(location = {k}) {flat(kind, stage == 'frag')}in {kind} v{k};" for k, kind in enumerate(_INPUTS)]
    lines += [f"layout(location = {k}) {flat(kind, stage == 'vert')}out {kind} o{k};" for k, kind in enumerate(_OUTPUTS[stage])]
    return "\n".join(lines) + "\n"


def shader(seed: int, stage: str) -> Shader:
    """The program of a seed."""
    writer = Writer(random.Random(f"mesa_glsl {seed} {stage}"), stage, {kind: list(names) for kind, names in _LEAVES[stage].items()})
    chance: Any = writer.random
    functions = "".join(writer.function() for _ in range(chance.randrange(3)))
    writer.line(1, f"table = float[4]({', '.join(writer.exact() for _ in range(4))});")
    writer.line(1, f"numbers = int[4]({', '.join(writer.value('int', 1, 0) for _ in range(4))});")
    if stage == "frag":  # derivatives are defined where all pixels of a quad go the same way
        writer.line(1, "vec4 dx = dFdx(v0) * 0.25, dy = dFdy(v1) * 0.25, width = fwidth(v0.wzyx) * 0.25;")
        writer.locals["float", 4] = ["dx", "dy", "width"]
    for _ in range(3):
        writer.new_local(1, 2)
    for _ in range(chance.randrange(3, 8)):
        writer.statement(1, 3)
    results = [f"o{k} = {writer.value(kind, 4, 3)}{writer.everything(kind)};" for k, kind in enumerate(("float", "int", "uint"))]
    lines, mark = "\n".join(writer.lines) + "\n  ", MARK + seed
    if stage == "comp":
        results = [f"{kind} {text}" for kind, text in zip(("vec4", "ivec4", "uvec4"), results)]
        body = f"{_LOAD}{lines}{' '.join(results)}{_STORE.format(mark=mark)}"
    else:
        moved = f"o4 = v1; o5 = v2; o6 = v3; o7 = ivec4({mark}, n[1].xyz);"
        last = (
            f"o3 = v0; o8 = {_SAMPLE};\n  gl_Position = {writer.value('float', 4, 1)};\n"
            if stage == "vert"
            else f"o3 = v0 + {_SAMPLE};\n  if ({writer.condition(1)} && v0.x < -1.0) discard;\n"
        )
        body = f"\n{lines}{' '.join(results)}\n  {moved} {last}"
    return Shader(seed, stage, f"{_HEAD}{_ports(stage)}{functions}void main() {{{body}}}\n")
