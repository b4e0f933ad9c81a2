"""Chromium for tests: a client of chromedriver by the W3C's WebDriver protocol, in the standard library alone."""

from __future__ import annotations

import base64
import http.client
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

DRIVER, CHROMIUM = shutil.which("chromedriver"), shutil.which("chromium")
needs_browser = pytest.mark.skipif(DRIVER is None or CHROMIUM is None, reason="chromium and chromedriver are not installed")
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """One session of a browser."""

    def __init__(self, port: int, profile: str) -> None:
        self._port, self._path = port, ""
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--window-size=1500,1000"]
        options = {"binary": CHROMIUM, "args": arguments}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._path = f"/session/{made['sessionId']}"

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            connection.request(method, self._path + path, json.dumps(body or {}) if method == "POST" else None)
            answer = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(answer, dict) and "error" in answer:
            raise AssertionError(f"{path}: {answer['message']}")
        return answer

    def open(self, page: Path) -> None:
        """Open a file and wait until it is loaded."""
        self._ask("POST", "/url", {"url": page.resolve().as_uri()})

    def run(self, script: str) -> Any:
        """The value that a script returns."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": []})

    def click(self, selector: str) -> None:
        """Click an element."""
        found = self._ask("POST", "/element", {"using": "css selector", "value": selector})
        self._ask("POST", f"/element/{found[_ELEMENT]}/click")

    def click_at(self, selector: str, x: float, y: float) -> None:
        """Click a place of an element, in pixels from its upper left corner."""
        left, top = self.run(
            f"const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); return [box.left, box.top]"
        )
        moves = [
            {"type": "pointerMove", "duration": 0, "x": round(left + x), "y": round(top + y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def press(self, *keys: str) -> None:
        """Press keys, by the codes of WebDriver."""
        moves = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": moves}]})

    def text(self, selector: str) -> str:
        """The text of an element as it is shown."""
        return str(self.run(f"return document.querySelector({json.dumps(selector)}).innerText"))

    def until(self, script: str, wanted: Any = True) -> None:
        """Wait until a script returns a value."""
        end = time.monotonic() + 20
        while (found := self.run(script)) != wanted:
            assert time.monotonic() < end, f"{script}: {found!r}, not {wanted!r}"
            time.sleep(0.02)

    def messages(self) -> list[str]:
        """Errors and warnings that the browser wrote since the last call."""
        return [str(item["message"]) for item in self._ask("POST", "/se/log", {"type": "browser"})]

    def screenshot(self, path: Path) -> None:
        """Write the window as a PNG."""
        path.write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))

    def close(self) -> None:
        """End the session."""
        self._ask("DELETE", "")


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser until the block ends."""
    assert DRIVER is not None
    with tempfile.TemporaryDirectory(prefix="tgsi-browser-") as profile:
        driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            assert driver.stdout is not None
            line = next(line for line in driver.stdout if "successfully" in line and "port" in line)
            session = Browser(int(line.rstrip().rstrip(".").rpartition(" ")[2]), profile)
            try:
                yield session
            finally:
                session.close()
        finally:
            driver.terminate()
            driver.wait(20)
            if driver.stdout is not None:
                driver.stdout.close()
