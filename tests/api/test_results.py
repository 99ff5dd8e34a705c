"""Every mutation of the schema answers `{ ok problem { code message field } }`, done or refused."""

from __future__ import annotations

from tests.api.conftest import Api
from tests.api.test_roles import FOR_READERS, MUTATIONS, statement

SHARED = "ok problem { code message field problems { code } }"


def asking(name: str) -> tuple[str, object]:
    """The mutation with the fields of every result, and with fragments as clients have written them."""
    query, given = statement(name)
    upper = name[0].upper() + name[1:]
    more = (
        f"... on {upper}Payload {{ own: ok none: problem {{ code }} }} "
        f"... on Problem {{ code message field same: problem {{ code ok }} }} "
        f"... on {upper}Result {{ again: ok }} ... on MutationResult {{ shared: ok }}"
    )
    return query.replace("... on Problem { code message field }", f"{SHARED} {more}"), given


async def test_a_refused_mutation_says_so_without_a_fragment_and_with_one(api: Api) -> None:
    reader = api.client(roles=("reader",))
    answers = {}
    for name in MUTATIONS:
        query, given = asking(name)
        answers[name] = (await reader.run(query, input=given))["it"]
    assert len(answers) == len(MUTATIONS) >= 40
    for name, it in answers.items():
        code, message = it["code"], it["message"]
        # Which events it has, a reader may say; the name in the input is none.
        assert code in {"forbidden", "not_found"} or name in FOR_READERS, name
        assert it == {
            "__typename": "Problem",
            "ok": False,
            "problem": {"code": code, "message": message, "field": it["field"], "problems": [{"code": code}]},
            "code": code,
            "message": message,
            "field": it["field"],
            "same": {"code": code, "ok": False},
            "again": False,
            "shared": False,
        }, name


async def test_what_was_done_is_ok_and_has_no_problem(api: Api) -> None:
    writer = api.client(roles=("maintainer",))
    done = set()
    for name in MUTATIONS:
        query, given = asking(name)
        it = (await writer.run(query, input=given))["it"]
        refused = it["__typename"] == "Problem"
        assert (it["problem"] is not None) is refused, name
        assert it["ok"] == it["again"] == it["shared"], name
        if not refused:
            assert it["__typename"] == f"{name[0].upper()}{name[1:]}Payload"
            assert (it["own"], it["none"], "code" in it) == (it["ok"], None, False), name
        if it["ok"]:
            done.add(name)
    assert done >= {"addObservation", "createGoal", "remember", "createSpace", "evaluateScratchPage"}


async def test_one_refused_entry_is_not_ok_although_the_mutation_was_not_refused(api: Api) -> None:
    query = (
        "mutation ($actions: [PendingActionUpsertInput!]!) { "
        f"it: upsertPendingActions(input: {{actions: $actions}}) {{ {SHARED} "
        "... on UpsertPendingActionsPayload { results { problem { field ok } } } } }"
    )
    actions = [{"title": "a", "type": "agent_task"}, {"title": "", "type": "agent_task"}]
    it = (await api.client().run(query, actions=actions))["it"]
    assert (it["ok"], it["problem"]) == (False, None)
    assert it["results"] == [{"problem": None}, {"problem": {"field": "actions[1].title", "ok": False}}]
