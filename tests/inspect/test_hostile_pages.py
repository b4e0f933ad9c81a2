"""Mutated traces give pages with our script alone, or are refused with one clear line."""

from __future__ import annotations

import base64
import json
import os
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.inspect.browser import browser, needs_browser
from tests.inspect.hostile import REFUSED, RUN, Hostile, with_refused_shader
from tests.inspect.parsed import Parsed
from tests.replay.many_draws import draw_many
from tgsi.tools.inspect.cli import main

pytestmark = pytest.mark.light

SECRET = "0c8e-environment-5a1f"
_INCLUDED = "a51d-of-a-file-e7c2"
_PICTURE = {"svg", "g", "rect", "text", "tspan", "path", "line", "title", "style", "defs", "marker", "polygon", "circle"}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    return Hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def innocent(tmp_path_factory: pytest.TempPathFactory) -> Parsed:
    """The page of a trace without texts."""
    folder = tmp_path_factory.mktemp("innocent")
    page = folder / "a.html"
    assert main([str(draw_many(folder / "a.trace", 2)), "-o", str(page), "--threads", "0"]) == 0
    return Parsed(page.read_text(encoding="utf-8"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder, in which the command works, with a file that shaders of traces name; and an environment with a secret."""
    found = tmp_path / "frank-of-this-machine"
    found.mkdir()
    (found / "secret.glsl").write_text(f"#error {_INCLUDED}\n// {_INCLUDED}\nfloat {_INCLUDED.replace('-', '_')};\n")
    monkeypatch.setenv("HOME", str(found))
    monkeypatch.setenv("TGSI_TESTS_SECRET", SECRET)
    monkeypatch.chdir(found)
    return found


def check_page(text: str, innocent: Parsed, home: Path) -> dict[str, Any]:
    """The data of a page, all of whose elements, attributes, scripts and policy are those of an innocent page."""
    found = Parsed(text)
    assert found.skeleton == innocent.skeleton
    assert found.policy == innocent.policy
    assert found.handlers == []
    assert not set("<>&") & set(found.scripts[0][1])
    for word in (str(home), home.name, SECRET, _INCLUDED, "Traceback"):
        assert word not in text, word
    for link in found.data["links"]:
        for element in ElementTree.fromstring(base64.b64decode(link["svg"])).iter() if link["svg"] else ():
            assert element.tag.rpartition("}")[2] in _PICTURE
            assert not [name for name in element.attrib if name.lower().startswith("on") or name.lower().endswith("href")]
    for image in found.data["images"]:
        assert base64.b64decode(image).startswith(b"\x89PNG")
    return found.data


def is_plain(text: str) -> bool:
    """True for lines of printable text."""
    return all(line.isprintable() for line in text.removesuffix("\n").split("\n"))


class Sweep:
    """Pages of mutants, and what became of them."""

    def __init__(self, hostile: Hostile, innocent: Parsed, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._hostile, self._innocent, self._home, self._capsys = hostile, innocent, home, capsys
        self.counts: Counter[str] = Counter()

    def one(self, rng: random.Random) -> Path | None:
        """Write the page of a mutant and check it; None if the mutant is refused."""
        name, content = self._hostile.mutant(rng, (str(self._home), f"{self._home}/x</script>"))
        page, path = self._home / "page.html", Path(os.fsdecode(os.fsencode(self._home) + b"/" + name.encode("utf-8", "surrogatepass")))
        path.write_bytes(content)
        code = main([str(path), "-o", str(page), "--threads", "0", "--timeout", "20", "--pixel", "3,3"])
        path.unlink()
        out, err = self._capsys.readouterr()
        assert is_plain(out + err)
        lines = err.splitlines()
        assert all(line.startswith("tgsi-inspect: ") for line in lines)
        self.counts[str(code)] += 1
        if code == 2:
            assert len(lines) == 1
            assert not out
            return None
        assert code == int(bool(lines))
        data = check_page(page.read_text(encoding="utf-8"), self._innocent, self._home)
        self.counts["with script as data"] += RUN in json.dumps(data)
        return page


@pytest.mark.parametrize("kind", range(len(REFUSED)))
def test_a_refused_shader_is_shown_and_opens_no_file(hostile: Hostile, innocent: Parsed, home: Path, kind: int) -> None:
    Path("a.trace").write_bytes(with_refused_shader(hostile.traces[2], kind, random.Random(kind)))
    assert main(["a.trace", "-o", "a.html", "--threads", "0"]) == 1
    data = check_page(Path("a.html").read_text(encoding="utf-8"), innocent, home)
    (refused,) = (shader for shader in data["shaders"] if shader["error"])
    assert [view["name"] for view in refused["views"]] == ["source", "TGSI"][: 1 + (kind == 2)]


def test_mutated_traces_give_pages_without_their_script(
    hostile: Hostile, innocent: Parsed, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep, rng = Sweep(hostile, innocent, home, capsys), random.Random(1)
    for _ in range(25):
        sweep.one(rng)
    assert sweep.counts["with script as data"] > 5, sweep.counts


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(5))
def test_many_mutated_traces_give_pages_without_their_script(
    hostile: Hostile, innocent: Parsed, home: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    sweep, rng = Sweep(hostile, innocent, home, capsys), random.Random(100 + seed)
    for _ in range(100):
        sweep.one(rng)
    assert sweep.counts["with script as data"] > 15, sweep.counts
    assert min(sweep.counts[code] for code in "012") > 3, sweep.counts


_LEAVES = """
const found = [];
const choose = menu => { for (const option of menu.options) { menu.value = option.value; menu.dispatchEvent(new Event('change')); } };
for (const button of document.querySelectorAll('[role=tab], [id^=tab-]')) {
  button.click();
  for (const menu of document.querySelectorAll('select')) choose(menu);
}
for (const element of document.querySelectorAll('*')) {
  found.push(element.tagName.toLowerCase());
  for (const name of element.getAttributeNames()) {
    const value = element.getAttribute(name);
    if (name.startsWith('on') || name === 'srcdoc' || /^\\s*javascript:/i.test(value)) found.push(name);
    if (['href', 'src'].includes(name) && !value.startsWith('data:image/')) found.push(`${name}=${value}`);
  }
}
return [...new Set(found)].sort();
"""


@pytest.mark.nightly
@needs_browser
def test_pages_of_mutated_traces_run_no_script_of_theirs_in_chromium(
    hostile: Hostile, innocent: Parsed, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elements = {*innocent.tags, *re.findall(r"make\(\"(\w+)\"", innocent.scripts[1][1])}
    sweep, rng, opened = Sweep(hostile, innocent, home, capsys), random.Random(77), 0
    with browser() as chromium:
        while opened < 20:
            page = sweep.one(rng)
            if page is None:
                continue
            chromium.open(page)
            chromium.until("return document.body.dataset.ready", "yes")
            found = set(chromium.run(_LEAVES))
            assert found <= elements, found - elements
            assert chromium.run("return [window.injected === undefined, document.scripts.length]") == [True, 2]
            assert chromium.messages() == []
            opened += 1
    assert sweep.counts["with script as data"] > 5, sweep.counts
