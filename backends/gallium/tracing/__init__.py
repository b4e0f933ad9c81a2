"""Traces: every call of a context in a file, and the file as calls again.

`traced_context` is the context whose calls are recorded, `tracer` records them, `trace_file` writes the file; `trace_player` plays it,
`watched_targets` shows what it drew, and `printing` shows it as readable lines. Commands and their layout are those of
`backends.gallium.context.recording`.

May import `backends.gallium.context` and what lies below it. Read next: `traced_context`, then `tracer`.
"""
