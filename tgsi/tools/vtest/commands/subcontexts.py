"""Commands for sub-contexts, barriers and markers, and commands without effect."""

from __future__ import annotations

from backends.device.commands.client import Kind
from tgsi.tools.vtest.commands.subcontext import SubContext
from tgsi.tools.vtest.commands.table import Effect, Words, command


def _same(sub: SubContext, words: Words) -> Effect | None:
    """The effect of switching to the current sub-context, which is none."""
    return Effect() if words[0] == sub.session.number and sub is sub.session.contexts.get(words[0]) else None


@command("CREATE_SUB_CTX", "sub_ctx_id")
def _create(sub: SubContext, words: Words) -> None:
    sub.session.create_context(words[0])


@command("SET_SUB_CTX", "sub_ctx_id", effect=_same)
def _set(sub: SubContext, words: Words) -> None:
    if words[0] != sub.session.number:
        sub.session.use_context(words[0])


@command("DESTROY_SUB_CTX", "sub_ctx_id")
def _destroy(sub: SubContext, words: Words) -> None:
    if sub.session.pictures is not None:
        sub.session.pictures.ending(sub.session.name, sub.context, sub.session.resources.values())
    sub.session.destroy_context(words[0])


@command("DESTROY_OBJECT", "handle")
def _destroy_object(sub: SubContext, words: Words) -> None:
    if words[0] not in sub.pieces:
        sub.find(words[0], sub.kind)
    sub.remove(words[0])


@command("NOP", "", "word", kind=Kind.NOTHING)
@command("SET_DEBUG_FLAGS", "", "text", kind=Kind.NOTHING)
@command("SET_TWEAKS", "id value", kind=Kind.NOTHING)
@command("END_TRANSFERS", "", "word", kind=Kind.NOTHING)
def _nothing(sub: SubContext, words: Words) -> None:
    """Ignore a hint."""


@command("SEND_STRING_MARKER", "length", "text")
def _marker(sub: SubContext, words: Words) -> None:
    text = bytes(words[1:])[: words[0]].split(b"\0")[0]
    sub.gallium.emit_string_marker(text.decode("utf-8", "replace"))


@command("MEMORY_BARRIER", "flags")
@command("TEXTURE_BARRIER", "flags")
def _barrier(sub: SubContext, words: Words) -> None:
    sub.gallium.order.synchronize()
