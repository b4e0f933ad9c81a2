"""i965: refuses every pair, because its linking rules are unknown; the 2010 linkage proposal (docs/linkage.md) leaves them open."""

from __future__ import annotations

from linkage.device import Job, Profile
from passes.validate.semantics import SM3


def build(job: Job) -> None:
    """Raise UnsupportedError: the linking rules of this device are unknown here."""
    job.error(
        "K035",
        "the linking rules of this device are unknown; the proposal of 2010 leaves them open",
        hint="the profile `software` accepts any pair",
    )


PROFILE = Profile("i965", "Intel i965 (unknown)", SM3, build=build)
