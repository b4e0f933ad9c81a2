"""Run a program on arrays of registers with generated code."""

from __future__ import annotations

from dataclasses import field
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from backends.abi.keys import ImageKey, SamplerKey, TextureKey
from backends.abi.limits import MAX_LANES, MIN_LANES
from backends.llvm.builder.module import Module
from backends.llvm.engine.engine import Library, compile_cached
from backends.llvm.engine.kernel_cache import kernels_for
from backends.llvm.engine.variants import VariantCache
from backends.llvm.kernels.bind import Environment
from backends.llvm.kernels.chunks import Run
from backends.llvm.kernels.planes import interpolate
from backends.llvm.kernels.stages import build_run_kernel
from backends.llvm.kernels.time_slices import has_loops
from backends.llvm.library.polling import make_watch
from backends.llvm.program.plan import fitting_lanes
from backends.pipe.checks import integer
from backends.run.arguments import Arguments, RunOptions, prepare
from backends.run.meshes import writes_meshes
from backends.run.result import Bits, RunResult
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program
from tgsi.language.record import record


@record(kw_only=True)
class _Variant:
    """Key of a run kernel. Programs with the same canonical text share a kernel."""

    text: str
    lanes: int
    cpu: str
    textures: tuple[tuple[int, TextureKey], ...]
    samplers: tuple[tuple[int, SamplerKey], ...]
    images: tuple[tuple[int, ImageKey], ...]
    fuel: int
    program: Program = field(compare=False)


def _compile(v: _Variant) -> Library:
    textures, samplers, images = dict(v.textures), dict(v.samplers), dict(v.images)

    def build() -> Module:
        return build_run_kernel(v.program, v.lanes, textures, samplers, images=images, cpu=v.cpu, fuel=v.fuel)

    parts = ("run", v.text, v.lanes, v.textures, v.samplers, v.images, v.fuel)
    return compile_cached(parts, build, exports=("run",), cpu=v.cpu)


_kernels: VariantCache[_Variant, Library] = VariantCache(_compile, max_weight=16 << 20, weight=lambda library: len(library.image))


def run(
    program: Program,
    inputs: ArrayLike | None = None,
    *,
    lanes: int = 16,
    cpu: str = "host",
    library: Library | None = None,
    **options: Unpack[RunOptions],
) -> RunResult:
    """Run a validated program. The arguments of `backends.run.arguments.prepare`, and:

    lanes, cpu: the vector length and the target of the code. Results do not depend on them, unless lanes race for memory: every `lanes`
    invocations run to the end, or to a barrier, before the next ones start. Programs whose registers would take too much stack run with
    fewer lanes. library: the compiled `build_run_kernel` of this program, these lanes, keys and fuel, if the caller has cached it.

    Raises UnsupportedError for a program that cannot be generated, ValueError and TypeError for wrong arguments.
    """
    if not isinstance(cpu, str):
        raise TypeError(f'cpu must be "host" or a level such as "x86-64-v3", not {type(cpu).__name__}')
    lanes = integer(lanes, "lanes", MIN_LANES, MAX_LANES)
    arguments = prepare(program, inputs, **options)
    environment = Environment(program, arguments)
    if library is None:
        lanes = fitting_lanes(program, lanes)
        library = _kernels.get(
            _Variant(
                text=program.text,
                lanes=lanes,
                cpu=cpu,
                textures=environment.texture_keys,
                samplers=environment.sampler_keys,
                images=environment.image_keys,
                fuel=arguments.fuel,
                program=program,
            )
        )
    inputs, system = interpolate(program, arguments), _system_registers(program, arguments)
    watch = make_watch(kernels_for(cpu)) if has_loops(program) else None
    environment.record.watch = watch.address if watch is not None else 0
    work = Run(
        program=program,
        arguments=arguments,
        lanes=lanes,
        environment=environment.address,
        entry=library.entry("run"),
        watch=watch,
        inputs=inputs,
        system=system,
    )
    work.run()
    places = arguments.places
    if writes_meshes(program):
        nothing = np.zeros((len(places), 0, 4), np.uint32)
        return arguments.result(nothing, work.alive[places], work.exhausted[places], meshes=work.meshes)
    emission = work.emission() if program.processor is Processor.GEOM else None
    return arguments.result(work.outputs[places], work.alive[places], work.exhausted[places], emission)


def _system_registers(program: Program, arguments: Arguments) -> Bits:
    """SV file of a run, (registers, lanes, 4) words."""
    result = np.zeros((program.file_size(File.SV), arguments.lanes, 4), np.uint32)
    for declaration in program.declared(File.SV):
        if declaration.semantic is not None:
            result[declaration.first : declaration.last + 1] = arguments.system_values[declaration.semantic.name]
    return result
