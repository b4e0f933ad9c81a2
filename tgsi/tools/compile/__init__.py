"""The parts of ``tgsi-compile``: options, files, and one module an action."""
