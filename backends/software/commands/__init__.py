"""The executor: generated code that takes draws of a context, if Python has seen the combination of bound objects before.

`records` has the records. `lookup`, `environments`, `vertices`, `assembly` and `spans` generate the steps of a draw, and `draws` their
sequence; `templates` creates a template from a packet; `executor` owns memory, templates and the queue of a flush.

May import `backends.raster` and the floors below. It runs once a draw. Read next: `draws`, then `executor`.
"""
