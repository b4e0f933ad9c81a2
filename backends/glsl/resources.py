"""Constants, samplers, images, buffers and shared memory: their declarations and the places of their values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from backends.glsl.expressions import UINT, type_name
from backends.glsl.names import Names
from backends.glsl.places import refuse
from backends.glsl.variables import Variables
from backends.glsl.version import Version
from tgsi.language.facts.enums import File, MemoryType, Processor, ReturnType
from tgsi.language.ir import Declaration, Instruction
from tgsi.language.program import Program

_SAMPLERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "BUFFER": ("samplerBuffer", "imageBuffer"),
        "1D": ("sampler1D", "image1D"),
        "2D": ("sampler2D", "image2D"),
        "3D": ("sampler3D", "image3D"),
        "CUBE": ("samplerCube", "imageCube"),
        "RECT": ("sampler2DRect", "image2DRect"),
        "SHADOW1D": ("sampler1DShadow", ""),
        "SHADOW2D": ("sampler2DShadow", ""),
        "SHADOWRECT": ("sampler2DRectShadow", ""),
        "1D_ARRAY": ("sampler1DArray", "image1DArray"),
        "2D_ARRAY": ("sampler2DArray", "image2DArray"),
        "SHADOW1D_ARRAY": ("sampler1DArrayShadow", ""),
        "SHADOW2D_ARRAY": ("sampler2DArrayShadow", ""),
        "SHADOWCUBE": ("samplerCubeShadow", ""),
        "2D_MSAA": ("sampler2DMS", "image2DMS"),
        "2D_ARRAY_MSAA": ("sampler2DMSArray", "image2DMSArray"),
        "CUBEARRAY": ("samplerCubeArray", "imageCubeArray"),
        "SHADOWCUBEARRAY": ("samplerCubeArrayShadow", ""),
    }
)
"""Types of samplers and images by texture target."""

_NOT_ES = frozenset({"1D", "RECT", "SHADOW1D", "SHADOWRECT", "1D_ARRAY", "SHADOW1D_ARRAY"})
_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        f"PIPE_FORMAT_{words}_{kind}": "".join(c.lower() for c in words.split("_")[0] if not c.isdigit())
        + words.split("R")[1].split("G")[0]
        + {"UNORM": "", "SNORM": "_snorm", "FLOAT": "f", "UINT": "ui", "SINT": "i"}[kind]
        for words in ("R8", "R8G8", "R8G8B8A8", "R16", "R16G16", "R16G16B16A16", "R32", "R32G32", "R32G32B32A32")
        for kind in ("UNORM", "SNORM", "FLOAT", "UINT", "SINT")
        if not (words.startswith("R32") and "NORM" in kind) and not (words.startswith("R8") and kind == "FLOAT")
    }
    | {
        "PIPE_FORMAT_R11G11B10_FLOAT": "r11f_g11f_b10f",
        "PIPE_FORMAT_R10G10B10A2_UNORM": "rgb10_a2",
        "PIPE_FORMAT_R10G10B10A2_UINT": "rgb10_a2ui",
    }
)
"""Layout qualifiers of image formats."""

_PREFIXES = {ReturnType.SINT: "i", ReturnType.UINT: "u"}
SHARED_WORDS = 8192
"""Words of shared memory: TGSI does not declare how much a program uses, and every device has 32 KiB."""


class Resources:
    """Names of resources, and the lines that declare them."""

    def __init__(self, program: Program, version: Version, names: Names, variables: Variables) -> None:
        self.program, self.version, self.names, self.variables = program, version, names, variables
        self.lines: list[str] = []
        self.extensions: set[str] = set()
        self.constants: dict[int, str] = {}
        self.samplers: dict[int, tuple[str, str]] = {}
        """By unit: the name, with its index where the sampler is of an array, and the type that it returns."""
        self._targets: dict[int, str] = {}
        self.kinds: dict[int, tuple[str, str]] = {}
        """By unit: the texture target and the type that it returns."""
        self.images: dict[int, tuple[str, str]] = {}
        self.buffers: dict[int, str] = {}
        self.counters: dict[tuple[int, int], str] = {}
        self.memory: dict[int, str] = {}
        self._declare_constants()
        self._find_targets()
        self._declare_samplers()
        for item in program.declarations:
            for index in range(item.first, item.last + 1):
                if item.file is File.IMAGE:
                    self._declare_image(item, index)
                elif item.file is File.BUFFER:
                    self._declare_buffer(item, index)
                elif item.file is File.MEMORY:
                    self._declare_memory(item, index)
                elif item.file is File.HWATOMIC:
                    buffer = item.dimension or 0
                    own = f"counter{index}" if not buffer else f"counter{buffer}_{index}"
                    name = self.names.resource(f"HWATOMIC[{buffer}][{index}]", None, own)
                    self.lines.append(f"{self._layout('HWATOMIC', buffer, buffer, end=f'offset = {4 * index}')}uniform atomic_uint {name};")
                    self.counters[buffer, index] = name

    def _layout(self, file: str, number: int, default: int, begin: str = "", end: str = "") -> str:
        """The layout qualifier of a resource, with the words that stand before and after its binding; a space ends it."""
        binding = self.names.layout.binding(file, number, default)
        words = [word for word in (begin, "" if binding is None else f"binding = {binding}", end) if word]
        return f"layout({', '.join(words)}) " if words else ""

    def _declare_constants(self) -> None:
        sizes: dict[int, int] = {}
        for item in self.program.declared(File.CONST):
            buffer = item.dimension or 0
            sizes[buffer] = max(sizes.get(buffer, 0), item.last + 1)
        for buffer, size in sorted(sizes.items()):
            if buffer == 0 and not self.names.layout.is_bound("CONST[0]"):
                name = self.constants[0] = self.names.resource("CONST[0]", None, "CONST")
                self.lines.append(f"uniform vec4 {name}[{size}];")
                continue
            own = f"Block{buffer - 1}" if buffer else "Constants"
            block = self.names.resource(f"CONST[{buffer}]", self.names.blocks.get(buffer), own)
            name = self.constants[buffer] = self.names.resource("", None, f"CONST{buffer}" if buffer else "CONST")
            self.lines.append(f"{self._layout('CONST', buffer, buffer - 1, 'std140')}uniform {block} {{ vec4 {name}[{size}]; }};")

    # Textures.

    def _find_targets(self) -> None:
        for item in self.program.instructions:
            if not item.opcode.is_texture or item.texture is None:
                continue
            unit = item.src[-1].register
            if unit.file is not File.SAMP:
                refuse("a texture by its handle", item.span)
            indices = (
                [unit.index] if unit.indirect is None else [i for d in self.program.declared(File.SAMP) for i in range(d.first, d.last + 1)]
            )
            for index in indices:
                if self._targets.setdefault(index, item.texture) != item.texture:
                    refuse(f"one sampler as {self._targets[index]} and {item.texture}", item.span, "give each target a sampler of its own")

    def _declare_samplers(self) -> None:
        views = {n: d for d in self.program.declared(File.SVIEW) for n in range(d.first, d.last + 1)}
        self.kinds = {n: (target, self._sampler_type(n, views)[1]) for n, target in self._targets.items()}
        indirect = any(item.opcode.is_texture and item.src[-1].register.indirect is not None for item in self.program.instructions)
        declared = [n for d in self.program.declared(File.SAMP) for n in range(d.first, d.last + 1) if n in self._targets]
        if indirect and declared:
            first = declared[0]
            kind, returned = self._sampler_type(first, views)
            if any(self._sampler_type(n, views)[0] != kind for n in declared):
                refuse("an array of samplers of several types", None)
            name = self.names.resource(f"SAMP[{first}]", self.names.samplers.get(first), "samplers")
            layout = self._layout("SAMP", first, first)
            self._check_elements(declared)
            self.lines.append(f"{layout}uniform {self._precision(kind)}{kind} {name}[{declared[-1] - first + 1}];")
            self.samplers = {n: (f"{name}[{n - first}]", returned) for n in declared}
            self.samplers[-1] = (name, returned)
            return
        for number in declared:
            kind, returned = self._sampler_type(number, views)
            name = self.names.resource(f"SAMP[{number}]", self.names.samplers.get(number), f"sampler{number}")
            self.lines.append(f"{self._layout('SAMP', number, number)}uniform {self._precision(kind)}{kind} {name};")
            self.samplers[number] = (name, returned)

    def _check_elements(self, declared: list[int]) -> None:
        """Refuse bindings and names of single elements of an array of samplers, other than of its first one."""
        layout = self.names.layout
        for register in (f"SAMP[{number}]" for number in declared[1:]):
            for field, chosen in (("bindings", layout.bindings), ("names", layout.names)):
                if register in chosen:
                    layout.refuse(f"{field}: {register} is an element of the array of SAMP[{declared[0]}]; give that one alone")

    def _precision(self, kind: str) -> str:
        return "highp " if self.version.es else ""

    def _sampler_type(self, number: int, views: Mapping[int, Declaration]) -> tuple[str, str]:
        target = self._targets[number]
        view = views.get(number)
        span = view.span if view is not None else None
        if target not in _SAMPLERS:
            refuse(f"a texture of target {target}", span)
        if self.version.es and target in _NOT_ES:
            refuse(f"a texture of target {target} in GLSL ES", span)
        returns = view.view.types[0] if view is not None and view.view is not None else ReturnType.FLOAT
        prefix = _PREFIXES.get(returns, "")
        return prefix + _SAMPLERS[target][0], {"i": "int", "u": "uint"}.get(prefix, "float")

    # Images and buffers.

    def _declare_image(self, item: Declaration, index: int) -> None:
        image = item.image
        target = image.target if image is not None else "UNKNOWN"
        kind = _SAMPLERS.get(target, ("", ""))[1]
        if not kind or image is None or (self.version.es and target in _NOT_ES):
            refuse(f"an image of target {target}{' in GLSL ES' if self.version.es else ''}", item.span)
        named = image.format or next((m.format for m in self._accesses(index) if m.format), "")
        plain = named if named.startswith("PIPE_FORMAT_") else f"PIPE_FORMAT_{named}"
        stored = all(i.opcode.stores_to_dst for i in self._users(index))
        if named and plain not in _FORMATS and named != "PIPE_FORMAT_NONE":
            refuse(f"an image of format {named}", item.span)
        layout = _FORMATS.get(plain, "")
        prefix = "u" if layout.endswith("ui") else "i" if layout.endswith("i") else ""
        if not layout and not stored:
            if self.version.es or any(i.opcode.is_atomic for i in self._users(index)):
                refuse("a read of an image without a format", item.span, "declare the image with its format")
            self.extensions.add("GL_EXT_shader_image_load_formatted")
        bits = 0
        for access in self._accesses(index):
            bits |= access.qualifiers
        words = "".join(word for bit, word in ((1, "coherent "), (2, "restrict "), (4, "volatile ")) if bits & bit)
        words += "writeonly " if stored else ""
        name = self.names.resource(f"IMAGE[{index}]", self.names.images.get(index), f"image{index}")
        self.lines.append(f"{self._layout('IMAGE', index, index, layout)}{words}uniform {self._precision(kind)}{prefix}{kind} {name};")
        self.images[index] = (name, {"i": "int", "u": "uint"}.get(prefix, "float"))

    def _users(self, index: int) -> list[Instruction]:
        return [i for i in self.program.instructions if _resource(i) == (File.IMAGE, index)]

    def _accesses(self, index: int) -> list:  # type: ignore[type-arg]
        return [i.memory for i in self._users(index) if i.memory is not None]

    def _declare_buffer(self, item: Declaration, index: int) -> None:
        variable = self.variables.by_key.get(("BUFFER", index))
        kind = variable.type if variable is not None else UINT
        name = self.names.resource("", None, f"buffer{index}")
        block = self.names.resource(f"BUFFER[{index}]", self.names.buffers.get(index), f"Buffer{index}")
        self.lines.append(f"{self._layout('BUFFER', index, index, 'std430')}buffer {block} {{ {type_name(kind, 1)} {name}[]; }};")
        self.buffers[index] = name

    def _declare_memory(self, item: Declaration, index: int) -> None:
        if item.memory is not MemoryType.SHARED or self.program.processor is not Processor.COMP:
            refuse(f"memory of type {item.memory.name if item.memory is not None else 'GLOBAL'}", item.span)
        if self.memory:
            self.memory[index] = next(iter(self.memory.values()))
            return
        variable = next((v for k, v in self.variables.by_key.items() if k[0] == "MEMORY"), None)
        name = self.names.give("sharedMemory")
        self.lines.append(f"shared {type_name(variable.type if variable is not None else UINT, 1)} {name}[{SHARED_WORDS}];")
        self.memory[index] = name


def _resource(item: Instruction) -> tuple[File, int] | None:
    if item.memory is None:
        return None
    register = item.dst[0].register if item.opcode.stores_to_dst else item.src[0].register if item.src else None
    return None if register is None else (register.file, register.index)
