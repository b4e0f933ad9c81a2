"""Places in the constant buffers of fixed-function programs, in vec4s."""

from __future__ import annotations

from tgsi.opengl.state.fixed import MAX_LIGHTS, MAX_UNITS

COMBINED, MODEL_VIEW, NORMAL = 0, 4, 8
"""Rows of projection * model-view, of model-view, and of its inverse transposed."""

MISC = 11
"""x: the factor of rescaled normals."""

SCENE, SHININESS, MODEL_AMBIENT = 12, 14, 15
"""Emission and ambient light of front and back faces with the alpha of their colors; both exponents; the ambient light of the model."""

_LIGHTS, _LIGHT = 16, 10
HALF, ATTENUATION, SPOT, AMBIENT, DIFFUSE, SPECULAR, BACK = 1, 2, 3, 4, 5, 6, 3
"""Places of a light: half vector; attenuation with the cosine of its cutoff; direction with its exponent; products with the front
material, and BACK places later those with the back material."""

_PLANES = _LIGHTS + MAX_LIGHTS * _LIGHT
_MATRICES = _PLANES + 4 * MAX_UNITS
POINT = _MATRICES + 4 * MAX_UNITS
"""Attenuation of points with their size; then the least and the largest size."""

VERTEX_SIZE = POINT + 2
FOG_COLOR, FOG_FACTORS, ENVIRONMENT = 0, 1, 2
"""Places of fragment programs: the color of fog; its factors; colors of the texture environments."""

FRAGMENT_SIZE = ENVIRONMENT + MAX_UNITS


def light(number: int) -> int:
    """The first place of a light."""
    return _LIGHTS + number * _LIGHT


def plane(unit: int, coordinate: int) -> int:
    """The place of a plane that generates a texture coordinate."""
    return _PLANES + 4 * unit + coordinate


def texture_matrix(unit: int) -> int:
    """The first row of a texture matrix."""
    return _MATRICES + 4 * unit
