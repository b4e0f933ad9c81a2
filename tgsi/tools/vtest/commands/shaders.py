"""Shader objects: TGSI text, which may come in several pieces, and its stream output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backends.device.commands.bound_record import Hindrance, shader_word
from backends.pipe.enums import ShaderType
from backends.pipe.state import StreamOutput, StreamOutputInfo
from tgsi.language.diagnostics import DiagnosticError
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import LAST_STAGES
from tgsi.language.facts.stages import STAGES as STAGE_FACTS
from tgsi.language.record import record
from tgsi.tools.vtest.commands.dialect import program_of
from tgsi.tools.vtest.commands.subcontext import Pieces, SubContext
from tgsi.tools.vtest.commands.table import Effect, Words, command, creates
from tgsi.tools.vtest.processes.marks import Mark
from tgsi.tools.vtest.protocol import kinds
from tgsi.tools.vtest.protocol.account import TEXT
from tgsi.tools.vtest.protocol.errors import CommandError, in_range
from tgsi.tools.vtest.protocol.numbers import STAGES

MAX_TEXT = 1 << 24
MAX_OUTPUTS = 128
_CONTINUED = 1 << 31
_CREATE, _BIND = ({stage: f"{verb}_{STAGE_FACTS[Processor(stage)].call}_state" for stage in STAGES} for verb in ("create", "bind"))
"""Names of the Context's create and bind methods by stage."""


def stage_in(error: DiagnosticError) -> str:
    """Return a phrase with the stage of the shader in which an error of a draw is located."""
    names = {label.span.source.name for item in error.diagnostics for label in item.labels}
    return next((f"{stage.name.lower()} shader of a draw" for stage, call in _CREATE.items() if call in names), "a shader of a draw")


@record(frozen=False, eq=False)
class Shader:
    """Shader object and its stage."""

    stage: ShaderType
    object: Any


@creates("SHADER", "shader_type offset num_tokens extra", "text")
def _create(sub: SubContext, words: Words) -> None:
    handle, stage_number, offset, _, extra = words[:5]
    stage = ShaderType(in_range(stage_number, "shader_type", 0, len(STAGES) - 1))
    at = 5
    if offset & _CONTINUED:
        pieces = sub.pieces.get(handle)
        if pieces is None or pieces.stage is not stage:
            raise CommandError("handle", f"the beginning of the text of shader {handle} is missing")
        if offset & ~_CONTINUED != len(pieces.text):
            sub.remove_pieces(handle)
            raise CommandError("offset", f"{offset & ~_CONTINUED} does not follow the {len(pieces.text)} bytes received so far")
    else:
        keywords: dict[str, Any] = {}
        if stage is ShaderType.COMPUTE:
            keywords["req_local_mem"] = extra
        elif extra:
            at, keywords["stream_output"] = _streams(words, extra)
            if Processor(stage) not in LAST_STAGES:
                raise CommandError("so_num_outputs", f"a {stage.name} shader has no stream output")
        pieces = Pieces(stage, in_range(offset, "offset", 1, MAX_TEXT), keywords)
    added = bytes(words[at:])[: pieces.size - len(pieces.text)]
    if len(pieces.text) + len(added) < pieces.size and b"\0" not in added:
        sub.put_pieces(handle, pieces, len(added))
        pieces.text += added
        return
    sub.remove_pieces(handle)
    pieces.text += added
    _make(sub, handle, pieces)


def _make(sub: SubContext, handle: int, pieces: Pieces) -> None:
    """Create the shader of a complete text. Its program is first charged to the account."""
    source = bytes(pieces.text).split(b"\0")[0].decode("latin-1")
    create: Callable[..., Any] = getattr(sub.gallium, _CREATE[pieces.stage])
    size, texts = TEXT * len(source), sub.session.texts
    file = None if texts is None else texts.received(sub.session.name, pieces.stage, source)
    sub.session.account.take(size, "text")
    try:
        shader = create(program_of(source, _CREATE[pieces.stage]), **pieces.given)
    except DiagnosticError as error:
        sub.session.refuse(f"{pieces.stage.name.lower()} shader {handle}", error, "" if file is None else str(file))
        raise
    finally:
        sub.session.account.give(size)
    sub.put(handle, Shader(pieces.stage, shader), size)
    sub.session.marks[Mark.SHADERS] += 1
    if texts is not None and file is not None:
        texts.checked(file, shader.program)


def _streams(words: Words, count: int) -> tuple[int, StreamOutputInfo]:
    """Index of the text's first word, and the declared stream output. Raises CommandError for wrong numbers."""
    in_range(count, "so_num_outputs", 0, MAX_OUTPUTS)
    end = 9 + 2 * count
    if end > len(words):
        raise CommandError("so_output", f"{count} outputs need {end - 5} words, {len(words) - 5} are there")
    outputs = []
    for at in range(9, end, 2):
        word = words[at]
        outputs.append(StreamOutput(word & 255, word >> 8 & 3, word >> 10 & 7, word >> 13 & 7, word >> 16, words[at + 1] & 3))
    return end, StreamOutputInfo(tuple(words[5:9]), tuple(outputs))


def _bound_shader(sub: SubContext, words: Words) -> Effect | None:
    """The effect of binding a shader, unless it may change the set of stages."""
    handle, stage = words
    is_plain = stage == ShaderType.FRAGMENT
    if stage == ShaderType.VERTEX:
        shader = sub.find(handle, kinds.SHADER)
        is_plain = shader is None or shader.object.stream_output is None
    elif stage != ShaderType.COMPUTE:
        is_plain |= not handle
    return Effect((shader_word(stage),), (handle,), Hindrance.STAGES) if is_plain else None


@command("BIND_SHADER", "handle shader_type", effect=_bound_shader)
def _bind(sub: SubContext, words: Words) -> None:
    handle, number = words
    stage = ShaderType(in_range(number, "shader_type", 0, len(STAGES) - 1))
    item = sub.find(handle, kinds.SHADER)
    if item is not None and item.stage is not stage:
        raise CommandError("shader_type", f"shader {handle} is a {item.stage.name} shader")
    context = sub.gallium
    shader = None if item is None else item.object
    getattr(context, _BIND[stage])(shader)


def _linked(sub: SubContext, words: Words) -> Effect:
    return Effect(tags=tuple(words.tolist()))


@command("LINK_SHADER", "vertex fragment geometry tess_ctrl tess_eval compute", effect=_linked)
def _link(sub: SubContext, words: Words) -> None:
    """Accept a hint that these shaders will be used together. Kernels depend on state, so the first draw compiles them."""
    for handle in words:
        sub.find(handle, kinds.SHADER)
