"""Images that are read and written."""

from __future__ import annotations

from frontends.spirv.emit import chain
from frontends.spirv.emit.arithmetic import integers
from frontends.spirv.emit.code import Ref, Refs, destination
from frontends.spirv.emit.memory import total
from frontends.spirv.emit.places import Texel, Unit
from frontends.spirv.emit.registry import emits
from frontends.spirv.emit.state import Sampled, State
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import Image, components, is_wide
from tgsi.language.facts.enums import TARGETS, File
from tgsi.language.facts.limits import SOFTWARE
from tgsi.language.ir import Declaration, ImageInfo, IndirectRef, MemoryAccess, RegisterRef, SrcOperand

_TARGETS = {
    ("1D", False, False): "1D",
    ("2D", False, False): "2D",
    ("3D", False, False): "3D",
    ("Cube", False, False): "CUBE",
    ("Rect", False, False): "RECT",
    ("Buffer", False, False): "BUFFER",
    ("1D", True, False): "1D_ARRAY",
    ("2D", True, False): "2D_ARRAY",
    ("Cube", True, False): "CUBEARRAY",
    ("2D", False, True): "2D_MSAA",
    ("2D", True, True): "2D_ARRAY_MSAA",
}
SHADOWS = {
    "1D": "SHADOW1D",
    "2D": "SHADOW2D",
    "CUBE": "SHADOWCUBE",
    "RECT": "SHADOWRECT",
    "1D_ARRAY": "SHADOW1D_ARRAY",
    "2D_ARRAY": "SHADOW2D_ARRAY",
    "CUBEARRAY": "SHADOWCUBEARRAY",
}
"""Target without comparison -> the shadow target."""

_KINDS = {"f": "FLOAT", "": "UNORM", "Snorm": "SNORM", "i": "SINT", "ui": "UINT"}
_SPECIAL = {"R11fG11fB10f": "R11G11B10_FLOAT", "Rgb10A2": "R10G10B10A2_UNORM", "Rgb10a2ui": "R10G10B10A2_UINT"}


def target_of(s: State, image: Image, op: Op | None = None) -> str:
    """The TGSI target of an image's kind. Error M021 without one."""
    target = _TARGETS.get((image.dim, image.arrayed, image.multisampled))
    if target is None:
        s.fail("M021", f"images of dimension {image.dim} are not supported", op)
    return target


def format_of(name: str) -> str:
    """The format that a module names, as TGSI spells it; empty for an unknown one."""
    if name in _SPECIAL:
        return f"PIPE_FORMAT_{_SPECIAL[name]}"
    channels = {"Rgba": "RGBA", "Rg": "RG", "R": "R"}
    for prefix, letters in channels.items():
        rest = name.removeprefix(prefix)
        digits = rest.rstrip("abcdefghijklmnopqrstuvwxyzSU")
        if name.startswith(prefix) and digits.isdigit() and rest[len(digits) :] in _KINDS:
            return "PIPE_FORMAT_" + "".join(f"{letter}{digits}" for letter in letters) + f"_{_KINDS[rest[len(digits) :]]}"
    return ""


def coordinate_count(target: str) -> int:
    """Coordinates of a target, with its layer."""
    return TARGETS[target].coords


def first_unit(s: State, unit: Unit) -> int:
    """The first unit of a texture or image."""
    known = s.tables.decoration(unit.variable, "Binding") or 0
    return s.bindings.get(unit.variable, known) if unit.first is None else unit.first


def image_operand(s: State, unit: Unit, image: Image, op: Op | None = None) -> RegisterRef:
    """The register of an image, declared at its first use."""
    first = unit.number
    if first + unit.size > SOFTWARE.images:
        s.fail("M023", f"the image of binding {first} is beyond the last one, {SOFTWARE.images - 1}", op)
    writable = "NonWritable" not in s.tables.decorations.get(unit.variable, {})
    info = ImageInfo(target_of(s, image, op), format_of(image.format), writable)
    base = first_unit(s, unit)
    for number in range(base, base + unit.size):
        s.code.declare(Declaration(File.IMAGE, number, number, image=info))
    if not unit.terms:
        return RegisterRef(File.IMAGE, first)
    number, channel = s.code.address(total(s, unit.terms))
    return RegisterRef(File.IMAGE, first, None, IndirectRef(File.ADDR, number, channel))


def texel_coordinates(s: State, image: Image, coordinates: Refs, sample: Ref | None) -> SrcOperand:
    """The operand that names a texel; the sample is in w."""
    refs = list(coordinates[: coordinate_count(target_of(s, image))])
    if image.multisampled and sample is not None:
        refs += [refs[-1]] * (3 - len(refs)) + [sample]
    return s.code.packed(refs, "int", plain=True)


def storage(s: State, id: int, op: Op) -> Sampled:
    """The image of an id. Error M005 if the id is not an image."""
    image = s.sampled.get(id)
    if image is None:
        s.fail("M005", f"the id {id} is not an image", op)
    return image


def _access(s: State, op: Op, place: int) -> tuple[Sampled, dict[str, list[int]], SrcOperand, RegisterRef]:
    image = storage(s, op.id(0), op)
    if image.image.dim == "SubpassData":
        s.fail("M021", "input attachments are not supported", op)
    operands = op.access(place)
    unknown = set(operands) - {
        "Sample",
        "MakeTexelAvailable",
        "MakeTexelVisible",
        "NonPrivateTexel",
        "VolatileTexel",
        "SignExtend",
        "ZeroExtend",
    }
    if unknown - {"None"}:
        s.fail("M021", f"the image operand {min(unknown)} is not supported here", op)
    register = image_operand(s, image.unit, image.image, op)
    sample = integers(s, operands["Sample"][0])[0] if "Sample" in operands else None
    where = texel_coordinates(s, image.image, s.value(op.id(1)), sample)
    return image, operands, where, register


@emits("ImageRead")
def _read(s: State, op: Op) -> None:
    image, _, where, register = _access(s, op, 2)
    if is_wide(s.result(op)):
        s.fail("M021", "images of 64-bit texels are not supported", op)
    texel = s.code.new(4)
    memory = MemoryAccess(image.unit.qualifiers, target_of(s, image.image), format_of(image.image.format))
    s.code.emit("LOAD", destination(texel), SrcOperand(register), where, memory=memory)
    s.bind(op, texel[: components(s.result(op))])


@emits("ImageWrite")
def _write(s: State, op: Op) -> None:
    image, _, where, register = _access(s, op, 3)
    texel = list(s.value(op.id(2)))
    if len(texel) > 4:
        s.fail("M021", "images of 64-bit texels are not supported", op)
    texel += [texel[-1]] * (4 - len(texel))
    target = destination([Ref(register, channel) for channel in range(4)])
    memory = MemoryAccess(image.unit.qualifiers, target_of(s, image.image), format_of(image.image.format))
    s.code.emit("STORE", target, where, s.code.packed(texel, plain=True), memory=memory)


@emits("ImageTexelPointer")
def _texel_pointer(s: State, op: Op) -> None:
    place = chain.place_of(s, op.id(0), op)
    if not isinstance(place, Unit) or not isinstance(place.kind, Image):
        s.fail("M006", "the pointer is to no image", op)
    sample = integers(s, op.id(2))[0] if place.kind.multisampled else None
    s.texels[op.result] = Texel(unit=place, image=place.kind, coordinates=tuple(integers(s, op.id(1))), sample=sample)
