"""Messages of glslang become findings with carets."""

from __future__ import annotations

from frontends.glsl.log import Message, findings, read_log
from frontends.glsl.upgrade import Prepared, prepare
from tgsi.language.diagnostics import Diagnostic, Severity
from tgsi.language.facts.enums import Processor
from tgsi.language.source import Source


def found(log: str, text: str, **included: str) -> tuple[Diagnostic, ...]:
    return findings(log, Source(text, "a.frag"), Prepared(text=text), included)


def places(items: tuple[Diagnostic, ...]) -> list[tuple[int, int, str] | None]:
    return [None if item.span is None else (item.span.line, item.span.column, item.span.text) for item in items]


def test_a_log_is_read_line_by_line() -> None:
    log = "stdin\n"
    log += "ERROR: stdin:5: 'colr' : undeclared identifier \nWARNING: C:\\a b.glsl:7: attribute deprecated\n"
    log += "ERROR: 2 compilation errors.  No code"
    assert read_log(log + " generated.\n\nSPIR-V is not generated for failed compile or link\n") == [
        Message("ERROR", "stdin", 5, "colr", "undeclared identifier"),
        Message("WARNING", "C:\\a b.glsl", 7, "", "attribute deprecated"),
    ]


def test_types_are_written_plainly() -> None:
    (message,) = read_log("ERROR: 0:6: '=' :  cannot convert from ' const float' to ' temp 3-component vector of float'")
    assert message.text == "cannot convert from 'const float' to '3-component vector of float'"


def test_the_caret_stands_under_the_word_that_the_message_names() -> None:
    text = "#version 330\nout vec4 c; in vec4 color;\nvoid main() { c = colors + colr; }"
    items = found("ERROR: stdin:3: 'colr' : undeclared identifier \n", text)
    assert places(items) == [(3, 28, "colr")]
    assert (items[0].code, items[0].severity, items[0].hint) == ("G001", Severity.ERROR, "did you mean `color`?")


def test_a_message_without_a_word_is_about_its_line() -> None:
    assert places(found("WARNING: stdin:2: something\n", "a\n  void x;  \n")) == [(2, 3, "void x;")]
    assert places(found("ERROR: stdin:9: 'x' : gone\n", "a\n")) == [None]
    assert places(found("ERROR: #version: Desktop shaders\n", "a\n")) == [None]


def test_messages_that_follow_from_an_error_in_the_line_are_left_out() -> None:
    log = "ERROR: stdin:1: 'x' : undeclared identifier\n"
    log += "ERROR: stdin:1: 'assign' :  cannot convert\nERROR: stdin:2: 'assign' :  cannot convert\n"
    assert places(found(log, "a = x;\nb = 1;")) == [(1, 5, "x"), (2, 1, "b = 1;")]


def test_a_word_of_today_is_found_as_it_was_written() -> None:
    text = "#version 120\nuniform sampler2D texture;\nvoid main() { gl_FragColor = texture2D(texture); }"
    prepared = prepare(Source(text, "a.frag"), Processor.FRAG)
    items = findings("ERROR: stdin:3: 'texture' : no matching overloaded function found\n", Source(text, "a.frag"), prepared, {})
    assert places(items) == [(3, 30, "texture2D")]
    assert items[0].message == "`texture2D`: no matching overloaded function found"
    items = findings("ERROR: stdin:2: 'tgsi_texture' : redefinition\n", Source(text, "a.frag"), prepared, {})
    assert places(items) == [(2, 19, "texture")]
    assert items[0].message == "`texture`: redefinition"


def test_errors_in_included_files_show_the_file() -> None:
    items = findings(
        "ERROR: /x/b.glsl:2: 'q' : undeclared identifier\n", Source("a", "a.frag"), Prepared(text="a"), {"/x/b.glsl": "\nreturn q;"}
    )
    assert items[0].render().split("\n")[1].strip() == "--> /x/b.glsl:2:8"


def test_a_missing_extension_is_named_in_the_hint() -> None:
    items = found("ERROR: stdin:1: 'x' : required extension not requested: GL_EXT_mesh_shader\n", "x")
    assert items[0].hint == "write `#extension GL_EXT_mesh_shader : require` after #version"


def test_a_syntax_error_says_the_marks_of_the_text_and_stands_under_the_only_one() -> None:
    log = "ERROR: stdin:2: '' :  syntax error, unexpected RIGHT_BRACE, expecting COMMA or SEMICOLON\n"
    (item,) = found(log, "#version 330\nvoid main() { x }")
    assert item.message == "syntax error, unexpected `}`, expecting `,` or `;`"
    assert places((item,)) == [(2, 17, "}")]
    assert places(found(log, "#version 330\nvoid main() { { x } }")) == [(2, 1, "void main() { { x } }")]


def test_messages_without_a_line_are_about_the_word_that_they_name() -> None:
    text = "#version 999\nuniform float of;\nfloat f(float x) { return g(x); }"
    (item,) = found("ERROR: version not supported\nERROR: 1 compilation errors.  No code generated.\n", text)
    assert (places((item,)), "110 to 150" in item.hint) == ([(1, 1, "#version")], True)
    log = "ERROR: Linking fragment stage: Recursion detected:\n    f(f1; calling g(f1;\n    g(f1; calling f(f1;\n"
    one, other = found(log, text)
    assert one.message == "`f`: GLSL has no recursion, and this function calls `g`"
    assert places((one, other)) == [(3, 7, "f"), (3, 27, "g")]
