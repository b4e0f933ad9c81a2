"""Parts of ``tgsi-compile``: options, files, and one module per action.

`cli` is the entry point and chooses the action: `emit` (print or compile), `link`, `run` (execute) or `explain`. `options` declares the
command line; `targets`, `passes` and `run` add their own options to it. `files` reads shaders and writes results, `front` parses and
validates. Errors that end the command are `errors.UsageError`.
"""
