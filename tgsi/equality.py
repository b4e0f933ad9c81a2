"""Comparison of two programs by running them: the harness for passes that users write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tgsi.api import run
from tgsi.language.facts.enums import CHANNELS, File, MemoryType, Processor
from tgsi.language.program import Program

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["DifferenceError", "check_equal"]

_VERTICES = 3
"""Vertices of a patch."""
_WORDS = 256
"""Words of each buffer, and of each kind of memory."""
_TARGETS = ("1D", "2D", "RECT", "SHADOW1D", "SHADOW2D", "SHADOWRECT")
"""Targets whose textures are generated; all others read like units without a texture."""
_SPECIAL = (0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x7F7FFFFF, 0xFFFFFFFF, 0x3F000000, 0x4B800000)


class DifferenceError(AssertionError):
    """Two programs gave different results; the message says in which run, where, and for which inputs."""


def check_equal(
    before: Program | str,
    after: Program | str,
    *,
    runs: int = 8,
    invocations: int = 16,
    seed: int = 0,
    engine: str = "interp",
    ordinary: bool = False,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Run two programs with the same generated inputs, and raise if a bit of their results differs.

        tgsi.check_equal(program, tgsi.optimize(program, "my-pass"))

    Compared are the outputs of invocations that survive, who survives and who runs out of fuel, emitted vertices and strips, buffers,
    images, counters, memory, and results of task and mesh programs. Inputs and constants are ordinary floats, small integers and special
    values such as infinities; declared buffers, memory and textures with one or two coordinates have random contents.

    Args:
        before, after: programs of one stage, or their texts. `after` may declare more constants, not fewer inputs.
        runs: times that both run, each with other inputs.
        invocations: vertices or fragments of a run; fragments come in whole quads. Primitives, patches and workgroups are two or more.
        seed: start of the inputs: the same seed gives the same inputs.
        ordinary: generate inputs and constants that are floats of usual size, for passes that change the bits of NaNs.
        engine: "interp", which defines results, or "jit".
        options: further arguments of `tgsi.run`, instead of generated ones.

    Raises:
        DifferenceError: the results differ; an AssertionError, so that tests show its message.
        ValidationError: one of the programs may not run.
        ValueError: the stages differ, or an argument is wrong.
    """
    import numpy as np

    from tgsi.language.text.parser import parse

    one, other = (parse(item) if isinstance(item, str) else item for item in (before, after))
    if one.processor is not other.processor:
        raise ValueError(f"check_equal: before is a {one.processor.name} program, after a {other.processor.name} program")
    if runs < 1 or invocations < 1:
        raise ValueError("check_equal: runs and invocations must be 1 or more")
    if one.processor is Processor.FRAG:
        invocations = -(-invocations // 4) * 4
    for number in range(runs):
        chance = np.random.default_rng((seed, number))
        given = {**_arguments(one, other, _Words(chance, ordinary), invocations), **(options or {})}
        results = [run(program, engine=engine, **given) for program in (one, other)]
        difference = next(_differences(*results), None)
        if difference is not None:
            raise DifferenceError(f"run {number} of seed {seed}: {difference[0]}{_shown(given, difference[1])}")


class _Words:
    """Source of random words."""

    def __init__(self, chance: Generator, ordinary: bool) -> None:
        self.chance, self.ordinary = chance, ordinary


def _bits(words: _Words, *shape: int) -> Any:
    """Words: ordinary floats, small integers, special values and any bits, mixed; or ordinary floats alone."""
    import numpy as np

    chance = words.chance
    kinds = chance.integers(0, 8, shape)
    floats = (chance.normal(0, 1, shape) * 2.0 ** chance.integers(-3, 6, shape)).astype(np.float32).view(np.uint32)
    if words.ordinary:
        return floats
    small = chance.integers(-4, 20, shape).astype(np.int32).view(np.uint32)
    special = np.array(_SPECIAL, np.uint32)[chance.integers(0, len(_SPECIAL), shape)]
    wild = chance.integers(0, 1 << 32, shape, np.uint32)
    return np.select([kinds < 5, kinds == 5, kinds == 6], [floats, small, special], wild).astype(np.uint32)


def _arguments(one: Program, other: Program, words: _Words, invocations: int) -> dict[str, Any]:
    """Arguments of `tgsi.run` for both programs."""
    import numpy as np

    made: dict[str, Any] = {}
    stage, registers = one.processor, one.file_size(File.IN)
    if stage in (Processor.GEOM, Processor.TESS_CTRL, Processor.TESS_EVAL):
        from backends.run.shapes import input_vertices

        count = input_vertices(one) if stage is Processor.GEOM else _VERTICES
        made["inputs"] = _bits(words, 2, count, registers, 4)
        if stage is Processor.TESS_EVAL:
            made["system_values"] = {"TESSCOORD": words.chance.random((invocations // 2 * 2 or 2, 3), np.float32)}
    elif stage in (Processor.VERT, Processor.FRAG):
        made["inputs"] = _bits(words, invocations, registers, 4)
    elif stage is not Processor.COMP or not one.property("CS_FIXED_BLOCK_WIDTH"):
        made |= {"grid": (2, 1, 1)} | ({"block": (4, 1, 1)} if stage is Processor.COMP else {})
    else:
        made["grid"] = (2, 1, 1)
    sizes: dict[int, int] = {}
    for item in (*one.declared(File.CONST), *other.declared(File.CONST)):
        sizes[item.dimension or 0] = max(sizes.get(item.dimension or 0, 0), min(item.last, 4095) + 1)
    made["constants"] = {number: _bits(words, size, 4) for number, size in sorted(sizes.items())}
    made["buffers"] = {n: _bits(words, _WORDS) for item in one.declared(File.BUFFER) for n in range(item.first, item.last + 1)}
    made["counters"] = {item.dimension or 0: _bits(words, _WORDS) for item in one.declared(File.HWATOMIC)}
    if stage is Processor.COMP:
        kinds = {item.memory for item in one.declared(File.MEMORY)}
        made["memory"] = {kind.name: _bits(words, _WORDS) for kind in (MemoryType.GLOBAL, MemoryType.INPUT) if kind in kinds}
    made["textures"] = _textures(one, words.chance)
    return {name: value for name, value in made.items() if name in ("inputs", "grid", "block") or value}


def _textures(program: Program, chance: Generator) -> dict[int, Any]:
    from backends.formats.format import Format
    from backends.run.textures import TextureData

    targets = {
        number: item.view.target for item in program.declared(File.SVIEW) if item.view for number in range(item.first, item.last + 1)
    }
    textures = {}
    for number, target in targets.items():
        if target in _TARGETS:
            height = 1 if "1D" in target else 4
            texels = chance.random((1, height, 8, 4), "float32").view("uint8")
            textures[number] = TextureData(Format.R32G32B32A32_FLOAT, (texels,))
    return textures


def _differences(before: Any, after: Any) -> Iterator[tuple[str, int | None]]:
    """Yield each difference as text, with the number of the invocation where there is one."""
    import numpy as np

    for name, what in (("alive", "survives"), ("exhausted", "runs out of fuel")):
        one, other = getattr(before, name), getattr(after, name)
        if one.shape != other.shape:
            yield f"{len(one)} invocations before, {len(other)} after", None
            return
        for number in np.flatnonzero(one != other)[:1]:
            yield f"invocation {number} {what} {'before' if one[number] else 'after'} only", int(number)
    yield from _registers("invocation", before.outputs, after.outputs, before.alive)
    for stream, (a, b) in enumerate(zip(before.emitted, after.emitted)):
        for text, _ in _registers(f"stream {stream}, vertex", a, b, None):
            yield text, None
    if [list(item) for item in before.strips] != [list(item) for item in after.strips]:
        yield f"strips {[list(item) for item in before.strips]} before, {[list(item) for item in after.strips]} after", None
    for name in ("buffers", "images", "counters", "memory"):
        for key, one in getattr(before, name).items():
            for place in np.flatnonzero(np.ravel(one) != np.ravel(getattr(after, name)[key]))[:1]:
                yield f"{name}[{key}], {'word' if name == 'counters' else 'byte'} {place}", None
    for name in ("tasks", "payload"):
        if not np.array_equal(getattr(before, name), getattr(after, name)):
            yield f"{name} differ", None
    for number, (one, other) in enumerate(zip(before.meshes, after.meshes)):
        for part in ("vertices", "indices", "primitives"):
            if not np.array_equal(getattr(one, part), getattr(other, part)):
                yield f"workgroup {number}: {part} differ", None


def _registers(what: str, before: Any, after: Any, alive: Any) -> Iterator[tuple[str, int | None]]:
    import numpy as np

    if len(before) != len(after):
        yield f"{len(before)} of {what} before, {len(after)} after", None
        return
    count = min(before.shape[1], after.shape[1])
    wrong = before[:, :count] != after[:, :count]
    if alive is not None:
        wrong &= alive[:, None, None]
    for number, register, channel in np.argwhere(wrong)[:1]:
        one, other = (_word(item[number, register, channel]) for item in (before, after))
        yield f"{what} {number}, OUT[{register}].{CHANNELS[channel]}: {one} before, {other} after", int(number)


def _word(word: Any) -> str:
    import numpy as np

    return f"0x{int(word):08x} ({np.uint32(word).view(np.float32)!s})"


def _shown(given: Mapping[str, Any], number: int | None) -> str:
    """The inputs of an invocation and the constants, as lines."""
    import numpy as np

    lines = []
    inputs = np.asarray(given["inputs"]) if "inputs" in given else np.zeros((0, 0, 4), np.uint32)
    if number is not None and inputs.ndim == 3 and number < len(inputs) and inputs.dtype == np.uint32:
        lines += [f"IN[{register}] = {', '.join(map(_word, row))}" for register, row in enumerate(inputs[number][:8])]
    for buffer, data in (given.get("constants") or {}).items():
        lines += [f"CONST[{buffer}][{row}] = {', '.join(map(_word, words))}" for row, words in enumerate(np.asarray(data, np.uint32)[:4])]
    return "".join(f"\n  {line}" for line in lines)
