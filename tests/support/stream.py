"""A stream of writes over HTTP from several clients at once, which knows what was acknowledged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.support.world import World

STEP = 0.001
"""What one step adds to the progress of the goal that all clients share."""

_ANSWERS = {
    "addObservations": "... on AddObservationsPayload { observations { id } }",
    "createGoal": "... on CreateGoalPayload { goal { id actions { nodes { id } } } }",
    "linkObservation": "... on LinkObservationPayload { result { goal { id } before after } }",
    "updateProgress": "... on UpdateProgressPayload { results { goal { id } before after } }",
}


class Refused(Exception):
    """The answer was a `Problem`."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(problem["code"], problem["message"])
        self.code: str = problem["code"]
        self.message: str = problem["message"]


@dataclass(frozen=True)
class Call:
    """One mutation; its input has its idempotency key."""

    name: str
    input: dict[str, Any]

    @property
    def key(self) -> str:
        return str(self.input["idempotencyKey"])

    async def send(self, http: httpx.AsyncClient) -> dict[str, Any]:
        kind = self.name[0].upper() + self.name[1:] + "Input!"
        query = (
            f"mutation($input: {kind}) {{ {self.name}(input: $input) "
            f"{{ ... on Problem {{ code message }} {_ANSWERS[self.name]} }} }}"
        )
        body = {"query": query, "variables": {"input": self.input}}
        response = await http.post("/graphql", json=body, timeout=60)
        response.raise_for_status()
        said = response.json()
        for error in said.get("errors", ()):
            # The change is written, and what it is answered with could not be read any more: not begun
            # to be read (unavailable), or the server went away in the middle of it (answer_lost).
            assert error["extensions"]["code"] in ("unavailable", "answer_lost"), said
            raise Refused({"code": error["extensions"]["code"], "message": error["message"]})
        answer: dict[str, Any] = said["data"][self.name]
        if "code" in answer:
            raise Refused(answer)
        return answer


@dataclass
class Stream:
    """What several clients sent: acknowledged under its key with the answer, or unsure."""

    shared_goal: str
    calls: dict[str, Call] = field(default_factory=dict)
    acknowledged: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: dict[str, Exception] = field(default_factory=dict)
    refused: dict[str, Refused] = field(default_factory=dict)

    async def _do(self, http: httpx.AsyncClient, name: str, key: str, **input_: Any) -> dict[str, Any]:
        call = Call(name, {"idempotencyKey": key, **input_})
        self.calls[key] = call
        try:
            answer = await call.send(http)
        except Refused as refused:
            self.refused[key] = refused
            raise
        self.acknowledged[key] = answer
        return answer

    async def _write(self, http: httpx.AsyncClient, writer: str, until: Callable[[], bool]) -> None:
        number = 0
        while not until():
            number += 1
            key, turn = f"{writer}.{number}", f"turn-{writer}-{number}"
            drafts = [
                {"content": f"{key}.seen {part}", "confidence": 0.5, "tags": ["stream", f"tag {part}"]}
                for part in range(3)
            ]
            seen = await self._do(http, "addObservations", f"{key}.seen", observations=drafts, turnId=turn)
            *first, last = [observation["id"] for observation in seen["observations"]]
            made = await self._do(
                http,
                "createGoal",
                f"{key}.goal",
                title=f"{key}.goal",
                evidence=[{"observationId": uid} for uid in first],
                pendingActions=[{"type": "research", "title": "look"}, {"type": "agent_task", "title": "do"}],
                turnId=turn,
            )
            goal = made["goal"]["id"]
            await self._do(
                http, "linkObservation", f"{key}.link", goalId=goal, observationId=last, turnId=turn
            )
            deltas = [{"goalId": self.shared_goal, "delta": STEP, "note": key}]
            await self._do(http, "updateProgress", f"{key}.step", deltas=deltas, turnId=turn)

    async def run(
        self, clients: Sequence[httpx.AsyncClient], until: Callable[[], bool], *, name: str = "w"
    ) -> None:
        """Write with every client until told to end; a client stops at its first failure."""

        async def one(number: int, http: httpx.AsyncClient) -> None:
            writer = f"{name}{number}"
            try:
                await self._write(http, writer, until)
            except (httpx.HTTPError, Refused) as error:
                self.failures[writer] = error

        await asyncio.gather(*(one(number, http) for number, http in enumerate(clients)))

    @property
    def unsure(self) -> list[Call]:
        """What was sent without an answer, or with one that it failed."""
        return [call for key, call in self.calls.items() if key not in self.acknowledged]

    async def send_again(self, http: httpx.AsyncClient, calls: Sequence[Call]) -> None:
        """Send calls again under their keys; what was acknowledged has to be answered as it was."""
        for call in calls:
            answer = await call.send(http)
            assert answer == self.acknowledged.setdefault(call.key, answer)

    async def _written(self, world: World) -> set[str]:
        rows = await world.rows("MATCH (r:Request {org_id: $org}) RETURN r.key AS key")
        return {row["key"] for row in rows} & self.calls.keys()

    async def untruths(self, world: World) -> list[str]:
        """The failed calls whose message is wrong about what was written; to be asked before `send_again`."""
        written = await self._written(world)
        return [
            f"{key}: {error.message}"
            for key, error in self.refused.items()
            if (error.code == "answer_lost" and key not in written)
            or ("nothing was written" in error.message and key in written)
        ]

    async def losses(self, world: World) -> list[str]:
        """What was acknowledged and is not there exactly once, and what nobody sent."""
        requests = await self._written(world)
        contents = await world.rows(
            "MATCH (o:Observation {org_id: $org}) WHERE 'stream' IN o.tag_keys "
            "RETURN o.content AS text, collect(o.uid) AS uids"
        )
        goals = await world.rows(
            "MATCH (g:Goal {org_id: $org}) RETURN g.title AS text, collect(g.uid) AS uids"
        )
        found = {row["text"]: row["uids"] for row in [*contents, *goals]}
        said = [f"{key}: lost" for key in self.acknowledged if key not in requests]
        said += [f"{text}: there {len(uids)} times" for text, uids in found.items() if len(uids) > 1]
        for key, answer in self.acknowledged.items():
            for part, observation in enumerate(answer.get("observations", [])):
                if found.get(f"{key} {part}") != [observation["id"]]:
                    said.append(f"{key} {part}: not as acknowledged")
            if self.calls[key].name == "createGoal" and found.get(key) != [answer["goal"]["id"]]:
                said.append(f"{key}: not as acknowledged")
        for key in requests:
            written = (
                [f"{key} {part}" for part in range(3)] if self.calls[key].name == "addObservations" else []
            )
            said += [f"{text}: its request is there, but it is not" for text in written if text not in found]
        # Every step that was written is in the shared goal's progress, once.
        steps = sum(self.calls[key].name == "updateProgress" for key in requests)
        rows = await world.rows(
            "MATCH (g:Goal {uid: $uid}) RETURN g.progress AS progress", uid=self.shared_goal
        )
        if rows != [{"progress": round(steps * STEP, 9)}]:
            said.append(f"the shared goal's progress: {rows}, not {steps} steps")
        return said
