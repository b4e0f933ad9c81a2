"""Objects that the parts of a context share: `order` of work and fences, bound `targets`, `checks` of arguments, `counting` of samples.

Parts, mappings, fences, traces and `tgsi.tools.vtest` call their public methods; they refer to no part, and keep no context alive. May
import `backends.gallium.resource`, everything below it, and the kinds of queries. Start reading with `order`.
"""
