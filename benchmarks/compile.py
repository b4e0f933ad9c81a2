"""Compile time on one core: ``python -m benchmarks.compile [--corpus DIRECTORY] [--every N] [--packed] [--cpu LEVEL] [--slowest N]``.

Cost of a shader from its parsed program to a callable address, in the form in which the renderer needs it. A FRAG is the fused kernel
of an RGBA8 target with a 24-bit depth test, for draws of large primitives (`--packed`: with the code for small triangles). A VERT is the
vertex kernel. Every other stage is the kernel of `tgsi.run`, and so are shaders that use buffers, images or counters. Every sampler unit
has a mipmapped, linearly filtered RGBA8 texture of the target that the shader names. Times are CPU times of each step; code that
shaders share (filtering, POW) is compiled beforehand.

uncached: the object cache is empty; cached: a process that has not yet seen the shader finds its object on disk.
"""

from __future__ import annotations

import gc
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from backends.abi.keys import SamplerKey, TextureKey, sampler_key
from backends.device.bound import Shader
from backends.device.environment import Samplers, Textures
from backends.device.needs import needs_of
from backends.formats import Format
from backends.llvm.engine.engine import Library, compile_cached
from backends.llvm.engine.kernel_cache import KernelCache
from backends.llvm.engine.object_cache import ObjectCache
from backends.llvm.engine.sources import own_sources
from backends.llvm.kernels.stages import build_run_kernel
from backends.pipe.enums import CompareFunc, TexCompare, TexFilter, TexMipFilter, TextureTarget
from backends.pipe.state import BlendState, DepthState, DepthStencilAlphaState
from backends.raster.kernels import Kernels
from backends.raster.tile.buffer_keys import DepthKey, TargetKey
from backends.raster.tile.fragment import FragmentKey
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program
from tgsi.language.text.parser import parse
from tgsi.tools.parsing import Parser

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
STEPS = ("rest", "build", "parse", "passes", "codegen", "link")
"""Steps of an uncached compile. `rest` is the analysis of the shader for the renderer, and the cache."""

_UNRENDERED = (File.BUFFER, File.IMAGE, File.HWATOMIC)

HITS = 3
"""Number of times an object is loaded from the disk, each time as if for the first."""

_DEPTH_TEST = DepthStencilAlphaState(depth=DepthState(enabled=True, writemask=True, func=CompareFunc.LESS))


@dataclass(slots=True)
class Measured:
    """Measurement of one shader: CPU milliseconds of each step, of a whole compile and of a disk cache hit; bytes of machine code."""

    name: str
    steps: dict[str, float] = field(default_factory=dict)
    uncached: float = 0.0
    cached: float = 0.0
    size: int = 0

    @property
    def stage(self) -> str:
        return self.name.partition("-")[0]


@dataclass(slots=True)
class Report:
    """Measured shaders, and those that could not be compiled, with the reason."""

    measured: list[Measured] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


def bindings_of(program: Program) -> tuple[Textures, Samplers]:
    """Texture and sampler for every sampler unit, with the target that an instruction or the declaration of a view names."""
    names = {n: d.view.target for d in program.declared(File.SVIEW) if d.view is not None for n in range(d.first, d.last + 1)}
    for instruction in program.instructions:
        if instruction.texture is not None:
            names |= {s.register.index: instruction.texture for s in instruction.src if s.register.file is File.SAMP}
    textures: list[TextureKey] = []
    samplers: list[SamplerKey] = []
    for unit in range(needs_of(Shader(program)).units):
        name = names.get(unit, "2D")
        plain = name.removeprefix("SHADOW").removesuffix("_MSAA").replace("CUBEARRAY", "CUBE_ARRAY")
        textures.append(
            TextureKey(Format.R8G8B8A8_UNORM, TextureTarget.__members__.get(f"TEXTURE_{plain}", TextureTarget.TEXTURE_2D), pot=True)
        )
        sampler = SamplerKey(
            min_img_filter=TexFilter.LINEAR,
            mag_img_filter=TexFilter.LINEAR,
            min_mip_filter=TexMipFilter.LINEAR,
            compare_mode=TexCompare.R_TO_TEXTURE if name.startswith("SHADOW") else TexCompare.NONE,
            compare_func=CompareFunc.LEQUAL,
        )
        samplers.append(sampler_key(sampler, textures[-1]))
    return tuple(textures), tuple(samplers)


def kernel_of(program: Program, cpu: str, cache: ObjectCache, packed: bool) -> Library:
    """Kernel of a shader, made as in a process that has nothing in memory."""
    kernels, shader = Kernels(KernelCache(cpu, cache)), Shader(program)
    textures, samplers = bindings_of(program)
    is_rendered = not any(program.declared(file) for file in _UNRENDERED)
    if program.processor is Processor.FRAG and is_rendered:
        info = kernels.fragment(shader)
        target = TargetKey.of(BlendState(), 0, Format.R8G8B8A8_UNORM)
        depth = DepthKey.of(_DEPTH_TEST, Format.Z24X8_UNORM)
        lanes = kernels.fragment_lanes(info, 4, not packed)
        key = FragmentKey(lanes=lanes, targets=(target,), depth=depth, textures=textures, samplers=samplers, quads=packed)
        return kernels.shade(key, info, shader)
    if program.processor is Processor.VERT and is_rendered:
        return kernels.vertex_shader(shader, kernels.vertex_lanes(program), (textures, samplers, ()))
    parts = ("run", program.text, kernels.cache.native, textures, samplers)
    views = {k: t for k, t in enumerate(textures) if t is not None}
    states = {k: s for k, s in enumerate(samplers) if s is not None}
    build = partial(build_run_kernel, program, kernels.cache.native, views, states, cpu=cpu)
    return compile_cached(parts, build, exports=("run",), cpu=cpu, cache=cache)


def _timed(work: Callable[[], Library]) -> tuple[Library, float]:
    gc.collect()
    gc.disable()
    begin = time.process_time()
    library = work()
    seconds = time.process_time() - begin
    gc.enable()
    return library, seconds * 1e3


def measure(name: str, text: str, cpu: str, directory: Path, *, packed: bool = False, runs: int = 2) -> Measured:
    """Compile one shader `runs` times into empty caches, and load it from a filled cache; the least time of each counts.

    Raises UnsupportedError if the code generator cannot build the shader.
    """
    found = Measured(name, uncached=float("inf"), cached=float("inf"))
    kernel_of(parse(text), cpu, _cache(directory), packed)  # compile the code that shaders share
    for _ in range(runs):
        program, cache = parse(text), _cache(directory)
        library, spent = _timed(partial(kernel_of, program, cpu, cache, packed))
        if spent < found.uncached:
            known = {step: library.times[f"{step}_ms"] for step in STEPS[1:]}
            found.steps, found.uncached, found.size = {STEPS[0]: spent - sum(known.values()), **known}, spent, len(library.image)
        for _ in range(HITS):
            program = parse(text)
            found.cached = min(found.cached, _timed(partial(kernel_of, program, cpu, cache, packed))[1])
    return found


def _cache(directory: Path) -> ObjectCache:
    """Empty object cache."""
    return ObjectCache(Path(tempfile.mkdtemp(dir=directory)))


def run(files: Iterable[Path], cpu: str, *, packed: bool = False, runs: int = 2) -> Report:
    """Measure shaders one after another."""
    report = Report()
    with tempfile.TemporaryDirectory() as directory:
        for file in files:
            try:
                report.measured.append(measure(file.stem, file.read_text(), cpu, Path(directory), packed=packed, runs=runs))
            except UnsupportedError as error:
                report.failed[file.stem] = str(error).splitlines()[0]
    return report


def _percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def lines_of(report: Report, slowest: int = 3) -> list[str]:
    """Lines of the report: one per stage, the slowest shaders, and the shaders that were not compiled."""
    groups: dict[str, list[Measured]] = defaultdict(list)
    for shader in report.measured:
        groups[shader.stage].append(shader)
    head = f"{'stage':6} {'shaders':>7} {'median':>8} {'p90':>8} {'cached':>8} {'p90':>8}  "
    result = [head + " ".join(f"{step:>8}" for step in STEPS) + "   (ms of CPU time; steps: median)"]
    for stage, shaders in [*sorted(groups.items()), ("all", report.measured)]:
        if not shaders:
            continue
        uncached, cached = [s.uncached for s in shaders], [s.cached for s in shaders]
        pairs = [v for values in (uncached, cached) for v in (statistics.median(values), _percentile(values, 0.9))]
        steps = [statistics.median(s.steps[step] for s in shaders) for step in STEPS]
        result.append(f"{stage:6} {len(shaders):7} {' '.join(f'{v:8.2f}' for v in pairs)}   {' '.join(f'{v:8.2f}' for v in steps)}")
    result += [f"slow: {s.name} {s.uncached:.1f} ms, {s.size} bytes" for s in sorted(report.measured, key=lambda s: -s.uncached)[:slowest]]
    result.append(f"compiled: {len(report.measured)} of {len(report.measured) + len(report.failed)}")
    reasons: dict[str, list[str]] = defaultdict(list)
    for name, reason in report.failed.items():
        reasons[reason].append(name)
    result += [f"not compiled: {len(names)} ({names[0]} ...): {reason}" for reason, names in sorted(reasons.items())]
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 1 if a shader was not compiled."""
    parser = Parser(prog="python -m benchmarks.compile", description="compile time on one core")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="directory of .tgsi files")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth file")
    parser.add_argument("--runs", type=int, default=2, help="compiles of each shader; the fastest counts")
    parser.add_argument("--packed", action="store_true", help="fragment kernels with the code for small triangles")
    parser.add_argument("--cpu", default="host", help="host or an x86-64 level")
    parser.add_argument("--slowest", type=int, default=3, metavar="N", help="how many of the slowest shaders to name")
    options = parser.parse_args(arguments)
    if own_sources().digest is None:
        parser.error("a source file is younger than this process, which therefore uses no disk cache")
    report = run(sorted(options.corpus.glob("*.tgsi"))[:: options.every], options.cpu, packed=options.packed, runs=options.runs)
    print("\n".join(lines_of(report, options.slowest)))
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
