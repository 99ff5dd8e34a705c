"""Loading query files: the header is a contract, and a breach names the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.graph.errors import QueryFileError
from prefrontal.graph.storage.parts import Parts
from prefrontal.graph.storage.queries import (
    Mode,
    Returns,
    Scope,
    load_queries,
    one_parameter,
    parse_query,
    used_params,
)
from prefrontal.graph.storage.unit_of_work import check_call

BODY = "UNWIND $uids AS uid MATCH (g:Goal {uid: uid}) WHERE g.scope_id IN $readable RETURN count(g) AS number"
HEADER = "// mode: read, returns: one, scope: caller"


def source(body: str = BODY, purpose: str = "// How many, one row.", header: str = HEADER) -> str:
    return f"{purpose}\n{header}\n{body}"


def parse(text: str, **parts: str):
    path = Path("goals/count_some.cypher")
    return parse_query("goals/count_some", text, path, Parts(parts))


def test_a_query_is_its_header_and_the_statement_after_it():
    query = parse(source())

    assert query.name == "goals/count_some"
    assert query.purpose == "How many, one row."
    assert (query.mode, query.scope, query.returns) == (Mode.READ, Scope.CALLER, Returns.ONE)
    assert query.params == {"readable", "uids"}
    assert query.text == BODY


@pytest.mark.parametrize(
    "header",
    [
        "// mode: read, returns: one",
        "// mode: read, scope: caller, returns: one",
        "// returns: one, scope: caller",
        "// mode: read, returns: one, scope: caller, params: readable",
        "// mode: read",
        "RETURN 1 AS one",
        "",
    ],
)
def test_a_second_line_that_is_no_header_is_refused_with_an_example(header):
    with pytest.raises(
        QueryFileError,
        match=r"count_some\.cypher: line 2 must be like this: // mode: read, returns: one, scope",
    ):
        parse(source(header=header))


@pytest.mark.parametrize("first", ["", "MATCH (n) RETURN n", "//mode: read", "// mode: read"])
def test_the_first_line_says_what_the_caller_gets(first):
    with pytest.raises(QueryFileError, match="line 1 must be a comment"):
        parse(source(purpose=first))


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        ("// mode: auto, returns: one, scope: caller", "'auto' is not a valid Mode"),
        ("// mode: read, returns: one, scope: everybody", "'everybody' is not a valid Scope"),
        ("// mode: read, returns: two, scope: caller", "'two' is not a valid Returns"),
        (
            "// mode: read, returns: one, scope: organisation",
            r"scope organisation needs one of the parameters \['org_id', 'org_key'\]",
        ),
        ("// mode: read, returns: one, scope: system", "scope system needs a reason"),
        ("// mode: read, returns: one, scope: system because", "line 2 must be like this"),
    ],
)
def test_a_header_that_is_wrong_is_refused(header, complaint):
    with pytest.raises(QueryFileError, match=complaint):
        parse(source(header=header))


@pytest.mark.parametrize("body", ["", "   \n", "// RETURN 1 AS one\n"])
def test_a_header_without_a_statement_is_refused(body):
    with pytest.raises(QueryFileError, match="there is no statement after the header"):
        parse(source(body))


def test_a_system_query_gives_its_reason_and_needs_no_spaces():
    header = "// mode: read, returns: one, scope: system - it is nobody's, returns: nothing"
    query = parse(source("MATCH (m:Migration) RETURN m", header=header))

    assert query.scope is Scope.SYSTEM
    assert query.params == frozenset()


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("RETURN $a AS a", {"a"}),
        ("RETURN $a + $b // and $c", {"a", "b"}),
        ("RETURN '$a' AS a, \"$b\" AS b, $c AS c", {"c"}),
        ("RETURN /* $a\n $b */ $c AS c", {"c"}),
        (r"RETURN 'it\'s $a' + $b AS c", {"b"}),
        ("RETURN 'http://x' + $a AS a // it's $b", {"a"}),
        ("MATCH (n:$($label) {uid: $row.uid}) RETURN n", {"label", "row"}),
    ],
)
def test_parameters_in_texts_and_comments_do_not_count(text, params):
    assert used_params(text) == params


def test_every_file_is_loaded_under_its_path_and_migrations_are_not(tmp_path):
    for folder in ("goals", "schema"):
        (tmp_path / folder).mkdir()
    (tmp_path / "goals" / "count_some.cypher").write_text(source())
    (tmp_path / "schema" / "0001_begin.cypher").write_text("no query at all")

    queries = load_queries(tmp_path)

    assert list(queries) == ["goals/count_some"]
    assert queries["goals/count_some"].path == tmp_path / "goals" / "count_some.cypher"


@pytest.mark.parametrize("name", ["CountSome", "count-some", "count_2", "_count"])
def test_a_file_that_is_not_named_like_a_query_is_refused(tmp_path, name):
    (tmp_path / "goals").mkdir()
    (tmp_path / "goals" / f"{name}.cypher").write_text(source())

    with pytest.raises(QueryFileError, match=f"{name}.cypher: a query is named"):
        load_queries(tmp_path)


def test_a_folder_without_queries_is_refused(tmp_path):
    with pytest.raises(QueryFileError, match="set PREFRONTAL_CYPHER_DIR"):
        load_queries(tmp_path)


@pytest.mark.parametrize(
    ("name", "expected", "params", "complaint"),
    [
        ("goals/count_more", Returns.ONE, {}, "there is no query file goals/count_more.cypher"),
        (
            "goals/count_some",
            Returns.MANY,
            {"uids": [], "readable": []},
            "declares `returns: one`, called for",
        ),
        (
            "goals/count_some",
            Returns.ONE,
            {"uids": []},
            r"takes \['readable', 'uids'\], called with \['uids'\]",
        ),
    ],
)
def test_a_call_that_does_not_fit_is_refused_before_it_reaches_the_database(
    name, expected, params, complaint
):
    with pytest.raises(QueryFileError, match=complaint):
        check_call({"goals/count_some": parse(source())}, name, expected, params)


SHARED = """UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.scope_id IN $readable
  // part: owned(g) if $others
  // only if $others
  OR EXISTS {
    // part: way(g)
  }
  // end only
  // part: always(g)
RETURN count(g) AS number"""
PARTS = {
    "owned": "// Or it is theirs.\n// variables: n\nOR n.owner IN $others\n",
    "way": "// A way.\n// variables: n\nMATCH (n)-->()\n",
    "always": "// It is open.\n// variables: n\nAND n.open\n",
}


def test_what_depends_on_a_list_is_left_out_when_it_is_empty():
    query = parse(source(SHARED), **PARTS)

    assert (query.conditions, query.params) == ({"others"}, {"uids", "readable", "others"})
    assert query.text_for({"others": ["x"], "uids": [], "readable": []}) == query.text
    assert query.text.splitlines() == [
        "UNWIND $uids AS uid",
        "MATCH (g:Goal {uid: uid})",
        "WHERE g.scope_id IN $readable",
        "  // only if $others",
        "  // part: owned(g)",
        "  OR g.owner IN $others",
        "  // end only",
        "  // only if $others",
        "  OR EXISTS {",
        "    // part: way(g)",
        "    MATCH (g)-->()",
        "  }",
        "  // end only",
        "  // part: always(g)",
        "  AND g.open",
        "RETURN count(g) AS number",
    ]
    reduced = query.text_for({"others": [], "uids": [], "readable": []})
    assert reduced == query.text_without_blocks
    assert reduced.splitlines() == [
        "UNWIND $uids AS uid",
        "MATCH (g:Goal {uid: uid})",
        "WHERE g.scope_id IN $readable",
        "  // part: always(g)",
        "  AND g.open",
        "RETURN count(g) AS number",
    ]


def test_each_block_depends_on_a_list_of_its_own():
    query = parse(source(SHARED.replace("only if $others", "only if $uids")), **PARTS)

    assert query.conditions == {"others", "uids"}
    texts = [query.text_for({"others": others, "uids": uids}) for others in ([], [1]) for uids in ([], [1])]
    assert [("$others" in text, "EXISTS" in text) for text in texts] == [
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    ]


def test_a_block_inside_another_depends_on_both():
    query = parse(source(SHARED.replace("way(g)", "way(g) if $uids")), **PARTS)

    texts = [query.text_for({"others": others, "uids": uids}) for others in ([], [1]) for uids in ([], [1])]
    assert [("EXISTS" in text, "-->" in text) for text in texts] == [
        (False, False),
        (False, False),
        (True, False),
        (True, True),
    ]
    assert texts[0] == texts[1] == query.text_for({"others": []})


def test_a_statement_without_such_blocks_is_always_whole():
    query = parse(source())

    assert query.text_for({"uids": [], "readable": []}) == query.text == BODY


def test_the_parameters_are_those_of_the_statement_and_its_parts():
    body = [
        "// It's $not",
        "MATCH (n) WHERE n.x = '$nor' AND n.scope_id IN $readable // and not $that",
        "// part: owned(n)",
        "RETURN 1 AS one",
    ]

    assert parse(source("\n".join(body)), **PARTS).params == {"readable", "others"}


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (SHARED.replace("  // end only\n", ""), "a block `// only if .list` does not end"),
        (SHARED.replace("  // only if $others\n", ""), "not at '// end only'"),
        (SHARED.replace("// only if $others", "// only if others"), "not at '// only if others'"),
        (SHARED.replace("  // only if", "\t//only if"), "not at '//only if"),
        (SHARED.replace("// end only", "// end only if"), "not at '// end only if'"),
        ("// end only\n// only if $uids\n" + BODY, "not at '// end only'"),
        (SHARED.replace("if $others", "if $else"), r"parameters of the statement, not on \['else'\]"),
        (
            BODY + " // $else\n// only if $else\n// end only",
            r"parameters of the statement, not on \['else'\]",
        ),
        (
            SHARED.replace("WHERE g.scope_id IN $readable", "WHERE false").replace(
                "  OR EXISTS {", "  OR g.scope_id IN $readable OR EXISTS {"
            ),
            "scope caller does not hold without",
        ),
        (SHARED.replace("way(g)", "no_way(g)"), "count_some.cypher:9: there is no part no_way"),
    ],
)
def test_a_wrong_block_is_named(body, complaint):
    with pytest.raises(QueryFileError, match=complaint):
        parse(source(body), **PARTS)


def test_a_folder_is_loaded_with_its_parts(tmp_path):
    for folder in ("goals", "_parts"):
        (tmp_path / folder).mkdir()
    (tmp_path / "goals" / "count_some.cypher").write_text(source(SHARED))
    for name, text in PARTS.items():
        (tmp_path / "_parts" / f"{name}.cypher").write_text(text)
    (query,) = load_queries(tmp_path).values()
    assert query.text == parse(source(SHARED), **PARTS).text

    # A part that was changed is in every statement of the next load.
    (tmp_path / "_parts" / "always.cypher").write_text(PARTS["always"].replace("open", "shut"))
    (changed,) = load_queries(tmp_path).values()
    assert changed.text == query.text.replace("g.open", "g.shut")

    (tmp_path / "_parts" / "always.cypher").write_text("AND n.open\n")
    with pytest.raises(QueryFileError, match=r"_parts/always.cypher: line 1 says what the part is"):
        load_queries(tmp_path)


def test_the_parameters_of_a_statement_become_entries_of_one():
    text = "CYPHER 25\nMATCH (n:$(row.label) {uid: $uid})  // not $this\nWHERE n.key <> '$key' LIMIT $most_1"

    assert one_parameter(text) == (
        "CYPHER 25\nMATCH (n:$(row.label) {uid: $p.uid})  // not $this\nWHERE n.key <> '$key' LIMIT $p.most_1"
    )
