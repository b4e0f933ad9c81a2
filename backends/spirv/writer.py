"""Programs to modules."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from backends.shader_key.layout import Layout
from backends.spirv.flow import Writer
from backends.spirv.module import Module
from backends.spirv.registers import Registers
from backends.spirv.stages import MODELS, modes
from backends.spirv.state import Options, State
from passes.analysis.regions import analyse_regions
from passes.fitting import fitted
from passes.validate import validate
from tgsi.language.program import Program

if TYPE_CHECKING:
    from backends.shader_key.application import GivenState


def write_spirv(
    program: Program,
    *,
    entry: str = "main",
    first_set: int = 0,
    color_targets: int = 1,
    shared_memory: int = 32768,
    state: GivenState | None = None,
) -> bytes:
    """The SPIR-V module of a valid program, in bytes of little-endian order (docs/spirv.md describes the translation).

    Args:
        program: the program.
        entry: the name of the entry point.
        first_set: the first of four descriptor sets: uniform blocks, textures, images, storage buffers.
        color_targets: number of color outputs that receive COLOR[0] if the property FS_COLOR0_WRITES_ALL_CBUFS is 1.
        shared_memory: bytes of SHARED memory of a block, and of PRIVATE memory of an invocation, which programs do not declare.
        state: state, conventions, bindings, sets and names: a `ShaderKey`, a `LoweringOptions`, or the text of either
            (``"alpha-test=GREATER:0.5,bindings=SAMP:8"``). Its color targets go before `color_targets`. The program is validated then.

    Raises:
        UnsupportedError: SPIR-V has no words for a part of the program (M030 to M033), or blocks nest too deep.
        ValidationError: blocks do not nest, or, with a state, the program breaks a rule.
        TypeError, ValueError: the state is wrong, or two resources get one binding.
    """
    layout = Layout(has_sets=True)
    if state is not None:
        from backends.shader_key.application import with_state  # loads the passes

        validate(program)
        program, layout = with_state(program, state, "write_spirv", has_sets=True)
    program = fitted(program)
    module = Module()
    options = Options(entry, first_set, color_targets, shared_memory, layout)
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
