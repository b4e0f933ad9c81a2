"""Links of the documentation lead to files and headings, and the site has every page in the order of the index."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SITE = runpy.run_path(str(ROOT / "docs" / "site.py"))
PAGES: list[Path] = SITE["pages"]()


def anchors(text: str) -> set[str]:
    """Anchors of the headings of a page, in lower case with hyphens, as GitHub and mkdocs make them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "") for heading in headings)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in plain}


def broken_links(page: Path, text: str) -> list[str]:
    """Relative links of a page that have no file, or an anchor that its file does not have."""
    code = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", code.sub("", text)):
        name, _, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        file = (page.parent / name).resolve() if name else page
        is_page = file.suffix == ".md" and file.is_file()
        if not file.exists() or (anchor and (not is_page or anchor not in anchors(file.read_text(encoding="utf-8") if name else text))):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert broken_links(ROOT / page, (ROOT / page).read_text(encoding="utf-8")) == []


def test_a_link_without_a_target_is_seen() -> None:
    page = ROOT / "docs" / "tutorial.md"
    text = "# A page\n[a](arrays.md) [b](missing.md) [c](#a-page) [d](#no-heading) [e](arrays.md#no-heading) `[f](code.md)`\n"
    assert broken_links(page, text) == ["missing.md", "#no-heading", "arrays.md#no-heading"]


def test_the_site_has_every_page_of_the_index_in_its_order() -> None:
    in_order = [name for section in SITE["navigation"]() for entry in section.values() for name in _files(entry)]
    assert len(in_order) == len(set(in_order))
    named = {name for name in in_order if re.fullmatch(r"docs/[\w-]+\.md", name)}
    assert named == {str(page) for page in PAGES if page.parent == Path("docs")}


def _files(entry: object) -> list[str]:
    """Files of an entry of the navigation."""
    if isinstance(entry, str):
        return [entry]
    assert isinstance(entry, list)
    return [str(name) for item in entry for name in item.values()]
