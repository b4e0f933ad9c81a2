"""Common names of attributes, uniforms and textures, and default values for them.

A name is compared without its prefix (``a_``, ``in_``, ``v``, ``u_``, ``g_``, ``i`` before a capital, ...), its case, underscores and
digits at its end; a uniform also without ``matrix`` or ``mat``. docs/draw.md shows the tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from tgsi.language.record import record
from tgsi.tools.compile.draw.camera import Camera
from tgsi.tools.compile.draw.mesh import rounded

ATTRIBUTE_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "position": ("position", "pos", "vertex", "vert", "vertices", "p", "point", "coord", "coords", "corner", "xyz", "svposition"),
        "normal": ("normal", "norm", "nrm", "n", "facing"),
        "texcoord": ("texcoord", "texcoords", "texturecoord", "texturecoords", "texturecoordinate", "tex", "uv", "uvs", "st", "place"),
        "color": ("color", "colour", "col", "rgb", "rgba", "tint", "diffuse"),
        "tangent": ("tangent", "tan"),
    }
)
"""Attribute -> names of inputs, without prefix and case."""

_PARTS = (
    ("texcoord", "texcoord"),
    ("tangent", "tangent"),
    ("normal", "normal"),
    ("position", "position"),
    ("color", "color"),
    ("colour", "color"),
)
_ENDINGS = (("uv", "texcoord"), ("pos", "position"))
"""Parts and endings of longer names, such as vertexPosition_modelspace."""

_PREFIX = re.compile(
    r"^(?:(?:in|a|v|vs|vtx|vertex|attr|attribute|i|u|g|m|f|fs|ps|uniform|input|out|mat)_+|(?:in|a|v|i|u|g|m|mat)(?=[A-Z]))"
)
_ENDING = re.compile(r"(?:matrix|matrices|mtx|mat)$")


def plain(name: str) -> str:
    """A name without path, index, prefix, underscores, digits at its end, and case."""
    word = re.split(r"[.]", name)[-1].partition("[")[0].lstrip("_")
    shorter = _PREFIX.sub("", _PREFIX.sub("", word) or word)
    return (re.sub(r"[_\d]+$", "", shorter or word) or word).replace("_", "").lower()


def attribute_of(name: str) -> str | None:
    """The attribute that an input's name suggests, or None."""
    word = plain(name)
    for attribute, names in ATTRIBUTE_NAMES.items():
        if word in names:
            return attribute
    for part, attribute in _PARTS:
        if part in word:
            return attribute
    return next((attribute for ending, attribute in _ENDINGS if word.endswith(ending)), None)


def is_word(name: str, texts: Sequence[str]) -> bool:
    """True if a text has a name as a word: the programs declare it, and may not use it."""
    return re.fullmatch(r"[A-Za-z_]\w*", name) is not None and any(re.search(rf"\b{name}\b", text) for text in texts)


@record(kw_only=True)
class View:
    """Facts of a picture from which values of uniforms come."""

    camera: Camera
    size: tuple[int, int]
    time: float


_MVP, _VP, _MV = ("projection", "view", "model"), ("projection", "view"), ("view", "model")
PRODUCTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("mvp", "modelviewprojection", "modelviewproj", "modelviewp", "wvp", "worldviewprojection", "worldviewproj"), _MVP),
        **dict.fromkeys(("projectionviewmodel", "pvm", "projviewmodel", "transform", "transformation", "m", "mvpm"), _MVP),
        **dict.fromkeys(("viewprojection", "viewproj", "vp", "projectionview", "projview", "pv", "camera"), _VP),
        **dict.fromkeys(("modelview", "mv", "worldview"), _MV),
        **dict.fromkeys(("model", "world", "object", "modeltoworld", "objecttoworld"), ("model",)),
        **dict.fromkeys(("view", "v", "worldtoview", "lookat"), ("view",)),
        **dict.fromkeys(("projection", "proj", "p", "perspective", "viewtoclip"), ("projection",)),
    }
)
"""Names of matrices -> the factors of their product."""

NORMALS = MappingProxyType(
    {
        **dict.fromkeys(("normal", "normals", "n", "normalmodelview"), _MV),
        **dict.fromkeys(("worldnormal", "normalworld", "modelnormal"), ("model",)),
    }
)
_LIGHT = rounded(np.array([0.5, 0.8, 0.6]) / np.sqrt(1.25))

VALUES: Mapping[str, Callable[[View], Any]] = MappingProxyType(
    {
        **dict.fromkeys(("time", "globaltime", "seconds", "t", "elapsed", "elapsedtime", "timer"), lambda view: view.time),
        **dict.fromkeys(
            ("resolution", "viewport", "viewportsize", "screensize", "windowsize", "screen", "framesize"), lambda view: (*view.size, 1, 1)
        ),
        "aspect": lambda view: view.size[0] / view.size[1],
        "aspectratio": lambda view: view.size[0] / view.size[1],
        **dict.fromkeys(("mouse", "mousepos", "mouseposition"), lambda view: (view.size[0] / 2, view.size[1] / 2, 0, 0)),
        **dict.fromkeys(("timedelta", "deltatime", "dt"), lambda view: 1 / 60),
        **dict.fromkeys(("frame", "framecount", "framenumber"), lambda view: int(view.time * 60)),
        "framerate": lambda view: 60,
        **dict.fromkeys(
            ("eye", "eyepos", "eyeposition", "camerapos", "cameraposition", "campos", "viewpos", "viewposition"),
            lambda view: (*view.camera.eye, 1),
        ),
        **dict.fromkeys(
            ("lightdir", "lightdirection", "sun", "sundir", "sundirection", "light", "l", "directionallight"), lambda view: (*_LIGHT, 0)
        ),
        **dict.fromkeys(("lightpos", "lightposition", "lamp", "lamppos", "pointlight"), lambda view: (*(_LIGHT * 4), 1)),
        **dict.fromkeys(
            ("lightcolor", "lightcolour", "lightintensity", "intensity", "suncolor", "lightdiffuse"), lambda view: (1, 1, 1, 1)
        ),
        **dict.fromkeys(("ambient", "ambientcolor", "ambientlight", "lightambient", "ambientstrength"), lambda view: (0.2, 0.2, 0.2, 1)),
        **dict.fromkeys(
            ("color", "colour", "tint", "diffuse", "diffusecolor", "basecolor", "objectcolor", "albedo", "materialcolor"),
            lambda view: (0.9, 0.6, 0.3, 1),
        ),
        **dict.fromkeys(("specular", "specularcolor", "lightspecular", "specularstrength"), lambda view: (0.5, 0.5, 0.5, 1)),
        **dict.fromkeys(("shininess", "gloss", "glossiness", "specularpower"), lambda view: 32),
        **dict.fromkeys(("roughness", "metallic", "metalness"), lambda view: 0.4),
        **dict.fromkeys(
            ("scale", "size", "alpha", "opacity", "gain", "brightness", "strength", "exposure", "one"), lambda view: (1, 1, 1, 1)
        ),
        "gamma": lambda view: 2.2,
    }
)
"""Names of other uniforms -> their value, of which a shorter vector takes the first components."""


def known_value(name: str, rows: int, columns: int, view: View) -> tuple[Any, str] | None:
    """The value of a uniform of a well-known name, and words for it; None for other names, and for types that do not fit."""
    word = plain(name)
    shorter = _ENDING.sub("", word) or word
    if columns > 1:
        return _matrix(shorter if shorter != word or word in PRODUCTS else word, rows, columns, view)
    make = VALUES.get(word)
    if make is None or (shorter != word and word not in VALUES):
        return None
    values = np.atleast_1d(np.asarray(make(view), np.float64))
    if rows > 1 and len(values) == 1:
        values = np.repeat(values, rows)
    value = [float(item) for item in rounded(values[:rows])]
    if word in ("frame", "framecount", "framenumber"):
        value = [float(int(item)) for item in value]
    return (value if rows > 1 else value[0]), ", ".join(f"{item:.4g}" for item in value)


def _matrix(word: str, rows: int, columns: int, view: View) -> tuple[Any, str] | None:
    inverse = re.match(r"^(?:inverse|inv)(?=.)|(?:inverse|inv)$", word)
    word = re.sub(r"^(?:inverse|inv)(?=.)|(?<=.)(?:inverse|inv)$|transpose[d]?|^t(?=inv)", "", word)
    if word in NORMALS:
        matrix, what = view.camera.normals(*NORMALS[word]), f"normals of {' * '.join(NORMALS[word])}"
    elif word in PRODUCTS:
        matrix, what = view.camera.product(*PRODUCTS[word]), " * ".join(PRODUCTS[word])
    else:
        return None
    if inverse and word not in NORMALS:
        matrix, what = rounded(np.linalg.inv(matrix.astype(np.float64))), f"inverse of {what}"
    wide = np.eye(4, dtype=np.float32)
    wide[: len(matrix), : len(matrix)] = matrix
    return wide[:rows, :columns], what
