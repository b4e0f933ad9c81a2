"""Textures for the samplers of the programs: pictures of ``--texture``, and a checkerboard for all others."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tgsi.language.facts.enums import File
from tgsi.language.record import record
from tgsi.tools.compile.draw.files import read_file
from tgsi.tools.compile.draw.known import is_word
from tgsi.tools.compile.errors import UsageError
from tgsi.tools.nearest import nearest

if TYPE_CHECKING:
    from tgsi.language.program import Program

_MAX_SIDE = 8192
_SIDE, _SQUARES = 256, 8
_DIM = re.compile(r"[iu]?(?:sampler|texture)(1D|2DRect|2DMS|2D|3D|Cube|Buffer)(Array)?(Shadow)?")
_WORDS = {"1D": "1D", "2DRect": "RECT", "2DMS": "2D_MSAA", "2D": "2D", "3D": "3D", "Cube": "CUBE", "Buffer": "BUFFER"}
_ENUMS = {
    "1D": "1D",
    "2D": "2D",
    "RECT": "RECT",
    "3D": "3D",
    "CUBE": "CUBE",
    "1D_ARRAY": "1D_ARRAY",
    "2D_ARRAY": "2D_ARRAY",
    "CUBE_ARRAY": "CUBE_ARRAY",
}


@record(kw_only=True)
class Sampler:
    """A unit that the programs sample.

    Attributes:
        name: as messages and ``--texture`` name it; ``SAMP[0]`` in TGSI.
        units: stage and unit of each place where it is bound.
        target: as instructions of TGSI name it: 2D, CUBE, SHADOW2D, ...
        kind: of the numbers that it returns: f, i or u.
    """

    name: str
    units: tuple[tuple[int, int], ...]
    target: str
    kind: str = "f"


def samplers_of(programs: Sequence[Program]) -> tuple[Sampler, ...]:
    """The samplers that some programs use, each name once."""
    samplers: dict[str, Sampler] = {}
    for program in programs:
        for sampler in _samplers(program):
            old = samplers.get(sampler.name)
            units = (*(old.units if old is not None else ()), *sampler.units)
            samplers[sampler.name] = Sampler(name=sampler.name, units=units, target=sampler.target, kind=sampler.kind)
    return tuple(samplers.values())


def _samplers(program: Program) -> list[Sampler]:
    stage = int(program.processor)
    if program.interface is not None:
        samplers = []
        for unit in program.interface.samplers.values():
            if unit.type in ("sampler", "samplerShadow"):  # of HLSL and Vulkan, apart from their textures
                target = "SAMPLER" if unit.type == "sampler" else "SHADOWSAMPLER"
                samplers.append(Sampler(name=unit.name, units=((stage, unit.binding),), target=target))
                continue
            match = _DIM.match(unit.type)
            word = _WORDS[match[1]] if match else "2D"
            target = ("SHADOW" if match and match[3] else "") + word + ("_ARRAY" if match and match[2] else "")
            units = tuple((stage, unit.binding + k) for k in range(unit.size))
            samplers.append(Sampler(name=unit.name, units=units, target=target, kind=unit.type[0] if unit.type[0] in "iu" else "f"))
        return samplers
    targets: dict[int, str] = {}
    kinds: dict[int, str] = {}
    for item in program.declarations:
        if item.file is File.SVIEW and item.view is not None:
            for k in range(item.first, item.last + 1):
                targets[k], kinds[k] = item.view.target, {"SINT": "i", "UINT": "u"}.get(item.view.types[0].name, "f")
        elif item.file is File.SAMP:
            for k in range(item.first, item.last + 1):
                targets.setdefault(k, "2D")
    for instruction in program.instructions:
        for operand in instruction.src:
            if operand.register.file is File.SAMP and instruction.texture is not None:
                targets[operand.register.index] = instruction.texture
    return [
        Sampler(name=f"SAMP[{unit}]", units=((stage, unit),), target=target, kind=kinds.get(unit, "f"))
        for unit, target in sorted(targets.items())
    ]


def pictures(
    entries: Sequence[str], samplers: Sequence[Sampler], texts: Sequence[str], lines: list[tuple[str, str]]
) -> dict[str, tuple[str, NDArray[np.uint8]]]:
    """The pictures of --texture: sampler -> file and texels. A sampler that only the texts name is a line of the report.

    UsageError: no such sampler, or no readable picture.
    """
    samplers = [sampler for sampler in samplers if not sampler.target.endswith("SAMPLER")]
    names = {sampler.name: sampler.name for sampler in samplers}
    for sampler in samplers:
        for _, unit in sampler.units:
            names.setdefault(str(unit), sampler.name)
    textures: dict[str, tuple[str, NDArray[np.uint8]]] = {}
    for text in entries:
        name, equals, file = text.partition("=")
        if not equals:
            if len(samplers) != 1:
                raise UsageError(f"--texture {text[:60]}: expected NAME=FILE or UNIT=FILE, as --texture 0=wall.png")
            name, file = samplers[0].name, text
        if name not in names:
            if is_word(name, texts):
                lines.append(("texture", f"{name}: no output depends on it; {file} is not used"))
                continue
            known = [sampler.name for sampler in samplers]
            hint = (nearest(name, known) or f"they sample {', '.join(known)}") if known else "they sample no texture"
            raise UsageError(f"--texture {text[:60]}: the programs have no sampler {name[:40]!r}; {hint}")
        if names[name] in textures:
            raise UsageError(f"--texture: {names[name]} is given twice")
        textures[names[name]] = file, read_picture(file)
    return textures


def read_picture(file: str) -> NDArray[np.uint8]:
    """RGBA of a picture file, shape (height, width, 4), the lowest row first: v of texture coordinates grows upward."""
    from PIL import Image, UnidentifiedImageError

    data = read_file(file, f"--texture {file}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data)) as picture:
                if max(picture.size) > _MAX_SIDE:
                    raise UsageError(f"--texture {file}: {picture.size[0]} x {picture.size[1]} texels; at most {_MAX_SIDE} on a side")
                return np.ascontiguousarray(np.array(picture.convert("RGBA"), np.uint8)[::-1])
    except UsageError:
        raise
    except UnidentifiedImageError:
        raise UsageError(f"--texture {file}: no picture: Pillow does not recognize the format of this file") from None
    except Exception as error:  # Pillow's readers raise whatever a broken file makes them
        raise UsageError(f"--texture {file}: no picture that can be read: {str(error)[:100] or type(error).__name__}") from None


def checkerboard() -> NDArray[np.uint8]:
    """The texture of samplers without a file: squares in two colors, the first one redder to the right and greener to the top."""
    at = np.arange(_SIDE)
    x, y = at[None, :], at[:, None]
    light = ((x + y * 0) * _SQUARES // _SIDE + (y + x * 0) * _SQUARES // _SIDE) % 2 == 0
    bright = np.stack([176 + (x + y * 0) * 79 // _SIDE, 176 + (y + x * 0) * 79 // _SIDE, np.full((_SIDE, _SIDE), 170)], -1)
    dark = np.array([46, 74, 110])
    made = np.where(light[..., None], bright, dark)
    return np.concatenate([made, np.full((_SIDE, _SIDE, 1), 255)], -1).astype(np.uint8)


def bind_textures(context: Any, samplers: Sequence[Sampler], files: Mapping[str, tuple[str, NDArray[np.uint8]]]) -> list[tuple[str, str]]:
    """Bind a texture to each sampler. Returns name and description of each, for the report."""
    lines = []
    for sampler in sorted(samplers, key=lambda item: item.target.endswith("SAMPLER")):
        if sampler.target.endswith("SAMPLER"):
            state = _sampler_state(context, None, sampler)
            for stage, unit in sampler.units:
                context.bind_sampler_states(stage, [state], start=unit)
            continue
        file, texels = files.get(sampler.name, ("a checkerboard", None))
        plain = sampler.target.removeprefix("SHADOW").replace("CUBEARRAY", "CUBE_ARRAY")
        if plain not in _ENUMS:
            if texels is not None:
                raise UsageError(f"--texture {sampler.name}: a picture cannot be a {sampler.target} texture")
            lines.append((f"{sampler.name} ({sampler.target})", "nothing is bound; it reads 0, 0, 0, 1"))
            continue
        resource = _resource(context.screen, checkerboard() if texels is None else texels, plain, sampler)
        state = _sampler_state(context, resource, sampler)
        view = context.create_sampler_view(resource)
        for stage, unit in sampler.units:
            context.set_sampler_views(stage, [view], start=unit)
            context.bind_sampler_states(stage, [state], start=unit)
        lines.append((f"{sampler.name} ({sampler.target})", file))
    return lines


def _resource(screen: Any, texels: NDArray[np.uint8], plain: str, sampler: Sampler) -> Any:
    """The texture of a target: all layers and faces have the same texels; depth is the mean of the color channels."""
    target = f"TEXTURE_{_ENUMS[plain]}"
    if plain.startswith("CUBE"):
        side = min(texels.shape[:2])
        texels = texels[:side, :side]
    layers = {"3D": 4, "2D_ARRAY": 4, "1D_ARRAY": 4, "CUBE": 6, "CUBE_ARRAY": 6}.get(plain, 0)
    if plain.startswith("1D"):
        texels = texels[len(texels) // 2]
    if layers:
        texels = np.repeat(texels[None], layers, 0)
    texels = np.ascontiguousarray(texels)
    if sampler.target.startswith("SHADOW"):
        depth = texels[..., :3].astype(np.float32).mean(-1) / np.float32(255)
        return screen.texture_from(depth, target=target, format="Z32_FLOAT")
    if sampler.kind != "f":
        wide = texels.astype(np.int32 if sampler.kind == "i" else np.uint32)
        return screen.texture_from(wide, target=target)
    return screen.texture_from(texels, target=target, mipmaps=plain in ("2D", "CUBE", "2D_ARRAY"))


def _sampler_state(context: Any, resource: Any, sampler: Sampler) -> Any:
    fields: dict[str, Any] = {"seamless_cube_map": True}
    if sampler.kind == "f":
        fields |= {"min_img_filter": "LINEAR", "mag_img_filter": "LINEAR"}
        fields |= {"min_mip_filter": "LINEAR"} if resource is None or resource.last_level else {}
    if sampler.target.startswith("SHADOW"):
        fields |= {"compare_mode": "R_TO_TEXTURE", "compare_func": "LEQUAL"}
    if sampler.target == "RECT" or sampler.target == "SHADOWRECT":
        fields |= {"normalized_coords": False, "wrap_s": "CLAMP_TO_EDGE", "wrap_t": "CLAMP_TO_EDGE"}
    return context.create_sampler_state(**fields)
