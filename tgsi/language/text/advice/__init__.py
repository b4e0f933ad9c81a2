"""Advice for wrong texts: the way out of a mistake, and the replacement that corrects it where one is certain.

`advise` takes a finding of the explaining reader and returns it with a hint, a correction or a better place. `words` explains single
words by tables of synonyms (`synonyms`), `shapes` explains a statement whose syntax is wrong, `values` numbers and immediates,
`characters` letters of other scripts and remains of web pages, `foreign` first lines and texts in other languages.

Nothing here is imported before the first mistake: a right text pays nothing. Reads facts and the reader's state, changes neither.
Read next: `fault`, then `advise`.
"""
