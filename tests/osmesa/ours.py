"""Our pictures of topics.

``python -m tests.osmesa.ours [TOPIC ...]`` compares them with Mesa's; ``python -m tests.osmesa.ours --digests`` keeps their digests.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.osmesa.mesa import MODULES, pictures
from tests.osmesa.topics import SIZE, TOPICS, picture
from tests.unit.opengl.binding import Binding

DIGESTS = Path(__file__).parent / "digests.json"
NEAR = 4
"""Difference of a channel that two ways to round give."""
assert MODULES


def drawn(name: str) -> NDArray[np.uint8]:
    """Our picture of a topic."""
    gl = Binding("compatibility", size=(SIZE, SIZE))
    try:
        return picture(gl, name)
    finally:
        gl.loader.release()


def digest(data: NDArray[np.uint8]) -> str:
    """The digest of a picture."""
    return hashlib.sha256(data.tobytes()).hexdigest()[:20]


def difference(ours: NDArray[np.uint8], theirs: NDArray[np.uint8]) -> tuple[float, float]:
    """The share of pixels that differ by more than rounding, and the mean difference of a channel."""
    apart = np.abs(ours.astype(int) - theirs)
    return float((apart.max(-1) > NEAR).mean()), float(apart.mean())


def main() -> None:
    """Compare pictures, or keep digests."""
    if sys.argv[1:] == ["--digests"]:
        DIGESTS.write_text(json.dumps({name: digest(drawn(name)) for name in sorted(TOPICS)}, indent=1) + "\n")
        return
    names = sys.argv[1:] or list(TOPICS)
    theirs = pictures(names)
    for name in names:
        try:
            share, mean = difference(drawn(name), theirs[name])
        except AssertionError as error:
            print(f"{name:45} {error}")
            continue
        print(f"{name:45} {share:6.3f} {mean:6.2f}")


if __name__ == "__main__":
    main()
