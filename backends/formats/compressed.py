"""Gallium's formats of blocks, compressed or subsampled: the size of a block, and the plain format of the texels that it decodes to.

Sources: the OpenGL extensions EXT_texture_compression_s3tc, EXT_texture_compression_rgtc, EXT_texture_compression_latc,
ARB_texture_compression_bptc, OES_compressed_ETC1_RGB8_texture and KHR_texture_compression_astc_ldr; OpenGL 4.6, appendix C (RGTC,
BPTC, ETC2, EAC).
"""

from __future__ import annotations

from enum import Enum

from backends.formats.format import FORMATS, Format, named
from tgsi.language.record import record


@record
class Facts:
    """Facts of a compressed format. width, height: texels of a block; size: its bytes; plain: format of decoded texels; coding: decoder."""

    width: int
    height: int
    size: int
    plain: Format
    coding: str


class CompressedFormat(Enum):
    """A format of compressed blocks, under its Gallium name. A block is the unit of storage, as a pixel is of a `Format`."""

    def __str__(self) -> str:
        return self.name

    @classmethod
    def _missing_(cls, value: object) -> CompressedFormat | None:
        return COMPRESSED.get(value.removeprefix("PIPE_FORMAT_")) if isinstance(value, str) else None

    DXT1_RGB = Facts(4, 4, 8, Format.R8G8B8A8_UNORM, "dxt1")
    DXT1_RGBA = Facts(4, 4, 8, Format.R8G8B8A8_UNORM, "dxt1_clear")
    DXT3_RGBA = Facts(4, 4, 16, Format.R8G8B8A8_UNORM, "dxt3")
    DXT5_RGBA = Facts(4, 4, 16, Format.R8G8B8A8_UNORM, "dxt5")
    DXT1_SRGB = Facts(4, 4, 8, Format.R8G8B8A8_SRGB, "dxt1")
    DXT1_SRGBA = Facts(4, 4, 8, Format.R8G8B8A8_SRGB, "dxt1_clear")
    DXT3_SRGBA = Facts(4, 4, 16, Format.R8G8B8A8_SRGB, "dxt3")
    DXT5_SRGBA = Facts(4, 4, 16, Format.R8G8B8A8_SRGB, "dxt5")
    RGTC1_UNORM = Facts(4, 4, 8, Format.R8_UNORM, "ramp")
    RGTC1_SNORM = Facts(4, 4, 8, Format.R8_SNORM, "ramp_signed")
    RGTC2_UNORM = Facts(4, 4, 16, Format.R8G8_UNORM, "ramps")
    RGTC2_SNORM = Facts(4, 4, 16, Format.R8G8_SNORM, "ramps_signed")
    LATC1_UNORM = Facts(4, 4, 8, Format.L8_UNORM, "ramp")
    LATC1_SNORM = Facts(4, 4, 8, Format.L8_SNORM, "ramp_signed")
    LATC2_UNORM = Facts(4, 4, 16, Format.L8A8_UNORM, "ramps")
    LATC2_SNORM = Facts(4, 4, 16, Format.L8A8_SNORM, "ramps_signed")
    BPTC_RGBA_UNORM = Facts(4, 4, 16, Format.R8G8B8A8_UNORM, "bptc")
    BPTC_SRGBA = Facts(4, 4, 16, Format.R8G8B8A8_SRGB, "bptc")
    BPTC_RGB_FLOAT = Facts(4, 4, 16, Format.R16G16B16A16_FLOAT, "bptc_float")
    BPTC_RGB_UFLOAT = Facts(4, 4, 16, Format.R16G16B16A16_FLOAT, "bptc_ufloat")
    ETC1_RGB8 = Facts(4, 4, 8, Format.R8G8B8A8_UNORM, "etc1")
    ETC2_RGB8 = Facts(4, 4, 8, Format.R8G8B8A8_UNORM, "etc2")
    ETC2_SRGB8 = Facts(4, 4, 8, Format.R8G8B8A8_SRGB, "etc2")
    ETC2_RGB8A1 = Facts(4, 4, 8, Format.R8G8B8A8_UNORM, "etc2_clear")
    ETC2_SRGB8A1 = Facts(4, 4, 8, Format.R8G8B8A8_SRGB, "etc2_clear")
    ETC2_RGBA8 = Facts(4, 4, 16, Format.R8G8B8A8_UNORM, "etc2_alpha")
    ETC2_SRGBA8 = Facts(4, 4, 16, Format.R8G8B8A8_SRGB, "etc2_alpha")
    ETC2_R11_UNORM = Facts(4, 4, 8, Format.R16_UNORM, "eac")
    ETC2_R11_SNORM = Facts(4, 4, 8, Format.R16_SNORM, "eac_signed")
    ETC2_RG11_UNORM = Facts(4, 4, 16, Format.R16G16_UNORM, "eacs")
    ETC2_RG11_SNORM = Facts(4, 4, 16, Format.R16G16_SNORM, "eacs_signed")
    UYVY = Facts(2, 1, 4, Format.R8G8B8A8_UNORM, "uyvy")
    YUYV = Facts(2, 1, 4, Format.R8G8B8A8_UNORM, "yuyv")
    R8G8_B8G8_UNORM = Facts(2, 1, 4, Format.R8G8B8A8_UNORM, "rgbg")
    G8R8_G8B8_UNORM = Facts(2, 1, 4, Format.R8G8B8A8_UNORM, "grgb")
    R8G8_R8B8_UNORM = Facts(2, 1, 4, Format.R8G8B8A8_UNORM, "rgrb")
    G8R8_B8R8_UNORM = Facts(2, 1, 4, Format.R8G8B8A8_UNORM, "grbr")
    ASTC_4x4 = Facts(4, 4, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_5x4 = Facts(5, 4, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_5x5 = Facts(5, 5, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_6x5 = Facts(6, 5, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_6x6 = Facts(6, 6, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_8x5 = Facts(8, 5, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_8x6 = Facts(8, 6, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_8x8 = Facts(8, 8, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_10x5 = Facts(10, 5, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_10x6 = Facts(10, 6, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_10x8 = Facts(10, 8, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_10x10 = Facts(10, 10, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_12x10 = Facts(12, 10, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_12x12 = Facts(12, 12, 16, Format.R8G8B8A8_UNORM, "astc")
    ASTC_4x4_SRGB = Facts(4, 4, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_5x4_SRGB = Facts(5, 4, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_5x5_SRGB = Facts(5, 5, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_6x5_SRGB = Facts(6, 5, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_6x6_SRGB = Facts(6, 6, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_8x5_SRGB = Facts(8, 5, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_8x6_SRGB = Facts(8, 6, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_8x8_SRGB = Facts(8, 8, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_10x5_SRGB = Facts(10, 5, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_10x6_SRGB = Facts(10, 6, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_10x8_SRGB = Facts(10, 8, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_10x10_SRGB = Facts(10, 10, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_12x10_SRGB = Facts(12, 10, 16, Format.R8G8B8A8_SRGB, "astc_srgb")
    ASTC_12x12_SRGB = Facts(12, 12, 16, Format.R8G8B8A8_SRGB, "astc_srgb")

    @property
    def block_width(self) -> int:
        """Texels of a block in x."""
        return self.value.width

    @property
    def block_height(self) -> int:
        """Texels of a block in y."""
        return self.value.height

    @property
    def block_bytes(self) -> int:
        """Bytes of a block."""
        return self.value.size

    @property
    def block_bits(self) -> int:
        """Bits of a block."""
        return 8 * self.value.size

    @property
    def plain(self) -> Format:
        """The format of decoded texels, which shaders sample."""
        return self.value.plain

    @property
    def coding(self) -> str:
        """The decoder; `blocks.decode` has one for each. Formats of one coding decode to the same bytes."""
        return self.value.coding

    @property
    def is_depth_stencil(self) -> bool:
        """False: blocks hold colors."""
        return False


COMPRESSED: dict[str, CompressedFormat] = dict(CompressedFormat.__members__)
"""All compressed formats by name, without prefix."""

AnyFormat = Format | CompressedFormat
_ALL: dict[str, AnyFormat] = {**FORMATS, **COMPRESSED}


def find_any_format(name: str | AnyFormat) -> AnyFormat:
    """The plain or compressed format named `name`. Raises ValueError, with the nearest name, for an unknown one."""
    return named(name, _ALL) if isinstance(name, str) else name
