"""``tgsi-vtest``: a server for Mesa's virpipe driver, through which unmodified OpenGL programs draw with a Gallium context.

`cli` parses the options. `server` listens on a unix socket and forks a process per client. In that process `session` answers the messages
of the connection, and `commands` has a function for each command of a SUBMIT_CMD message, which calls the Context of a sub-context.
`protocol` has the numbers and transports bytes. `replay` runs recorded streams again. docs/vtest.md is the manual.
"""

import os

if not hasattr(os, "fork") or not hasattr(os, "memfd_create"):
    raise ImportError("tgsi-vtest serves Mesa's drivers and needs Linux, or a system with fork(); tgsi.Screen works here")
