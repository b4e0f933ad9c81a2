"""``tgsi-replay FILE --shrink TEST``: the fewest calls of a trace that keep a property.

`properties` has the properties, `needs` makes a selection of calls a trace again, `reduce` searches for the smallest selection, and
`command` reads, tells and writes.
"""
