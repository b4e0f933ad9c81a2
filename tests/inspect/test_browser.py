"""Pages in Debian's Chromium, by clicks and keys."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tgsi
from tests.inspect.browser import Browser, browser, needs_browser
from tests.inspect.noisy_frame import write_frame
from tests.inspect.test_pages import EVIL
from tests.replay.many_draws import draw_many
from tests.unit.gallium.test_traces import Traced
from tgsi.tools.inspect.cli import main

pytestmark = [pytest.mark.nightly, needs_browser]

RIGHT, LEFT, HOME, END = "\ue014", "\ue012", "\ue011", "\ue010"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    path = draw_many(folder / "a.trace", 30, white=17)
    assert main([str(path), "-o", str(folder / "a.html"), "--pixel", "14,14"]) == 0
    return folder / "a.html"


def opened(chromium: Browser, page: Path) -> Browser:
    chromium.open(page)
    chromium.until("return document.body.dataset.ready", "yes")
    return chromium


def at_draw(chromium: Browser, number: int) -> None:
    chromium.until("return document.querySelector('#picture').dataset.draw", str(number))


def pixel(chromium: Browser, x: int, y: int) -> list[int]:
    script = f"return [...document.querySelector('#picture').getContext('2d').getImageData({x}, {y}, 1, 1).data]"
    return list(chromium.run(script))


def test_keys_and_clicks_go_through_the_draws(chromium: Browser, page: Path) -> None:
    opened(chromium, page)
    at_draw(chromium, 31)
    chromium.press(HOME)
    at_draw(chromium, 1)
    assert pixel(chromium, 24, 24) == [0, 0, 128, 255]
    assert chromium.text("#title").startswith("clear, draw 1 of 31")
    chromium.press(RIGHT, RIGHT)
    at_draw(chromium, 3)
    chromium.press(LEFT)
    at_draw(chromium, 2)
    chromium.click("#list [data-number='5']")
    at_draw(chromium, 5)
    width = chromium.run("return document.querySelector('#strip').getBoundingClientRect().width")
    chromium.click_at("#strip", width * 18.5 / 31, 20)
    at_draw(chromium, 19)
    assert chromium.messages() == []


def test_pictures_are_the_same_forward_and_backward(chromium: Browser, page: Path) -> None:
    opened(chromium, page)
    read = "return document.querySelector('#picture').toDataURL()"
    chromium.press(HOME)
    at_draw(chromium, 1)
    forward = []
    for number in range(2, 12):
        chromium.press(RIGHT)
        at_draw(chromium, number)
        forward.append(chromium.run(read))
    backward = []
    for number in range(10, 0, -1):
        backward.append(chromium.run(read))
        chromium.press(LEFT)
        at_draw(chromium, number)
    assert forward == backward[::-1]
    assert len(set(forward)) > 5


def test_a_click_on_a_pixel_shows_its_history(chromium: Browser, page: Path) -> None:
    opened(chromium, page)
    at_draw(chromium, 31)
    scale = chromium.run("return document.querySelector('#picture').getBoundingClientRect().width / 48")
    chromium.click_at("#picture", 40.5 * scale, 44.5 * scale)
    assert "--pixel 40,44" in chromium.text("#read")
    chromium.click_at("#picture", 14.5 * scale, 14.5 * scale)
    assert chromium.text("#history").startswith("History of pixel (14, 14)")
    chromium.click("#history li")
    chromium.until("return document.querySelector('#picture').dataset.draw !== '31'")


def test_tabs_show_state_shaders_and_links(chromium: Browser, page: Path) -> None:
    opened(chromium, page)
    assert "FRAGMENT constant buffer 0" in chromium.text("#pane")
    assert "viewport 0" not in chromium.text("#pane")
    chromium.click("#whole")
    assert "viewport 0" in chromium.text("#pane")
    chromium.click("#tab-arguments")
    assert "TRIANGLES" in chromium.text("#pane")
    chromium.click("#tab-shaders")
    assert "MOV OUT[0], CONST[0][0]" in chromium.text("#pane")
    chromium.click("#pane .lines .linked")
    assert chromium.run("return document.querySelectorAll('#pane .lines .lit').length") == 2
    chromium.run("const menu = document.querySelector('#pane select'); menu.value = 'assembly'; menu.dispatchEvent(new Event('change'))")
    assert "The code of this shader alone." in chromium.text("#pane .view")
    chromium.click("#tab-kernels")
    assert "FragmentKey(" in chromium.text("#pane .view")
    assert "ret" in chromium.text("#pane .view:last-child")
    chromium.click("#tab-link")
    chromium.until("const image = document.querySelector('#pane img'); return image.complete && image.naturalWidth > 100")
    chromium.click("#heat-tiles")
    chromium.click("#heat-overdraw")
    assert chromium.messages() == []


def test_script_in_a_trace_does_not_run(chromium: Browser, tmp_path: Path) -> None:
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, tmp_path / "a.trace")
        stage.ctx.emit_string_marker(EVIL)
        stage.state(stage.ctx)
        source = f"FRAG\n# {EVIL.splitlines()[0]}\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nMOV OUT[0], CONST[0][0]\nEND\n"
        stage.ctx.bind_fs_state(stage.ctx.create_fs_state(source))
        stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
        stage.ctx.destroy()
    assert main([str(tmp_path / "a.trace"), "-o", str(tmp_path / "a.html")]) == 0
    opened(chromium, tmp_path / "a.html")
    chromium.click("#tab-shaders")
    assert "window.injected = 1" in chromium.text("#pane")
    assert chromium.run("return window.injected === undefined")
    assert chromium.messages() == []


@pytest.mark.parametrize("make", [lambda path: draw_many(path, 2000, white=1000), write_frame], ids=["small", "noisy"])
def test_a_page_of_2000_draws_is_small_and_opens_in_time(chromium: Browser, tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path / "a.trace")
    began = time.process_time()
    assert main([str(path), "-o", str(tmp_path / "a.html"), "--threads", "0"]) == 0
    assert time.process_time() - began < 30
    assert (tmp_path / "a.html").stat().st_size < 20_000_000
    opened(chromium, tmp_path / "a.html")
    at_draw(chromium, 2001)
    assert chromium.run("return performance.timing.domComplete - performance.timing.navigationStart") < 2000
    assert ("one of 2 x 2 pixels" in chromium.text("#read")) == (make is write_frame)
    chromium.press(HOME)
    at_draw(chromium, 1)
    chromium.click_at("#strip", chromium.run("return document.querySelector('#strip').getBoundingClientRect().width") / 2, 20)
    chromium.until("return Number(document.querySelector('#picture').dataset.draw) > 900")
    assert chromium.messages() == []
