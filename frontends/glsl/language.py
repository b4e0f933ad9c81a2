"""The language of a text: its ``#version``, and the version as which glslang compiles it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from frontends.glsl import compatibility, legacy
from frontends.glsl.builtins import BUILT_INS, NEVER
from frontends.glsl.extensions import EXTENSIONS, NEEDS
from frontends.glsl.preprocess.dialect import Dialect
from frontends.glsl.preprocess.reports import Reports, quoted
from frontends.glsl.preprocess.scan import Token, Unit
from frontends.glsl.request import STAGE_MACROS
from tgsi.language.facts.enums import Processor
from tgsi.language.record import record

_VERSIONS = "versions are 110 to 150, 330 and 400 to 460, and 100 and 300 es to 320 es"
_PROFILES = ("core", "compatibility", "es")


@record(kw_only=True)
class Language:
    """A version of GLSL. `target`: the desktop version that glslang compiles; `is_old`: texts are upgraded to it first."""

    version: int
    is_es: bool = False
    is_compatible: bool = False
    target: int
    is_old: bool = False

    @property
    def has_fixed(self) -> bool:
        """True for versions with fixed-function names."""
        return not self.is_es and (self.is_compatible or self.version <= compatibility.LAST_PLAIN)

    def with_target_for(self, extensions: Iterable[str], names: Set[str]) -> Language:
        """The language with a target version that has the extensions in use and the built-in names that the text uses."""
        wanted = [BUILT_INS[name] for name in names & BUILT_INS.keys()]
        of_names = (item.desktop for item in wanted if item.is_in(self.version, self.is_es) and item.desktop != NEVER)
        target = max((self.target, *(NEEDS.get(name, 0) for name in extensions), *of_names))
        return self if target == self.target else replace(self, target=target, is_old=True)

    def with_least_target(self, version: int) -> Language:
        """The language with a target of at least this version."""
        return self if version <= self.target else replace(self, target=version, is_old=True)

    def dialect(self, stage: Processor, *, is_vulkan: bool = False) -> Dialect:
        """Facts for the preprocessor. is_vulkan: the text is GLSL for Vulkan."""
        names = {"GL_FRAGMENT_PRECISION_HIGH", STAGE_MACROS[stage]}
        names |= {item.name for item in EXTENSIONS.values() if (item.es if self.is_es else item.desktop)}
        if self.is_es:
            names |= {"GL_ES", "GL_es_profile"} - ({"GL_es_profile"} if self.version < 300 else set())
        elif self.version >= 150:
            names |= {"GL_core_profile"} | ({"GL_compatibility_profile"} if self.is_compatible else set())
        macros = {"__VERSION__": str(self.version), "VULKAN" if is_vulkan else "GL_SPIRV": "100", **dict.fromkeys(names, "1")}
        return Dialect(macros=macros, is_es=self.is_es)


def hlsl_dialect(stage: Processor) -> Dialect:
    """Facts about HLSL for the preprocessor."""
    return Dialect(macros={"VULKAN": "100", STAGE_MACROS[stage]: "1"}, is_hlsl=True)


def language_of(unit: Unit, reports: Reports) -> Language:
    """The language of a text. Its ``#version`` is taken from the text.

    Raises:
        ParseError: a version that is not there (G001, G013).
    """
    first = unit.lines[0] if unit.lines else []
    if [item[0] for item in first[:2]] != ["#", "version"]:
        words = {item[0] for line in unit.lines for item in line}
        return _language(legacy.OLD if words & legacy.OLD_WORDS else legacy.ASSUMED, "", first, reports)
    del unit.lines[0]
    if len(first) < 3 or not first[2][0].isdecimal() or len(first[2][0]) > 6:
        reports.refuse("#version needs a number", first[min(2, len(first) - 1)], _VERSIONS)
    kind = first[3][0] if len(first) > 3 else ""
    if (kind and kind not in _PROFILES) or len(first) > 4:
        reports.refuse(f"{quoted(first[-1][0])} is not a profile", first[-1], "profiles are core, compatibility and es")
    return _language(int(first[2][0]), kind, first, reports)


def _language(version: int, kind: str, line: Sequence[Token], reports: Reports) -> Language:
    if kind == "es" or version == 100:
        target = legacy.ES_TARGETS.get(version)
        if target is None:
            reports.refuse(f"there is no version {version} of OpenGL ES's GLSL", line[2], "versions are 100, 300, 310 and 320", "G013")
        return Language(version=version, is_es=True, target=target, is_old=True)
    if version not in legacy.DESKTOP_VERSIONS:
        hint = f"write `#version {version} es`; {_VERSIONS}" if version in legacy.ES_TARGETS else _VERSIONS
        reports.refuse(f"version {version} not supported", line[2], hint)
    target = max(version, legacy.OLDEST)
    is_compatible = kind == "compatibility"
    return Language(version=version, is_compatible=is_compatible, target=target, is_old=target != version or is_compatible)
