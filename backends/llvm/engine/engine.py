"""Compilation of a module to running code: parse, optimise, generate, link. With a hit in the disk cache, only the last step is left.

A hit builds no LLVM text, makes no plan and reads no symbol table: the cache holds flat images (`image`), and placing one takes 0.07 ms
instead of the 0.4 ms of LLVM's linker.

CPU time of a miss, in ms, for a median FRAG of the corpus: text 1.6, parsing and verifying 1.2, passes 0.6, LLVM's code
generator 7, flat image and placing 0.2, keys and disk 0.6. Measured on 84 shaders and rejected:
- optimisation level 0 of the code generator: 3.0 instead of 6.9 (level 1) or 7.4 (level 2), but code that is a third longer, and slow.
- a target machine without `jit`, or with static relocation: no difference.
- options of LLVM's command line (no machine scheduler, no loop strength reduction, no sinking, no hoisting, no merging, another register
  allocator): 15 % at most for the first two, and they act on the whole process, including other users of llvmlite.
- no verifier: saves 0.2, but the verifier turns a mistake in an emitter into an error instead of a crash.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import llvmlite.binding as llvm

from backends.llvm.engine import opt_level as effort
from backends.llvm.engine.linking import link, lock, prepare
from backends.llvm.engine.object_cache import Cache, ObjectCache, object_key, resolve_cache
from backends.llvm.engine.sources import own_sources
from backends.llvm.targets import machines as target

if TYPE_CHECKING:
    from backends.llvm.builder.function import Module

Entry = Callable[[int], None]
"""Native function that takes the address of a record. It runs without Python's global interpreter lock."""

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Library:
    """Compiled code, which lives as long as this object.

    address: function name to entry point. times: milliseconds of CPU time of each step, and the number of text lines.
    """

    def __init__(
        self,
        name: str,
        image: bytes,
        exports: tuple[str, ...],
        times: dict[str, float],
        module_text: str | None,
        cpu: str,
        cache: ObjectCache | None = None,
    ) -> None:
        """Link `image`, a result of `linking.prepare`.

        exports: the wanted functions. cache: the disk cache for the shared functions that the image calls.

        Raises ValueError for symbols outside of ALLOWED_SYMBOLS.
        """
        begin = time.thread_time()
        resolve = functools.partial(_shared_address, cpu=cpu, cache=cache)
        self.address, self._linked = link(image, name, exports, resolve)
        self.image, self.name, self.exports = image, name, exports
        self.times = {**times, "link_ms": (time.thread_time() - begin) * 1e3}
        self._text, self._cpu = module_text, cpu

    def entry(self, name: str = "") -> Entry:
        """Exported function of one record (default: the first export), callable as long as this object lives."""
        return _ENTRY(self.address[name or self.exports[0]])

    def assembly(self) -> str:
        """Machine code as text, generated anew from the optimised module. ValueError for code from the disk cache."""
        if self._text is None:
            raise ValueError(f"{self.name} came from the object cache: its module was never built")
        machine = target.create_machine(self._cpu, effort.code_generation_level(self._text))
        return str(machine.emit_assembly(optimized_module(self._text, machine)))


#: Python modules of functions that kernels share, by prefix of a name; `exports` lists the functions of an LLVM module, `build` writes it.
_SHARED = {"tgsi_math_": "backends.llvm.library.mathlib", "tgsi_sample_": "backends.llvm.sampling.shared_sampling"}


def _provider(symbol: str) -> str | None:
    return next((name for prefix, name in _SHARED.items() if symbol.startswith(prefix)), None)


def build_shared(symbol: str, cpu: str) -> Module | None:
    """Module that defines a shared function; None for other names."""
    name = _provider(symbol)
    if name is None:
        return None
    module: Module = importlib.import_module(name).build(symbol, cpu)
    return module


def _shared_address(symbol: str, *, cpu: str, cache: ObjectCache | None) -> int | None:
    return shared_function(symbol, cpu, cache) if _provider(symbol) is not None else None


_shared_libraries: dict[tuple[str, str], Library] = {}


def shared_function(symbol: str, cpu: str, cache: ObjectCache | None) -> int:
    """Address of a shared function, which is compiled, or loaded from `cache`, at its first use in this process."""
    with lock:
        library = _shared_libraries.get((symbol, cpu))
        if library is None:
            name = _provider(symbol)
            if name is None:
                raise ValueError(f"nothing is known of the shared function {symbol}")
            provider = importlib.import_module(name)
            exports = provider.exports(symbol)
            library = compile_cached(
                ("shared", *exports), lambda: provider.build(symbol, cpu), exports=exports, cpu=cpu, cache=cache or False
            )
            _shared_libraries.update(((export, cpu), library) for export in exports)
        return library.address[symbol]


@functools.cache
def machine_for(cpu: str, level: int = effort.DEFAULT) -> llvm.TargetMachine:
    """Target machine of a `cpu` and a level of code generation, created once. ValueError for an unknown `cpu`."""
    return target.create_machine(cpu, level)


def parse_module(text: str, machine: llvm.TargetMachine) -> llvm.ModuleRef:
    """Parse and verify LLVM text, for the target of `machine`."""
    parsed = llvm.parse_assembly(text)
    parsed.triple, parsed.data_layout = machine.triple, str(machine.target_data)
    parsed.verify()
    return parsed


#: LLVM's passes: name and llvmlite's method. Chosen by measurement (85 kernels of the corpus; ms of passes + of code generation, bytes):
#: these four 48 + 914, 267152; sroa alone 26 + 924, 271640 (its loops test at both ends); without loop-rotate 34 + 891, 268712 (likewise);
#: without simplifycfg 44 + 930; with instcombine 146 + 908, 284272; with sccp 63 + 908; with reassociate 65 + 941; with NewGVN 138 + 941
#: (and an assertion of its own aborts the process on some valid input). The builder itself computes pure values once, and keeps values that
#: a single region uses out of memory, which saves a fifth of the text. LLVM's fast instruction selector does not support wide vectors.
PASSES = (
    ("sroa", "add_sroa_pass"),
    ("simplifycfg", "add_simplify_cfg_pass"),
    ("loop-rotate", "add_loop_rotate_pass"),
    ("dce", "add_dead_code_elimination_pass"),
)


def run_passes(parsed: llvm.ModuleRef, machine: llvm.TargetMachine, times: dict[str, float] | None = None) -> None:
    """Run `PASSES` on a module.

    With `times`, run them one after the other over the whole module, which gives the same code, and record the milliseconds of each.
    """
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    for group in [PASSES] if times is None else [(item,) for item in PASSES]:
        passes = llvm.create_new_function_pass_manager()
        for _, method in group:
            getattr(passes, method)()
        begin = time.perf_counter()
        for function in parsed.functions:
            if not function.is_declaration:
                passes.run(function, builder)
        if times is not None:
            times[group[0][0]] = (time.perf_counter() - begin) * 1e3


def optimized_module(text: str, machine: llvm.TargetMachine) -> llvm.ModuleRef:
    """Parse LLVM text and run the passes."""
    parsed = parse_module(text, machine)
    run_passes(parsed, machine)
    return parsed


def optimized_text(module: Module, *, cpu: str | None = None) -> str:
    """LLVM text of a module after the passes, for reading."""
    return str(optimized_module(module.text(), machine_for(cpu or module.cpu)))


def compile_object(module: Module, *, cpu: str | None = None) -> tuple[bytes, str, dict[str, float]]:
    """Generate the object of a module. Returns the object, the module's text and times (ms).

    Raises ValueError if the module was built for features that `cpu` lacks.
    """
    cpu = cpu or module.cpu
    missing = module.used_features - target.cpu_features(cpu)
    if missing:
        raise ValueError(f"module {module.name!r} was built for {module.cpu}, but {cpu} lacks {', '.join(sorted(missing))}")
    begin = time.thread_time()
    text = module.text()
    with lock:
        machine = machine_for(cpu, effort.code_generation_level(text))
        parsed = parse_module(text, machine)
        after_parse = time.thread_time()
        run_passes(parsed, machine)
        after_passes = time.thread_time()
        image = bytes(machine.emit_object(parsed))
    times = {
        "lines": float(text.count("\n")),
        "parse_ms": (after_parse - begin) * 1e3,
        "passes_ms": (after_passes - after_parse) * 1e3,
        "codegen_ms": (time.thread_time() - after_passes) * 1e3,
    }
    return image, text, times


def compile_module(module: Module, *, cpu: str | None = None, cache: ObjectCache | None = None) -> Library:
    """Compile and link a module. `cpu` is "host" or an x86-64 level (default: the one for which the module was built).

    `cache` is the disk cache for the shared functions that the module calls; the module itself is always compiled.
    Raises ValueError for an unknown cpu, for one that lacks a feature of the module, and for undefined symbols outside of
    ALLOWED_SYMBOLS.
    """
    cpu = cpu or module.cpu
    target.require_runnable(cpu)
    image, text, times = compile_object(module, cpu=cpu)
    exports = tuple(f.name for f in module.functions if not f.internal)
    begin = time.thread_time()
    prepared = prepare(image)
    spent = (time.thread_time() - begin) * 1e3
    library = Library(module.name, prepared, exports, times, text, cpu, cache)
    library.times["link_ms"] += spent
    return library


def compile_cached(
    parts: Sequence[object],
    build: Callable[[], Module],
    *,
    exports: Sequence[str],
    cpu: str = "host",
    cache: Cache = None,
) -> Library:
    """Compile the module that `build` returns, or link its object from the disk cache without calling `build`.

    parts: compared by repr; together with the generator's own source they must determine the module (program text, variant keys,
    lanes). exports: the wanted functions. cache: an ObjectCache or directory, None for the default one, False for none.
    """
    store = resolve_cache(cache) if own_sources().digest is not None else None
    key = object_key(parts, cpu) if store is not None else ""
    image = store.get(key) if store is not None else None
    if store is not None and image is not None:
        try:
            return Library(key[:12], image, tuple(exports), {}, None, cpu, store)
        except (ValueError, RuntimeError, OSError):
            store.discard(key)
    begin = time.thread_time()
    module = build()
    built = time.thread_time() - begin
    library = compile_module(module, cpu=cpu, cache=store)
    library.times["build_ms"] = built * 1e3
    if store is not None and own_sources().are_unchanged():
        store.put(key, library.image)
    return library
