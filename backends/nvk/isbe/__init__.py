"""ISBE, the attribute staging memory: from an attribute to its byte address in a region, and back.

Input and output of a stage are separate spaces. Each has four regions with separate addresses: MAP, PATCH, PRIM and ATTR.
"""
