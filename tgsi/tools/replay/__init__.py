"""``tgsi-replay``: plays scenes (recorded Gallium calls with recorded results) through the public Context and compares the results.

The command begins in `cli`. `replay` turns a scene file into a report: `scene` reads and checks the file against the tables of calls
in `ops`, `player` calls the context (handlers in `state_calls`, `resource_calls` and `work_calls`), `compare` compares the outputs in the
units of their formats (`units`), and `images` writes pictures. The scene format is described in docs/scenes.md.
"""
