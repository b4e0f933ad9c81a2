"""OpenGL errors. A command raises GLError; the dispatcher records its code and reports its text by KHR_debug."""

from __future__ import annotations

from tgsi.opengl.registry import enums as GL
from tgsi.opengl.registry.table import enum_name


class GLError(Exception):
    """An OpenGL error: the code for glGetError, and a sentence for the debug log."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def bad_enum(parameter: str, value: int) -> GLError:
    """GL_INVALID_ENUM for a parameter."""
    return GLError(GL.INVALID_ENUM, f"{parameter}: {enum_name(value)} is not accepted here")


def bad_value(text: str) -> GLError:
    """GL_INVALID_VALUE."""
    return GLError(GL.INVALID_VALUE, text)


def bad_operation(text: str) -> GLError:
    """GL_INVALID_OPERATION."""
    return GLError(GL.INVALID_OPERATION, text)


def not_negative(parameter: str, *values: int) -> None:
    """GL_INVALID_VALUE if a size or count is negative."""
    for value in values:
        if value < 0:
            raise bad_value(f"{parameter}: {value} is negative")
