"""System calls that a compiler never makes, as a filter of Linux's seccomp: sockets, signals, other processes, keys, name spaces.

Landlock guards only files and TCP; sockets of other kinds, such as that of a desktop's bus, would be a way out.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

_X86_64, _GENERIC = 0, 1

_ARCHITECTURES: Mapping[str, tuple[int, int]] = {
    "x86_64": (0xC000003E, _X86_64),
    "aarch64": (0xC00000B7, _GENERIC),
    "riscv64": (0xC00000F3, _GENERIC),
}
"""Machine -> the kernel's AUDIT_ARCH, and the column of `REFUSED`."""

REFUSED: Mapping[str, tuple[int, int]] = {
    "socket": (41, 198), "connect": (42, 203), "io_uring_setup": (425, 425),
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "pidfd_getfd": (438, 438),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "shmget": (29, 194), "shmat": (30, 196), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "mount": (165, 40), "unshare": (272, 97), "setns": (308, 268),
}  # fmt: skip
"""Call -> its number on x86-64, and in the kernel's generic table (AArch64, RISC-V)."""

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # of classic BPF, words with constants
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in seccomp_data
_ALLOW, _EPERM, _KILL = 0x7FFF0000, 0x00050001, 0x80000000
_X32 = 0x40000000
"""First number of x32's calls on x86-64, which are refused as a whole: they have other numbers than those in the filter."""


def filter_program(machine: str) -> bytes:
    """Instructions (sock_filter) for a machine by its name of `os.uname`; empty for one whose numbers are not in the table.

    Refused calls fail with EPERM. A call of another architecture, such as int 0x80 on x86-64, ends the process.
    """
    if machine not in _ARCHITECTURES:
        return b""
    architecture, column = _ARCHITECTURES[machine]
    tests = [(_EQUAL, numbers[column]) for numbers in REFUSED.values()]
    if machine == "x86_64":
        tests.append((_AT_LEAST, _X32))
    code = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    code += [(test, len(tests) - index, 0, number) for index, (test, number) in enumerate(tests)]
    code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM)]
    return b"".join(struct.pack("=HBBI", *line) for line in code)
