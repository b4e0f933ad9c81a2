"""Our side of the scenes: the examples as they are. The clock starts at the first call of tgsi, which loads most of it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from benchmarks.cold.clock import Clock


def _render(module: str) -> Callable[..., NDArray[np.uint8]]:
    def draw(clock: Clock, **options: Any) -> NDArray[np.uint8]:
        example = importlib.import_module(module)

        def screen(**arguments: Any) -> Any:
            clock.start()
            del vars(tgsi)["Screen"]
            return tgsi.Screen(**{**arguments, "validate": False})  # llvmpipe does not validate either

        vars(tgsi)["Screen"] = screen
        picture: NDArray[np.uint8] = example.render(**options)
        return picture

    return draw


SCENES = {"triangle": _render("examples.triangle"), "vase": _render("examples.model")}
