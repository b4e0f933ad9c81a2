"""Reasons of the files that do not pass: a pattern of whole names without `.shader_test`, and the reason."""

from __future__ import annotations

import re

_PACKING = "generated_tests/spec/arb_shading_language_packing/execution/built-in-functions"
_SPEC = "tests/spec"
_SPIRV = rf"{_SPEC}/arb_gl_spirv/execution"

REASONS: tuple[tuple[str, str], ...] = (
    (
        r"generated_tests/spec/amd_shader_trinary_minmax/execution/built-in-functions/cs-(min|mid|max)3-.*",
        "the instructions of SPV_AMD_shader_trinary_minmax are not read",
    ),
    (
        rf"{_PACKING}/(const|fs|vs)-pack(Unorm2x16|Unorm4x8)",
        "the exact product is rounded; the file rounds it to 32 bits first, which makes a tie of 0.9",
    ),
    (rf"{_PACKING}/(fs|vs)-packHalf2x16", "PK2H makes the greatest half of finite numbers beyond it, not infinity"),
    (rf"{_PACKING}/const-packHalf2x16", "glslang copies a table of constants for each use: more temporaries than programs may have"),
    (
        r"tests/shaders/glsl-predication-on-large-array|tests/spec/glsl-1.30/execution/fs-(multiple-)?large-local-arrays?(-vec[234])?",
        "arrays with computed indices take more than the 65536 bytes that programs may have",
    ),
    (
        rf"{_SPEC}/arb_enhanced_layouts/execution/component-layout/(.*-interleave(-range)?|vs-attribs-array)",
        "arrays that begin at a component of a location",
    ),
    (rf"{_SPEC}/glsl-1.50/execution/interface-block-interpolation-array", "arrays of blocks between stages"),
    (
        rf"{_SPEC}/arb_gpu_shader5/execution/sampler_array_indexing/.*struct.*|{_SPIRV}/uniform/sampler2d-(nonconst-nested-array|struct)",
        "samplers in structs and in arrays of arrays",
    ),
    (
        rf"{_SPIRV}/uniform/(array|arrays-of-arrays|embedded-structs|index-matches-location|struct|struct-array)",
        "the runner sets arrays and structs by the name of the whole, not by the number of a location inside",
    ),
    (rf"{_SPIRV}/ubo/(array-complex|explicit-offset-nested-struct)", "the runner does not write uniform blocks by binding and offset"),
    (rf"{_SPIRV}/uniform/atomic-uint-aoa-fs", "counters in arrays of arrays"),
    (rf"{_SPIRV}/va64-simple", "the runner does not find attributes by the number of a location after a wide one"),
    (rf"{_SPIRV}/vs-ps-specializations", "the values of specialization constants are for SPIR-V, not for GLSL"),
    (rf"{_SPIRV}/xfb/.*", "the runner has no transform feedback"),
    (rf"{_SPIRV}/uniform/sampler2d(-binding(-array)?)?", "the runner has one way to write checkerboards"),
    (rf"{_SPEC}/arb_tessellation_shader/execution/(tcs|tes)-read-texture", "the runner has one way to write checkerboards"),
    (rf"{_SPEC}/arb_gpu_shader_fp64/execution/glsl-uniform-initializer-3", "the file gives three numbers for a vector of four"),
    (rf"{_SPEC}/arb_gpu_shader_fp64/uniform_buffers/fs-ubo-load\.indirect\.4", "the file gives a float for an element of dvec3"),
    (
        rf"{_SPEC}/arb_enhanced_layouts/execution/component-layout/vs-gs-fs(-double)?"
        rf"|{_SPEC}/arb_separate_shader_objects/execution/layout-location-struct-mixed-with-implicitly-assigned-varying",
        "glslang gives outputs without a location those of outputs that have one",
    ),
    (
        rf"{_SPEC}/arb_separate_shader_objects/execution/vs-gs-linking",
        "GLSL leaves open how outputs and inputs of different names meet; here they meet by name",
    ),
    (
        rf"{_SPEC}/arb_tessellation_shader/execution/(quads|tess_with_geometry)",
        "the runner multiplies relative places in 64 bits, and shader_runner in 32",
    ),
    (rf"{_SPEC}/arb_tessellation_shader/execution/.*-dlist", "display lists belong to the fixed functions"),
    (rf"{_SPEC}/glsl-1.20/execution/clipping/fixed-clip-enables", "clip planes belong to the fixed functions"),
    (rf"{_SPEC}/glsl-1.10/glsl-fs-discard-only", "the runner has no probes of depth"),
    (
        rf"{_SPEC}/glsl-1.10/preprocessor/extension-(defined-test|if-1)",
        "an old extension that is core now is taken off, and its macro with it",
    ),
    (rf"{_SPEC}/glsl-1.20/execution/fs-do-while-scope", "glslang has no scope for a declaration as body of do"),
    (rf"{_SPEC}/glsl-1.20/execution/fs-underflow-(mul|pow)-compare-zero", "denormals are kept, and the file wants 0"),
    (rf"{_SPEC}/glsl-es-3.10/execution/cs-image-(atomic|load)-if-else(-2)?", "the runner has no integer textures"),
    (
        rf"{_SPEC}/nv_compute_shader_derivatives/execution/(derivatives-(none|(coarse|fine)-quads)|texture-implicit-lod-(linear|quads))",
        "derivatives of compute shaders (NV_compute_shader_derivatives) are those of four invocations in a row",
    ),
    (rf"{_SPEC}/nv_fill_rectangle/execution/.*", "TGSI has no filled rectangles (NV_fill_rectangle)"),
    (rf"{_SPEC}/nv_viewport_swizzle/viewport_swizzle", "TGSI has no swizzles of viewports (NV_viewport_swizzle)"),
)


def reason_of(name: str) -> str | None:
    """The reason why a file does not pass; None where it has no row."""
    name = name.removesuffix(".shader_test")
    return next((reason for pattern, reason in REASONS if re.fullmatch(pattern, name)), None)
