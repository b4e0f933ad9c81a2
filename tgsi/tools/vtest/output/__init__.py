"""Files and lines about clients: the log, the summary of a run, pictures, films, recorded streams, texts of shaders.

`wanted` holds the options. A client's process writes files under temporary names (`parts`); the parent process renames them.
"""
