"""Link state objects: linkages other than the identity. They are an extension; the linkage proposal of 2010 left them as an open issue."""

from __future__ import annotations

from collections.abc import Mapping

from backends.gallium.context.core import ContextCore
from backends.gallium.context.handles import StateObject, check_object
from linkage.options import IDENTITY, LinkState, link_state
from tgsi.language.facts.semantics import Semantic


class LinkStates(ContextCore):
    """Link states: create_, bind_ and destroy_link_state."""

    def create_link_state(self, mapping: Mapping[Semantic | str, Semantic | str] | LinkState) -> StateObject[LinkState]:
        """Create a link state: fragment input semantic -> the output semantic that feeds it, e.g. ``{"GENERIC[0]": "TEXCOORD[2]"}``.

        Inputs without an entry are fed by their own semantic. Two inputs may be fed by one output. Equal mappings share one state.

        Raises:
            TypeError, ValueError: the mapping or one of its semantics is wrong.

        (an extension)
        """
        made = mapping if isinstance(mapping, LinkState) else link_state(mapping, "create_link_state: mapping")
        return self._create_object("link", made)

    def bind_link_state(self, handle: StateObject[LinkState] | None) -> None:
        """Bind a link state. None binds the identity. (an extension)"""
        if handle is None:
            self.state.link = IDENTITY
            return
        check_object(handle, "link", self._owner, "bind_link_state")
        self.state.link = handle.state

    def destroy_link_state(self, handle: StateObject[LinkState]) -> None:
        """Destroy a link state. (an extension)"""
        self._destroy_object(handle, "link")

    delete_link_state = destroy_link_state
