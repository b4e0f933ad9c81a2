"""The kernels of recorded draws and grids, by the names and keys that TGSI_DUMP gives them.

Draws share kernels, and a draw whose state is known requests none. So the device lists the kernels of each call instead of drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from backends.device.interface import ListedKernel
from backends.gallium.tracing.listing import listed_kernels
from backends.gallium.tracing.printing import Handle
from tgsi.language.diagnostics import TgsiError
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.gallium.screen.screen import Screen

_REFUSALS = (ValueError, TypeError, MemoryError, RuntimeError, TgsiError)


@record(frozen=False, eq=False)
class DrawnKernel:
    """A kernel of draws and grids, and the number of those that use it."""

    kernel: ListedKernel
    draws: int = 0


class DrawnKernels:
    """The kernels of the draws and grids of a recording."""

    def __init__(self, screen: Screen) -> None:
        """screen: whose settings choose the kernels."""
        self._lister = screen.make_kernel_lister()
        self._numbers: dict[ListedKernel, int] = {}
        self.listed: list[DrawnKernel] = []
        """The kernels of all calls so far, in the order of their numbers."""

    def of_call(self, context: Any, call: str, named: Mapping[str, Any], find: Callable[[int], Any]) -> list[int] | None:
        """Numbers of the kernels of a draw or grid with the state that is bound to a context, without carrying it out.

        call, named: the method, and its recorded arguments. find: the object of a handle. None where the kernels are not known: where
        counts lie in a buffer, for calls that raise, and for devices without kernels.
        """
        if self._lister is None:
            return None
        values = {name: find(value.number) if isinstance(value, Handle) else value for name, value in named.items()}
        try:
            kernels = listed_kernels(context, self._lister, call, values)
        except _REFUSALS:
            return None
        if kernels is None:
            return None
        numbers = [self._number(kernel) for kernel in kernels]
        for number in numbers:
            self.listed[number].draws += 1
        return numbers

    def _number(self, kernel: ListedKernel) -> int:
        if kernel not in self._numbers:
            self._numbers[kernel] = len(self.listed)
            self.listed.append(DrawnKernel(kernel))
        return self._numbers[kernel]
