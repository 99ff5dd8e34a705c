"""Lineage: why a goal exists and what hangs on it, as far as the caller may see."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from prefrontal.graph.access.record import GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    Goal,
    Lineage,
    ShareGoal,
    UpsertGoal,
)
from prefrontal.graph.cortex.questions.record import (
    ArchiveQuestion,
    Pair,
    QuestionDraft,
    StoryDraft,
    UpsertQuestionStory,
)
from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound
from prefrontal.graph.ids import Kind
from prefrontal.graph.lessons.outcome_record import OutcomeDraft, RecordOutcome
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.storage.queries import one_parameter
from prefrontal.graph.storage.rows import to_parameters
from prefrontal.graph.tools.record import TrackToolInvocation
from tests.support.lists import Links, evidence_of, links_of
from tests.support.profiling import profiled
from tests.support.world import World

NIGHTLY = pytest.mark.nightly("a lineage is read at two depths with each change")
COSTS = pytest.mark.nightly("it counts what a look costs; lineages are read with each change")

LATEST = {"latest": 10, "oldest": f"{Kind.TOOL_INVOCATION.value}_"}
"""Bounds of the outcomes and tool calls of a goal, for statements that a test runs itself."""


def drawn(lineage: Lineage) -> tuple[set[tuple[str, str, str]], set[tuple[str, str, str]]]:
    """Nodes as (kind, role, name) and edges as (source, type, target) by name."""
    names = {node.uid: node.name for node in lineage.nodes}
    assert len(names) == len(lineage.nodes)
    return (
        {(node.kind, node.role, node.name) for node in lineage.nodes},
        {(names[edge.source], edge.type, names[edge.target]) for edge in lineage.edges},
    )


async def family(world: World, caller: Any) -> dict[str, Goal]:
    """A root, its child and its grandchild, what the child derives from, evidence and actions."""
    made: dict[str, Goal] = {}

    async def create(title: str, **fields: Any) -> None:
        world.clock.advance(seconds=1)
        (seen,) = await world.services.scratch.service.add(
            caller, [ObservationDraft(content=f"why {title}", confidence=0.9)]
        )
        made[title] = await world.services.goals.service.create(
            caller,
            CreateGoal(
                title=title,
                evidence=(EvidenceDraft(observation_id=seen.uid, confidence=0.8, note="because"),),
                pending_actions=(PendingActionDraft(type="research", title=f"do {title}"),),
                **fields,
            ),
        )

    await create("root")
    await create("older")
    await create("old", derived_from=(made["older"].uid,))
    await create("child", parent_goal_id=made["root"].uid, derived_from=(made["old"].uid,))
    await create("grandchild", parent_goal_id=made["child"].uid)
    await create("cousin", parent_goal_id=made["root"].uid)
    return made


async def ask(world: World, caller: Any, text: str, *stories: str, **fields: Any) -> Pair:
    """A question with its stories, each with the evidence that is given; the pair of the last."""
    space, refs = fields.pop("space", None), fields.pop("evidence_refs", ())
    for number, narrative in enumerate(stories):
        pair = await world.services.questions.upsert.upsert(
            caller,
            UpsertQuestionStory(
                question=QuestionDraft(client_key=text, text=text, **fields),
                story=StoryDraft(client_key=f"{text} {number}", narrative=narrative, evidence_refs=refs),
                space=space,
            ),
        )
    return pair


@pytest.mark.covers("GOAL-12", "GOAL-15", "GOAL-34")
async def test_three_levels_are_drawn_with_derivations_evidence_and_actions(world: World) -> None:
    caller = await world.caller()
    goals = await family(world, caller)
    world.statements.clear()

    lineage = await world.services.goals.service.lineage(caller, goals["child"].uid)

    assert world.statements.names == ["goals/trace_lineage"]
    nodes, edges = drawn(lineage)
    in_it = {"child", "root", "grandchild", "old", "older"}
    assert nodes == {
        ("goal", "self", "child"),
        ("goal", "ancestor", "root"),
        ("goal", "descendant", "grandchild"),
        ("goal", "derivation", "old"),
        ("goal", "derivation", "older"),
        *(("observation", "evidence", f"why {title}") for title in in_it),
        *(("pending_action", "action", f"do {title}") for title in in_it),
    }
    assert edges == {
        ("child", "CHILD_OF", "root"),
        ("grandchild", "CHILD_OF", "child"),
        ("child", "DERIVED_FROM", "old"),
        ("old", "DERIVED_FROM", "older"),
        *((f"why {title}", "EVIDENCES", title) for title in in_it),
        *((f"do {title}", "ADVANCES", title) for title in in_it),
    }
    assert (lineage.goal_id, lineage.depth, lineage.truncated) == (goals["child"].uid, 5, False)
    by_name = {node.name: node for node in lineage.nodes}
    assert (by_name["child"].status, by_name["child"].progress) == ("pending", 0.0)
    assert by_name["why child"].confidence == 0.9
    (why,) = [e for e in lineage.edges if e.type == "EVIDENCES" and e.target == goals["child"].uid]
    assert (why.confidence, why.reason, why.since) == (0.8, "because", goals["child"].created_at)


@pytest.mark.covers("QST-16", "QST-26")
async def test_what_is_asked_about_its_goals_is_drawn_with_what_answers_it(world: World) -> None:
    caller = await world.caller()
    goals = await family(world, caller)
    (heard,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="heard", confidence=0.6)]
    )
    (why,) = (await evidence_of(world.services, caller, [goals["child"].uid]))[goals["child"].uid]
    refs = (heard.uid, why.observation_id)
    for title in ("root", "child", "cousin"):
        await ask(
            world,
            caller,
            f"what of {title}?",
            f"{title} is so",
            goal_id=goals[title].uid,
            evidence_refs=refs if title == "child" else (),
        )
    more = await ask(world, caller, "when?", "soon", "late", goal_id=goals["child"].uid)
    moved = await ask(world, caller, "elsewhere?", "no", goal_id=goals["child"].uid)
    await ask(world, caller, "about nothing?", "no")
    changed = QuestionDraft(id=moved.question.uid, goal_id=goals["cousin"].uid)
    await world.services.questions.upsert.upsert(caller, UpsertQuestionStory(question=changed))
    # What was put away is drawn, too: it was a reason.
    await world.services.questions.transitions.archive_question(caller, ArchiveQuestion(id=more.question.uid))
    world.statements.clear()

    lineage = await world.services.goals.service.lineage(caller, goals["child"].uid)

    assert world.statements.names == ["goals/trace_lineage"]
    asked = [node for node in lineage.nodes if node.kind in ("question", "story")]
    assert {(node.kind, node.role, node.name, node.status) for node in asked} == {
        ("question", "question", "what of root?", "open"),
        ("question", "question", "what of child?", "open"),
        ("question", "question", "when?", "archived"),
        ("story", "story", "root is so", "draft"),
        ("story", "story", "child is so", "draft"),
        ("story", "story", "soon", "archived"),
        ("story", "story", "late", "archived"),
    }
    nodes, edges = drawn(lineage)
    # What a story rests on is drawn once, whatever it speaks for.
    assert ("observation", "evidence", "heard") in nodes
    assert {edge for edge in edges if edge[2] == "child is so"} == {
        ("heard", "EVIDENCES", "child is so"),
        ("why child", "EVIDENCES", "child is so"),
    }
    assert {edge for edge in edges if edge[1] in ("ABOUT", "ANSWERS")} == {
        ("what of root?", "ABOUT", "root"),
        ("what of child?", "ABOUT", "child"),
        ("when?", "ABOUT", "child"),
        ("root is so", "ANSWERS", "what of root?"),
        ("child is so", "ANSWERS", "what of child?"),
        ("soon", "ANSWERS", "when?"),
        ("late", "ANSWERS", "when?"),
    }
    (about,) = [edge for edge in lineage.edges if edge.source == more.question.uid]
    assert about.since == more.question.created_at


@pytest.mark.covers("SEC-11", "SEC-14")
async def test_questions_and_stories_are_drawn_for_who_may_read_them(world: World) -> None:
    """The caller's own question about a common goal, and one that lies beside that goal."""
    bot, other = await world.caller("bot"), await world.caller("other")
    (common,) = set(bot.readable) & set(other.readable)
    (secret,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="secret")])
    shared = await world.services.goals.service.create(bot, CreateGoal(title="ours", space=common))
    own = await world.services.goals.service.create(bot, CreateGoal(title="mine"))
    await ask(world, bot, "for me?", "yes", goal_id=shared.uid)
    await ask(world, bot, "for us?", "both", goal_id=shared.uid, space=common, evidence_refs=(secret.uid,))
    await ask(world, bot, "how?", "so", goal_id=own.uid)

    async def names(caller: Any, uid: str) -> set[str]:
        return {node.name for node in (await world.services.goals.service.lineage(caller, uid)).nodes}

    assert await names(bot, shared.uid) == {"ours", "for me?", "yes", "for us?", "both", "secret"}
    assert await names(other, shared.uid) == {"ours", "for us?", "both"}
    # With the goal what is asked about it is shared, and what answers that.
    await world.services.goals.sharing.share(
        bot,
        ShareGoal(
            goal_id=own.uid, actor=Actor(kind=ActorKind.AGENT, key="other"), permission=SpacePermission.READ
        ),
    )
    assert await names(await world.caller("other"), own.uid) == {"mine", "how?", "so"}


async def call(world: World, caller: Any, tool: str, goal: Goal, turn: str, **fields: Any) -> None:
    world.clock.advance(seconds=0.001)
    given = {"result": {}, "goal_id": goal.uid, **fields}
    await world.services.tools.track(caller, TrackToolInvocation(turn_id=turn, tool=tool, **given))


async def ended(world: World, caller: Any, turn: str, result: str, *, success: bool = True) -> None:
    world.clock.advance(seconds=0.001)
    outcome = OutcomeDraft(success=success, result=result)
    await world.services.outcomes.record(caller, RecordOutcome(turn_id=turn, outcome=outcome))


async def changed(world: World, caller: Any, goal: Goal, turn: str) -> None:
    change = UpsertGoal(id=goal.uid, description=f"since {world.clock.now()}", turn_id=turn)
    await world.services.goals.upsert.upsert(caller, change)


def lately(lineage: Lineage) -> tuple[set[tuple[str, ...]], set[tuple[str, str, str]]]:
    """The outcomes and tool calls of a lineage, each with its edges."""
    kinds = ("outcome", "tool_invocation")
    nodes = {(n.kind, n.role, n.name, n.status) for n in lineage.nodes if n.kind in kinds}
    names = {name for _, _, name, _ in nodes}
    return nodes, {edge for edge in drawn(lineage)[1] if edge[0] in names}


async def test_the_tools_called_for_its_goals_and_the_outcomes_of_their_turns_are_drawn(world: World) -> None:
    caller = await world.caller()
    goals = await family(world, caller)
    child, root, cousin = goals["child"], goals["root"], goals["cousin"]
    before = world.clock.advance(minutes=1)
    world.clock.advance(minutes=1)
    await call(world, caller, "search", child, "one")
    await call(world, caller, "order", child, "one", error="sold out")
    await call(world, caller, "weather", root, "two")
    await call(world, caller, "maps", cousin, "two")
    # A turn that wrote two of the goals, one that wrote the goal beside them, and one that wrote none.
    await changed(world, caller, child, "one")
    await changed(world, caller, root, "one")
    await ended(world, caller, "one", "half of it", success=False)
    await ended(world, caller, "one", "all of it")
    await changed(world, caller, cousin, "three")
    await ended(world, caller, "three", "elsewhere")
    await ended(world, caller, "two", "nothing written")
    world.statements.clear()

    lineage = await world.services.goals.service.lineage(caller, child.uid)

    assert world.statements.names == ["goals/trace_lineage"]
    assert lately(lineage) == (
        {
            ("tool_invocation", "tool_call", "search: done", "success"),
            ("tool_invocation", "tool_call", "order: sold out", "failed"),
            ("tool_invocation", "tool_call", "weather: done", "success"),
            ("outcome", "outcome", "Failed: half of it", "failure"),
            ("outcome", "outcome", "Succeeded: all of it", "success"),
        },
        {
            ("search: done", "ADVANCES", "child"),
            ("order: sold out", "ADVANCES", "child"),
            ("weather: done", "ADVANCES", "root"),
            ("Failed: half of it", "OUTCOME_OF", "child"),
            ("Failed: half of it", "OUTCOME_OF", "root"),
            ("Succeeded: all of it", "OUTCOME_OF", "child"),
            ("Succeeded: all of it", "OUTCOME_OF", "root"),
        },
    )
    # The same at this time, and none of it at an earlier one.
    now = await world.services.goals.service.lineage(caller, child.uid, at=world.clock.now())
    then = await world.services.goals.service.lineage(caller, child.uid, at=before)
    assert lately(now) == lately(lineage)
    assert lately(then) == (set(), set())
    assert len(then.nodes) == len(lineage.nodes) - 5


@pytest.mark.covers("SEC-11", "SEC-14")
async def test_private_calls_and_outcomes_are_drawn_for_who_may_read_their_turns(world: World) -> None:
    """Two agents work for a common goal; each sees its own calls and outcomes alone."""
    bot, other = await world.caller("bot"), await world.caller("other")
    (common,) = set(bot.readable) & set(other.readable)
    ours = await world.services.goals.service.create(bot, CreateGoal(title="ours", space=common))
    mine = await world.services.goals.service.create(bot, CreateGoal(title="mine"))
    for name, caller in (("bot", bot), ("other", other)):
        await call(world, caller, f"tool of {name}", ours, "t")
        await changed(world, caller, ours, "t")
        await ended(world, caller, "t", f"by {name}")
    await call(world, bot, "private", mine, "t")
    await changed(world, bot, mine, "t")
    await world.services.goals.sharing.share(
        bot,
        ShareGoal(
            goal_id=mine.uid, actor=Actor(kind=ActorKind.AGENT, key="other"), permission=SpacePermission.READ
        ),
    )

    async def names(agent: str, goal: Goal) -> list[set[str]]:
        """What is drawn now, and what is drawn of this time."""
        caller, now = await world.caller(agent), world.clock.now()
        found = [
            await world.services.goals.service.lineage(caller, goal.uid),
            await world.services.goals.service.lineage(caller, goal.uid, at=now),
        ]
        return [{node.name for node in lineage.nodes} for lineage in found]

    assert await names("bot", ours) == [{"ours", "tool of bot: done", "Succeeded: by bot"}] * 2
    assert await names("other", ours) == [{"ours", "tool of other: done", "Succeeded: by other"}] * 2
    assert await names("bot", mine) == [{"mine", "private: done", "Succeeded: by bot"}] * 2
    assert await names("other", mine) == [{"mine"}] * 2


@NIGHTLY
async def test_of_many_calls_and_outcomes_of_a_goal_the_newest_are_drawn(world: World) -> None:
    caller = await world.caller()
    most = world.services.catalog.goals.lineage.latest_per_goal
    busy = await world.services.goals.service.create(caller, CreateGoal(title="busy"))
    calm = await world.services.goals.service.create(
        caller, CreateGoal(title="calm", parent_goal_id=busy.uid)
    )
    await call(world, caller, "calm", calm, "t")
    await changed(world, caller, busy, "t")
    for number in range(most + 2):
        await call(world, caller, f"c{number}", busy, "t")
        await ended(world, caller, "t", f"o{number}")

    found = await world.services.goals.service.lineage(caller, busy.uid)
    past = await world.services.goals.service.lineage(caller, busy.uid, at=world.clock.now())

    newest = {name for n in range(2, most + 2) for name in (f"c{n}: done", f"Succeeded: o{n}")}
    for lineage in (found, past):
        assert {name for _, _, name, _ in lately(lineage)[0]} == {*newest, "calm: done"}
        assert not lineage.truncated
    # What the log keeps no longer is not drawn, also before the job has deleted it; outcomes stay.
    world.clock.advance(days=world.services.catalog.retention.invocation_days, seconds=1)
    after = await world.services.goals.service.lineage(caller, busy.uid)
    assert {name for _, _, name, _ in lately(after)[0]} == {name for name in newest if "Succeeded" in name}


@COSTS
@pytest.mark.parametrize("name", ["goals/trace_lineage", "goals/trace_lineage_as_of"])
async def test_a_goal_without_calls_is_looked_up_in_no_readable_space(world: World, name: str) -> None:
    caller = await world.caller()
    quiet = await world.services.goals.service.create(caller, CreateGoal(title="quiet"))
    loud = await world.services.goals.service.create(caller, CreateGoal(title="loud"))
    await call(world, caller, "first", loud, "t")
    params = {"most": 2000, "depth": 5, "grantees": [], "at": world.clock.now(), **LATEST}

    async def cost(goal: Goal, spaces: int) -> tuple[int, int]:
        """How many calls are found, and how often the store was read, with that many more readable spaces."""
        readable = [*caller.readable, *(f"spc_{n}" for n in range(spaces))]
        row, read = await profiled(world, name, **params, uid=goal.uid, readable=readable)
        return len(row["calls"]), read

    # A plan from before a property was first stored looks its name up when it first runs.
    await cost(quiet, 0)
    none, idle = await cost(quiet, 0)
    assert (none, await cost(quiet, 100)) == (0, (0, idle))
    one, few = await cost(loud, 0)
    same, many = await cost(loud, 100)
    assert one == same == 1
    assert few + 100 <= many


@NIGHTLY
async def test_a_drawing_of_many_questions_and_stories_is_cut_and_says_so(world: World) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="goal"))
    pair = await ask(world, caller, "what?", "this", goal_id=goal.uid)
    assert pair.story
    most = world.services.catalog.goals.lineage.max_nodes
    await world.rows(
        "MATCH (s:Story {uid: $uid})-[:ANSWERS]->(q) UNWIND range(1, $number) AS n "
        "CREATE (c:Story) SET c = s {.*, uid: s.uid + '-' + n, client_key: 'c' + n} "
        "CREATE (c)-[:ANSWERS]->(q)",
        uid=pair.story.uid,
        number=most - 3,
    )

    whole = await world.services.goals.service.lineage(caller, goal.uid)
    assert (len(whole.nodes), whole.truncated) == (most, False)
    await ask(world, caller, "what?", "this", "that", goal_id=goal.uid)
    cut = await world.services.goals.service.lineage(caller, goal.uid)

    assert (len(cut.nodes), cut.truncated) == (most, True)
    assert {node.kind for node in cut.nodes[:2]} == {"goal", "question"}


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (1, {"g5", "g4", "g6"}),
        (2, {"g5", "g4", "g6", "g3", "g7"}),
        (5, {f"g{n}" for n in range(11)}),
        (20, {f"g{n}" for n in range(12)}),
    ],
)
async def test_the_depth_counts_edges(world: World, depth: int, expected: set[str]) -> None:
    caller = await world.caller()
    chain: list[Goal] = []
    for n in range(12):
        chain.append(
            await world.services.goals.service.create(
                caller, CreateGoal(title=f"g{n}", parent_goal_id=chain[-1].uid if chain else None)
            )
        )

    lineage = await world.services.goals.service.lineage(caller, chain[5].uid, depth)

    assert {node.name for node in lineage.nodes} == expected
    assert lineage.depth == depth


@NIGHTLY
async def test_a_dense_web_of_derivations_is_drawn_in_time(world: World) -> None:
    """Each goal derives from all before it: more than a hundred billion ways from the last to the first."""
    caller = await world.caller()
    made: list[str] = []
    for n in range(40):
        goal = await world.services.goals.service.create(
            caller, CreateGoal(title=f"g{n}", derived_from=tuple(made))
        )
        made.append(goal.uid)

    lineage = await world.services.goals.service.lineage(caller, made[20], 20)
    links = await links_of(world.services, caller, [made[-1]])

    assert {node.uid for node in lineage.nodes} == set(made)
    assert len(lineage.edges) == 40 * 39 // 2
    assert links[made[-1]].lineage_ids == tuple(sorted(made[:-1]))


@pytest.mark.parametrize("depth", [0, -1, 21, 10**30])
async def test_a_depth_out_of_range_is_refused(world: World, depth: int) -> None:
    caller = await world.caller()

    with pytest.raises(InvalidInput) as caught:
        await world.services.goals.service.lineage(caller, "goal_x", depth)

    assert caught.value.field == "depth"


@pytest.mark.covers("SEC-11", "SEC-12", "SEC-14")
async def test_what_another_space_hides_ends_the_branch(world: World) -> None:
    """top (shared) <- hidden (private to bot) <- low (shared): who cannot see hidden sees only low."""
    bot, other = await world.caller("bot"), await world.caller("other")
    (common,) = set(bot.readable) & set(other.readable)
    create = world.services.goals.service.create
    (secret,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="secret reason")])
    top = await create(bot, CreateGoal(title="top", space=common))
    hidden = await create(bot, CreateGoal(title="hidden", parent_goal_id=top.uid))
    low = await create(
        bot,
        CreateGoal(
            title="low",
            parent_goal_id=hidden.uid,
            derived_from=(hidden.uid,),
            evidence=(EvidenceDraft(observation_id=secret.uid),),
            space=common,
        ),
    )

    seen = await world.services.goals.service.lineage(other, low.uid)
    from_above = await world.services.goals.service.lineage(other, top.uid)
    links = await links_of(world.services, other, [low.uid, hidden.uid])

    assert drawn(seen) == ({("goal", "self", "low")}, set())
    assert drawn(from_above) == ({("goal", "self", "top")}, set())
    assert links == {low.uid: Links(parent_goal_id=None, derived_from=(), lineage_ids=())}
    assert await evidence_of(world.services, other, [low.uid]) == {}
    own, _ = drawn(await world.services.goals.service.lineage(bot, low.uid))
    assert {name for _, _, name in own} == {"top", "hidden", "low", "secret reason"}

    await world.grant(
        bot,
        GrantAccess(
            space=bot.home, actor=Actor(kind=ActorKind.AGENT, key="other"), permission=SpacePermission.READ
        ),
    )
    after = await world.services.goals.service.lineage(await world.caller("other"), low.uid)
    assert {node.name for node in after.nodes} == {"top", "hidden", "low", "secret reason"}


@pytest.mark.covers("SEC-11")
async def test_foreign_and_unknown_goals_have_no_lineage(world: World) -> None:
    bot, other = await world.caller("bot"), await world.caller("other")
    goal = await world.services.goals.service.create(other, CreateGoal(title="secret"))
    said = set()

    for uid in (goal.uid, "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD", "nonsense", bot.actor_id):
        with pytest.raises(NotFound) as caught:
            await world.services.goals.service.lineage(bot, uid)
        said.add((caught.value.code, caught.value.message, caught.value.field))

    assert said == {("not_found", "no such goal", "id")}


async def test_a_caller_without_a_role_sees_no_goals(world: World) -> None:
    nobody = await world.caller("bot", roles=())
    goals = world.services.goals.service

    for ask in (
        lambda: goals.list(nobody),
        lambda: goals.count(nobody),
        lambda: goals.get(nobody, ["goal_x"]),
        lambda: goals.lineage(nobody, "goal_x"),
        lambda: evidence_of(world.services, nobody, ["goal_x"]),
        lambda: links_of(world.services, nobody, ["goal_x"]),
        lambda: world.services.actions.service.get(nobody, ["act_x"]),
        lambda: world.services.actions.service.of_goals(nobody, ["goal_x"]),
    ):
        with pytest.raises(Forbidden):
            await ask()


@COSTS
@pytest.mark.parametrize("name", ["goals/trace_lineage", "goals/trace_lineage_as_of"])
async def test_a_lineage_reads_as_deep_as_it_is_asked_for(world: World, name: str) -> None:
    # A tree of 1,111 goals: each but the lowest has ten children.
    caller, now = await world.caller(), world.clock.now()
    await world.rows(
        "UNWIND [''] + [a IN range(0, 9) | toString(a)] + [a IN range(0, 99) | right('0' + toString(a), 2)] "
        "+ [a IN range(0, 999) | right('00' + toString(a), 3)] AS place "
        "CREATE (g:Goal {uid: 'goal_' + $org + place, org_id: $org, scope_id: $home, name: place, "
        "title: place, status: 'pending', progress: 0.0, created_at: $now}) "
        "WITH g, place WHERE place <> '' "
        "MATCH (parent:Goal {uid: 'goal_' + $org + left(place, size(place) - 1)}) "
        "CREATE (g)-[:CHILD_OF {since: $now, by: 'x'}]->(parent)",
        home=caller.home,
        now=now,
    )
    params = {"readable": list(caller.readable), "most": 2000, "grantees": [], "at": now, **LATEST}

    async def read(place: str, depth: int) -> tuple[Counter[tuple[str, int]], int]:
        """The number of goals by role and level, and how often the store was read."""
        row, read = await profiled(world, name, **params, uid=f"goal_{world.org_id}{place}", depth=depth)
        return Counter((item["role"], len(item["name"])) for item in row["goals"]), read

    found, shallow = await read("", 1)
    two, _ = await read("", 2)
    whole, deep = await read("", 20)
    above, _ = await read("123", 2)
    middle, _ = await read("12", 1)

    assert found == {("self", 0): 1, ("descendant", 1): 10}
    assert two == {("self", 0): 1, ("descendant", 1): 10, ("descendant", 2): 100}
    assert whole == {**two, ("descendant", 3): 1000}
    assert above == {("self", 3): 1, ("ancestor", 2): 1, ("ancestor", 1): 1}
    assert middle == {("self", 2): 1, ("ancestor", 1): 1, ("descendant", 3): 10}
    # What is deeper is not walked. All of it would be read before a comparison of the length of paths.
    assert shallow < 1_000 < deep


@NIGHTLY
@pytest.mark.parametrize("name", ["goals/trace_lineage", "goals/trace_lineage_as_of"])
async def test_derivations_are_read_as_deep_as_the_lineage_is_asked_for(world: World, name: str) -> None:
    # 2,047 goals on ten levels: from each but those of the last level two goals are derived.
    caller, now = await world.caller(), world.clock.now()
    await world.rows(
        "UNWIND range(1, 2047) AS number "
        "CREATE (:Goal {uid: 'goal_' + $org + number, org_id: $org, scope_id: $home, name: toString(number), "
        "title: toString(number), status: 'pending', progress: 0.0, created_at: $now}) "
        "WITH collect(number) AS numbers UNWIND numbers AS number WITH number WHERE number > 1 "
        "MATCH (g:Goal {uid: 'goal_' + $org + number}), (from:Goal {uid: 'goal_' + $org + (number / 2)}) "
        "CREATE (g)-[:DERIVED_FROM {since: $now, by: 'x'}]->(from)",
        home=caller.home,
        now=now,
    )
    query = world.services.database.queries[name]
    given: dict[str, Any] = {
        "uid": f"goal_{world.org_id}1",
        "readable": list(caller.readable),
        "most": 3000,
        "grantees": [],
        "at": now,
        **LATEST,
    }

    async def read(depth: int) -> tuple[int, int]:
        """The number of derivations, and how often the store was read to find the goals."""
        params = {key: (given | {"depth": depth})[key] for key in query.params}
        records, summary, _ = await world.services.database.driver.execute_query(
            "PROFILE " + one_parameter(query.text), to_parameters(params)
        )
        found = [item for item in records[0]["goals"] if item["role"] == "derivation"]
        return len(found), walked(summary.profile)

    one, near = await read(1)
    five, same = await read(5)
    six, deep = await read(6)
    ten, whole = await read(20)

    assert (one, five, six, ten) == (2, 62, 126, 2046)
    assert near == same < 62 * 30
    assert deep == whole > 2046 * 5


def walked(plan: dict[str, Any]) -> int:
    """Return how often the store was read by the steps that walk as deep as their pattern says."""
    own = int(plan["dbHits"]) if plan["operatorType"].startswith("VarLengthExpand") else 0
    return own + sum(walked(child) for child in plan.get("children", ()))
