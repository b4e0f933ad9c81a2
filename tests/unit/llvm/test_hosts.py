"""Processors that are unknown to LLVM, or mistaken for old ones, get code or a clear error; no name makes LLVM end the process."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import tgsi
from backends.llvm.engine import codegen, object_cache
from backends.llvm.kernels.listing import generate
from backends.llvm.targets import host, machines
from backends.llvm.targets.host import Host

TEXT = (
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nIMM FLT32 {{ {}.0, 0, 0, 0 }}\nADD OUT[0], IN[0].wzyx, IMM[0].xxxx\nEND\n"
)
INPUTS = np.array([[[1, 2, 3, 4]]], np.float32)
OWN = host.host()
IS_X86 = OWN.triple.startswith("x86_64")
CACHES = (
    machines.own_architecture,
    machines.require_runnable,
    machines.cpu_features,
    machines.identity,
    codegen.machine_for,
    object_cache._surroundings,
)


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Function that changes what LLVM says of this machine."""

    def change(**fields: str) -> None:
        monkeypatch.setattr(
            host._Known,
            "host",
            Host(**{"triple": OWN.triple, "processor": OWN.processor, "features": OWN.features, "version": OWN.version} | fields),
        )
        for cache in CACHES:
            cache.cache_clear()

    yield change
    monkeypatch.undo()
    for cache in CACHES:
        cache.cache_clear()


def has_code(cpu: str = "host") -> bool:
    """True if a program that is in no cache has the right result."""
    number = random.getrandbits(20)
    found: list[float] = tgsi.run(tgsi.parse(TEXT.format(number)), INPUTS, cpu=cpu).floats.ravel().tolist()
    return found == [4 + number, 3 + number, 2 + number, 1 + number]


@pytest.mark.skipif(not IS_X86, reason="the names are those of x86")
@pytest.mark.parametrize("name", ["i486", "i686", "pentium4", "generic", "x86-64", "", "processor-of-2031"])
@pytest.mark.parametrize("features", [OWN.features, ""])
def test_an_unknown_or_old_name_of_a_processor_gets_code(name: str, features: str, pretend: Callable[..., None]) -> None:
    pretend(processor=name, features=features)
    assert has_code()


@pytest.mark.parametrize(
    ("triple", "message"),
    [
        ("i686-unknown-linux-gnu", "compiled code runs on x86_64 and aarch64, and this process is i686"),
        ("riscv64-unknown-linux-gnu", "compiled code runs on x86_64 and aarch64, and this process is riscv64"),
        ("s390x-ibm-linux-gnu", "big-endian"),
        ("qqq-unknown-none", "unknown target"),
    ],
)
def test_other_machines_are_refused_in_one_sentence(triple: str, message: str, pretend: Callable[..., None]) -> None:
    pretend(triple=triple, features="", processor="generic")
    with pytest.raises(ValueError, match=message) as caught:
        has_code()
    assert 'engine="interp" runs programs here' in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=f"context_create: .*{message}"):
        tgsi.Screen(threads=0).context_create()
    assert tgsi.run(tgsi.parse(TEXT.format(1)), INPUTS, engine="interp").floats.any()


@pytest.mark.skipif(not IS_X86, reason="levels are those of x86-64")
@pytest.mark.parametrize(("level", "feature"), [("x86-64-v2", "popcnt"), ("x86-64-v3", "bmi2"), ("x86-64-v4", "avx512dq")])
def test_a_level_above_the_machine_is_refused(level: str, feature: str, pretend: Callable[..., None]) -> None:
    if machines.NEEDED[level] - set(OWN.features.replace("+", "").split(",")):
        pytest.skip(f"this machine is below {level}")
    pretend(features=OWN.features.replace(f"+{feature}", f"-{feature}"))
    for call in (lambda: has_code(level), lambda: tgsi.Screen(threads=0, cpu=level).context_create()):
        with pytest.raises(ValueError, match=f"code for {level} cannot run here; this machine lacks {feature}"):
            call()


def test_x86_levels_are_refused_on_aarch64(pretend: Callable[..., None]) -> None:
    pretend(triple="aarch64-unknown-linux-gnu", processor="generic", features="")
    with pytest.raises(ValueError, match="code for x86-64-v2 cannot run here; this is aarch64"):
        has_code("x86-64-v2")


@pytest.mark.parametrize("variable", ["pentium", "", "HOST", "x86-64-v9", "aarch64", "../x", "a\nb"])
def test_a_wrong_tgsi_cpu_is_an_error_of_the_screen(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_CPU", variable)
    with pytest.raises(ValueError, match="Screen: cpu: "):
        tgsi.Screen()


WRONG = [
    ("x86_64/i486", "64-bit code"),
    ("riscv64/rocket", "RV64"),
    ("mips64el/mips32", "64-bit code"),
    ("loongarch64/loongarch32", "32bit"),
    ("powerpc64le-ibm-aix", "little-endian"),
    ("riscv64-linux-gnu-macho", "Assertion"),
    ("x86_64-linux-gnu-goff", "Assertion"),
    ("riscv64-linux-gnu-macho/rocket", "has no processor 'rocket'"),
    ("x86_64/a\nb", "has no processor"),
]


@pytest.mark.parametrize(("cpu", "message"), [*WRONG[:2], *(pytest.param(*case, marks=pytest.mark.nightly) for case in WRONG[2:])])
def test_a_target_that_llvm_cannot_serve_is_an_error(cpu: str, message: str) -> None:
    """In another process: a mistake of ours would end it."""
    code = (
        "import tgsi; from backends.llvm.kernels.listing import generate\n"
        f"generate(tgsi.parse({TEXT.format(1)!r}), 'obj', cpu={cpu!r}, lanes=4)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ValueError: ")
    assert message in done.stderr


def test_a_named_processor_and_a_triple_of_another_system_get_code() -> None:
    for cpu in ("x86_64/znver3", "aarch64-apple-darwin", "x86_64-pc-windows-msvc"):
        assert generate(tgsi.parse(TEXT.format(1)), "obj", cpu=cpu, lanes=4).data
