"""Methods that older documents name, in terms of those that took their place."""

from __future__ import annotations

import re
from typing import Any

from backends.gallium.context.core import ContextCore
from backends.gallium.resource.resource import Resource


class Legacy(ContextCore):
    """Former names: transfer_inline_write, is_resource_referenced."""

    def transfer_inline_write(
        self,
        resource: Resource,
        data: Any,
        *,
        level: int = 0,
        usage: Any = 0,
        box: Any = None,
        stride: int | None = None,
        layer_stride: int | None = None,
    ) -> None:
        """Write bytes or texels of a box, and nothing else: `texture_subdata` by its former name. (context.rst, "Transfers")"""
        self.check_resource(resource, "transfer_inline_write: resource")
        try:
            self.texture_subdata(resource, data, level=level, box=box, stride=stride, layer_stride=layer_stride, usage=usage)
        except (TypeError, ValueError) as error:
            words = re.sub("^(texture|buffer)_subdata:", "transfer_inline_write:", str(error))
            raise type(error)(words) from None

    def is_resource_referenced(self, resource: Resource, *, level: int = 0, layer: int = 0) -> bool:
        """Return True if pending work reads or writes the resource. (context.rst, "Resource Busy Queries")"""
        return self.is_busy(self.check_resource(resource, "is_resource_referenced: resource"))
