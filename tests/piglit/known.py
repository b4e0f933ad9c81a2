"""Cases that do not pass here, with the reason."""

from __future__ import annotations

_CLEARS = "Mesa's virgl driver does not stop queries for the draws by which it clears"

KNOWN: dict[str, str] = {
    "spec@!opengl 1.1@streaming-texture-leak": "Mesa's virgl driver keeps deleted textures until it flushes, more than a client may have",
    "spec@arb_occlusion_query@occlusion_query_meta_no_fragments": _CLEARS,
    "spec@arb_occlusion_query@occlusion_query_meta_save": _CLEARS,
    "spec@glsl-1.50@execution@primitive-id-no-gs-quad-strip": "Mesa's virgl driver sends quads as triangles, whatever the server says",
}
