"""The GLSL of ../shared/peers/peer_bench.py and the TGSI that Mesa made of it, which lies in bench_shaders there.

Mesa packs what vertex programs hand on: its components are found by running both vertex programs. Default uniforms lie one after another
on both sides. Storage buffers may be exchanged.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np

import tgsi
from tests.mesa_glsl.judge import ULPS, Words, ports
from tgsi.gallium import Format
from tgsi.language.facts.enums import File
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program

PEERS = Path(__file__).parents[3] / "shared" / "peers"
COUNT = 64
Place = tuple[Semantic, int]


@dataclass
class BenchPair:
    """Programs of one stage of a workload, and arguments of `tgsi.run` for each."""

    name: str
    ours: Program
    mesa: Program
    ours_given: dict[str, Any]
    mesa_given: dict[str, Any]
    varyings: dict[Place, Place] = field(default_factory=dict)


def texts() -> Mapping[str, list[tuple[str, str]]]:
    """Stage and text of each program that a workload compiles, by workload."""
    spec = importlib.util.spec_from_file_location("peer_bench", PEERS / "peer_bench.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, list[tuple[str, str]]] = {}
    for name, (function, _, _) in module.WORKLOADS.items():
        known = found.setdefault(name, [])

        def program(vertex: str, fragment: str, known: list[tuple[str, str]] = known) -> MagicMock:
            known.extend((("vert", vertex), ("frag", fragment)))
            return MagicMock()

        def compute(text: str, known: list[tuple[str, str]] = known) -> MagicMock:
            known.append(("comp", text))
            return MagicMock()

        environment = module.Env.__new__(module.Env)
        environment.np, environment.rng, environment.mgl, environment.ctx = np, np.random.default_rng(0), MagicMock(), MagicMock()
        environment.ctx.version_code, environment.ctx.max_samples = 430, 4
        environment.ctx.program, environment.ctx.compute_shader = program, compute
        made = function(environment)
        if not known:
            made[0]()  # programs of a frame
    return found


def bench_pairs() -> Iterator[BenchPair]:
    """All pairs, the vertex program of a workload before its fragment program."""
    for name, programs in texts().items():
        kept: BenchPair | None = None
        for number, (stage, text) in enumerate(programs):
            suffix = f"{number // 2:02}" if len(programs) > 2 else ""
            file = PEERS / "bench_shaders" / f"{name}.{stage}{suffix}.tgsi"
            if not file.exists():
                continue  # bench_shaders has the first ones of a generated set
            ours, mesa = tgsi.compile(text, stage=stage), tgsi.parse(file.read_text("latin-1"))
            if stage == "comp":
                yield _compute(file.stem, ours, mesa)
            elif stage == "vert":
                kept = _vertex(file.stem, ours, mesa)
                yield kept
            else:
                assert kept is not None
                yield _fragment(file.stem, ours, mesa, kept.varyings)


def _shared(random: np.random.Generator) -> dict[str, Any]:
    texels = random.random((8, 8, 4)).astype(np.float32)
    uniforms = random.uniform(-1, 1, (16, 4)).astype(np.float32)
    data = tgsi.TextureData(Format.R32G32B32A32_FLOAT, (texels.view(np.uint8).reshape(1, 8, 8, 16),))
    return {"constants": {0: uniforms}, "textures": {0: data}}


def _vertex(name: str, ours: Program, mesa: Program) -> BenchPair:
    random = np.random.default_rng(1)
    given = _shared(random) | {"inputs": random.uniform(-1, 1, (COUNT, max(ours.file_size(File.IN), 1), 4)).astype(np.float32)}
    given["system_values"] = {"INSTANCEID": np.arange(COUNT, dtype=np.uint32)}
    pair = BenchPair(name, ours, mesa, given, given)
    one, other = (tgsi.run(program, **given).outputs for program in (ours, mesa))
    for semantic, register in ports(mesa, File.OUT).items():
        for c in used_channels(mesa, register):
            for mine, number in ports(ours, File.OUT).items():
                for d in used_channels(ours, number):
                    same = mine.name == semantic.name == "GENERIC" or (mine == semantic and c == d)
                    if same and near(one[:, number, d], other[:, register, c], len(ours.instructions)):
                        pair.varyings.setdefault((semantic, c), (mine, d))
    return pair


def _fragment(name: str, ours: Program, mesa: Program, varyings: Mapping[Place, Place]) -> BenchPair:
    random = np.random.default_rng(2)
    shared, known = _shared(random), ports(ours, File.IN)
    inputs = random.uniform(-1, 1, (COUNT, max(ours.file_size(File.IN), 1), 4)).astype(np.float32)
    moved = np.zeros((COUNT, max(mesa.file_size(File.IN), 1), 4), np.float32)
    for semantic, register in ports(mesa, File.IN).items():
        for c in range(4):
            mine, d = varyings.get((semantic, c), (semantic, c))
            if mine in known:
                moved[:, register, c] = inputs[:, known[mine], d]
    return BenchPair(name, ours, mesa, shared | {"inputs": inputs}, shared | {"inputs": moved})


def _compute(name: str, ours: Program, mesa: Program) -> BenchPair:
    random = np.random.default_rng(3)
    sizes = {"compute_saxpy": (512, 512), "compute_matmul": (16 * 1024, 1024 * 1024, 16 * 1024)}[name.partition(".")[0]]
    contents = [random.random(size).astype(np.float32).view(np.uint32) for size in sizes]
    given: dict[str, Any] = {"buffers": dict(enumerate(contents)), "grid": (1, 1, 1)}
    want = tgsi.run(ours, **given).buffers
    for order in permutations(range(len(sizes))):
        mixed: dict[str, Any] = {"buffers": {number: contents[k] for number, k in enumerate(order)}, "grid": (1, 1, 1)}
        got = tgsi.run(mesa, **mixed).buffers
        if all(near(np.asarray(got[n]).view(np.uint32), np.asarray(want[k]).view(np.uint32), 64) for n, k in enumerate(order)):
            return BenchPair(name, ours, mesa, given, mixed)
    raise AssertionError(f"{name}: no order of buffers gives Mesa's results")


def near(a: Words, b: Words, instructions: int) -> bool:
    """True if floats agree but for rounding: `ULPS` an instruction, at the size of the values."""
    x, y = (np.ascontiguousarray(words).view(np.float32).astype(np.float64) for words in (a, b))
    with np.errstate(all="ignore"):
        close = abs(x - y) <= ULPS * instructions * 2.0**-23 * np.maximum(np.maximum(abs(x), abs(y)), 1)
    return bool(
        (close | (np.isnan(x) & np.isnan(y)) | (np.ascontiguousarray(a).view(np.uint32) == np.ascontiguousarray(b).view(np.uint32))).all()
    )


def unlike(pair: BenchPair, engine: str) -> list[str]:
    """Results of a pair that rounding does not explain."""
    one, other = tgsi.run(pair.ours, engine=engine, **pair.ours_given), tgsi.run(pair.mesa, engine=engine, **pair.mesa_given)
    instructions = len(pair.ours.instructions) * (64 if "BGNLOOP" in str(pair.ours) else 1)
    if "buffers" in pair.ours_given:
        ours = {id(words): np.asarray(one.buffers[k]).view(np.uint32) for k, words in pair.ours_given["buffers"].items()}
        theirs = {id(words): np.asarray(other.buffers[k]).view(np.uint32) for k, words in pair.mesa_given["buffers"].items()}
        return [f"a buffer of {words.size} words" for key, words in theirs.items() if not near(ours[key], words, instructions)]
    found = [] if np.array_equal(one.alive, other.alive) else ["alive"]
    have = ports(pair.ours, File.OUT)
    for semantic, register in ports(pair.mesa, File.OUT).items():
        for c in used_channels(pair.mesa, register):
            mine, d = (semantic, c) if semantic.name == "COLOR" else pair.varyings.get((semantic, c), (semantic, c))
            if mine not in have or not near(one.outputs[:, have[mine], d], other.outputs[:, register, c], instructions):
                found.append(f"{semantic}.{'xyzw'[c]}")
    return found


def used_channels(program: Program, register: int) -> list[int]:
    """Channels that the declaration of an output has."""
    item = next(item for item in program.declared(File.OUT) if item.first <= register <= item.last)
    return [c for c in range(4) if item.usage_mask >> c & 1]
