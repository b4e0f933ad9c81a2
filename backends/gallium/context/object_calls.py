"""Methods that make, bind and destroy shaders, and that bind and destroy state objects.

Written by `python -m tests.promises.methods` from `backends.device.calls`; edit the rows.
"""

from __future__ import annotations

from backends.device.bound import Shader
from backends.device.commands.bound_record import Word
from backends.device.commands.known_objects import Kind
from backends.gallium.context.core import ContextCore
from backends.gallium.context.handles import StateObject
from backends.gallium.context.shaders import bind_shader, create_shader, destroy_shader
from backends.gallium.context.state_objects import bind_object
from backends.pipe.state import BlendState, DepthStencilAlphaState, RasterizerState, SamplerState, StreamOutputInfo, VertexElement
from linkage.options import LinkState
from tgsi.language.diagnostics import shown_at_caller
from tgsi.language.facts.enums import Processor
from tgsi.language.program import Program


class ObjectCalls(ContextCore):
    """Shaders of the stages of draws, and the binding of state objects. Each method is a row of the table of calls."""

    def bind_blend_state(self, handle: StateObject[BlendState] | None) -> None:
        """Bind a blend object. With None, nothing is blended and all channels are written. (context.rst, "CSO State")"""
        bind_object(self, handle, "blend", Word.BLEND, Kind.BLEND)

    def destroy_blend_state(self, handle: StateObject[BlendState]) -> None:
        """Destroy a blend object. (context.rst, "CSO State")"""
        self._destroy_object(handle, "blend")

    delete_blend_state = destroy_blend_state

    def bind_rasterizer_state(self, handle: StateObject[RasterizerState] | None) -> None:
        """Bind a rasterizer object. None binds the defaults. (context.rst, "CSO State")"""
        bind_object(self, handle, "rasterizer", Word.RASTERIZER, Kind.RASTERIZER)

    def destroy_rasterizer_state(self, handle: StateObject[RasterizerState]) -> None:
        """Destroy a rasterizer object. (context.rst, "CSO State")"""
        self._destroy_object(handle, "rasterizer")

    delete_rasterizer_state = destroy_rasterizer_state

    def bind_depth_stencil_alpha_state(self, handle: StateObject[DepthStencilAlphaState] | None) -> None:
        """Bind a depth-stencil-alpha object. With None, nothing is tested, and depth and stencil are not written.

        (context.rst, "CSO State")
        """
        bind_object(self, handle, "depth_stencil_alpha", Word.DEPTH_STENCIL_ALPHA, Kind.DEPTH_STENCIL_ALPHA)

    def destroy_depth_stencil_alpha_state(self, handle: StateObject[DepthStencilAlphaState]) -> None:
        """Destroy a depth-stencil-alpha object. (context.rst, "CSO State")"""
        self._destroy_object(handle, "depth_stencil_alpha")

    delete_depth_stencil_alpha_state = destroy_depth_stencil_alpha_state

    def bind_vertex_elements_state(self, handle: StateObject[tuple[VertexElement, ...]] | None) -> None:
        """Bind a vertex elements object. With None, shader inputs read 0, 0, 0, 1. (context.rst, "CSO State")"""
        bind_object(self, handle, "vertex_elements", Word.VERTEX_ELEMENTS, Kind.VERTEX_ELEMENTS)

    def destroy_vertex_elements_state(self, handle: StateObject[tuple[VertexElement, ...]]) -> None:
        """Destroy a vertex elements object. (context.rst, "CSO State")"""
        self._destroy_object(handle, "vertex_elements")

    delete_vertex_elements_state = destroy_vertex_elements_state

    def destroy_sampler_state(self, handle: StateObject[SamplerState]) -> None:
        """Destroy a sampler object. (context.rst, "CSO State")"""
        self._destroy_object(handle, "sampler")

    delete_sampler_state = destroy_sampler_state

    def bind_link_state(self, handle: StateObject[LinkState] | None) -> None:
        """Bind a link state. None binds the identity. (an extension)"""
        bind_object(self, handle, "link", Word.LINK, None)

    def destroy_link_state(self, handle: StateObject[LinkState]) -> None:
        """Destroy a link state. (an extension)"""
        self._destroy_object(handle, "link")

    delete_link_state = destroy_link_state

    @shown_at_caller
    def create_vs_state(self, program: Program | str | bytes, *, stream_output: StreamOutputInfo | None = None) -> Shader:
        """Create a vertex shader from a program, a text of TGSI or GLSL, or a SPIR-V module. (context.rst, "CSO State")

        Raises:
            ParseError, ValidationError: the text has errors, or breaks a rule; every finding is in the exception.
            UnsupportedError: GLSL needs the extra ``tgsi[glsl]``, or TGSI has no words for the shader.
            ValueError: the program is of another stage, or `stream_output` is wrong; the message names the field.
        """
        return create_shader(self, program, Processor.VERT, stream_output)

    def bind_vs_state(self, shader: Shader | None) -> None:
        """Bind a vertex shader. With None, draws are refused. (context.rst, "CSO State")"""
        bind_shader(self, shader, Processor.VERT)

    def destroy_vs_state(self, shader: Shader) -> None:
        """Destroy a vertex shader; pending draws keep it. (context.rst, "CSO State")"""
        destroy_shader(self, shader, Processor.VERT)

    delete_vs_state = destroy_vs_state

    @shown_at_caller
    def create_fs_state(self, program: Program | str | bytes) -> Shader:
        """Create a fragment shader from a program or its text; errors as `create_vs_state`. (context.rst, "CSO State")"""
        return create_shader(self, program, Processor.FRAG)

    def bind_fs_state(self, shader: Shader | None) -> None:
        """Bind a fragment shader. With None, only depth and stencil are written. (context.rst, "CSO State")"""
        bind_shader(self, shader, Processor.FRAG)

    def destroy_fs_state(self, shader: Shader) -> None:
        """Destroy a fragment shader; pending draws keep it. (context.rst, "CSO State")"""
        destroy_shader(self, shader, Processor.FRAG)

    delete_fs_state = destroy_fs_state

    @shown_at_caller
    def create_gs_state(self, program: Program | str | bytes, *, stream_output: StreamOutputInfo | None = None) -> Shader:
        """Create a geometry shader from a program or its text; arguments and errors as `create_vs_state`.

        (context.rst, "CSO State")
        """
        return create_shader(self, program, Processor.GEOM, stream_output)

    def bind_gs_state(self, shader: Shader | None) -> None:
        """Bind a geometry shader. With None, primitives go unchanged to the rasterizer. (context.rst, "CSO State")"""
        bind_shader(self, shader, Processor.GEOM)

    def destroy_gs_state(self, shader: Shader) -> None:
        """Destroy a geometry shader; pending draws keep it. (context.rst, "CSO State")"""
        destroy_shader(self, shader, Processor.GEOM)

    delete_gs_state = destroy_gs_state

    @shown_at_caller
    def create_tcs_state(self, program: Program | str | bytes) -> Shader:
        """Create a tessellation control shader from a program or its text; errors as `create_vs_state`. (context.rst, "CSO State")"""
        return create_shader(self, program, Processor.TESS_CTRL)

    def bind_tcs_state(self, shader: Shader | None) -> None:
        """Bind a tessellation control shader. With None, patches stay unchanged and have the levels of `set_tess_state`.

        (context.rst, "CSO State")
        """
        bind_shader(self, shader, Processor.TESS_CTRL)

    def destroy_tcs_state(self, shader: Shader) -> None:
        """Destroy a tessellation control shader; pending draws keep it. (context.rst, "CSO State")"""
        destroy_shader(self, shader, Processor.TESS_CTRL)

    delete_tcs_state = destroy_tcs_state

    @shown_at_caller
    def create_tes_state(self, program: Program | str | bytes, *, stream_output: StreamOutputInfo | None = None) -> Shader:
        """Create a tessellation evaluation shader from a program or its text; arguments and errors as `create_vs_state`.

        (context.rst, "CSO State")
        """
        return create_shader(self, program, Processor.TESS_EVAL, stream_output)

    def bind_tes_state(self, shader: Shader | None) -> None:
        """Bind a tessellation evaluation shader. Draws then need PATCHES. None turns tessellation off. (context.rst, "CSO State")"""
        bind_shader(self, shader, Processor.TESS_EVAL)

    def destroy_tes_state(self, shader: Shader) -> None:
        """Destroy a tessellation evaluation shader; pending draws keep it. (context.rst, "CSO State")"""
        destroy_shader(self, shader, Processor.TESS_EVAL)

    delete_tes_state = destroy_tes_state

    @shown_at_caller
    def create_ts_state(self, program: Program | str | bytes) -> Shader:
        """Create a task shader from a program or its text; errors as `create_vs_state`. (p_context.h)"""
        return create_shader(self, program, Processor.TASK)

    def bind_ts_state(self, shader: Shader | None) -> None:
        """Bind a task shader. With None, the grid of `draw_mesh_tasks` is that of the mesh shader. (p_context.h)"""
        bind_shader(self, shader, Processor.TASK)

    def destroy_ts_state(self, shader: Shader) -> None:
        """Destroy a task shader; pending draws keep it. (p_context.h)"""
        destroy_shader(self, shader, Processor.TASK)

    delete_ts_state = destroy_ts_state

    @shown_at_caller
    def create_ms_state(self, program: Program | str | bytes) -> Shader:
        """Create a mesh shader from a program or its text; errors as `create_vs_state`. (p_context.h)"""
        return create_shader(self, program, Processor.MESH)

    def bind_ms_state(self, shader: Shader | None) -> None:
        """Bind a mesh shader. Then `draw_mesh_tasks` draws, and `draw_vbo` is refused. With None, it is reversed. (p_context.h)"""
        bind_shader(self, shader, Processor.MESH)

    def destroy_ms_state(self, shader: Shader) -> None:
        """Destroy a mesh shader; pending draws keep it. (p_context.h)"""
        destroy_shader(self, shader, Processor.MESH)

    delete_ms_state = destroy_ms_state
