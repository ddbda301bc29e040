"""Hashes without `hashlib`, which loads OpenSSL and costs a third of an interpreter's start; it is the fallback."""

from __future__ import annotations


def blake2(data: bytes, size: int = 20) -> str:
    """BLAKE2b with `size` bytes, as hex."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return blake2b(data, digest_size=size).hexdigest()


def sha1(data: bytes) -> str:
    """SHA-1 as hex: git's object ids, no protection of ours."""
    try:
        from _sha1 import sha1 as found  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha1 as found
    name: str = found(data, usedforsecurity=False).hexdigest()
    return name
