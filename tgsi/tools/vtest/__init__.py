"""`tgsi-vtest`: a server for Mesa's virpipe driver, through which unmodified OpenGL programs draw with a Gallium context.

transport (wire, server) -> messages (session) -> commands (table and the modules that fill it) -> Context.
"""
