"""Inputs, outputs and system values by semantic: built-in variables, or declarations."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from backends.glsl.expressions import FLOAT, INT, UINT, type_name
from backends.glsl.names import Names
from backends.glsl.places import Place, refuse
from backends.glsl.variables import Variables
from backends.glsl.version import Version
from backends.shader_key.qualifiers import qualifiers
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.properties import LOWER_ORIGINS
from tgsi.language.ir import Declaration
from tgsi.language.program import Program

LOCATIONS = 18
"""GENERIC indices that are locations, too. Those beyond link by their names."""

_FIRST = {"GENERIC": 0, "TEXCOORD": LOCATIONS, "COLOR": 26, "BCOLOR": 28, "FOG": 30}
"""Locations of semantics, the same in every stage."""

_ONE = 0x3F800000
_P = Processor
_XY, _XYZ, _XYZW = (0, 1), (0, 1, 2), (0, 1, 2, 3)

# Built-ins by stage ("" for all) and semantic: text, type, channels (None: one value for all), extension of desktop and of ES.
_INPUTS: Mapping[tuple[str, str], tuple[str, str, tuple[int, ...] | None]] = MappingProxyType(
    {
        ("FRAG", "POSITION"): ("gl_FragCoord", FLOAT, _XYZW),
        ("FRAG", "FACE"): ("(gl_FrontFacing ? 1.0 : -1.0)", FLOAT, None),
        ("FRAG", "PCOORD"): ("gl_PointCoord", FLOAT, _XY),
        ("FRAG", "PRIM_ID"): ("gl_PrimitiveID", INT, None),
        ("FRAG", "LAYER"): ("gl_Layer", INT, None),
        ("FRAG", "VIEWPORT_INDEX"): ("gl_ViewportIndex", INT, None),
        ("GEOM", "PRIM_ID"): ("gl_PrimitiveIDIn", INT, None),
        ("TESS_CTRL", "PRIM_ID"): ("gl_PrimitiveID", INT, None),
        ("TESS_EVAL", "PRIM_ID"): ("gl_PrimitiveID", INT, None),
    }
)
_VALUES: Mapping[str, tuple[str, str, tuple[int, ...] | None]] = MappingProxyType(
    {
        "FACE": ("gl_FrontFacing", "bool", None),
        "VERTEXID": ("gl_VertexID", INT, None),
        "INSTANCEID": ("gl_InstanceID", INT, None),
        "BASEVERTEX": ("gl_BaseVertex", INT, None),
        "BASEINSTANCE": ("gl_BaseInstance", INT, None),
        "DRAWID": ("gl_DrawID", INT, None),
        "VERTEXID_NOBASE": ("(gl_VertexID - gl_BaseVertex)", INT, None),
        "PRIM_ID": ("gl_PrimitiveID", INT, None),
        "INVOCATIONID": ("gl_InvocationID", INT, None),
        "VERTICESIN": ("gl_PatchVerticesIn", INT, None),
        "GRID_SIZE": ("gl_NumWorkGroups", UINT, _XYZ),
        "BLOCK_ID": ("gl_WorkGroupID", UINT, _XYZ),
        "BLOCK_SIZE": ("gl_WorkGroupSize", UINT, _XYZ),
        "THREAD_ID": ("gl_LocalInvocationID", UINT, _XYZ),
        "SAMPLEID": ("gl_SampleID", INT, None),
        "SAMPLEPOS": ("gl_SamplePosition", FLOAT, _XY),
        "SAMPLEMASK": ("gl_SampleMaskIn[0]", INT, None),
        "TESSCOORD": ("gl_TessCoord", FLOAT, _XYZ),
        "HELPER_INVOCATION": ("gl_HelperInvocation", "bool", None),
        "SUBGROUP_SIZE": ("gl_SubgroupSize", UINT, None),
        "SUBGROUP_INVOCATION": ("gl_SubgroupInvocationID", UINT, None),
        "SUBGROUP_EQ_MASK": ("gl_SubgroupEqMask", UINT, _XY),
        "SUBGROUP_GE_MASK": ("gl_SubgroupGeMask", UINT, _XY),
        "SUBGROUP_GT_MASK": ("gl_SubgroupGtMask", UINT, _XY),
        "SUBGROUP_LE_MASK": ("gl_SubgroupLeMask", UINT, _XY),
        "SUBGROUP_LT_MASK": ("gl_SubgroupLtMask", UINT, _XY),
    }
)
_NEEDS = MappingProxyType({"BASEVERTEX": 460, "BASEINSTANCE": 460, "DRAWID": 460, "VERTEXID_NOBASE": 460})
_PLAIN = frozenset({"GENERIC", "COLOR", "BCOLOR", "FOG", "TEXCOORD", "PATCH"})
"""Semantics that are variables of the program's own."""


class Ports:
    """Places of IN, OUT and SV registers, and the lines that declare them."""

    def __init__(self, program: Program, version: Version, names: Names, variables: Variables) -> None:
        self.program, self.version, self.names, self.variables = program, version, names, variables
        self.stage = program.processor
        self.lines: list[str] = []
        self.extensions: set[str] = set()
        self.inputs: dict[int, Place] = {}
        self.outputs: dict[int, Place] = {}
        self.values: dict[int, Place] = {}
        self._distances: list[tuple[int, Declaration]] = []
        for item in program.declarations:
            for index in range(item.first, item.last + 1):
                if item.file is File.IN:
                    self.inputs[index] = self._input(item, index)
                elif item.file is File.SV:
                    self.values[index] = self._value(item)
        for item in program.declared(File.OUT):
            for index in range(item.first, item.last + 1):
                if index not in self.outputs:
                    self.outputs[index] = self._output(item, index)

    @property
    def has_vertices(self) -> bool:
        """True if inputs have a row for each vertex."""
        return self.stage in (_P.GEOM, _P.TESS_CTRL, _P.TESS_EVAL)

    def _declare(self, words: str, name: str) -> None:
        line = f"{words} {name};"
        if line not in self.lines:
            self.lines.append(line)

    # Inputs.

    def _input(self, item: Declaration, index: int) -> Place:
        if self.stage is _P.VERT:
            wanted = self.names.input_locations.get(index, f"in{index}")
            variable = self.variables.by_key.get(("IN", index))
            kind = variable.type if variable is not None else FLOAT
            name = self.names.port(f"IN[{index}]", "", wanted)
            self._declare(f"layout(location = {index}) in {type_name(kind, 4)}", name)
            return Place(name, kind)
        semantic = item.semantic
        if semantic is None:
            refuse(f"an input of stage {self.stage.name} without a semantic", item.span)
        number = semantic.index + index - item.first
        built_in = _INPUTS.get((self.stage.name, semantic.name))
        if built_in is not None:
            self._check_position(item)
            return self._built_in(*built_in)
        if self.has_vertices:
            if semantic.name == "POSITION":
                return Place("gl_in[{v}].gl_Position", FLOAT)
            if semantic.name == "PSIZE":
                return Place("gl_in[{v}].gl_PointSize", FLOAT, is_scalar=True)
            if semantic.name == "CLIPDIST":
                return Place("", FLOAT, elements=tuple(f"gl_in[{{v}}].gl_ClipDistance[{4 * number + c}]" for c in range(4)))
            if semantic.name in ("TESSOUTER", "TESSINNER"):
                return self._levels(semantic.name)
        if semantic.name == "CLIPDIST" and self.stage is _P.FRAG:
            return Place("", FLOAT, elements=tuple(f"gl_ClipDistance[{4 * number + c}]" for c in range(4)))
        words = qualifiers(item) + " " if self.stage is _P.FRAG and qualifiers(item) else ""
        self._check_qualifiers(words, item)
        if semantic.name not in _PLAIN:
            refuse(f"an input {semantic}", item.span)
        patch = semantic.name == "PATCH"
        rows = "[]" if self.has_vertices and not patch else ""
        known = self.names.inputs.get(f"{semantic.name}[{number}]") if semantic.name == "GENERIC" else None
        self._check_link(semantic.name, number, known, item)
        own = known or _own_name(semantic.name, number, "in" if self.has_vertices and not patch else "")
        name = self.names.port(f"IN[{index}]", f"{semantic.name}[{number}]", own)
        self._declare(f"{_location(semantic.name, number)}{words}{'patch ' if patch else ''}in vec4", f"{name}{rows}")
        return Place(f"{name}[{{v}}]" if rows else name, FLOAT)

    def _check_link(self, name: str, number: int, known: str | None, item: Declaration) -> None:
        """Names of inputs and outputs of one stage differ, so stages in the middle of a chain need locations, or names of the program."""
        if name == "GENERIC" and number >= LOCATIONS and known is None and self.has_vertices:
            what = f"GENERIC[{number}] between stages: GENERIC 0 to {LOCATIONS - 1} are locations"
            refuse(what, item.span, "tgsi.renumber gives the programs of a chain low indices")

    def _check_qualifiers(self, words: str, item: Declaration) -> None:
        """Reject qualifiers that the version lacks, or enable the extension that has them."""
        if "noperspective" in words and self.version.es:
            refuse("an input without perspective in GLSL ES", item.span)
        if "sample" in words and self.version.is_old_es:
            self.extensions.add("GL_OES_shader_multisample_interpolation")

    def _check_position(self, item: Declaration) -> None:
        if item.semantic is None or item.semantic.name != "POSITION" or self.stage is not _P.FRAG:
            return
        words = [] if self.program.property("FS_COORD_ORIGIN") in LOWER_ORIGINS else ["origin_upper_left"]
        words += ["pixel_center_integer"] if self.program.property("FS_COORD_PIXEL_CENTER") else []
        if words and self.version.es:
            refuse(f"{' and '.join(words)} in GLSL ES", item.span, "use the lowering window-position=LOWER_LEFT:HALF_INTEGER")
        if words:
            self._declare(f"layout({', '.join(words)}) in vec4", "gl_FragCoord")

    def _value(self, item: Declaration) -> Place:
        semantic = item.semantic
        name = semantic.name if semantic is not None else ""
        if name in ("TESSOUTER", "TESSINNER"):
            return self._levels(name)
        if name not in _VALUES:
            refuse(f"the system value {name}", item.span)
        if name == "PRIM_ID" and self.stage is _P.GEOM:
            return self._built_in(*_INPUTS["GEOM", name])
        if self.version.number < _NEEDS.get(name, 0):
            refuse(f"the system value {name} in GLSL {self.version}", item.span, "GLSL 460 has it")
        if name.startswith("SAMPLE") and self.version.is_old_es:
            self.extensions.add("GL_OES_sample_variables")
        if name.startswith("SUBGROUP"):
            self.extensions.add("GL_KHR_shader_subgroup_basic" if "MASK" not in name else "GL_KHR_shader_subgroup_ballot")
        return self._built_in(*_VALUES[name])

    def _built_in(self, name: str, kind: str, channels: tuple[int, ...] | None) -> Place:
        if channels is None:
            return Place(name, kind, is_scalar=True)
        full = {"gl_SubgroupEqMask", "gl_SubgroupGeMask", "gl_SubgroupGtMask", "gl_SubgroupLeMask", "gl_SubgroupLtMask"}
        missing = (0, 0, 0, _ONE) if kind == FLOAT and name == "gl_PointCoord" else (0, 0, 0, 0)
        return Place(f"{name}.xy" if name in full else name, kind, channels, missing=missing)

    def _levels(self, name: str) -> Place:
        array, count = ("gl_TessLevelOuter", 4) if name == "TESSOUTER" else ("gl_TessLevelInner", 2)
        return Place("", FLOAT, tuple(range(count)), elements=tuple(f"{array}[{c}]" for c in range(count)))

    # Outputs.

    def _output(self, item: Declaration, index: int) -> Place:
        semantic = item.semantic
        if semantic is None:
            refuse("an output without a semantic", item.span)
        number = semantic.index + index - item.first
        name = semantic.name
        place = self._target(item, index, number) if self.stage is _P.FRAG else None
        if place is None and self.stage is not _P.FRAG:
            place = self._built_output(name, number, item)
        if place is not None:
            if item.invariant and place.name.startswith("gl_") and "[" not in place.name:
                self.lines.append(f"invariant {place.name};")
            return place
        if name not in _PLAIN or self.stage is _P.FRAG:
            refuse(f"an output {semantic}", item.span)
        patch = name == "PATCH"
        rows = self.stage is _P.TESS_CTRL and not patch
        known = self.names.outputs.get(f"{name}[{number}]") if name == "GENERIC" else None
        self._check_link(name, number, known, item)
        own = known or _own_name(name, number, "out" if self.has_vertices and not patch else "")
        own = self.names.port(f"OUT[{index}]", f"{name}[{number}]", own)
        words = f"{_location(name, number)}{'invariant ' if item.invariant else ''}{'patch ' if patch else ''}"
        after = self._qualifiers_after(f"{name}[{number}]")
        self._check_qualifiers(after, item)
        words += after
        stream = f"layout(stream = {item.streams[0]}) " if self.stage is _P.GEOM and any(item.streams) else ""
        self._declare(f"{stream}{words}out vec4", f"{own}[]" if rows else own)
        return Place(f"{own}[{{v}}]" if rows else own, FLOAT)

    def _qualifiers_after(self, semantic: str) -> str:
        """The qualifiers that the key gives an output which meets an input of a fragment program, with a space after each."""
        words = self.names.layout.qualifiers.get(semantic)
        return f"{words} " if words and self.program.property("NEXT_SHADER", _P.FRAG) == _P.FRAG else ""

    def _built_output(self, name: str, number: int, item: Declaration) -> Place | None:
        head = "gl_out[{v}]." if self.stage is _P.TESS_CTRL else ""
        if name == "POSITION":
            return Place(f"{head}gl_Position", FLOAT)
        if name == "PSIZE":
            return Place(f"{head}gl_PointSize", FLOAT, (0,))
        if name == "CLIPDIST":
            return self._distance(number, head, item)
        if name in ("TESSOUTER", "TESSINNER"):
            return self._levels(name)
        if name in ("LAYER", "VIEWPORT_INDEX", "PRIM_ID") and self.stage in (_P.GEOM, _P.VERT, _P.TESS_EVAL):
            if name == "PRIM_ID" and self.stage is not _P.GEOM:
                return None
            if self.stage is not _P.GEOM:
                if self.version.es:
                    refuse(f"an output {name} of stage {self.stage.name} in GLSL ES", item.span)
                self.extensions.add("GL_ARB_shader_viewport_layer_array")
            elif self.version.es and name == "VIEWPORT_INDEX":
                refuse("an output VIEWPORT_INDEX in GLSL ES", item.span)
            return Place({"LAYER": "gl_Layer", "PRIM_ID": "gl_PrimitiveID"}.get(name, "gl_ViewportIndex"), INT, (0,))
        return None

    def _distance(self, number: int, head: str, item: Declaration) -> Place:
        if self.version.es:
            self.extensions.add("GL_EXT_clip_cull_distance")
        clips = self.program.property("NUM_CLIPDIST_ENABLED")
        culls = self.program.property("NUM_CULLDIST_ENABLED")
        if not clips and not culls:
            clips = 4 * max(d.semantic.index + 1 for d in self.program.declared(File.OUT) if d.semantic and d.semantic.name == "CLIPDIST")
        names = [f"gl_ClipDistance[{n}]" for n in range(clips)] + [f"gl_CullDistance[{n}]" for n in range(culls)]
        own = [f"{head}{name}" for name in names[4 * number : 4 * number + 4]]
        if not head:
            for word, count in (("gl_ClipDistance", clips), ("gl_CullDistance", culls)):
                if count:
                    self._declare("out float", f"{word}[{count}]")
        return Place("", FLOAT, tuple(range(len(own))), elements=tuple(own))

    def _target(self, item: Declaration, index: int, number: int) -> Place:
        name = item.semantic.name if item.semantic is not None else ""
        if name == "COLOR":
            variable = self.variables.by_key.get(("OUT", index))
            kind = variable.type if variable is not None and variable.type in (FLOAT, INT, UINT) else FLOAT
            own = self.names.port(f"OUT[{index}]", f"COLOR[{number}]", self.names.output_locations.get(number, f"color{number}"))
            self._declare(f"layout(location = {number}) out {type_name(kind, 4)}", own)
            return Place(own, kind)
        if name == "POSITION":
            layout = {1: "depth_any", 2: "depth_greater", 3: "depth_less", 4: "depth_unchanged"}.get(
                self.program.property("FS_DEPTH_LAYOUT")
            )
            if layout and not self.version.es:
                self._declare(f"layout({layout}) out float", "gl_FragDepth")
            return Place("gl_FragDepth", FLOAT, (2,))
        if name == "STENCIL":
            if self.version.es:
                refuse("an output STENCIL in GLSL ES", item.span)
            self.extensions.add("GL_ARB_shader_stencil_export")
            return Place("gl_FragStencilRefARB", INT, (1,))
        if name == "SAMPLEMASK":
            if self.version.is_old_es:
                self.extensions.add("GL_OES_sample_variables")
            return Place("gl_SampleMask[0]", INT, (0,))
        return refuse(f"an output {item.semantic}", item.span)


def _location(name: str, number: int) -> str:
    if name not in _FIRST or (name == "GENERIC" and number >= LOCATIONS):
        return ""
    return f"layout(location = {_FIRST[name] + number}) "


def _own_name(name: str, number: int, side: str) -> str:
    short = {"GENERIC": "varying", "TEXCOORD": "texcoord", "BCOLOR": "backColor"}.get(name, name.lower())
    plain = f"{short}{number}" if name != "FOG" else short
    return f"{side}{plain[0].upper()}{plain[1:]}" if side else plain
