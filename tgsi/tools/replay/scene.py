"""Reader of scene files. All checks happen here, so the player meets only well-formed calls of bounded size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from backends.formats import Format
from backends.pipe.enums import TextureTarget
from backends.pipe.limits import MAX_LAYERS, MAX_TEXTURE_SIZE
from tgsi.language.record import record
from tgsi.tools.parsing import reason
from tgsi.tools.replay.fields import MAX_BYTES, SceneError, boolean, integer, list_of, members, optional, pixel_format, string, wrong
from tgsi.tools.replay.ops import Command, read_command

MAX_FILE = 1 << 28
"""Largest size of a scene file in bytes."""

MAX_PIXELS = 1 << 24
"""Largest number of pixels of a framebuffer, summed over its layers."""


@record
class Target:
    """Framebuffer of a scene. Targets with more than one layer are 2D arrays."""

    width: int
    height: int
    layers: int
    cbufs: tuple[Format | None, ...]
    zs: Format | None


@record
class Layout:
    """Shape of an image's bytes: tight rows, y = 0 first, layers in sequence."""

    format: Format
    width: int
    height: int
    layers: int

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self.width * self.height * self.layers * self.format.block_bytes


@record(kw_only=True)
class Scene:
    """Checked scene. `outputs` maps names (c0, zs, so0, ssbo1, img0) to file names in the scene's folder.

    Files written for a scene are named after the scene's file, not after `name`, which could be any text.
    """

    path: Path
    name: str
    fb: Target
    commands: tuple[Command, ...]
    queries: Mapping[int, tuple[int, ...]]
    outputs: Mapping[str, str]
    nondeterministic: frozenset[str] = field(default_factory=frozenset)

    def compared_outputs(self) -> Iterator[str]:
        """Names of the outputs with a recorded result, except nondeterministic ones."""
        return (name for name in self.outputs if name not in self.nondeterministic)

    def image_layout(self, output: str) -> Layout | None:
        """Layout of an image output, or None for a buffer. Raises SceneError if the scene has no such output."""
        fb = self.fb
        kind, slot = split_output(output)
        if kind == "c" and slot < len(fb.cbufs) and (format := fb.cbufs[slot]) is not None:
            return Layout(format, fb.width, fb.height, fb.layers)
        if kind == "zs" and fb.zs is not None:
            return Layout(fb.zs, fb.width, fb.height, fb.layers)
        if kind == "img" and (command := self.last_command("shader_image", slot)):
            return image_layout(command.values)
        if (kind == "ssbo" and self.last_command("shader_buffer", slot)) or (kind == "so" and self.stream_output_bytes(slot) is not None):
            return None
        raise SceneError(f"outputs: the scene has no {output}")

    def stream_output_bytes(self, slot: int) -> int | None:
        """Size of a stream output buffer in bytes, or None if the scene has no such buffer."""
        sizes = [c.values["target_bytes"] for c in self.commands if c.op == "stream_output"]
        return sizes[-1][slot] if sizes and slot < len(sizes[-1]) else None

    def last_command(self, op: str, slot: int) -> Command | None:
        """Last command `op` that binds something to `slot`."""
        return next((c for c in reversed(self.commands) if c.op == op and c.values["slot"] == slot), None)


def image_layout(values: Mapping[str, Any]) -> Layout:
    """The shape of a shader_image command's image. A BUFFER's width counts bytes; its layout counts texels."""
    if values["target"] is TextureTarget.BUFFER:
        size = values["format"].block_bytes
        if values["width"] % size:
            raise SceneError(f"width: {values['width']} bytes are not a whole number of texels of {size}")
        return Layout(values["format"], values["width"] // size, 1, 1)
    return Layout(values["format"], values["width"], values["height"], max(values["layers"], values["depth"]))


def split_output(name: str) -> tuple[str, int]:
    """Kind and slot of an output: ("ssbo", 1) for ssbo1. Raises SceneError for any other name."""
    kind = name.rstrip("0123456789")
    digits = name[len(kind) :]
    if kind not in ("c", "zs", "so", "ssbo", "img") or (kind == "zs") != (digits == "") or len(digits) > 3:
        raise SceneError(f"outputs: {name[:40]!r} is not the name of an output")
    return kind, int(digits or 0)


_UNKNOWN = "the file begins as neither a trace nor a stream, and is not the JSON of a scene"


def load_scene(path: Path) -> Scene:
    """Read and check a scene file. Raises SceneError."""
    text = _read_text(path)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        if not text:
            raise SceneError("the file is empty") from None
        raise SceneError(f"{_UNKNOWN}: {error}") from None
    except (RecursionError, ValueError) as error:
        raise SceneError(f"JSON that cannot be read: {error}") from None
    return read_scene(value, path)


def read_scene(value: object, path: Path) -> Scene:
    """Check a scene that is parsed JSON already. `path` is the scene's file; raw files lie in the same folder."""
    if not isinstance(value, dict):
        raise wrong("scene", "an object", value)
    for name in ("fb", "commands"):
        if name not in value:
            raise SceneError(f"not a scene: the field {name!r} is missing")
    if not isinstance(value["commands"], list):
        raise wrong("commands", "a list", value["commands"])
    scene = Scene(
        path=path,
        name=string(value.get("name", path.stem), "name"),
        fb=_read_target(value["fb"]),
        commands=tuple(read_command(c, k) for k, c in enumerate(value["commands"])),
        queries=_read_queries(value.get("queries", [])),
        outputs=_read_outputs(value.get("outputs", {})),
        nondeterministic=frozenset(list_of(string)(value.get("nondeterministic_outputs", []), "nondeterministic_outputs")),
    )
    boolean(value.get("deterministic", True), "deterministic")
    for output in scene.outputs:
        scene.image_layout(output)
    _check_sizes(scene)
    return scene


def _read_text(path: Path) -> str:
    if path.is_dir():
        raise SceneError("a directory, not a scene file")
    if not path.exists():
        raise SceneError("no such file")
    if not path.is_file():
        raise SceneError("not a regular file")
    try:
        if (size := path.stat().st_size) > MAX_FILE:
            raise SceneError(f"{size} bytes, more than {MAX_FILE}")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SceneError(f"{_UNKNOWN}: it is not UTF-8 text") from None
    except OSError as error:
        raise SceneError(f"cannot be read: {reason(error)}") from None


def _read_target(value: object) -> Target:
    size = integer(1, MAX_TEXTURE_SIZE)
    checks = members(width=size, height=size, layers=integer(1, MAX_LAYERS), cbufs=list_of(optional(pixel_format), 0, 8))
    fields: dict[str, Any] = checks({"layers": 1, **value} if isinstance(value, dict) else value, "fb")
    zs: Format | None = optional(pixel_format)(value.get("zs") if isinstance(value, dict) else None, "fb.zs")
    fb = Target(**fields, zs=zs)
    if fb.width * fb.height * fb.layers > MAX_PIXELS:
        raise SceneError(f"fb: more than {MAX_PIXELS} pixels")
    for k, format in enumerate(fb.cbufs):
        if format is not None and format.is_depth_stencil:
            raise SceneError(f"fb.cbufs[{k}]: {format.name} is not a color format")
    if fb.zs is not None and not fb.zs.is_depth_stencil:
        raise SceneError(f"fb.zs: {fb.zs.name} is not a depth or stencil format")
    return fb


def _read_queries(value: object) -> dict[int, tuple[int, ...]]:
    counter = integer(0, (1 << 64) - 1)
    entries = list_of(members(id=integer(0, 1 << 20), result=list_of(counter, 0, 16)))(value, "queries")
    return {entry["id"]: entry["result"] for entry in entries}


def _read_outputs(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise wrong("outputs", "an object", value)
    outputs = {}
    for name, file in value.items():
        split_output(name)
        file = string(file, f"outputs.{name}")
        if not file or Path(file).name != file or "\0" in file:
            raise SceneError(f"outputs.{name}: expected the name of a file next to the scene, not {file[:60]!r}")
        outputs[name] = file
    return outputs


def _check_sizes(scene: Scene) -> None:
    """Raise SceneError if textures, images, targets and stream output need more than MAX_BYTES in total."""
    fb = scene.fb
    total = fb.width * fb.height * fb.layers * sum(f.block_bytes for f in (*fb.cbufs, fb.zs) if f is not None)
    for command in scene.commands:
        v = command.values
        match command.op:
            case "texture":
                texels = v["width"] * v["height"] * v["depth"] * v["array_size"]
                bytes_ = 1 if v["target"] is TextureTarget.BUFFER else v["format"].block_bytes
                total += texels * bytes_ * (2 if v["last_level"] else 1)
            case "shader_image":
                total += image_layout(v).size
            case "stream_output":
                total += sum(v["target_bytes"])
        if total > MAX_BYTES:
            raise SceneError(f"{command.place}: the scene asks for more than {MAX_BYTES} bytes of memory")
