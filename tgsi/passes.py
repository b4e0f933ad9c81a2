"""Names for passes that users write: `register`, `Rewriter`, `Pass`, `Pipeline`, `names`, `unregister`; docs/passes.md has an example.

This module is only in a checkout. In an installed tgsi, the package of all passes lies here and has the same names.
"""

from __future__ import annotations

from passes.base import Pass
from passes.custom import Rewriter
from passes.pipeline import Pipeline
from passes.registry import names, register, unregister

__all__ = ["Pass", "Pipeline", "Rewriter", "names", "register", "unregister"]


def __dir__() -> list[str]:
    return sorted(__all__)
