"""Sampling parameters of sampler objects and of textures. (OpenGL 4.6 core, 8.2 and 8.10)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tgsi.opengl.errors import bad_enum, bad_value
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.host import Host

WRAPS = {
    GL.REPEAT: "REPEAT",
    GL.CLAMP: "CLAMP",
    GL.CLAMP_TO_EDGE: "CLAMP_TO_EDGE",
    GL.CLAMP_TO_BORDER: "CLAMP_TO_BORDER",
    GL.MIRRORED_REPEAT: "MIRROR_REPEAT",
    GL.MIRROR_CLAMP_TO_EDGE: "MIRROR_CLAMP_TO_EDGE",
}
FILTERS = {
    GL.NEAREST: ("NEAREST", "NONE"),
    GL.LINEAR: ("LINEAR", "NONE"),
    GL.NEAREST_MIPMAP_NEAREST: ("NEAREST", "NEAREST"),
    GL.LINEAR_MIPMAP_NEAREST: ("LINEAR", "NEAREST"),
    GL.NEAREST_MIPMAP_LINEAR: ("NEAREST", "LINEAR"),
    GL.LINEAR_MIPMAP_LINEAR: ("LINEAR", "LINEAR"),
}
COMPARES = {
    GL.NEVER: "NEVER",
    GL.LESS: "LESS",
    GL.EQUAL: "EQUAL",
    GL.LEQUAL: "LEQUAL",
    GL.GREATER: "GREATER",
    GL.NOTEQUAL: "NOTEQUAL",
    GL.GEQUAL: "GEQUAL",
    GL.ALWAYS: "ALWAYS",
}

ENUMS: dict[int, tuple[str, Any]] = {
    GL.TEXTURE_WRAP_S: ("wrap_s", WRAPS),
    GL.TEXTURE_WRAP_T: ("wrap_t", WRAPS),
    GL.TEXTURE_WRAP_R: ("wrap_r", WRAPS),
    GL.TEXTURE_MIN_FILTER: ("min_filter", FILTERS),
    GL.TEXTURE_MAG_FILTER: ("mag_filter", {GL.NEAREST, GL.LINEAR}),
    GL.TEXTURE_COMPARE_MODE: ("compare_mode", {GL.NONE, GL.COMPARE_REF_TO_TEXTURE}),
    GL.TEXTURE_COMPARE_FUNC: ("compare_func", COMPARES),
    GL.TEXTURE_SRGB_DECODE_EXT: ("srgb_decode", {GL.DECODE_EXT, GL.SKIP_DECODE_EXT}),
}
"""Enumerant parameters: the field and its allowed values."""

FLOATS = {
    GL.TEXTURE_MIN_LOD: "min_lod",
    GL.TEXTURE_MAX_LOD: "max_lod",
    GL.TEXTURE_LOD_BIAS: "lod_bias",
    GL.TEXTURE_MAX_ANISOTROPY: "max_anisotropy",
}
"""Numeric parameters."""


class Sampler:
    """Sampling parameters; `state` is the equivalent Gallium object."""

    def __init__(self, name: int) -> None:
        self.name = name
        self.wrap_s: int = GL.REPEAT
        self.wrap_t: int = GL.REPEAT
        self.wrap_r: int = GL.REPEAT
        self.min_filter: int = GL.NEAREST_MIPMAP_LINEAR
        self.mag_filter: int = GL.LINEAR
        self.compare_mode: int = GL.NONE
        self.compare_func: int = GL.LEQUAL
        self.srgb_decode: int = GL.DECODE_EXT
        self.min_lod = -1000.0
        self.max_lod = 1000.0
        self.lod_bias = 0.0
        self.max_anisotropy = 1.0
        self.border: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
        self.label = ""
        self.is_deleted = False

    def set(self, name: int, values: tuple[Any, ...], call: str) -> None:
        """Set a parameter. `values` are one number, or the four of a border color.

        Raises:
            GLError: GL_INVALID_ENUM for an unknown parameter or value, GL_INVALID_VALUE for an anisotropy below 1.
        """
        if name in ENUMS:
            field, allowed = ENUMS[name]
            value = int(values[0])
            if value not in allowed:
                raise bad_enum(f"{call}: {field}", value)
            setattr(self, field, value)
        elif name in FLOATS:
            if name == GL.TEXTURE_MAX_ANISOTROPY and not values[0] >= 1:
                raise bad_value(f"{call}: an anisotropy of {values[0]} is below 1")
            setattr(self, FLOATS[name], float(values[0]))
        elif name == GL.TEXTURE_BORDER_COLOR and len(values) == 4:
            self.border = tuple(values)
        else:
            raise bad_enum(f"{call}: pname", name)

    def get(self, name: int, call: str) -> tuple[Any, ...]:
        """The values of a parameter."""
        if name in ENUMS:
            return (getattr(self, ENUMS[name][0]),)
        if name in FLOATS:
            return (getattr(self, FLOATS[name]),)
        if name == GL.TEXTURE_BORDER_COLOR:
            return self.border
        raise bad_enum(f"{call}: pname", name)

    def key(self, *, is_rectangle: bool) -> tuple[Any, ...]:
        """All parameters that affect the Gallium object."""
        return (
            self.wrap_s, self.wrap_t, self.wrap_r, self.min_filter, self.mag_filter, self.compare_mode, self.compare_func,
            self.min_lod, self.max_lod, self.lod_bias, self.max_anisotropy, self.border, is_rectangle,
        )  # fmt: skip

    def state(self, gl: Host, *, is_rectangle: bool = False) -> Any:
        """The Gallium sampler with these parameters, shared by equal ones."""
        key = self.key(is_rectangle=is_rectangle)
        state_object = gl.samplers.get(key)
        if state_object is None:
            image, mip = FILTERS[self.min_filter]
            low = max(self.min_lod, 0.0)
            state_object = gl.samplers[key] = gl.pipe.create_sampler_state(
                wrap_s=WRAPS[self.wrap_s],
                wrap_t=WRAPS[self.wrap_t],
                wrap_r=WRAPS[self.wrap_r],
                min_img_filter=image,
                mag_img_filter="LINEAR" if self.mag_filter == GL.LINEAR else "NEAREST",
                min_mip_filter=mip,
                compare_mode="NONE" if self.compare_mode == GL.NONE else "R_TO_TEXTURE",
                compare_func=COMPARES[self.compare_func],
                normalized_coords=not is_rectangle,
                max_anisotropy=min(16, int(self.max_anisotropy)) if self.max_anisotropy > 1 else 0,
                seamless_cube_map=True,
                lod_bias=self.lod_bias,
                min_lod=low,
                max_lod=max(low, self.max_lod),
                border_color=self.border,
                lod_by_length=True,
            )
        return state_object
