"""Long lists of cases: some run in every test run, all of them nightly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def sampled(cases: Sequence[Any], every: int) -> list[Any]:
    """Cases for `parametrize`, of which one in `every` is not nightly. A case of several values is a tuple."""
    marks = pytest.mark.nightly
    return [
        case if place % every == 0 else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)
        for place, case in enumerate(cases)
    ]
