"""``tgsi-compile --draw``: a picture of shaders. Only `options` is loaded before a command asks for one."""
