"""Objects of OpenGL: buffers, textures, framebuffers, programs and the others, each with what Gallium needs for it."""
