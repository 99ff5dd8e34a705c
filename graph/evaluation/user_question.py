"""Questions to the user about contradictions (source 001, §Conflicting Observations; G-028).

The question asks which of two contradicting observations is true.

    asked     if the client says `ask`, or else if `ask` in `registry/contradiction.yaml` is on; the
              contradiction is open, and both observations are in one space: a question must not show text
              from another space
    once      under the key `contradiction:<id>:<id>`, however often the observations are added or reviewed
    about     the first goal that one of the observations is evidence of, if there is one
    answered  when a review finds that one of the observations is resolved, archived or expired

A question that cannot be stored is logged. It does not make the request fail, because the client did not ask
for the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.cortex.questions.record import QuestionDraft, QuestionStatus, UpsertQuestionStory
from prefrontal.graph.errors import PrefrontalError

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.questions.upsert import QuestionUpserts
    from prefrontal.graph.scratch.record import Observation
    from prefrontal.graph.scratch.service import ScratchService

log = structlog.get_logger(__name__)

_QUOTED = 200


class ContradictionQuestions:
    """Asks questions about open contradictions, and marks them as answered when the contradiction is over."""

    def __init__(self, catalog: Catalog, scratch: ScratchService, questions: QuestionUpserts) -> None:
        self._catalog = catalog
        self._scratch = scratch
        self._questions = questions

    async def look(
        self, caller: Caller, uids: Sequence[str], *, turn_id: str | None = None, ask: bool | None = None
    ) -> None:
        """Ask about open contradictions of observations; mark the questions of closed ones as answered.

        `ask` is what the client said; without it the registry decides.
        """
        wanted = self._catalog.contradiction.ask if ask is None else ask
        if not wanted or not uids:
            return
        found = await self._scratch.conflicts_of(caller, uids)
        pairs: dict[tuple[str, str], bool] = {}
        for conflicts in found.values():
            for conflict in conflicts:
                one, other = sorted((conflict.source_id, conflict.target_id))
                pairs[one, other] = conflict.open
        if not pairs:
            return
        named = sorted({uid for pair in pairs for uid in pair})
        known = await self._scratch.get(caller, named)
        goals = await self._scratch.linked_goals(caller, named)
        for (one, other), is_open in sorted(pairs.items()):
            if one in known and other in known:
                of = (*goals.get(one, ()), *goals.get(other, ()))
                await self._put(caller, known[one], known[other], of, is_open, turn_id)

    async def _put(
        self,
        caller: Caller,
        one: Observation,
        other: Observation,
        goals: Sequence[str],
        is_open: bool,  # noqa: FBT001 - the state of the conflict
        turn_id: str | None,
    ) -> None:
        scope = one.scope_id
        if scope != other.scope_id or scope not in caller.writable:
            return
        key = f"contradiction:{one.uid}:{other.uid}"
        # A draft without a text creates no question; it only marks an existing one as answered.
        question = QuestionDraft(client_key=key, status=QuestionStatus.ANSWERED)
        if is_open:
            question = QuestionDraft(
                client_key=key,
                text=f"Which holds: {_quoted(one)} or {_quoted(other)}?",
                owner=ActionOwner.USER,
                **({"goal_id": goals[0]} if goals else {}),
            )
        command = UpsertQuestionStory(question=question, space=scope, turn_id=turn_id)
        try:
            await self._questions.upsert(caller, command)
        except PrefrontalError as error:
            level = log.warning if is_open else log.debug
            level("contradiction_not_asked", one=one.uid, other=other.uid, code=error.code)


def _quoted(o: Observation) -> str:
    text = " ".join(o.content.split())
    return f'"{text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"}"'
