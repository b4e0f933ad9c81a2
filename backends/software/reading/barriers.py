"""Generated code: barriers, which carry out pending work."""

from __future__ import annotations

from backends.device.commands.bound_record import STOPS, Hindrance
from backends.entries.python_table import PythonTable
from backends.entries.setters import hinders
from backends.llvm.builder.function import I32, PTR, Module
from backends.llvm.builder.record import Record
from backends.pipe.enums import Barrier, TextureBarrier
from backends.software.reading.bindings import begin_taker, refuse

_STOPS = int(STOPS | Hindrance.OWN_SAMPLES | Hindrance.FENCE)
_FLAGS, _MEMORY_FLAGS = int(TextureBarrier.SAMPLER | TextureBarrier.FRAMEBUFFER), int(Barrier.ALL)


def build_barrier(module: Module) -> None:
    """barrier(reader, words, count) -> 1 if no work remains pending. Falls back for unknown flags.

    Other threads run Python meanwhile, but cannot enter the context, which the calling method has locked.
    """
    f, _, bound, words, _ = begin_taker(module, "barrier")
    is_of_memory = (f.load(I32, words, -4).lshr(8) & 0xFF).ne(0)
    refuse(f, (f.load(I32, words) & f.select(is_of_memory, f.const(I32, ~_MEMORY_FLAGS), ~_FLAGS)).ne(0))
    refuse(f, hinders(bound, _STOPS) | bound.get("flush_entry").eq(0))
    table = f.load(PTR, bound.get("python").as_pointer(), 0, 8)
    refuse(f, table.as_address().eq(0))
    python = Record(f, table, PythonTable)
    state = f.call_pointer(PTR, python.get("save_thread").as_pointer())
    code = f.call_pointer(I32, bound.get("flush_entry").as_pointer(), bound.get("executor").as_pointer())
    f.call_pointer(None, python.get("restore_thread").as_pointer(), state)
    f.ret(code.eq(0).zext(I32))
