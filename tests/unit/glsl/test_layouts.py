"""Locations, components, arrays of blocks, textures in structs and large arrays: GLSL of today's desktop on both engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.formats.format import Format
from tests.unit.glsl.glslang import needs_glslang
from tests.unit.spirv.modules import f32
from tgsi import gallium
from tgsi.language.facts.enums import File
from tgsi.language.interface import Interface
from tgsi.language.program import Program

pytestmark = [needs_glslang, pytest.mark.light]
ENGINES = ["jit", "interp"]
EMPTY = np.zeros((1, 0, 4), np.float32)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_CACHE_DIR", str(tmp_path / "cache"))


def compiled(text: str, stage: str) -> tuple[Program, Interface]:
    program = tgsi.compile(text, stage=stage)
    assert program.interface is not None
    return program, program.interface


def constants(interface: Interface, values: dict[str, Any]) -> dict[int, Any]:
    assert interface.uniforms is not None
    return {0: np.frombuffer(interface.uniforms.pack(values), np.float32).reshape(-1, 4)}


def value(text: str, values: dict[str, Any], engine: str, **options: Any) -> list[float]:
    """The color of a fragment shader with some uniforms."""
    program, interface = compiled(text, "frag")
    given = constants(interface, values) if values else {}
    return [float(item) for item in tgsi.run(program, EMPTY, constants=given, engine=engine, **options).floats[0, 0]]


@pytest.mark.parametrize("engine", ENGINES)
def test_arrays_that_begin_at_a_component_share_their_locations(engine: str) -> None:
    head = "#version 440\nlayout(location = 1) {0} vec2 low[3]; layout(location = 1, component = 2) {0} float mid[3];\n"
    head += "layout(location = 1, component = 3) {0} float high[3]; uniform int n;\n"
    text = head.replace("{0}", "out") + "void main() { gl_Position = vec4(0); for (int i = 0; i < 3; i++) {"
    text += " low[i] = vec2(i, i + 10); mid[i] = float(i + 20); } high[n] = 7.0; }"
    program, interface = compiled(text, "vert")
    found = tgsi.run(program, EMPTY, constants=constants(interface, {"n": 2}), engine=engine)
    semantics = {str(item.semantic): item.first for item in program.declarations if item.file is File.OUT}
    rows = [found.floats[0, semantics[f"GENERIC[{number}]"]].tolist() for number in (1, 2, 3)]
    assert rows == [[0, 10, 20, 0], [1, 11, 21, 0], [2, 12, 22, 7]]
    fragment = head.replace("{0}", "in") + "out vec4 c;\nvoid main() { c = vec4(low[n], mid[n], high[n]); }"
    assert len(tgsi.link(program, fragment, unmatched="error").rows) == 3
    chosen, names = compiled(fragment, "frag")
    inputs = np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    assert tgsi.run(chosen, inputs, constants=constants(names, {"n": 1}), engine=engine).floats[0, 0].tolist() == [4, 5, 6, 7]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_index_chooses_among_the_blocks_of_an_array(engine: str) -> None:
    head = "#version 330\n{0} Side {{ vec2 a; flat vec3 b; }} sides[3]; uniform int n;\n"
    vertex = head.format("out") + "void main() { gl_Position = vec4(0); sides[n].b = vec3(n, 5, 6); sides[1].a = vec2(8, 9); }"
    fragment = head.format("in") + "out vec4 c;\nvoid main() { c = vec4(sides[1].a.y, sides[n].b); }"
    program, interface = compiled(vertex, "vert")
    _, other = compiled(fragment, "frag")
    assert {name: port.semantic for name, port in interface.outputs.items()} == {name: port.semantic for name, port in other.inputs.items()}
    assert sorted(interface.outputs) == [f"Side[{number}].{name}" for number in range(3) for name in "ab"]
    found = tgsi.run(program, EMPTY, constants=constants(interface, {"n": 2}), engine=engine)
    at = {str(item.semantic): item.first for item in program.declarations if item.file is File.OUT}
    assert found.floats[0, at[interface.outputs["Side[2].b"].semantic], :3].tolist() == [2, 5, 6]
    assert found.floats[0, at[interface.outputs["Side[1].a"].semantic], :2].tolist() == [8, 9]


def test_a_variable_without_a_location_stays_away_from_those_that_have_one() -> None:
    text = "#version 440\nlayout(location = 0) out vec3 a; layout(location = 0, component = 3) out float b; out vec4 free;\n"
    text += "out float more[2];\nvoid main() { gl_Position = vec4(0); a = vec3(1); b = 2.0; free = vec4(3); more[1] = 4.0; }"
    program, interface = compiled(text, "vert")
    found = tgsi.run(program, EMPTY, engine="interp")
    at = {str(item.semantic): item.first for item in program.declarations if item.file is File.OUT}
    assert found.floats[0, at["GENERIC[0]"]].tolist() == [1, 1, 1, 2]
    assert found.floats[0, at[interface.outputs["free"].semantic]].tolist() == [3] * 4
    assert len(at) == 5


TEXTURED = """#version 400
struct Lamp { vec3 tint; sampler2D maps[2]; float power; };
struct Room { sampler2D wall; Lamp lamps[2]; };
uniform Room rooms[2]; uniform sampler2D plain; uniform int n;
out vec4 color;
vec4 lit(Lamp lamp, int map) { return texture(lamp.maps[map], vec2(0.5)) * lamp.power; }
void main() {
    vec4 wall = texture(rooms[n].wall, vec2(0.5));
    color = vec4(lit(rooms[1].lamps[n], n).x, wall.x, rooms[1].lamps[n].tint.y, texture(plain, vec2(0.5)).x);
}
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_textures_in_structs_have_units_and_names_of_their_own(engine: str) -> None:
    _, interface = compiled(TEXTURED, "frag")
    units = {name: (unit.binding, unit.size) for name, unit in interface.samplers.items()}
    wanted = {f"rooms[{room}].lamps[{lamp}].maps" for room in range(2) for lamp in range(2)}
    assert units.keys() == wanted | {"rooms[0].wall", "rooms[1].wall", "plain"}
    assert interface.uniforms is not None
    assert "rooms[1].lamps[1].tint" in interface.uniforms.members
    assert not [name for name in interface.uniforms.members if name.startswith("lamp.")]
    taken = [number for first, size in units.values() for number in range(first, first + size)]
    assert len(set(taken)) == len(taken) == 11
    textures = {
        number: tgsi.TextureData(Format.R32_FLOAT, (np.full((1, 1, 1, 1), number, np.float32).view(np.uint8).reshape(1, 1, 1, 4),))
        for number in taken
    }
    values = {"n": 1, "rooms[1].lamps[1].tint": (1, 2, 3), "rooms[1].lamps[1].power": 0.5}
    found = value(TEXTURED, values, engine, textures=textures)
    maps = units["rooms[1].lamps[1].maps"][0] + 1
    assert found == [0.5 * maps, units["rooms[1].wall"][0], 2, units["plain"][0]]


@pytest.mark.parametrize("engine", ENGINES)
def test_counters_in_arrays_of_arrays_are_counted_one_by_one(engine: str) -> None:
    text = "#version 430\nlayout(binding = 0, offset = 4) uniform atomic_uint n[2][3]; uniform int i; out vec4 c;\n"
    text += "void main() { c = vec4(atomicCounterIncrement(n[1][2]), atomicCounterIncrement(n[i][0]), 0, 0); }"
    program, interface = compiled(text, "frag")
    words = np.arange(8, dtype=np.uint32) * 10
    found = tgsi.run(program, EMPTY, constants=constants(interface, {"i": 1}), counters={0: words}, engine=engine)
    assert found.floats[0, 0, :2].tolist() == [60, 40]


def test_a_program_of_many_values_shares_its_temporaries() -> None:
    steps = "".join(f"c = sin(c.yzwx * {number}.5) + c;\n" for number in range(1100))
    program, _ = compiled(f"#version 330\nin vec4 v; out vec4 o;\nvoid main() {{ vec4 c = v;\n{steps} o = c; }}", "frag")
    assert program.file_size(File.TEMP) < 4096
    assert len(program.instructions) > 4096


@pytest.mark.parametrize("engine", ENGINES)
def test_an_array_of_thousands_of_numbers_is_indexed_in_a_draw(engine: str) -> None:
    text = "#version 330\nuniform int n; out vec4 c;\nvoid main() { int a[3000]; for (int i = 0; i < 64; i++) a[i * 40] = i;\n"
    text += " c = vec4(a[n], a[n + 1], a[2999], 1); }"
    program, _ = compiled(text, "frag")
    if engine == "jit":
        with tgsi.Screen() as screen, screen.context_create() as ctx:
            target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=8, height0=8)
            ctx.set_framebuffer_state(cbufs=[target])
            ctx.set_viewport_states([{"scale": (4, 4, 0.5), "translate": (4, 4, 0.5)}])
            vertex = "#version 330\nin vec4 p;\nvoid main() { gl_Position = p; }"
            ctx.bind_vs_state(ctx.create_vs_state(vertex))
            ctx.bind_fs_state(ctx.create_fs_state(program))
            ctx.set_vertices({"p": f32([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]])})
            ctx.set_uniforms({"n": 480})
            ctx.draw_vbo(mode="TRIANGLES", count=3)
            assert (target.pixels() == [12, 0, 0, 1]).all()
    else:
        assert value(text, {"n": 480}, engine) == [12, 0, 0, 1]


def bits(numbers: np.ndarray, width: int, is_signed: bool) -> int:
    """The word that GLSL's formula makes of numbers, in floats of 32 bits."""
    most = np.float32(2 ** (width - is_signed) - 1)
    whole = np.rint(np.clip(numbers, -1 if is_signed else 0, 1).astype(np.float32) * most).astype(np.int64)
    return int(sum((int(item) & (1 << width) - 1) << place * width for place, item in enumerate(whole)))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "width", "is_signed"),
    [("packUnorm2x16", 16, False), ("packUnorm4x8", 8, False), ("packSnorm4x8", 8, True), ("packSnorm2x16", 16, True)],
)
def test_numbers_are_packed_by_the_formula_in_floats(name: str, width: int, is_signed: bool, engine: str) -> None:
    count = 32 // width
    ties = f32([0.9, 0.1, 0.3, 0.7, -0.9, -0.3, 1.5, -2, 0.5, -0.5, 2 / 3, 0])
    text = f"#version 420\nin vec4 v; out vec4 c;\nvoid main() {{ c = uintBitsToFloat(uvec4({name}(v{'.xy' if count == 2 else ''}))); }}"
    program, _ = compiled(text, "frag")
    inputs = np.random.default_rng(3).choice(ties, (200, 1, 4)).astype(np.float32)
    found = tgsi.run(program, inputs, engine=engine).outputs[:, 0, 0]
    assert found.tolist() == [bits(row[0, :count], width, is_signed) for row in inputs]


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_beyond_the_halves_are_packed_as_infinities(engine: str) -> None:
    program, _ = compiled("#version 420\nin vec4 v; out vec4 c;\nvoid main() { c = uintBitsToFloat(uvec4(packHalf2x16(v.xy))); }", "frag")
    numbers = f32([65504, 65536, -65537, 1e30, -np.inf, 0, -0.0, 1.5, -65504, 2e-8])
    inputs = np.zeros((len(numbers), 1, 4), np.float32)
    inputs[:, 0, 0], inputs[:, 0, 1] = numbers, numbers[::-1]
    with np.errstate(over="ignore"):
        halves = numbers.astype(np.float16).view(np.uint16).astype(np.uint32)
    assert tgsi.run(program, inputs, engine=engine).outputs[:, 0, 0].tolist() == (halves | halves[::-1] << 16).tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_lowest_the_middle_and_the_highest_of_three(engine: str) -> None:
    text = "#version 450\n#extension GL_AMD_shader_trinary_minmax : require\nin vec4 v; out vec4 a; out vec4 b;\n"
    text += "void main() { ivec3 i = ivec3(v.xyz); a = vec4(min3(v.x, v.y, v.z), mid3(v.x, v.y, v.z), max3(v.x, v.y, v.z), 0);\n"
    text += " uvec3 u = uvec3(i); b = vec4(mid3(i.x, i.y, i.z), max3(i.x, i.y, i.z), mid3(u.x, u.y, u.z) == 3u, min3(i.x, i.y, i.z)); }"
    program, _ = compiled(text, "frag")
    inputs = f32([[[x, y, z, 0]] for x in (-5, 3, 4) for y in (-5, 3, 4) for z in (-5, 3, 4)])
    found = tgsi.run(program, inputs, engine=engine).floats
    ordered = np.sort(inputs[:, 0, :3], axis=1)
    assert (found[:, 0, :3] == ordered).all()
    unsigned = np.sort(inputs[:, 0, :3].astype(np.int32).view(np.uint32), axis=1)[:, 1] == 3
    assert (found[:, 1] == np.stack([ordered[:, 1], ordered[:, 2], unsigned, ordered[:, 0]], 1)).all()


GROUPS = """#version 450
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 4, local_size_y = 6) in;
{group}
layout(std430, binding = 0) buffer Rows {{ vec4 rows[24]; }};
layout(binding = 0) uniform sampler2D map;
void main() {{
    vec2 place = vec2(gl_GlobalInvocationID.xy);
    float value = place.x * place.x * 3.0 + place.y * place.y * 50.0;
    rows[gl_LocalInvocationIndex] = vec4(dFdxFine(value), dFdyFine(value), texture(map, place / 4.0).x, texture(map, place / 4.0, 1.0).x);
}}
"""


def grid(group: str, engine: str) -> np.ndarray:
    """Derivatives and levels of 4 x 6 invocations: (rows, columns, 4)."""
    levels = [np.full((1, 8 >> level, 8 >> level, 1), level, np.float32).view(np.uint8).reshape(1, 8 >> level, -1, 4) for level in range(4)]
    program, _ = compiled(GROUPS.format(group=group), "comp")
    sampler = gallium.SamplerState(min_mip_filter=gallium.TexMipFilter.NEAREST)
    textures = {0: tgsi.TextureData(Format.R32_FLOAT, tuple(levels))}
    buffers = {0: bytes(24 * 16)}
    result = tgsi.run(program, grid=(1, 1, 1), buffers=buffers, textures=textures, samplers={0: sampler}, engine=engine)
    return np.frombuffer(result.buffers[0].tobytes(), np.float32).reshape(6, 4, 4)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_by_two_invocations_of_a_compute_shader_are_a_quad(engine: str) -> None:
    found = grid("layout(derivative_group_quadsNV) in;", engine)
    y, x = np.mgrid[:6, :4]
    across, down = ((numbers & ~1) * 2 + 1 for numbers in (x, y))
    assert (found[..., 0] == 3 * across).all()
    assert (found[..., 1] == 50 * down).all()
    assert (found[..., 2] == 1).all()
    assert (found[..., 3] == 2).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_four_invocations_in_a_row_are_a_quad_or_none_is(engine: str) -> None:
    found = grid("layout(derivative_group_linearNV) in;", engine)
    assert (found[..., 0] == np.array([3, 3, 15, 15])).all()
    assert (found[..., 1] == np.array([12, 24, 12, 24])).all()
    assert (grid("", engine)[..., :3] == 0).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_array_of_constants_is_written_once_and_read_everywhere(engine: str) -> None:
    text = "#version 330\nconst float steps[8] = float[](1, 2, 4, 8, 16, 32, 64, 128); uniform int n; out vec4 c;\n"
    text += "float step_of(int i) { float own[8] = steps; own[i] += 0.5; return own[i] + own[7 - i]; }\n"
    text += "void main() { float sum = 0.0; for (int i = 0; i < n; i++) sum += steps[i & 7] + steps[(i + 1) & 7];\n"
    text += " c = vec4(sum, steps[n], step_of(n), steps[n ^ 1]); }"
    program, _ = compiled(text, "frag")
    written = [item.dst[0].register for item in program.instructions if item.dst and item.dst[0].register.file is File.TEMP]
    arrays = [item for item in program.declarations if item.file is File.TEMP and item.array_id]
    assert [item.last - item.first for item in arrays] == [7, 7]
    assert len([item for item in written if arrays[0].first <= item.index <= arrays[0].last]) == 8
    assert value(text, {"n": 3}, engine) == [7 + 14, 8, 24.5, 4]


MANY = "".join(f"uniform vec3 u{k}[3]; " for k in range(20))
SUM = " + ".join(f"u{k}[2].x" for k in range(20))


def test_bindings_that_the_text_leaves_open_count_no_default_uniforms() -> None:
    text = f"#version 430\n{MANY} uniform sampler2D a[2]; layout(binding = 1) uniform sampler2D b; uniform B {{ float m; }}; out vec4 c;\n"
    text += f"void main() {{ c = texture(a[1], vec2(0)) + texture(b, vec2({SUM})) * m; }}"
    _, interface = compiled(text, "frag")
    assert {name: item.binding for name, item in interface.samplers.items()} == {"a": 2, "b": 1}
    assert interface.blocks["B"].binding == 1  # the first has the default uniforms


def test_a_binding_of_the_text_beyond_the_last_one_is_refused_with_many_uniforms_too() -> None:
    text = f"#version 430\n{MANY} layout(binding = 40) uniform sampler2D a; out vec4 c; void main() {{ c = texture(a, vec2({SUM})); }}"
    with pytest.raises(tgsi.UnsupportedError, match="the texture of binding 40 is beyond the last one, 31"):
        compiled(text, "frag")
