"""The state of a context derived from its calls, and its changes from draw to draw."""

from __future__ import annotations

from typing import Any

from backends.device.calls.row import Does
from backends.gallium.tracing.printing import Handle
from backends.gallium.tracing.steps import WORK, Step
from backends.pipe.enums import ShaderType, lookup
from tgsi.tools.inspect.texts import Names, fields_of

Slots = dict[str, dict[str, str] | None]
"""State by slot: fields as texts, None if unbound."""
_OBJECTS = ("blend", "rasterizer", "depth_stencil_alpha", "vertex_elements", "link")


class StateTracker:
    """Follows the calls that set state.

    Attributes:
        handles: bound objects, such as programs, by slot.
        last: the last call of each slot.
    """

    def __init__(self, name: Names) -> None:
        """name: the name of the object of a handle."""
        self._name = name
        self._created: dict[int, Step] = {}
        self._now: Slots = {}
        self._shown: Slots = {}
        self.handles: dict[str, int] = {}
        self.last: dict[str, Step] = {}

    def note(self, step: Step) -> None:
        """Follow a call."""
        call = step.call
        if call is None or call.raises:
            return
        if call.result:
            self._created[call.result] = step
        if call.row.does is not Does.SET or step.name in WORK:
            return
        named = step.named
        try:
            stage = ShaderType(int(lookup(ShaderType, named["stage"], "stage"))).name if "stage" in named else ""
        except (ValueError, TypeError):
            return
        self.last[step.name] = step
        self._set(step, named, stage)

    def _set(self, step: Step, named: dict[str, Any], stage: str) -> None:
        name = step.name.removeprefix("set_").removeprefix("bind_").removesuffix("_states").removesuffix("_state")
        words = " ".join(filter(None, (stage, name.replace("_", " "))))
        start = named.get("start", 0)
        items = next((item for key, item in named.items() if isinstance(item, (list, tuple)) and key != "color"), None)
        if items is not None and isinstance(start, int) and step.name != "set_framebuffer_state":
            for k, item in enumerate(items):
                self._put(f"{words} {start + k}", item)
        elif step.name.startswith("bind_"):
            self._put(words, next(iter(named.values()), None))
        else:
            index = named.get("index")
            rest = {
                key: item for key, item in named.items() if key not in ("stage", "start") and not (key == "index" and isinstance(item, int))
            }
            self._put(f"{words} {index}" if isinstance(index, int) else words, rest)

    def _put(self, slot: str, value: Any) -> None:
        self.handles.pop(slot, None)
        if value is None:
            self._now[slot] = None
            return
        if not isinstance(value, Handle):
            self._now[slot] = fields_of(value, self._name)
            return
        self.handles[slot] = value.number
        created = self._created.get(value.number)
        shown = {"object": self._name(value.number)}
        if (
            created is not None
            and created.call is not None
            and created.name.removeprefix("create_").removesuffix("_state") in (*_OBJECTS, "sampler")
        ):
            shown |= fields_of(created.named, self._name)
        self._now[slot] = shown

    def changes(self) -> Slots:
        """The slots that changed since the last call of this method."""
        changed = {slot: value for slot, value in self._now.items() if slot not in self._shown or self._shown[slot] != value}
        self._shown |= changed
        return changed
