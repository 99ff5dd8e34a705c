"""Queries and mutations of working-memory sessions."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import strawberry

from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, Connection, First, UncountedPage
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.sessions.types import (
    AccessEntryType,
    ActiveContextFilterInput,
    ActiveContextType,
    BridgeSessionPayload,
    CheckpointSessionPayload,
    CognitiveEventType,
    EndSessionPayload,
    LinkSessionsPayload,
    PastItemType,
    RestoreCheckpointPayload,
    SessionCheckpointType,
    SessionCorrelationType,
    SessionFilterInput,
    SessionPatternsFilterInput,
    SessionPatternsType,
    SessionType,
    StartSessionPayload,
    UpdateWorkingMemoryPayload,
    WorkingMemorySearchInput,
)
from prefrontal.api.logs import log_query
from prefrontal.graph.sessions.access_record import AccessOutcome
from prefrontal.graph.sessions.checkpoint_record import CheckpointSession, RestoreCheckpoint
from prefrontal.graph.sessions.monitoring_record import PatternsFilter
from prefrontal.graph.sessions.record import (
    ActiveContextFilter,
    BridgeSession,
    EndSession,
    LinkSessions,
    SessionFilter,
    StartSession,
    UpdateWorkingMemory,
    WorkingMemorySearch,
)
from prefrontal.graph.validation import raise_all, text_problems

QueryId = Annotated[
    str | None, strawberry.argument(description="Your id of the query; it is in the log of the service.")
]
TraceId = Annotated[
    str | None, strawberry.argument(description="Your trace; it is in the log of the service.")
]


@strawberry.type
class SessionQuery:
    """Queries of sessions."""

    @strawberry.field(description="A session of yours; null if it is unknown or not yours.")
    async def session(self, info: Context, id: strawberry.ID) -> SessionType | None:
        return SessionType.maybe(await info.context.loaders.sessions.load(id))

    @strawberry.field(description="A page of your sessions, newest first.")
    async def sessions(
        self,
        info: Context,
        filter: SessionFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> Connection[SessionType]:
        sessions, caller = info.context.services.sessions, await info.context.caller()
        wanted = filter_of(filter, SessionFilter)
        page = await sessions.list(caller, wanted, first=first, after=after)
        return Connection.of(SessionType, page, partial(sessions.count, caller, wanted))

    @strawberry.field(
        description="What a session of yours holds now, by its `id` or your key of it; null if it is unknown "
        "or not yours. Each item counts as accessed."
    )
    async def active_context(
        self,
        info: Context,
        session_id: strawberry.ID,
        filter: ActiveContextFilterInput | None = None,
        query_id: QueryId = None,
        trace_id: TraceId = None,
    ) -> ActiveContextType | None:
        _say(info, "get_active_context", query_id, trace_id)
        return await _active_context(info, session_id, filter_of(filter, ActiveContextFilter))

    @strawberry.field(
        description="The items of a session of yours that have a text's words or name some names, the best "
        "match first; without both what `activeContext` returns. Null if it is unknown or not yours. Each "
        "item counts as accessed."
    )
    async def search_working_memory(
        self,
        info: Context,
        session_id: strawberry.ID,
        filter: WorkingMemorySearchInput | None = None,
        query_id: QueryId = None,
        trace_id: TraceId = None,
    ) -> ActiveContextType | None:
        _say(info, "search_working_memory", query_id, trace_id)
        return await _active_context(info, session_id, filter_of(filter, WorkingMemorySearch))

    @strawberry.field(
        description="What a session of yours, by its `id` or your key of it, holds and held, with the "
        "reasons; the last admitted first, no content. Empty if it is unknown or not yours."
    )
    async def session_history(
        self,
        info: Context,
        session_id: strawberry.ID,
        first: First = None,
        after: After = None,
        query_id: QueryId = None,
        trace_id: TraceId = None,
    ) -> Connection[PastItemType]:
        _say(info, "get_session_history", query_id, trace_id)
        sessions, caller = info.context.services.sessions, await info.context.caller()
        page = await sessions.history(caller, session_id, first=first, after=after)
        return Connection.of(PastItemType, page, partial(sessions.count_history, caller, session_id))

    @strawberry.field(
        description="The sessions that a session of yours, by its `id` or your key of it, is related to, the "
        "most related first. Empty if it is unknown or not yours."
    )
    async def session_correlations(
        self, info: Context, session_id: strawberry.ID, first: First = None
    ) -> list[SessionCorrelationType]:
        found = await info.context.services.session_correlations.related(
            await info.context.caller(), session_id, first
        )
        return [SessionCorrelationType.from_record(each) for each in found]

    @strawberry.field(
        description="How your sessions, the newest 500 at most, used what they held: attention, evictions, "
        "switches between sessions. `first` is the number of memories and entities."
    )
    async def session_patterns(
        self, info: Context, filter: SessionPatternsFilterInput | None = None, first: First = None
    ) -> SessionPatternsType:
        found = await info.context.services.session_monitor.patterns(
            await info.context.caller(), filter_of(filter, PatternsFilter), first
        )
        return SessionPatternsType.from_record(found)

    @strawberry.field(
        description="The checkpoints of a session of yours, by its `id` or your key of it, newest first. "
        "Empty if it is unknown, not yours, or has ended."
    )
    async def session_checkpoints(
        self, info: Context, session_id: strawberry.ID
    ) -> list[SessionCheckpointType]:
        found = await info.context.services.session_checkpoints.find(await info.context.caller(), session_id)
        return [SessionCheckpointType.from_record(each) for each in found]

    @strawberry.field(
        description="A page of who did what with a session of yours, by its `id` or your key of it, newest "
        "first, up to a second ago; null if it is unknown or not yours."
    )
    async def access_log(
        self,
        info: Context,
        session_id: strawberry.ID,
        outcome: AccessOutcome | None = None,
        first: First = None,
        after: After = None,
    ) -> UncountedPage[AccessEntryType] | None:
        page = await info.context.services.access_log.page(
            await info.context.caller(), session_id, outcome=outcome, first=first, after=after
        )
        return None if page is None else UncountedPage.of_page(AccessEntryType, page)

    @strawberry.field(
        description="A page of the events of a session of yours, by its `id` or your key of it, oldest "
        "first; null if it is unknown or not yours."
    )
    async def cognitive_events(
        self, info: Context, session_id: strawberry.ID, first: First = None, after: After = None
    ) -> UncountedPage[CognitiveEventType] | None:
        page = await info.context.services.session_events.page(
            await info.context.caller(), session_id, first=first, after=after
        )
        return None if page is None else UncountedPage.of_page(CognitiveEventType, page)


def _say(info: Context, query_type: str, query_id: str | None, trace_id: str | None) -> None:
    """Say a query of working memory in the log line of its request, with the ids that the client gave it.

    Raises:
        InvalidInput: If an id is too long, empty, or not valid text.
    """
    ids = {"queryId": query_id, "traceId": trace_id}
    most = info.context.services.catalog.limits.key_characters
    raise_all([problem for name, value in ids.items() for problem in text_problems(value, name, most)])
    log_query(query_type, query_id=query_id, trace_id=trace_id)


async def _active_context(
    info: Context, session: str, wanted: ActiveContextFilter
) -> ActiveContextType | None:
    """Return what a session holds and a filter keeps."""
    caller = await info.context.caller()
    return ActiveContextType.maybe(
        await info.context.services.sessions.active_context(caller, session, wanted)
    )


@strawberry.type
class SessionMutation:
    """Mutations of sessions."""

    @mutation(
        "Starts a session of working memory, in the private space of your person, else of your agent.",
        "The new session, or the problem.",
    )
    async def start_session(self, info: Context, command: StartSession) -> StartSessionPayload:
        session = await info.context.services.sessions.start(await info.context.caller(), command)
        return StartSessionPayload(session=SessionType.from_record(session))

    @mutation(
        "Adds, updates, evicts or refreshes one item of a session. An added item is admitted if it is "
        "salient enough; a session that is full then lets others go.",
        "What came of it, or the problem.",
    )
    async def update_working_memory(
        self, info: Context, command: UpdateWorkingMemory
    ) -> UpdateWorkingMemoryPayload:
        """Do it."""
        done = await info.context.services.sessions.update(await info.context.caller(), command)
        return UpdateWorkingMemoryPayload.from_record(done)

    @mutation(
        "Ends a session. What it holds leaves it; texts that live in it alone are destroyed.",
        "The session, or the problem.",
    )
    async def end_session(self, info: Context, command: EndSession) -> EndSessionPayload:
        session = await info.context.services.sessions.end(await info.context.caller(), command)
        return EndSessionPayload(session=SessionType.from_record(session))

    @mutation(
        "Offers memories that an earlier session of yours left unfinished to another session of yours, each "
        "through the usual admission. Texts that lived in the earlier session alone went with it.",
        "What came of each, or the problem.",
    )
    async def bridge_session(self, info: Context, command: BridgeSession) -> BridgeSessionPayload:
        """Offer the items."""
        done = await info.context.services.session_bridging.bridge(await info.context.caller(), command)
        return BridgeSessionPayload.from_record(done)

    @mutation(
        "Says whether your sessions on different devices may be related to each other; without it they are "
        "not. What a session holds is shown on its own device alone.",
        "What holds now, or the problem.",
    )
    async def link_sessions(self, info: Context, command: LinkSessions) -> LinkSessionsPayload:
        across = await info.context.services.session_bridging.link(await info.context.caller(), command)
        return LinkSessionsPayload(across_devices=across)

    @mutation(
        "Keeps what a session holds now, to put it back later. It keeps references, no texts; an earlier "
        "checkpoint of the name is replaced, and the oldest ones that are too many are deleted.",
        "The checkpoint, or the problem.",
    )
    async def checkpoint_session(self, info: Context, command: CheckpointSession) -> CheckpointSessionPayload:
        kept = await info.context.services.session_checkpoints.keep(await info.context.caller(), command)
        return CheckpointSessionPayload(checkpoint=SessionCheckpointType.from_record(kept))

    @mutation(
        "Puts back what a session held at a checkpoint, within its capacity; what came after it leaves. Says "
        "which items could not come back, and why.",
        "What came of it, or the problem.",
    )
    async def restore_checkpoint(self, info: Context, command: RestoreCheckpoint) -> RestoreCheckpointPayload:
        """Put it back."""
        done = await info.context.services.session_checkpoints.restore(await info.context.caller(), command)
        return RestoreCheckpointPayload.from_record(done)
