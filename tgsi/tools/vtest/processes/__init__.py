"""Processes of the server: its socket, the connections that wait, a process for each client, and what a client may use.

`limits` has the figures. `address` makes the socket. `door` reads handshakes and chooses who is served next. `children` forks, reaps and
watches; it is the loop of the parent process.
"""
