"""Programs: the immutable data of a whole shader with its canonical text and its facts.

The printer and the scan are imported when they are first needed: `import tgsi` needs neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgsi.language._forks import cached_property
from tgsi.language.ir import ProgramData

if TYPE_CHECKING:
    from tgsi.language.info import ShaderInfo


class Program(ProgramData):
    """A whole shader: a stage, its declarations, immediates, properties and instructions.

    `tgsi.parse`, `tgsi.decode` and `ProgramBuilder.build` make programs. Two programs are equal if their data are; the text that
    a program was read from (`source`) does not count.
    """

    def __repr__(self) -> str:
        counts = ((len(self.declarations), "declaration"), (len(self.instructions), "instruction"))
        return f"<Program {self.processor.name}: {', '.join(f'{n} {word}s' if n != 1 else f'1 {word}' for n, word in counts)}>"

    def __str__(self) -> str:
        from tgsi.language.printer import print_program

        return print_program(self)

    def _repr_html_(self) -> str:
        from tgsi.language import notebook

        return notebook.text(repr(self).strip("<>"), str(self))

    @cached_property
    def text(self) -> str:
        """The canonical text, made once: equal programs have equal ones. Caches use it as their key."""
        from tgsi.language.printer import print_program

        return print_program(self, canonical=True)

    @cached_property
    def info(self) -> ShaderInfo:
        """Facts that drivers need before compiling the program (see `tgsi.language.info`), collected once."""
        from tgsi.language.info import scan

        return scan(self)
