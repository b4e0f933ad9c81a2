"""The reference interpreter: numpy lanes, plain enough to be read as the definition of the language.

`machine` walks the tree of regions under a mask of lanes and reads and writes operands. Each opcode is one small function in the module of
its family, registered by name. Nothing here shares a formula with the code generator.
"""
