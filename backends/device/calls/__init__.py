"""The table of calls: one row for each method of a context that changes or reads state. Everything that parses calls uses it.

`arguments` and `forms` have the kinds of columns, `row` the columns, `objects`, `parameters` and `work` the rows, `table` all of them, with
the commands of recordings that follow from them.
"""
