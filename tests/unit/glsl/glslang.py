"""The mark of tests that need glslang."""

from __future__ import annotations

import pytest

from frontends.glsl.compiler import find_compiler
from tgsi.language.diagnostics import UnsupportedError


def is_there() -> bool:
    """True if GLSL can be compiled here."""
    try:
        find_compiler()
    except UnsupportedError:
        return False
    return True


needs_glslang = pytest.mark.skipif(not is_there(), reason="glslang is not installed: pip install 'tgsi[glsl]'")
