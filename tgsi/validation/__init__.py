"""Validation (`Screen(validate=True)`): a `ValidationWarning`, once, for each legal call that is almost surely a mistake.

A context of such a screen gets its device in a wrapper, and a hindrance in its record sends every draw through Python. Facts about bound
state are checked before a draw. Whether a draw has an effect is measured: bound targets are compared before and after, until the
combination of shaders and state has changed a bit. For one that has not, the draw is made again with one test turned off at a time, which
names the test that took its pixels. Targets get their bytes back. The warning is issued when the program reads the picture.
"""
