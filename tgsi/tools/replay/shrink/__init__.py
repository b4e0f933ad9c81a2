"""``tgsi-replay FILE --shrink TEST``: the fewest calls of a trace that keep a property.

`properties` has the properties, `needs` turns a selection of calls into a valid trace, `reduce` searches for the smallest selection, and
`command` reads, reports and writes.
"""
