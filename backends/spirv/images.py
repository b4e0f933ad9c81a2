"""Images that are read and written, and the types of images and textures by target."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from backends.spirv.module import member
from backends.spirv.resources import IMAGES, decorated
from backends.spirv.state import WORDS, State
from frontends.spirv.emit.images import format_of
from frontends.spirv.module.enumerants import ENUMERANTS
from tgsi.language.facts.enums import TARGETS, File
from tgsi.language.ir import ImageInfo, Instruction, MemoryAccess, SrcOperand

_DIMENSIONS = (("CUBE", "Cube"), ("BUFFER", "Buffer"), ("RECT", "Rect"), ("1D", "1D"), ("2D", "2D"), ("3D", "3D"))
_FORMATS: Mapping[str, str] = MappingProxyType({format_of(name): name for name, _ in ENUMERANTS["ImageFormat"].values() if format_of(name)})
_BASIC = frozenset(
    {
        "Rgba32f",
        "Rgba16f",
        "R32f",
        "Rgba8",
        "Rgba8Snorm",
        "Rgba32i",
        "Rgba16i",
        "Rgba8i",
        "R32i",
        "Rgba32ui",
        "Rgba16ui",
        "Rgba8ui",
        "R32ui",
    }
)
"""Formats that every device has; all others require a capability."""

_SAMPLED = {"1D": "Sampled1D", "Rect": "SampledRect", "Buffer": "SampledBuffer"}
_STORAGE = {"1D": "Image1D", "Rect": "ImageRect", "Buffer": "ImageBuffer"}


def dimension(target: str) -> str:
    """The Dim of a texture target."""
    return next(name for word, name in _DIMENSIONS if word in target)


def image_type(s: State, target: str, kind: str, form: str = "Unknown", *, storage: bool = False) -> int:
    """The type of an image or texture."""
    m = s.module
    dim = dimension(target)
    arrayed, multisampled = "ARRAY" in target, "MSAA" in target
    needed = (_STORAGE if storage else _SAMPLED).get(dim)
    if needed:
        m.need(needed)
    if dim == "Cube" and arrayed:
        m.need("ImageCubeArray" if storage else "SampledCubeArray")
    if multisampled and storage:
        m.need("StorageImageMultisample")
        if arrayed:
            m.need("ImageMSArray")
    depth = int("SHADOW" in target)
    number = member("ImageFormat", form)
    return m.type("Image", m.scalar(kind), member("Dim", dim), depth, int(arrayed), int(multisampled), 2 if storage else 1, number)


class Images:
    """IMAGE registers."""

    def __init__(self, s: State) -> None:
        self.s = s
        self.known: dict[int, tuple[int, int, str, str]] = {}

    def _find(self, number: int, item: Instruction) -> tuple[int, int, str, str]:
        """Variable, type, type of a texel and target."""
        s, m = self.s, self.s.module
        if number in self.known:
            return self.known[number]
        declared = next((d for d in s.program.declared(File.IMAGE) if d.covers(number)), None)
        if declared is None or declared.image is None:
            s.fail("M031", f"IMAGE[{number}] is not declared")
        info: ImageInfo = declared.image
        tail = item.memory or MemoryAccess()
        name = info.format or tail.format
        form = _FORMATS.get(name, "Unknown")
        if name and name != "PIPE_FORMAT_NONE" and form == "Unknown":
            s.fail("M031", f"an image of format {name} has no place in SPIR-V", declared.span)
        kind = "uint" if form.endswith("ui") else "int" if form.endswith("i") else "float"
        if form == "Unknown":
            m.need("StorageImageReadWithoutFormat", "StorageImageWriteWithoutFormat")
        elif form not in _BASIC:
            m.need("StorageImageExtendedFormats")
        type = image_type(s, info.target, kind, form, storage=True)
        variable = m.variable("UniformConstant", type, s.named(f"image{number}", f"IMAGE[{number}]"))
        decorated(s, variable, IMAGES, ("IMAGE", number), number)
        if not info.writable:
            m.decorate(variable, "NonWritable")
        for bit, word in ((1, "Coherent"), (4, "Volatile")):
            if tail.qualifiers & bit:
                m.decorate(variable, word)
        self.known[number] = variable, type, kind, info.target
        return self.known[number]

    def _coordinates(self, target: str, operand: SrcOperand) -> tuple[int, list[int]]:
        """Coordinates of a texel, and the operands that name its sample."""
        s = self.s
        count = TARGETS[target].coords
        if target == "CUBEARRAY":
            count = 3  # face and layer are one number
        where = s.registers.source(operand, "int", list(range(count)))
        if "MSAA" not in target:
            return where, []
        return where, [member("ImageOperands", "Sample"), s.registers.source(operand, "int", [3])]

    def read(self, number: int, item: Instruction, operand: SrcOperand) -> int:
        """The four words of a texel."""
        s, m = self.s, self.s.module
        variable, type, kind, target = self._find(number, item)
        where, extra = self._coordinates(target, operand)
        texel = m.op("ImageRead", m.vector(kind, WORDS), s.load(variable, type), where, *extra)
        return s.cast(texel, kind, "uint", WORDS)

    def write(self, number: int, item: Instruction) -> None:
        """Store a texel."""
        s, m = self.s, self.s.module
        variable, type, kind, target = self._find(number, item)
        where, extra = self._coordinates(target, item.src[0])
        value = s.registers.source(item.src[1], kind, list(range(WORDS)), "float")
        m.do("ImageWrite", s.load(variable, type), where, value, *extra)

    def texel(self, number: int, item: Instruction, operand: SrcOperand) -> int:
        """A pointer to a texel, for atomic operations."""
        s, m = self.s, self.s.module
        variable, _, kind, target = self._find(number, item)
        if kind == "float":
            s.fail("M031", "atomic operations need an image declared with the format R32UI or R32I")
        where, extra = self._coordinates(target, operand)
        sample = extra[1] if extra else m.uint(0)
        return m.op("ImageTexelPointer", m.pointer("Image", m.scalar(kind)), variable, where, sample)

    def sizes(self, number: int, item: Instruction) -> int:
        """Width, height, depth or layers, and samples."""
        s, m = self.s, self.s.module
        variable, type, _, target = self._find(number, item)
        m.need("ImageQuery")
        image = s.load(variable, type)
        info = TARGETS[target]
        count = (2 if "CUBE" in target else info.dimensions) + info.layered
        words = s.parts(m.op("ImageQuerySize", m.vector("int", count), image), "int", count)
        words += [m.constant("int", 0)] * (3 - count)
        words.append(m.op("ImageQuerySamples", m.scalar("int"), image) if "MSAA" in target else m.constant("int", 1))
        return s.cast(s.vector("int", words), "int", "uint", WORDS)
