"""Arguments, words, documents and reasons that several rows of the table of calls share."""

from __future__ import annotations

from collections.abc import Mapping

from backends.device.calls.arguments import Argument, enumerated, flags, integer, plain, template
from backends.device.calls.forms import (
    Form,
    handle,
    number,
)
from backends.device.calls.row import Detail
from backends.pipe import checks, enums

OBJECTS, PARAMETERS, BINDINGS = 'context.rst, "CSO State"', 'context.rst, "Non-CSO State"', 'context.rst, "Resource Binding State"'
QUERIES, GRIDS, STREAMS = 'context.rst, "Queries"', 'context.rst, "Compute kernel execution"', 'context.rst, "Stream output targets"'
CLEARING, FLUSHING, BLITTING, TRANSFERS = (f'context.rst, "{name}"' for name in ("Clearing", "Flushing", "Blitting", "Transfers"))
SURFACES, VIEWS, HEADER, EXTENSION = 'context.rst, "Surfaces"', 'context.rst, "Sampler Views"', "p_context.h", "an extension"

TRANSFER = "checked in `backends.gallium.resource`, because boxes, strides and formats depend on each other"
QUERY_REASON = "checked by the query, because its own state decides whether the call is allowed"
PROGRAM_REASON = "`passes` and `linkage` check the program"

# -- arguments that several calls share --------------------------------------------------------------------------------------
STAGE = enumerated("shader stage", enums.ShaderType)
RESOURCE, BUFFER, TEXTURE = Argument("a Resource"), Argument("a Resource: a buffer"), Argument("a Resource: a texture")
MEMORY = Argument("bytes or an array")
HANDLE = integer("a handle", 0, (1 << 64) - 1)
OBJECT, SHADER, PROGRAM = Argument("a state object, or None"), Argument("a shader, or None"), Argument("a Program or its text")
LEVEL, LAYER = Argument("level", default=0), Argument("layer", default=0)
LAST_LEVEL, LAST_LAYER = Argument("level, the last one if None", default=None), Argument("layer, the last one if None", default=None)
BOX, STRIDE = Argument("a box, all if None", default=None), Argument("bytes, tight if None", default=None)
FORMAT, QUERY = Argument("a format, the resource's if None", default=None), Argument("a Query")
TARGET = Argument("a TextureTarget, the resource's if None", default=None)
OFFSET, SIZE = integer("byte", default=0), Argument("bytes, all remaining ones if None", default=None)
USAGE = flags("flags of the mapping", enums.Transfer, default=0)
COLOR = Argument("red, green, blue, alpha", default=(0.0, 0.0, 0.0, 0.0))
CONDITIONAL = plain("True: the render condition applies", checks.truth, default=True)
WAIT = plain("False: do not wait for GPU_FINISHED; other results are always waited for", checks.truth, default=True)
RESIDENT = plain("False: no longer resident", checks.truth, default=True)
ITEMS = Argument("a sequence; None leaves a slot empty")
PIXEL, PIXELS = integer("pixel", default=0), Argument("pixels, up to the edge if None", default=None)
PLACES: Mapping[str, Argument] = {"x": PIXEL, "y": PIXEL, "width": PIXELS, "height": PIXELS, "render_condition_enabled": CONDITIONAL}
DEPTH, STENCIL = plain("0 to 1, clamped", checks.real, default=1.0), integer("the low eight bits are used", default=0)


def start(most: int) -> Argument:
    """The first slot, up to `most`."""
    return integer("first slot", 0, most, default=0)


def template_of(kind: type, *more: type) -> dict[str, Argument]:
    """A template of one of some kinds, or its fields."""
    return {"state": template("a template, or its fields", kind, *more)}


# -- words that several calls share ------------------------------------------------------------------------------------------
def start_of(most: int) -> Form:
    """The word of `start`."""
    return number("start", most=most)


COLORS = "red green blue alpha"
STAGE_DETAIL = (Detail("stage", enums.ShaderType, 0, 7),)


NEEDED_HANDLE = (handle("query", "handle", is_needed=True),)
