"""The part of a screen that makes resources. Contexts use their screen through this class, which keeps them below `gallium.screen`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from backends.device.interface import Device, Dispatcher
from backends.formats import AnyFormat, Format
from backends.gallium.resource.format_support import check_possible, check_template, supported_binds
from backends.gallium.resource.layout import CUBES, Accounting, Template, caller_bytes, levels_of
from backends.gallium.resource.resource import Resource
from backends.pipe.checks import Remembered, any_format, integer, sequence
from backends.pipe.checks import flags as as_flags
from backends.pipe.enums import Bind, ResourceFlags, TextureTarget, Usage, lookup
from backends.pipe.field_list import takes_fields
from tgsi.language.diagnostics import UnsupportedError

if TYPE_CHECKING:
    from backends.pipe.keywords import TemplateFields

MAX_REMEMBERED = 256
_DEFAULTS: dict[str, Any] = {"target": TextureTarget.TEXTURE_2D, "format": None, "width0": 1, "height0": 1, "depth0": 1, "array_size": None}
_DEFAULTS |= {"last_level": 0, "nr_samples": 0, "nr_storage_samples": 0, "bind": None, "usage": Usage.DEFAULT, "flags": ResourceFlags.NONE}
"""Fields of a resource by keyword, with their defaults: those of `resource_create`."""


class ScreenCore(ABC):
    """The base of `Screen`: resources, and the methods that contexts call on their screen.

    validates: contexts check what they are asked for (`Screen(validate=True)`).
    memory: the account of bytes that living resources hold. is_destroyed: further resources and contexts are refused.
    insight: answers questions about contexts (`backends.gallium.context.insight`); None: nobody does.
    """

    insight: Any = None
    validates = False

    def __init__(self, memory_limit: int | None = None) -> None:
        super().__init__()
        self.memory = Accounting(memory_limit)
        self.is_destroyed = False
        self._possible: Remembered[Template] = Remembered(MAX_REMEMBERED)  # programs make many resources alike

    @abstractmethod
    def get_name(self) -> str:
        """Return the name of the device. (screen.rst, "get_name")"""

    @abstractmethod
    def destroy(self) -> None:
        """Destroy the screen's contexts and refuse further work. (p_screen.h)"""

    @abstractmethod
    def make_dispatcher(self, device: Device) -> Dispatcher:
        """Make the dispatcher, which runs the grids of a context of this screen. device: the context's."""

    @abstractmethod
    def finish_writes(self, resource: Resource) -> None:
        """Carry out pending work of every context that writes a resource."""

    def resource_create(
        self,
        template: Template | None = None,
        *,
        target: TextureTarget | int | str = TextureTarget.TEXTURE_2D,
        format: AnyFormat | str | None = None,
        width0: int = 1,
        height0: int = 1,
        depth0: int = 1,
        array_size: int | None = None,
        last_level: int = 0,
        nr_samples: int = 0,
        nr_storage_samples: int = 0,
        bind: Bind | int | str | Sequence[str] | None = None,
        usage: Usage | int | str = Usage.DEFAULT,
        flags: ResourceFlags | int | str | Sequence[str] = ResourceFlags.NONE,
    ) -> Resource:
        """Create a texture or a buffer, zero-filled. (screen.rst, "resource_create")

        Args:
            template: all fields at once, instead of the keywords.
            target: TEXTURE_2D, BUFFER, ...
            format: R8G8B8A8_UNORM by default, R8_UNORM for buffers.
            width0: width in texels; size in bytes for buffers. height0, depth0: likewise.
            height0: see width0.
            depth0: see width0.
            array_size: layers; six for a cube, the default there.
            last_level: the smallest mip level.
            nr_samples: samples a pixel: 0 or 1, or 2, 4, 8, 16 of a 2D texture or array of one level.
            nr_storage_samples: samples with memory: all of them; 0 means the same.
            bind: uses of the resource; all uses that format and target allow when omitted.
            usage: a hint.
            flags: MAP_PERSISTENT, MAP_COHERENT, ...

        Raises:
            TypeError, ValueError: a field is wrong, too large, or the format cannot be used as `bind` says.
            MemoryError: the screen's `memory_limit`, or the machine, has no room for it.
        """
        if template is None:
            sizes, samples = (width0, height0, depth0), (nr_samples, nr_storage_samples)
            arguments = (target, format, sizes, array_size, last_level, samples, bind, usage, flags)
            return self._make("resource_create", self._possible.of(self._possible_template, "resource_create", *arguments), None)
        checked = check_template(template, "resource_create")
        check_possible(checked, "resource_create")
        return self._make("resource_create", checked, None)

    @takes_fields(Template)
    def can_create_resource(self, template: Template | None = None, **keywords: Unpack[TemplateFields]) -> bool:
        """Return True if `resource_create` takes a template, or the keywords, as long as there is memory.

        (screen.rst, "can_create_resource")
        """
        name = "can_create_resource"
        if template is not None and keywords:
            raise TypeError(f"{name}: template: give a template or its fields, not both")
        wanted = self._template_of(name, keywords) if template is None else check_template(template, name)
        try:
            check_possible(wanted, name)
        except (ValueError, UnsupportedError):
            return False
        limit = self.memory.limit
        return limit is None or levels_of(wanted)[1] <= limit

    def _template_of(self, name: str, keywords: Mapping[str, Any]) -> Template:
        """The template of the keywords of `resource_create`. TypeError for another one."""
        fields = {**_DEFAULTS, **keywords}
        if len(fields) > len(_DEFAULTS):
            raise TypeError(f"{name}: no resource has a field {next(field for field in keywords if field not in _DEFAULTS)}")
        sizes = tuple(fields[size] for size in ("width0", "height0", "depth0"))
        samples = fields["nr_samples"], fields["nr_storage_samples"]
        more = (fields[field] for field in ("bind", "usage", "flags"))
        return self._template(name, fields["target"], fields["format"], sizes, fields["array_size"], fields["last_level"], samples, *more)

    def _possible_template(self, name: str, *arguments: Any) -> Template:
        """The template of checked arguments, of which a resource can be made."""
        template = self._template(name, *arguments)
        check_possible(template, name)
        return template

    def resource_from_user_memory(
        self,
        memory: Any,
        template: Template | None = None,
        *,
        target: TextureTarget | int | str = TextureTarget.BUFFER,
        format: AnyFormat | str | None = None,
        width0: int | None = None,
        height0: int = 1,
        bind: Bind | int | str | Sequence[str] | None = None,
    ) -> Resource:
        """Create a resource over memory of the caller: any contiguous buffer, rows without padding. (p_screen.h)

        Mappings show the memory itself. Its bytes are read when work that uses the resource begins, and written when rendering to it is
        flushed.
        The width0 of a buffer defaults to the size of the memory.
        """
        name = "resource_from_user_memory"
        if template is None:
            kind = lookup(TextureTarget, target, f"{name}: target")
            size = len(caller_bytes(memory, f"{name}: memory")) if width0 is None and kind is TextureTarget.BUFFER else width0
            if size is None:
                raise TypeError(f"{name}: width0: it is needed for textures")
            template = self._template(name, kind, format, (size, height0, 1), None, 0, (0, 0), bind, Usage.STREAM, 0)
        checked = check_template(template, name)
        check_possible(checked, name)
        return self._make(name, checked, memory)

    def _template(
        self,
        name: str,
        target: Any,
        format: Any,
        sizes: tuple[int, int, int],
        array_size: int | None,
        last_level: int,
        samples: tuple[int, int],
        bind: Any,
        usage: Any,
        flags: Any,
    ) -> Template:
        kind = lookup(TextureTarget, target, f"{name}: target")
        default: AnyFormat = Format.R8_UNORM if kind is TextureTarget.BUFFER else Format.R8G8B8A8_UNORM
        seen = default if format is None else any_format(format, f"{name}: format")
        width, height, depth = (integer(v, f"{name}: {f}") for f, v in zip(("width0", "height0", "depth0"), sizes))
        return Template(
            width0=width,
            height0=height,
            depth0=depth,
            array_size=integer((6 if kind in CUBES else 1) if array_size is None else array_size, f"{name}: array_size"),
            target=kind,
            format=seen,
            last_level=integer(last_level, f"{name}: last_level"),
            nr_samples=integer(samples[0], f"{name}: nr_samples", 0, 32),
            nr_storage_samples=integer(samples[1], f"{name}: nr_storage_samples", 0, 32),
            bind=supported_binds(seen, kind, samples[0]) if bind is None else as_flags(Bind, bind, f"{name}: bind"),
            usage=lookup(Usage, usage, f"{name}: usage"),
            flags=as_flags(ResourceFlags, flags, f"{name}: flags"),
        )

    def _make(self, name: str, template: Template, memory: Any) -> Resource:
        """A resource of a possible template."""
        if self.is_destroyed:
            raise ValueError(f"{name}: the screen was destroyed")
        try:
            return Resource(self, template, memory)
        except MemoryError as error:
            raise MemoryError(f"{name}: {error}" if str(error) else name) from None

    def resource_destroy(self, resource: Resource) -> None:
        """Release the creator's reference to a resource. It is destroyed with the last reference; views, surfaces, targets and mappings
        have references, too.

        (screen.rst, "resource_destroy")
        """
        self.own_resource(resource, "resource_destroy").destroy()

    def own_resource(self, resource: Any, name: str) -> Resource:
        """The resource of a call. TypeError for another kind of object, ValueError for a resource of another screen."""
        if not isinstance(resource, Resource):
            raise TypeError(f"{name}: resource: expected a Resource, not {type(resource).__name__}")
        if resource.screen is not self:
            raise ValueError(f"{name}: resource: it belongs to another screen")
        return resource

    def resource_changed(self, resource: Resource) -> None:
        """Read memory of the caller again after it was changed outside this driver. (screen.rst, "resource_changed")"""
        self.own_resource(resource, "resource_changed").pull()

    def check_resource_capability(self, resource: Resource, bind: Bind | int | str | Sequence[str]) -> bool:
        """Return True if a resource was created for the uses that `bind` names. (p_screen.h)"""
        name = "check_resource_capability"
        wanted = as_flags(Bind, bind, f"{name}: bind")
        return not wanted & ~self.own_resource(resource, name).bind

    def resource_create_front(self, template: Template, data: Any = None) -> Resource:
        """Create a resource as `resource_create` does; a headless device has no window to draw to directly. (p_screen.h)"""
        return self.resource_create(template)

    def resource_create_with_modifiers(self, template: Template, modifiers: Sequence[int] = ()) -> Resource:
        """Create a resource as `resource_create` does; ValueError for modifiers other than 0 (linear). (p_screen.h)"""
        argument = "resource_create_with_modifiers: modifiers"
        if any(integer(item, argument, 0, (1 << 64) - 1) for item in sequence(modifiers, argument)):
            raise ValueError(f"{argument}: only 0 (linear) exists here")
        return self.resource_create(template)
