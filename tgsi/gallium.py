"""Gallium: the screen, the context, and every state template, enumeration and format by its Gallium name.

from tgsi import gallium as g

The public Screen is Gallium's with the software device, unless another device is given.
"""

import os as _os
import typing as _typing

from backends.formats import Format
from backends.formats import arrays as texels
from backends.gallium.context.context import Context
from backends.gallium.context.grid_info import ComputeStateInfo, GridInfo
from backends.gallium.context.handles import StateObject, vertex_elements
from backends.gallium.context.query_kinds import Query
from backends.gallium.context.shader_memory import ImageView, ShaderBuffer
from backends.gallium.resource.layout import Template
from backends.gallium.resource.resource import Box, Resource
from backends.gallium.resource.transfer import TransferMap
from backends.gallium.resource.view import FramebufferState, SamplerView, Surface
from backends.gallium.screen.screen import INFINITE
from backends.gallium.screen.screen import Screen as _GalliumScreen
from backends.gallium.threads.fence import Fence
from backends.pipe.checks import show_as as _show_as
from backends.pipe.checks import truth as _truth
from backends.pipe.enums import (
    Barrier,
    Bind,
    BlendFactor,
    BlendFunc,
    Clear,
    ColorMask,
    CompareFunc,
    ConservativeRaster,
    ContextFlags,
    Endian,
    Face,
    FlushFlags,
    ImageAccess,
    LogicOp,
    PolygonMode,
    Prim,
    QueryType,
    RenderCond,
    ResetStatus,
    ResourceFlags,
    ShaderIr,
    ShaderType,
    SpriteCoordMode,
    StencilOp,
    Swizzle,
    TexCompare,
    TexFace,
    TexFilter,
    TexMipFilter,
    TextureBarrier,
    TextureTarget,
    TexWrap,
    Transfer,
    Usage,
    lookup,
)
from backends.pipe.state import (
    AlphaState,
    BlendColor,
    BlendState,
    ClipState,
    DepthState,
    DepthStencilAlphaState,
    DrawInfo,
    PolyStipple,
    RasterizerState,
    RenderTargetBlend,
    SamplerState,
    ScissorState,
    StencilRef,
    StencilState,
    StreamOutput,
    StreamOutputInfo,
    VertexBuffer,
    VertexElement,
    ViewportState,
)
from tgsi.language._collector import collector_paused as _collector_paused
from tgsi.language.diagnostics import ValidationWarning

if _typing.TYPE_CHECKING:
    from backends.device import interface as _device

__all__ = [
    "INFINITE",
    "AlphaState",
    "Barrier",
    "Bind",
    "BlendColor",
    "BlendFactor",
    "BlendFunc",
    "BlendState",
    "Box",
    "Clear",
    "ClipState",
    "ColorMask",
    "CompareFunc",
    "ComputeStateInfo",
    "ConservativeRaster",
    "Context",
    "ContextFlags",
    "DepthState",
    "DepthStencilAlphaState",
    "DrawInfo",
    "Endian",
    "Face",
    "Fence",
    "FlushFlags",
    "Format",
    "FramebufferState",
    "GridInfo",
    "ImageAccess",
    "ImageView",
    "LogicOp",
    "PolyStipple",
    "PolygonMode",
    "Prim",
    "Query",
    "QueryType",
    "RasterizerState",
    "RenderCond",
    "RenderTargetBlend",
    "ResetStatus",
    "Resource",
    "ResourceFlags",
    "SamplerState",
    "SamplerView",
    "ScissorState",
    "Screen",
    "ShaderBuffer",
    "ShaderIr",
    "ShaderType",
    "SpriteCoordMode",
    "StateObject",
    "StencilOp",
    "StencilRef",
    "StencilState",
    "StreamOutput",
    "StreamOutputInfo",
    "Surface",
    "Swizzle",
    "Template",
    "TexCompare",
    "TexFace",
    "TexFilter",
    "TexMipFilter",
    "TexWrap",
    "TextureBarrier",
    "TextureTarget",
    "Transfer",
    "TransferMap",
    "Usage",
    "ValidationWarning",
    "VertexBuffer",
    "VertexElement",
    "ViewportState",
    "lookup",
    "texels",
    "vertex_elements",
]


class _Software:
    """The software device. Its modules, and llvmlite, load with the first context, not with a screen."""

    def make_device(self, settings: "_device.Settings") -> "_device.Device":
        with _collector_paused(promote=True):  # objects made by modules and renderers stay alive
            from backends.software.device import make_device

            return make_device(settings)

    def make_dispatcher(self, settings: "_device.Settings") -> "_device.Dispatcher":
        from backends.software.device import make_dispatcher

        return make_dispatcher(settings)

    def make_kernel_lister(self, settings: "_device.Settings") -> "_device.KernelLister":
        from backends.software.device import make_kernel_lister

        return make_kernel_lister(settings)


_SOFTWARE: "_device.DeviceFactory" = _Software()
"""The only mention of the software device in `tgsi`."""


class _Insight:
    """Explanations of pictures. Their modules load with the first question."""

    def __getattr__(self, name: str) -> _typing.Any:
        from tgsi.insight import answers

        return getattr(answers, name)


_INSIGHT = _Insight()


class _Validation:
    """Checks in front of devices. Their modules load with the first context of a screen that validates."""

    def device(self, device: "_device.Device") -> _typing.Any:
        from tgsi.validation.device import ValidatedDevice

        return ValidatedDevice(device)

    def dispatcher(self, dispatcher: "_device.Dispatcher", device: _typing.Any) -> _typing.Any:
        from tgsi.validation.grids import ValidatedDispatcher

        return ValidatedDispatcher(dispatcher, device.reports)


class Screen(_GalliumScreen):
    """A software device. Thread-safe; contexts made from it are not.

    Args:
        threads: native worker threads in addition to the caller, at most one less than the CPUs (or one); None takes TGSI_THREADS,
            otherwise as many as that.
        lanes: vector lanes of shaders, 8, 16, 32 or 64; None takes TGSI_LANES, otherwise a width is chosen for each shader.
        cpu: "host" or an x86-64 level such as "x86-64-v2"; TGSI_CPU changes the default.
        cache_dir: directory of compiled shaders, by default the user's cache; TGSI_CACHE_DIR changes that. An empty string, or
            TGSI_CACHE=off, turns the cache off. A directory that other users can write to is not used (RuntimeWarning).
        memory_limit: the most bytes that living resources may hold together; None: no limit but the machine's. At the limit, idle contexts
            carry out pending work and release cached resources that are neither bound nor referenced; if that is not enough,
            `resource_create` raises MemoryError.
        time_limit: the most seconds that one call of a context may take, compiling included; None: no limit. A call that takes longer ends
            with TimeLimitError; pending draws are dropped, and the context can be used as before.
        history: contexts keep their latest calls in memory, for `Context.explain`; frames of tiny draws take up to half as long again
            (docs/explain.md).
        history_memory: the most bytes of calls that a context keeps, 4 MiB or more; None: 256 MiB. Older calls are forgotten.
        validate: calls that are legal and almost surely wrong are said once, by a `ValidationWarning` and to the debug callback
            (docs/validation.md). Draws take longer.
        device: makes the devices of contexts (`backends.device.interface.DeviceFactory`); None: the software device.

    The first four do not change the picture.

    Raises:
        TypeError, ValueError: an argument, or its environment variable, is wrong.
    """

    def __init__(
        self,
        threads: int | None = None,
        *,
        lanes: int | None = None,
        cpu: str | None = None,
        cache_dir: str | _os.PathLike[str] | None = None,
        memory_limit: int | None = None,
        time_limit: float | None = None,
        history: bool = False,
        history_memory: int | None = None,
        validate: bool = False,
        device: "_device.DeviceFactory | None" = None,
    ) -> None:
        made = _SOFTWARE if device is None else device
        limits: dict[str, _typing.Any] = {"memory_limit": memory_limit, "time_limit": time_limit, "history_memory": history_memory}
        tools: dict[str, _typing.Any] = {"insight": _INSIGHT, "validation": _Validation() if _truth(validate, "Screen: validate") else None}
        super().__init__(threads, lanes=lanes, cpu=cpu, cache_dir=cache_dir, history=history, device=made, **tools, **limits)


for _name in __all__:
    if isinstance(_kind := globals()[_name], type) and _kind.__name__ == _name:  # Prim is the Primitive of the language
        _show_as(_kind, __name__)


def __dir__() -> list[str]:
    """The promised names."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
