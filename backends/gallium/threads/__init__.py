"""Threads and contexts: who may call when.

`gate` lets one thread at a time into a context, and methods of the screen in between; `fence` carries out work that another thread waits
for. May import `backends.device`. Read next: `gate`.
"""
