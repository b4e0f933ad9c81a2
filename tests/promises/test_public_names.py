"""The public modules have the promised names, and no other without an underscore."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

MODULES = ["tgsi", "tgsi.gallium", "tgsi.nvk"]
OF_TGSI = ["tgsi.limits", "tgsi.sm3"]
"""Modules that `tgsi` exports under these names."""


def module_of(name: str) -> ModuleType:
    owner, _, last = name.rpartition(".")
    return getattr(import_module(owner), last) if name in OF_TGSI else import_module(name)


@pytest.mark.parametrize("name", [*MODULES, *OF_TGSI])
def test_dir_lists_the_promised_names_alone(name: str) -> None:
    module = module_of(name)
    shown = {item for item in dir(module) if not item.startswith("__")}
    modules = {"gallium", "nvk", "passes"} if name == "tgsi" else set()
    assert shown == {item for item in module.__all__ if not item.startswith("__")} | modules
    assert all(getattr(module, item) is not None for item in shown)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_no_other_name_without_an_underscore(name: str) -> None:
    """Names that a module imports for itself would be promised by the rule of the README. pytest adds two that begin with an @."""
    module = import_module(name)
    others = {item for item, value in vars(module).items() if not item.startswith("_") and not isinstance(value, ModuleType)}
    assert others <= set(module.__all__)
    modules = {item: value.__name__ for item, value in vars(module).items() if item[0] not in "_@" and isinstance(value, ModuleType)}
    assert {item: home for item, home in modules.items() if not home.startswith(f"{name}.") and item not in module.__all__} == {}


@pytest.mark.parametrize("name", ["tgsi.import_module", "tgsi.Any", "tgsi.TYPE_CHECKING", "tgsi.annotations", "tgsi.gallium.os"])
def test_names_of_the_standard_library_are_no_names_of_tgsi(name: str) -> None:
    owner, _, last = name.rpartition(".")
    assert not hasattr(import_module(owner), last)


@pytest.mark.parametrize("name", ["gallium", "nvk", "limits", "sm3"])
def test_modules_that_dir_lists_need_no_import_of_their_own(name: str) -> None:
    code = f"import tgsi; assert {name!r} in dir(tgsi); print(tgsi.{name}.__name__)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_a_star_import_takes_what_dir_lists() -> None:
    for name in MODULES:
        taken: dict[str, object] = {}
        exec(f"from {name} import *", taken)
        assert {item for item in taken if not item.startswith("__")} == {n for n in import_module(name).__all__ if not n.startswith("__")}
