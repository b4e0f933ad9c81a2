"""The modules that register commands when they are imported."""

import sys
from importlib import import_module

MODULES = (
    "buffer_maps",
    "buffers",
    "capabilities",
    "clears",
    "compute",
    "debug",
    "draws",
    "feedback",
    "fragment",
    "framebuffer_parameters",
    "framebuffers",
    "gets",
    "images",
    "info",
    "pixel_store",
    "program_queries",
    "program_resources",
    "programs",
    "queries",
    "raster",
    "reads",
    "renderbuffers",
    "samplers",
    "shaders",
    "subroutines",
    "texture_storage",
    "textures",
    "uniforms",
    "vertex_arrays",
    "vertex_values",
)
FIXED = (
    "accumulation",
    "capabilities",
    "client_arrays",
    "color_index",
    "display_lists",
    "environments",
    "evaluators",
    "immediate",
    "legacy_gets",
    "lighting",
    "listed_draws",
    "matrices",
    "packed",
    "pixel_maps",
    "pixel_rectangles",
    "raster_position",
    "rectangles",
    "selection",
    "stacks",
    "pipeline",
    "state_uniforms",
)
"""Modules of the fixed-function pipeline in `tgsi.opengl.fixed`."""


STAGES = ("pipelines",)
"""Modules of program pipelines and subroutines in `tgsi.opengl.stages`."""
COPIES = ("images", "views")
"""Modules of images that share or exchange texels in `tgsi.opengl.copies`."""


def check_python() -> None:
    """Raise RuntimeError if this Python runs threads without a global lock."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        words = "free-threaded Python is not supported, as commands share objects without locks; set PYTHON_GIL=1"
        raise RuntimeError(f"tgsi.opengl: {words}")


def load() -> None:
    """Import all command modules, which register their commands by `tgsi.opengl.calls.command`.

    Raises:
        RuntimeError: see `check_python`.
    """
    check_python()
    for name in MODULES:
        import_module(f"tgsi.opengl.commands.{name}")
    for name in FIXED:
        import_module(f"tgsi.opengl.fixed.{name}")
    for name in STAGES:
        import_module(f"tgsi.opengl.stages.{name}")
    for name in COPIES:
        import_module(f"tgsi.opengl.copies.{name}")
