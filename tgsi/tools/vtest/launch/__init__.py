"""``tgsi-vtest run``: a server for one command, and the environment that leads the command's programs to it.

`run` has the order of events. `known_path` redirects the path that Mesa connects to, `namespaces` has the system calls for that, `display`
starts Xvfb, `environment` has the variables, and `leftovers` ends processes that a command leaves running.
"""
