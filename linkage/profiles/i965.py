"""i965: a placeholder that refuses every pair. The proposal of 2010 was not sure how this device links, and neither are we."""

from __future__ import annotations

from linkage.device import Job, Profile
from passes.validate.semantics import SM3


def build(job: Job) -> None:
    """Refuse: this device's linking is not known here."""
    job.error(
        "K035", "how this device links is not known; the proposal of 2010 leaves it open", hint="the profile `software` takes any pair"
    )


PROFILE = Profile("i965", "Intel i965 (unknown)", SM3, build=build)
