"""Processes of the server: its socket, waiting connections, a process for each client, and the limits of a client.

`limits` has the figures. `address` creates the socket. `door` reads handshakes and chooses the next client. `children` forks, reaps and
watches; it is the loop of the parent process.
"""
