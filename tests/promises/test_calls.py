"""The table of calls and the methods of a context say the same."""

from __future__ import annotations

import inspect

import pytest

from backends.device.calls.arguments import REQUIRED
from backends.device.calls.row import Does, Row
from backends.device.calls.table import ALIASES, CALLS, UNRECORDED
from backends.gallium.context.context import Context
from tests.house.test_context import PARTS, SOURCE
from tests.promises import formats
from tests.promises.calls import NAMES, PAGE, names, page
from tests.promises.methods import MODULE, module

METHODS = {name: inspect.unwrap(method) for part in PARTS for name, method in vars(part).items() if inspect.isfunction(method)}
OF_CONTEXT = [row for row in CALLS.values() if row.does is not Does.OWN]


@pytest.mark.parametrize("row", OF_CONTEXT, ids=lambda row: row.name)
def test_a_row_has_the_arguments_defaults_and_document_of_its_method(row: Row) -> None:
    method = METHODS[row.name]
    parameters = list(inspect.signature(method).parameters.values())[1:]
    named = [item for item in parameters if item.kind is not item.VAR_KEYWORD]
    assert {name: item.default for name, item in row.arguments.items()} == {
        item.name: REQUIRED if item.default is item.empty else item.default for item in named
    }
    assert list(row.keywords) == [item.name for item in named if item.kind is item.KEYWORD_ONLY]
    assert row.takes_fields == (len(named) < len(parameters))
    assert [found[0] for found in SOURCE.findall(method.__doc__ or "")] == [row.source]


def test_every_public_method_has_a_row_or_is_no_call() -> None:
    public = {name for part in (*PARTS, Context) for name, method in vars(part).items() if callable(method) and not name.startswith("_")}
    assert public - CALLS.keys() - UNRECORDED.keys() - ALIASES.keys() == {"record", "replay"}


def test_what_follows_from_the_rows_as_text_is_up_to_date() -> None:
    assert NAMES.read_text(encoding="utf-8") == names(), "run `python -m tests.promises.calls`"
    assert PAGE.read_text(encoding="utf-8") == page(PAGE.read_text(encoding="utf-8")), "run `python -m tests.promises.calls`"
    assert MODULE.read_text(encoding="utf-8") == module(), "run `python -m tests.promises.methods`"


def test_the_page_of_formats_is_current() -> None:
    assert formats.PAGE.read_text(encoding="utf-8") == formats.page(), "run `python -m tests.promises.formats`"
