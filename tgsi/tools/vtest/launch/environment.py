"""Environment variables that make Mesa draw through the server, and those that would select another driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

RUN_MARK, DISPLAY_MARK = "TGSI_VTEST_RUN", "TGSI_VTEST_DISPLAY"
"""Variables that mark the processes of a run, and its X server."""

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
_ELSEWHERE = ("MESA_LOADER_DRIVER_OVERRIDE", "LIBGL_ALWAYS_INDIRECT")


def wants_display(environment: Mapping[str, str], command: Sequence[str], *, is_headless: bool) -> bool:
    """Return whether an X server has to be started: there is no display, and no option tells that the program has no windows.

    Chromium and others have an option --headless.
    """
    if is_headless or any(environment.get(name) for name in _DISPLAYS):
        return False
    return not any(word.partition("=")[0] == "--headless" for word in command[1:])


def for_programs(environment: Mapping[str, str], socket: Path, mark: str, *, is_headless: bool) -> dict[str, str]:
    """The environment of the command. mark: the value of `RUN_MARK`."""
    variables = {name: value for name, value in environment.items() if name not in _ELSEWHERE}
    variables |= {
        "GALLIUM_DRIVER": "virpipe",
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "__GLX_VENDOR_LIBRARY_NAME": "mesa",
        "VTEST_SOCKET_NAME": str(socket),  # read by Mesa's other vtest drivers
        RUN_MARK: mark,
    }
    if is_headless:
        for name in _DISPLAYS:
            variables.pop(name, None)
        variables["EGL_PLATFORM"] = "surfaceless"
    return variables
