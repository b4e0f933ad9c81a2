"""Arbitrary addresses and coordinates in fragment and vertex shaders change only bound memory."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.unit.gallium.test_draw_memory import Stage
from tgsi import gallium as g

pytestmark = pytest.mark.light

ATOMICS = (
    "ATOMUADD",
    "ATOMXCHG",
    "ATOMAND",
    "ATOMOR",
    "ATOMXOR",
    "ATOMUMIN",
    "ATOMUMAX",
    "ATOMIMIN",
    "ATOMIMAX",
    "ATOMFADD",
    "ATOMINC_WRAP",
)
TARGETS = ("1D", "2D", "3D", "1D_ARRAY", "2D_ARRAY", "CUBE", "CUBEARRAY", "RECT", "BUFFER")
FORMATS = ("R8_UNORM", "R16G16_FLOAT", "R32_UINT", "R8G8B8A8_UNORM", "R32G32B32A32_FLOAT", "B5G6R5_UNORM")
WORDS = (0, 1, 3, 4, 7, 15, 16, 60, 63, 64, 65, 127, 1 << 16, (1 << 30) - 1, 1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 4, (1 << 32) - 1)


class Shooter:
    """Random program and its targets: a part of a buffer, and one level and layer of textures."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self.stage, self.r = stage, random.Random(seed)
        self.format = self.r.choice(FORMATS)

    def operand(self) -> str:
        return f"TEMP[{self.r.randint(0, 3)}].{''.join(self.r.choice('xyzw') for _ in range(4))}"

    def instruction(self) -> str:
        kind, target = self.r.choice(("STORE", "STORE", "LOAD", "RESQ", *ATOMICS)), self.r.choice(TARGETS)
        is_image = self.r.random() < 0.5
        index = self.r.choice(("0", "1", "ADDR[0].x", "ADDR[0].y+1"))
        words = self.r.choice(("BUFFER", "HWATOMIC[0]")) if kind in ATOMICS else "BUFFER"
        name = f"{'IMAGE' if is_image else words}[{index}]"
        tail = f", {target}, PIPE_FORMAT_{self.format}\n" if is_image else "\n"
        mask = self.r.choice(("", ".x", ".yw", ".xyz"))
        if kind == "STORE":
            return f"STORE {name}{mask}, {self.operand()}, {self.operand()}{tail}"
        if kind in ("LOAD", "RESQ"):
            return f"{kind} TEMP[{self.r.randint(0, 3)}], {name}{', ' + self.operand() if kind == 'LOAD' else ''}{tail}"
        return f"{kind} TEMP[{self.r.randint(0, 3)}].x, {name}, {self.operand()}, {self.operand()}{tail}"

    def body(self) -> str:
        return "".join(self.instruction() for _ in range(8))

    def constants(self) -> Any:
        return np.array([self.r.choice(WORDS) if self.r.random() < 0.7 else self.r.getrandbits(32) for _ in range(16)], np.uint32)


@pytest.mark.parametrize("seed", range(12))
def test_only_what_is_bound_changes(screen: g.Screen, ctx: g.Context, seed: int) -> None:
    stage = Stage(screen, ctx)
    shooter = Shooter(stage, seed)
    buffer = stage.buffer(np.arange(64, dtype="u4"))
    counters = stage.buffer(np.arange(64, dtype="u4"))
    texture = screen.resource_create(target="TEXTURE_2D_ARRAY", format=shooter.format, width0=13, height0=7, array_size=3, last_level=2)
    outside = [
        screen.resource_create(target="BUFFER", width0=4096, bind=g.Bind.SHADER_BUFFER),
        screen.resource_create(format=shooter.format, width0=32, height0=32),
    ]
    before = texture.storage.copy()
    name = shooter.r.choice(("VERTEX", "FRAGMENT"))
    ctx.set_shader_buffers(name, [g.ShaderBuffer(buffer, 64, 68)], start=1)
    ctx.set_hw_atomic_buffers([g.ShaderBuffer(counters, 128, 4)])
    ctx.set_shader_images(name, [g.ImageView(texture, level=1, first_layer=1, last_layer=1)], start=shooter.r.randint(0, 1))
    declarations = (
        "DCL BUFFER[0..1]\nDCL IMAGE[0..1], 2D, WR\nDCL HWATOMIC[0][0..3]\nDCL CONST[0..3]\nDCL ADDR[0]\nDCL TEMP[0..3]\n"
        "UARL ADDR[0].xy, CONST[0]\nMOV TEMP[0], CONST[0]\nMOV TEMP[1], CONST[1]\nMOV TEMP[2], CONST[2]\nMOV TEMP[3], CONST[3]\n"
    )
    for _ in range(3):
        if name == "VERTEX":
            text = f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n{declarations}{shooter.body()}MOV OUT[0], IN[0]\nEND\n"
            ctx.bind_vs_state(ctx.create_vs_state(text))
            stage.fragment("FRAG\nEND\n")
        else:
            stage.fragment(f"FRAG\nDCL OUT[0], COLOR\n{declarations}{shooter.body()}MOV OUT[0], TEMP[0]\nEND\n")
        for _ in range(4):
            ctx.set_constant_buffer(name, shooter.constants())
            stage.cover()
    ctx.flush()
    words = stage.words(buffer)
    assert (words[:16] == np.arange(16)).all()
    assert (words[33:] == np.arange(33, 64)).all()
    others = stage.words(counters)
    assert (np.delete(others, 32) == np.delete(np.arange(64), 32)).all()
    assert not any(item.storage.any() for item in outside)
    level = texture.levels[1]
    start = level.offset + level.layer_stride
    rows = np.arange(7 // 2)[:, None] * level.row_stride + np.arange(13 // 2 * texture.format.block_bytes)
    allowed = np.zeros(len(before), np.bool_)
    allowed[(start + rows).reshape(-1)] = True
    assert (texture.storage[~allowed] == before[~allowed]).all()
