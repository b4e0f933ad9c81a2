"""The mesh of ``--mesh``: a shape by name, or a file."""

from __future__ import annotations

from pathlib import Path

from tgsi.tools.compile.draw.files import read_file
from tgsi.tools.compile.draw.gltf import read_gltf
from tgsi.tools.compile.draw.mesh import SHAPES, Mesh
from tgsi.tools.compile.draw.obj import read_obj
from tgsi.tools.compile.errors import UsageError
from tgsi.tools.nearest import nearest

_READERS = {".obj": read_obj, ".gltf": read_gltf, ".glb": read_gltf}


def read_mesh(word: str) -> Mesh:
    """The mesh of a name or file. UsageError: there is no such shape, or the file is wrong."""
    if word in SHAPES:
        return SHAPES[word]()
    suffix = Path(word).suffix.lower()
    if suffix in _READERS:
        data = read_file(word, word)
        if suffix == ".obj" and data[:4] == b"glTF":
            suffix = ".glb"
        return _READERS[suffix](word, data)
    hint = nearest(word, list(SHAPES)) or f"it is one of {', '.join(SHAPES)}, or a file that ends in {', '.join(_READERS)}"
    raise UsageError(f"--mesh {word}: no such shape; {hint}")
