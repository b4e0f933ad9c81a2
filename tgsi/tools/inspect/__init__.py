"""``tgsi-inspect``: a trace, a stream or a context as one page of HTML.

The command begins in `cli`, `tgsi.inspect` in `live`. `sources` loads the calls, `collect` plays them: `states` follows the bound state,
`pictures` stores the changes of each draw, `counting` its cost and overdraw; `resources`, `shaders` and `links` describe the objects.
`page` combines everything with page.js and page.css, under a content security policy that runs nothing else. docs/inspect.md is the guide.
"""
