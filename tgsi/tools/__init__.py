"""The command-line tools.

- `command`: ``tgsi`` has all of them as subcommands; `completion` completes their options in a shell.
- `cells`: ``%%glsl`` and ``%%tgsi`` in notebooks.
- `compile`: ``tgsi-compile`` checks, prints, compiles, links and runs shaders.
- `inspect`: ``tgsi-inspect`` writes a trace as one page of HTML.
- `replay`: ``tgsi-replay`` plays recorded scenes and compares the results with recorded ones.
- `vtest`: ``tgsi-vtest`` serves Mesa's virpipe driver over the vtest protocol.
- `parsing`: the parser of all commands, whose errors are one line with the nearest name; `nearest`: that name.
- `reference`: writes docs/reference from the tables of facts.

The tools are the top floor of the project: they may import every package, and no package imports them. Each tool begins in its `cli`
module. Heavy imports (numpy, llvmlite, the parser) happen inside functions, so that ``--help`` stays fast.
"""
