"""Single functions of shaders, called from Python (`tgsi.function`)."""
