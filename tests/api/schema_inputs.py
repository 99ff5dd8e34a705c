"""The inputs of all mutations, as the schema lists them, and an input that each mutation takes."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, reduce
from pathlib import Path
from typing import Any

from graphql import (
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLObjectType,
    GraphQLSchema,
    build_schema,
    get_named_type,
    is_list_type,
    is_non_null_type,
)

from tests.api.conftest import Client
from tests.support.world import World

SCHEMA: GraphQLSchema = build_schema((Path(__file__).parents[2] / "schema.graphql").read_text("utf-8"))
PROBLEM = """{ it: %s(input: $input) {
    __typename ... on Problem { code field problems { code field } } %s } }"""
EACH = "... on %s { results { problem { code field problems { field } } } }"


@dataclass(frozen=True)
class Own:
    """Ids of things that the caller has."""

    observation: str
    goal: str
    action: str
    question: str
    story: str
    mandate: str
    lesson: str
    space: str
    session: str
    other_session: str


Input = Callable[[Own], dict[str, Any]]
ACTOR = {"kind": "PERSON", "key": "ann"}
SURVEY = {
    "id": "survey",
    "displayName": "Survey",
    "allowedOwners": ["AGENT"],
    "allowedStatuses": ["pending", "completed"],
    "allowedTransitions": [{"status": "pending", "to": ["completed"]}],
}

TAKEN: dict[str, Input] = {
    "addObservation": lambda _: {"content": "c"},
    "addObservations": lambda _: {"observations": [{"content": "c"}]},
    "updateObservation": lambda own: {"id": own.observation, "content": "d"},
    "resolveObservation": lambda own: {"id": own.observation},
    "archiveObservation": lambda own: {"id": own.observation},
    "updateObservations": lambda own: {"observations": [{"id": own.observation, "content": "d"}]},
    "resolveObservations": lambda own: {"observations": [{"id": own.observation}]},
    "archiveObservations": lambda own: {"observations": [{"id": own.observation}]},
    "pinObservation": lambda own: {"id": own.observation, "pinned": True},
    "linkObservation": lambda own: {"observationId": own.observation, "goalId": own.goal},
    "linkObservations": lambda own: {"links": [{"observationId": own.observation, "goalId": own.goal}]},
    "unlinkObservation": lambda own: {"observationId": own.observation, "goalId": own.goal},
    "updateEvidence": lambda own: {"observationId": own.observation, "goalId": own.goal, "note": "n"},
    "evaluateScratchPage": lambda _: {},
    "sweepExpired": lambda _: {},
    "createGoal": lambda _: {"title": "t"},
    "upsertGoal": lambda _: {"title": "t"},
    "transitionGoal": lambda own: {"id": own.goal, "status": "IN_PROGRESS"},
    "updateGoals": lambda own: {"goals": [{"id": own.goal, "title": "Buy tea"}]},
    "transitionGoals": lambda own: {"goals": [{"id": own.goal, "status": "IN_PROGRESS"}]},
    "updateProgress": lambda own: {"deltas": [{"goalId": own.goal, "delta": 0.1}]},
    "shareGoal": lambda own: {"goalId": own.goal, "actor": ACTOR, "permission": "READ"},
    "unshareGoal": lambda own: {"goalId": own.goal, "actor": ACTOR},
    "upsertPendingActions": lambda _: {"actions": [{"title": "a", "type": "research"}]},
    "transitionPendingAction": lambda own: {"id": own.action, "status": "executing"},
    "transitionPendingActions": lambda own: {"actions": [{"id": own.action, "status": "in_progress"}]},
    "completePendingAction": lambda own: {"id": own.action},
    "confirmPendingAction": lambda own: {"id": own.action},
    "upsertQuestionStory": lambda _: {"question": {"text": "q"}, "story": {"narrative": "n"}},
    "archiveQuestion": lambda own: {"id": own.question},
    "archiveQuestions": lambda own: {"questions": [{"id": own.question}]},
    "archiveStory": lambda own: {"id": own.story},
    "remember": lambda _: {"memories": [{"kind": "MANDATE", "content": "c"}]},
    "forget": lambda own: {"id": own.mandate},
    "eraseUserData": lambda _: {"person": "nobody"},
    "retireLesson": lambda own: {"id": own.lesson, "reason": "r"},
    "restoreLesson": lambda own: {"id": own.lesson},
    "supersede": lambda own: {"id": own.mandate, "memory": {"kind": "MANDATE", "content": "newer"}},
    "assembleContext": lambda _: {"prompt": "p", "budget": 100},
    "startTurn": lambda _: {"turnId": "t"},
    "trackToolInvocation": lambda own: {
        "turnId": "t",
        "tool": "search",
        "result": {},
        "goalId": own.goal,
        "observations": [{"content": "Three shops"}],
    },
    "recordOutcome": lambda _: {
        "turnId": "t",
        "outcome": {"success": True, "feedback": {"whatWorked": "w"}},
        "feedback": {"whatCouldImprove": "i"},
    },
    "submitRegistryProposal": lambda _: {"proposalType": "ADD", "typeId": "poll", "rationale": "r"},
    "exportProposalAsPr": lambda own: {"id": own.space},
    "reviewRegistryProposal": lambda own: {"id": own.space, "decision": "REJECT"},
    "withdrawRegistryProposal": lambda own: {"id": own.space, "reason": "not needed"},
    "commitAtTurnEnd": lambda own: {
        "turnId": "t",
        "progress": [{"goalId": own.goal, "delta": 0.1}],
        "newActions": [{"title": "a", "type": "research"}],
        "updatedActions": [{"id": own.action, "title": "b"}],
        "updatedObservations": [{"id": own.observation, "content": "newer"}],
        "completedActions": [{"id": own.action}],
        "storyUpdates": [{"question": {"text": "q"}, "story": {"narrative": "n"}}],
        "reflections": [
            {
                "progress": {"goalId": own.goal, "delta": 0.1, "note": "n"},
                "storyUpdate": {"question": {"text": "r"}, "story": {"narrative": "n"}},
            }
        ],
    },
    "commitTurn": lambda own: {
        **TAKEN["commitAtTurnEnd"](own),
        "userInput": "u",
        "assistantResponse": "a",
        "outcome": {"success": True},
        "feedback": {"whatWorked": "w"},
        "toolInvocations": [{"tool": "search", "result": {}, "goalId": own.goal}],
        "events": [{"content": "e", "goalId": own.goal, "scores": {"novelty": 1}}],
        "errors": [{"content": "f", "goalId": own.goal}],
    },
    "registerActionType": lambda _: {"definition": SURVEY},
    "deprecateActionType": lambda _: {"id": "research"},
    "withdrawActionTypeOverride": lambda _: {"id": "research"},
    "startSession": lambda _: {"task": "t"},
    "updateWorkingMemory": lambda _: {
        "sessionId": "s",
        "operation": "ADD",
        "content": {"content": "c", "entities": ["e"]},
        "salience": {"relevanceScore": 0.9},
        "sessionContext": {"currentTask": "t", "attentionFocus": ["f"]},
    },
    "endSession": lambda own: {"id": own.session},
    "bridgeSession": lambda own: {"sessionId": own.session, "fromSessionId": own.other_session},
    "checkpointSession": lambda own: {"sessionId": own.session},
    "restoreCheckpoint": lambda own: {"sessionId": own.session},
    "linkSessions": lambda _: {"acrossDevices": True},
    "createSpace": lambda _: {"name": "n"},
    "grantAccess": lambda own: {"space": own.space, "actor": ACTOR, "permission": "READ"},
    "acceptGrant": lambda own: {"space": own.space},
    "leaveSpace": lambda own: {"space": own.space},
    "revokeAccess": lambda own: {"space": own.space, "actor": ACTOR},
    "acknowledgeEvents": lambda _: {"consumer": "c", "seq": 0},
    "resetEventConsumer": lambda _: {"consumer": "c", "seq": 0},
    "revert": lambda own: {"id": own.goal, "version": 1},
}


def input_type(mutation: str) -> GraphQLInputObjectType:
    assert SCHEMA.mutation_type
    named = get_named_type(SCHEMA.mutation_type.fields[mutation].args["input"].type)
    assert isinstance(named, GraphQLInputObjectType)
    return named


def problem_mutation(mutation: str) -> str:
    """The mutation, asking for nothing but what is wrong."""
    return f"mutation ($input: {input_type(mutation).name}!) " + PROBLEM % (mutation, each_result(mutation))


def each_result(mutation: str) -> str:
    """Ask for the problem of each entry where a mutation judges them one by one."""
    payload = SCHEMA.type_map[f"{mutation[0].upper()}{mutation[1:]}Payload"]
    assert isinstance(payload, GraphQLObjectType)
    results = payload.fields.get("results")
    named = get_named_type(results.type) if results else None
    judged = isinstance(named, GraphQLObjectType) and "problem" in named.fields
    return EACH % payload.name if judged else ""


Steps = tuple[str | int, ...]


Leaf = tuple[Steps, GraphQLInputType, bool]


def leaves(type_: GraphQLInputObjectType, path: Steps = ()) -> Iterator[Leaf]:
    """Yield the path, type and whether it is a list of every field that is no input object itself."""
    for name, field in type_.fields.items():
        inner = field.type.of_type if is_non_null_type(field.type) else field.type
        here = (*path, name)
        named = get_named_type(inner)
        if isinstance(named, GraphQLInputObjectType):
            yield from leaves(named, (*here, 0) if is_list_type(inner) else here)
        else:
            yield here, named, is_list_type(inner)


@cache
def _first_places() -> dict[str, list[Leaf]]:
    """By mutation the leaves whose field no mutation before it takes, and one in ten of the others."""
    seen: set[tuple[str, str | int]] = set()
    repeated = itertools.count()
    found: dict[str, list[Leaf]] = {}
    for mutation in TAKEN:
        found[mutation] = []
        for path, named, many in leaves(input_type(mutation)):
            field = reduce(_below, path[:-1], input_type(mutation)).name, path[-1]
            if field not in seen or next(repeated) % 10 == 0:
                found[mutation].append((path, named, many))
            seen.add(field)
    return found


def _below(type_: GraphQLInputObjectType, step: str | int) -> GraphQLInputObjectType:
    """Return the input type of a field; the type itself for a place in a list, and where the input ends."""
    named = get_named_type(type_.fields[step].type) if isinstance(step, str) else None
    return named if isinstance(named, GraphQLInputObjectType) else type_


def tried_leaves(mutation: str, *, nightly: bool) -> list[Leaf]:
    """The leaves of a mutation's input that a walk tries.

    Mutations share input types. With each change a field is tried in the first mutation that takes it, and
    one in ten is tried once more in another one.
    """
    return list(leaves(input_type(mutation))) if nightly else _first_places()[mutation]


def least(type_: GraphQLInputObjectType) -> dict[str, Any]:
    """An object with what the type requires, for where `TAKEN` has none."""
    made: dict[str, Any] = {}
    for name, field in type_.fields.items():
        if not is_non_null_type(field.type) or field.default_value not in (None, _NO_DEFAULT):
            continue
        named = get_named_type(field.type)
        if is_list_type(field.type.of_type):
            made[name] = []
        elif isinstance(named, GraphQLInputObjectType):
            made[name] = least(named)
        else:
            values = getattr(named, "values", None)
            made[name] = next(iter(values)) if values else _LEAST.get(named.name, "x")
    return made


_LEAST = {"Float": 1.0, "Int": 1, "Boolean": False, "Seq": 0}
_NO_DEFAULT = GraphQLInputObjectType("None", {}).to_kwargs().get("default")


def put(given: dict[str, Any], type_: GraphQLInputObjectType, path: Steps, value: Any) -> dict[str, Any]:
    """Return the input with the value at the path, and what is missing on the way."""
    given = copy.deepcopy(given)
    at: Any = given
    for step, following in itertools.pairwise(path):
        if isinstance(step, str):
            type_ = _below(type_, step)
            if step not in at or at[step] is None or at[step] == []:
                at[step] = [least(type_)] if following == 0 else least(type_)
        at = at[step]
    at[path[-1]] = value
    return given


def spelled(path: Steps) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def is_spelled(type_: GraphQLInputObjectType, field: str) -> bool:
    """Whether a path names a place of the input in the words of the schema; JSON has words of its own."""
    named: GraphQLInputType = type_
    for step in re.findall(r"[^.\[\]]+", field):
        if step.isdigit():
            continue
        if not isinstance(named, GraphQLInputObjectType):
            return named.name == "JSON"
        if step not in named.fields:
            return False
        named = get_named_type(named.fields[step].type)
    return True


_NEXT = itertools.count()


def in_letters(number: int) -> str:
    """A word for a number: lessons have no long numbers."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


async def owned(client: Client) -> Own:
    document = """mutation {
           o: addObservation(input: {content: "own needs", confidence: 0.95, evaluate: false}) {
             ... on AddObservationPayload { observation { id } } }
           g: createGoal(input: {title: "own", pendingActions: [{title: "a", type: "agent_task"}]}) {
             ... on CreateGoalPayload { goal { id actions { nodes { id } } } } }
           q: upsertQuestionStory(input: {question: {text: "own"}, story: {narrative: "n"}}) {
             ... on UpsertQuestionStoryPayload { question { id } story { id } } }
           m: remember(input: {memories: [{kind: MANDATE, content: "own MANDATE"}]}) {
             ... on RememberPayload { memories { id } } }
           l: recordOutcome(input: {
             turnId: "own", outcome: {success: true}, feedback: {whatWorked: "own LESSON"}}) {
             ... on RecordOutcomePayload { outcome { lessons { nodes { id } } } } }
           s: createSpace(input: {name: "own"}) { ... on CreateSpacePayload { space { id } } }
           w: startSession(input: {}) { ... on StartSessionPayload { session { id } } }
           v: startSession(input: {}) { ... on StartSessionPayload { session { id } } } }"""
    # A text that was forgotten does not come back: each has its own.
    number = next(_NEXT)
    made = await client.run(
        document.replace("own MANDATE", f"own {number}").replace("own LESSON", f"own {in_letters(number)}")
    )
    return Own(
        observation=made["o"]["observation"]["id"],
        goal=made["g"]["goal"]["id"],
        action=made["g"]["goal"]["actions"]["nodes"][0]["id"],
        question=made["q"]["question"]["id"],
        story=made["q"]["story"]["id"],
        mandate=made["m"]["memories"][0]["id"],
        lesson=made["l"]["outcome"]["lessons"]["nodes"][0]["id"],
        space=made["s"]["space"]["id"],
        session=made["w"]["session"]["id"],
        other_session=made["v"]["session"]["id"],
    )


def of_the_kind(path: Steps, taken: dict[str, Any], ids: dict[str, str]) -> dict[str, str]:
    """Return the ids of the kind that is looked up at a path: that of the id which `taken` has there.

    Where it has none, the kind is the one that the field names, as `goalId` does; else all ids are returned.
    """
    at: Any = taken
    with suppress(KeyError, IndexError, TypeError):
        for step in path:
            at = at[step]
        value = at[0] if isinstance(at, list) else at
        if same := {name: uid for name, uid in ids.items() if uid.split("_")[0] == value.split("_")[0]}:
            return same
    field = str(path[-1]).lower()
    return {name: uid for name, uid in ids.items() if name.removeprefix("other_") in field} or ids


def refused(body: dict[str, Any]) -> set[str] | None:
    """Return the fields that a refusal names; None when it was taken."""
    if errors := body.get("errors"):
        return {str(e["extensions"].get("field")) for e in errors if e["extensions"]["code"] != "internal"}
    it = body["data"]["it"]
    found = [it]
    if it["__typename"] != "Problem":
        found = [each["problem"] for each in it.get("results", ()) if each["problem"]]
    if not found:
        return None
    return {
        field for each in found for field in [each["field"], *(p["field"] for p in each["problems"])] if field
    }


# What is refused at the end of a turn stays refused: that is written down. The rest of it is applied, so it
# is sent once before anything is counted.
_TURN = ("Request", "TraceEvent", "Turn")
REMEMBERED = {
    "commitAtTurnEnd": _TURN,
    # Each call is a commit of its own, with its export, and with its calls of tools, which have no key here.
    "commitTurn": (
        *_TURN,
        "StateExport",
        "ToolInvocation",
        "OutboxEvent",
        "Unsequenced",
        "Untold",
        "EventCounter",
    ),
}
ENDS = frozenset(REMEMBERED)
"""The mutations that end a turn: they apply each delta alone."""


INSTEAD = {("supersede", "by"): "memory"}
"""What is left out where a walk gives a field that stands in its place."""


def around(mutation: str, taken: dict[str, Any], path: Steps) -> dict[str, Any]:
    """Return an input for a walk along a path: of the end of a turn the part alone that the path is in."""
    if mutation not in ENDS:
        other = INSTEAD.get((mutation, str(path[0])))
        return {name: value for name, value in taken.items() if name != other}
    given = put(taken, input_type(mutation), path, "")
    return {"turnId": "t", str(path[0]): given[path[0]]}


async def written(world: World, mutation: str) -> dict[str, int]:
    """How many nodes there are of each label that a refusal by this mutation leaves alone."""
    counts = await world.counts()
    return {label: n for label, n in counts.items() if label not in REMEMBERED.get(mutation, ())}
