"""Names of variables: those of the program where they are known, each once."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tgsi.language.interface import Interface, Port

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
    """Names given so far."""

    def __init__(self, interface: Interface | None) -> None:
        self._used: set[str] = set()
        interface = interface or Interface()
        self.inputs = _by_semantic(interface.inputs)
        self.outputs = _by_semantic(interface.outputs)
        self.input_locations = {port.location: name for name, port in interface.inputs.items() if port.registers == 1}
        self.output_locations = {port.location: name for name, port in interface.outputs.items() if port.registers == 1}
        self.samplers = {unit.binding: name for name, unit in interface.samplers.items()}
        self.images = {unit.binding: name for name, unit in interface.images.items()}
        self.buffers = {block.binding: name for name, block in interface.buffers.items()}
        self.blocks = {block.binding: name for name, block in interface.blocks.items()}

    def give(self, wanted: str) -> str:
        """A free name that is like the one wanted."""
        name = re.sub(r"_{2,}", "_", re.sub(r"\W+", "_", wanted.split("@")[0])).strip("_") or "value"
        if name in _WORDS or name.startswith("gl_") or name[0].isdigit():
            name = f"own_{name}"
        made, number = name, 2
        while made in self._used:
            made, number = f"{name}_{number}", number + 1
        self._used.add(made)
        return made


def _by_semantic(ports: Mapping[str, Port]) -> dict[str, str]:
    return {port.semantic: name for name, port in ports.items() if port.registers == 1 and port.semantic}
