"""Built-in variables as system values, inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable

from frontends.spirv.emit.code import Ref, immediate
from frontends.spirv.emit.places import Known, Place, Registers
from frontends.spirv.emit.state import State
from frontends.spirv.module.enumerants import name_of
from frontends.spirv.module.errors import Op
from frontends.spirv.module.module import Tables
from frontends.spirv.module.types import Array, Type
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration, RegisterRef
from tgsi.language.record import record

BUILT_INS = 1 << 13
"""First number of registers of built-in inputs and outputs, until all registers have their numbers."""

SUBGROUP = 4
"""Invocations of a subgroup (docs/execution.md)."""

_SYSTEM = {
    "VertexId": "VERTEXID",
    "VertexIndex": "VERTEXID",
    "InstanceId": "INSTANCEID",
    "BaseVertex": "BASEVERTEX",
    "BaseInstance": "BASEINSTANCE",
    "DrawIndex": "DRAWID",
    "InvocationId": "INVOCATIONID",
    "PatchVertices": "VERTICESIN",
    "TessCoord": "TESSCOORD",
    "TessLevelOuter": "TESSOUTER",
    "TessLevelInner": "TESSINNER",
    "NumWorkgroups": "GRID_SIZE",
    "WorkgroupId": "BLOCK_ID",
    "SubgroupSize": "SUBGROUP_SIZE",
    "SubgroupLocalInvocationId": "SUBGROUP_INVOCATION",
    "SubgroupEqMask": "SUBGROUP_EQ_MASK",
    "SubgroupGeMask": "SUBGROUP_GE_MASK",
    "SubgroupGtMask": "SUBGROUP_GT_MASK",
    "SubgroupLeMask": "SUBGROUP_LE_MASK",
    "SubgroupLtMask": "SUBGROUP_LT_MASK",
    "SampleId": "SAMPLEID",
    "SamplePosition": "SAMPLEPOS",
    "SampleMask": "SAMPLEMASK",
    "FrontFacing": "FACE",
    "HelperInvocation": "HELPER_INVOCATION",
    "PrimitiveId": "PRIM_ID",
}
"""Inputs that are system values. Masks of subgroups have 64 bits in TGSI and 128 in SPIR-V."""

_INPUTS = {
    "Position": ("POSITION", None),
    "PointSize": ("PSIZE", None),
    "ClipDistance": ("CLIPDIST", None),
    "CullDistance": ("CLIPDIST", None),
    "FragCoord": ("POSITION", Interpolation.LINEAR),
    "PointCoord": ("PCOORD", Interpolation.LINEAR),
    "Layer": ("LAYER", Interpolation.CONSTANT),
    "ViewportIndex": ("VIEWPORT_INDEX", Interpolation.CONSTANT),
}
"""Inputs with a semantic, and their interpolation in fragment programs."""

_OUTPUTS = {
    "Position": ("POSITION", 0),
    "PointSize": ("PSIZE", 0),
    "ClipDistance": ("CLIPDIST", 0),
    "CullDistance": ("CLIPDIST", 0),
    "Layer": ("LAYER", 0),
    "ViewportIndex": ("VIEWPORT_INDEX", 0),
    "PrimitiveId": ("PRIM_ID", 0),
    "TessLevelOuter": ("TESSOUTER", 0),
    "TessLevelInner": ("TESSINNER", 0),
    "FragDepth": ("POSITION", 2),
    "FragStencilRefEXT": ("STENCIL", 1),
    "SampleMask": ("SAMPLEMASK", 0),
    "PrimitivePointIndicesEXT": ("PRIMITIVE_INDICES", 0),
    "PrimitiveLineIndicesEXT": ("PRIMITIVE_INDICES", 0),
    "PrimitiveTriangleIndicesEXT": ("PRIMITIVE_INDICES", 0),
    "CullPrimitiveEXT": ("CULL_PRIMITIVE", 0),
    "ViewportMaskNV": ("VIEWPORT_MASK", 0),
}
"""Outputs: semantic and first channel."""

_MESH_ROWS = frozenset({"Position", "PointSize", "ClipDistance", "CullDistance"})


@record(kw_only=True)
class Use:
    """One use of a built-in variable: its name, type, storage class and row."""

    name: str
    kind: Type
    is_output: bool
    row: int | Ref | None = None


def place(s: State, use: Use, op: Op | None = None) -> Place:
    """The place of a built-in variable. Error M022 if TGSI has no equivalent."""
    if use.is_output:
        return _output(s, use, op)
    if use.name in _COMPUTED:
        return Known(kind=use.kind, words=tuple(_COMPUTED[use.name](s, use)))
    fragment = s.processor is Processor.FRAG
    if fragment and use.name == "PrimitiveId":
        return _input(s, use, "PRIM_ID", Interpolation.CONSTANT)
    if use.name in _INPUTS and (use.name not in _SYSTEM):
        semantic, interpolation = _INPUTS[use.name]
        if fragment and use.name in ("ClipDistance", "CullDistance"):
            interpolation = Interpolation.PERSPECTIVE
        return _input(s, use, semantic, interpolation if fragment else None)
    if use.name in _SYSTEM:
        register = system_value(s, _SYSTEM[use.name])
        if use.name.endswith("Mask") and use.name.startswith("Subgroup"):
            return Known(kind=use.kind, words=(Ref(register, 0), Ref(register, 1), *immediate(0, 0)))
        packed = isinstance(use.kind, Array)
        return Registers(kind=use.kind, file=File.SV, index=register.index, packed=packed)
    s.fail("M022", f"the built-in input {use.name} is not supported in a {s.entry.model} shader", op)


def system_value(s: State, semantic: str) -> RegisterRef:
    """The register of a system value, declared at its first use."""
    known = [item for item in s.code.declarations if item.file is File.SV]
    for item in known:
        if item.semantic == Semantic(semantic):
            return RegisterRef(File.SV, item.first)
    s.code.declare(Declaration(File.SV, len(known), len(known), semantic=Semantic(semantic)))
    return RegisterRef(File.SV, len(known))


def _input(s: State, use: Use, semantic: str, interpolation: Interpolation | None) -> Place:
    first, channel = _register(s, File.IN, use, semantic, 0, interpolation)
    return Registers(kind=use.kind, file=File.IN, index=first, row=use.row, channel=channel, packed=isinstance(use.kind, Array))


def _output(s: State, use: Use, op: Op | None) -> Place:
    if use.name not in _OUTPUTS:
        s.fail("M022", f"the built-in output {use.name} is not supported in a {s.entry.model} shader", op)
    semantic, channel = _OUTPUTS[use.name]
    first, channel = _register(s, File.OUT, use, semantic, channel, None)
    packed = isinstance(use.kind, Array)
    s.mutable.update((File.OUT, first + number) for number in range(2))
    return Registers(kind=use.kind, file=File.OUT, index=first, row=use.row, channel=channel, packed=packed, mutable=True)


def _register(s: State, file: File, use: Use, semantic: str, channel: int, mode: Interpolation | None) -> tuple[int, int]:
    """Declare the registers of a built-in variable: the first of them, and its channel."""
    count = 1
    first = BUILT_INS + 16 * _ORDER.index(semantic)
    if semantic == "CLIPDIST":
        assert isinstance(use.kind, Array)
        clip = use.kind.size if use.name == "ClipDistance" else clip_distances(s)
        total = clip + (use.kind.size if use.name == "CullDistance" else 0)
        if use.name == "CullDistance":
            channel = clip
        if file is File.OUT:
            s.properties["NUM_CLIPDIST_ENABLED"] = clip
            if use.name == "CullDistance":
                s.properties["NUM_CULLDIST_ENABLED"] = use.kind.size
        if total > 8:
            s.fail("M022", f"there are {total} clip and cull distances; 8 are the most")
        count = (total + 3) // 4
    primitive = s.processor is Processor.MESH and file is File.OUT and use.name not in _MESH_ROWS
    for number in range(count):
        s.code.declare(
            Declaration(
                file, first + number, first + number, semantic=Semantic(semantic, number), interpolation=mode, per_primitive=primitive
            )
        )
    return first, channel


_ORDER = sorted(
    {semantic for semantic, _ in _OUTPUTS.values()} | {semantic for semantic, _ in _INPUTS.values()} | {"PRIM_ID"},
    key=lambda name: (name != "POSITION", name),
)


def clip_distances(s: State) -> int:
    """Number of clip distances that the module uses; cull distances follow."""
    tables = s.tables
    for id in s.entry.interface:
        op = tables.globals.get(id)
        if op is None:
            continue
        kind = tables.types.get(getattr(tables.types.get(op.type), "target", 0))
        while isinstance(kind, Array) and tables.decoration(id, "BuiltIn") is None:
            kind = kind.element
        members = getattr(kind, "members", ())
        for number, member in enumerate(members):
            if tables.member(kind.id, number, "BuiltIn") == 3 and isinstance(member, Array) and _is_used(s, id, number):  # type: ignore[union-attr]
                return member.size
        if tables.decoration(id, "BuiltIn") == 3 and isinstance(kind, Array):
            return kind.size
    return 0


def _is_used(s: State, variable: int, member: int) -> bool:
    chains = (op for f in s.tables.functions.values() for block in f.blocks.values() for op in block.body if op.number in (65, 66))
    return any(op.id(0) == variable and any(s.constant(index) == member for index in op.ids(1)[:2]) for op in chains)


def block_size(s: State) -> tuple[int, int, int]:
    """Invocations of a workgroup along each axis."""
    for id, known in s.tables.decorations.items():
        if known.get("BuiltIn") == [25] and id in s.tables.constants.known:
            words = s.tables.constants.known[id][1]
            return words[0], words[1], words[2]
    modes = s.tables.modes.get(s.entry.function, {})
    if "LocalSizeId" in modes:
        x, y, z = (s.tables.constants.whole(id, s.entry.op) for id in modes["LocalSizeId"])
        return x, y, z
    x, y, z = (modes.get("LocalSize") or [1, 1, 1])[:3]
    return x, y, z


_LINEAR, _SQUARES = "DerivativeGroupLinearNV", "DerivativeGroupQuadsNV"


def has_quads(s: State) -> bool:
    """True for a compute shader whose invocations have derivatives: four of a subgroup are a quad."""
    modes = s.tables.modes.get(s.entry.function, {})
    return _LINEAR in modes or _SQUARES in modes


def _local_id(s: State) -> list[Ref]:
    """The place of an invocation in its workgroup.

    If invocations form 2 x 2 quads, it is computed from the invocation's number in its subgroup.
    """
    place = _system(s, "THREAD_ID", 3)
    if _SQUARES not in s.tables.modes.get(s.entry.function, {}):
        return place
    x, y, _ = block_size(s)
    if x % 2 or y % 2:
        s.fail("M006", f"a workgroup of {x} by {y} invocations has no quads of two by two", s.entry.op)
    code, number = s.code, _thread_number(s)
    inside = code.lanes("UMOD", number, immediate(x * y))
    quad = code.lanes("USHR", inside, immediate(2))
    first = [*code.lanes("UMOD", quad, immediate(x // 2)), *code.lanes("UDIV", quad, immediate(x // 2))]
    rest = code.lanes("UBFE", inside * 2, immediate(0, 1), immediate(1, 1))
    return [*code.lanes("UMAD", first, immediate(2, 2), rest), place[2]]


def _system(s: State, name: str, words: int) -> list[Ref]:
    register = system_value(s, name)
    return [Ref(register, channel) for channel in range(words)]


def _instance_index(s: State, use: Use) -> list[Ref]:
    return s.code.lanes("UADD", _system(s, "INSTANCEID", 1), _system(s, "BASEINSTANCE", 1))


def _global_id(s: State, use: Use) -> list[Ref]:
    size = immediate(*block_size(s))
    return s.code.lanes("UMAD", _system(s, "BLOCK_ID", 3), size, _local_id(s))


def _thread_number(s: State) -> list[Ref]:
    """The number of an invocation in its workgroup, in the order of subgroups."""
    return _numbered(s, _system(s, "THREAD_ID", 3))


def _numbered(s: State, place: list[Ref]) -> list[Ref]:
    x, y, _ = block_size(s)
    row = s.code.lanes("UMAD", place[2:], immediate(y), place[1:2])
    return s.code.lanes("UMAD", row, immediate(x), place[:1])


def _subgroup(s: State, use: Use) -> list[Ref]:
    return s.code.lanes("USHR", _thread_number(s), immediate(2))


def _subgroups(s: State, use: Use) -> list[Ref]:
    x, y, z = block_size(s)
    return immediate((x * y * z + SUBGROUP - 1) // SUBGROUP)


_COMPUTED: dict[str, Callable[[State, Use], list[Ref]]] = {
    "InstanceIndex": _instance_index,
    "GlobalInvocationId": _global_id,
    "LocalInvocationId": lambda s, use: _local_id(s),
    "LocalInvocationIndex": lambda s, use: _numbered(s, _local_id(s)),
    "WorkgroupSize": lambda s, use: immediate(*block_size(s)),
    "SubgroupId": _subgroup,
    "NumSubgroups": _subgroups,
    "DeviceIndex": lambda s, use: immediate(0),
    "ViewIndex": lambda s, use: immediate(0),
}


def is_computed(tables: Tables, id: int) -> bool:
    """True for an input that is computed from system values."""
    number = tables.decoration(id, "BuiltIn")
    return number is not None and name_of("BuiltIn", number) in _COMPUTED
