"""Variables of a module as places: inputs and outputs by location, buffers by binding, temporaries."""

from __future__ import annotations

from frontends.spirv.emit import builtins, opaque
from frontends.spirv.emit.code import Ref
from frontends.spirv.emit.memory import offsets, store
from frontends.spirv.emit.places import Memory, Mixed, Place, Registers, Unit, Varying, is_opaque, registers
from frontends.spirv.emit.state import State
from frontends.spirv.module.enumerants import name_of
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import MAX_WORDS, Array, Int, Pointer, Struct, Type, elements, inner, name
from tgsi.language.facts.enums import File, Interpolation, Location, MemoryType, Processor
from tgsi.language.facts.limits import SOFTWARE
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration

PATCHES = 1 << 12
"""First provisional register number of per-patch values, until `finish` assigns the final numbers."""

MAX_LOCATION = 1 << 12
SHARED, PAYLOAD = 0, 1
"""Numbers of the two MEMORY registers."""

_QUALIFIERS = {"Coherent": 1, "Restrict": 2, "Volatile": 4}


def root(s: State, id: int, op: Op | None = None) -> Place:
    """The place of a variable. Error M005 if the id is not a variable."""
    if id in s.places:
        return s.places[id]
    variable = s.tables.globals.get(id)
    if variable is None:
        s.fail("M005", f"the id {id} is not a variable", op)
    place, serial = s.code.place, s.code.serial
    s.code.begin(("variable", id))
    s.places[id] = made = _make(s, id, variable)
    s.code.place, s.code.serial = place, serial
    return made


def pointee(s: State, op: Op) -> tuple[str, Type]:
    """Storage class and pointed-to type of the pointer that an instruction creates."""
    kind = s.result(op)
    if not isinstance(kind, Pointer):
        s.fail("M006", f"the result is a pointer, not {name(kind)}", op)
    return kind.storage, s.tables.types.get(kind.target, op)


def temporaries(s: State, kind: Type, op: Op | None) -> Registers:
    """A variable of the invocation."""
    size = registers(kind) if kind.words < MAX_WORDS else MAX_WORDS
    if not 0 < size <= SOFTWARE.temporaries:
        s.fail("M023", f"a variable of type {name(kind)} takes {size} registers; {SOFTWARE.temporaries} are the most", op)
    first, array = s.code.array(size)
    s.mutable.update((File.TEMP, first + number) for number in range(size))
    return Registers(kind=kind, file=File.TEMP, index=first, array=array, mutable=True)


def _make(s: State, id: int, op: Op) -> Place:
    storage, kind = pointee(s, op)
    match storage:
        case "Private" | "Function":
            place = temporaries(s, kind, op)
            if len(op.operands) > 1:
                store(s, place, s.value(op.id(1)), op)
            return place
        case "Input" | "Output":
            return _varying(s, id, kind, storage == "Output", op)
        case "UniformConstant":
            if (builtin := s.tables.decoration(id, "BuiltIn")) is not None:  # gl_SubGroupSizeARB, which GLSL calls a uniform
                return builtins.place(s, builtins.Use(name=name_of("BuiltIn", builtin), kind=kind, is_output=False), op)
            return _unit(s, id, kind, op) if is_opaque(kind) else _uniform(s, id, kind, op)
        case "Uniform" | "StorageBuffer" | "PushConstant":
            return _block(s, id, kind, storage, op)
        case "Workgroup":
            return _shared(s, kind, op)
        case "TaskPayloadWorkgroupEXT":
            s.code.declare(Declaration(File.MEMORY, PAYLOAD, PAYLOAD, memory=MemoryType.PAYLOAD))
            if s.processor is Processor.TASK:
                s.properties["TS_PAYLOAD_BYTES"] = extent(s, kind)
            return Memory(kind=kind, file=File.MEMORY, number=PAYLOAD)
        case "AtomicCounter":
            if not isinstance(inner(kind), Int):
                s.fail("M021", f"an atomic counter of type {name(kind)} is not supported", op)
            number = s.tables.decoration(id, "Binding") or 0
            first = (s.tables.decoration(id, "Offset") or 0) // 4
            size = max(elements(kind), 1)
            s.code.declare(Declaration(File.HWATOMIC, first, first + size - 1, dimension=number))
            return Unit(kind=kind, variable=id, number=first, size=size)
    s.fail("M022", f"the storage class {storage} is not supported", op)


def extent(s: State, kind: Type) -> int:
    """Bytes of a value in memory."""
    if kind.words >= MAX_WORDS:
        s.fail("M023", f"memory of type {name(kind)} is too large")
    return max(offsets(s, kind), default=-4) + 4


def _shared(s: State, kind: Type, op: Op) -> Place:
    s.code.shared()
    first = s.shared
    s.shared += extent(s, kind)
    return Memory(kind=kind, file=File.MEMORY, number=SHARED, offset=first)


def _uniform(s: State, id: int, kind: Type, op: Op) -> Place:
    first = s.uniforms.get(id)
    if first is None:
        s.fail("M010", f"the uniform {s.tables.name(id)} has no location", op, hint="compile with automatic locations (glslang --aml)")
    if registers(kind):
        s.code.declare(Declaration(File.CONST, 0, s.uniform_registers - 1, dimension=0))
    made = Registers(kind=kind, file=File.CONST, index=first, buffer=0)
    if not opaque.leaves(kind):
        return made
    return Mixed(kind=kind, registers=made, variable=id, unit=_binding(s, id), whole=kind)


def _binding(s: State, id: int) -> int:
    return s.bindings.get(id, s.tables.decoration(id, "Binding") or 0)


def _qualifiers(s: State, id: int, kind: Type) -> int:
    kind = inner(kind)
    names = set(s.tables.decorations.get(id, {}))
    if isinstance(kind, Struct):
        names |= {name for (struct, _), items in s.tables.member_decorations.items() if struct == kind.id for name in items}
    return sum(bit for word, bit in _QUALIFIERS.items() if word in names)


def _unit(s: State, id: int, kind: Type, op: Op) -> Place:
    size = elements(kind)
    if not size:
        s.fail("M022", "an array of resources has a size", op)
    return Unit(kind=kind, variable=id, number=_binding(s, id), size=size, qualifiers=_qualifiers(s, id, kind))


def _block(s: State, id: int, kind: Type, storage: str, op: Op) -> Place:
    size, block = elements(kind), inner(kind)
    if not size:
        s.fail("M022", "an array of blocks has a size", op)
    if not isinstance(block, Struct):
        s.fail("M006", f"a block is a struct, not {name(block)}", op)
    number = _binding(s, id)
    if storage == "StorageBuffer" or "BufferBlock" in s.tables.decorations.get(block.id, {}):
        if number + size > SOFTWARE.buffers:
            s.fail("M023", f"the buffer of binding {number} is beyond the last one, {SOFTWARE.buffers - 1}", op)
        for item in range(number, number + size):
            s.code.declare(Declaration(File.BUFFER, item, item))
        return Memory(kind=kind, file=File.BUFFER, number=number, is_block=True, qualifiers=_qualifiers(s, id, kind))
    number = 0 if storage == "PushConstant" or _is_first(s, number) else number + 1
    if number + size > SOFTWARE.constant_buffers:
        s.fail("M023", f"the uniform block of binding {number - 1} is beyond the last one, {SOFTWARE.constant_buffers - 2}", op)
    last = (extent(s, block) + 15) // 16 - 1
    if last >= SOFTWARE.constants:
        s.fail("M023", f"the uniform block has more than {16 * SOFTWARE.constants} bytes", op)
    for item in range(number, number + size):
        s.code.declare(Declaration(File.CONST, 0, max(last, 0), dimension=item))
    return Memory(kind=kind, file=File.CONST, number=number, is_block=True)


def _is_first(s: State, number: int) -> bool:
    """True for the block of the last binding, which is CONST[0] if there are neither push constants nor default uniforms."""
    kinds = (s.tables.types.get(op.type, op) for op in s.tables.globals.values())
    pushed = any(isinstance(kind, Pointer) and kind.storage == "PushConstant" for kind in kinds)
    return number == SOFTWARE.constant_buffers - 1 and not pushed and not s.uniform_registers


# inputs and outputs


def is_patch(s: State, id: int) -> bool:
    """True for per-patch inputs and outputs; members of blocks have the decoration."""
    kind = inner(pointee(s, s.tables.globals[id])[1])
    if "Patch" in s.tables.decorations.get(id, {}):
        return True
    return isinstance(kind, Struct) and any(s.tables.member(kind.id, number, "Patch") is not None for number in range(len(kind.members)))


def has_rows(s: State, id: int, is_output: bool) -> bool:
    """True for inputs and outputs that are arrays with an element for each vertex or primitive."""
    decorations = s.tables.decorations.get(id, {})
    if "PerTaskNV" in decorations or is_patch(s, id):
        return False
    match s.processor:
        case Processor.GEOM:
            return not is_output and name_of("BuiltIn", (decorations.get("BuiltIn") or [-1])[0]) not in ("PrimitiveId", "InvocationId")
        case Processor.TESS_CTRL | Processor.TESS_EVAL:
            builtin = name_of("BuiltIn", (decorations.get("BuiltIn") or [-1])[0])
            rows = builtin in ("Position", "PointSize", "ClipDistance", "CullDistance") or "BuiltIn" not in decorations
            return rows and (s.processor is Processor.TESS_CTRL or not is_output)
        case Processor.MESH:
            return is_output
    return False


def _varying(s: State, id: int, kind: Type, is_output: bool, op: Op) -> Place:
    rows = has_rows(s, id, is_output)
    if rows and not isinstance(kind, Array):
        s.fail("M006", f"{s.tables.name(id)} is an array of vertices, not {name(kind)}", op)
    return narrowed(s, Varying(kind=kind, variable=id, needs_row=rows), op)


def narrowed(s: State, place: Varying, op: Op | None) -> Place:
    """The registers of an input or output that has registers; other places are returned unchanged."""
    kind = place.kind
    if place.needs_row or _has_members(s, kind):
        return place
    decorations = s.tables.decorations.get(place.variable, {})
    if place.variable in s.locations:
        decorations = {**decorations, "Location": [s.locations[place.variable]]}
    return _placed(s, place, decorations, kind, op)


def _has_members(s: State, kind: Type) -> bool:
    kind = inner(kind)
    if not isinstance(kind, Struct):
        return False
    own = [s.tables.member_decorations.get((kind.id, number), {}) for number in range(len(kind.members))]
    return "Block" in s.tables.decorations.get(kind.id, {}) or any("BuiltIn" in item or "Location" in item for item in own)


def member(s: State, place: Varying, number: int, op: Op | None) -> Place:
    """A member of a block of inputs or outputs."""
    kind = place.kind
    assert isinstance(kind, Struct)
    if not 0 <= number < len(kind.members):
        s.fail("M006", f"there is no member {number}", op)
    own = s.tables.member_decorations.get((kind.id, number), {})
    decorations = {**s.tables.decorations.get(place.variable, {}), **own}
    if "BuiltIn" not in own and "Location" not in own:
        first = s.locations.get(place.variable, s.tables.decoration(place.variable, "Location"))
        if first is not None:
            decorations["Location"] = [first + sum(map(registers, kind.members[:number]))]
    return _placed(s, place, decorations, kind.members[number], op)


def _placed(s: State, place: Varying, found: dict[str, list[int]], kind: Type, op: Op | None) -> Place:
    storage, _ = pointee(s, s.tables.globals[place.variable])
    is_output = storage == "Output"
    row = _own_row(s, place.row, is_output)
    if "BuiltIn" in found:
        builtin = name_of("BuiltIn", found["BuiltIn"][0])
        return builtins.place(s, builtins.Use(name=builtin, kind=kind, is_output=is_output, row=row), op)
    label = s.tables.name(place.variable)
    if not found.get("Location"):
        s.fail(
            "M010", f"{label} has no location", op, hint="write layout(location = n), or compile with automatic locations (glslang --aml)"
        )
    location = found["Location"][0] + place.offset
    count = registers(kind) if kind.words < MAX_WORDS else MAX_WORDS
    if location + count > MAX_LOCATION:
        s.fail("M023", f"the location {location} of {label} is beyond {MAX_LOCATION - 1}", op)
    channel = (found.get("Component") or [0])[0]
    if channel and channel + inner(kind).words > 4:
        s.fail("M006", f"{label} does not fit its location from component {channel} on", op)
    patch = "Patch" in found
    first = PATCHES + location if patch else location
    if is_output and s.processor is Processor.FRAG:
        first += (found.get("Index") or [0])[0]  # the second source of a blend is the color after its own
    for item in range(count):
        s.code.declare(_declaration(s, File.OUT if is_output else File.IN, first + item, location + item, found, patch))
    if is_output:
        s.mutable.update((File.OUT, first + item) for item in range(count))
    return Registers(
        kind=kind,
        file=File.OUT if is_output else File.IN,
        index=first,
        terms=place.terms,
        row=row,
        channel=channel,
        mutable=is_output,
    )


def _own_row(s: State, row: int | Ref | None, is_output: bool) -> int | Ref | None:
    """The row of a place; None where it is that of the invocation itself, which needs no index."""
    own = s.processor is Processor.TESS_CTRL and is_output and isinstance(row, Ref) and row.register is not None
    if own and row.register.file is File.SV and row.register == builtins.system_value(s, "INVOCATIONID"):  # type: ignore[union-attr]
        return None
    return row


def _declaration(s: State, file: File, register: int, location: int, found: dict[str, list[int]], patch: bool) -> Declaration:
    if s.processor is Processor.VERT and file is File.IN:
        return Declaration(file, register, register)
    if s.processor is Processor.FRAG and file is File.OUT:
        return Declaration(file, register, register, semantic=Semantic("COLOR", register))
    semantic = Semantic("PATCH", location) if patch else s.generic(location)
    if s.processor is not Processor.FRAG:
        streams = (found.get("Stream") or [0])[0]
        return Declaration(
            file,
            register,
            register,
            semantic=semantic,
            per_primitive="PerPrimitiveNV" in found,
            streams=(streams, streams, streams, streams),
        )
    mode = Interpolation.CONSTANT if "Flat" in found else Interpolation.LINEAR if "NoPerspective" in found else Interpolation.PERSPECTIVE
    where = Location.SAMPLE if "Sample" in found else Location.CENTROID if "Centroid" in found else Location.CENTER
    return Declaration(file, register, register, semantic=semantic, interpolation=mode, location=where)
