"""Masked merges of bits on AVX-512, which LLVM 22.1 gets wrong; the assembly shows it on any machine."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import llvmlite.binding as llvm
import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.llvm.builder.function import I32, PTR, Function, Module
from backends.llvm.builder.merge import merge_bits
from backends.llvm.engine import codegen, ternary
from backends.llvm.engine.artifact import generate_artifact
from backends.llvm.engine.engine import compile_module
from backends.llvm.kernels.stages import build_run_kernel
from backends.llvm.targets.llvm_machines import create_machine
from tests.unit.llvm.support import entry
from tests.unit.llvm.ternary import RIGHT, first_assembly, masked

V4 = "x86-64-v4"
KEPT = 0xF81F
FAULT = f"""define <8 x i32> @merge(<8 x i32> %old, <8 x i32> %new, <8 x i1> %mask) {{
  %kept = and <8 x i32> %old, splat (i32 {KEPT})
  %changed = and <8 x i32> %new, splat (i32 {~KEPT})
  %merged = or <8 x i32> %kept, %changed
  %result = select <8 x i1> %mask, <8 x i32> %merged, <8 x i32> %old
  ret <8 x i32> %result
}}
"""
# A program's own merge, under a branch that lanes take apart.
PROGRAM = """FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..3]
IMM[0] UINT32 {63519, 4294903776, 0, 0}
MOV TEMP[0], IN[0]
MUL TEMP[3], IN[0], IN[0]
UIF IN[0].xxxx
  AND TEMP[1].x, TEMP[0], IMM[0].xxxx
  AND TEMP[2].x, TEMP[3], IMM[0].yyyy
  OR TEMP[0].x, TEMP[1], TEMP[2]
ENDIF
MOV OUT[0], TEMP[0]
END
"""


def test_llvm_still_permutes_the_operands_of_masked_merges() -> None:
    """The canary. When it fails, LLVM is mended: engine/ternary.py, its use in codegen.py and the order in builder/merge.py can go."""
    text = first_assembly(FAULT, V4)
    (found,) = masked(text)
    assert (found.target, found.second) == ("%ymm0", "%ymm1")  # old, new
    assert found.third.endswith("(%rip){1to8}")
    assert f".long\t{KEPT}\n" in text
    results = {(old, new, keep): found.compute(old, new, keep) for old, new, keep in itertools.product((0, 1), repeat=3)}
    assert results == {(old, new, keep): keep if new else old for old, new, keep in results}  # and not: old if keep else new


def kernel(lanes: int, keep: int, *, is_loaded: bool) -> Module:
    """Merge of memory with a computed or a loaded value, where a third array is not 0."""
    module = Module("merge", V4)
    f = Function(module, "merge", [PTR] * 3)
    old, new, chosen = (f.load(I32.wide(lanes), pointer) for pointer in f.args)
    f.store(f.select(chosen.ne(0), merge_bits(f, keep, old, new if is_loaded else new * new), old), f.args[2])
    f.ret()
    return module


@pytest.mark.parametrize("keep", [KEPT, ~KEPT, 0xFFF000])
@pytest.mark.parametrize("lanes", [4, 8, 16, 32, 64])
def test_merged_bits_are_right_at_first(lanes: int, keep: int) -> None:
    found = masked(first_assembly(kernel(lanes, keep, is_loaded=False).text(), V4))
    assert [t for t in found if t.immediate not in RIGHT] == []
    assert len(found) == max(lanes // 16, 1)


@pytest.mark.parametrize("lanes", [4, 8, 16, 32, 64])
def test_merges_of_loaded_values_are_mended(lanes: int) -> None:
    text = kernel(lanes, KEPT, is_loaded=True).text()
    assert {t.immediate for t in masked(first_assembly(text, V4))} == {0xE4}
    assert masked(codegen.assembly(text, V4)) == []
    assert not ternary.is_suspect(codegen.generate(text, V4)[0])


@pytest.mark.parametrize("cpu", [V4, "x86_64-linux-gnu/znver4"])
@pytest.mark.parametrize("hides", [True, False])
def test_merges_of_programs_are_mended(cpu: str, hides: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def build() -> Module:
        return build_run_kernel(tgsi.parse(PROGRAM), 16, cpu=cpu)

    assert {t.immediate for t in masked(first_assembly(build().text(), cpu))} == {0xB8}
    if not hides:  # only LLVM's level 0 does not hide it
        monkeypatch.setattr(ternary, "hide_masks", lambda text: text)
    for image in (generate_artifact(build, "obj", cpu=cpu).data, codegen.generate(build().text(), cpu)[0]):
        assert isinstance(image, bytes)
        assert not ternary.is_suspect(image)
    for text in (str(generate_artifact(build, "asm", cpu=cpu).data), codegen.assembly(build().text(), cpu)):
        assert {t.immediate for t in masked(text)} <= RIGHT


OPERANDS = {  # in AT&T's syntax
    "%zmm17": "register",
    "8(%rsp)": "spilled",
    "(%rsp,%rax)": "spilled",
    "400000(%rsp)": "spilled",
    "(%rbp)": "spilled",
    "64(%rbp)": "spilled",
    "8(%r12)": "other",
    "(%r13)": "other",
    "4096(%rax)": "other",
    "(%rax,%rbx,4){1to16}": "other",
    "x(%rip)": "constant",
    "x(%rip){1to16}": "constant",
}
WRONG: dict[int, set[str]] = {
    0xB8: {"register", "spilled", "constant", "other"},
    0xE4: {"register", "spilled", "constant", "other"},
    0xE2: {"spilled", "constant"},
    0xD8: {"spilled"},
    0xCA: set(),
    0xAC: set(),
}


@pytest.mark.parametrize("immediate", WRONG)
def test_suspect_instructions_are_found_in_machine_code(immediate: int) -> None:
    llvm.initialize_native_asmparser()
    machine = create_machine(V4)

    def is_found(operands: str) -> bool:
        text = f'module asm "x: vpternlogd ${immediate}, {operands}"\n'
        return ternary.is_suspect(bytes(machine.emit_object(codegen.parse_module(text, machine))))

    for operand, kind in OPERANDS.items():
        assert is_found(f"{operand}, %zmm1, %zmm30 {{%k1}}") == (kind in WRONG[immediate]), operand
        assert not is_found(f"{operand}, %zmm1, %zmm30 {{%k1}}{{z}}"), operand
        assert not is_found(f"{operand}, %zmm1, %zmm30"), operand


def masked_values(hide: Callable[[str], str], words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Results of a kernel that has vectors and'ed with constants, from its text after `hide`."""
    module = Module("masks")
    f = Function(module, "masks", [PTR, PTR])
    x, few = f.load(I32.wide(16), f.args[0]), f.const(I32.wide(16), 77)
    for k, part in enumerate((x & 0xF0F0, few & x.lshr(3), x & f.lanes_const(I32.wide(16), range(5, 21)), x * (x & 0xF0F0))):
        f.store(part, f.args[1], 64 * k)
    f.ret()
    text = hide(module.text())
    assert text.count("= load <16 x i32>, ptr @mask.") == (3 if hide is ternary.hide_masks else 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Module, "text", lambda _: text)
        library = compile_module(module)
    result = np.zeros((4, 16), np.uint32)
    entry(library, "masks", 2)(words, result)
    return result


def test_hidden_masks_keep_their_meaning() -> None:
    words = np.random.default_rng(4).integers(0, 1 << 32, 16, dtype=np.uint32)
    plain, hidden = masked_values(lambda text: text, words), masked_values(ternary.hide_masks, words)
    assert (plain == hidden).all()
    assert (plain[0] == words & 0xF0F0).all()
