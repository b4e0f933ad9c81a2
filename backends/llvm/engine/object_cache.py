"""Compiled objects on disk (`backends.sealed_files`), so that a shader seen before needs no code generation."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable

from backends.llvm.engine.sources import own_sources
from backends.llvm.targets import host
from backends.llvm.targets.machines import identity
from backends.sealed_files import MAX_CONTENT as MAX_OBJECT
from backends.sealed_files import SealedFiles as ObjectCache
from backends.sealed_files import default_files as default_cache
from backends.sealed_files import digest_of, files_at, is_on

__all__ = ["MAX_OBJECT", "Cache", "ObjectCache", "default_cache", "is_on", "object_key", "recall_host", "recall_sources", "resolve_cache"]


@functools.cache
def _surroundings(cpu: str) -> bytes:
    """Text of everything that all objects for a target depend on: the generator's source, the target, LLVM's version."""
    return "\0".join((own_sources().digest or "", identity(cpu), host.host().version)).encode()


def object_key(parts: Iterable[object], cpu: str) -> str:
    """Name of an object: a digest of `parts` (by repr), of the generator's source, of the target and of LLVM's version."""
    digest = digest_of(_surroundings(cpu))
    digest.update("\0".join(["", *map(repr, parts)]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


Cache = ObjectCache | str | os.PathLike[str] | bool | None
"""Argument for a cache: the object, its directory, True or None for the default one, False for none."""


def resolve_cache(cache: ObjectCache | str | os.PathLike[str] | bool | None) -> ObjectCache | None:
    """Cache for an argument: a cache, a directory, True or None for the default one, False for none. TGSI_CACHE=off turns all off."""
    if isinstance(cache, ObjectCache):
        return cache
    if cache is False or not is_on():
        return None
    if cache is True or cache is None:
        return default_cache()
    return files_at(os.fspath(cache))


def recall_sources(cache: Cache) -> None:
    """Take the digest of the generator's source from a cache, so that this process need not read the source; store it there for the next
    one.
    """
    store, sources = resolve_cache(cache), own_sources()
    stamp = sources.stamp if store is not None and not sources.is_known else None
    if store is None or stamp is None:
        return
    stored = store.get(stamp)
    if stored is not None:
        sources.recall(stored.decode("ascii", "replace"))
    elif sources.digest is not None:
        store.put(stamp, sources.digest.encode())


def recall_host(cache: Cache) -> None:
    """Take LLVM's answers about this machine from a cache, so that this process need not load LLVM; store them there for the next one."""
    store, surroundings = resolve_cache(cache), host.surroundings()
    if store is None or surroundings is None or host.is_known():
        return
    key = digest_of(surroundings.encode()).hexdigest()
    stored = store.get(key)
    if stored is None:
        store.put(key, host.host().pack())
        return
    try:
        host.use(host.Host.unpack(stored))
    except (ValueError, TypeError):  # written in another format
        store.discard(key)
