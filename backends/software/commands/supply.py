"""Callbacks of generated code to Python in the middle of a draw: allocate memory, and carry out pending work."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from backends.device.interface import weak_method
from backends.software.commands.records import Code

_SUPPLY = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_int32)


class Supply:
    """The function `ExecutorRecord.supply` of one executor."""

    def __init__(self, give: Callable[[], None], make_room: Callable[[], None]) -> None:
        """give, make_room: methods for Code.MEMORY and Code.FULL, referred to weakly."""
        errors: list[BaseException] = []
        methods = {Code.MEMORY: weak_method(give), Code.FULL: weak_method(make_room)}

        def supply(code: int) -> int:
            try:
                method = methods[Code(code)]()
                if method is not None:
                    method()
            except BaseException as error:  # ends the draw; `raise_error` raises it in the caller
                errors.append(error)
                return 0
            return 1

        self._errors, self._function = errors, _SUPPLY(supply)

    @property
    def address(self) -> int:
        """Address of the function."""
        return ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def raise_error(self) -> None:
        """Raise the error that ended a draw, if there is one."""
        if self._errors:
            raise self._errors.pop()
