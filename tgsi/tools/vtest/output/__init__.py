"""Files and lines about clients: the log, the summary of a run, pictures, films, recorded streams, texts of shaders.

`wanted` holds the options. A client's process writes files under names of its own (`parts`); the parent process gives them their names.
"""
