"""Explanations of pictures: what happened to a pixel, a vertex, a primitive, an invocation.

`Context.explain` and `tgsi-replay --explain` call `answers`; `history_of_pixel` replays the recorded calls (`replaying`) and watches a
`place`; `fragment_log` runs a draw with a program that logs its fragments, and `merging` computes the fate of each fragment. It follows the
documents and shares no code with the renderer, so the pixel that the draw really stored proves the explanation. `events` has the records,
`wording` the sentences, `explanation` both.

May import everything below `tgsi.gallium`. Read next: `events`, then `history_of_pixel`.
"""
