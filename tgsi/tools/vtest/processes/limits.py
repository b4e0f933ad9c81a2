"""Limits of a client and of the server, each with its default and its unit."""

from __future__ import annotations

import resource
from collections.abc import Mapping

from tgsi.language.record import record

MIB = 1 << 20
MOST = 1 << 30
"""The largest value of a limit."""


@record(kw_only=True)
class Limits:
    """Limits by the names of their options."""

    clients: int = 32
    clients_per_user: int = 0
    waiting: int = 64
    handshake_seconds: float = 5.0
    memory_mib: int = 8192
    address_space_mib: int = 24576
    command_seconds: float = 120.0
    compile_seconds: float = 60.0
    max_cpu: int = 0

    @property
    def memory(self) -> int:
        """The most bytes of a client's account."""
        return self.memory_mib * MIB

    @property
    def share(self) -> int:
        """The most clients of one user."""
        return self.clients_per_user or -(-3 * self.clients // 4)


MEANINGS: Mapping[str, tuple[str, float, str]] = {
    "clients": ("N", 1, "most clients served at once; further ones wait"),
    "clients_per_user": ("N", 0, "most clients of a user served at once; 0: three quarters of --clients"),
    "waiting": (
        "N",
        1,
        "most connections waiting for their first message or to be served; beyond that, one of the user with most is closed",
    ),
    "handshake_seconds": ("SECONDS", 0.01, "time limit of a connection's first message"),
    "memory_mib": ("MIB", 1, "most memory of a client: resources, shared memory, transfers, texts of shaders, objects"),
    "address_space_mib": ("MIB", 0, "most address space of a client's process (RLIMIT_AS); 0: no limit"),
    "command_seconds": ("SECONDS", 0, "most processor time of one command, in all threads together; 0: no limit"),
    "compile_seconds": ("SECONDS", 0, "most processor time of the compilation of one kernel; 0: no limit"),
    "max_cpu": ("SECONDS", 0, "most processor time of a client in all (RLIMIT_CPU); 0: no limit"),
}
"""Unit, least value and meaning of each limit, for ``--help``."""


def confine(limits: Limits) -> None:
    """Apply the limits enforced by the system to this process. The hard limit of the system is never exceeded."""
    wanted = ((resource.RLIMIT_AS, limits.address_space_mib * MIB), (resource.RLIMIT_CPU, limits.max_cpu))
    for what, most in wanted:
        _, hard = resource.getrlimit(what)
        if most and (hard == resource.RLIM_INFINITY or most <= hard):
            resource.setrlimit(what, (most, most))
