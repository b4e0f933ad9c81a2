"""Screens for contexts: a shared one, so that kernels and shaders are compiled once per process, or a new one."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from tgsi.gallium import Screen

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

HISTORY, VALIDATE = "TGSI_OPENGL_HISTORY", "TGSI_OPENGL_VALIDATE"
"""Environment variables that turn on history and validation for contexts created without these arguments."""


def make_screen(*, history: bool | None = None, validate: bool | None = None) -> Screen:
    """A new screen; None means the environment variables decide."""
    return Screen(
        history=bool(os.environ.get(HISTORY)) if history is None else history,
        validate=bool(os.environ.get(VALIDATE)) if validate is None else validate,
    )


@cache
def shared_screen() -> Screen:
    """The screen shared by all contexts that are created without one."""
    return make_screen()


def watched(context: Context) -> Context:
    """The context, with a watcher if its screen keeps a history or validates."""
    if context.screen.history or context.screen.validates:
        from tgsi.opengl.watching.watch import Watch

        context.watch = Watch(context)
    return context
