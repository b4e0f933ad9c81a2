"""Rounds of the passes in front of `repeat` over one form, and whether another round may find more."""

from __future__ import annotations

from passes.form import Form
from passes.optimise.split import can_split


class Rounds:
    """The rounds over a form so far.

    first: the group that made the form. count: rounds so far, with the present one. last: the group that changed the form last.
    seen: `last` if nothing changed since the round began. held: the form before its registers were split again, if only their numbers
    changed since. is_settled: true if another run over the result would change nothing.
    """

    __slots__ = ("_is_full", "_is_renewed", "_is_seen", "count", "first", "held", "is_settled", "last", "seen")

    def __init__(self, first: int) -> None:
        self.first, self.count, self.last, self.seen = first, 1, -1, -2
        self.held: Form | None = None
        self.is_settled = False
        self._is_seen = False  # all passes up to `repeat` have seen the present form
        self._is_renewed = False  # a pass did more after registers were split again
        self._is_full = False  # the present round walks over the whole form

    def note(self, place: int, *, is_split: bool) -> None:
        """Note that a group changed the form. `is_split`: only the registers are others."""
        self.last, self.seen = place, -2
        if self.held is not None and not is_split:
            self.held, self._is_renewed = None, True

    def skip(self) -> None:
        """Note that all passes up to `repeat` have seen the present form."""
        self._is_seen = True

    def begin_another(self, form: Form, walk: int, most: int, *, is_whole_run: bool) -> bool:
        """Begin another round at `repeat` if it may find more; return false if it cannot, or if there were as many as are allowed.

        walk: the last group of rewriters. is_whole_run: whether the form was made by the first group that makes one.

        Walks after the first visit only places that changed since, which is enough for a program without blocks whose registers need not be
        split again. Otherwise one round more splits them and walks over everything.
        """
        if self.held is not None:  # this round changed only the numbers of registers
            self.is_settled = self._is_full or not self._is_renewed
            return False
        is_whole, is_quiet = form.values.layout.is_whole, _is_quiet(form)
        is_stale = (form.is_stale or bool(form.zeros)) and can_split(form)
        is_calm = self._is_seen or self.last <= walk or is_quiet
        if not (is_calm or is_stale) and self.count < most:
            self._again(self.last)
            return True
        if not is_whole_run:
            return False
        if is_calm and not (is_stale or self._is_renewed) and (is_whole or self.count == 1):
            self.is_settled = True
            return False
        if self.count >= most:
            return False
        self.held, form.is_stale = form.copy(), True
        self._is_full = not (is_whole and is_calm) or self._is_renewed
        if self._is_full:
            form.walked = ""
        self._again(-2)
        return True

    def _again(self, seen: int) -> None:
        self.count, self.seen, self._is_seen = self.count + 1, seen, False


def _is_quiet(form: Form) -> bool:
    """Return true if the last walk only dropped instructions or redirected them to outputs, so that another walk would find nothing."""
    return form.values.layout.is_whole and not form.values.touched
