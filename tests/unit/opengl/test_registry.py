"""The derived table of commands, and the functions that are offered."""

from __future__ import annotations

import pytest

from tests.promises import opengl_coverage, opengl_registry
from tgsi.opengl.calls import HANDLERS, find_handler, function_for, offered
from tgsi.opengl.offer import load
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.registry.table import command, enum_name, rows

load()


def test_the_table_is_what_the_registry_of_khronos_makes() -> None:
    if not opengl_registry.SOURCE.exists():
        pytest.skip("Debian's package khronos-api is not installed")
    for path, text in opengl_registry.derived().items():
        assert path.read_text(encoding="utf-8") == text


def test_a_command_has_its_parameters_with_type_group_and_length() -> None:
    row = command("glTexSubImage2D")
    assert row is not None
    assert [(item.kind, item.name) for item in row.parameters][:3] == [("e", "target"), ("i", "level"), ("i", "xoffset")]
    assert row.parameters[-1].length == "COMPSIZE(format;type;width;height)"
    assert row.versions == ("1.1", "ES2.0")


def test_every_function_is_offered_by_a_name_of_the_registry() -> None:
    assert set(HANDLERS) <= set(rows())
    assert len(HANDLERS) > 800


def test_a_vendors_name_calls_the_same_function() -> None:
    assert find_handler("glBindBufferARB") is find_handler("glBindBuffer")
    assert find_handler("glGenFramebuffersEXT") is find_handler("glGenFramebuffers")
    assert "glBindBufferARB" in offered()


def test_a_name_that_is_not_offered_has_no_function() -> None:
    assert function_for("glNoSuchFunction") is None
    assert function_for("glProgramStringARB") is None


def test_a_message_names_an_enumerant_without_a_vendor() -> None:
    assert enum_name(GL.TEXTURE_2D) == "GL_TEXTURE_2D"
    assert enum_name(0xFFFF) == "0xffff"


def test_the_page_of_commands_is_what_the_table_says() -> None:
    assert opengl_coverage.PAGE.read_text(encoding="utf-8") == opengl_coverage.page()
