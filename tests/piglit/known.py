"""Cases that do not pass here, with the reason."""

from __future__ import annotations

KNOWN: dict[str, str] = {
    "spec@!opengl 1.1@streaming-texture-leak": "Mesa's virgl driver keeps deleted textures until it flushes, more than a client may have",
    "spec@glsl-1.50@execution@primitive-id-no-gs-quad-strip": "Mesa's virgl driver sends quads as triangles, whatever the server says",
}
