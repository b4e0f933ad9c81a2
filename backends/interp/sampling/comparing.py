"""Shadow comparisons: each texel becomes 1 or 0 before filters mix it. (OpenGL 4.6 core, 8.23)"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backends.formats import ChannelType
from backends.interp.sampling.filters import Colors, as_words
from backends.interp.sampling.wrapping import F, Ints
from backends.pipe.enums import CompareFunc
from backends.run.textures import TextureData
from tgsi.language.record import record

_TRUTH: dict[CompareFunc, Callable[[Any, Any], Any]] = {
    CompareFunc.NEVER: lambda a, b: np.zeros(len(a), bool),
    CompareFunc.LESS: np.less,
    CompareFunc.EQUAL: np.equal,
    CompareFunc.LEQUAL: np.less_equal,
    CompareFunc.GREATER: np.greater,
    CompareFunc.NOTEQUAL: np.not_equal,
    CompareFunc.GEQUAL: np.greater_equal,
    CompareFunc.ALWAYS: lambda a, b: np.ones(len(a), bool),
}


@record(eq=False)
class Comparison:
    """A comparison of one reference value a lane, (lanes,) float32, with red."""

    texture: TextureData
    func: CompareFunc
    reference: F

    def of(self, rows: Ints) -> Comparison:
        """The comparison in some of the lanes."""
        return Comparison(self.texture, self.func, self.reference[rows])

    def __call__(self, texels: Colors) -> Colors:
        """(p, p, p, 1) for each lane's texel.

        Of integer formats, which nothing sensible compares, the word is taken as a float: so does softpipe.
        """
        channel, reference = self.texture.format.depth or self.texture.format.channels[0], self.reference
        if channel.type is not ChannelType.FLOAT:
            reference = np.clip(np.where(np.isnan(reference), np.float32(0), reference), np.float32(0), np.float32(1))
        out = np.ones_like(texels)
        out[:, :3] = _TRUTH[self.func](reference, as_words(self.texture, texels)[:, 0].view(np.float32))[:, None]
        return out
