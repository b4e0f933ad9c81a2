"""The live code of OpenGL GLSL: without comments and inactive branches, and with macros replaced."""

from __future__ import annotations

import re

from frontends.glsl.language import language_of
from frontends.glsl.preprocess.directives import Preprocessor
from frontends.glsl.preprocess.reports import Reports
from frontends.glsl.preprocess.scan import Places
from frontends.glsl.request import stage_of
from tgsi.language.diagnostics import ParseError
from tgsi.language.source import Source

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DIRECTIVE = re.compile(r"#\s*(?:if|ifdef|ifndef|define|undef|include)\b|\\\r?\n|__VERSION__")


def live_text(text: str, stage: str) -> str:
    """The live code of a text that compiles for a stage ("vert"); a text with errors keeps its conditions and macros.

    A text without conditions and macros only loses its comments, which is much faster.
    """
    if _DIRECTIVE.search(text) is None:
        return _COMMENT.sub(" ", text)
    places = Places()
    reports = Reports(places)
    run = Preprocessor(places, reports, (), None)
    try:
        unit = places.scan(Source(text, "text"))
        run.read(unit, language_of(unit, reports).dialect(stage_of(stage, "live_text")), ())
    except ParseError:
        return _COMMENT.sub(" ", text)
    return " ".join([token[0] for token in run.tokens if token[0][0] != "#"])
