"""The renderer behind a Gallium context: draws become batches of primitives, a flush runs them on native threads.

    class Renderer:
        Renderer(threads: int | None = None, lanes: int | None = None, cpu: str = "host", cache: ObjectCache | None = None)
            threads: native workers beside the caller (None: CPUs - 1; 0: the caller alone). lanes: None picks per shader.
        set_framebuffer(framebuffer: Framebuffer) -> None
            Flushes when the targets differ from the bound ones.
        clear(buffers: int, color: tuple[int, int, int, int], depth: float, stencil: int) -> None
            buffers: PIPE_CLEAR_* bits. color: four raw 32-bit words (float bits; integers for pure integer formats).
            Whole surfaces, all layers. Never applies a scissor or a write mask.
        draw(state: DrawState, info: DrawInfo) -> None
            Raises UnsupportedError (naming the thing) before anything is drawn. info is state.DrawInfo without `indirect`
            and `count_from_stream_output`, which the context resolves; the index buffer is state.index_buffer.
        flush() -> None                     everything so far is in memory
        uses(address: int, size: int) -> bool   pending work reads or writes these bytes (then flush before touching them)
        pending -> bool                     property: there is something to flush
        statistics() -> Statistics          flushes, returns running totals (see DrawState.count_*)
        close() -> None                     flushes, joins the workers; also a context manager

A Renderer has one owner at a time; kernels are shared by all renderers of the process.
"""
