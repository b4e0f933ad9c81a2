"""LLVM's description of this machine and its version, which the keys of all objects contain.

Loading LLVM takes 0.1 s, more than everything else that a draw from the object cache needs. So the description is stored in that cache
(`engine.object_cache.recall_host`), under a key of `surroundings`; it is valid while these are unchanged.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from itertools import takewhile
from pathlib import Path

import llvmlite

from tgsi.language.record import record

_OF_NUMPY = ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath")
CPU_INFO, BOOT = Path("/proc/cpuinfo"), Path("/proc/sys/kernel/random/boot_id")


@record
class Host:
    """The machine of this process in LLVM's terms. features: names with + or -, comma separated. version: of LLVM and llvmlite."""

    triple: str
    processor: str
    features: str
    version: str

    def has(self, feature: str) -> bool:
        """True if the machine has one of LLVM's features."""
        return f"+{feature}" in self.features.split(",")

    @property
    def llvm(self) -> str:
        """Version of LLVM alone."""
        return self.version.partition(" LLVM ")[2]

    def pack(self) -> bytes:
        """Encode as bytes; `unpack` is the inverse."""
        return "\n".join((self.triple, self.processor, self.features, self.version)).encode()

    @classmethod
    def unpack(cls, data: bytes) -> Host:
        """Decode the bytes of `pack`. TypeError or ValueError for others."""
        return cls(*data.decode().split("\n"))


def detect() -> Host:
    """Detect the host with LLVM."""
    import llvmlite.binding as llvm

    version = f"llvmlite {llvmlite.__version__} LLVM {'.'.join(map(str, llvm.llvm_version_info))}"
    try:
        features = llvm.get_host_cpu_features().flatten()
    except RuntimeError:  # LLVM cannot detect this processor
        features = ""
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), features, version)


def cpu_flags() -> str:
    """Features of this process's CPU as detected by numpy; an empty string if numpy does not report them."""
    module = next((candidate for name in _OF_NUMPY if (candidate := sys.modules.get(name)) is not None), None)
    return " ".join(name for name, is_there in getattr(module, "__cpu_features__", {}).items() if is_there)


@functools.cache
def surroundings() -> str | None:
    """Text that changes when LLVM's description may change; None on systems without Linux's files.

    It names the machine's boot (a restarted machine may have another CPU or hypervisor), its first CPU with all flags, features that numpy
    detected in this process (as files in an emulator describe the host), and the installed llvmlite.
    """
    try:
        with CPU_INFO.open() as lines:  # a paragraph for each CPU
            first_cpu = [line for line in takewhile(str.strip, lines) if not line.startswith("cpu MHz")]
        installed = (Path(llvmlite.__path__[0]) / "binding").stat().st_mtime_ns
        return "\n".join((BOOT.read_text(), *os.uname(), *first_cpu, cpu_flags(), llvmlite.__version__, str(installed)))
    except (OSError, AttributeError):
        return None


def llvm_lock() -> threading.RLock | None:
    """The lock that llvmlite holds during each call of LLVM, once it is loaded."""
    return getattr(getattr(getattr(sys.modules.get("llvmlite.binding.ffi"), "lib", None), "_lock", None), "_lock", None)


class _Known:
    """The description that this process uses, from LLVM or from an earlier process."""

    host: Host | None = None


def host() -> Host:
    """LLVM's description, the same for the whole process."""
    if _Known.host is None:
        _Known.host = detect()
    return _Known.host


def is_known() -> bool:
    """True if the host is already detected."""
    return _Known.host is not None


def use(known: Host) -> None:
    """Use the description stored by an earlier process."""
    _Known.host = known
