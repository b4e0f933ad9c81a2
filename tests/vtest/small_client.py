"""A program that draws through a server as Mesa's driver would, with the messages of `encoder`; test_run starts it.

    python small_client.py STREAM.bin BYTES [SECONDS]

Sends a stream to the socket that VTEST_SOCKET_NAME names, waits for so many bytes of replies, prints their last four, then sleeps.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path


def main(stream: str, count: str, seconds: str = "0") -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.settimeout(60)
        server.connect(os.environ["VTEST_SOCKET_NAME"])
        server.sendall(Path(stream).read_bytes())
        data = b""
        while len(data) < int(count):
            more = server.recv(1 << 16)
            assert more, "the server went away"
            data += more
        print(*data[-4:], flush=True)
        time.sleep(float(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
