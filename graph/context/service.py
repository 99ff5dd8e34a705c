"""Use cases of contexts: assemble a context, preview a context without writing, and read a turn's receipt."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from prefrontal.graph.caller import Permission, require, require_reader
from prefrontal.graph.context import events, store
from prefrontal.graph.context.choice import in_company
from prefrontal.graph.context.contradiction import with_contradictions
from prefrontal.graph.context.paths import with_paths
from prefrontal.graph.context.record import (
    AssembleContext,
    Candidate,
    CandidateKind,
    Constraints,
    Context,
    ExcludedCandidate,
    Reason,
    Receipt,
    Request,
    Selection,
    Source,
    StandingCandidates,
)
from prefrontal.graph.context.rendering import formatted_line, with_source
from prefrontal.graph.context.scoring import (
    is_about,
    is_mistaken,
    lifted,
    ordinary_words,
    relevance_in_session,
)
from prefrontal.graph.context.selection import left_out, select
from prefrontal.graph.entities.extraction import likely_names
from prefrontal.graph.errors import BudgetTooSmall, InvalidInput, NotFound, TimedOut
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.search.record import SearchFilter, SearchKind
from prefrontal.graph.sessions.membership import join, lock_membership
from prefrontal.graph.storage.driver import DEADLINE_PASSED
from prefrontal.graph.storage.related import RelatedReader
from prefrontal.graph.validation import raise_all
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from prefrontal.graph.access.service import AccessService
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.prototypes import Prototypes
    from prefrontal.graph.journal.record import Change
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.search.record import SearchResult
    from prefrontal.graph.search.rules import RankedHit
    from prefrontal.graph.search.service import Ranking, SearchService
    from prefrontal.graph.sessions.record import SessionContents
    from prefrontal.graph.sessions.service import SessionService
    from prefrontal.graph.storage.unit_of_work import Database, Tx
    from prefrontal.graph.text.tokens import TokenCounter

_Read = TypeVar("_Read")
_RETRIEVED = SearchFilter(kinds=tuple(kind for kind in SearchKind if CandidateKind(kind.value).retrieved))
"""What a context searches for."""
_BESIDE = (SearchKind.GOAL, SearchKind.QUESTION)
"""What it also looks for, to find which of the goals and questions have to do with the prompt."""


class _Named(NamedTuple):
    """The ids of what was found that has to do with whom a prompt names."""

    about: frozenset[str] = frozenset()
    """Notes about them."""
    binding: frozenset[str] = frozenset()
    """Those that bind whoever knows them."""
    mistaken: frozenset[str] = frozenset()
    """Notes about others with similar names, which bind nobody."""


class ContextService:
    """Assembles contexts within a token budget, and stores a receipt for each."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        counter: TokenCounter,
        access: AccessService,
        search: SearchService,
        sessions: SessionService,
        prototypes: Prototypes,
    ) -> None:
        """Store what contexts are made with: `search` finds the memories for a prompt, `sessions` hold some.

        `receipts` is the list of the receipts of a turn.
        """
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._changes = changes
        self._count = counter
        self._access = access
        self._search = search
        self._sessions = sessions
        self._prototypes = prototypes
        self.receipts = RelatedReader(database, clock, store.receipts, require_reader, read_at=clock.now)

    async def preview(self, caller: Caller, request: Request) -> Context:
        """Return the context that `assemble` would return now, without writing a turn or a receipt.

        Raises:
            InvalidInput: If the prompt is empty, or the budget or a constraint is out of range.
            BudgetTooSmall: If the request is strict, and an essential mandate has no room.
            NotFound: If the session is unknown or not the caller's.
        """
        require(caller, Permission.READ)
        raise_all(self._problems(request))
        now = self._clock.now()
        contents = await self._session_contents(caller, request)
        selection, late = await self._select(caller, request, now, contents)
        _check_strictly(request, selection)
        self._log_shown(caller, contents, selection)
        return Context(
            selection=selection,
            budget=request.budget,
            timestamp=now,
            tokenizer=self._count.name,
            turn_id=None,
            receipt=self._receipt(None, request, selection, now),
            late=tuple(late),
        )

    async def assemble(self, caller: Caller, command: AssembleContext) -> Context:
        """Return the context for a prompt within the budget, and store a receipt.

        The turn is created if no turn has its id yet. Without a turn id a new turn is created. A repeated
        call with the same idempotency key returns the receipt of the first call, with the current text of its
        items.

        Raises:
            InvalidInput: If the prompt is empty, or the budget or a constraint is out of range.
            BudgetTooSmall: If the command is strict, and an essential mandate has no room.
            NotFound: If the session is unknown or not the caller's, or a repeated call finds that the receipt
                of the first call no longer exists.
            Conflict: If the turn is in another session.
            IllegalTransition: If the session has ended, and the turn is not in it.
        """
        require(caller, Permission.WRITE)
        raise_all(self._problems(command))
        now = self._clock.now()
        turn = command.turn_id if command.turn_id is not None else new_id(Kind.TURN, now)
        contents = await self._session_contents(caller, command, turn)
        handle = turn if contents is None else contents.turn
        seen = await self._seen(caller, handle) if command.skip_seen and handle else frozenset()
        selection, late = await self._select(caller, command, now, contents, seen)
        receipt = self._receipt(turn, command, selection, now)

        async def work(tx: Tx, _: datetime) -> Change:
            # Here, so that a repeated call gets the first receipt, whatever the mandates are now.
            _check_strictly(command, selection)
            place = await lock_membership(tx, caller, command.session_id, turn, now)
            made = receipt.model_copy(update={"turn_id": place.turn})
            days = self._catalog.retention.receipt_days
            uid, session = await store.record_receipt(
                tx, caller, made, place.turn, days, taking=place.takes_name
            )
            await join(tx, caller, place, uid, session, now)
            return events.assembled(made.model_copy(update={"turn_uid": uid}), selection, caller.home, late)

        result = await self._changes.run(caller, command, work, checked=True)
        if result["receipt"] != receipt.uid:
            again = await self._again(caller, command, result, contents)
            self._log_shown(caller, contents, again.selection)
            return again
        if contents is not None:
            self._sessions.delivered(contents, {each.uid for each in selection.items}, now)
        self._log_shown(caller, contents, selection)
        return Context(
            selection=selection,
            budget=command.budget,
            timestamp=now,
            tokenizer=self._count.name,
            turn_id=result["turn"],
            receipt=receipt.model_copy(update={"turn_id": result["turn"], "turn_uid": result["turn_uid"]}),
            late=tuple(late),
        )

    def _receipt(self, turn: str | None, request: Request, selection: Selection, now: datetime) -> Receipt:
        return store.receipt_of(
            uid=new_id(Kind.CONTEXT_RECEIPT, now),
            turn_id=turn,
            budget=request.budget,
            used=selection.used,
            tokenizer=self._count.name,
            now=now,
            items=selection.items,
            excluded=selection.excluded,
            over_limit=selection.over_limit,
            most_excluded=self._catalog.context.receipt_excluded,
        )

    async def receipt(self, caller: Caller, turn_id: str) -> Receipt:
        """Return the receipt of a turn's newest context: what the context included and left out.

        Raises:
            NotFound: If the turn is unknown or not readable, or had no context in the last 30 days.
        """
        require(caller, Permission.READ)

        async def work(tx: Tx) -> Receipt | None:
            return await store.find_receipt(tx, caller, turn_id, self._clock.now())

        found = await self._database.read(work)
        if found is None:
            raise NotFound("there is no receipt for this turn", field="turnId")
        return found

    async def _again(
        self, caller: Caller, request: Request, first: dict[str, Any], contents: SessionContents | None
    ) -> Context:
        """Return the context of a repeated call: the first receipt, with the current text of its items.

        What was redacted in its session meanwhile is left out.
        """
        # Its name may stand for another turn now.
        turn = str(first["turn_uid"])

        async def work(tx: Tx) -> tuple[Receipt, list[Candidate]]:
            receipt = await store.find_receipt(tx, caller, turn, self._clock.now(), first["receipt"])
            if receipt is None:
                raise NotFound(
                    "the receipt of the first call no longer exists; use a new key", field="idempotencyKey"
                )
            found = await store.read_included(tx, caller, receipt.included, receipt.created_at, self._catalog)
            return receipt, found

        receipt, candidates = await self._database.read(work)
        candidates = _without_redacted(candidates, contents)
        everything = Constraints(max_items=len(candidates))
        selection = await self._fit(caller, candidates, request, everything)
        # The candidates that the first call left out stay left out, and are reported again.
        first_time = {
            "excluded": (*selection.excluded, *receipt.excluded),
            "missing_mandates": tuple(first["missing_mandates"]),
        }
        selection = selection.model_copy(update=first_time)
        return Context(
            selection=selection,
            budget=request.budget,
            timestamp=receipt.created_at,
            tokenizer=receipt.tokenizer,
            turn_id=str(first["turn"]),
            receipt=receipt,
        )

    def _log_shown(self, caller: Caller, contents: SessionContents | None, selection: Selection) -> None:
        """Log what a context shows of sessions."""
        if contents is not None:
            self._sessions.log_shown(caller, contents, {each.uid for each in selection.items})

    async def _seen(self, caller: Caller, turn: str) -> frozenset[str]:
        """Return the ids of what earlier contexts of a turn included."""

        async def work(tx: Tx) -> frozenset[str]:
            return await store.find_seen(tx, caller, turn, self._clock.now())

        return await self._database.read(work)

    async def _session_contents(
        self, caller: Caller, request: Request, turn: str | None = None
    ) -> SessionContents | None:
        """Return what the session of a request holds; None if it names none, or if that is not read in time.

        Raises:
            NotFound: If the session is unknown or not the caller's.
        """
        if request.session_id is None:
            return None
        return await _with_deadline(self._sessions.contents(caller, request.session_id, turn))

    async def _select(
        self,
        caller: Caller,
        request: Request,
        now: datetime,
        contents: SessionContents | None,
        seen: Collection[str] = (),
    ) -> tuple[Selection, list[Source]]:
        """Return the selection for a request without what was `seen`, and what was late for it.

        What the session of the request holds is among the candidates.

        Raises:
            TimedOut: If everything was late, or the mandates of a strict context were.
        """
        ranking = await _with_deadline(
            self._search.ranked(caller, request.prompt, now, _RETRIEVED, beside=_BESIDE)
        )
        hidden = frozenset() if contents is None else contents.redacted
        named = await self._named(caller, ranking, request.prompt)
        close, weak = (
            [each for each in found if hidden.isdisjoint((each.uid, *each.same))]
            for found in self._split(ranking, named)
        )
        best = max((each.closeness for each in close), default=1.0)
        terms = ranking.question.terms if ranking is not None else {}
        catalog = self._catalog
        relevance = {each.uid: each.closeness / best for each in close}
        holding = {} if contents is None else contents.by_id
        for uid, each in holding.items():
            relevance[uid] = relevance_in_session(
                relevance.get(uid, 0.0), each.salience, catalog.context, each.correlation
            )
        planned = ranking.plans if ranking is not None else {}
        plans = {uid: closeness for uid, closeness in planned.items() if closeness >= catalog.context.floor}

        async def read_standing(tx: Tx) -> StandingCandidates:
            return await store.read_candidates(tx, caller, now, catalog, terms, relevance, plans)

        standing = await _with_deadline(self._database.read(read_standing))
        if standing is None and (ranking is None or request.strict):
            raise TimedOut(DEADLINE_PASSED)
        goals = standing.goals if standing is not None else {}

        async def read_steps(tx: Tx) -> list[Candidate]:
            return await store.read_steps(tx, caller, now, catalog, terms, goals, plans)

        def candidate(found: SearchResult) -> Candidate:
            made = store.found_candidate(found, best, caller, now, catalog)
            if found.uid not in named.binding or found.uid not in named.about:
                return made
            return made.model_copy(update={"essential": True, "reason": Reason.ESSENTIAL})

        matching = {each.uid: candidate(each) for each in close}
        same = {uid: matching[each.uid] for each in close for uid in each.same}
        always = {each.uid for each in standing.items} if standing is not None else set()
        for uid, each in holding.items():
            if contents is not None and uid not in same and uid not in always:
                found = matching.get(uid)
                matching[uid] = store.session_candidate(each, contents.session, caller, now, catalog, found)
        recent = _without_redacted(standing.recent if standing is not None else (), contents)
        others = [
            each
            for each in recent
            if not any(each.uid in found for found in (matching, same, named.mistaken))
        ]
        noted = [each for each in (*matching.values(), *others) if each.kind is CandidateKind.OBSERVATION]

        async def read_conflicts(tx: Tx) -> dict[str, list[Candidate]]:
            uids = sorted(each.uid for each in noted)
            return await store.read_conflicts(tx, caller, uids, now, catalog)

        steps, conflicts = await asyncio.gather(
            _with_deadline(self._database.read(read_steps)),
            _with_deadline(self._database.read(read_conflicts)) if noted else _none(),
        )
        read = {
            Source.STANDING: standing is not None,
            Source.STEPS: steps is not None,
            Source.MEMORIES: ranking is not None,
            Source.CONTRADICTIONS: conflicts is not None,
            Source.SESSION: request.session_id is None or contents is not None,
            Source.MEANING: ranking is None or not ranking.partial,
        }
        late = [source for source, in_time in read.items() if not in_time]
        standing = standing or StandingCandidates(items=(), recent=(), goals={}, over_limit=0)
        candidates = with_contradictions(
            [*standing.items, *standing.summaries, *(steps or ()), *matching.values(), *others],
            # What says the same as a closer one stays out.
            {
                uid: [each for each in found if each.uid not in same]
                for uid, found in (conflicts or {}).items()
            },
            catalog.context.candidates.conflicts,
            catalog.context.observation_score,
        )
        candidates = with_paths(
            _without_redacted(candidates, contents), {} if contents is None else contents.led
        )
        known = [each for each in candidates if each.uid in seen]
        candidates = in_company([each for each in candidates if each.uid not in seen])
        selection = await self._fit(
            caller,
            candidates,
            request,
            request.constraints,
            late=late,
            least_confidence=catalog.memory.least_confidence,
        )
        shown = {each.uid for each in (*selection.items, *selection.excluded, *known)}
        more = [
            *(self._left_out(each, Reason.SEEN) for each in known),
            *(
                self._left_out(candidate(each), Reason.BELOW_RELEVANCE)
                for each in weak
                if each.uid not in shown
            ),
            *(_repeated(uid, first) for uid, first in same.items() if uid not in shown),
        ]
        excluded = (*selection.excluded, *more)
        return selection.model_copy(update={"over_limit": standing.over_limit, "excluded": excluded}), late

    async def _named(self, caller: Caller, ranking: Ranking | None, prompt: str) -> _Named:
        """Return what of the found has to do with whom the prompt names."""
        table = self._catalog.context
        names = likely_names(prompt, table.name_rarity)
        hits = () if ranking is None else [each.hit for each in ranking.ranked]
        about = frozenset(hit.uid for hit in hits if is_about(hit, names))
        if not about:
            # Without a note on the one, a similar name may be another spelling of it.
            return _Named()
        ordinary = ordinary_words([prompt, *(hit.content for hit in hits)])
        other = frozenset(
            hit.uid for hit in hits if hit.uid not in about and is_mistaken(hit, names, ordinary)
        )
        judge = await self._prototypes.binding(0)
        found = await _with_deadline(self._search.binding(caller, sorted(about | other), judge))
        # Of what was not compared in time nothing is left out: it may bind.
        return _Named(about) if found is None else _Named(about, found, other - found)

    def _split(
        self, ranking: Ranking | None, named: _Named
    ) -> tuple[Sequence[SearchResult], Sequence[SearchResult]]:
        """Return what is close enough to the prompt, the closest first, and the best of the rest."""
        if ranking is None or not ranking.ranked:
            return (), ()
        table = self._catalog.context
        kept = [each for each in ranking.ranked if each.hit.uid not in named.mistaken]
        best = max((each.closeness for each in kept), default=0.0)

        def closeness(found: RankedHit) -> float:
            if found.hit.uid not in named.about:
                return found.closeness
            return best if found.hit.uid in named.binding else lifted(found.closeness, best, table)

        ranked = [each._replace(closeness=closeness(each)) for each in kept]
        ranked.sort(key=lambda each: (-each.closeness, each.hit.uid))
        floor = max(table.floor, table.near_best * best)
        close = [each for each in ranked if each.closeness >= floor]
        mistaken = [each for each in ranking.ranked if each.hit.uid in named.mistaken]
        weak = [*ranked[len(close) :], *mistaken]
        return ranking.results(close), ranking.results(weak[: table.considered])

    def _left_out(self, candidate: Candidate, reason: Reason) -> ExcludedCandidate:
        return left_out(candidate, self._count(candidate.line), reason)

    async def _fit(
        self,
        caller: Caller,
        candidates: Sequence[Candidate],
        request: Request,
        constraints: Constraints,
        *,
        late: Sequence[Source] = (),
        least_confidence: Mapping[str, float] = {},
    ) -> Selection:
        if request.sources:
            candidates = await self._with_sources(caller, candidates)
        form = request.format
        lines = [formatted_line(each.line, each.uid, each.kind, form) for each in candidates]
        return select(
            # Most are as they were: a copy of each costs more than the rest of the choice.
            [
                each if line == each.line else each.model_copy(update={"line": line})
                for each, line in zip(candidates, lines, strict=True)
            ],
            budget=request.budget,
            constraints=constraints,
            recent_items=self._catalog.context.recent_items,
            sections=self._catalog.context.sections,
            at_least=self._catalog.context.at_least,
            shares=self._catalog.context.shares,
            count=self._count,
            form=form,
            least_confidence=least_confidence,
            late=late,
        )

    async def _with_sources(self, caller: Caller, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates with lines that say from which space they are, and who wrote them."""
        spaces = await self._access.spaces(caller, sorted({each.scope_id for each in candidates}))
        actors = await self._access.actors(caller, sorted({each.by_uid for each in candidates}))

        def line(candidate: Candidate) -> str:
            space, actor = spaces.get(candidate.scope_id), actors.get(candidate.by_uid)
            by = "the service" if actor is None else f"{actor.kind.value} {actor.key}"
            return with_source(candidate.line, candidate.scope_id if space is None else space.name, by)

        return [each.model_copy(update={"line": line(each)}) for each in candidates]

    def _problems(self, request: Request) -> list[InvalidInput]:
        table = self._catalog.context
        problems = limit_problems(request, self._catalog.limits)
        if not 0 <= request.budget <= table.max_budget:
            problems.append(
                InvalidInput(
                    f"between 0 and {counted(table.max_budget, 'token')}, not {request.budget}",
                    field="budget",
                )
            )
        most = request.constraints.max_items
        if most is not None and most > table.most_max_items:
            problems.append(
                InvalidInput(f"at most {table.most_max_items}, not {most}", field="constraints.maxItems")
            )
        return problems


async def _with_deadline(reading: Awaitable[_Read]) -> _Read | None:
    """Return what is read; None if the deadline of reads passes before."""
    try:
        return await reading
    except TimedOut:
        return None


def _without_redacted(candidates: Iterable[Candidate], contents: SessionContents | None) -> list[Candidate]:
    """Return the candidates that were not redacted in the session of a context; its mandates hold anyway."""
    hidden = frozenset() if contents is None else contents.redacted
    return [each for each in candidates if each.uid not in hidden or not each.kind.retrieved]


async def _none() -> dict[str, list[Candidate]]:
    """Return no contradictions, where there is nothing that could have any."""
    return {}


def _check_strictly(request: Request, selection: Selection) -> None:
    """Refuse a strict request whose budget has no room for an essential mandate.

    Raises:
        BudgetTooSmall: If it has none; the message names the mandates.
    """
    if not (request.strict and selection.insufficient_budget):
        return
    missing = selection.missing_mandates
    raise BudgetTooSmall(
        f"no room for {counted(len(missing), 'essential mandate')}: {', '.join(missing)}. All essential "
        f"mandates, with those that come before them, need {counted(selection.mandates_need, 'token')}, not "
        f"{request.budget}",
        field="budget",
    )


def _repeated(uid: str, first: Candidate) -> ExcludedCandidate:
    """Return a memory that says what an included one says, which is neither counted nor scored."""
    return ExcludedCandidate(uid=uid, section=first.section, tokens=0, score=0.0, reason=Reason.DUPLICATE)
