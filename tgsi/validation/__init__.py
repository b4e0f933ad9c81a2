"""Validation (`Screen(validate=True)`): calls that are legal and almost surely wrong are said once, by `ValidationWarning`.

A context of such a screen gets its device in a wrapper, and a hindrance in its record sends every draw through Python. Facts about bound
state are checked before a draw. Whether a draw has an effect is measured: bound targets are compared before and after, until the
combination of shaders and state has changed a bit. For one that has not, the draw is made again with one test turned off at a time, which
names the test that took its pixels. Targets get their bytes back, and what is found is said when somebody reads the picture.
"""
