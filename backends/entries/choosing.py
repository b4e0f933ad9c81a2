"""The decision, after a shader or a target was bound, if a draw goes through more than a vertex and a fragment shader."""

from __future__ import annotations

from backends.device.commands.bound_record import STREAMS_OUT, BoundRecord, Hindrance, shader_word
from backends.device.commands.numbers import CLASS_SHIFT
from backends.llvm.builder.function import I32, I64, PTR, Function, Module
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_STREAM_OUTPUT_TARGETS
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import LAST_STAGES

CHOOSE_STAGES = "choose_stages"


def build_choose_stages(module: Module) -> None:
    """choose_stages(record): set or clear the obstacles STAGES and STREAMS. See `StreamOutputs._choose_stages`."""
    f = Function(module, CHOOSE_STAGES, [PTR], shared=True, internal=True)
    b = Record(f, f.args[0], BoundRecord)
    last, later, targets = f.const(I64, 0), f.const(I64, 0), f.const(I64, 0)
    for stage in LAST_STAGES:
        shader = b.get("words", shader_word(stage))
        last = f.select(shader.ne(0), shader, last)
        if stage is not Processor.VERT:
            later = later | shader
    for place in range(MAX_STREAM_OUTPUT_TARGETS):
        targets = targets | b.get("stream_targets", place)
    streams = (last & (STREAMS_OUT << CLASS_SHIFT)).ne(0) & targets.ne(0)
    others = b.get("hindrances") & ~int(Hindrance.STAGES | Hindrance.STREAMS)
    obstacles = f.select(streams | later.ne(0), f.const(I32, int(Hindrance.STAGES)), 0) | f.select(
        streams, f.const(I32, int(Hindrance.STREAMS)), 0
    )
    b.set("hindrances", others | obstacles)
    f.ret()
