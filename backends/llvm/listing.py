"""Kernels of a program on its own, without any state: what `tgsi-compile --emit` shows (see `artifact`).

Vertex programs are shown as the kernel that draws use, fragment programs as the kernel behind `tgsi.run`. Every texture unit is
taken to hold an RGBA8 (or RGBA8 integer) texture with mipmaps and linear filters, since no state is bound.
"""

from __future__ import annotations

from backends.formats import Format
from backends.gallium.enums import CompareFunc, TexCompare, TexFilter, TexMipFilter, TextureTarget
from backends.llvm.builder import Module
from backends.llvm.sampling.key import SamplerKey, TextureKey, sampler_key
from backends.llvm.stages import build_run_kernel, build_vertex_kernel
from tgsi.diagnostics import UnsupportedError
from tgsi.enums import File, Processor, ReturnType
from tgsi.ir import Program

_TARGETS = {
    "BUFFER": TextureTarget.BUFFER,
    "1D": TextureTarget.TEXTURE_1D,
    "2D": TextureTarget.TEXTURE_2D,
    "3D": TextureTarget.TEXTURE_3D,
    "CUBE": TextureTarget.TEXTURE_CUBE,
    "RECT": TextureTarget.TEXTURE_RECT,
    "1D_ARRAY": TextureTarget.TEXTURE_1D_ARRAY,
    "2D_ARRAY": TextureTarget.TEXTURE_2D_ARRAY,
    "CUBEARRAY": TextureTarget.TEXTURE_CUBE_ARRAY,
}
_FORMATS = {ReturnType.SINT: Format.R8G8B8A8_SINT, ReturnType.UINT: Format.R8G8B8A8_UINT}


def assumed_keys(program: Program) -> tuple[dict[int, TextureKey], dict[int, SamplerKey]]:
    """Texture and sampler keys for every unit that the program samples, as the module says."""
    views = {d.first: d.view for d in program.declared(File.SVIEW) if d.view is not None}
    textures: dict[int, TextureKey] = {}
    samplers: dict[int, SamplerKey] = {}
    for instruction in program.instructions:
        if instruction.texture is None or not instruction.src:
            continue
        unit = instruction.src[-1].register.index
        target = _TARGETS.get(instruction.texture.removeprefix("SHADOW").removesuffix("_MSAA"))
        if target is None:
            continue
        view = views.get(unit)
        kind = view.types[0] if view is not None else ReturnType.FLOAT
        textures[unit] = TextureKey(_FORMATS.get(kind, Format.R8G8B8A8_UNORM), target)
        linear = TexFilter.NEAREST if kind in _FORMATS else TexFilter.LINEAR
        compare = TexCompare.R_TO_TEXTURE if instruction.texture.startswith("SHADOW") else TexCompare.NONE
        key = SamplerKey(
            min_img_filter=linear,
            mag_img_filter=linear,
            min_mip_filter=TexMipFilter.NEAREST if kind in _FORMATS else TexMipFilter.LINEAR,
            compare_mode=compare,
            compare_func=CompareFunc.LEQUAL,
        )
        samplers[unit] = sampler_key(key, textures[unit])
    return textures, samplers


def build(program: Program, *, cpu: str = "host", lanes: int = 16) -> Module:
    """The kernel of a validated program. Raises UnsupportedError for stages and features without one."""
    textures, samplers = assumed_keys(program)
    if program.processor is Processor.VERT:
        return build_vertex_kernel(program, lanes, textures, samplers, cpu=cpu)
    if program.processor is Processor.FRAG:
        return build_run_kernel(program, lanes, textures, samplers, cpu=cpu)
    raise UnsupportedError.at("B006", f"the code generator does not build {program.processor.name} programs yet")
