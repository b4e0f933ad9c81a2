"""Sources of the documentation's site: `python docs/site.py` copies the pages, and everything that they link to, to out/site/pages.

Links between pages, pictures and programs are relative, so the copy keeps the folders of the repository. The order of the pages is
that of docs/README.md. `./dev docs` then runs mkdocs, whose strict mode fails for a link without a target.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "site"
PROJECT = {
    "Changes": "CHANGELOG.md",
    "Contributing": "CONTRIBUTING.md",
    "Architecture": "ARCHITECTURE.md",
    "How fast": "benchmarks/README.md",
}
_LINK = re.compile(r"\]\(([^)\s#]+)[^)]*\)")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """Every page, relative to the repository."""
    files = [ROOT / "README.md", *(ROOT / name for name in PROJECT.values()), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
    return sorted({file.relative_to(ROOT) for file in files})


def targets(page: Path) -> set[Path]:
    """Files that a page links to, relative to the repository. Links to folders, which a site cannot show, lead to their README.md."""
    text = _CODE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    named = {(ROOT / page.parent / link).resolve() for link in _LINK.findall(text) if "://" not in link and not link.startswith("mailto:")}
    return {file.relative_to(ROOT) for file in named if file.is_file() and file.is_relative_to(ROOT)}


def navigation() -> list[dict[str, object]]:
    """Pages in the order of docs/README.md, by section, then those of the project."""
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    sections: list[dict[str, object]] = [{"Start": "README.md"}, {"Index": "docs/README.md"}]
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        title, _, rows = section.partition("\n")
        names = "\n".join(row.split("|")[1] for row in rows.splitlines() if row.startswith("| ["))
        links = re.findall(r"\[([^\]]+)\]\(([\w/.-]+\.md)\)", names)
        entries = [{name: f"docs/{file}"} for name, file in links if not file.startswith("..")]
        sections += [{title: entries}] if entries else []
    return [*sections, {"Project": [{name: file} for name, file in PROJECT.items()]}]


def main() -> None:
    """Copy the pages, and write the configuration with their order."""
    shutil.rmtree(OUT, ignore_errors=True)
    files = set(pages())
    for file in files | {target for page in files for target in targets(page)}:
        copy = OUT / "pages" / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, copy)
    config = {"INHERIT": "../../docs/mkdocs.yml", "docs_dir": "pages", "site_dir": "html", "nav": navigation()}
    (OUT / "mkdocs.yml").write_text(json.dumps(config, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
