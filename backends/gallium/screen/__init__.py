"""The screen (pipe_screen): settings of the device, its capabilities, and the contexts that it makes.

`screen` reads settings from arguments and environment variables, and makes contexts and fences; `capabilities` answers questions
from the tables of `caps`. The part that makes resources is below, in `backends/gallium/resource/screen_core.py`.

A screen is given a factory of devices (`backends.device.interface.DeviceFactory`) and does not use it before a context is made, so
that capabilities need no llvmlite; `tgsi.Screen` supplies the software device. Screens are thread-safe.
It may import `backends.gallium.context` and everything below.
"""
