"""Long lists of cases: some run by day, all by night."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def sampled(cases: Sequence[Any], every: int) -> list[Any]:
    """Cases for `parametrize`, of which one in `every` runs by day. A case of several values is a tuple."""
    marks = pytest.mark.nightly
    return [
        case if place % every == 0 else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)
        for place, case in enumerate(cases)
    ]
