"""Names and wide indices to GENERIC indices, for APIs that link by name or by any 32-bit number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from passes.validate.semantics import BYTE, SemanticLimits
from tgsi.language.diagnostics import Diagnostic, LimitError, Severity
from tgsi.language.facts.semantics import Semantic


class SemanticInterner:
    """Table that assigns a GENERIC semantic to each string or 32-bit number, first come, first served.

    Programs that share an interner link by name. Small numbers keep their own index if it is free.
    """

    def __init__(self, limits: SemanticLimits = BYTE, *, reserve: Iterable[int] = (), has_back: bool = False) -> None:
        """Indices in `reserve` are never assigned. `has_back` leaves room for the names of back colors."""
        self._limits = limits
        self._end = limits.generics(has_back)
        self._keys: dict[str | int, Semantic] = {}
        self._names: dict[int, str | int] = {}
        self._reserved = frozenset(reserve)
        self._next = 0

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[tuple[str | int, Semantic]]:
        return iter(self._keys.items())

    def intern(self, key: str | int) -> Semantic:
        """The semantic of a key. The same key always has the same semantic.

        Raises:
            LimitError: every legal index is taken.
            TypeError, ValueError: the key is neither a string nor a 32-bit unsigned number.
        """
        known = self._keys.get(key) if type(key) in (str, int) else None
        if known is not None:
            return known
        if isinstance(key, bool) or not isinstance(key, str | int):
            raise TypeError(f"key: expected a string or a number, not {type(key).__name__}")
        if isinstance(key, int) and not 0 <= key < 1 << 32:
            raise ValueError(f"key: {key} is not a 32-bit unsigned number")
        index = key if isinstance(key, int) and self._is_free(key) and key < 256 else self._first_free(key)
        semantic = Semantic("GENERIC", index)
        self._keys[key], self._names[index] = semantic, key
        return semantic

    def key(self, semantic: Semantic) -> str | int:
        """The key of a semantic. KeyError for a semantic that is not from this interner."""
        if semantic.name != "GENERIC" or semantic.index not in self._names:
            raise KeyError(str(semantic))
        return self._names[semantic.index]

    def _is_free(self, index: int) -> bool:
        return index not in self._names and index not in self._reserved and index < self._end

    def _first_free(self, key: str | int) -> int:
        while not self._is_free(self._next):
            if self._next >= self._end:
                text = f"{key!r}: all {self._end} GENERIC indices of the limit set `{self._limits.name}` are taken or reserved"
                raise LimitError((Diagnostic("S013", Severity.ERROR, text),))
            self._next += 1
        return self._next
