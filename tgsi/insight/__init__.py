"""Explanations of pictures: what happened to a pixel, a vertex, a primitive, an invocation.

`answers` is what `Context.explain` and `tgsi-replay --explain` call; `history_of_pixel` makes the recorded calls again (`replaying`) and
watches a `place`; `fragment_log` runs a draw with a program that logs its fragments, and `merging` computes what becomes of each of them,
by the documents and not by the code that drew, so that the pixel which was really left proves the explanation. `events` has the
records, `wording` the sentences, `explanation` both.

May import everything below `tgsi.gallium`. Read next: `events`, then `history_of_pixel`.
"""
