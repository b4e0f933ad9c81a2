"""The pass repeat."""

from __future__ import annotations

from passes.form import Form, FormPass
from tgsi.language.record import record


@record(slots=False)
class Repeat(FormPass):
    """Run the passes in front of it again, as long as a pass after the last rewriter among them changes anything.

    These are the passes that share a form with it (`passes.pipeline`). Where registers can be split anew, they are; if no pass finds more
    to do then, the program stays as it was before. Programs go through all passes of the optimiser around it again if those in front of the
    form would do more: with fewer instructions in an arm, or a constant at the head of a loop. Lowerings run once. Alone the pass changes
    nothing.
    """

    name = "repeat"
    rounds: int = 8

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        return False
