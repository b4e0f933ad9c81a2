"""pytest's plugin: options, hooks and fixtures. It is loaded into every run of pytest where tgsi is installed, so it imports pytest alone.

Everything else of `tgsi` loads with the first fixture, and in the process that reports, with the first picture.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tgsi.gallium import Context, Screen

_RESULTS = pytest.StashKey[Any]()

for _finder in sys.meta_path:  # pytest would compile every module of tgsi again, to rewrite asserts in it: seconds for each user
    if isinstance(_marked := getattr(_finder, "_must_rewrite", None), set):
        _marked.discard("tgsi")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of screenshot tests."""
    group = parser.getgroup("tgsi", "exact screenshot tests (tgsi)")
    group.addoption(
        "--tgsi-update",
        choices=("all", "failed"),
        help="store what is drawn: all pictures, or those that are missing or differ by more than their tolerance",
    )
    group.addoption(
        "--tgsi-report",
        metavar="FOLDER",
        help="folder of pictures that differ, report.html and report.json; by default tgsi-report, written if a picture differs",
    )
    parser.addini("tgsi_pictures", "folder of stored pictures, relative to the file of the test", default="pictures")
    parser.addini("tgsi_opengl", "load tgsi.opengl before tests are collected, for modules that import OpenGL", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Load OpenGL for modules that are imported while tests are collected, if the ini option asks for it."""
    if config.getini("tgsi_opengl"):
        _install_opengl()


@pytest.fixture(scope="session")
def tgsi_screen() -> Iterator[Screen]:
    """A `tgsi.Screen` of the session, destroyed at its end."""
    from tgsi.testing.fixtures import screen

    with screen() as made:
        yield made


@pytest.fixture
def tgsi_context(tgsi_screen: Screen) -> Iterator[Context]:
    """A context of `tgsi_screen`, destroyed after the test."""
    with tgsi_screen.context_create() as context:
        yield context


@pytest.fixture(scope="session")
def tgsi_opengl() -> Any:
    """`tgsi.opengl`, installed: PyVista, VTK, MuJoCo, moderngl and PyOpenGL that are imported afterwards draw with it.

    Set ``tgsi_opengl = true`` in pytest's ini file for modules that import them at their beginning.
    """
    return _install_opengl()


@pytest.fixture
def assert_image(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Function that compares a resource, an array or an image of Pillow with the stored picture of a name."""
    from tgsi.testing.fixtures import checker

    return checker(request)


def _install_opengl() -> Any:
    import tgsi.opengl

    tgsi.opengl.install()
    return tgsi.opengl


# -- results: from the test, through workers of xdist, to the process that reports ---------------------------------------------------------


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect the pictures of a test, which `tgsi.testing.fixtures` has put into its report."""
    if "tgsi_pictures" in report.__dict__ and (collector := _COLLECTORS[-1] if _COLLECTORS else None) is not None:
        collector(report)


_COLLECTORS: list[Callable[[pytest.TestReport], None]] = []
"""Functions of the sessions that run in this process, the innermost one last."""


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Begin to collect, in the process that reports."""
    config = session.config
    if hasattr(config, "workerinput"):
        return

    def collect(report: pytest.TestReport) -> None:
        if (results := config.stash.get(_RESULTS, None)) is None:
            from tgsi.testing.results import Results

            results = config.stash[_RESULTS] = Results(config)
        results.add(report)

    _COLLECTORS.append(collect)
    config.add_cleanup(lambda: _COLLECTORS.remove(collect))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the report, and say what differs and which stored pictures no test uses."""
    if (results := terminalreporter.config.stash.get(_RESULTS, None)) is not None:
        results.finish(terminalreporter)
