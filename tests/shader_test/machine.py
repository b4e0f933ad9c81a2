"""A device that plays shader_runner's commands: programs of GLSL, vertex data, uniforms, textures, buffers, draws and probes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from tests.shader_test.attributes import attributes, vertex_data
from tests.shader_test.probes import DTYPES, LacksError, pixels_of, probe_colors, probe_depth, probe_word
from tests.shader_test.resources import Resources
from tests.shader_test.texts import Script
from tests.shader_test.uniforms import element_of_units, fitted, member_at, names_from
from tests.shader_test.values import floats, shaped
from tgsi import gallium as g
from tgsi.language.ir import Property

CALLS = {"vert": "vs", "frag": "fs", "geom": "gs", "tesc": "tcs", "tese": "tes"}
NAMES = {"vert": "VERTEX", "frag": "FRAGMENT", "geom": "GEOMETRY", "tesc": "TESS_CTRL", "tese": "TESS_EVAL", "comp": "COMPUTE"}
TOLERANCE = 3 / 256
"""Difference of colors that a probe of 8 bits a channel takes."""

_IGNORED = re.compile(
    r"(link success|memory barrier|hint |probe warn|verify |active |SSO|SPIRV|GL_|shade model|"
    r"color |texcoord |ortho|frustum|deletelist|nowarn)"
)


class Machine(Resources):
    """State of one file: bound programs, what commands have set, and the framebuffer."""

    def __init__(self, screen: g.Screen, script: Script, programs: dict[str, Any]) -> None:
        super().__init__(screen)
        self.script = script
        self.programs = programs
        self.width, self.height = script.size
        self.window = screen.resource_create(format="R8G8B8A8_UNORM", width0=self.width, height0=self.height)
        self.depth = (
            screen.resource_create(format="Z24_UNORM_S8_UINT", width0=self.width, height0=self.height) if script.has_depth else None
        )
        self.target, self.is_window = self.window, True
        self.rasterizer: dict[str, Any] = {}
        self.zsa: dict[str, Any] = {}
        self.clear_color, self.clear_depth = [0.0] * 4, 1.0
        self.tolerance = [TOLERANCE] * 4
        self.patch_vertices = 3
        self.element: int | None = None
        self.binding = 0
        self.offset: int | None = None
        self.planes = [[0.0] * 4 for _ in range(8)]
        self.listed: list[str] = []
        self.fragments: dict[bool, Any] = {}
        ctx = self.ctx
        for stage, program in programs.items():
            if stage == "comp":
                ctx.bind_compute_state(ctx.create_compute_state(program))
            elif stage == "frag":
                for is_window in (True, False):
                    items = [item for item in program.properties if item.name != "FS_COORD_ORIGIN"]
                    turned = program if is_window else replace(program, properties=(*items, Property("FS_COORD_ORIGIN", 0)))
                    self.fragments[is_window] = ctx.create_fs_state(turned)
                ctx.bind_fs_state(self.fragments[True])
            else:
                bind = getattr(ctx, f"bind_{CALLS[stage]}_state")
                streamed = {"stream_output": program.interface.stream_output} if stage != "tesc" else {}
                bind(getattr(ctx, f"create_{CALLS[stage]}_state")(program, **streamed))
        if any(program.interface.uniforms or program.interface.blocks for program in programs.values()):
            ctx.set_uniforms({})

    # commands

    def play(self) -> None:
        """Do all commands. LacksError, ProbeError."""
        self._play(self.script.commands)

    def _play(self, commands: list[str]) -> None:
        is_listing = executes = False
        for line in commands:
            line = re.sub(r"\s+", " ", line)
            words = line.split()
            if words[0] == "newlist":
                is_listing, executes, self.listed = True, words[1] == "GL_COMPILE_AND_EXECUTE", []
                continue
            if words[0] == "endlist":
                is_listing = False
                continue
            if is_listing:
                self.listed.append(line)
                if not executes:
                    continue
            method = next((getattr(self, f"_{name}") for name in _names(words) if hasattr(self, f"_{name}")), None)
            if method is not None:
                method(line, words)
            elif not _IGNORED.match(line):
                raise LacksError(
                    " ".join(words[:3]) if not re.match(r"[\d(]", words[-1]) else " ".join(word for word in words[:3] if word[0].isalpha())
                )

    def _clear(self, line: str, words: list[str]) -> None:
        if len(words) == 1:
            self._framebuffer()
            self.ctx.clear(
                "COLOR|DEPTH" if self.depth is not None and self.is_window else "COLOR", color=self.clear_color, depth=self.clear_depth
            )
        elif words[1] == "color":
            self.clear_color = floats(" ".join(words[2:]))[:4]
        elif words[1] == "xfb":
            kind = words[3]
            offset = np.dtype(DTYPES[kind]).itemsize * int(words[5])
            probe_word(self.streams[int(words[4])].tobytes(), kind, offset, "~", words[6], line)
        elif words[1] == "depth":
            self.clear_depth = float(words[2])
        else:
            raise LacksError(line)

    def _uniform(self, line: str, words: list[str]) -> None:
        kind, name, values = words[1], words[2], words[3:]
        interfaces = [program.interface for program in self.programs.values()]
        if name.isdigit():
            names = names_from(int(name), self.script.shaders, interfaces)
            if not names:
                return
            if "[" in kind:
                for part, value in zip(names, shaped(kind, values), strict=False):
                    self._set({part: value})
                return
            name = names[0]
        elif self.offset is not None:
            found = member_at(interfaces, self.binding + (self.element or 0), self.offset)
            if found is not None:
                self._set({found[0]: fitted(shaped(kind, values), found[1].shape)})
            return
        known = _resources(self.programs)
        base = re.sub(r"(\[\d+\])+$", "", name)
        if base in known:
            name = element_of_units(name, self.script.shaders)
            self.units[name] = int(values[0])
            for place, value in enumerate(values[1:], 1):
                self.units[f"{base}[{place}]"] = int(value)
            return
        if self.element is not None and not self._is_plain(base):
            name = self._in_array(name)
        self._set({name: shaped(kind, values)})

    def _set(self, found: dict[str, Any]) -> None:
        for interface in [program.interface for program in self.programs.values()]:
            for block in interface.blocks.values():
                for name in found:
                    member = block.members.get(re.sub(r"(\[\d+\])+$", "", name.removeprefix(f"{block.name}.")))
                    if member is not None and (name.endswith("]") or not member.sizes):
                        found[name] = fitted(found[name], member.shape[len(member.sizes) :])
        try:
            self.ctx.set_uniforms(found)
        except ValueError as error:
            if "is not a uniform" not in str(error) and "no shader is bound" not in str(error):
                raise

    def _is_plain(self, name: str) -> bool:
        return any(program.interface.uniforms and name in program.interface.uniforms.members for program in self.programs.values())

    def _in_array(self, name: str) -> str:
        """The name of a member of the element of an array of blocks that a command has chosen; other names stay."""
        for program in self.programs.values():
            arrays: dict[str, list[Any]] = {}
            for block in program.interface.blocks.values():
                if block.name.endswith("]"):
                    arrays.setdefault(block.name.split("[")[0], []).append(block)
            for title, blocks in arrays.items():
                if self.element is not None and self.element < len(blocks):
                    member = name.removeprefix(f"{title}.")
                    if re.sub(r"(\[\d+\])+$", "", member) in blocks[0].members:
                        return f"{blocks[self.element].name}.{member}"
        return name

    def _ubo_array_index(self, line: str, words: list[str]) -> None:
        self.element = int(words[3])

    def _block(self, line: str, words: list[str]) -> None:
        if words[1] == "array" and words[2] == "index":
            self.element = int(words[3])
        elif words[1] == "binding":
            self.binding = int(words[2])
        elif words[1] == "offset":
            self.offset = int(words[2])

    def _calllist(self, line: str, words: list[str]) -> None:
        self._play(self.listed)

    def _clip_plane(self, line: str, words: list[str]) -> None:
        self.planes[int(words[2])] = [float(word) for word in words[3:7]]
        self.ctx.set_clip_state(self.planes)

    def _enable(self, line: str, words: list[str], on: bool = True) -> None:
        name = words[1]
        if name.startswith("GL_CLIP_PLANE"):
            bit = 1 << int(name.removeprefix("GL_CLIP_PLANE"))
            self.rasterizer["clip_plane_enable"] = self.rasterizer.get("clip_plane_enable", 0) & ~bit | bit * on
        elif name == "GL_PROGRAM_POINT_SIZE":
            self.rasterizer["point_size_per_vertex"] = on
        elif name == "GL_DEPTH_TEST":
            self.zsa["depth"] = {"enabled": on, "writemask": on, "func": "LESS"}
        else:
            raise LacksError(f"{words[0]} {name}")

    def _disable(self, line: str, words: list[str]) -> None:
        self._enable(line, words, False)

    def _provoking_vertex(self, line: str, words: list[str]) -> None:
        self.rasterizer["flatshade_first"] = words[2] == "first"

    def _polygon_mode(self, line: str, words: list[str]) -> None:
        mode = words[3].removeprefix("GL_").removesuffix("_NV")
        if mode not in ("FILL", "LINE", "POINT", "FILL_RECTANGLE"):
            raise LacksError(line)
        self.rasterizer |= {"fill_front": mode, "fill_back": mode}

    def _tolerance(self, line: str, words: list[str]) -> None:
        self.tolerance = floats(" ".join(words[1:]))

    def _patch_parameter(self, line: str, words: list[str]) -> None:
        if words[2] == "vertices":
            self.patch_vertices = int(words[3])
        else:
            self.levels = getattr(self, "levels", {"outer": [1.0] * 4, "inner": [1.0] * 2})
            self.levels[words[4]] = [float(word) for word in words[5:]]
            self.ctx.set_tess_state(self.levels["outer"], self.levels["inner"])

    # draws

    def _fb(self, line: str, words: list[str]) -> None:
        if words[1:3] in (["tex", "2d"], ["tex", "layered"]) and len(words) == 4:
            self.target, self.is_window = self.textures[int(words[3])].resource, False
        elif words[1:] == ["draw", "winsys"]:
            self.target, self.is_window = self.window, True
        else:
            raise LacksError(" ".join(words[:3]))

    def _framebuffer(self) -> None:
        ctx = self.ctx
        height, width = self.target.height0, self.target.width0
        ctx.set_framebuffer_state(cbufs=[self.target], zsbuf=self.depth if self.is_window else None)
        up = -1 if self.is_window else 1
        viewport = {"scale": (width / 2, up * height / 2, 0.5), "translate": (width / 2, height / 2, 0.5)}
        ctx.set_viewport_states([viewport] * 16)

    def _prepare(self) -> None:
        ctx = self.ctx
        self._framebuffer()
        if self.fragments:
            ctx.bind_fs_state(self.fragments[self.is_window])
        mode = "UPPER_LEFT" if self.is_window else "LOWER_LEFT"
        given = {
            "rasterizer_discard": not self.fragments,
            "front_ccw": self.is_window,
            "sprite_coord_mode": mode,
            "point_quad_rasterization": True,
            **self.rasterizer,
        }
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**given))
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(**self.zsa))
        for stage, program in self.programs.items():
            self._bind_resources(NAMES[stage], program)
        for slot, data in self.counters.items():
            ctx.set_hw_atomic_buffers([data], start=slot)

    def _unit(self, name: str, place: int, size: int, default: int) -> int:
        found = self.units.get(f"{name}[{place}]", self.units.get(name) if place == 0 else None)
        return default if found is None else found

    def _bind_resources(self, stage: str, program: Any) -> None:
        ctx, interface = self.ctx, program.interface
        for item in interface.samplers.values():
            for place in range(item.size):
                texture = self.textures.get(self._unit(item.name, place, item.size, self._default(item.name, item.binding + place)))
                if texture is None:
                    continue
                slot = item.binding + place
                given = {"wrap_s": "REPEAT", "wrap_t": "REPEAT", **texture.sampler}
                if "Rect" in item.type:
                    given |= {"normalized_coords": False, "wrap_s": "CLAMP_TO_EDGE", "wrap_t": "CLAMP_TO_EDGE"}
                if "Shadow" not in item.type:
                    given.pop("compare_mode", None)
                ctx.bind_sampler_states(stage, [ctx.create_sampler_state(**given)], start=slot)
                ctx.set_sampler_views(stage, [ctx.create_sampler_view(texture.resource, **texture.view)], start=slot)
        for item in interface.images.values():
            for place in range(item.size):
                unit = self._unit(item.name, place, item.size, self._default(item.name, item.binding + place))
                texture = self.textures.get(unit)
                if texture is not None and unit in self.images:
                    ctx.set_shader_images(stage, [texture.resource], start=item.binding + place)
        for block in interface.buffers.values():
            slot = block.binding
            found = self.buffers.get(slot if self._default(block.name, slot) == slot or slot in self.buffers else 0)
            if found is not None:
                ctx.set_shader_buffers(stage, [found], start=slot)

    def _default(self, name: str, binding: int) -> int:
        """Unit of a sampler that no command sets: that of its layout, or 0."""
        said = any(re.search(rf"\bbinding\s*=[^;]*\b{re.escape(name)}\b", text) for text in self.script.shaders.values())
        return binding if said else 0

    def _draw(self, line: str, words: list[str]) -> None:
        instances, is_patch, columns = 1, False, {}
        rest = words[1:]
        if rest[0] == "instanced":
            rest = rest[1:]
            at = next(place for place, word in enumerate(rest) if re.match(r"[-+.\d]", word))
            instances = int(rest.pop(at))
        if rest[0] == "rect":
            is_ortho, is_patch, has_texture = "ortho" in rest, "patch" in rest, "tex" in rest
            values = [float(word) for word in rest if re.match(r"[-+.\d]", word)]
            x, y, w, h = values[:4]
            if is_ortho:
                x, w = -1 + 2 * x / self.width, 2 * w / self.width
                y, h = -1 + 2 * y / self.height, 2 * h / self.height
            columns["piglit_vertex"] = np.array([[x, y, 0, 1], [x + w, y, 0, 1], [x, y + h, 0, 1], [x + w, y + h, 0, 1]])
            if has_texture:
                s, t, u, v = values[4:8]
                columns["piglit_texcoord"] = np.array([[s, t, 0, 1], [s + u, t, 0, 1], [s, t + v, 0, 1], [s + u, t + v, 0, 1]])
            mode, first, count = ("PATCHES" if is_patch else "TRIANGLE_STRIP"), 0, 4
        elif rest[0] == "arrays":
            rest = rest[1:]
            if rest[0] == "instanced":
                rest, instances = rest[1:-1], int(rest[-1])
            mode, first, count = rest[0].removeprefix("GL_"), int(rest[1]), int(rest[2])
            columns = vertex_data(self.script.vertices)
        else:
            raise LacksError(" ".join(words[:2]))
        self._prepare()
        made, buffers = attributes(self.programs["vert"], columns, self.script.shaders.get("vert", ""))
        if made:
            self.ctx.bind_vertex_elements_state(self.ctx.create_vertex_elements_state(made))
            self.ctx.set_vertex_buffers(buffers)
        patch = (4 if is_patch else self.patch_vertices) if mode == "PATCHES" else 0
        self.ctx.draw_vbo(mode=mode, start=first, count=count, instance_count=instances, vertices_per_patch=patch)

    def _xfb_draw(self, line: str, words: list[str]) -> None:
        targets = [self.ctx.create_stream_output_target(self.streams[at]) if at in self.streams else None for at in range(4)]
        self.ctx.set_stream_output_targets(targets, offsets=[0] * 4)
        self._draw(line, words[1:])
        self.ctx.set_stream_output_targets()

    def _compute(self, line: str, words: list[str]) -> None:
        if words[1] == "group":
            raise LacksError("compute group size")
        self._prepare()
        self.ctx.launch_grid(grid=tuple(int(word) for word in words[1:4]))

    # probes

    def _relative(self, line: str, words: list[str]) -> None:
        self._probe(line.removeprefix("relative "), words[1:], True)

    def _probe(self, line: str, words: list[str], relative: bool = False) -> None:
        if words[1] in ("ssbo", "atomic"):
            self._probe_memory(words)
        elif words[1] == "xfb":
            kind = words[3]
            offset = np.dtype(DTYPES[kind]).itemsize * int(words[5])
            probe_word(self.streams[int(words[4])].tobytes(), kind, offset, "~", words[6], line)
        elif words[1] == "depth" and self.depth is not None:
            probe_depth(self.depth, line)
        else:
            probe_colors(pixels_of(self.target, self.is_window), line, relative, self.tolerance, self.target)

    def _probe_memory(self, words: list[str]) -> None:
        if words[1] == "ssbo":
            kind = {"int64": "int64_t", "uint64": "uint64_t"}.get(words[2], words[2])
            data, offset, sign, text = self.buffers[int(words[3])], int(words[4], 0), words[5], words[6]
        else:
            if words[3] == "buffer":
                words = [*words[:3], *words[4:]]
                data, offset = self.counters[int(words[3])], int(words[4])
                sign, text = words[5], words[6]
            else:
                data, offset, sign, text = self.counters[0], 4 * int(words[3]), words[4], words[5]
            kind = "uint"
        probe_word(data.tobytes(), kind, offset, sign, text, " ".join(words))


def _names(words: list[str]) -> list[str]:
    """Names of methods for a command, the longest first."""
    plain = [word for word in words[:3] if word.replace("_", "").isalpha()]
    return ["_".join(plain[:count]) for count in (3, 2, 1) if len(plain) >= count]


def _resources(programs: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for program in programs.values():
        made |= {**program.interface.samplers, **program.interface.images}
    return made
