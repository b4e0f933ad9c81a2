"""The screen's answers: names, capabilities, formats, memory, and the refusal of sharing with other processes."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from backends.device.grid import compute_units
from backends.formats import WIDE, AnyFormat, Format, WideFormat
from backends.gallium.resource.format_support import supported_binds
from backends.gallium.resource.layout import SAMPLE_COUNTS, Accounting
from backends.pipe.checks import any_format, integer, refuse
from backends.pipe.checks import flags as as_flags
from backends.pipe.enums import Bind, DriverQuery, ShaderType, TextureTarget, lookup


class Capabilities:
    """The part of a screen that answers questions and changes nothing."""

    cpu: str
    threads: int | None
    cache_dir: Path | None
    memory: Accounting

    def get_name(self) -> str:
        """Return the name of the device. (screen.rst, "get_name")"""
        return f"tgsi ({self.cpu})"

    def get_vendor(self) -> str:
        """Return the vendor of the driver. (screen.rst, "get_vendor")"""
        return "tgsi"

    def get_device_vendor(self) -> str:
        """Return the vendor of the device: the machine's architecture. (screen.rst, "get_device_vendor")"""
        return os.uname().machine if hasattr(os, "uname") else "unknown"

    def get_param(self, cap: str) -> int:
        """Return the value of a PIPE_CAP, named with or without that prefix. ValueError, with the nearest name, for an unknown one.

        (screen.rst, "get_param")
        """
        from backends.gallium.screen.caps import CAPS, cap_name  # here and below: draws need no capabilities

        name = cap_name(cap, "PIPE_CAP_", CAPS, "get_param: cap")
        return _memory_mib() if name == "VIDEO_MEMORY" else CAPS[name]

    def get_paramf(self, cap: str) -> float:
        """Return the value of a PIPE_CAPF. (screen.rst, "get_paramf")"""
        from backends.gallium.screen.caps import CAPFS, cap_name

        return CAPFS[cap_name(cap, "PIPE_CAPF_", CAPFS, "get_paramf: cap")]

    def get_shader_param(self, stage: ShaderType | int | str, cap: str) -> int:
        """Return the value of a PIPE_SHADER_CAP for a stage; 0 for stages without an engine. (screen.rst, "PIPE_SHADER_CAP_*")"""
        from backends.gallium.screen.caps import cap_name, shader_caps

        known = shader_caps(lookup(ShaderType, stage, "get_shader_param: stage"))
        return known[cap_name(cap, "PIPE_SHADER_CAP_", known, "get_shader_param: cap")]

    def get_compute_param(self, cap: str, *, ir: str = "TGSI") -> str | int | tuple[int, ...]:
        """Return the value of a PIPE_COMPUTE_CAP: a string, a number, or one for each axis. (screen.rst, "PIPE_COMPUTE_CAP_*")"""
        from backends.gallium.screen.caps import COMPUTE_CAPS, cap_name

        name = cap_name(cap, "PIPE_COMPUTE_CAP_", COMPUTE_CAPS, "get_compute_param: cap")
        return compute_units(self.threads) if name == "MAX_COMPUTE_UNITS" else COMPUTE_CAPS[name]

    def get_mesh_param(self, cap: str) -> int | tuple[int, ...]:
        """Return a limit of task and mesh shaders: a number, or one for each axis, e.g. of MAX_MESH_OUTPUT_VERTICES. (an extension)"""
        from backends.gallium.screen.caps import MESH_CAPS, cap_name

        return MESH_CAPS[cap_name(cap, "PIPE_MESH_CAP_", MESH_CAPS, "get_mesh_param: cap")]

    def get_video_param(self, profile: Any = None, entrypoint: Any = None, param: Any = None) -> int:
        """Return 0: no video. (p_screen.h)"""
        return 0

    def is_video_format_supported(self, format: Any, profile: Any = None, entrypoint: Any = None) -> bool:
        """Return False: no video. (p_screen.h)"""
        return False

    def get_timestamp(self) -> int:
        """Return nanoseconds of the same clock as TIMESTAMP queries. (screen.rst, "get_timestamp")"""
        return time.monotonic_ns()

    def get_driver_query_info(self, index: int | None = None) -> int | dict[str, Any] | None:
        """Return the number of driver queries without an index, otherwise the fields of pipe_driver_query_info, or None.

        (screen.rst, "get_driver_query_info")
        """
        if index is None:
            return len(DriverQuery)
        number = integer(index, "get_driver_query_info: index", -(1 << 31))
        if not 0 <= number < len(DriverQuery):
            return None
        kind = [*DriverQuery][number]
        name = kind.name.lower().replace("_", "-")
        return {"name": name, "query_type": int(kind), "max_value": 0, "type": "UINT64", "result_type": "CUMULATIVE", "group_id": -1}

    def get_driver_query_group_info(self, index: int | None = None) -> int | dict[str, Any] | None:
        """Return the number of groups of driver queries (0) without an index, otherwise None.

        (screen.rst, "get_driver_query_group_info")
        """
        return 0 if index is None else None

    def get_sample_pixel_grid(self, sample_count: int) -> tuple[int, int]:
        """Return the pixels over which a pattern of sample locations repeats: 1 x 1. (screen.rst, "PIPE_CAP_*")"""
        integer(sample_count, "get_sample_pixel_grid: sample_count", 0, 32)
        return (1, 1)

    def query_memory_info(self) -> dict[str, int]:
        """Return memory in KiB by the names of pipe_memory_info, and `used_bytes`, `peak_bytes` of living resources. (p_screen.h)"""
        total = _memory_mib() * 1024
        free = max(0, total - self.memory.used // 1024)
        return {
            "total_device_memory": total,
            "avail_device_memory": free,
            "total_staging_memory": total,
            "avail_staging_memory": free,
            "device_memory_evicted": 0,
            "nr_device_memory_evictions": 0,
            "used_bytes": self.memory.used,
            "peak_bytes": self.memory.peak,
        }

    def get_compiler_options(self, ir: Any = None, stage: Any = None) -> None:
        """Return None: TGSI has no compiler options. (p_screen.h)"""

    def get_disk_shader_cache(self) -> Path | None:
        """Return the directory of the object cache, None if there is no cache. (screen.rst, "get_disk_shader_cache")"""
        return self.cache_dir

    def get_driver_uuid(self) -> bytes:
        """Return sixteen zero bytes: memory is not shared with other drivers. (p_screen.h)"""
        return bytes(16)

    def get_device_uuid(self) -> bytes:
        """Return sixteen zero bytes: memory is not shared with other devices. (p_screen.h)"""
        return bytes(16)

    def is_format_supported(
        self,
        format: AnyFormat | WideFormat | str,
        *,
        target: TextureTarget | int | str = TextureTarget.TEXTURE_2D,
        sample_count: int = 0,
        storage_sample_count: int = 0,
        bind: Bind | int | str | Sequence[str] = Bind.SAMPLER_VIEW,
    ) -> bool:
        """Return True if a resource of this format and target can be used in every way that `bind` names. False for unknown formats.

        The format NONE means framebuffers without attachments, with `sample_count` samples.

        (screen.rst, "is_format_supported")
        """
        samples = max(1, integer(sample_count, "is_format_supported: sample_count", 0, 32))
        storage = integer(storage_sample_count, "is_format_supported: storage_sample_count", 0, 32)
        if isinstance(format, str) and format in ("NONE", "PIPE_FORMAT_NONE"):
            return samples in SAMPLE_COUNTS and storage in (0, samples)
        if isinstance(format, WideFormat) or (isinstance(format, str) and format.removeprefix("PIPE_FORMAT_") in WIDE):
            uses = as_flags(Bind, bind, "is_format_supported: bind")
            return lookup(TextureTarget, target, "is_format_supported: target") is TextureTarget.BUFFER and uses is Bind.VERTEX_BUFFER
        try:
            checked = any_format(format, "is_format_supported: format")
        except ValueError:
            return False
        kind = lookup(TextureTarget, target, "is_format_supported: target")
        wanted = as_flags(Bind, bind, "is_format_supported: bind")
        if storage not in (0, samples):
            return False
        possible = supported_binds(checked, kind, samples)
        return not wanted & ~possible and (samples == 1 or bool(possible))

    # -- sharing with others: none ---------------------------------------------------------------------------------------
    def query_dmabuf_modifiers(self, format: Format | str) -> tuple[int, ...]:
        """Return no modifiers: nothing is shared by dmabuf. (p_screen.h)"""
        return ()

    def resource_from_handle(self, *handle: Any, **keywords: Any) -> NoReturn:
        """Refuse handles: nothing is shared with other processes. (p_screen.h)"""
        refuse("resource_from_handle")

    def resource_get_handle(self, *handle: Any, **keywords: Any) -> NoReturn:
        """Refuse handles: nothing is shared with other processes. (p_screen.h)"""
        refuse("resource_get_handle")

    def resource_from_memobj(self, *handle: Any, **keywords: Any) -> NoReturn:
        """Refuse memory objects: MEMOBJ is 0. (p_screen.h)"""
        refuse("resource_from_memobj")

    def memobj_create_from_handle(self, *handle: Any, **keywords: Any) -> NoReturn:
        """Refuse memory objects: MEMOBJ is 0. (p_screen.h)"""
        refuse("memobj_create_from_handle")

    def memobj_destroy(self, *handle: Any) -> NoReturn:
        """Refuse memory objects: MEMOBJ is 0. (p_screen.h)"""
        refuse("memobj_destroy")


def _memory_mib() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    except (AttributeError, ValueError, OSError):
        return 1024
