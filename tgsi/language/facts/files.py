"""Contents of each register file, in words."""

from __future__ import annotations

from collections.abc import Mapping

from tgsi.language.facts.enums import File

FILES: Mapping[File, str] = {
    File.NULL: "nothing; writes are discarded",
    File.CONST: "constants, `CONST[buffer][index]`; a single index uses buffer 0",
    File.IN: "inputs of the stage, `IN[vertex][index]` in GEOM and both tessellation stages",
    File.OUT: "outputs of the stage, `OUT[vertex][index]` in TESS_CTRL and MESH, `OUT[primitive][index]` for PRIMITIVE outputs of MESH",
    File.TEMP: "registers to read and write; their initial value is 0",
    File.SAMP: "sampler states, or texture units of TEX and similar opcodes",
    File.ADDR: "integer registers for indices",
    File.IMM: "immediates, numbered in the order of the text",
    File.SV: "system values",
    File.IMAGE: "storage images",
    File.SVIEW: "sampler views",
    File.BUFFER: "storage buffers, addressed in bytes",
    File.MEMORY: "global, shared, private, input or payload memory",
    File.CONSTBUF: "constant buffers addressed in bytes through LOAD",
    File.HWATOMIC: "hardware counters, `HWATOMIC[buffer][counter]`",
}
