"""States for which the programs of a corpus are written: each alone, and random combinations."""

from __future__ import annotations

import random

ALONE = (
    "alpha-test=GREATER:0.5",
    "alpha-test=NOTEQUAL:0:40",
    "clamp-color",
    "clip-planes=0x15:30",
    "clip-distances=0x3:31",
    "flat-shade",
    "flat-shade=COLOR+GENERIC+TEXCOORD",
    "point-coord=0xff",
    "point-coord=0xff:yes",
    "two-side",
    "window-position",
    "window-position=LOWER_LEFT:INTEGER",
    "polygon-stipple=50",
    "polygon-stipple=50:0:9",
    "smooth-points=30",
    "smooth-lines=30",
    "point-sprite",
    "origin=LOWER_LEFT",
    "origin=UPPER_LEFT,pixel-center=INTEGER",
    "per-sample",
    "color-targets=4",
    "bindings=SAMP:6+CONST:3+IMAGE:4+BUFFER:5",
    "bindings=CONST[0]:12",
    "names=CONST[0]:parameters+SAMP[0]:albedo+SAMP[1]:t0+IN[0]:start+IN[1]:sampler0+OUT[1]:result",
    "prefix=own_",
)
"""Each state alone."""


def combination(number: int) -> str:
    """A random choice of states that name different fields; the same one for each number."""
    chance = random.Random(number)
    chosen: dict[str, str] = {}
    for state in chance.sample(ALONE, 6):
        for item in state.split(","):
            chosen.setdefault(item.partition("=")[0], item)
    return ",".join(chosen.values())
