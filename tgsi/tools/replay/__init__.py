"""Scenes: recorded API calls with recorded results. `tgsi-replay` plays them through the public Context and compares.

`scene` reads a file, `ops` says which calls there are, `player` makes them, `compare` judges what came out.
"""
