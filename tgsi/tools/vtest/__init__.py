"""``tgsi-vtest``: a server for Mesa's virpipe driver, through which unmodified OpenGL programs draw with a Gallium context.

`cli` parses the options. `server` listens on a unix socket and forks a process per client. In that process `wire` transports bytes,
`messages` answers the messages of the connection, and `session` runs the commands of a SUBMIT_CMD message. The commands are rows of
`table`, filled by one module per family (`states`, `shaders`, `textures`, `draws` ...), and call the Context of a `subcontext`. The
protocol's numbers are in `numbers`. docs/vtest.md is the manual.
"""

import os

if not hasattr(os, "fork") or not hasattr(os, "memfd_create"):
    raise ImportError(
        "tgsi-vtest serves drivers of Mesa and needs Linux, or a system that forks processes as Linux does; tgsi.Screen works here"
    )
