"""The parts of a turn's commit that go to its four stores (source 004, §Phase 4).

    episodic        what was selected of the turn's state, `memories`, and the outcome with what it teaches
    frontal_cortex  goals, actions, questions and stories
    scratch_page    new, changed and settled observations; resolved and expired ones are put away
    conversation    what the user and the agent said

Each part runs inside a transaction, is done once however often it runs, and can run again later from its
payload. Whatever makes it fail is `StoreFailed`, unless another attempt of the whole transaction may help.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

import structlog

from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.errors import (
    Duplicate,
    Forbidden,
    Forgotten,
    OutcomeUnknown,
    PrefrontalError,
    QuotaExceeded,
    TimedOut,
    Unavailable,
    code_of,
)
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.lessons.outcome_record import RecordOutcome
from prefrontal.graph.lessons.outcome_rules import digest_of, finding_from
from prefrontal.graph.lessons.record import Call, TurnEvidence
from prefrontal.graph.lessons.service import PreparedLessons
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, RetentionPeriod
from prefrontal.graph.memory.rules import encoded
from prefrontal.graph.storage.driver import is_refused, is_taken
from prefrontal.graph.text.folding import text_key
from prefrontal.graph.turns.apply import CommitContext
from prefrontal.graph.turns.commit_events import overwritten
from prefrontal.graph.turns.commit_record import (
    ArchivedEpisode,
    CallStore,
    Candidate,
    CandidateDecision,
    CommitStore,
    CommitTurn,
    RetentionClass,
    ToolCall,
)
from prefrontal.graph.turns.record import Delta, DeltaKind
from prefrontal.graph.turns.selection import admitted
from prefrontal.graph.turns.store import find_overwritten

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.embeddings import Vectors
    from prefrontal.graph.journal.record import TurnRef
    from prefrontal.graph.lessons.outcome_record import Outcome
    from prefrontal.graph.memory.service import MemoryService
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.storage.unit_of_work import Tx
    from prefrontal.graph.tools.service import ToolService
    from prefrontal.graph.turns.commit import TurnCommits

log = structlog.get_logger(__name__)

_STORES = {
    DeltaKind.MEMORY: CommitStore.EPISODIC,
    DeltaKind.OBSERVATION: CommitStore.SCRATCH_PAGE,
    DeltaKind.UPDATED_OBSERVATION: CommitStore.SCRATCH_PAGE,
    DeltaKind.ARCHIVED_OBSERVATION: CommitStore.SCRATCH_PAGE,
    DeltaKind.CLEARED_OBSERVATION: CommitStore.SCRATCH_PAGE,
}
_FIELDS: dict[CommitStore | CallStore, set[str]] = {
    CommitStore.EPISODIC: {"memories", "outcome", "feedback"},
    CommitStore.FRONTAL_CORTEX: {
        "goal_statuses",
        "progress",
        "new_actions",
        "updated_actions",
        "action_statuses",
        "completed_actions",
        "story_updates",
        "reflections",
        "completed_goals",
    },
    CommitStore.SCRATCH_PAGE: {
        "observations",
        "reflections",
        "updated_observations",
        "archived_observations",
        "cleared_observations",
    },
    CommitStore.CONVERSATION: {"user_input", "assistant_response", "conversation", "message_metadata"},
    CallStore.EXECUTION_LOG: {"tool_invocations"},
}
"""What of a commit goes to a store; a reflection is divided between two."""
_REPLACING = {
    DeltaKind.GOAL_STATUS: "goal",
    DeltaKind.COMPLETED_GOAL: "goal",
    DeltaKind.UPDATED_ACTION: "action",
    DeltaKind.ACTION_STATUS: "action",
    DeltaKind.COMPLETED_ACTION: "action",
    DeltaKind.UPDATED_OBSERVATION: "observation",
}
"""The deltas that give a field a new value, and what they change; steps add up instead."""
USER, ASSISTANT = "user", "assistant"
"""The speakers of the messages of a turn."""


class Outcomes(Protocol):
    """Records outcomes of turns, with their episodes and with what they teach."""

    def episode_text(self, command: RecordOutcome) -> str:
        """Return the text of the episode that tells an outcome."""
        ...

    async def record_in(
        self,
        tx: Tx,
        caller: Caller,
        command: RecordOutcome,
        turn: TurnRef,
        vectors: Vectors,
        lessons: PreparedLessons,
        now: datetime,
    ) -> Change:
        """Record a valid outcome inside a transaction; the result has its id (`outcome`)."""
        ...

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Outcome]:
        """Return the readable outcomes among some ids, by id."""
        ...


class StoreFailed(Exception):
    """The part of one store failed; the transaction is lost."""

    def __init__(self, store: CommitStore | CallStore, code: str) -> None:
        super().__init__(store.value)
        self.store, self.code = store, code


def store_of(delta: Delta) -> CommitStore:
    """Return the store that a delta goes to."""
    return _STORES.get(delta.kind, CommitStore.FRONTAL_CORTEX)


@dataclass(frozen=True, slots=True)
class Part:
    """What all stores get of a commit."""

    command: CommitTurn
    kept: tuple[Candidate, ...]
    """What was selected of the turn's state."""
    began_at: datetime
    completed_at: datetime
    finding: TurnEvidence | None = None
    """What the outcome's lessons are learned from; None without an outcome."""
    lessons: PreparedLessons = field(default_factory=PreparedLessons)
    invocations: tuple[str, ...] = ()
    """The ids of the calls of tools that are stored again."""

    def payload(self, store: CommitStore | CallStore, scope_id: str) -> str:
        """Return what one store gets, and the space, as JSON."""
        fields = _FIELDS[store] | {"turn_id", "space"}
        episodic = store is CommitStore.EPISODIC
        payload = {
            "command": self.command.model_dump(mode="json", include=fields, exclude_unset=True),
            "kept": [item.model_dump(mode="json") for item in self.kept if episodic],
            "finding": self.finding.model_dump(mode="json") if episodic and self.finding else None,
            "invocations": list(self.invocations),
            "space": scope_id,
            "began_at": self.began_at.isoformat(),
            "completed_at": self.completed_at.isoformat(),
        }
        return json.dumps(payload, ensure_ascii=False)

    @classmethod
    def of(cls, text: str | None, store: CommitStore | CallStore) -> tuple[Part, list[Delta], str]:
        """Return what one store gets by its payload, its deltas, and the space.

        Raises:
            ValueError, TypeError, LookupError: If the payload is none.
        """
        payload = json.loads(text or "")
        command = CommitTurn.model_validate(payload["command"])
        part = cls(
            command=command,
            kept=tuple(Candidate.model_validate(item) for item in payload["kept"]),
            began_at=datetime.fromisoformat(payload["began_at"]),
            completed_at=datetime.fromisoformat(payload["completed_at"]),
            finding=None if payload["finding"] is None else TurnEvidence.model_validate(payload["finding"]),
            invocations=tuple(payload.get("invocations", ())),
        )
        return part, [delta for delta in command.deltas if store_of(delta) is store], payload["space"]


@dataclass(frozen=True, slots=True)
class _Episode:
    """What of a turn's state is to be remembered."""

    item: Candidate
    draft: MemoryDraft
    kept: RetentionPeriod

    @property
    def origin(self) -> str:
        return self.item.origin or ""

    @property
    def needs_room(self) -> bool:
        """User data, and what is kept for ever, needs none."""
        return self.kept.until is not None and self.item.retention is not RetentionClass.USER_DATA


class CommitParts:
    """Writes the parts of a commit to their stores."""

    def __init__(
        self,
        catalog: Catalog,
        commits: TurnCommits,
        *,
        outcomes: Outcomes,
        memory: MemoryService,
        scratch: ScratchService,
        tools: ToolService,
    ) -> None:
        self._tools = tools
        self._catalog = catalog
        self._commits = commits
        self._outcomes = outcomes
        self._memory = memory
        self._scratch = scratch
        self._parts: dict[
            CommitStore | CallStore,
            Callable[[CommitContext, TurnRef, Part, Sequence[Delta]], Awaitable[Change]],
        ] = {
            CommitStore.EPISODIC: self._episodic,
            CommitStore.FRONTAL_CORTEX: self._cortex,
            CommitStore.SCRATCH_PAGE: self._scratch_page,
            CommitStore.CONVERSATION: self._conversation,
            CallStore.EXECUTION_LOG: self._execution_log,
        }

    def texts(self, part: Part, deltas: Sequence[Delta]) -> list[str]:
        """Return the texts that are stored with vectors."""
        texts = self._commits.texts(deltas)
        texts += [
            text for draft in self._messages(part, None) for text in encoded(draft, self._catalog.memory)
        ]
        texts += [text for item in part.kept for text in self._passages(item)]
        if part.invocations:
            texts += [text for draft in part.command.tool_invocations for text in self._tools.texts(draft)]
        if (recording := recorded_outcome(part.command, None)) is not None:
            texts.append(passage_of(self._outcomes.episode_text(recording)))
        return texts

    def _passages(self, item: Candidate) -> list[str]:
        return encoded(MemoryDraft(kind=MemoryKind.EPISODE, content=item.content), self._catalog.memory)

    async def commit(
        self,
        store: CommitStore | CallStore,
        end: CommitContext,
        turn: TurnRef,
        part: Part,
        deltas: Sequence[Delta],
        *,
        again: bool = False,
    ) -> Change:
        """Write one part inside a transaction; `deltas` are those of the store.

        The result of the change has the results of the deltas (`results`), and of the episodic part the ids
        of its memories by their origins (`memories`), the origins of forgotten texts (`forgotten`) and of
        those without room (`crowded_out`), what was archived to make room (`archived`), and the id of the
        outcome or None (`outcome`). `again` says that nobody runs the transaction again if another one has
        taken a key meanwhile.

        Raises:
            StoreFailed: If the part cannot be written.
        """
        try:
            return await self._parts[store](end, turn, part, deltas)
        except (Forbidden, QuotaExceeded, Unavailable, OutcomeUnknown, TimedOut):
            # What refuses the whole commit, or makes the driver try it again.
            raise
        except (UnicodeEncodeError, OverflowError):
            # A text or a number that the database cannot hold is wrong input: another attempt fails likewise.
            raise
        except Exception as error:
            if _is_of_the_driver(error) and not is_refused(error) and not (again and is_taken(error)):
                raise
            code, cause = code_of(error), error
        # The message of an error could contain content.
        log.error("store_not_committed", store=store.value, code=code, turn=turn.uid, org=end.caller.org_key)
        if store is CommitStore.EPISODIC and part.command.outcome is not None:
            log.error("outcome_not_recorded", code=code, turn=turn.uid, org=end.caller.org_key)
        raise StoreFailed(store, code) from cause

    async def _episodic(
        self, end: CommitContext, turn: TurnRef, part: Part, deltas: Sequence[Delta]
    ) -> Change:
        episodes = [_Episode(item, *self._episode(item, turn, part.completed_at)) for item in part.kept]
        episodes, crowded_out, archived, leaving = await self._fitted(end, turn, episodes)
        drafts = [(each.origin, each.draft) for each in episodes]
        made, forgotten = await self._remembered(end, turn, drafts, [each.kept for each in episodes])
        applied = await self._deltas(end, turn, deltas, since=part.began_at)
        outcome = await self._outcome(end, turn, part)
        result = {
            "results": applied.result["results"],
            "memories": {origin: change.result["memory"] for origin, change in made},
            "forgotten": forgotten,
            "crowded_out": crowded_out,
            "archived": [each.model_dump() for each in archived],
            "outcome": outcome.result.get("outcome"),
        }
        return merged([leaving, *(change for _, change in made), applied, outcome], result)

    async def _fitted(
        self, end: CommitContext, turn: TurnRef, episodes: Sequence[_Episode]
    ) -> tuple[list[_Episode], list[str], list[ArchivedEpisode], Change]:
        """Make room for new episodes; return those that have it, and the origins of the others.

        Then what was archived, and the change of that. Nobody else takes the room until the commit.
        """
        most, nothing = self._catalog.retention.episodes_per_space, Change(result={})
        needing = [each for each in episodes if each.needs_room]
        if most is None or not needing:
            return list(episodes), [], [], nothing
        room = await self._memory.room_in(
            end.tx,
            end.caller,
            end.scope_id,
            [each.draft for each in needing],
            end.now,
            most=most,
            spared=RetentionClass.USER_DATA.value,
        )
        new = [each for each in needing if each.draft.client_key not in room.known]
        stored = {memory.uid: memory for memory in room.stored}
        places = admitted(
            [each.kept.importance for each in new],
            [(memory.uid, memory.importance or 0.0) for memory in room.stored],
            room.left,
        )
        crowded_out = [each.origin for each, place in zip(new, places, strict=True) if place is None]
        archived = [
            ArchivedEpisode(uid=uid, importance=stored[uid].importance or 0.0, for_origin=each.origin)
            for each, place in zip(new, places, strict=True)
            for uid in place or ()
        ]
        leaving = await self._memory.archive_in(
            end.tx, end.caller, [stored[each.uid] for each in archived], end.now, turn.handle
        )
        return [each for each in episodes if each.origin not in crowded_out], crowded_out, archived, leaving

    def _episode(
        self, item: Candidate, turn: TurnRef, completed_at: datetime
    ) -> tuple[MemoryDraft, RetentionPeriod]:
        table = self._catalog.retention.classes
        days = getattr(table, item.retention.value).days
        most = self._catalog.limits.content_characters
        digest = text_key(item.type.value, item.content)[:16]
        draft = MemoryDraft(
            kind=MemoryKind.EPISODE,
            content=item.content[:most],
            tags=tuple(dict.fromkeys((*item.tags, item.type.value)))[: self._catalog.limits.tags],
            happened_at=item.happened_at or completed_at,
            derived_from=() if item.observation_uid is None else (item.observation_uid,),
            metadata={"type": item.type.value, "turn_id": turn.uid, "origin_id": item.origin},
            client_key=f"{turn.uid}:{item.origin}:{digest}",
        )
        until = None if days is None else completed_at + timedelta(days=days)
        return draft, RetentionPeriod(
            importance=item.importance.value, retention=item.retention.value, until=until
        )

    async def _outcome(self, end: CommitContext, turn: TurnRef, part: Part) -> Change:
        recording = recorded_outcome(part.command, turn)
        if recording is None:
            return Change(result={})
        return await self._outcomes.record_in(
            end.tx, end.caller, recording, turn, end.vectors, part.lessons, end.now
        )

    async def _cortex(self, end: CommitContext, turn: TurnRef, part: Part, deltas: Sequence[Delta]) -> Change:
        return await self._deltas(end, turn, deltas, since=part.began_at)

    async def _scratch_page(
        self, end: CommitContext, turn: TurnRef, part: Part, deltas: Sequence[Delta]
    ) -> Change:
        applied = await self._deltas(end, turn, deltas, since=part.began_at)
        settled = await self._scratch.settle_in(
            end.tx,
            end.caller,
            end.caller.home,
            end.now,
            most=self._catalog.turns.settled_observations,
            turn_id=turn.handle,
        )
        return merged([applied, settled], applied.result)

    async def _conversation(
        self, end: CommitContext, turn: TurnRef, part: Part, deltas: Sequence[Delta]
    ) -> Change:
        del deltas
        drafts = [(draft.speaker or "", draft) for draft in self._messages(part, turn)]
        made, forgotten = await self._remembered(end, turn, drafts)
        return merged([change for _, change in made], {"results": [], "forgotten": forgotten})

    async def _execution_log(
        self, end: CommitContext, turn: TurnRef, part: Part, deltas: Sequence[Delta]
    ) -> Change:
        """Record calls that were kept; one that the client has sent again meanwhile is recorded already."""
        del deltas
        drafts = part.command.tool_invocations
        # What was forgotten or erased meanwhile is in none of the calls any more.
        uids = part.invocations if len(part.invocations) == len(drafts) else None
        done = await self._tools.track_in(
            end.tx, end.caller, drafts, turn, end.now, uids=uids, vectors=end.vectors
        )
        for each in done:
            if isinstance(each, PrefrontalError) and not (
                isinstance(each, Duplicate) and each.field == "clientKey"
            ):
                raise each
        made = [each for each in done if isinstance(each, Change)]
        return merged(made, {"results": [], "invocations": [each.result["invocation"] for each in made]})

    async def _remembered(
        self,
        end: CommitContext,
        turn: TurnRef,
        drafts: Sequence[tuple[str, MemoryDraft]],
        kept: Sequence[RetentionPeriod] = (),
    ) -> tuple[list[tuple[str, Change]], list[str]]:
        """Remember drafts, each with a name; return the changes, each with its name, and the forgotten names.

        A draft that an earlier commit of the turn has stored, at another time, is in neither.
        """
        if not drafts:
            return [], []
        done = await self._memory.remember_in(
            end.tx,
            end.caller,
            [draft for _, draft in drafts],
            end.scope_id,
            end.vectors,
            end.now,
            turn.handle,
            kept,
        )
        changes: list[tuple[str, Change]] = []
        forgotten: list[str] = []
        for (name, _), result in zip(drafts, done, strict=True):
            if isinstance(result, Change):
                changes.append((name, result))
            elif isinstance(result, Forgotten):
                forgotten.append(name)
            elif not isinstance(result, Duplicate):
                raise result
        return changes, forgotten

    def _messages(self, part: Part, turn: TurnRef | None) -> list[MemoryDraft]:
        command = part.command
        said = [
            (USER, command.user_input, part.began_at),
            (ASSISTANT, command.assistant_response, part.completed_at),
        ]
        uid = "" if turn is None else turn.uid
        conversation = command.conversation or (None if turn is None else turn.session_uid)
        return [
            MemoryDraft(
                kind=MemoryKind.MESSAGE,
                content=text,
                speaker=speaker,
                conversation=conversation,
                happened_at=at,
                metadata={**(command.message_metadata or {}), "turn_id": uid},
                client_key=f"{uid}:{speaker}:{text_key(speaker, text)[:16]}",
            )
            for speaker, text, at in said
            if text is not None and text.strip()
        ]

    async def _deltas(
        self, end: CommitContext, turn: TurnRef, deltas: Sequence[Delta], *, since: datetime
    ) -> Change:
        """Apply deltas; the trace says where one took the place of somebody else's change since a time."""
        if not deltas:
            return Change(result={"results": []})
        change = await self._commits.apply_in(end, turn, deltas)
        uids = {
            told[name]
            for delta, told in zip(deltas, change.result["results"], strict=True)
            if (name := _REPLACING.get(delta.kind)) and name in told and not told["repeated"]
        }
        if not uids or turn.created_at == end.now:
            return change
        found = await find_overwritten(end.tx, end.caller, sorted(uids), turn.uid, since)
        traces = overwritten(found, turn.handle, end.caller.home)
        return change.model_copy(update={"traces": (*change.traces, *traces)})


def recorded_outcome(command: CommitTurn, turn: TurnRef | None) -> RecordOutcome | None:
    """Return the outcome of a commit as `recordOutcome` takes it; once in its turn, whatever the key."""
    if command.outcome is None:
        return None
    recording = RecordOutcome(turn_id=command.turn_id, outcome=command.outcome, feedback=command.feedback)
    if turn is None:
        return recording
    key = f"{turn.uid}:{digest_of(recording)[:16]}"
    return recording.model_copy(update={"client_key": key})


def finding_in(
    command: CommitTurn, turn_uid: str, called: Sequence[ToolCall], *, success: bool
) -> TurnEvidence:
    """Return what is known of a turn at its end: all that its evaluation and its lessons go by."""
    recording = recorded_outcome(command, None)
    calls = calls_of(called)
    if recording is not None:
        return finding_from(recording, turn_uid, calls)
    return TurnEvidence(turn_uid=turn_uid, turn_name=command.turn_id, success=success, calls=calls)


def calls_of(called: Sequence[ToolCall]) -> tuple[Call, ...]:
    """Return calls of tools as lessons are learned from them."""
    return tuple(
        Call(
            invocation_uid=each.origin,
            tool=each.tool,
            parameters=each.parameters,
            failed=each.error is not None,
            error=each.error,
        )
        for each in called
    )


def selected_of(decided: Sequence[CandidateDecision]) -> tuple[Candidate, ...]:
    """Return the candidates that are remembered."""
    return tuple(each.candidate for each in decided if each.rule is None)


def _is_of_the_driver(error: Exception) -> bool:
    return type(error).__module__.startswith("neo4j")
