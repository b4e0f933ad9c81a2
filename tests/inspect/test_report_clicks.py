"""The report of pytest's plugin in Debian's Chromium, by clicks."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.inspect.browser import Browser, browser, needs_browser
from tests.unit.testing.test_plugin import TESTS, run

pytestmark = [pytest.mark.nightly, needs_browser]


def view(chromium: Browser, folder: Path) -> Any:
    """The pixels of the first comparison as the window shows them."""
    chromium.screenshot(folder / "window.png")
    script = "const box = document.querySelector('.view').getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]"
    box = [int(number) for number in chromium.run(script)]
    with Image.open(io.BytesIO((folder / "window.png").read_bytes())) as window:
        return np.array(window.convert("RGB").crop((box[0], box[1], box[2], box[3]))).astype(int)


def test_buttons_toggle_slide_fade_and_subtract(tmp_path: Path) -> None:
    (tmp_path / "test_pictures.py").write_text(TESTS)
    assert run(tmp_path, "--tgsi-update=all").returncode == 0
    assert run(tmp_path, CHANGED="1").returncode == 1
    with browser() as chromium:
        chromium.open(tmp_path / "tgsi-report" / "report.html")
        chromium.run("document.querySelector('.view').scrollIntoView()")
        new = view(chromium, tmp_path)
        chromium.click("[data-mode=toggle]")
        assert chromium.text("output") == "stored"
        stored = view(chromium, tmp_path)
        assert (new - stored).max() == 3
        chromium.click(".view")
        assert (view(chromium, tmp_path) == new).all()
        chromium.click("[data-mode=slide]")
        slid, half = view(chromium, tmp_path), new.shape[1] // 2
        assert (slid[:, : half - 2] == new[:, : half - 2]).all()
        assert (slid[:, half + 2 :] == stored[:, half + 2 :]).all()
        chromium.click("[data-mode=fade]")
        chromium.run("const s = document.querySelector('input'); s.value = 0; s.dispatchEvent(new Event('input'))")
        assert (view(chromium, tmp_path) == stored).all()
        chromium.click("[data-mode=difference]")
        assert chromium.text("output") == "difference"
        assert ((view(chromium, tmp_path) > 0).any(axis=-1) == (new != stored).any(axis=-1)).mean() > 0.98
        assert chromium.messages() == []
