"""Compilation of a module to running code: parse, optimise, generate, link. With a hit in the disk cache, only the last step remains.

A hit needs no LLVM text, no plan and no symbol table: the cache has flat images (`image`), and placing one takes 0.07 ms instead of the 0.4
ms of LLVM's linker.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from backends.llvm.engine import ready_made
from backends.llvm.engine.linking import link, lock, prepare
from backends.llvm.engine.object_cache import Cache, ObjectCache, object_key, resolve_cache
from backends.llvm.engine.sources import own_sources
from backends.llvm.targets import machines as target

if TYPE_CHECKING:
    from backends.llvm.builder.function import Module

Entry = Callable[[int], None]
"""Native function that takes the address of a record. It runs without Python's global interpreter lock."""

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def entry_address(entry: Entry) -> int:
    """Address of an entry of a library."""
    return ctypes.cast(cast(Any, entry), ctypes.c_void_p).value or 0


class Library:
    """Compiled code, which lives as long as this object.

    address: function name to entry point. times: milliseconds of CPU time of each step, and the number of text lines.
    """

    def __init__(
        self,
        name: str,
        image: bytes,
        exports: tuple[str, ...],
        times: dict[str, float],
        cpu: str,
        cache: ObjectCache | None = None,
    ) -> None:
        """Link `image`, a result of `linking.prepare`.

        exports: the functions to return. cache: the disk cache for the shared functions that the image calls.

        Raises ValueError for symbols outside of ALLOWED_SYMBOLS.
        """
        begin = time.thread_time()
        resolve = functools.partial(_shared_address, cpu=cpu, cache=cache)
        self.address, self._linked = link(image, name, exports, resolve)
        self.image, self.name, self.exports = image, name, exports
        self.times = {**times, "link_ms": (time.thread_time() - begin) * 1e3}

    def entry(self, name: str = "") -> Entry:
        """Exported function that takes a record (default: the first export), callable as long as this object lives."""
        return _ENTRY(self.address[name or self.exports[0]])


#: Python modules of functions that kernels share, by prefix of a name; `build` writes the LLVM module of one function.
_SHARED = {
    "tgsi_math_": "backends.llvm.library.mathlib",
    "tgsi_sample_": "backends.llvm.sampling.shared_sampling",
}


def _provider(symbol: str) -> str | None:
    return next((name for prefix, name in _SHARED.items() if symbol.startswith(prefix)), None)


def build_shared(symbol: str, cpu: str) -> Module | None:
    """Module that defines a shared function; None for other names."""
    name = _provider(symbol)
    return None if name is None else _write_shared(name, symbol, cpu)


def _write_shared(provider: str, symbol: str, cpu: str) -> Module:
    """Write a shared function. provider: a value of `_SHARED`, imported only here, because functions from the disk need no generator."""
    module: Module = importlib.import_module(provider).build(symbol, cpu)
    return module


_provided: dict[str, int] = {}


def provide(symbol: str, address: int) -> None:
    """Let generated code call a function of this process by a name. The function must live as long as the process."""
    _provided[symbol] = address


def _shared_address(symbol: str, *, cpu: str, cache: ObjectCache | None) -> int | None:
    if symbol in _provided:
        return _provided[symbol]
    return shared_function(symbol, cpu, cache) if _provider(symbol) is not None else None


_shared_libraries: dict[tuple[str, str], Library] = {}


def shared_function(symbol: str, cpu: str, cache: ObjectCache | None) -> int:
    """Address of a shared function, which is compiled, or loaded from `cache`, at its first use in this process."""
    with lock:
        library = _shared_libraries.get((symbol, cpu))
        if library is None:
            name = _provider(symbol)
            if name is None:
                raise ValueError(f"unknown shared function {symbol}")
            make = functools.partial(_write_shared, name, symbol, cpu)
            library = compile_cached(("shared", symbol), make, exports=(symbol,), cpu=cpu, cache=cache or False, of_program=False)
            _shared_libraries[symbol, cpu] = library
        return library.address[symbol]


def compile_object(module: Module, *, cpu: str | None = None) -> tuple[bytes, str, dict[str, float]]:
    """Generate the object of a module. Returns the object, the module's text and times (ms).

    Raises ValueError if the module was built for features that `cpu` lacks.
    """
    cpu = cpu or module.cpu
    missing = module.used_features - target.cpu_features(cpu)
    if missing:
        raise ValueError(f"module {module.name!r} was built for {module.cpu}, but {cpu} lacks {', '.join(sorted(missing))}")
    from backends.llvm.engine import codegen  # loads LLVM, which a hit in the disk cache does not need
    from tgsi.language import budgets

    budgets.check()
    begin = time.thread_time()
    text = module.text()
    written = (time.thread_time() - begin) * 1e3
    with lock:
        image, times = codegen.generate(text, cpu)
    times |= {"lines": float(text.count("\n")), "parse_ms": times["parse_ms"] + written}
    return image, text, times


def compile_module(module: Module, *, cpu: str | None = None, cache: ObjectCache | None = None) -> Library:
    """Compile and link a module. `cpu` is "host" or an x86-64 level (default: the one for which the module was built).

    `cache` is the disk cache for the shared functions that the module calls; the module itself is always compiled. Raises ValueError for
    an unknown cpu, a cpu without a feature of the module, and undefined symbols outside of ALLOWED_SYMBOLS.
    """
    cpu = cpu or module.cpu
    target.require_runnable(cpu)
    image, _, times = compile_object(module, cpu=cpu)
    exports = tuple(f.name for f in module.functions if not f.internal)
    begin = time.thread_time()
    prepared = prepare(image)
    spent = (time.thread_time() - begin) * 1e3
    library = Library(module.name, prepared, exports, times, cpu, cache)
    library.times["link_ms"] += spent
    return library


def compile_cached(
    parts: Sequence[object],
    build: Callable[[], Module],
    *,
    exports: Sequence[str],
    cpu: str = "host",
    cache: Cache = None,
    of_program: bool = True,
) -> Library:
    """Compile the module that `build` returns, or link its object without calling `build`: a ready-made one, or that of the disk cache.

    parts: compared by repr; together with the generator's own source they must determine the module (program text, variant keys, lanes).
    exports: the functions to return. cache: an ObjectCache or directory, None for the default one, False for no cache. of_program: the
    module is generated from a program, so it cannot be ready-made.
    """
    target.require_runnable(cpu)
    if folder := os.environ.get("TGSI_DUMP"):
        from backends.llvm.engine.dumps import write_files  # loads LLVM

        module = build()
        with lock:
            write_files(folder, parts, module, cpu)
        return compile_module(module, cpu=cpu, cache=cache if isinstance(cache, ObjectCache) else None)
    image = None if of_program else ready_made.find(parts, cpu)
    if image is not None:
        with contextlib.suppress(ValueError, RuntimeError, OSError):
            return Library(str(parts[0]), image, tuple(exports), {}, cpu, resolve_cache(cache))
    store = resolve_cache(cache) if own_sources().digest is not None else None
    key = object_key(parts, cpu) if store is not None else ""
    image = store.get(key) if store is not None else None
    if store is not None and image is not None:
        try:
            return Library(key[:12], image, tuple(exports), {}, cpu, store)
        except (ValueError, RuntimeError, OSError):
            store.discard(key)
    begin = time.thread_time()
    module = build()
    built = time.thread_time() - begin
    library = compile_module(module, cpu=cpu, cache=store)
    library.times["build_ms"] = built * 1e3
    if store is not None and own_sources().are_unchanged():
        store.put(key, library.image)
    return library
