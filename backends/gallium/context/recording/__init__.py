"""Recorded commands: calls of a context as words, and words as calls again.

`methods` is the table of the methods that are recorded, `values` writes and reads arguments, `encoder` writes calls, `decoder` reads them,
`player` carries them out, `bundle` and `bundles` implement `Context.record` and `Context.replay`. The layout is that of
`backends.device.commands.layout`.

May import the leaves of `backends.gallium.context` and the floors below, but not the context itself. Read next: `methods`, then `encoder`.
"""
