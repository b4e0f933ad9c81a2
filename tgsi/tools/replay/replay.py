"""Replay of one scene from file to report: load, play, compare, write pictures."""

from __future__ import annotations

import hashlib
import traceback
from dataclasses import KW_ONLY, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tgsi.language.record import record
from tgsi.tools.parsing import reason
from tgsi.tools.replay import resource_calls, state_calls, work_calls
from tgsi.tools.replay.background import background
from tgsi.tools.replay.compare import Tolerance, Verdict, compare_floats, compare_image, compare_query, compare_words
from tgsi.tools.replay.fields import SceneError
from tgsi.tools.replay.player import HANDLERS, Player, PlayError
from tgsi.tools.replay.scene import Layout, Scene, load_scene, split_output

if TYPE_CHECKING:
    from tgsi.gallium import Screen

HANDLER_MODULES = (resource_calls, state_calls, work_calls)
"""Modules whose import fills HANDLERS."""


@record(frozen=False)
class Report:
    """Result of one scene. `unreadable`: the file itself is invalid and nothing was played.

    `digests` are SHA-256 of the outputs' raw bytes, equal on every machine and for any number of threads and lanes.
    """

    path: Path
    name: str
    _: KW_ONLY
    reasons: list[str] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    written: list[Path] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    remark: str = ""
    unreadable: bool = False

    @property
    def passed(self) -> bool:
        """True if the report has no complaints."""
        return not self.reasons

    def line(self) -> str:
        """The report in one line."""
        if self.passed:
            return f"pass {self.name}" + (f" ({self.remark})" if self.remark else "")
        return f"FAIL {self.name}: {'; '.join(self.reasons)}"

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "scene": self.name,
            "file": str(self.path),
            "passed": self.passed,
            "unreadable": self.unreadable,
            "reasons": self.reasons,
            "remark": self.remark,
            "notes": self.notes,
            "outputs": [v.as_json() for v in self.verdicts],
            "sha256": self.digests,
            "written": [str(p) for p in self.written],
        }


@record
class Options:
    """Options for every scene. `tolerance` None: do not compare. `directory` None: write nothing."""

    tolerance: Tolerance | None = None
    directory: Path | None = None
    timeout: float = 120.0


def replay(screen: Screen, path: Path, options: Options, name: str | None = None) -> Report:
    """Play the scene of a file and compare its outputs. Errors of the scene are stored in the report, not raised.

    `name` is the name of the scene in the report and of its pictures; by default the file's name without its suffix.
    """
    report = Report(path, path.stem if name is None else name)
    try:
        scene = load_scene(path)
        references = read_references(scene) if options.tolerance is not None else {}
    except SceneError as error:
        report.unreadable = True
        report.reasons.append(str(error))
        return report
    if options.tolerance is not None:
        report.remark = uncompared(scene)
    report.notes += [f"{c.place}: ignored: {', '.join(c.ignored)}" for c in scene.commands if c.ignored]
    try:
        with Player(screen, scene) as player:
            player.play(options.timeout)
            _finish(player, references, options, report)
    except (PlayError, SceneError) as error:
        report.reasons.append(str(error))
    except Exception as error:  # an error in this program must not prevent the comparison of other scenes
        place = traceback.extract_tb(error.__traceback__)[-1]
        report.reasons.append(f"internal error: {type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})")
    return report


def uncompared(scene: Scene) -> str:
    """Remark about outputs that a comparison skips; "" if it skips none."""
    if not scene.outputs and not scene.queries:
        return "nothing is recorded"
    left = [name for name in scene.outputs if name in scene.nondeterministic]
    return f"{', '.join(left)} not compared: results vary from run to run" if left else ""


def read_references(scene: Scene) -> dict[str, bytes]:
    """Recorded bytes of each output to compare. Raises SceneError for a missing file or one of the wrong size.

    If the raw file of an R8G8B8A8 target c0 is missing, a PNG with the scene's name is read instead; it holds the same bytes.
    """
    references = {}
    for output in scene.compared_outputs():
        path = scene.path.with_name(scene.outputs[output])
        layout = scene.image_layout(output)
        size = layout.size if layout is not None else _buffer_size(scene, output)
        if not path.exists() and layout is not None and output == "c0" and (data := _read_png(scene, layout)) is not None:
            references[output] = data
            continue
        if not path.is_file():
            raise SceneError(f"{output}: {path.name} is not there" if not path.exists() else f"{output}: {path.name} is not a regular file")
        try:
            if (actual := path.stat().st_size) != size:
                raise SceneError(f"{output}: {path.name} has {actual} bytes instead of {size}")
            references[output] = path.read_bytes()
        except OSError as error:
            raise SceneError(f"{output}: {path.name} cannot be read: {reason(error)}") from None
    return references


def _read_png(scene: Scene, layout: Layout) -> bytes | None:
    path = scene.path.with_suffix(".png")
    if not path.is_file():
        return None
    from tgsi.tools.replay.images import read_png

    return read_png(path, layout)


def _buffer_size(scene: Scene, output: str) -> int:
    kind, slot = split_output(output)
    if kind == "so":
        return scene.stream_output_bytes(slot) or 0
    command = scene.last_command("shader_buffer", slot)
    return len(command.values["data"]) if command is not None else 0


def _finish(player: Player, references: dict[str, bytes], options: Options, report: Report) -> None:
    scene = player.scene
    report.digests = {output: hashlib.sha256(player.read_output(output)).hexdigest() for output in player.outputs}
    if options.directory is not None:
        _write_pictures(player, options.directory, report)
    if options.tolerance is None:
        return
    for output, reference in references.items():
        verdict = _judge(player, output, reference, options.tolerance)
        report.verdicts.append(verdict)
        layout = scene.image_layout(output)
        if not verdict.passed and layout is not None and verdict.mask is not None and options.directory is not None:
            _write_difference(player, layout, verdict, reference, options.directory, report)
    for number, result in scene.queries.items():
        report.verdicts.append(compare_query(number, player.query_kind(number), player.query_result(number), result))
    report.reasons += [v.reason for v in report.verdicts if not v.passed]


def _judge(player: Player, output: str, reference: bytes, tolerance: Tolerance) -> Verdict:
    ours = player.read_output(output)
    layout = player.scene.image_layout(output)
    if layout is not None:
        return compare_image(output, layout, ours, reference, background(player.scene, output, layout), tolerance)
    if len(ours) != len(reference):
        ours = ours[: len(reference)]
    if split_output(output)[0] == "so":
        return compare_floats(output, ours, reference, tolerance)
    return compare_words(output, ours, reference)


def _image_outputs(player: Player) -> list[tuple[str, Layout]]:
    images = []
    for output in player.outputs:
        if (layout := player.scene.image_layout(output)) is not None:
            images.append((output, layout))
    return images


def _write_pictures(player: Player, directory: Path, report: Report) -> None:
    from tgsi.tools.replay.images import display, display_stencil, save

    for output, layout in _image_outputs(player):
        data = player.read_output(output)
        path = directory / f"{report.name}.{output}.png"
        save(path, display(layout, data))
        report.written.append(path)
        if layout.format.has_depth and layout.format.has_stencil:
            path = directory / f"{report.name}.{output}.stencil.png"
            save(path, display_stencil(layout, data))
            report.written.append(path)


def _write_difference(player: Player, layout: Layout, verdict: Verdict, reference: bytes, directory: Path, report: Report) -> None:
    from tgsi.tools.replay.images import difference, save

    assert verdict.mask is not None
    path = directory / f"{report.name}.{verdict.output}.diff.png"
    save(path, difference(layout, player.read_output(verdict.output), reference, verdict.mask), enlarge=True)
    report.written.append(path)


__all__ = ["HANDLERS", "Options", "Report", "read_references", "replay"]
