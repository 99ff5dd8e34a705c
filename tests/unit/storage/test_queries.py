"""Loading query files: the header is a contract, and a breach names the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.graph.errors import QueryFileError
from prefrontal.graph.storage.queries import Mode, Returns, Scope, load_queries, parse_query, used_params
from prefrontal.graph.storage.unit_of_work import check_call

HEADER = {
    "mode": "read",
    "scope": "caller",
    "params": "readable, uids",
    "returns": "one",
}
BODY = "UNWIND $uids AS uid MATCH (g:Goal {uid: uid}) WHERE g.scope_id IN $readable RETURN count(g) AS number"


def source(body: str = BODY, purpose: str = "// How many, one row.", **header: str | None) -> str:
    lines = {**HEADER, **header}
    return "\n".join(
        [purpose, *(f"// {key}: {value}" for key, value in lines.items() if value is not None), body]
    )


def parse(text: str):
    return parse_query("goals/count_some", text, Path("goals/count_some.cypher"))


def test_a_query_is_its_header_and_the_statement_after_it():
    query = parse(source())

    assert query.name == "goals/count_some"
    assert query.purpose == "How many, one row."
    assert (query.mode, query.scope, query.returns) == (Mode.READ, Scope.CALLER, Returns.ONE)
    assert query.params == {"readable", "uids"}
    assert query.text == BODY


@pytest.mark.parametrize("part", ["mode", "scope", "params", "returns"])
def test_a_missing_part_of_the_header_is_named(part):
    with pytest.raises(QueryFileError, match=f"count_some.cypher: the header lacks {part}$"):
        parse(source(**{part: None}))


def test_all_missing_parts_are_named_at_once():
    with pytest.raises(QueryFileError, match="the header lacks mode, scope, params, returns"):
        parse("// What it gives.\nRETURN 1 AS one")


@pytest.mark.parametrize("first", ["", "MATCH (n) RETURN n", "//mode: read", "// mode: read"])
def test_the_first_line_says_what_the_caller_gets(first):
    with pytest.raises(QueryFileError, match="line 1 must be a comment"):
        parse(source(purpose=first))


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        ({"mode": "auto"}, "'auto' is not a valid Mode"),
        ({"scope": "everybody"}, "'everybody' is not a valid Scope"),
        ({"returns": "two"}, "'two' is not a valid Returns"),
        ({"params": "readable"}, r"declared but unused \[\], used but undeclared \['uids'\]"),
        ({"params": "readable, uids, limit"}, r"declared but unused \['limit'\], used but undeclared \[\]"),
        ({"params": "none"}, r"used but undeclared \['readable', 'uids'\]"),
        (
            {"scope": "organisation"},
            r"scope organisation needs one of the parameters \['org_id', 'org_key'\]",
        ),
        ({"scope": "system"}, "scope system needs a reason"),
        ({"scope": "system because"}, "scope system needs a reason"),
    ],
)
def test_a_header_that_is_wrong_is_refused(header, complaint):
    with pytest.raises(QueryFileError, match=complaint):
        parse(source(**header))


def test_a_header_without_a_statement_is_refused():
    with pytest.raises(QueryFileError, match="there is no statement after the header"):
        parse(source(body="   \n"))


def test_a_system_query_gives_its_reason_and_needs_no_spaces():
    query = parse(source(body="MATCH (m:Migration) RETURN m", scope="system - it is nobody's", params="none"))

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
  // part: shared(g) if $others
  OR g.owner IN $others
  // end part
  // only if $others
  OR EXISTS {
    // part: way(g)
    MATCH (g)-->()
    // end part
  }
  // end only
  // part: always(g)
  AND g.open
  // end part
RETURN count(g) AS number"""


def test_what_depends_on_a_list_is_left_out_when_it_is_empty():
    query = parse(source(SHARED, params="readable, uids, others"))

    assert (query.conditions, query.text) == ({"others"}, SHARED)
    assert query.text_for({"others": ["x"], "uids": [], "readable": []}) == SHARED
    assert query.text_for({"others": [], "uids": [], "readable": []}).splitlines() == [
        "UNWIND $uids AS uid",
        "MATCH (g:Goal {uid: uid})",
        "WHERE g.scope_id IN $readable",
        "  // part: always(g)",
        "  AND g.open",
        "  // end part",
        "RETURN count(g) AS number",
    ]


def test_each_block_depends_on_a_list_of_its_own():
    query = parse(source(SHARED.replace("only if $others", "only if $uids"), params="readable, uids, others"))

    assert query.conditions == {"others", "uids"}
    texts = [query.text_for({"others": others, "uids": uids}) for others in ([], [1]) for uids in ([], [1])]
    assert [("$others" in text, "EXISTS" in text) for text in texts] == [
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    ]


def test_a_statement_without_such_blocks_is_always_whole():
    query = parse(source())

    assert query.text_for({"uids": [], "readable": []}) == query.text == BODY


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (SHARED.replace("  // end only\n", ""), "a block `only` does not end"),
        (SHARED.replace("  // only if $others\n", ""), "a block `only` does not end, or does not begin"),
        (SHARED.replace("if $others", "if $else"), r"parameters of the statement, not on \['else'\]"),
        (
            SHARED.replace("WHERE g.scope_id IN $readable", "WHERE false").replace(
                "g.owner IN $others", "g.scope_id IN $readable AND g.owner IN $others"
            ),
            "scope caller does not hold without",
        ),
    ],
)
def test_a_wrong_block_is_named(body, complaint):
    with pytest.raises(QueryFileError, match=complaint):
        parse(source(body, params="readable, uids, others"))


def test_parts_and_migrations_are_not_queries(tmp_path):
    for folder in ("goals", "_parts", "schema"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "count_some.cypher").write_text(source())

    assert set(load_queries(tmp_path)) == {"goals/count_some"}
