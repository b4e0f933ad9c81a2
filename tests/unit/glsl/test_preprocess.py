"""The preprocessor: tokens, macros, conditions, places, and limits for texts of strangers."""

from __future__ import annotations

import time

import pytest

from tests.unit.glsl.texts import code, errors, places, prepared


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("#define A A b\nA", "A b"),
        ("#define f(x) x f\nf(1)(2)", "1 f ( 2 )"),
        ("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g"),
        ("#define f(x, y) x##y\n#define foo 7\nf(fo, o) f(, a) f(a, ) f(, )", "7 a a"),
        ("#define cat(a, b) a ## b\n#define xcat(a, b) cat(a, b)\nxcat(cat(1, 2), 3)", "123"),
        ("#define C a ## b ## c\nC", "abc"),
        ("#define F() 1\nF( ) F", "1 F"),
        ("#define F(x) (x)\nF((1, 2)) F\n(\n3\n)", "( ( 1 , 2 ) ) ( 3 )"),
        ("#define F (x)\nF", "( x )"),
        ("#define E\nE a E", "a"),
        ("#define A 1\n#define A /* the same */ 1\n#undef A\n#define A 2\nA", "2"),
        ("#define f(a) [a]\nf(\n#ifdef Q\nno\n#else\nyes\n#endif\n)", "[ yes ]"),
        ("#define /*c*/ A /* d\n e */ 5 // f\nA", "5"),
        ("// a \\\nb\nc", "c"),
        ("ab\\\nc /*/ d */ e / /* */ / f", "abc e / / f"),
        ("0x1e+1 1e+5 1.e5 .5 a.x 5u <<= ^^ >>", "0x1e + 1 1e+5 1.e5 .5 a . x 5u <<= ^^ >>"),
        ("__LINE__\n__LINE__ \\\n__LINE__\n#line 40\n__LINE__ __FILE__\n#line 7 1\n__LINE__ __FILE__", "2 3 4 40 0 7 1"),
        ("#pragma foo /* \"\n */\n#pragma STDGL invariant(all)\nx", "#pragma STDGL invariant(all) x"),
    ],
)  # fmt: skip
def test_macros_are_expanded(text: str, tokens: str) -> None:
    assert code(f"#version 450\n{text}") == tokens


@pytest.mark.parametrize("version", ["110", "120", "130", "150", "330", "460", "100", "300 es", "320 es"])
def test_the_line_after_a_line_directive_has_its_number_in_every_version(version: str) -> None:
    assert code(f"#version {version}\n#line 40\n__LINE__\n__LINE__") == "40 41"


@pytest.mark.parametrize(
    "condition",
    [
        "1 + 2 * 3 == 7 && 0x10 == 16 && 010 == 8",
        "-1 < 0 && ~0 == -1 && 7 % 4 == 3 && -7 / 2 == -3 && -7 % 4 == -3 && !0",
        "1 << 3 >> 1 == 4 && (6 & 3 ^ 1 | 8) == 11",
        "2 || 1 / 0",
        "!(0 && 1 / 0)",
        "defined A && defined(B) && !defined ( C )",
        "B(2) == 3 && A",
        "UNKNOWN == 0",
        "1u == 1 && 9223372036854775807 + 1 < 0",
        "1 - - - 1 == 0 && - ( - 1 ) == 1",
        "(" * 5000 + "1" + ")" * 5000,
    ],
)
def test_conditions_hold(condition: str) -> None:
    assert code(f"#version 330\n#define A 1\n#define B(x) (x + A)\n#if {condition}\nyes\n#else\nno\n#endif") == "yes"


def test_only_the_first_branch_that_holds_is_live_and_what_is_dead_is_not_read() -> None:
    text = "#ifdef A\n#bogus\n'\" \\q \u00e9\n#if\n#elif\n#endif\n#elif 1\na\n#elif 1/0\nb\n#else x\nc\n#endif y"
    assert code(f"#version 330\n{text}") == "a"


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("#foo", (2, 2, "foo"), "not a directive"),
        ("x # y", (2, 3, "#"), "not a part of code"),
        ("x \\ y", (2, 3, "\\"), "not a part of code"),
        ("caf\u00e9", (2, 4, "\u00e9"), "not a part of code"),
        ('x "a"', (2, 3, '"a"'), "not a part of code"),
        ("a /* b", (2, 3, "/*"), "no end"),
        ("#if 1\n#else", (2, 2, "if"), "no #endif"),
        ("#endif", (2, 2, "endif"), "without #if"),
        ("#if 1\n#else\n#else\n#endif", (4, 2, "else"), "after #else"),
        ("#if 4 / (2 - 2)\n#endif", (2, 7, "/"), "zero"),
        ("#if (1\n#endif", (2, 5, "("), "not closed"),
        ("#if 1 2\n#endif", (2, 7, "2"), "not an operator"),
        ("#if\n#endif", (2, 2, "if"), "lacks a value"),
        ("#if 1.5\n#endif", (2, 5, "1.5"), "not a whole number"),
        ("#define f(a) a\nf(1, 2)", (3, 1, "f"), "takes 1"),
        ("#define f(a) a\nf(1", (3, 1, "f"), "do not end"),
        ("#define f(a, ) a", (2, 14, ")"), "not a parameter"),
        ("#define A 1\n#define A 2", (3, 9, "A"), "another text"),
        ("#define GL_A 1", (2, 9, "GL_A"), "belongs to the language"),
        ("#undef __LINE__", (2, 8, "__LINE__"), "belongs to the language"),
        ("#define P(a) a ## +\nP(b)", (3, 1, "P"), "no token"),
        ("#define P ## a", (2, 11, "##"), "joins two"),
        ("#version 330", (2, 2, "version"), "before everything"),
        ("#error some \\\n words // gone", (2, 2, "error"), "#error some words"),
        ("#extension GL_A", (2, 12, "GL_A"), "a colon"),
        ("#line x", (2, 7, "x"), "needs a number"),
        ("#include x", (2, 10, "x"), "quotation marks"),
    ],
)
def test_what_is_wrong_is_refused_at_its_place(text: str, place: tuple[int, int, str], word: str) -> None:
    found = errors(f"#version 330\n{text}")
    assert (places(found)[0], word in found[0].message) == (place, True)


def test_a_name_that_is_no_macro_has_no_value_in_es() -> None:
    (item,) = errors("#version 100\n#if MISSING\n#endif")
    assert places((item,)) == [(2, 5, "MISSING")]


def test_places_are_those_of_the_text_as_it_was_written() -> None:
    item = prepared("\ufeff#version 330\r\nfi\\\r\nrst \\\n/* \r */ second\rthi\\\rrd\n\rfourth")
    spans = [item.labels(line)[0].span for line in range(2, 6)]
    assert [(span.line, span.column, span.text) for span in spans] == [
        (2, 1, "fi\\\r\nrst"),
        (5, 5, "second"),
        (6, 1, "thi\\\rrd"),
        (9, 1, "fourth"),
    ]


def test_tokens_of_a_macro_have_the_place_of_its_use_and_that_in_the_macro() -> None:
    item = prepared("#version 330\n#define IN deep\n#define OUT(a) a IN\n  OUT(arg)", defines=(("D", "caller"),))
    assert [[str(label.span) for label in item.labels(line)] for line in (2, 3)] == [["shader:4:7"], ["shader:4:3", "shader:2:12"]]
    item = prepared("#version 330\nD", defines=(("D", "caller"),))
    assert [(label.span.source.name, label.span.text) for label in item.labels(2)] == [("shader", "D"), ("defines", "caller")]


def test_macros_of_the_caller_are_macros_of_the_text() -> None:
    macros = (("A", "1"), ("F(x, y)", "x y"), ("N", ""), ("T", "(A)"), ("Q", "'"))
    assert code("#version 330\nA F(2, T) N\n#ifdef N\nn\n#endif", defines=macros) == "1 2 ( 1 ) n"
    (item,) = errors("#version 330\nQ", defines=macros)
    assert [label.span.source.name for label in item.labels] == ["shader", "defines"]


def test_hlsl_has_strings_and_names_of_its_own() -> None:
    text = '#define GL_X "tri"\n[domain(GL_X)] float4 f(noise3 uint a : B) { A::b; }\n#pragma pack_matrix(row_major)\n'
    assert code(text, language="hlsl") == (
        '[ domain ( "tri" ) ] float4 f ( noise3 uint a : B ) { A :: b ; } #pragma pack_matrix(row_major)'
    )
    assert errors('x "a\\"b"', language="hlsl")


SECONDS = 10
"""Processor time that no text may take."""
MANY = 1 << 18
BOMBS = {
    "doubling macros": "\n".join(f"#define A{n + 1} A{n} A{n}" for n in range(60)) + "\nA60",
    "doubling calls": "\n".join(f"#define F{n + 1}(x) F{n}(x x)" for n in range(60)) + "\nF60(1)",
    "doubling names": "\n".join(f"#define F{n + 1}(x) F{n}(x##x)" for n in range(60)) + "\nF60(ab)",
    "long macros": "#define A " + "x" * 1000 + " " * 10 + "\n" + "A " * 50_000,
    "nested calls": "#define f(x) x\n" + "f(" * 50_000 + "1" + ")" * 50_000,
    "open calls": "#define f(x) x\n" + "f(" * 80_000,
    "open conditions": "#if 1\n" * (MANY // 6),
    "open comments": "/* " * (MANY // 3),
    "long names": "a" * MANY,
    "strings": '"' * MANY,
    "errors": "#error x\n" * 50_000,
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_texts_that_grow_without_end_are_refused(text: str) -> None:
    start = time.process_time()
    found = errors(f"#version 330\n{text[: MANY - 20]}")
    assert found
    assert len(found) <= 50
    assert time.process_time() - start < SECONDS


LARGE = {
    "parentheses": "(" * MANY,
    "conditions": "#if " + "(" * (MANY // 3) + "1" + ")" * (MANY // 3) + "\n#endif",
    "signs": "#if " + "!" * (MANY - 100) + "1\n#endif",
    "shifts": "#if " + "1 << 63 << " * (MANY // 20) + "1\n#endif",
    "layouts": "float flat;" + "layout(" * 50_000,
    "old functions": "shadow2D(" * 50_000,
    "old words": "uint " * 50_000,
    "continuations": "\\\n" * (MANY // 2 - 10),
    "ends of lines": "\r" * (MANY - 20),
    "chains": "#define A0 1\n" + "".join(f"#define A{k + 1} A{k}\n" for k in range(15_000)) + "A15000",
    "calls in calls without a use": "#define f(x) 1\n" + "f(" * 50_000 + ")" * 50_000,
    "unknown extensions": "".join(f"#extension GL_X{k} : enable\n" for k in range(9_000)),
    "places": "__LINE__ " * 50_000,
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_the_largest_texts_take_no_time_beyond_their_length(text: str) -> None:
    start = time.process_time()
    prepared(f"#version 120\n{text[: MANY - 20]}")
    assert time.process_time() - start < SECONDS
