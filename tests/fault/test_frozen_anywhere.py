"""Every mutation, with the connection frozen at every Bolt message: the words of the answer are true.

What an answer may say is compared with what is in the store afterwards.

    words                         store
    no problem, no error          changed
    "nothing was written"         as it was, and no earlier call with the key may have written it
    "this attempt wrote nothing"  as it was before this attempt
    "was written"                 changed
    "may or may not"              either; only if the frozen message was a COMMIT

The mutations are those of the schema, with an input for each in `schema_inputs.TAKEN`.
"""

from __future__ import annotations

import copy
import gc
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import timedelta
from typing import Any

import pytest
from graphql import GraphQLObjectType, get_named_type, is_leaf_type, is_list_type, is_non_null_type

from prefrontal.api.auth import Tokens
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.storage.circuit_breaker import CircuitBreaker
from prefrontal.graph.storage.driver import connect
from tests.api.conftest import SECRET, Client, in_process
from tests.api.schema_inputs import SCHEMA, TAKEN, Own, in_letters, input_type
from tests.support.database import bolt_address
from tests.support.freezing import FreezingProxy, close_left, commits, hurried
from tests.support.proxy import serving
from tests.support.registry import registry_of
from tests.support.thinned import first_by_day
from tests.support.world import World, with_long_queries

pytestmark = [
    # The driver leaves the socket to the garbage collector if connecting is given up.
    pytest.mark.filterwarnings("ignore:.*unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
assert SCHEMA.mutation_type
MUTATIONS = sorted(SCHEMA.mutation_type.fields)
PATHS = {
    "addObservation": "a record with its evaluation after it",
    "linkObservations": "results in a list",
    "createGoal": "several records in one transaction",
    "updateWorkingMemory": "a session under its lock",
    "registerActionType": "the registry under its lock",
    "commitTurn": "parts, each in a transaction of its own",
}
"""One mutation for each way in which a change is written; the others go the same ways."""
QUIET = {"sweepExpired"}
"""What changes nothing where there is nothing to do."""
REFUSED = {"exportProposalAsPr"}
"""What is refused after its reads, because these tests have no forge."""
SENTINEL = Own(**{each.name: f"<{each.name}>" for each in fields(Own)})
NEEDED = {
    "observation": """o: addObservation(input: {content: "own needs", confidence: 0.95, evaluate: false}) {
        ... on AddObservationPayload { observation { id } } }""",
    "goal": """g: createGoal(input: {title: "own", pendingActions: [{title: "a", type: "agent_task"}]}) {
        ... on CreateGoalPayload { goal { id actions { nodes { id } } } } }""",
    "question": """q: upsertQuestionStory(input: {question: {text: "own"}, story: {narrative: "n"}}) {
        ... on UpsertQuestionStoryPayload { question { id } story { id } } }""",
    "mandate": """m: remember(input: {memories: [{kind: MANDATE, content: "own MANDATE"}]}) {
        ... on RememberPayload { memories { id } } }""",
    "lesson": """l: recordOutcome(input: {
          turnId: "own", outcome: {success: true}, feedback: {whatWorked: "own LESSON"}}) {
        ... on RecordOutcomePayload { outcome { lessons { nodes { id } } } } }""",
    "space": """s: createSpace(input: {name: "own"}) { ... on CreateSpacePayload { space { id } } }""",
    "session": "w: startSession(input: {}) { ... on StartSessionPayload { session { id } } }",
    "other_session": "v: startSession(input: {}) { ... on StartSessionPayload { session { id } } }",
}
"""How to get what an input names."""
MADE_WITH = {"action": "goal", "story": "question"}
ALSO = {"evaluateScratchPage": {"observation"}}
"""What has to exist although the input does not name it."""
FIRST = {
    "restoreCheckpoint": "checkpointSession",
    "restoreLesson": "retireLesson",
    "resetEventConsumer": "acknowledgeEvents",
    "unlinkObservation": "linkObservation",
    "updateEvidence": "linkObservation",
    "revokeAccess": "grantAccess",
    "unshareGoal": "shareGoal",
    "revert": "transitionGoal",
    "deprecateActionType": "registerActionType",
    "reviewRegistryProposal": "submitRegistryProposal",
    "withdrawRegistryProposal": "submitRegistryProposal",
}
"""What has to happen before a mutation has something to do."""


def test_the_table_of_inputs_is_complete() -> None:
    assert sorted(TAKEN) == MUTATIONS
    assert PATHS.keys() <= TAKEN.keys()


def selection_of(kind: GraphQLObjectType, depth: int) -> str:
    """The leaves of a type, and one object and one page of what belongs to it."""
    names = []
    ways = {True: depth, False: depth}
    for name, field in kind.fields.items():
        named = get_named_type(field.type)
        if any(is_non_null_type(given.type) for given in field.args.values()):
            continue
        if is_leaf_type(named):
            names.append(name)
        elif isinstance(named, GraphQLObjectType):
            page = "nodes" in named.fields
            if ways[page] and (depth > 1 or not is_list_type(field.type)):
                ways[page] -= 1
                inner = named.fields["nodes"].type if page else field.type
                below = selection_of(get_named_type(inner), depth - 1)
                names.append(f"{name} {{ nodes {{ {below} }} }}" if page else f"{name} {{ {below} }}")
    return " ".join(names) or "__typename"


def document(mutation: str) -> str:
    """The mutation, with a selection of its payload that reads from the database."""
    payload = SCHEMA.type_map[f"{mutation[0].upper()}{mutation[1:]}Payload"]
    assert isinstance(payload, GraphQLObjectType)
    return (
        f"mutation ($input: {input_type(mutation).name}!) {{ it: {mutation}(input: $input) {{ __typename "
        f"... on Problem {{ code message }} ... on {payload.name} {{ {selection_of(payload, 2)} }} }} }}"
    )


class NoBreaker(CircuitBreaker):
    """Each request tries for itself: what the one before it found is over."""

    def record_failure(self) -> None:
        pass


@dataclass
class Line:
    """The app in this process, behind a connection that can be frozen."""

    world: World
    services: Services
    proxy: FreezingProxy
    client: Client
    other: Client
    person: Client
    giver: Client
    prepared: int = 0

    async def prepare(self, mutation: str) -> dict[str, Any]:
        """Return an input that the mutation takes, of new things, with what it needs before."""
        self.prepared += 1
        first = [FIRST[mutation]] if mutation in FIRST else []
        wanted = json.dumps([TAKEN[name](SENTINEL) for name in (mutation, *first)])
        names = {each.name for each in fields(Own) if f"<{each.name}>" in wanted}
        needed = {MADE_WITH.get(name, name) for name in names} | ALSO.get(mutation, set())
        own = await self.new_records(needed) if needed else SENTINEL
        given = self.given(mutation, own)
        if mutation in ("acceptGrant", "leaveSpace"):
            given["space"] = await self.offered(accepted=mutation == "leaveSpace")
        if mutation == "withdrawActionTypeOverride":
            told = (await self.client.run(document("deprecateActionType"), input={"id": given["id"]}))["it"]
            assert told["__typename"] != "Problem", told
        for name in first:
            client = self.other if name == "submitRegistryProposal" else self.client
            told = (await client.run(document(name), input=self.given(name, own)))["it"]
            assert told["__typename"] != "Problem", told
            if name == "submitRegistryProposal":
                given["id"] = told["proposal"]["id"]
        return given

    async def offered(self, *, accepted: bool) -> str:
        """Return the id of a space that another agent offers to the caller."""
        # What a maintainer grants needs nobody's consent.
        made = await self.giver.run("mutation { " + NEEDED["space"] + " }")
        space = str(made["s"]["space"]["id"])
        offer = {"space": space, "actor": {"kind": "AGENT", "key": "bot"}, "permission": "READ"}
        told = (await self.giver.run(document("grantAccess"), input=offer))["it"]
        assert told["__typename"] != "Problem", told
        if accepted:
            told = (await self.client.run(document("acceptGrant"), input={"space": space}))["it"]
            assert told["__typename"] != "Problem", told
        return space

    async def new_records(self, needed: set[str]) -> Own:
        """Create things of the caller's own, and return their ids."""
        asked = "mutation { " + " ".join(NEEDED[name] for name in sorted(needed)) + " }"
        # A text that was forgotten does not come back: each has its own.
        asked = asked.replace("own MANDATE", f"own {self.prepared}")
        made = await self.client.run(asked.replace("own LESSON", f"own {in_letters(self.prepared)}"))
        ids = asdict(SENTINEL)
        if "observation" in needed:
            ids["observation"] = made["o"]["observation"]["id"]
        if "goal" in needed:
            goal = made["g"]["goal"]
            ids |= {"goal": goal["id"], "action": goal["actions"]["nodes"][0]["id"]}
        if "question" in needed:
            ids |= {"question": made["q"]["question"]["id"], "story": made["q"]["story"]["id"]}
        if "mandate" in needed:
            ids["mandate"] = made["m"]["memories"][0]["id"]
        if "lesson" in needed:
            ids["lesson"] = made["l"]["outcome"]["lessons"]["nodes"][0]["id"]
        if "space" in needed:
            ids["space"] = made["s"]["space"]["id"]
        if "session" in needed:
            ids["session"] = made["w"]["session"]["id"]
        if "other_session" in needed:
            ids["other_session"] = made["v"]["session"]["id"]
        return Own(**ids)

    def given(self, mutation: str, own: Own) -> dict[str, Any]:
        """The input of the table, with a name of its own for what exists once."""
        given = copy.deepcopy(TAKEN[mutation](own))
        match mutation:
            case "submitRegistryProposal":
                given["typeId"] = f"poll_{self.prepared}"
            case "registerActionType":
                given["definition"]["id"] = f"survey_{self.prepared}"
                given["approved"] = True
            case "deprecateActionType":
                given["id"] = f"survey_{self.prepared}"
            case "transitionPendingAction":
                given["status"] = "in_progress"
        return given


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """Collect the sockets that the driver left while their warning is ignored, not in a later test."""
    yield
    gc.collect()


@pytest.fixture
async def line(settings: Settings, neo4j: Endpoint, world: World) -> AsyncIterator[Line]:
    async with serving(FreezingProxy(*bolt_address(neo4j))) as proxy, hurried(lambda: proxy.frozen):
        # A connection that the proxy has broken is found out, and the statement sent again.
        quick = settings.model_copy(update={"retry_time_s": 1.0, "max_request_s": 1e9})
        driver = connect(quick, f"bolt://{proxy.address}", neo4j.user, neo4j.password)
        services = with_long_queries(build_services(quick, driver, clock=world.clock, **registry_of(quick)))
        services.database.breaker = NoBreaker()
        tokens = Tokens(SECRET, services.settings, world.clock)
        async with in_process(services, tokens) as http:

            def client(agent: str | None, person: str | None, *, maintains: bool = True) -> Client:
                roles = ("writer", "maintainer") if maintains else ("writer",)
                principal = world.principal(agent, person=person, roles=roles)
                return Client(http, tokens.issue(principal, timedelta(hours=1))[0])

            line = Line(
                world,
                services,
                proxy,
                client("bot", None),
                client("other", None),
                client(None, "ann"),
                client("giver", None, maintains=False),
            )
            for each in (line.client, line.other, line.person, line.giver):
                await each.run("{ me { orgId } }")
            yield line
        proxy.thaw()
        await driver.close()
        close_left(proxy.address)


def words(body: dict[str, Any]) -> list[tuple[str, str]]:
    """The code and the message of everything that went wrong."""
    it = (body.get("data") or {}).get("it")
    found = [(error["extensions"]["code"], error["message"]) for error in body.get("errors", ())]
    if it and it["__typename"] == "Problem":
        found.append((it["code"], it["message"]))
    return found


def untrue(told: list[tuple[str, str]], *, changed: bool, at_commit: bool, key: bool) -> str | None:
    """What is wrong with an answer, or None."""
    said, codes = json.dumps(told), {code for code, _ in told}
    if not codes & {"unavailable", "timeout", "answer_lost"}:
        # Everything had been read: the refusal is the one without a freeze.
        return f"it is refused and was written: {said}" if changed or "internal" in codes else None
    nothing = "nothing was written" in said or "wrote nothing" in said
    unsure, written = "may or may not" in said, "the change was written" in said
    faults = {
        "it says that nothing was written, and it was": changed and nothing,
        "an earlier attempt with the key may have been written": key and "nothing was written" in said,
        "it says that it was written, and it was not": written and not changed,
        "it does not know what is known": unsure and not at_commit,
        "the caller is not told to look": not key and (unsure or written) and "look" not in said,
        f"it does not say what was written: {said}": not (nothing or unsure or written),
    }
    return next((fault for fault, found in faults.items() if found), None)


async def attempt(line: Line, mutation: str, given: dict[str, Any], number: int, *, answered: bool) -> Any:
    """Send the mutation with a freeze at a message; return the answer, and whether the store has changed."""
    before = await line.world.counts()
    line.proxy.freeze_at(number, answered=answered)
    body = (await line.client.post(document(mutation), input=given)).json()
    sent, froze = list(line.proxy.messages), line.proxy.frozen
    line.proxy.thaw()
    return body, sent, froze, await line.world.counts() != before


@pytest.mark.covers("OBS-64")
@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(name, marks=() if name in PATHS else pytest.mark.nightly("its path is one of PATHS"))
        for name in MUTATIONS
    ],
)
async def test_the_words_of_every_answer_are_true(line: Line, mutation: str, *, nightly: bool) -> None:
    if mutation == "confirmPendingAction":
        line.client = line.person
    given = await line.prepare(mutation)
    left_out: set[int] = set()
    if mutation == "commitTurn" and not nightly:
        # It sends far more messages than another mutation: with each change one in three, and each COMMIT.
        _, sent, _, _ = await attempt(line, mutation, given, 0, answered=False)
        left_out = {*range(1, len(sent) + 1)} - {*range(1, len(sent) + 1, 3), *commits(sent)}
        given = await line.prepare(mutation)
    number, answered, wrong, tried = 1, False, [], 0
    while True:
        if number in left_out:
            number += 1
            continue
        body, sent, froze, changed = await attempt(line, mutation, given, number, answered=answered)
        told = words(body)
        if not froze:
            break
        tried += 1
        at_commit = number in commits(sent)
        if told and (fault := untrue(told, changed=changed, at_commit=at_commit, key=False)):
            wrong.append((number, answered, fault, told))
        if not told and not changed and mutation not in QUIET:
            wrong.append((number, answered, "nothing was said and nothing was written", body))
        if changed:
            given = await line.prepare(mutation)
        number, answered = (number, True) if at_commit and not answered else (number + 1, False)
    assert wrong == [], wrong
    assert (told == []) is (mutation not in REFUSED), told
    assert tried > 3


@pytest.mark.covers("OBS-64")
@pytest.mark.parametrize(
    "mutation",
    first_by_day(["addObservations", "commitAtTurnEnd", "updateProgress"], "two mutations", by_day=2),
)
async def test_a_call_that_is_repeated_with_its_key_never_says_that_nothing_was_written(
    line: Line, mutation: str
) -> None:
    given = await line.prepare(mutation) | {"idempotencyKey": "k"}
    first = (await line.client.post(document(mutation), input=given)).json()
    assert words(first) == []
    wrong, number = [], 1
    while True:
        body, sent, froze, changed = await attempt(line, mutation, given, number, answered=False)
        if not froze:
            break
        fault = untrue(words(body), changed=True, at_commit=number in commits(sent), key=True)
        if fault and "wrote nothing" not in json.dumps(words(body)):
            wrong.append((number, fault, words(body)))
        assert not changed
        number += 1
    assert wrong == [], wrong
    assert words(body) == []
    assert number > 8
