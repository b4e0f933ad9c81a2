"""``tgsi-replay A --diff B``: the first call, the first draw and the first pixel in which two traces differ.

`align` pairs the calls of two traces, `marks` marks the different arguments of a pair, `drawn` plays both sides up to the first draw whose
targets differ, and `report` is the command.
"""
