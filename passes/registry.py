"""Every pass by name. A pass's module is imported when the pass is first requested."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from passes import plugins
from passes.base import Pass
from passes.plugins import register as register
from passes.plugins import unregister as unregister

PASSES: dict[str, tuple[str, str]] = {
    "absorb-constants": ("passes.optimise.absorb", "AbsorbConstants"),
    "blend-moves": ("passes.optimise.blend", "BlendMoves"),
    "eliminate-common-subexpressions": ("passes.optimise.common", "EliminateCommonSubexpressions"),
    "expand-opcodes": ("passes.lower.expand", "ExpandOpcodes"),
    "flatten-branches": ("passes.optimise.flatten", "FlattenBranches"),
    "fold-constants": ("passes.optimise.fold", "FoldConstants"),
    "form-dot-products": ("passes.optimise.dots", "FormDotProducts"),
    "if-to-select": ("passes.optimise.select", "IfToSelect"),
    "hoist-invariants": ("passes.optimise.hoist", "HoistInvariants"),
    "inline-calls": ("passes.optimise.inline", "InlineCalls"),
    "join-writes": ("passes.optimise.join", "JoinWrites"),
    "lower-64-bit": ("passes.lower.arithmetic.wide", "Lower64Bit"),
    "lower-alpha-test": ("passes.lower.state.alpha", "LowerAlphaTest"),
    "lower-clamp-color": ("passes.lower.fixed", "LowerClampColor"),
    "lower-clip-distances": ("passes.lower.state.planes", "LowerClipDistances"),
    "lower-clip-planes": ("passes.lower.state.planes", "LowerClipPlanes"),
    "lower-denormal-tests": ("passes.lower.denormals", "LowerDenormalTests"),
    "lower-edge-flag": ("passes.lower.state.edges", "LowerEdgeFlag"),
    "lower-flat-shade": ("passes.lower.state.inputs", "LowerFlatShade"),
    "lower-fma": ("passes.lower.arithmetic.fused", "LowerFma"),
    "lower-indirect": ("passes.lower.operands.indirect", "LowerIndirect"),
    "lower-int-limits": ("passes.lower.numbers", "LowerIntLimits"),
    "lower-nan-limits": ("passes.lower.numbers", "LowerNanLimits"),
    "lower-opcodes": ("passes.lower.expand", "LowerOpcodes"),
    "lower-per-sample": ("passes.lower.state.samples", "LowerPerSample"),
    "lower-point-coord": ("passes.lower.state.inputs", "LowerPointCoord"),
    "lower-point-sprite": ("passes.lower.state.smooth", "LowerPointSprite"),
    "lower-polygon-stipple": ("passes.lower.state.stipple", "LowerPolygonStipple"),
    "lower-saturate-coords": ("passes.lower.arithmetic.coordinates", "LowerSaturateCoords"),
    "lower-smooth-lines": ("passes.lower.state.smooth", "LowerSmoothLines"),
    "lower-smooth-points": ("passes.lower.state.smooth", "LowerSmoothPoints"),
    "lower-two-side": ("passes.lower.fixed", "LowerTwoSide"),
    "lower-wide-writes": ("passes.lower.operands.writes", "LowerWideWrites"),
    "lower-window-position": ("passes.lower.state.window", "LowerWindowPosition"),
    "merge-arms": ("passes.optimise.arms", "MergeArms"),
    "merge-moves": ("passes.optimise.moves", "MergeMoves"),
    "merge-temporaries": ("passes.optimise.merge", "MergeTemporaries"),
    "propagate-copies": ("passes.optimise.copies", "PropagateCopies"),
    "reduce-by-vectors": ("passes.optimise.reduce", "ReduceByVectors"),
    "remove-dead-code": ("passes.optimise.dead", "RemoveDeadCode"),
    "remove-unreachable-code": ("passes.optimise.unreachable", "RemoveUnreachableCode"),
    "remove-unused-immediates": ("passes.optimise.immediates", "RemoveUnusedImmediates"),
    "spread-moves": ("passes.optimise.spread", "SpreadMoves"),
    "split-registers": ("passes.optimise.split", "SplitRegisters"),
    "simplify-instructions": ("passes.optimise.simplify", "SimplifyInstructions"),
    "unroll-loops": ("passes.optimise.unroll", "UnrollLoops"),
    "repeat": ("passes.optimise.repeat", "Repeat"),
    "replace-jumps": ("passes.optimise.structure", "ReplaceJumps"),
    "resolve-addresses": ("passes.optimise.addresses", "ResolveAddresses"),
}
"""Name -> module and class."""

plugins.reserve(PASSES)

_WALK = "propagate-copies,fold-constants,simplify-instructions,resolve-addresses,eliminate-common-subexpressions"
_CORE = (
    f"remove-dead-code{{branches=no}},split-registers,{_WALK},remove-unreachable-code,merge-arms,split-registers,{_WALK},"
    "remove-dead-code,hoist-invariants,spread-moves,merge-moves"
)
_FLAT = "inline-calls,replace-jumps,unroll-loops"
_SHORT = "reduce-by-vectors,join-writes,form-dot-products,absorb-constants,blend-moves,repeat,merge-temporaries"
DEFAULT = f"{_FLAT},if-to-select{{shorter=yes}},{_CORE},{_SHORT},remove-unused-immediates"
"""The pipeline that `tgsi.optimize` runs."""


def names() -> list[str]:
    """Return the names of all passes: built-in ones, registered ones, and those of installed packages."""
    plugins.load()
    return [*PASSES, *sorted(plugins.registered)]


def find(name: str) -> type[Pass]:
    """Return the class of a pass.

    Raises:
        ValueError: no pass has that name, or that of an installed package cannot be loaded; the message gives the most similar name.
    """
    if name not in PASSES:
        if name not in plugins.registered:
            plugins.load()
        if name in plugins.registered:
            return plugins.registered[name]
        if reason := plugins.failure(name):
            raise ValueError(reason) from plugins.failures[name]
        known = names()
        close = get_close_matches(name.lower().replace("_", "-"), known, 1)
        raise ValueError(f"there is no pass `{name}`; {f'did you mean `{close[0]}`?' if close else 'known are ' + ', '.join(known)}")
    module, attribute = PASSES[name]
    pass_class: type[Pass] = getattr(import_module(module), attribute)
    return pass_class


FOR_CODE = f"{_FLAT}{{instructions=96}},{_CORE},join-writes,remove-unused-immediates"
"""`DEFAULT` for programs that are compiled. A register for each value costs LLVM nothing, and one for several values keeps the lanes that a
branch leaves out: a loop whose registers were merged took 1.7 times as long. Code without a loop is faster, even if it is longer. One
instruction for several channels saves nothing there, where each channel is computed for itself."""
