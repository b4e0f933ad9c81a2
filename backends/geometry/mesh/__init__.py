"""Draws of meshes: task and mesh workgroups instead of the stages before the rasterizer.

The grid of a draw is that of the task shader if there is one. Task workgroups run in waves; after each wave, the mesh workgroups that they
launched run in the order of the tasks. Chunks of mesh workgroups go to the threads. `gather` runs a chunk and packs its vertices,
primitives and primitive rows, from which the rasterizer draws.
"""
