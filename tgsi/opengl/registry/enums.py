"""OpenGL enumerants without the prefix GL_; a name that would begin with a digit begins with an underscore.

The table is enums.txt, derived from Khronos' registry; enums.pyi has the names for type checkers.
"""

from importlib import resources

for _line in resources.files("tgsi.opengl.registry").joinpath("enums.txt").read_text(encoding="utf-8").splitlines():
    if not _line.startswith("#"):
        _name, _, _value = _line.partition(" ")
        globals()[_name] = int(_value, 16)
