"""``tgsi-vtest run``: a server for one command, and the surroundings in which the command's programs find it.

`run` is the order of events. `known_path` leads the path that Mesa connects to to our socket, `namespaces` has the system calls for
that, `display` starts Xvfb, `environment` has the variables, and `leftovers` ends what a command leaves running.
"""
