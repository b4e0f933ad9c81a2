"""Names of variables, each unique: the program's own names if known."""

from __future__ import annotations

import re
from collections.abc import Mapping

from backends.shader_key.layout import Layout
from tgsi.language.facts.enums import File
from tgsi.language.interface import Interface, Port
from tgsi.language.program import Program

_WORDS = frozenset(
    """
    active asm attribute bool break buffer bvec2 bvec3 bvec4 case cast centroid class clamp coherent common const continue
    cross default discard distance do dot double else enum extern external false filter fixed flat float for fract goto half
    highp if in inline input int interface invariant isampler2D ivec2 ivec3 ivec4 layout length log long lowp main mat2 mat3
    mat4 max mediump min mix mod namespace noinline noise1 noperspective normalize out output packed partition patch pow
    precise precision public readonly reflect refract resource restrict return sample sampler1D sampler2D sampler3D
    samplerCube shared short sign sin cos tan exp abs floor ceil step smoothstep sizeof smooth static struct subroutine
    superp switch template texture this true typedef uint uniform union unsigned using uvec2 uvec3 uvec4 varying vec2 vec3
    vec4 void volatile while writeonly divide remainder highProduct lit logarithm packHalves packBytes
    """.split()  # noqa: SIM905
)


class Names:
    """Names in use; those of a key are reserved first."""

    def __init__(self, program: Program, layout: Layout | None = None) -> None:
        self.layout = layout or Layout()
        self._fixed: dict[str, str] = {}
        self._holders: dict[str, str] = {}
        self._used: set[str] = set()
        self._keep(program)
        interface = program.interface or Interface()
        self.inputs = _by_semantic(interface.inputs)
        self.outputs = _by_semantic(interface.outputs)
        self.input_locations = {port.location: name for name, port in interface.inputs.items() if port.registers == 1}
        self.output_locations = {port.location: name for name, port in interface.outputs.items() if port.registers == 1}
        self.samplers = {unit.binding: name for name, unit in interface.samplers.items()}
        self.images = {unit.binding: name for name, unit in interface.images.items()}
        self.buffers = {block.binding: name for name, block in interface.buffers.items()}
        self.blocks = {block.binding: name for name, block in interface.blocks.items()}

    def _keep(self, program: Program) -> None:
        """Reserve the names that the key has for registers of the program."""
        for register, name in self.layout.names.items():
            if name in _WORDS:
                self.layout.refuse(f"names: {register}: `{name}` is a word of GLSL; choose another name")
            if not _has(program, register):
                continue
            other = next((key for key, value in self._fixed.items() if value == name), None)
            if other is not None:
                self.layout.refuse(f"names: {other} and {register} are both called `{name}`; give one of them another name")
            self._fixed[register] = name
            self._used.add(name)

    def resource(self, register: str, known: str | None, own: str) -> str:
        """The name of a resource: from the key, or similar to the program's own name, or to `own` after the key's prefix."""
        return self._fixed.get(register) or self.give(known or f"{self.layout.prefix}{own}")

    def port(self, register: str, semantic: str, wanted: str) -> str:
        """The name of an input or output: from the key for its register or semantic, or similar to the requested one."""
        if register in self._fixed or semantic not in self._fixed:
            return self._fixed.get(register) or self.give(wanted)
        other = self._holders.setdefault(semantic, register)
        if other != register:
            self.layout.refuse(f"names: {semantic} is {other} and {register} of one program; name each by its register")
        return self._fixed[semantic]

    def give(self, wanted: str) -> str:
        """A free name that is similar to the requested one."""
        name = re.sub(r"_{2,}", "_", re.sub(r"\W+", "_", wanted.split("@")[0])).strip("_") or "value"
        if name in _WORDS or name.startswith("gl_") or name[0].isdigit():
            name = f"own_{name}"
        unique, number = name, 2
        while unique in self._used:
            unique, number = f"{name}_{number}", number + 1
        self._used.add(unique)
        return unique


def _by_semantic(ports: Mapping[str, Port]) -> dict[str, str]:
    return {port.semantic: name for name, port in ports.items() if port.registers == 1 and port.semantic}


_FILES = {file.name: file for file in File}


def _has(program: Program, register: str) -> bool:
    """Return true if a program declares a register, or one with a semantic."""
    name, *numbers = re.findall(r"\w+", register)
    if name == "CONST":
        return any((item.dimension or 0) == int(numbers[0]) for item in program.declared(File.CONST))
    if name in _FILES:
        return any(item.first <= int(numbers[-1]) <= item.last for item in program.declared(_FILES[name]))
    return any(
        item.semantic is not None
        and item.semantic.name == name
        and item.semantic.index <= int(numbers[0]) <= item.semantic.index + item.last - item.first
        for item in program.declarations
    )
