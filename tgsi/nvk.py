"""Mesh shading on NVIDIA hardware: lowered task and mesh programs, an emulator of the memory that they write, and the methods of a draw.

from tgsi import nvk

The emulator takes the function that runs programs, `tgsi.run` for instance. `docs/mesh.md` explains all of it.
"""

from backends.nvk.emulator.compare import Comparison, compare
from backends.nvk.emulator.memory import Resources
from backends.nvk.emulator.meshes import EmulatedMesh, run_meshes, run_meshes_of_tasks
from backends.nvk.emulator.tasks import TaskGroups, run_tasks
from backends.nvk.lower.code import LoweredMesh, LoweredTask, OutputWord
from backends.nvk.lower.lowering import lower_mesh, lower_task

__all__ = [
    "Comparison",
    "EmulatedMesh",
    "LoweredMesh",
    "LoweredTask",
    "OutputWord",
    "Resources",
    "TaskGroups",
    "compare",
    "lower_mesh",
    "lower_task",
    "run_meshes",
    "run_meshes_of_tasks",
    "run_tasks",
]


def __dir__() -> list[str]:
    """The promised names."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
