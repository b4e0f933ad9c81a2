"""Methods of NVIDIA's 3D classes that bind and draw mesh shaders: their fields, their order, and command words, both ways.

Sources: NVIDIA's class headers (open-gpu-doc) and Mesa's NVK notes on mesh shading.
"""
