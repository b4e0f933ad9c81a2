"""Numbers, words and bytes of the protocol, and the memory of a client. Nothing here calls a context.

`numbers` has commands, objects and formats, `kinds` the kinds of objects as constants, `caps` the capability set, `errors` the mistakes of
clients. `wire` transports bytes, `boxes` copies them between a client and a resource, `holdings` have the memory that both share, `account`
counts it. Read next: `numbers`.
"""
