"""Messages of glslang become findings with carets."""

from __future__ import annotations

from frontends.glsl.log import Message, findings, read_log
from tests.unit.glsl.texts import places, prepared
from tgsi.language.diagnostics import Diagnostic, Severity


def found(text: str, *messages: tuple[str, int, str], kind: str = "ERROR") -> tuple[Diagnostic, ...]:
    """The findings of messages about the n-th token of a text that is such a word; words in the log are those of today."""
    item = prepared(text)
    words = [token[0] for token in item.tokens]
    log = ""
    for word, number, message in messages:
        index = [place for place, text in enumerate(words) if text == word][number]
        log += f"{kind}: stdin:{index + 1 + len(item.head)}: {message}\n"
    return findings(log, item)


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
    items = found(text, ("colr", 0, "'colr' : undeclared identifier "))
    assert places(items) == [(3, 28, "colr")]
    assert (items[0].code, items[0].severity, items[0].hint) == ("G001", Severity.ERROR, "did you mean `color`?")


def test_a_message_about_a_call_stands_under_its_name() -> None:
    text = "#version 330\nvoid main() { c = max(max(1, 2), mix(3)) ; }"
    wrong = "no matching overloaded function found"
    assert places(found(text, (")", 3, f"'max' : {wrong}"))) == [(2, 19, "max")]
    assert places(found(text, (")", 1, f"'max' : {wrong}"))) == [(2, 23, "max")]
    assert places(found(text, (")", 2, f"'mix' : {wrong}"))) == [(2, 34, "mix")]


def test_a_message_that_names_no_word_stands_under_the_token_of_its_place() -> None:
    assert places(found("#version 330\nvoid  x;  \n", ("x", 0, "something"), kind="WARNING")) == [(2, 7, "x")]
    (item,) = found("#version 330\nvoid main() { c = 1 ; }", ("=", 0, "'assign' :  cannot convert from 'const int'"))
    assert (places((item,)), item.message) == ([(2, 17, "=")], "`=`: cannot convert from 'const int'")
    (item,) = findings("ERROR: #version: Desktop shaders\n", prepared("#version 330\n"))
    assert places((item,)) == [None]


def test_errors_that_follow_from_another_are_left_out() -> None:
    text = "#version 330\nvoid main() { a = x.y; b = 1; d = x; e = y + z; }"
    items = found(
        text,
        ("x", 0, "'x' : undeclared identifier"),
        (".", 0, "'scalar swizzle' : not supported"),
        ("=", 0, "'assign' :  cannot convert"),
        ("=", 1, "'assign' :  cannot convert"),
        ("=", 2, "'assign' :  cannot convert"),
        ("y", 1, "'y' : undeclared identifier"),
        ("z", 0, "'z' : undeclared identifier"),
    )
    assert places(items) == [(2, 19, "x"), (2, 26, "="), (2, 42, "y"), (2, 46, "z")]


def test_a_word_of_today_is_named_as_it_was_written() -> None:
    text = "#version 120\nuniform sampler2D texture;\nvoid main() { gl_FragColor = texture2D(texture); }"
    (item,) = found(text, (")", 1, "'texture' : no matching overloaded function found"))
    assert (places((item,)), item.message) == ([(3, 30, "texture2D")], "`texture2D`: no matching overloaded function found")
    (item,) = found(text, ("tgsi_texture", 0, "'tgsi_texture' : redefinition of 'tgsi_texture'"))
    assert (places((item,)), item.message) == ([(2, 19, "texture")], "`texture`: redefinition of 'texture'")


def test_a_word_of_a_macro_has_the_places_of_its_use_and_of_the_macro() -> None:
    (item,) = found("#version 330\n#define TWICE(a) a * tow\nvoid main() { c = TWICE(3); }", ("tow", 0, "'tow' : undeclared identifier"))
    assert [(str(label.span), label.span.text) for label in item.labels] == [("shader:3:19", "TWICE"), ("shader:2:22", "tow")]
    (item,) = found("#version 330\n#define TWICE(a) a * 2\nvoid main() { c = TWICE(tow); }", ("tow", 0, "'tow' : undeclared identifier"))
    assert places((item,)) == [(3, 25, "tow")]


def test_a_missing_extension_is_named_in_the_hint() -> None:
    items = found("#version 330\nx", ("x", 0, "'x' : required extension not requested: GL_EXT_mesh_shader"))
    assert items[0].hint == "write `#extension GL_EXT_mesh_shader : require` after #version"


def test_a_syntax_error_says_the_marks_of_the_text_and_stands_under_its_own() -> None:
    message = "'' :  syntax error, unexpected RIGHT_BRACE, expecting COMMA or SEMICOLON"
    (item,) = found("#version 330\nvoid main() { { x } }", ("}", 0, message))
    assert item.message == "syntax error, unexpected `}`, expecting `,` or `;`"
    assert places((item,)) == [(2, 19, "}")]


def test_a_text_that_ends_too_soon_says_so_at_its_last_token() -> None:
    item = prepared("#version 330\nvoid main() { x")
    (finding,) = findings("ERROR: stdin:8: '' : syntax error, unexpected INT, expecting COMMA\n", item)
    assert (finding.message, places((finding,))) == ("syntax error, unexpected end of the text, expecting `,`", [(2, 15, "x")])


def test_a_function_without_a_body_is_named() -> None:
    log = "ERROR: Linking fragment stage: No function definition (body) found: \n    g(i1;\n"
    (finding,) = findings(log, prepared("#version 330\nfloat g(int a);\nvoid main() { g(1); }"))
    assert (finding.message, places((finding,))) == ("`g`: this function is called and has no body", [(2, 7, "g")])


def test_messages_without_a_line_are_about_the_word_that_they_name() -> None:
    text = "#version 330\nuniform float of;\nfloat f(float x) { return g(x); }"
    log = "ERROR: Linking fragment stage: Recursion detected:\n    f(f1; calling g(f1;\n    g(f1; calling f(f1;\n"
    one, other = findings(log, prepared(text))
    assert one.message == "`f`: GLSL has no recursion, and this function calls `g`"
    assert places((one, other)) == [(3, 7, "f"), (3, 27, "g")]
