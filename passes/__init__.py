"""Analyses, validation and transformations of programs.

From the bottom: `validate` (rules), `analysis` (facts that many modules share), `base` (the class of a pass), `edit` (tools to make a
changed program), `lower` and `optimise` (the passes, which do not import each other), `registry` (every pass by name) and `pipeline`
(passes one after another, each result validated). import-linter enforces this order.

May import `tgsi.language` alone: no numpy, no llvmlite, no device. It runs once a program.
For passes of users, the package has the names of `_PUBLIC`; `tgsi.passes` is the way to them in an installed tgsi and in a checkout.
Read next: `base`, one small pass such as `optimise.dead`, then `pipeline`.
"""

from __future__ import annotations

_PUBLIC = {
    "Pass": "passes.base",
    "Pipeline": "passes.pipeline",
    "Rewriter": "passes.custom",
    "names": "passes.registry",
    "register": "passes.registry",
    "unregister": "passes.registry",
}
"""Name -> its module, imported on first use."""


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
