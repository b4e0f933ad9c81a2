"""Generator of backends/gallium/context/object_calls.py: methods that make, bind and destroy shaders, and bind and destroy state objects.

``python -m tests.promises.methods`` rewrites the module from the table of calls; a test compares it.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from backends.device.calls.row import OneWord, Row
from backends.device.calls.table import CALLS
from backends.device.commands.bound_record import Word
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import STAGES

MODULE = Path(__file__).parents[2] / "backends" / "gallium" / "context" / "object_calls.py"
STATES = {
    "blend": "BlendState",
    "rasterizer": "RasterizerState",
    "depth_stencil_alpha": "DepthStencilAlphaState",
    "vertex_elements": "tuple[VertexElement, ...]",
    "sampler": "SamplerState",
    "link": "LinkState",
}
"""Types of the states of objects by kind."""
HEAD = '''"""Methods that make, bind and destroy shaders, and that bind and destroy state objects.

Written by `python -m tests.promises.methods` from `backends.device.calls`; edit the rows.
"""

from __future__ import annotations

from backends.device.bound import Shader
from backends.device.commands.bound_record import Word
from backends.device.commands.known_objects import Kind
from backends.gallium.context.core import ContextCore
from backends.gallium.context.handles import StateObject
from backends.gallium.context.shaders import bind_shader, create_shader, destroy_shader
from backends.gallium.context.state_objects import bind_object
from backends.pipe.state import BlendState, DepthStencilAlphaState, RasterizerState, SamplerState, StreamOutputInfo, VertexElement
from linkage.options import LinkState
from tgsi.language.diagnostics import shown_at_caller
from tgsi.language.facts.enums import Processor
from tgsi.language.program import Program


class ObjectCalls(ContextCore):
    """Shaders of the stages of draws, and the binding of state objects. Each method is a row of the table of calls."""
'''


def _method(row: Row, parameters: str, result: str, body: str) -> Iterator[str]:
    first, *rest = row.text.split("\n")
    whole = f"{row.text} ({row.source})" if not rest else f"{first} ({row.source})\n" + "\n".join(rest)
    if not rest and len(whole) > 120:
        whole = f"{row.text}\n\n({row.source})"
    if row.name.startswith("create_"):
        yield "@shown_at_caller"
    yield f"def {row.name}(self, {parameters}) -> {result}:"
    yield f'    """{whole.replace(chr(10), chr(10) + "    ")}'.replace("    \n", "\n") + ('\n    """' if "\n" in whole else '"""')
    yield f"    {body}"
    yield ""


def _alias(name: str) -> Iterator[str]:
    yield f"{name.replace('destroy_', 'delete_')} = {name}"
    yield ""


def _of_state(kind: str, state: str) -> Iterator[str]:
    bind, end = CALLS.get(f"bind_{kind}_state"), CALLS[f"destroy_{kind}_state"]
    if bind is not None:
        effect = bind.effect
        assert isinstance(effect, OneWord)
        known = "None" if effect.known is None else f"Kind.{effect.known.name}"
        body = f'bind_object(self, handle, "{kind}", Word.{Word(effect.word).name}, {known})'
        yield from _method(bind, f"handle: StateObject[{state}] | None", "None", body)
    yield from _method(end, f"handle: StateObject[{state}]", "None", f'self._destroy_object(handle, "{kind}")')
    yield from _alias(end.name)


def _of_stage(stage: Processor) -> Iterator[str]:
    create, bind, end = (CALLS[f"{verb}_{STAGES[stage].call}_state"] for verb in ("create", "bind", "destroy"))
    streams = ", *, stream_output: StreamOutputInfo | None = None" if create.keywords else ""
    made = f"create_shader(self, program, Processor.{stage.name}{', stream_output' if streams else ''})"
    yield from _method(create, f"program: Program | str | bytes{streams}", "Shader", f"return {made}")
    yield from _method(bind, "shader: Shader | None", "None", f"bind_shader(self, shader, Processor.{stage.name})")
    yield from _method(end, "shader: Shader", "None", f"destroy_shader(self, shader, Processor.{stage.name})")
    yield from _alias(end.name)


def module() -> str:
    """The text of the module."""
    lines = [line for kind, state in STATES.items() for line in _of_state(kind, state)]
    lines += [line for stage in Processor if stage is not Processor.COMP for line in _of_stage(stage)]
    text = HEAD + "\n" + textwrap.indent("\n".join(lines), "    ").rstrip() + "\n"
    ruff = [sys.executable, "-m", "ruff", "format", "-q", "--stdin-filename", str(MODULE), "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Write the module."""
    MODULE.write_text(module(), encoding="utf-8")


if __name__ == "__main__":
    main()
