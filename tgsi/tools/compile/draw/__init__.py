"""``tgsi-compile --draw``: a picture of shaders. Until a command draws, only `options` is loaded."""
