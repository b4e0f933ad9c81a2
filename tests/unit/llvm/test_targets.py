"""Code for other machines: supported and refused targets, and equal bytes as results."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.abi.records import BufferRecord, RunRecord, ShaderEnv
from backends.llvm.builder.function import Function, Module
from backends.llvm.engine.codegen import machine_for, optimized_module
from backends.llvm.engine.object_files import undefined_symbols
from backends.llvm.kernels.listing import generate
from backends.llvm.targets.architectures import ARCHITECTURES
from backends.llvm.targets.llvm_machines import processors
from tgsi.language.program import Program

TEXT = """VERT
DCL IN[0]
DCL OUT[0..5], GENERIC[0]
DCL TEMP[0..3], ARRAY(1)
DCL ADDR[0]
IMM UINT32 {0, 1, 2, 3}
EX2 OUT[0].x, IN[0].xxxx
LG2 OUT[0].y, IN[0].yyyy
SIN OUT[0].z, IN[0].zzzz
COS OUT[0].w, IN[0].xxxx
POW OUT[1].x, |IN[0].yyyy|, IN[0].zzzz
RSQ OUT[1].y, |IN[0].wwww|
FLR OUT[1].z, IN[0].xxxx
DIV OUT[1].w, IN[0].xxxx, IN[0].yyyy
MAD OUT[2], IN[0], IN[0].yzwx, IN[0].wwww
FMA OUT[3], IN[0], IN[0].yzwx, IN[0].wwww
PK2H OUT[4].x, IN[0].xyyy
F2I OUT[4].y, IN[0].yyyy
UDIV OUT[4].z, IN[0].xxxx, IN[0].yyyy
ROUND OUT[4].w, IN[0].xxxx
AND TEMP[0].x, IN[0].xxxx, IMM[0].wwww
UARL ADDR[0].x, TEMP[0].xxxx
MOV TEMP[ADDR[0].x](1), IN[0].zwxy
MOV OUT[5], TEMP[2]
END
"""


@pytest.fixture(scope="module")
def program() -> Program:
    found = tgsi.parse(TEXT)
    tgsi.validate(found)
    return found


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_architecture_gets_code_without_intrinsics_of_this_machine(program: Program, name: str) -> None:
    made = generate(program, "llvm", cpu=name, lanes=4).data
    assert isinstance(made, str)
    assert ("llvm.x86" in made) == (name in ("x86_64", "i686") and "run(" in made)
    if not ARCHITECTURES[name].objects:
        assert "tgsi_math_pow_4" in str(generate(program, "asm", cpu=name, lanes=4).data)
        return
    image = generate(program, "obj", cpu=name, lanes=4).data
    assert isinstance(image, bytes)
    assert not any(symbol.startswith("tgsi_") for symbol in undefined_symbols(image))


@pytest.mark.parametrize(("name", "fused"), [("aarch64", "fmla"), ("riscv64", "fmadd"), ("nvptx64", "fma.rn")])
def test_products_and_sums_are_not_fused(name: str, fused: str) -> None:
    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n{} OUT[0], IN[0], IN[0].yzwx, IN[0].wwww\nEND\n"
    mad, fma = (str(generate(tgsi.parse(text.format(opcode)), "asm", cpu=name, lanes=4).data) for opcode in ("MAD", "FMA"))
    assert fused not in mad
    assert fused in fma


@pytest.mark.parametrize(
    "triple",
    [
        "x86_64-linux-gnu",
        "i686-linux-gnu",
        "aarch64-apple-darwin",
        "x86_64-pc-windows-msvc",
        "wasm32-unknown-unknown",
        "wasm64-unknown-unknown",
    ],
)
def test_undefined_symbols_are_read_from_every_format(triple: str) -> None:
    module = Module("m", triple)
    f = Function(module, "entry", [])
    f.call(None, "a_function_far_away")
    f.call(None, "abort")
    f.ret()
    machine = machine_for(triple)
    image = bytes(machine.emit_object(optimized_module(module.text(), machine)))
    assert undefined_symbols(image) - {"_GLOBAL_OFFSET_TABLE_"} == {"a_function_far_away", "abort"}
    with pytest.raises(ValueError, match="object"):
        undefined_symbols(image[:50])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pentium", "target triple"),
        ("arch64-linux-gnu", "did you mean aarch64-linux-gnu"),
        ("qqq-linux-gnu", "it may begin with x86_64"),
        ("s390x-linux-gnu", "big-endian"),
        ("avr-none", "no floating-point unit"),
        ("aarch64/cortex-a77x", "did you mean cortex-a77"),
        ("aarch64/zzzz", "such as"),
    ],
)
def test_unknown_targets_are_explained(program: Program, name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generate(program, "asm", cpu=name)


def test_code_for_another_machine_is_not_run(program: Program) -> None:
    with pytest.raises(ValueError, match="cannot run here"):
        tgsi.run(program, np.zeros((1, 1, 4), np.float32), cpu="aarch64-linux-gnu")


def test_targets_without_objects_say_so(program: Program) -> None:
    with pytest.raises(ValueError, match="only text"):
        generate(program, "obj", cpu="nvptx64")


def test_processors_are_those_of_llvm() -> None:
    assert "cortex-a76" in processors("aarch64-linux-gnu")
    assert "sm_90" in processors("nvptx64-nvidia-cuda")


def _with_exports(image: bytes) -> bytes:
    """Convert a WebAssembly object to a module that exports its functions as f0, f1, ..."""
    at, functions, place = 8, 0, 8
    while at < len(image):
        section = image[at]
        size, body = _leb(image, at + 1)
        if section == 3:
            functions = _leb(image, body)[0]
        if section in range(1, 7):
            place = body + size
        at = body + size
    entries = b"".join(bytes([len(name)]) + name + b"\0" + bytes([k]) for k in range(functions) for name in [f"f{k}".encode()])
    content = bytes([functions]) + entries
    return image[:place] + bytes([7, len(content)]) + content + image[place:]


def _leb(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at


SCRIPT = """
const fs = require("fs"), memory = new WebAssembly.Memory({initial: 16});
const stack = new WebAssembly.Global({value: "i32", mutable: true}, 65536 * 4);
const module = new WebAssembly.Module(fs.readFileSync(process.argv[1]));
const made = new WebAssembly.Instance(module, {env: {__linear_memory: memory, __stack_pointer: stack}});
const words = new Uint32Array(memory.buffer), given = JSON.parse(fs.readFileSync(process.argv[2]));
const kernel = Object.values(made.exports).filter(f => f.length === given.arguments.length).pop();
const found = given.images.map(image => {
  words.set(image, given.base / 4);
  kernel(...given.arguments);
  return Array.from(words.subarray(given.out / 4, given.out / 4 + given.count));
});
console.log(JSON.stringify(found));
"""
BASE = 65536 * 8

node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def run_in_node(folder: Path, image: bytes, memory: list[list[int]], arguments: list[int], out: int, count: int) -> NDArray[np.uint32]:
    """Call the last function with `count` arguments for each image of the memory at BASE. Returns the words at `out` after each call."""
    (folder / "kernel.wasm").write_bytes(_with_exports(image))
    given = {"base": BASE, "images": memory, "arguments": arguments, "out": out, "count": count}
    (folder / "given.json").write_text(json.dumps(given))
    command = ["node", "-e", SCRIPT, str(folder / "kernel.wasm"), str(folder / "given.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return np.array(json.loads(done.stdout), np.uint32)


@node
def test_web_assembly_computes_the_bytes_of_this_machine(program: Program, tmp_path: Path) -> None:
    lanes, vectors = 4, 64
    rng = np.random.default_rng(1)
    given = rng.integers(0, 1 << 32, (vectors * lanes, 1, 4), dtype=np.uint32)
    given[: vectors * 2] = rng.normal(0, 4, (vectors * 2, 1, 4)).astype(np.float32).view(np.uint32)
    expected = tgsi.run(program, given).outputs
    image = generate(program, "obj", cpu="wasm32", lanes=lanes).data
    assert isinstance(image, bytes)
    registers, out = expected.shape[1], BASE + 65536
    memory = given.reshape(vectors, lanes, 4).transpose(0, 2, 1).reshape(vectors, -1).tolist()
    by_vector = run_in_node(tmp_path, image, memory, [0, BASE, out, 0], out, registers * 4 * lanes).reshape(vectors, registers, 4, lanes)
    found = by_vector.transpose(0, 3, 1, 2).reshape(expected.shape)
    assert np.array_equal(found, expected)


COMPUTE = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 16
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL MEMORY[0], SHARED
DCL TEMP[0..1]
IMM[0] UINT32 {2, 15, 60, 128}
SHL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
I2F TEMP[1].x, SV[0].xxxx
SIN TEMP[1].y, TEMP[1].xxxx
STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[1].yyyy
BARRIER
UADD TEMP[0].y, IMM[0].zzzz, -TEMP[0].xxxx
LOAD TEMP[1].x, MEMORY[0], TEMP[0].yyyy
ATOMUADD TEMP[1].y, MEMORY[0], IMM[0].wwww, IMM[0].xxxx
STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1].xxxx
END
"""


@node
def test_records_barriers_and_atomics_are_the_same_where_pointers_have_32_bits(tmp_path: Path) -> None:
    lanes, threads, shared = 4, 16, 64
    computed = tgsi.parse(COMPUTE)
    expected = tgsi.run(computed, buffers={0: np.zeros(threads, np.uint32)}).buffers[0].view(np.uint32)
    vectors = threads // lanes
    parts: list[bytes] = []

    def put(data: bytes) -> int:
        """Store data in the memory image and return its address."""
        at = BASE + sum(map(len, parts))
        parts.append(data + bytes(-len(data) % 64))
        return at

    numbers = np.arange(threads, dtype=np.uint32)
    system = np.zeros((vectors, 4, lanes), np.uint32)
    system[:, 0] = numbers.reshape(vectors, lanes)
    record, env, buffers = RunRecord(), ShaderEnv(), (BufferRecord * 32)()
    out = put(bytes(4 * threads))
    buffers[0] = BufferRecord(out, threads)
    env.buffers = put(bytes(buffers))
    record.env, record.system, record.alive = put(bytes(env)), put(system.tobytes()), put(b"\1\0\0\0" * threads)
    for name in ("inputs", "outputs", "primitives", "groups"):
        setattr(record, name, put(bytes(4 * threads)))
    record.members, record.stops = put(numbers.tobytes()), put(bytes(4 * vectors))
    record.shared, record.state = put(bytes(4 * shared)), put(bytes(1 << 16))
    record.units, record.vectors, record.shared_words = 1, vectors, shared
    address = put(bytes(record))
    image = generate(computed, "obj", cpu="wasm32", lanes=lanes).data
    assert isinstance(image, bytes)
    memory = np.frombuffer(b"".join(parts), np.uint32).tolist()
    found = run_in_node(tmp_path, image, [memory], [address], out, threads)[0]
    assert found.tolist() == expected.tolist()
    assert np.count_nonzero(found) >= threads - 2


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not installed")
def test_an_assembler_takes_the_ptx(program: Program, tmp_path: Path) -> None:
    for number, shader in enumerate((program, tgsi.parse(COMPUTE))):
        made = generate(shader, "asm", cpu="nvptx64-nvidia-cuda/sm_80", lanes=4).data
        assert isinstance(made, str)
        (tmp_path / f"{number}.ptx").write_text(made)
        command = ["ptxas", "-arch=sm_80", "-c", str(tmp_path / f"{number}.ptx"), "-o", str(tmp_path / "a.cubin")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
