"""``tgsi-inspect``: a trace, a stream or a context as one page of HTML.

The command begins in `cli`, `tgsi.inspect` in `live`. `sources` finds the calls, `collect` plays them: `states` follows the bound state,
`pictures` keeps what each draw has changed, `counting` its cost and overdraw; `resources`, `shaders` and `links` describe the objects.
`page` joins all of it with page.js and page.css, under a content security policy that lets nothing else run. docs/inspect.md is the guide.
"""
