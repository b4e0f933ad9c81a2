"""Gallium's limits of this driver, each once. Names follow Mesa's PIPE_MAX_* (src/gallium/include/pipe/p_state.h) and PIPE_CAP_MAX_*.

Limits that a program alone may break are facts of the language, and named here again.

The screen answers with these numbers, the context checks against them, and records for generated code have that many entries. The
slots of a shader stage come first, then vertices and stream output, then targets, textures and grids.
"""

from __future__ import annotations

from tgsi.language.facts.limits import MAX_ATOMIC_COUNTERS as MAX_ATOMIC_COUNTERS
from tgsi.language.facts.limits import MAX_BLOCK as MAX_BLOCK
from tgsi.language.facts.limits import MAX_GEOMETRY_VERTICES as MAX_GEOMETRY_VERTICES
from tgsi.language.facts.limits import MAX_GRID as MAX_GRID
from tgsi.language.facts.limits import MAX_MESH_REGISTERS as MAX_MESH_REGISTERS
from tgsi.language.facts.limits import MAX_MESH_SHARED as MAX_MESH_SHARED
from tgsi.language.facts.limits import MAX_MESH_VERTICES as MAX_MESH_VERTICES
from tgsi.language.facts.limits import MAX_PAYLOAD as MAX_PAYLOAD
from tgsi.language.facts.limits import MAX_POINT_SIZE as MAX_POINT_SIZE
from tgsi.language.facts.limits import MAX_TASK_SHARED as MAX_TASK_SHARED

MAX_CONSTANT_BUFFERS = 16
"""Constant buffers of a stage (PIPE_SHADER_CAP_MAX_CONST_BUFFERS). Mesa's PIPE_MAX_CONSTANT_BUFFERS has room for more."""

MAX_SAMPLERS = 32
"""Sampler states of a stage (PIPE_MAX_SAMPLERS)."""

MAX_SAMPLER_VIEWS = 32
"""Sampler views of a stage (PIPE_SHADER_CAP_MAX_SAMPLER_VIEWS). Mesa's PIPE_MAX_SHADER_SAMPLER_VIEWS has room for more."""

MAX_SHADER_BUFFERS = 32
"""Shader buffers of a stage, and buffers of atomic counters of a context (PIPE_MAX_SHADER_BUFFERS, PIPE_MAX_HW_ATOMIC_BUFFERS)."""

MAX_SHADER_IMAGES = 32
"""Shader images of a stage (PIPE_SHADER_CAP_MAX_SHADER_IMAGES)."""

MAX_VERTEX_BUFFERS = 32
"""Vertex buffers of a context (PIPE_MAX_ATTRIBS)."""

MAX_ATTRIBUTES = 32
"""Vertex elements, that is, inputs of a vertex shader (PIPE_MAX_ATTRIBS)."""

MAX_VERTEX_STRIDE = 1 << 16
"""Bytes from one vertex to the next (PIPE_CAP_MAX_VERTEX_ATTRIB_STRIDE)."""

MAX_SRC_OFFSET = 1 << 16
"""Bytes from the beginning of a vertex to an element (PIPE_CAP_MAX_VERTEX_ELEMENT_SRC_OFFSET)."""

MAX_PATCH_VERTICES = 32
"""Vertices of a patch (GL_MAX_PATCH_VERTICES of OpenGL 4.0)."""

MAX_DRAWS = 1 << 16
"""Draws of one indirect call."""

MOST_INTERVALS = 4096
"""Begins and ends of occlusion queries, in total, after which a context flushes and counts from 0 again."""

MAX_VERTEX_STREAMS = 4
"""Vertex streams of a geometry shader (PIPE_MAX_VERTEX_STREAMS)."""

MAX_STREAM_OUTPUT_TARGETS = 4
"""Buffers that stream output writes at once (PIPE_MAX_SO_BUFFERS)."""

MAX_STREAM_STRIDE = 512
"""32-bit words from one streamed vertex to the next, and largest offset of a component in it."""

MAX_STREAM_OUTPUTS = 64
"""Rows of pipe_stream_output_info (PIPE_MAX_SO_OUTPUTS)."""

MAX_COLOR_BUFFERS = 8
"""Color buffers of a framebuffer (PIPE_MAX_COLOR_BUFS)."""

MAX_VIEWPORTS = 16
"""Viewports, each with its scissor (PIPE_MAX_VIEWPORTS)."""

MAX_WINDOW_COORDINATE = 65535
"""Edges of scissors and window rectangles, which Gallium stores in 16 bits."""

MAX_WINDOW_RECTANGLES = 8
"""Window rectangles (PIPE_MAX_WINDOW_RECTANGLES)."""

MAX_TARGET_SAMPLES = 16
"""Samples of a pixel."""

MAX_SUBPIXEL_PRECISION_BIAS = 6
"""Bits that conservative rasterization may add to the grid of vertices (PIPE_CAP_MAX_CONSERVATIVE_RASTER_SUBPIXEL_PRECISION_BIAS)."""

MAX_DILATE = 1.0
"""Pixels by which conservative rasterization may grow primitives (PIPE_CAPF_MAX_CONSERVATIVE_RASTER_DILATE)."""

DILATE_STEPS = 256
"""Steps per pixel in which primitives may grow (PIPE_CAPF_CONSERVATIVE_RASTER_DILATE_GRANULARITY)."""

MAX_TEXTURE_SIZE = 16384
"""Pixels along an edge of a framebuffer or of a one- or two-dimensional texture (PIPE_CAP_MAX_TEXTURE_2D_SIZE).

The rasterizer's edges and planes are exact up to here: see backends/raster/front/setup.py and bound_values.py."""

MAX_CUBE_SIZE = MAX_TEXTURE_SIZE
"""Texels along an edge of a cube's face (PIPE_CAP_MAX_TEXTURE_CUBE_LEVELS is 15). OpenGL 4.1 requires as many as of other textures."""

MAX_TEXTURE_DEPTH = 2048
"""Texels along an edge of a three-dimensional texture (PIPE_CAP_MAX_TEXTURE_3D_LEVELS is 12)."""

MAX_LAYERS = 2048
"""Layers of a texture (PIPE_CAP_MAX_TEXTURE_ARRAY_LAYERS)."""

MAX_RESOURCE_LEVELS = MAX_TEXTURE_SIZE.bit_length()
"""Levels of a resource of MAX_TEXTURE_SIZE texels (PIPE_CAP_MAX_TEXTURE_2D_LEVELS)."""

MAX_TEXTURE_LEVELS = 16
"""Levels that a texture's record has room for (PIPE_MAX_TEXTURE_LEVELS)."""

MAX_BUFFER_BYTES = 1 << 30
"""Bytes of a buffer, and of a texture whose texels generated code addresses with 32-bit offsets."""

MAX_TEXTURE_BYTES = 1 << 36
"""Bytes of a texture, room for the largest cube with 16 bytes a texel and all levels. A screen's limit refuses less."""

MAX_TARGETS = MAX_COLOR_BUFFERS + 1
"""Surfaces of a framebuffer: color buffers, and a depth buffer."""

LARGEST_FLOAT = 3.4028234663852886e38
"""Largest number that a float of 32 bits holds."""

LARGE_COPY = 1 << 18
"""Bytes of a layer that the device copies; waking its threads for fewer would take longer than the copy."""

MAX_LOCAL = 32768
"""Bytes of SHARED memory of a block (PIPE_COMPUTE_CAP_MAX_LOCAL_SIZE)."""

MAX_PRIVATE = 32768
"""Bytes of PRIVATE memory of a thread (PIPE_COMPUTE_CAP_MAX_PRIVATE_SIZE)."""

MAX_INPUT = 65536
"""Bytes of kernel arguments (PIPE_COMPUTE_CAP_MAX_INPUT_SIZE)."""

MAX_MESH_GROUPS = 1 << 22
"""Workgroups of a mesh draw, or of one task's launch (maxMeshWorkGroupTotalCount of Vulkan; llvmpipe's number)."""
