"""One client: `messages` has a row for each message of its connection, `session` its resources and sub-contexts, `cuts` what is read early.

May import `commands` and everything below it. Start reading with `messages`.
"""
