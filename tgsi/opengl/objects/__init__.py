"""OpenGL objects: buffers, textures, framebuffers, programs and others, each with its Gallium objects."""
