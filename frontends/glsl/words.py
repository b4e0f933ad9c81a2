"""Reserved words of GLSL and their versions. In older versions they are ordinary names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

NEVER = 9999
"""The version of a word that no version of a language has."""

_TYPED = ("", "i", "u")
_DOUBLE_MATRICES = [f"dmat{columns}{rows}" for columns in "234" for rows in ("", "x2", "x3", "x4")]
DOUBLES = " ".join(("double", "dvec2", "dvec3", "dvec4", *_DOUBLE_MATRICES))
"""Types of double precision."""


def _typed(names: str, kinds: Iterable[str] = _TYPED) -> str:
    return " ".join(f"{kind}{name}" for name in names.split() for kind in kinds)


_SINCE: Mapping[tuple[int, int], str] = {
    (120, 100): "invariant",
    (120, 300): "centroid mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4",
    (130, 100): "lowp mediump highp precision",
    (130, 300): "flat smooth uint uvec2 uvec3 uvec4 switch case default sampler2DArray sampler2DArrayShadow samplerCubeShadow "
    + _typed("sampler2D sampler3D samplerCube sampler2DArray", "iu"),
    (130, NEVER): "noperspective sampler1DArray sampler1DArrayShadow " + _typed("sampler1D sampler1DArray", "iu"),
    (110, NEVER): "sampler1D sampler1DShadow sampler2DRect sampler2DRectShadow",
    (140, 300): "layout",
    (140, NEVER): _typed("sampler2DRect", "iu"),
    (140, 320): _typed("samplerBuffer"),
    (150, 310): _typed("sampler2DMS"),
    (150, 320): _typed("sampler2DMSArray"),
    (400, 320): "patch sample precise samplerCubeArrayShadow " + _typed("samplerCubeArray"),
    (400, NEVER): "subroutine " + DOUBLES,
    (420, 310): "atomic_uint coherent restrict volatile readonly writeonly " + _typed("image2D image3D imageCube image2DArray"),
    (420, 320): _typed("imageBuffer imageCubeArray"),
    (420, NEVER): _typed("image1D image1DArray image2DRect image2DMS image2DMSArray"),
    (430, 310): "buffer shared",
}  # fmt: skip
"""First version of the desktop and of OpenGL ES -> words that it added; without those of every version."""

SINCE: Mapping[str, tuple[int, int]] = MappingProxyType({word: since for since, words in _SINCE.items() for word in words.split()})
"""Word -> first version of the desktop and of OpenGL ES with it."""

_RESERVED = """
active asm cast class common enum extern external filter fixed fvec2 fvec3 fvec4 goto half hvec2 hvec3 hvec4 inline input interface long
namespace noinline output partition public short sizeof static superp template this typedef union unsigned using sampler3DRect
"""
_FREE_BEFORE_400 = frozenset(
    ("patch", "sample", "precise", "subroutine", "buffer", "atomic_uint", "coherent", "restrict", "readonly", "writeonly")
    + (*_DOUBLE_MATRICES, *_typed("imageCubeArray image2DMS image2DMSArray").split())
)
"""Words that glslang reads as names below version 400."""


def taken_words(target: int) -> frozenset[str]:
    """Words that cannot be names in a version of the desktop: those added after the first version, and reserved ones."""
    words = frozenset((*SINCE, *_RESERVED.split()))
    if target >= 400:
        return words | {"devicecoherent", "nonprivate", "pervertexEXT", "queuefamilycoherent", "resource", "workgroupcoherent"}
    return words - _FREE_BEFORE_400


def is_word_of(word: str, is_es: bool, version: int) -> bool:
    """True if a version has a word in its grammar."""
    return SINCE.get(word, (NEVER, NEVER))[is_es] <= version
