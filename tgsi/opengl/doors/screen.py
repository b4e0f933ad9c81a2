"""Screens for contexts: one that contexts of a process share, where compiled kernels and shaders are made once, and new ones."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from tgsi.gallium import Screen

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

HISTORY, VALIDATE = "TGSI_OPENGL_HISTORY", "TGSI_OPENGL_VALIDATE"
"""Variables that turn histories and validation on for contexts whose maker does not say."""


def make_screen(*, history: bool | None = None, validate: bool | None = None) -> Screen:
    """A new screen; None: as the variables say."""
    return Screen(
        history=bool(os.environ.get(HISTORY)) if history is None else history,
        validate=bool(os.environ.get(VALIDATE)) if validate is None else validate,
    )


@cache
def shared_screen() -> Screen:
    """One screen for every context that is made without its own."""
    return make_screen()


def watched(context: Context) -> Context:
    """The context, with somebody who looks on if its screen keeps histories or validates."""
    if context.screen.history or context.screen.validates:
        from tgsi.opengl.watching.watch import Watch

        context.watch = Watch(context)
    return context
