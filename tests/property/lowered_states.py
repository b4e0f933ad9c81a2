"""Generated programs before and after a lowering of state: an oracle applies the state to the results of the original program.

Each case takes a seed and returns lines about differences. `SKIPPED` counts programs that a lowering refuses, or whose results are not
specified: by the case and the reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from backends.interp.registry import OPERATIONS, Operation
from backends.interp.run import run
from backends.run.arguments import prepare
from backends.run.result import RunResult
from passes.lower.state.window import origin_of, window_constant
from passes.pipeline import Pipeline
from tests.property.engines import result_differences
from tests.property.programs import generate
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import STAGES
from tgsi.language.facts.traits import Trait
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

Array = NDArray[Any]
F32 = np.float32
NAN = 0x7FC00000
SKIPPED: Counter[tuple[str, str]] = Counter()
COMPARED: Counter[str] = Counter()
HEIGHT = 16.0


@dataclass
class Pair:
    """A program, what a lowering made of it, and the arguments of both runs, which a case may change."""

    name: str
    before: Program
    after: Program
    arguments: dict[str, Any]
    more: dict[str, Any]

    @classmethod
    def of(cls, name: str, stage: str, seed: int, pipeline: str, change: Callable[[str], str] = str) -> Pair | None:
        """A pair, or None if the lowering refuses the program or if other lanes see unspecified values."""
        generated = generate(seed, (stage,))
        before = parse(change(generated.text))
        arguments = dict(generated.arguments)
        if any(item.opcode.looks_at_other_lanes for item in before.instructions) and not prepare(before, **arguments).present.all():
            SKIPPED[name, "lanes that fill a quad"] += 1
            return None
        try:
            after = Pipeline.parse(pipeline).run(before)  # which validates its results
        except UnsupportedError:
            SKIPPED[name, "an address may reach the register"] += 1
            return None
        if seed % 8 == 0:
            assert parse(str(after)) == after
        return cls(name, before, after, arguments, dict(arguments))

    def register(self, file: File, semantic: Semantic) -> int:
        """Number of a register of the lowered program."""
        for item in self.after.declared(file):
            own = item.semantic
            if own is not None and own.name == semantic.name and 0 <= semantic.index - own.index <= item.last - item.first:
                return item.first + semantic.index - own.index
        raise AssertionError(f"{semantic} is not declared")

    def give(self, number: int, values: Array) -> None:
        """Give the lowered program (invocations, 4) floats or words in an input register."""
        inputs = np.asarray(self.more["inputs"]).view(np.uint32)
        if number >= inputs.shape[1]:
            inputs = np.concatenate([inputs, np.zeros((len(inputs), number + 1 - inputs.shape[1], 4), np.uint32)], 1)
        inputs = inputs.copy()
        inputs[:, number] = values.view(np.uint32)
        self.more["inputs"] = inputs

    def constant(self, number: int, rows: Array) -> None:
        """Give the lowered program rows of 4 floats or words in constants from `number` on."""
        own = np.asarray(self.more["constants"][0]).view(np.uint32)
        table = np.zeros((max(len(own), number + len(rows)), 4), np.uint32)
        table[: len(own)] = own
        table[number : number + len(rows)] = rows.view(np.uint32)
        for given in (self.arguments, self.more):  # a program may index beyond its own
            given["constants"] = {**given["constants"], 0: table}

    @property
    def zero_wins(self) -> bool:
        """True if 0 times anything is 0 in the program."""
        return bool(self.before.property("MUL_ZERO_WINS"))

    @property
    def sees_killed_stores(self) -> bool:
        """True if a lane that does not store may change what others compute."""
        traits = {trait for item in self.before.instructions for trait in item.opcode.traits}
        return bool(traits & {Trait.STORE, Trait.HELPER})

    def runs(self) -> tuple[RunResult, RunResult]:
        """The results of both programs. Inputs that the lowering adds are declared in both: an address may reach them."""
        COMPARED[self.name] += 1
        if "inputs" in self.arguments and STAGES[self.before.processor].vertex_rows == frozenset():
            own, given = self.before.file_size(File.IN), np.asarray(self.more["inputs"]).view(np.uint32)
            added = tuple(item for item in self.after.declared(File.IN) if item.first >= own)
            self.before = replace(self.before, declarations=(*self.before.declarations, *added))
            mine = np.asarray(self.arguments["inputs"]).view(np.uint32)
            self.arguments["inputs"] = np.concatenate([mine, given[:, mine.shape[1] :]], 1)
        return run(self.before, **self.arguments), run(self.after, **self.more)


def product(zero_wins: bool, a: Array, b: Any) -> Array:
    with np.errstate(all="ignore"):
        found = a * b
    return np.where((a == 0) | (b == 0), F32(0), found) if zero_wins else found


def words_of(values: Array) -> Array:
    """Bits of floats, NaNs as the interpreter writes them."""
    return np.where(np.isnan(values), np.uint32(NAN), values.astype(F32).view(np.uint32))


def differences(pair: Pair, before: RunResult, after: RunResult, outputs: Array, alive: Array, only_seen: bool = False) -> list[str]:
    """Differences of the lowered program's results from outputs and survivors. only_seen: memory may differ."""
    wanted = SimpleNamespace(**{item.name: getattr(before, item.name) for item in fields(before)})
    found = SimpleNamespace(**{item.name: getattr(after, item.name) for item in fields(after)})
    wanted.outputs, wanted.alive = outputs, alive
    found.outputs = found.outputs[:, : outputs.shape[1]]
    if only_seen:
        for name in ("buffers", "images", "counters", "memory"):
            setattr(wanted, name, getattr(found, name))
    with np.errstate(all="ignore"):
        lines = result_differences(wanted, found, exact=True, survivors=True)  # type: ignore[arg-type]
    return [f"{pair.name}: {line}" for line in lines]


# ------------------------------------------------------------------------------------------------------------------ fragments
COMPARISONS: dict[str, Callable[[Array, Any], Array]] = {
    "NEVER": lambda a, b: np.zeros(a.shape, bool),
    "LESS": lambda a, b: a < b,
    "EQUAL": lambda a, b: a == b,
    "LEQUAL": lambda a, b: a <= b,
    "GREATER": lambda a, b: a > b,
    "NOTEQUAL": lambda a, b: a != b,
    "GEQUAL": lambda a, b: a >= b,
    "ALWAYS": lambda a, b: np.ones(a.shape, bool),
}


def alpha_test(seed: int) -> list[str]:
    func, rng = list(COMPARISONS)[seed % 8], np.random.default_rng(seed)
    ref, in_constant = F32(rng.choice([0.0, 0.5, 1.0, -2.0, rng.normal()])), bool(seed // 8 % 2)
    place = "constant=10" if in_constant else f"ref={float(ref)!r}"
    pair = Pair.of("alpha test", "FRAG", seed, f"lower-alpha-test{{func={func},{place}}}")
    if pair is None:
        return []
    if in_constant:
        pair.constant(10, np.array([[ref, 9, 9, 9]], F32))
    before, after = pair.runs()
    passed = COMPARISONS[func](before.floats[:, 0, 3], ref)
    return differences(pair, before, after, before.outputs, before.alive & passed)


def clamp_color(seed: int) -> list[str]:
    pair = Pair.of("clamp color", "FRAG", seed, "lower-clamp-color")
    if pair is None:
        return []
    before, after = pair.runs()
    values = before.floats
    with np.errstate(invalid="ignore"):
        outputs = np.where(values > 0, np.where(values > 1, F32(1).view(np.uint32), before.outputs), np.uint32(0))
    return differences(pair, before, after, outputs, before.alive)


def two_side(seed: int) -> list[str]:
    def colored(text: str) -> str:
        return text.replace("DCL IN[6], GENERIC[6], PERSPECTIVE", "DCL IN[6], COLOR[0], COLOR").replace(
            "DCL IN[1], GENERIC[1], PERSPECTIVE", "DCL IN[1], COLOR[1], PERSPECTIVE"
        )

    def unindexed(text: str) -> str:
        return re.sub(r"IN\[ADDR\[0\]\.\w(\+\d)?\]", "IN[1]", colored(text))

    mask = seed % 3 + 1
    pair = Pair.of("two side", "FRAG", seed, f"lower-two-side{{colors={mask}}}", unindexed)
    if pair is None:
        return []
    rng = np.random.default_rng(seed)
    count = len(pair.arguments["inputs"])
    face = np.where(rng.integers(0, 2, count), F32(1), F32(-1)).astype(F32)
    pair.give(pair.register(File.IN, Semantic("FACE")), np.repeat(face[:, None], 4, 1))
    given = np.array(pair.arguments["inputs"]).view(np.uint32).copy()
    for index, register in ((0, 6), (1, 1)):
        if mask >> index & 1:
            back = rng.integers(0, 2**32, (count, 4), np.uint32)
            pair.give(pair.register(File.IN, Semantic("BCOLOR", index)), back)
            given[face < 0, register] = back[face < 0]
    pair.arguments["inputs"] = given
    before, after = pair.runs()
    return differences(pair, before, after, before.outputs, before.alive)


def flat_shade(seed: int) -> list[str]:
    pair = Pair.of("flat shade", "PLANES", seed, "lower-flat-shade")
    if pair is None:
        return []
    pair.arguments["flatshade_color"], pair.more["flatshade_color"] = True, False
    before, after = pair.runs()
    return differences(pair, before, after, before.outputs, before.alive)


def per_sample(seed: int) -> list[str]:
    """Every sample lies at the center here, so that only the number of the sample is read more; pictures show the places."""
    pair = Pair.of("per sample", "PLANES", seed, f"lower-per-sample{{inputs={'all' if seed % 2 else 'declared'}}}")
    if pair is None:
        return []
    for given in (pair.arguments, pair.more):
        given["sample_positions"] = [[0.5, 0.5]] * 4
    before, after = pair.runs()
    samples = [item for item in pair.after.declarations if item.location.name == "SAMPLE" or item.semantic == Semantic("SAMPLEID")]
    lines = [] if samples else ["per sample: nothing is read at a sample"]
    return lines + differences(pair, before, after, before.outputs, before.alive)


def point_coord(seed: int) -> list[str]:
    mask, flips = int(np.random.default_rng(seed).integers(1, 512)) & 0x1C7, bool(seed % 2)

    def unindexed(text: str) -> str:
        return re.sub(r"IN\[ADDR\[0\]\.\w(\+\d)?\]", "IN[1]", text) if flips else text

    pair = Pair.of("point coordinates", "FRAG", seed, f"lower-point-coord{{generics={mask},flips={'yes' if flips else 'no'}}}", unindexed)
    if pair is None:
        return []
    count = len(pair.arguments["inputs"])
    place = np.zeros((count, 4), F32)
    place[:, :2] = np.random.default_rng(seed).uniform(0, 1, (count, 2))
    place[:, 3] = 1
    given = np.array(pair.arguments["inputs"]).view(np.uint32).copy()
    for number in range(9):
        if mask >> number & 1:
            pair.give(number, place)
            turned = place.copy()
            turned[:, 1] = F32(1) - turned[:, 1] if flips else turned[:, 1]
            given[:, number] = turned.view(np.uint32)
    pair.arguments["inputs"] = given
    before, after = pair.runs()
    return differences(pair, before, after, before.outputs, before.alive)


ORIGINS = ("UPPER_LEFT", "LOWER_LEFT", "VIEWPORT_LOWER", "VIEWPORT_UPPER")
CENTERS = ("HALF_INTEGER", "INTEGER")


def window_position(seed: int) -> list[str]:
    """Positions of a run are taken as given, and its derivatives count rows: where y turns, the oracle's DDY is multiplied by -1."""
    rng = np.random.default_rng(seed)
    own, device, own_center, center = rng.choice(ORIGINS), rng.choice(ORIGINS[:2]), rng.choice(CENTERS), rng.choice(CENTERS)
    is_upward = bool(rng.integers(0, 2)) or own[0] != "V"

    def placed(text: str) -> str:
        text = text.replace("DCL IN[8], GENERIC[8], PERSPECTIVE", "DCL IN[8], POSITION, LINEAR")
        text = text.replace("DCL IN[1], GENERIC[1], PERSPECTIVE", "DCL IN[1], PCOORD, LINEAR")
        text = re.sub(r"IN\[ADDR\[0\]\.\w(\+\d)?\]", "IN[8]", text)
        lines = f"PROPERTY FS_COORD_ORIGIN {own}\nPROPERTY FS_COORD_PIXEL_CENTER {own_center}\n"
        return text.replace("FRAG\n", "FRAG\n" + lines, 1)

    pipeline = f"lower-window-position{{origin={device},center={center},constant=10}}"
    pair = Pair.of("window position", "FRAG", seed, pipeline, placed)
    if pair is None:
        return []
    assert origin_of(pair.before) == own
    constant = window_constant(own, device, HEIGHT, is_upward=is_upward)
    pair.constant(10, np.array([constant], F32))
    count = len(pair.arguments["inputs"])
    rows, columns = rng.integers(0, int(HEIGHT), count) + F32(0.5), rng.integers(0, 64, count) + F32(0.5)
    _window(pair, columns, rows, (own, own_center), (device, center), is_upward)
    factor = F32(1 if is_upward else -1)

    def turned(name: str) -> Operation:
        function = OPERATIONS[name].function
        return Operation(lambda value: product(pair.zero_wins, function(value), factor))

    after = run(pair.after, **pair.more)
    with patch.dict(OPERATIONS, {name: turned(name) for name in ("DDY", "DDY_FINE")} if own[0] == "V" else {}):
        before = run(pair.before, **pair.arguments)
    COMPARED[pair.name] += 1
    return differences(pair, before, after, before.outputs, before.alive)


def _window(pair: Pair, x: Array, y: Array, own: tuple[str, str], device: tuple[str, str], is_upward: bool) -> None:
    """Give both programs the position and the point coordinate of their own window; x, y: centers from the top of the target."""
    upward = 1.0 if is_upward else -1.0
    rest = np.random.default_rng(len(x)).uniform(0, 1, (len(x), 2)).astype(F32)
    s, t = rest.T
    given = np.array(pair.arguments["inputs"]).view(np.uint32).copy()
    for (origin, center), is_own in ((own, True), (device, False)):
        from_top = {"UPPER_LEFT": True, "LOWER_LEFT": False, "VIEWPORT_LOWER": upward > 0, "VIEWPORT_UPPER": upward < 0}[origin]
        place = np.stack([x, y if from_top else F32(HEIGHT) - y, rest[:, 0], rest[:, 1]], 1).astype(F32)
        place[:, :2] -= F32(0.5) if center == "INTEGER" else F32(0)
        turns = is_own and origin[0] == "V" and upward > 0
        point = np.stack([s, F32(1) - t if turns else t, np.zeros_like(s), np.ones_like(s)], 1).astype(F32)
        if is_own:
            given[:, 8], given[:, 1] = place.view(np.uint32), point.view(np.uint32)
        else:
            pair.give(8, place)
            pair.give(1, point)
    pair.arguments["inputs"] = given


def polygon_stipple(seed: int) -> list[str]:
    pair = Pair.of("polygon stipple", "FRAG", seed, "lower-polygon-stipple{constant=10}")
    if pair is None:
        return []
    rng = np.random.default_rng(seed)
    count = len(pair.arguments["inputs"])
    pattern = rng.integers(0, 2**32, 32, np.uint32)
    x, y = rng.integers(0, 4096, (2, count))
    place = np.stack([x + 0.5, y + 0.5, x, y], 1).astype(F32)
    pair.constant(10, pattern.reshape(8, 4))
    pair.give(pair.register(File.IN, Semantic("POSITION")), place)
    drawn = (pattern[y % 32] >> (31 - x % 32) & 1).astype(bool)
    return _killed_first(pair, drawn)


def _killed_first(pair: Pair, kept: Any, change: Callable[[RunResult], Array] = lambda result: result.outputs) -> list[str]:
    if pair.sees_killed_stores:
        SKIPPED[pair.name, "others see what killed lanes do not store"] += 1
        return []
    before, after = pair.runs()
    return differences(pair, before, after, change(before), before.alive & kept, only_seen=True)


def clip_distances(seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    mask = int(rng.integers(1, 256))
    pair = Pair.of("clip distances", "FRAG", seed, f"lower-clip-distances{{distances={mask},generic=20}}")
    if pair is None:
        return []
    count = len(pair.arguments["inputs"])
    values = rng.choice(np.array([1, 2, 0.25, 0, -0.0, np.inf, np.nan, -1, -1e-40], F32), (count, 8), p=[0.3, 0.3, 0.2, *[0.2 / 6] * 6])
    for half in range(2):
        if mask >> 4 * half & 15:
            pair.give(pair.register(File.IN, Semantic("GENERIC", 20 + half)), np.ascontiguousarray(values[:, 4 * half : 4 * half + 4]))
    used = [k for k in range(8) if mask >> k & 1]
    return _killed_first(pair, (values[:, used] >= 0).all(1))


def _smooth(name: str, seed: int, share: Callable[[Array], Any]) -> list[str]:
    colors = int(np.random.default_rng(seed).choice([255, 1, 2, 21]))
    pair = Pair.of(name, "FRAG", seed, f"lower-{name.replace(' ', '-')}{{generic=20,colors={colors}}}")
    if pair is None:
        return []
    count = len(pair.arguments["inputs"])
    place = np.random.default_rng(seed).uniform(-4, 4, (count, 4)).astype(F32)
    place[:, 2:] = np.abs(place[:, 2:]) + F32(1)
    pair.give(pair.register(File.IN, Semantic("GENERIC", 20)), place)
    coverage = share(place)

    def covered(result: RunResult) -> Array:
        outputs = result.outputs.copy()
        for number in range(outputs.shape[1]):
            if colors >> number & 1:
                outputs[:, number, 3] = words_of(product(pair.zero_wins, result.floats[:, number, 3], coverage))
        return outputs

    return _killed_first(pair, coverage > 0, covered)


def smooth_points(seed: int) -> list[str]:
    def share(place: Array) -> Any:
        x, y, _, reach = place.T
        return np.clip(reach - np.sqrt(x * x + y * y), F32(0), F32(1))

    return _smooth("smooth points", seed, share)


def smooth_lines(seed: int) -> list[str]:
    def share(place: Array) -> Any:
        x, y, width, reach = place.T
        return np.clip(width - np.abs(x), F32(0), F32(1)) * np.clip(reach - np.abs(y), F32(0), F32(1))

    return _smooth("smooth lines", seed, share)


# ------------------------------------------------------------------------------------------------------------------- vertices
def edge_flag(seed: int) -> list[str]:
    number = int(np.random.default_rng(seed).integers(-1, 9))
    pair = Pair.of("edge flag", "VERT", seed, f"lower-edge-flag{{attribute={number}}}")
    if pair is None:
        return []
    flags = np.random.default_rng(seed).integers(0, 2**32, (len(pair.arguments["inputs"]), 4), np.uint32)
    register = pair.register(File.OUT, Semantic("EDGEFLAG"))
    if number < 0:
        pair.give(9, flags)
    else:
        flags = np.asarray(pair.arguments["inputs"]).view(np.uint32)[:, number]
    before, after = pair.runs()
    lines = [] if (after.outputs[:, register, 0] == flags[:, 0]).all() else ["edge flag: it is not the attribute"]
    return lines + differences(pair, before, after, before.outputs, before.alive)


def _distance(vertex: Array, plane: Array, zero_wins: bool) -> Array:
    with np.errstate(all="ignore"):
        total = product(zero_wins, vertex[:, 0], plane[0])
        for c in range(1, 4):
            total = product(zero_wins, vertex[:, c], plane[c]) + total
    return total


def _distances_differ(pair: Pair, mask: int, planes: Array, vertex: Array, outputs: Array) -> list[str]:
    lines = []
    for k in range(mask.bit_length()):
        register = pair.register(File.OUT, Semantic("CLIPDIST", k // 4))
        wanted = words_of(_distance(vertex, planes[k], pair.zero_wins)) if mask >> k & 1 else np.zeros(len(vertex), np.uint32)
        found = outputs[:, register, k % 4]
        if (wanted != found).any():
            lines.append(f"{pair.name}: distance {k}: {wanted} wanted, {found} found")
    return lines


def clip_planes(seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    mask, has_vertex = int(rng.integers(1, 256)), bool(seed % 2)
    change = (lambda text: text.replace("DCL OUT[1], GENERIC[1]", "DCL OUT[1], CLIPVERTEX")) if has_vertex else str
    pair = Pair.of("clip planes", "VERT", seed, f"lower-clip-planes{{planes={mask},constant=10}}", change)
    if pair is None:
        return []
    planes = rng.normal(0, 2, (8, 4)).astype(F32)
    pair.constant(10, planes)
    before, after = pair.runs()
    outputs = before.outputs.copy()
    if has_vertex:
        outputs[:, 1] = after.outputs[:, 1]  # no output any more
    lines = _distances_differ(pair, mask, planes, before.floats[:, 1 if has_vertex else 0], after.outputs)
    return lines + differences(pair, before, after, outputs, before.alive)


def clip_planes_of_geometry(seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    mask = int(rng.integers(1, 256))
    pair = Pair.of("clip planes of geometry", "GEOM", seed, f"lower-clip-planes{{planes={mask},constant=10}}")
    if pair is None:
        return []
    planes = rng.normal(0, 2, (8, 4)).astype(F32)
    pair.constant(10, planes)
    before, after = pair.runs()
    lines = []
    for wanted, found in zip(before.emitted, after.emitted, strict=True):
        if wanted.shape[0] != found.shape[0] or (wanted != found[:, : wanted.shape[1]]).any():
            lines.append("clip planes of geometry: other vertices")
        elif len(wanted):
            lines += _distances_differ(pair, mask, planes, wanted[:, 0].view(F32), found)
    return lines
