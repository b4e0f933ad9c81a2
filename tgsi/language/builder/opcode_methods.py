"""One method for each opcode, made from the opcode table; the types are in the generated opcode_methods.pyi."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.traits import Trait

LETTERS = "abcde"


class OpcodeMethods:
    """Base of `ProgramBuilder` with the opcodes' methods: ``MAD(dst, a, b, c)`` is ``emit("MAD", (dst,), (a, b, c))``."""


def available() -> Iterator[OpcodeInfo]:
    """The opcodes that have a method, in the order of their numbers."""
    yield from (info for info in OPCODES.values() if Trait.GAP not in info.traits)


def signature(info: OpcodeInfo) -> str:
    """The signature of an opcode's method."""
    dst = ["dst"] if info.num_dst == 1 else [f"dst{number}" for number in range(info.num_dst)]
    parts = [f"{name}: Register" for name in dst] + [f"{LETTERS[number]}: Operand" for number in range(info.num_src)]
    parts += ["target: str"] * info.is_texture
    parts = ["self", *parts, "/"]
    options = ["offsets: Sequence[Register] = ()"] * info.has_offsets + ["memory: MemoryAccess | None = None"] * info.has_memory
    options += ["label: int | None = None"] * info.has_label
    options += ["saturate: bool = False", "precise: bool = False"] if info.num_dst else []
    return f"def {info.name}({', '.join([*parts, *(['*', *options] if options else [])])}) -> Instruction: ..."


def _method(info: OpcodeInfo) -> Callable[..., Any]:
    count = info.num_dst + info.num_src

    def method(self: Any, *operands: Any, **options: Any) -> Any:
        if info.is_texture and len(operands) == count + 1:
            *operands, options["target"] = operands  # type: ignore[assignment]
        return self.emit(info.name, operands[: info.num_dst], operands[info.num_dst :], **options)

    method.__name__ = info.name
    method.__qualname__ = f"ProgramBuilder.{info.name}"
    method.__doc__ = f"{info.formula}.  ({', '.join(info.src_types) or 'nothing'} -> {', '.join(info.dst_types) or 'nothing'})"
    return method


for _info in available():
    setattr(OpcodeMethods, _info.name, _method(_info))
