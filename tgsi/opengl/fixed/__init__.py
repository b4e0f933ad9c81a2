"""Fixed functions of the compatibility profile: matrices, lights, texture environments, fog, immediate mode, display lists.

Programs are made for the part of the state that matters to their instructions, one for each; numbers go into constants.
"""
