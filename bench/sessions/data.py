"""Conversations to replay as sessions: those of a benchmark, or our own.

Both give the same: conversations of sessions of turns. `together` has the places of turns of a session of
which the last needs the others, `asked` the places of turns that answer a question about the conversation. Of
our own only `together` is labelled.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

OWN = Path(__file__).parents[1] / "data" / "sessions" / "conversations.yaml"
STEP = timedelta(seconds=20)
"""The time from a turn of our own conversations to the next one."""


class Turn(NamedTuple):
    """What somebody said."""

    text: str
    at: datetime


class Talk(NamedTuple):
    """A session of a conversation."""

    id: str
    conversation: str
    split: str
    speakers: tuple[str, ...]
    turns: tuple[Turn, ...]
    together: frozenset[tuple[int, ...]] = frozenset()
    """Places of turns, in order; the last one needs the others."""
    asked: frozenset[int] = frozenset()

    @property
    def started_at(self) -> datetime:
        """When its first turn was."""
        return self.turns[0].at

    @property
    def ended_at(self) -> datetime:
        """When its last turn was."""
        return self.turns[-1].at


def read_own(path: Path = OWN) -> list[Talk]:
    """Return the sessions of our own conversations, each conversation of the split that it names."""
    found = YAML(typ="safe").load(path.read_text(encoding="utf-8"))["conversations"]
    talks = []
    for conversation in found:
        for number, session in enumerate(conversation["sessions"], 1):
            start = datetime.fromisoformat(session["started_at"]).replace(tzinfo=UTC)
            turns = tuple(Turn(text, start + place * STEP) for place, text in enumerate(session["turns"]))
            talks.append(
                Talk(
                    id=f"{conversation['id']}-{number}",
                    conversation=conversation["id"],
                    split=conversation["split"],
                    speakers=tuple(conversation["speakers"]),
                    turns=turns,
                    together=frozenset(tuple(place - 1 for place in sorted(p)) for p in session["together"]),
                )
            )
    return talks


def read_benchmark(path: Path) -> list[Talk]:
    """Return the sessions of the conversations of a retrieval benchmark; nothing of it is tuned on."""
    found = json.loads(path.read_text(encoding="utf-8"))["conversations"]
    return [talk for conversation in found for talk in _talks(conversation)]


def _talks(conversation: Mapping[str, Any]) -> Iterable[Talk]:
    questions = [frozenset(question["evidence"]) for question in conversation["questions"]]
    for session in conversation["sessions"]:
        place = {turn["id"]: number for number, turn in enumerate(session["turns"])}
        evidence = [sorted(place[uid] for uid in question if uid in place) for question in questions]
        yield Talk(
            id=session["id"],
            conversation=conversation["id"],
            split="benchmark",
            speakers=tuple(conversation["speakers"]),
            turns=tuple(
                Turn(turn["text"], datetime.fromisoformat(turn["at"]).replace(tzinfo=UTC))
                for turn in session["turns"]
            ),
            together=frozenset(tuple(places) for places in evidence if len(places) > 1),
            asked=frozenset(number for places in evidence for number in places),
        )
