"""The Context is flat, its parts are separate, and Gallium and the tools access no private attributes of other objects."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from backends.gallium.context.context import Context
from backends.gallium.context.core import ContextCore
from backends.gallium.screen.screen import Screen
from tests.house.imports import ROOT

PARTS: list[type] = [part for part in Context.__mro__[1:] if issubclass(part, ContextCore) and part is not ContextCore]
NAMES = [part.__name__ for part in PARTS]
CROSSING = {
    "_choose_stages",
    "_show_streams",
    "_streamed_count",
    "_create_object",
    "_destroy_object",
    "buffer_subdata",
    "texture_subdata",
    "_make_room",
    "_check_doubles",
    "_checked_draw",
    "_close_compute",
    "draw_vbo",
    "_report",
    "_wants_reports",
    "set_constant_buffer",
    "create_sampler_state",
    "bind_sampler_states",
    "create_sampler_view",
    "set_sampler_views",
    "create_vertex_elements_state",
    "bind_vertex_elements_state",
    "set_vertex_buffers",
}
FILES = sorted(file for folder in ("backends/gallium", "tgsi/tools") for file in (ROOT / folder).rglob("*.py"))
TOOLS = [file for file in FILES if file.is_relative_to(ROOT / "tgsi/tools")]


def body_of(part: type) -> ast.ClassDef:
    """A part as text. Its methods say where it stands: classes that users have are shown in `tgsi.gallium`."""
    home = next(method.__module__ for method in vars(part).values() if inspect.isfunction(method))
    tree = ast.parse(inspect.getsource(import_module(home)))
    return next(item for item in tree.body if isinstance(item, ast.ClassDef) and item.name == part.__name__)


def of_self(tree: ast.AST) -> Iterator[ast.Attribute]:
    """Names of all attributes ``self.name`` in a tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            yield node


def begun(part: type) -> set[str]:
    """Names of the attributes that a part sets in its constructor."""
    init = next((item for item in body_of(part).body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), ast.Module([], []))
    return {node.attr for node in of_self(init) if isinstance(node.ctx, ast.Store)}


SHARED = {name for name in {*vars(ContextCore), *begun(ContextCore)} if name.startswith("_") and not name.startswith("__")}
"""Private names of a context that its parts and the modules around it share: the core declares them."""


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
    assert used - stored - set(vars(part)) - SHARED == set()


@pytest.mark.parametrize("part", [*PARTS, ContextCore], ids=[*NAMES, "ContextCore"])
def test_private_attributes_begin_in_init(part: type) -> None:
    tree = body_of(part)
    stored = {node.attr for node in of_self(tree) if isinstance(node.ctx, ast.Store) and node.attr.startswith("_")}
    assert stored - begun(part) - begun(ContextCore) == set()


def reaches(tree: ast.AST) -> list[str]:
    """Accesses to another object's attributes through two steps: private names that are read, attributes that are set (``a.b._c``,
    ``a.b.c = ...``). Those that a context shares do not count.
    """
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Attribute):
            continue
        root = node.value.value
        is_private = node.attr.startswith("_") and not node.attr.endswith("__")
        is_set = isinstance(node.ctx, ast.Store) and not (isinstance(root, ast.Name) and root.id == "self")
        if (is_private and node.attr not in SHARED) or is_set:
            found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(ROOT)) for file in FILES])
def test_no_module_reaches_through_an_object_into_another(file: Path) -> None:
    assert reaches(ast.parse(file.read_text(encoding="utf-8"))) == []


def test_planted_reaches_are_found() -> None:
    sets = "a.b.c = 1; self.b.c = 1; self.x.y.z = 1"
    gets = "a.b._c, self.b._c, self._b.c, a.__class__.__name__"
    assert reaches(ast.parse(f"{sets}\n{gets}")) == ["a.b.c", "self.x.y.z", "a.b._c", "self.b._c"]


PUBLIC = {"_replace", "_asdict", "_fields", "_exit"}
"""Names of the standard library that begin with an underscore and are documented all the same."""


def private_touches(tree: ast.AST) -> list[str]:
    """Private names of other objects that a module reads, sets or imports: all but those of ``self``, ``cls`` and ``super()``."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and re.match("_[^_]", node.attr) and node.attr not in PUBLIC:
            if ast.unparse(node.value) not in ("self", "cls", "super()"):
                found.append(ast.unparse(node))
        elif isinstance(node, ast.ImportFrom):
            found += [alias.name for alias in node.names if re.match("_[^_]", alias.name)]
    return found


@pytest.mark.parametrize("file", TOOLS, ids=[str(file.relative_to(ROOT)) for file in TOOLS])
def test_no_tool_touches_an_underscore_of_another_modules_object(file: Path) -> None:
    assert private_touches(ast.parse(file.read_text(encoding="utf-8"))) == []


def test_planted_touches_are_found() -> None:
    text = "from a import _b, c\na._b; a.b._c = 1; self._a; self.b._c; f()._d; os._exit(1); row._replace(a=1); a.__name__"
    assert sorted(private_touches(ast.parse(text))) == ["_b", "a._b", "a.b._c", "f()._d", "self.b._c"]


#: Methods of a Screen for its contexts and its parts.
OF_SCREEN = {"make_dispatcher", "own_resource"}
SOURCE = re.compile(r'\(((context|screen)\.rst, "[\w* -]+"|p_(context|screen)\.h|an extension)\)')
RIDDLES = ("What", "How", "Who", "Where", "Whether", "They", "Of", "There")


def public_methods() -> Iterator[tuple[str, str]]:
    """Name and docstring of each public method of a Context and a Screen."""
    for part in (*PARTS, Context, *(kind for kind in Screen.__mro__ if kind is not object)):
        for name, value in vars(part).items():
            is_public = not name.startswith("_") and name not in OF_SCREEN
            if is_public and inspect.isfunction(value) and not getattr(value, "__isabstractmethod__", False):
                yield f"{part.__name__}.{name}", value.__doc__ or ""


@pytest.mark.parametrize(("name", "text"), [pytest.param(*method, id=method[0]) for method in public_methods()])
def test_a_public_method_begins_with_a_sentence_and_names_its_document(name: str, text: str) -> None:
    first = text.split("\n\n")[0]
    assert first.split()[0] not in RIDDLES
    assert re.match(r"[A-Z].*[.:]( |$|\")", " ".join(first.split())), first
    assert len(SOURCE.findall(text)) == 1
