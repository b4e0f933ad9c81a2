"""Programs to modules."""

from __future__ import annotations

import struct

from backends.spirv.flow import Writer
from backends.spirv.module import Module
from backends.spirv.registers import Registers
from backends.spirv.stages import MODELS, modes
from backends.spirv.state import Options, State
from passes.analysis.regions import analyse_regions
from passes.fitting import fitted
from tgsi.language.program import Program


def write_spirv(program: Program, *, entry: str = "main", first_set: int = 0, color_targets: int = 1, shared_memory: int = 32768) -> bytes:
    """The SPIR-V module of a valid program, in bytes of little-endian order (docs/spirv.md says what becomes what).

    Args:
        program: the program.
        entry: the name of the entry point.
        first_set: the first of four descriptor sets: uniform blocks, textures, images, storage buffers.
        color_targets: color outputs that COLOR[0] goes to, where the property FS_COLOR0_WRITES_ALL_CBUFS is 1.
        shared_memory: bytes of SHARED memory of a block, and of PRIVATE memory of an invocation; no program says how many it has.

    Raises:
        UnsupportedError: SPIR-V has no words for a part of the program (M030 to M033), or blocks nest too deep.
        ValidationError: blocks do not nest.
    """
    program = fitted(program)
    module = Module()
    options = Options(entry, first_set, color_targets, shared_memory)
    s = State(program=program, module=module, entry=module.id(), options=options)
    model = MODELS.get(program.processor)
    if model is None:
        s.fail("M030", f"a program of stage {program.processor.name} has no form here")
    module.name(s.entry, entry)
    regions = analyse_regions(program)
    modes(s)
    s._registers = registers = Registers(s)
    if registers.flushes:
        s.flush.append(registers.flush)
    Writer(s, regions).write()
    words = module.words(model, s.entry, entry)
    return struct.pack(f"<{len(words)}I", *words)
