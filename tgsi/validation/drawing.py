"""A draw of vertices or meshes, which validation carries out and repeats with other state."""

from __future__ import annotations

from collections.abc import Sequence

from backends.device.bound import DrawState
from backends.device.grid import MeshDraw
from backends.device.interface import Device
from backends.pipe.state import DrawInfo
from tgsi.language.record import record


@record(eq=False)
class Drawing:
    """A draw of vertices (`info`) or of meshes (`mesh`). call: the method of the context."""

    call: str
    device: Device
    state: DrawState
    info: DrawInfo | None = None
    mesh: MeshDraw | None = None

    def carry_out(self) -> Sequence[str]:
        """Draw with the current state. Returns the faults of a mesh draw's programs; none for vertices."""
        if self.mesh is not None:
            return self.device.draw_mesh(self.state, self.mesh)
        assert self.info is not None
        self.device.draw(self.state, self.info)
        return ()
