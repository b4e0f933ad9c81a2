"""Digests of 32 bytes: names of kernels and of files on disk, and seals."""

from __future__ import annotations

from functools import partial

try:
    from _blake2 import blake2b  # hashlib loads OpenSSL, which takes 3 ms; `random` of the standard library avoids it likewise
except ImportError:
    from hashlib import blake2b

DIGEST_SIZE = 32
digest_of = partial(blake2b, digest_size=DIGEST_SIZE)
"""A hash object like those of hashlib. ``key=`` makes a seal, which cannot be made without the key."""
