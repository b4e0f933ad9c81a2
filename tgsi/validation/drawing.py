"""A draw of either kind that validation carries out, and makes again with other states."""

from __future__ import annotations

from collections.abc import Sequence

from backends.device.bound import DrawState
from backends.device.grid import MeshDraw
from backends.device.interface import Device
from backends.pipe.state import DrawInfo
from tgsi.language.record import record


@record(eq=False)
class Drawing:
    """A draw of vertices (`info`) or of meshes (`mesh`). call: the method that makes it."""

    call: str
    device: Device
    state: DrawState
    info: DrawInfo | None = None
    mesh: MeshDraw | None = None

    def carry_out(self) -> Sequence[str]:
        """Make the draw with what is bound now. Returns the faults of mesh programs."""
        if self.mesh is not None:
            return self.device.draw_mesh(self.state, self.mesh)
        assert self.info is not None
        self.device.draw(self.state, self.info)
        return ()
