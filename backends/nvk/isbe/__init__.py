"""ISBE, the attribute staging memory: byte addresses of its regions, from what lies there to the address and back.

Input and output of a stage are separate spaces. Each has four regions with addresses of their own: MAP, PATCH, PRIM and ATTR.
"""
