"""Parts of query files: put in where they are named, with the names of that place."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.graph.errors import QueryFileError
from prefrontal.graph.storage.parts import Parts

HERE = Path("q.cypher")


def part(*lines: str, variables: str = "who") -> str:
    return "\n".join(("// What it is.", f"// variables: {variables}", *lines, ""))


SHOUT = {"shout": part("RETURN who.name + '!who' AS who, $who AS $who, x.who")}


def test_a_part_stands_below_its_name_with_the_variables_of_that_place() -> None:
    text = "MATCH (x)\n  // part: shout(x)\nRETURN x"

    assert Parts(SHOUT).inline(text, HERE) == (
        "MATCH (x)\n  // part: shout(x)\n  RETURN x.name + '!who' AS x, $who AS $who, x.who\nRETURN x"
    )


def test_two_variables_may_change_places() -> None:
    parts = Parts({"pair": part("MATCH (a)-->(b)", variables="a, b")})

    assert parts.inline("// part: pair(b, a)", HERE) == "// part: pair(b, a)\nMATCH (b)-->(a)"


def test_comments_and_texts_of_a_part_keep_their_words() -> None:
    parts = Parts({"say": part("// Whether a is a thing.", "a.text = 'a thing' // a", variables="a")})

    assert parts.inline("// part: say(b)", HERE) == (
        "// part: say(b)\n// Whether a is a thing.\nb.text = 'a thing' // a"
    )


def test_a_part_that_depends_on_a_list_stands_in_a_block() -> None:
    parts = Parts({"always": part("AND true", "AND NOT false", variables="none")})

    assert parts.inline("  // part: always() if $xs", HERE).splitlines() == [
        "  // only if $xs",
        "  // part: always()",
        "  AND true",
        "  AND NOT false",
        "  // end only",
    ]


def test_a_part_may_name_parts_in_any_order_of_their_files() -> None:
    both = part("WITH a", "  // part: shout(a) if $loud", "  // part: zoom(a)", variables="a")
    parts = Parts({"both": both, **SHOUT, "zoom": part("LIMIT who")})

    assert parts.inline("// part: both(n)", HERE).splitlines() == [
        "// part: both(n)",
        "WITH n",
        "  // only if $loud",
        "  RETURN n.name + '!who' AS n, $who AS $who, x.who",
        "  // end only",
        "  LIMIT n",
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("RETURN 1\n// part: whisper(x)", "q.cypher:2: there is no part whisper"),
        ("// part: shout(x, y)", r"q.cypher:1: shout takes \['who'\], given \['x', 'y'\]"),
        ("// part: shout()", r"q.cypher:1: shout takes \['who'\], given \[\]"),
        ("// part shout", "q.cypher:1: a part is one line"),
        ("\t//part: shout(x)", "q.cypher:1: a part is one line"),
        ("// part: shout(x) if others", "q.cypher:1: a part is one line"),
        # What was copied between two lines would stand there twice.
        ("// part: shout(x)\nRETURN x\n// end part", "q.cypher:3: a part is one line, .* nothing ends it"),
    ],
)
def test_a_line_that_names_a_part_wrongly_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(QueryFileError, match=complaint):
        Parts(SHOUT).inline(text, HERE)


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ({"a": "RETURN 1\n"}, "_parts/a.cypher: line 1 says what the part is, line 2"),
        ({"a": "// What it is.\nRETURN 1\n"}, "_parts/a.cypher: line 1 says what the part is, line 2"),
        (
            {"a": part("RETURN x, $y, x.z // w", variables="x, y, z, w")},
            r"_parts/a.cypher: unused variables \['w', 'y', 'z'\]",
        ),
        (
            {"a": part("// part: shout(x, y)", variables="x, y"), **SHOUT},
            r"_parts/a.cypher:3: shout takes \['who'\], given \['x', 'y'\]",
        ),
        ({"a": part("RETURN 1", "// part: b()", variables="none")}, "_parts/a.cypher:4: there is no part b"),
        (
            {"a": part("// part: b(x)", variables="x"), "b": part("// part: a(x)", variables="x")},
            "_parts/b.cypher:3: the part a contains itself",
        ),
    ],
)
def test_a_wrong_part_is_refused_before_it_is_used(parts: dict[str, str], complaint: str) -> None:
    with pytest.raises(QueryFileError, match=complaint):
        Parts(parts)
