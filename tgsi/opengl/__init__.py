"""OpenGL for Python programs, installed from wheels alone: a frontend that draws with `tgsi.gallium`.

import moderngl, tgsi.opengl

ctx = moderngl.create_context(context=tgsi.opengl.create())
"""

from tgsi.opengl.doors.loader import Loader, create, explain
from tgsi.opengl.doors.pyopengl import install_pyopengl
from tgsi.opengl.life import install, uninstall

__all__ = ["Loader", "create", "explain", "install", "install_pyopengl", "uninstall"]
