"""Traces: recording every call of a context in a file, and playing the file.

`traced_context` is the context whose calls are recorded, `tracer` records them, `trace_file` writes the file; `trace_player` plays it,
`watched_targets` saves its pictures, and `printing` prints it as JSON. Commands and their layout are those of
`backends.gallium.context.recording`.

May import `backends.gallium.context` and everything below it. Read next: `traced_context`, then `tracer`.
"""
