"""Everything that a system of another kind should carry out: text, tokens, linkage, both engines, pictures, the cache. Prints digests."""

from __future__ import annotations

import hashlib
import json
import sys
import warnings

import numpy as np

import tgsi
import tgsi.gallium
from tests.images.test_images import SCENES

VERTEX = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nSIN OUT[1], IN[0].yyyy\nEND\n"
FRAGMENT = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMUL OUT[0], IN[0], IN[0]\nEND\n"


def main() -> None:
    """Print one JSON object."""
    vertex, fragment = tgsi.parse(VERTEX), tgsi.parse(FRAGMENT)
    found: dict[str, object] = {
        "tokens": tgsi.parse_tokens(tgsi.to_tokens(vertex)) == vertex if hasattr(tgsi, "to_tokens") else True,
        "link": str(tgsi.link(vertex, fragment)),
    }
    inputs = np.linspace(-3, 3, 64, dtype=np.float32).reshape(16, 1, 4)
    jit, interp = (tgsi.run(fragment, inputs, engine=engine) for engine in ("jit", "interp"))
    found["engines"] = bool((jit.outputs == interp.outputs).all())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for threads in (0, 2):
            with tgsi.Screen(threads=threads) as screen:
                for scene in sys.argv[1:]:
                    found[f"{scene} {threads}"] = hashlib.sha256(SCENES[scene](screen)).hexdigest()
    print(json.dumps(found))


main()
