"""3D classes with mesh shaders, by their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from backends.nvk.methods.table import MethodError

CLASSES: Mapping[int, str] = MappingProxyType(
    {
        0xC597: "TURING_A",
        0xC697: "AMPERE_A",
        0xC797: "AMPERE_B",
        0xC997: "ADA_A",
        0xCB97: "HOPPER_A",
        0xCD97: "BLACKWELL_A",
        0xCE97: "BLACKWELL_B",
    }
)
"""Names of the classes. The methods of `table` are the same in all of them."""

FIRST = min(CLASSES)
"""The first class with mesh shaders."""


def checked_class(number: int) -> int:
    """`number`, if it is a class with mesh shaders.

    Raises:
        MethodError: the class is older than c597, or unknown.
    """
    if number in CLASSES:
        return number
    known = ", ".join(f"{known:04x}" for known in CLASSES)
    if number < FIRST:
        raise MethodError(f"class {number:04x} has no mesh shaders: they are there from {FIRST:04x} ({CLASSES[FIRST]}) on")
    raise MethodError(f"class {number:04x} is not known; those with known methods are {known}")
