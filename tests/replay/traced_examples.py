"""Traces of the programs in examples/."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backends.gallium.screen.screen import Screen

EXAMPLES = Path(__file__).parents[2] / "examples"


def trace_example(name: str, folder: Path, patch: pytest.MonkeyPatch) -> list[Path]:
    """Run an example; the trace of each of its contexts."""
    create: Callable[..., Any] = Screen.context_create
    paths: list[Path] = []

    def traced(self: Screen, *given: Any, **named: Any) -> Any:
        paths.append(folder / f"{len(paths)}.trace")
        return create(self, *given, trace=paths[-1], **named)

    patch.setattr(Screen, "context_create", traced)
    patch.setattr("sys.argv", [f"{name}.py", "-o", str(folder)])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    patch.setattr(Screen, "context_create", create)
    return paths
