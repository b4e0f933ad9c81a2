"""The Context is flat, its parts are separate, and Gallium and the tools access no private attributes of other objects."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from backends.gallium.context.context import Context
from backends.gallium.context.core import ContextCore
from backends.gallium.screen.screen import Screen
from tests.house.imports import ROOT

PARTS: list[type] = [part for part in Context.__mro__[1:] if issubclass(part, ContextCore) and part is not ContextCore]
NAMES = [part.__name__ for part in PARTS]
CROSSING = {
    "as_surface",
    "choose_stages",
    "show_streams",
    "streamed_count",
    "note_slot",
    "writable",
    "create_object",
    "destroy_object",
    "buffer_subdata",
    "texture_subdata",
    "allows_rendering",
    "checked_draw",
    "draw_vbo",
    "report",
    "wants_reports",
    "set_constant_buffer",
}
FILES = sorted(file for folder in ("backends/gallium", "tgsi/tools") for file in (ROOT / folder).rglob("*.py"))


def body_of(part: type) -> ast.ClassDef:
    found = ast.parse(inspect.cleandoc("\n" + inspect.getsource(part))).body[0]
    assert isinstance(found, ast.ClassDef)
    return found


def of_self(tree: ast.AST) -> Iterator[ast.Attribute]:
    """Names of all attributes ``self.name`` in a tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            yield node


@pytest.mark.parametrize("part", PARTS, ids=NAMES)
def test_each_part_derives_from_the_core_alone(part: type) -> None:
    assert part.__bases__ == (ContextCore,)


def test_names_that_parts_ask_of_each_other_are_declared_and_implemented_once() -> None:
    assert ContextCore.__abstractmethods__ == CROSSING
    for name in CROSSING:
        assert len([part for part in PARTS if name in vars(part)]) == 1, name


def test_no_two_parts_define_one_name() -> None:
    owners: dict[str, list[str]] = {}
    for part in (*PARTS, ContextCore):
        for name in vars(part):
            if not name.startswith("__") and name != "_abc_impl" and name not in ContextCore.__abstractmethods__:
                owners.setdefault(name, []).append(part.__name__)
    assert {name: found for name, found in owners.items() if len(found) > 1} == {}


@pytest.mark.parametrize("part", [*PARTS, ContextCore, Context], ids=[*NAMES, "ContextCore", "Context"])
def test_a_part_uses_no_private_name_of_another(part: type) -> None:
    tree = body_of(part)
    stored = {node.attr for node in of_self(tree) if isinstance(node.ctx, ast.Store)}
    used = {node.attr for node in of_self(tree) if node.attr.startswith("_") and not node.attr.startswith("__")}
    assert used - stored - set(vars(part)) == set()


@pytest.mark.parametrize("part", [*PARTS, ContextCore], ids=[*NAMES, "ContextCore"])
def test_private_attributes_begin_in_init(part: type) -> None:
    tree = body_of(part)
    init = next((item for item in tree.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), ast.Module([], []))
    begun = {node.attr for node in of_self(init) if isinstance(node.ctx, ast.Store)}
    stored = {node.attr for node in of_self(tree) if isinstance(node.ctx, ast.Store) and node.attr.startswith("_")}
    assert stored - begun == set()


def reaches(tree: ast.AST) -> list[str]:
    """Accesses to another object's attributes through two steps: private names that are read, attributes that are set (``a.b._c``,
    ``a.b.c = ...``).
    """
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Attribute):
            continue
        root = node.value.value
        is_private = node.attr.startswith("_") and not node.attr.endswith("__")
        is_set = isinstance(node.ctx, ast.Store) and not (isinstance(root, ast.Name) and root.id == "self")
        if is_private or is_set:
            found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(ROOT)) for file in FILES])
def test_nobody_reaches_through_an_object_into_another(file: Path) -> None:
    assert reaches(ast.parse(file.read_text(encoding="utf-8"))) == []


def test_planted_reaches_are_found() -> None:
    sets = "a.b.c = 1; self.b.c = 1; self.x.y.z = 1"
    gets = "a.b._c, self.b._c, self._b.c, a.__class__.__name__"
    assert reaches(ast.parse(f"{sets}\n{gets}")) == ["a.b.c", "self.x.y.z", "a.b._c", "self.b._c"]


#: Methods of parts that are for other parts and for `Context`, and that pipe_context does not have.
OURS = (CROSSING - {"buffer_subdata", "texture_subdata"}) | {"close_compute"}
#: The same of a Screen, for its contexts and its parts.
OF_SCREEN = {"make_dispatcher", "own_resource"}
SOURCE = re.compile(r'\(((context|screen)\.rst, "[\w* -]+"|p_(context|screen)\.h|an extension)\)')
RIDDLES = ("What", "How", "Who", "Where", "Whether", "They", "Of", "There")


def public_methods() -> Iterator[tuple[str, str]]:
    """Name and docstring of each public method of a Context and a Screen."""
    for part in (*PARTS, Context, *(kind for kind in Screen.__mro__ if kind.__module__.startswith("backends"))):
        for name, value in vars(part).items():
            is_public = not name.startswith("_") and name not in OURS | OF_SCREEN
            if is_public and inspect.isfunction(value) and not getattr(value, "__isabstractmethod__", False):
                yield f"{part.__name__}.{name}", value.__doc__ or ""


@pytest.mark.parametrize(("name", "text"), [pytest.param(*method, id=method[0]) for method in public_methods()])
def test_a_public_method_begins_with_a_sentence_and_names_its_document(name: str, text: str) -> None:
    first = text.split("\n\n")[0]
    assert first.split()[0] not in RIDDLES
    assert re.match(r"[A-Z].*[.:]( |$|\")", " ".join(first.split())), first
    assert len(SOURCE.findall(text)) == 1
