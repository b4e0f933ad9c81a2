"""Ranges of buffers in views: in bytes, or in elements, as in older revisions of Gallium."""

from __future__ import annotations

from backends.pipe.checks import integer
from tgsi.language.record import record


@record
class BufferRange:
    """A range that a caller gives: `offset` and `size` in bytes, or `first_element` and `last_element`, both included."""

    offset: int = 0
    size: int | None = None
    first_element: int | None = None
    last_element: int | None = None

    @property
    def has_elements(self) -> bool:
        """True if the range is given in elements."""
        return self.first_element is not None or self.last_element is not None

    def of(self, available: int, element: int, argument: str, *, least: int = 0) -> tuple[int, int]:
        """Offset and size in bytes, within a buffer of `available` bytes. By default, the range extends to the end of the buffer.

        Args:
            element: bytes of an element.
            argument: prefix of the names of fields in messages.
            least: least size in bytes.

        Raises:
            TypeError, ValueError: a number is wrong or outside, or bytes and elements are given.
        """
        if not self.has_elements:
            start = integer(self.offset, f"{argument}offset", 0, available)
            remaining = available - start
            return start, integer(remaining if self.size is None else self.size, f"{argument}size", least, remaining)
        if self.offset or self.size is not None:
            raise TypeError(f"{argument}first_element, last_element: give a range of elements or one of bytes, not both")
        last = available // element - 1
        first = integer(0 if self.first_element is None else self.first_element, f"{argument}first_element", 0, max(last, 0))
        end = integer(last if self.last_element is None else self.last_element, f"{argument}last_element", first, last)
        return first * element, (end + 1 - first) * element

    def refuse_elements(self, argument: str) -> None:
        """ValueError if elements of a texture are named."""
        if self.has_elements:
            raise ValueError(f"{argument}: first_element, last_element: the texture is not a buffer; it has levels and layers")
