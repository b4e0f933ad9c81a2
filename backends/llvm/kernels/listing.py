"""Kernels of a program without any state, for `tgsi-compile --emit` (see `engine.artifact`).

Vertex programs are shown as the kernel that draws use, other programs as the kernel of `tgsi.run`. No state is bound, so every texture
unit is assumed to have an RGBA8 texture (of integers if its SVIEW declares integers) with mipmaps and linear filters, and every image to
have texels of the declared format, or of R32_UINT.
"""

from __future__ import annotations

from collections.abc import Iterator

from backends.abi.keys import GALLIUM_TARGETS, ImageKey, SamplerKey, TextureKey, sampler_key
from backends.formats import Format, find_format
from backends.llvm.builder.function import Module
from backends.llvm.engine.artifact import Artifact, generate_artifact
from backends.llvm.kernels.stages import build_run_kernel, build_vertex_kernel
from backends.llvm.program.plan import fitting_lanes
from backends.pipe.enums import CompareFunc, TexCompare, TexFilter, TexMipFilter
from tgsi.language.facts.enums import File, Processor, ReturnType
from tgsi.language.program import Program

_FORMATS = {ReturnType.SINT: Format.R8G8B8A8_SINT, ReturnType.UINT: Format.R8G8B8A8_UINT}


def _sampled(program: Program) -> Iterator[tuple[int, str, ReturnType]]:
    """Unit, target and type of every view that the program declares, and of every unit that it samples without a view."""
    views = {unit: d.view for d in program.declared(File.SVIEW) if d.view is not None for unit in range(d.first, d.last + 1)}
    yield from ((unit, view.target, view.types[0]) for unit, view in views.items())
    for instruction in program.instructions:
        if instruction.texture is None or not instruction.src:
            continue
        register = instruction.src[-1].register
        if register.file is File.SAMP:
            units = range(program.file_size(File.SAMP)) if register.indirect is not None else (register.index,)
            yield from ((unit, instruction.texture, views[unit].types[0] if unit in views else ReturnType.FLOAT) for unit in units)


def assumed_keys(program: Program) -> tuple[dict[int, TextureKey], dict[int, SamplerKey]]:
    """Texture and sampler keys for every unit that the program samples, by the assumptions of this module."""
    textures: dict[int, TextureKey] = {}
    samplers: dict[int, SamplerKey] = {}
    for unit, name, kind in _sampled(program):
        target = GALLIUM_TARGETS.get(name.removeprefix("SHADOW"))
        if target is None:
            continue
        whole = kind in _FORMATS
        textures[unit] = TextureKey(_FORMATS.get(kind, Format.R8G8B8A8_UNORM), target)
        filtered = TexFilter.NEAREST if whole else TexFilter.LINEAR
        key = SamplerKey(
            min_img_filter=filtered,
            mag_img_filter=filtered,
            min_mip_filter=TexMipFilter.NEAREST if whole else TexMipFilter.LINEAR,
            compare_mode=TexCompare.R_TO_TEXTURE if name.startswith("SHADOW") else TexCompare.NONE,
            compare_func=CompareFunc.LEQUAL,
        )
        samplers[unit] = sampler_key(key, textures[unit])
    return textures, samplers


def assumed_images(program: Program) -> dict[int, ImageKey]:
    """Image keys for every image that the program declares, by the assumptions of this module."""
    images = {}
    for declaration in program.declared(File.IMAGE):
        name = declaration.image.format if declaration.image is not None else ""
        kind = find_format(name) if name else Format.R32_UINT
        images.update(dict.fromkeys(range(declaration.first, declaration.last + 1), ImageKey(kind)))
    return images


def build(program: Program, *, cpu: str = "host", lanes: int = 16) -> Module:
    """Kernel of a validated program, as `passes.fitting` makes it.

    As in `tgsi.run`, it has fewer lanes if its registers would take too much stack.

    Raises UnsupportedError for a program that cannot be generated, ValueError for an image of an unknown format.
    """
    textures, samplers = assumed_keys(program)
    if program.processor is Processor.VERT:
        return build_vertex_kernel(program, lanes, textures, samplers, cpu=cpu)
    return build_run_kernel(program, fitting_lanes(program, lanes), textures, samplers, images=assumed_images(program), cpu=cpu)


def generate(program: Program, kind: str, *, cpu: str = "host", lanes: int = 16) -> Artifact:
    """Code of a validated program as output for users; see `engine.artifact.generate_artifact`."""
    return generate_artifact(lambda: build(program, cpu=cpu, lanes=lanes), kind, cpu=cpu)
