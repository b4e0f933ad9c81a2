"""Buffer objects. (OpenGL 4.6 core, chapter 6)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.gallium import Resource, TransferMap
from tgsi.opengl.errors import bad_operation
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.host import Host

BIND = (
    "VERTEX_BUFFER",
    "INDEX_BUFFER",
    "CONSTANT_BUFFER",
    "STREAM_OUTPUT",
    "SAMPLER_VIEW",
    "SHADER_BUFFER",
    "SHADER_IMAGE",
    "COMMAND_ARGS_BUFFER",
)


class Buffer:
    """A buffer object: bytes in a resource, which `resize` replaces. A buffer of no bytes has no resource."""

    def __init__(self, name: int) -> None:
        self.name = name
        self.resource: Resource | None = None
        self.size = 0
        self.usage: int = GL.STATIC_DRAW
        self.storage_flags = 0
        self.is_immutable = False
        self.is_deleted = False
        self.mapping: TransferMap | None = None
        self.map_offset = 0
        self.map_length = 0
        self.map_access = 0
        self.label = ""

    def resize(self, gl: Host, size: int, *, is_persistent: bool = False) -> None:
        """Allocate `size` bytes, with undefined contents."""
        self.unmap()
        if self.resource is not None and self.size == size and not is_persistent:
            return
        self.resource = None
        if size:
            flags = ["MAP_PERSISTENT", "MAP_COHERENT"] if is_persistent else 0
            self.resource = gl.screen.resource_create(target="BUFFER", format="R8_UNORM", width0=size, bind=BIND, flags=flags)
        self.size = size
        gl.note_storage()

    def write(self, gl: Host, offset: int, data: bytes | bytearray | memoryview) -> None:
        """Replace bytes."""
        if self.resource is not None and len(data):
            gl.pipe.buffer_subdata(self.resource, data, offset=offset)

    def read(self, gl: Host, offset: int, size: int) -> bytearray:
        """A copy of bytes."""
        into = bytearray(size)
        if self.resource is not None and size:
            gl.pipe.buffer_read(self.resource, into, offset=offset)
        return into

    def map(self, gl: Host, offset: int, length: int, access: int) -> int:
        """Map a range, and return its address."""
        if self.resource is None:
            raise bad_operation("buffer: it has no bytes that could be mapped")
        usage = [word for bit, word in ((GL.MAP_READ_BIT, "READ"), (GL.MAP_WRITE_BIT, "WRITE")) if access & bit]
        if access & GL.MAP_UNSYNCHRONIZED_BIT and not access & GL.MAP_READ_BIT:
            usage.append("UNSYNCHRONIZED")
        if access & GL.MAP_PERSISTENT_BIT:
            usage.append("PERSISTENT")
        self.mapping = gl.pipe.transfer_map(self.resource, usage=usage, box=(offset, 0, 0, length, 1, 1))
        self.map_offset, self.map_length, self.map_access = offset, length, access
        return self.mapping.address

    def unmap(self) -> None:
        """End the mapping if there is one."""
        if self.mapping is not None:
            self.mapping.unmap()
            self.mapping = None
        self.map_offset = self.map_length = self.map_access = 0
