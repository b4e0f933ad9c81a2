"""The fixed-function pipeline of the compatibility profile: matrices, lights, texture environments, fog, immediate mode, display lists.

A program is generated for each combination of state that affects its instructions; numeric values go into constants.
"""
