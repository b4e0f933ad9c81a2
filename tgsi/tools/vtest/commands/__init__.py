"""Commands of a SUBMIT_CMD message: rows of `table`, filled by one module for each family, and their functions, which call a Context.

`subcontext` has the Context and the objects of one GL context, `units` its samplers and views, `resources` creates resources, `dialect`
reads programs in the dialect of Mesa's virgl driver. May import `protocol` and `output`. Read next: `table`, then `draws`.
"""
