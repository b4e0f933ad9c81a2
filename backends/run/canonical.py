"""The canonical NaN: positive, quiet, without a payload. It is the NaN that float arithmetic gives (docs/execution.md, "Numbers")."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", bound=np.floating[Any])


def canonical(values: NDArray[Real]) -> NDArray[Real]:
    """float32 or float64 of any shape, with every NaN replaced by the canonical one."""
    return np.where(np.isnan(values), values.dtype.type(np.nan), values)
