"""Parts of ``tgsi-compile``: options, files, and one module per action.

`cli` is the entry point and chooses the action, whose module is loaded only then: `emit` (check, print or compile), `fix`, `link`, `run`,
`draw` or `explain`. `options` declares the command line; `targets`, `passes`, `state` and modules whose names end in `options` add to it.
`files` reads shaders and writes results, `front` parses and validates, `batch` has folders, reports and --watch, `lexicon` the names that
`explain` explains. Errors that end the command are `errors.UsageError`.
"""
