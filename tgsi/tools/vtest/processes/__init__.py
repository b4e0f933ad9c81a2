"""Processes of the server: its socket, waiting connections, a process for each client, and the limits of a client.

`limits` has the figures. `address` makes the socket. `door` reads handshakes and chooses who is served next. `children` forks, reaps and
watches; it is the loop of the parent process.
"""
