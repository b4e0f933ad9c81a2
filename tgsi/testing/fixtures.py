"""The fixtures' work, in the process that runs the tests: a screen, and pictures compared with the stored ones."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from backends.system import write_whole
from tgsi.testing.baselines import Baseline, checked_name
from tgsi.testing.comparison import Difference, compare
from tgsi.testing.pictures import Picture, picture_of

if TYPE_CHECKING:
    from tgsi.gallium import Screen

_RECORDER = pytest.StashKey["Recorder"]()
_RECORDS = pytest.StashKey[list[dict[str, Any]]]()
REPORT = "tgsi-report"
_MOST_LINES = 16
"""Lines of an explanation in a message."""


def screen() -> Screen:
    """The screen of the fixtures."""
    from tgsi.gallium import Screen

    return Screen(validate=True, history=True)


def report_folder(config: pytest.Config) -> Path:
    """The folder of pictures that differ and of the report."""
    option: str | None = config.getoption("tgsi_report")
    return config.rootpath / REPORT if option is None else config.invocation_params.dir / option


def checker(request: pytest.FixtureRequest) -> Callable[..., None]:
    """The function that the fixture `assert_image` gives to one test."""
    config, item = request.config, request.node
    recorder = config.stash.get(_RECORDER, None)
    if recorder is None:
        recorder = config.stash[_RECORDER] = Recorder(config)
        config.pluginmanager.register(recorder, "tgsi-pictures")
    records = item.stash.setdefault(_RECORDS, [])
    assert recorder is not None

    def assert_image(value: Any, name: str, *, largest: float = 0, share: float = 0.0) -> None:
        """Compare a picture with the stored one of its name.

        Args:
            value: a resource, of which level 0 is taken; an array of (height, width) or (height, width, channels); an image of Pillow.
            name: the file of the stored picture without its suffix, in the folder ``pictures`` next to the test.
            largest: how much a channel may differ, in the numbers of the picture: 2 of 255, 0.01 of floats.
            share: the share of pixels, from 0 to 1, that may differ by more than that.

        Raises:
            AssertionError: the picture differs, or none is stored.
            TypeError, ValueError: an argument is wrong.
        """
        __tracebackhide__ = True
        if not 0 <= share <= 1 or not largest >= 0:
            raise ValueError("assert_image: share is from 0 to 1, and largest is not negative")
        baseline = Baseline(folder=item.path.parent / config.getini("tgsi_pictures"), name=checked_name(name))
        message = recorder.check(item.nodeid, baseline, value, picture_of(value), (largest, share), records)
        if message:
            raise AssertionError(message)

    return assert_image


class Recorder:
    """The pictures of the tests of this process: compared, stored, and noted in the reports of their tests."""

    def __init__(self, config: pytest.Config) -> None:
        self._update: str | None = config.getoption("tgsi_update")
        self._root, self._report = config.rootpath, report_folder(config)
        self._stored: dict[Path, str] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the pictures of a test into its report, which xdist hands on to the process that reports."""
        report = yield
        if records := item.stash.get(_RECORDS, None):
            report.__dict__["tgsi_pictures"] = [*records]
            records.clear()
        return report

    def check(
        self,
        test: str,
        baseline: Baseline,
        value: Any,
        drawn: Picture,
        tolerance: tuple[float, float],
        records: list[dict[str, Any]],
    ) -> str:
        """Compare, and store where the run updates. Returns the message of a failure, or an empty text."""
        record: dict[str, Any] = {"name": baseline.name, "test": test, "folder": str(baseline.folder), "digest": drawn.digest}
        records.append(record)
        record |= {"shape": list(drawn.array.shape), "type": drawn.array.dtype.name}
        message, status, difference, stored = self._judged(baseline, value, drawn, tolerance, record)
        if self._update is not None and (message or self._update == "all"):
            earlier = self._stored.setdefault(baseline.facts, drawn.digest)
            if earlier == drawn.digest:
                if message or record.get("stored") != drawn.digest:
                    baseline.store(drawn, test)
                    status = "updated"
                message = ""
            else:
                message, status = f"{baseline.name}: two different pictures of this run have the same name", "different"
        record["status"] = status
        if message:
            record["files"] = self._keep(baseline, drawn, stored, difference)
            record["message"] = message
        return message

    def _judged(
        self, baseline: Baseline, value: Any, drawn: Picture, tolerance: tuple[float, float], record: dict[str, Any]
    ) -> tuple[str, str, Difference | None, Picture | None]:
        """Message, status, difference and stored picture."""
        name, place = baseline.name, _short(baseline.picture, self._root)
        try:
            facts = baseline.load()
            if facts is None:
                hint = "look at it, then store it with pytest --tgsi-update=failed"
                return (
                    f"{name}: no picture is stored as {place}; the new one is in {_short(self._report, self._root)}: {hint}",
                    "missing",
                    None,
                    None,
                )
            record["stored"] = facts["digest"]
            if facts["digest"] == drawn.digest:
                return "", "equal", None, None
            stored = baseline.read(facts["digest"])
        except ValueError as error:
            return f"{name}: {error}", "broken", None, None
        difference = compare(drawn, stored, tolerance[0])
        if difference is None:
            sizes = f"{_size(drawn)} instead of {_size(stored)}"
            return f"{name}: the picture is {sizes} of {place}", "different", None, stored
        record |= {"differing": difference.differing, "beyond": difference.beyond, "largest": difference.largest, "first": difference.first}
        if difference.beyond <= tolerance[1] * difference.pixels:
            return "", "within tolerance", difference, stored
        return _message(name, place, value, difference, tolerance, str(facts.get("tgsi", ""))), "different", difference, stored

    def _keep(self, baseline: Baseline, drawn: Picture, stored: Picture | None, difference: Difference | None) -> dict[str, str]:
        """Write the pictures of a failure. Returns kind -> file, relative to the folder of the report."""
        from io import BytesIO

        from PIL import Image

        try:
            inside = baseline.picture.relative_to(self._root)
        except ValueError:
            inside = Path(baseline.folder.name) / f"{baseline.name}.png"
        made = {"new": drawn.png()}
        if stored is not None:
            made["stored"] = stored.png()
        if difference is not None:
            file = BytesIO()
            Image.fromarray(difference.shown).save(file, "PNG")
            made["difference"] = file.getvalue()
        files = {}
        for kind, content in made.items():
            path = inside.with_name(f"{inside.stem}.{kind}.png")
            (self._report / path).parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._report / path, content)
            files[kind] = path.as_posix()
        return files


def _message(name: str, place: str, value: Any, difference: Difference, tolerance: tuple[float, float], version: str) -> str:
    from tgsi import __version__

    assert difference.first is not None
    x, y = difference.first
    largest, share = tolerance
    many = f"{difference.beyond} of {difference.pixels} pixels differ"
    if largest or share:
        many += f" by more than {largest:g}, {share * difference.pixels:g} may"
    lines = [
        f"{name}: {many} from {place}; the largest difference is {difference.largest:g}",
        f"the first one is x={x}, y={y}: {difference.values[0]} instead of {difference.values[1]}",
    ]
    if version and version != __version__:
        lines.append(f"the stored picture was drawn by tgsi {version}, this one by {__version__}")
    lines += _explanation(value, x, y)
    lines.append("if the new picture is right: pytest --tgsi-update=failed")
    return "\n".join(lines)


def _explanation(value: Any, x: int, y: int) -> list[str]:
    """The history of a pixel of a resource, as far as a context of its screen has recorded it."""
    from tgsi.language.diagnostics import TgsiError

    for context in list(getattr(getattr(value, "screen", None), "_contexts", ())):
        try:
            explanation = context.explain(x, y, target=value)
        except (RuntimeError, TypeError, ValueError, TgsiError):
            continue  # it records nothing, or has nothing to do with the resource
        lines = str(explanation).rstrip().splitlines()
        return [*lines[:_MOST_LINES], *(["..."] if len(lines) > _MOST_LINES else [])]
    return []


def _size(picture: Picture) -> str:
    return f"{' x '.join(map(str, picture.array.shape))} of {picture.array.dtype}"


def _short(path: Path, root: Path) -> str:
    """A path from the root of the tests, where it lies below it."""
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return str(path)
