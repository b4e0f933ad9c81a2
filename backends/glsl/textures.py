"""Texture instructions as calls of GLSL's texture functions."""

from __future__ import annotations

from backends.glsl.code import Code
from backends.glsl.expressions import FLOAT, INT, Expr, call, literal, swizzled, widen
from backends.glsl.places import refuse
from tgsi.language.facts.enums import TARGETS, File, TargetInfo
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Instruction

_PLAIN = {"TEX": "texture", "TXB": "texture", "TXL": "textureLod", "TXD": "textureGrad", "TXP": "textureProj", "TEX_LZ": "textureLod"}
_NO_SHADOW_LEVEL = frozenset({"SHADOW2D_ARRAY", "SHADOWCUBE", "SHADOWCUBEARRAY"})


def emit(code: Code, item: Instruction) -> None:
    """Write a texture instruction."""
    if item.texture is None or item.src[-1].register.file is not File.SAMP:
        refuse("a texture by its handle", item.span)
    target = TARGETS[item.texture]
    if Trait.ONE_VECTOR not in item.opcode.traits or item.opcode.name not in ("TEX", "TEX_LZ", "TXD"):
        code.hold(item.src[0])
    sampler, returned = _sampler(code, item)
    name = item.opcode.name
    if name == "TXQ":
        return _sizes(code, item, sampler, target)
    if name == "TXQS":
        return code.store(item, call("textureSamples", sampler, kind=INT, size=1), keep=True)
    if name == "LODQ":
        coordinates = _coordinates(code, item, target.dimensions, FLOAT)
        return _result(code, item, Expr(f"textureQueryLod({sampler}, {coordinates})", FLOAT, 2), 2)
    if name in ("TXF", "TXF_LZ"):
        return _fetch(code, item, sampler, returned, target)
    if name == "TG4":
        return _gather(code, item, sampler, returned, target)
    return _sample(code, item, sampler, returned, target)


def _sampler(code: Code, item: Instruction) -> tuple[Expr, str]:
    register = item.src[-1].register
    if register.indirect is None:
        if register.index not in code.resources.samplers:
            refuse(f"the undeclared sampler {register.index}", item.span)
        name, returned = code.resources.samplers[register.index]
        return Expr(name, returned), returned
    name, returned = code.resources.samplers[-1]
    first = min(n for n in code.resources.samplers if n >= 0)
    return Expr(f"{name}[{code.index(register.index, register.indirect, first)}]", returned), returned


def _coordinates(code: Code, item: Instruction, count: int, kind: str) -> Expr:
    return widen(code.operand(item.src[0], range(count), kind), count)


def _offset(code: Code, item: Instruction, target: TargetInfo) -> str:
    """The texel offset as an argument, or nothing."""
    if not item.offsets:
        return ""
    if len(item.offsets) > 1:
        refuse("several texel offsets", item.span)
    offset = item.offsets[0]
    count = target.dimensions
    if offset.register.file is not File.IMM:
        if item.opcode.name != "TG4":
            refuse("a texel offset that is not a constant", item.span)
        value = code.read(offset.register, offset.swizzle[:count], INT)
        from backends.glsl.expressions import convert

        return f", {widen(convert(value, INT), count)}"
    words = code.program.immediates[offset.register.index].words
    chosen = [words[c] for c in offset.swizzle[:count]]
    return f", {widen(literal(chosen, INT), count)}"


def _result(code: Code, item: Instruction, value: Expr, size: int) -> None:
    """Store a result; missing channels are 0, w of a shadow comparison is 1."""
    mask = [c for c in range(4) if item.dst[0].write_mask >> c & 1] if item.dst else []
    if size == 4:
        return code.store(item, swizzled(value, mask), keep=True)
    if any(c >= size for c in mask):
        parts = ", ".join([str(value)] + [str(literal((0,), value.type))] * (4 - size))
        value = swizzled(Expr(f"{'i' if value.type == INT else ''}vec4({parts})", value.type, 4), mask)
        return code.store(item, value, keep=True)
    return code.store(item, swizzled(value, mask), keep=True)


def _compared(code: Code, item: Instruction, value: Expr) -> None:
    """Store the result of a shadow comparison: xyz, and 1 in w."""
    mask = [c for c in range(4) if item.dst[0].write_mask >> c & 1]
    if 3 in mask:
        value = swizzled(Expr(f"vec4(vec3({value}), 1.0)", FLOAT, 4), mask)
    code.store(item, value, keep=True)


def _sample(code: Code, item: Instruction, sampler: Expr, returned: str, target: TargetInfo) -> None:
    name, offset = item.opcode.name, _offset(code, item, target)
    base = name.rstrip("2") if name in ("TEX2", "TXB2", "TXL2") else name
    function = _PLAIN.get(base)
    if function is None:
        refuse(f"the opcode {name}", item.span)
    count = target.coords
    arguments: list[Expr] = []
    if target.shadow == "src1.x" or target.shadow == "":
        coordinates = _coordinates(code, item, count, FLOAT)
    else:
        count = 4 if target.shadow == "w" else 3
        coordinates = _coordinates(code, item, count, FLOAT)
    if base == "TXP":
        if target.layered or target.name in ("CUBE", "SHADOWCUBE"):
            refuse(f"a projection of target {target.name}", item.span)
        coordinates = _coordinates(code, item, 4, FLOAT)
        if target.coords == 1 and not target.is_shadow:
            coordinates = widen(code.operand(item.src[0], (0, 3), FLOAT), 2)
        elif target.coords == 2 and not target.is_shadow:
            coordinates = widen(code.operand(item.src[0], (0, 1, 3), FLOAT), 3)
    arguments.append(coordinates)
    if target.shadow == "src1.x":
        arguments.append(code.operand(item.src[1], (0,), FLOAT))
    level: Expr | None = None
    if base in ("TXB", "TXL"):
        level = code.operand(item.src[0], (3,), FLOAT) if name == base else code.operand(item.src[1], (0,), FLOAT)
    elif base == "TEX_LZ":
        level = literal((0,), FLOAT)
    if target.name in ("RECT", "SHADOWRECT") and level is not None:
        level, function = None, "texture"  # such textures have one level
    if level is not None:
        if target.name in _NO_SHADOW_LEVEL:
            if code.version.es or (target.name == "SHADOWCUBEARRAY" and base == "TXB"):
                refuse(f"a level or bias for target {target.name}", item.span)
            code.extensions.add("GL_EXT_texture_shadow_lod")
        arguments.append(level)
    if base == "TXD":
        if target.name == "SHADOWCUBEARRAY":
            refuse(f"gradients for target {target.name}", item.span)
        size = target.dimensions
        arguments += [widen(code.operand(item.src[k], range(size), FLOAT), size) for k in (1, 2)]
    texts = ", ".join(map(str, arguments))
    if offset:
        function += "Offset"
        if base == "TXB":  # the bias comes last
            texts = ", ".join(map(str, arguments[:-1])) + offset + f", {arguments[-1]}"
        else:
            texts += offset
    value = Expr(f"{function}({sampler}, {texts})", returned, 1 if target.is_shadow else 4)
    if target.is_shadow:
        return _compared(code, item, value)
    return _result(code, item, value, 4)


def _fetch(code: Code, item: Instruction, sampler: Expr, returned: str, target: TargetInfo) -> None:
    if target.is_shadow or target.name.startswith("CUBE"):
        refuse(f"a fetch of target {target.name}", item.span)
    coordinates = _coordinates(code, item, target.coords, INT)
    offset = _offset(code, item, target)
    plain = target.name in ("BUFFER", "RECT")
    if item.opcode.name == "TXF_LZ" and not plain:
        level = ", 0"
    else:
        level = "" if plain else f", {code.operand(item.src[0], (3,), INT)}"
    if offset and ((plain and target.name == "BUFFER") or "MSAA" in target.name):
        refuse(f"a texel offset for target {target.name}", item.span)
    function = "texelFetchOffset" if offset else "texelFetch"
    _result(code, item, Expr(f"{function}({sampler}, {coordinates}{level}{offset})", returned, 4), 4)


def _gather(code: Code, item: Instruction, sampler: Expr, returned: str, target: TargetInfo) -> None:
    offset = _offset(code, item, target)
    if target.shadow == "src1.x":
        arguments = [_coordinates(code, item, 4, FLOAT), code.operand(item.src[1], (0,), FLOAT)]
    elif target.is_shadow:
        arguments = [_coordinates(code, item, target.coords, FLOAT), code.operand(item.src[0], ("xyzw".index(target.shadow),), FLOAT)]
    else:
        arguments = [_coordinates(code, item, target.coords, FLOAT)]
        component = code.operand(item.src[1], (0,), INT)
        if not component.words:
            refuse("a component of TG4 that is not an immediate", item.span)
    texts = ", ".join(map(str, arguments)) + offset
    if not target.is_shadow and component.words[0]:
        texts += f", {component}"
    _result(code, item, Expr(f"textureGather{'Offset' if offset else ''}({sampler}, {texts})", returned, 4), 4)


def _sizes(code: Code, item: Instruction, sampler: Expr, target: TargetInfo) -> None:
    """Sizes, and the number of levels in w."""
    mask = [c for c in range(4) if item.dst[0].write_mask >> c & 1]
    plain = target.name in ("BUFFER", "RECT", "SHADOWRECT") or "MSAA" in target.name
    level = "" if plain else f", {code.operand(item.src[0], (0,), INT)}"
    count = 2 if target.name in ("CUBE", "SHADOWCUBE") else min(target.coords, 3)
    size = Expr(f"textureSize({sampler}{level})", INT, count)
    if all(c < count for c in mask):
        return code.store(item, swizzled(size, mask), keep=True)
    levels = "1" if plain else f"textureQueryLevels({sampler})"
    zeros = ["0"] * (3 - count)
    full = Expr(f"ivec4({', '.join([str(size), *zeros, levels])})", INT, 4)
    return code.store(item, swizzled(full, mask), keep=True)
