"""Upgrade old GLSL: replace each token of live code by its modern form, judged by the version of the text. Places stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from frontends.glsl import compatibility, legacy
from frontends.glsl.builtins import FUNCTIONS
from frontends.glsl.declared import Declared, are_used_as_words, declared_names
from frontends.glsl.extensions import EXTENSIONS
from frontends.glsl.language import Language
from frontends.glsl.limits import LIMITS
from frontends.glsl.preprocess.reports import Reports
from frontends.glsl.preprocess.scan import Token
from frontends.glsl.words import SINCE, is_word_of, taken_words
from tgsi.language.facts.enums import Processor
from tgsi.language.record import record

PREFIX = "tgsi"
"""Prefix of names that are reserved today; followed by a number if the text already has such names, and an underscore."""

_COLORS, _COLOR = "FragData", "FragColor"
_CONSTANTS: Mapping[str, str] = {f"gl_{name}": str(value) for name, value in LIMITS.items()}
"""Constants of the language, of every version and profile -> their values."""
_SPECIAL = frozenset((*legacy.FUNCTIONS, *legacy.LOOKUPS, *legacy.COMPARISONS, *legacy.GONE, *legacy.NOISE))


@record(frozen=False, kw_only=True)
class Upgraded:
    """Tokens for glslang. `head`: declarations that come before them; `old`: new name -> original name."""

    tokens: list[Token]
    head: list[str] = field(default_factory=list)
    old: dict[str, str] = field(default_factory=dict)


def upgrade(
    tokens: list[Token], language: Language, stage: Processor, extensions: Iterable[str], reports: Reports, *, has_fixed: bool = False
) -> Upgraded:
    """The tokens of a text, adapted to the version that glslang compiles. `extensions`: those that the text requests.

    Names of the fixed functions become variables if `has_fixed` is set and the version has them.

    Raises:
        ParseError: names of the fixed functions otherwise (G012).
    """
    run = _Upgrade(tokens, language, stage, extensions, reports, has_fixed=has_fixed and language.has_fixed)
    return run.upgraded() if run.has_work else Upgraded(tokens=tokens)


class _Upgrade:
    """One upgrade: which tokens change, and the walk over them."""

    def __init__(
        self, tokens: list[Token], language: Language, stage: Processor, extensions: Iterable[str], reports: Reports, *, has_fixed: bool
    ) -> None:
        self.tokens, self.language, self.stage, self.reports = tokens, language, stage, reports
        self.texts = [item[0] for item in tokens]
        self.present = frozenset(self.texts)
        self.prefix = self._prefix()
        self.old: dict[str, str] = {}
        later = self._later(extensions)
        foreign = self._foreign(extensions)
        special = self.present & _SPECIAL | later | foreign
        self.declared = declared_names(self.texts, special) if special else Declared(frozenset(), frozenset())
        has_lookups = language.is_old or language.version <= legacy.LAST_LOOKUPS
        self.words = self._words(later, foreign)
        self.variables = self._variables() if has_lookups else {}
        self.lookups = self._calls(legacy.LOOKUPS, self._own_lookups()) if has_lookups else {}
        self.comparisons = self._calls(legacy.COMPARISONS, self.declared.functions) if has_lookups else {}
        self.fixed = self._fixed() if has_fixed else {}
        self.members = compatibility.member_inputs(self.texts) if has_fixed else {}
        self.plain = self._plain()
        self.gone = self.present & legacy.GONE - self.declared.names - self.fixed.keys() if language.is_old else frozenset()
        self.noise = sorted(self.present & legacy.NOISE - self.declared.names) if has_lookups else []
        has_unsigned = language.is_old and "unsigned" in self.present
        self.has_work = has_unsigned or any(
            (self.words, self.variables, self.lookups, self.comparisons, self.fixed, self.plain, self.gone, self.noise, self.members)
        )

    def _prefix(self) -> str:
        number = 0
        while True:
            prefix = f"{PREFIX}{number or ''}_"
            if not any(text.startswith(prefix) for text in self.present):
                return prefix
            number += 1

    def _renamed(self, name: str) -> str:
        new = self.prefix + name
        self.old[new] = name
        return new

    def _later(self, extensions: Iterable[str]) -> frozenset[str]:
        """Words of later versions that neither the text's version nor its extensions have."""
        version, is_es = self.language.version, self.language.is_es
        offered = [EXTENSIONS[name] for name in extensions if name in EXTENSIONS]
        return frozenset(
            word
            for word in self.present & taken_words(self.language.target)
            if not is_word_of(word, is_es, version) and not any(word in item.words for item in offered)
        )

    def _foreign(self, extensions: Iterable[str]) -> frozenset[str]:
        """Names of built-in functions that neither the version nor an extension of the text has: functions of that name are the text's."""
        version, is_es, asked = self.language.version, self.language.is_es, frozenset(extensions)
        functions = [FUNCTIONS[name] for name in self.present & FUNCTIONS.keys()]
        return frozenset(item.name for item in functions if not item.is_in(version, is_es) and asked.isdisjoint(item.extensions))

    def _words(self, later: frozenset[str], foreign: frozenset[str]) -> dict[str, str]:
        """Names of the text that are words of the target's language, or functions that its own version lacks."""
        names = set(later)
        if not self.language.is_old:  # glslang itself reports reserved words
            names &= self.declared.names & SINCE.keys()
        elif names:
            names -= are_used_as_words(self.texts, names)
        if self.language.version < (300 if self.language.is_es else 130):
            names |= legacy.FUNCTIONS & self.declared.names
        names |= foreign & self.declared.functions
        return {word: self._renamed(word) for word in sorted(names)}

    def _variables(self) -> dict[str, str]:
        """Variables with the name of a function that the upgrade calls, which they would hide."""
        hiding = (legacy.FUNCTIONS & self.declared.names) - self.declared.functions - self.words.keys()
        return {word: self._renamed(word) for word in sorted(hiding)} if self.present & legacy.OLD_WORDS else {}

    def _own_lookups(self) -> frozenset[str]:
        """Functions of the text with the name of a built-in function of another version."""
        is_es, version = self.language.is_es, self.language.version
        return self.declared.functions - (legacy.CORE_LOOKUPS[is_es] if not is_es or version == 100 else frozenset())

    def _calls(self, table: Mapping[str, str], own: frozenset[str]) -> dict[str, str]:
        return {name: table[name] for name in self.present & table.keys() if name not in own}

    def _fixed(self) -> dict[str, str]:
        """Names of the fixed functions that the stage has -> the variables that take their place."""
        names = self.present & compatibility.names_of(self.stage)
        if "ftransform" in self.declared.names:
            names -= {"ftransform"}
        return {name: self._renamed(name) for name in sorted(names)}

    def _plain(self) -> dict[str, str]:
        made = {name: legacy.BUILT_IN[name] for name in self.present & legacy.BUILT_IN.keys()}
        made |= {name: _CONSTANTS[name] for name in self.present & _CONSTANTS.keys()}
        for name in sorted(self.present & legacy.STATE.keys()):
            made[name] = self._renamed(name)
        if "gl_DepthRangeParameters" in self.present:
            made["gl_DepthRangeParameters"] = self._renamed("gl_DepthRangeParameters")
        if "gl_FragData" in self.present and self.stage is Processor.FRAG:
            made["gl_FragData"] = self.prefix + _COLORS
            self.old[self.prefix + _COLORS] = "gl_FragData"
        if "gl_FragColor" in self.present and self._lacks_color():
            made["gl_FragColor"] = self.prefix + _COLOR
            self.old[self.prefix + _COLOR] = "gl_FragColor"
        if self.language.is_old and "varying" in self.present:
            made["varying"] = "out" if self.stage is Processor.VERT else "in"
        if self.language.is_old and "attribute" in self.present:
            made["attribute"] = "in"
        return made

    def _lacks_color(self) -> bool:
        """True if the text uses gl_FragColor, which the target version lacks."""
        language = self.language
        has_color = language.is_old and language.version <= (100 if language.is_es else legacy.LAST_COLOR)
        return has_color and language.target > legacy.LAST_COLOR and self.stage is Processor.FRAG

    def upgraded(self) -> Upgraded:
        """The tokens, and the declarations to put before them. ParseError for names that the target version lacks."""
        texts = self.texts
        closing = _parentheses(texts) if self.comparisons else {}
        ends: dict[int, int] = {}
        made: list[Token] = []
        layout_end = -1
        changed = {*self.words, *self.variables, *self.lookups, *self.comparisons, *self.fixed, *self.plain, *self.gone}
        changed |= {"unsigned", "layout", *(["gl_in"] if self.members else [])}
        skipped = {place for _, dot in self.members.values() for place in (dot, dot + 1)}
        for index, token in enumerate(self.tokens):
            text = token[0]
            if index in skipped:
                continue
            if text not in changed:
                made.append(token)
                if index in ends:
                    made += [(mark, token[1], token[2]) for mark in (")", ",", "1.0", ")") * ends[index]]
                continue
            before, after = texts[index - 1] if index else "", texts[index + 1] if index + 1 < len(texts) else ""
            if text == "layout" and after == "(" and text not in self.words:
                layout_end = _closing(texts, index + 1) if index > layout_end else layout_end
            elif text in self.comparisons and after == "(" and before != "." and index + 1 in closing:
                made += [(word, token[1], token[2]) for word in ("vec4", "(", "vec3", "(", self.comparisons[text])]
                ends[closing[index + 1]] = ends.get(closing[index + 1], 0) + 1
                continue
            elif text == "unsigned" and after == "int" and self.language.is_old:
                made.append(("uint", token[1], token[2]))
                skipped.add(index + 1)
                continue
            elif index in self.members:
                made.append((self._renamed(self.members[index][0] + "In"), token[1], token[2]))
                continue
            new = self._new(token, before, after) if index > layout_end else text
            made.append(token if new == text else (new, token[1], token[2]))
        self.reports.raise_errors()
        return Upgraded(tokens=made, head=self._head(), old=self.old)

    def _new(self, token: Token, before: str, after: str) -> str:
        """The word that a token becomes."""
        text = token[0]
        if text in self.words:
            return self.words[text]
        if before == ".":
            return text
        if text in self.plain:
            return self.plain[text]
        if text in self.fixed and (text != "ftransform" or after == "("):
            return self.fixed[text]
        if text in self.lookups and after == "(":
            return self.lookups[text]
        if text in self.variables and after != "(":
            return self.variables[text]
        if text in self.gone and (text != "ftransform" or after == "("):
            hint = legacy.INSTEAD.get(text, "declare a uniform or an attribute for it")
            self.reports.error(f"`{text}` belongs to the fixed functions, which are gone", token, hint, "G012")
        return text

    def _head(self) -> list[str]:
        made = [legacy.STATE[name].format(self.prefix) for name in legacy.STATE if name in self.plain]
        if "gl_DepthRangeParameters" in self.plain and "gl_DepthRange" not in self.plain:
            made.append(legacy.STATE["gl_DepthRange"].format(self.prefix))
        if "gl_FragData" in self.plain:
            most = LIMITS["MaxDrawBuffers"]
            made.append(f"layout(location = 0) out vec4 {self.prefix}{_COLORS}[{compatibility.elements('gl_FragData', self.texts, most)}];")
        if "gl_FragColor" in self.plain:
            made.append(f"layout(location = 0) out vec4 {self.prefix}{_COLOR};")
        if self.fixed or self.members:
            members = {name for name, _ in self.members.values()}
            made += compatibility.declarations(self.fixed, self.declared.names, self.stage, self.texts, members, self._renamed)
        for name in self.noise:
            size = name[-1]
            kind = "float" if size == "1" else f"vec{size}"
            made += [f"{kind} {name}({point} p) {{ return {kind}(0.0); }}" for point in ("float", "vec2", "vec3", "vec4")]
        return made


def _parentheses(texts: Sequence[str]) -> dict[int, int]:
    """Each opening parenthesis -> its closing one."""
    made: dict[int, int] = {}
    stack: list[int] = []
    for index, text in enumerate(texts):
        if text == "(":
            stack.append(index)
        elif text == ")" and stack:
            made[stack.pop()] = index
    return made


def _closing(texts: Sequence[str], start: int) -> int:
    """The end of the parentheses of a layout, which are never nested."""
    most = min(len(texts), start + 1000)
    return next((index for index in range(start, most) if texts[index] in (")", ";", "{")), most)
