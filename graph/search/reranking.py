"""How the best of what a search found is ranked again, after a reranker read each together with the question.

A sentence encoder says what is about the same, a reranker what answers (`graph.text.reranker`). It takes
an encoding for each memory, so only the most relevant `best` notes are read. Each then has one more part, in
spreads as the others (`graph.search.rules`):

    answer        weight * the logit of the reranker, held between -most and most

Of a question that asks for several things the greater logit counts: that of the whole question, or of the
clause that the note has most of (`clauses`).

A note that was not read stands in the order as if it had the least answer of those that were, if that is
below 0: it stood behind each of them, and must not pass them because they were read. What is no note, such as
what people say to each other, goals and questions, is not read.

The weights are in `registry/search.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.search.clauses import clause_for
from prefrontal.graph.search.rules import ParsedQuery, RankedHit, in_order, is_note
from prefrontal.graph.text.terms import every_term

if TYPE_CHECKING:
    from prefrontal.graph.config.tables import EncoderTable, RerankerTable, SearchTable


def to_read(ranked: Sequence[RankedHit], reranker: RerankerTable) -> list[RankedHit]:
    """Return the notes that are read again, the most relevant first."""
    return [each for each in ranked if is_note(each.hit)][: reranker.best]


def text_of(ranked: RankedHit) -> str:
    """Return what is read of a note: its best passage if it is long, with its speaker if it has one."""
    hit = ranked.hit
    content = hit.content if ranked.best is None else hit.passages[ranked.best].content
    return passage_of(content, hit.speaker)


def clauses_of(question: ParsedQuery, texts: Mapping[str, str], table: SearchTable) -> dict[str, str]:
    """Return the clause of a question that each of some notes is read with beside the whole, if any, by id.

    `texts` has what is read of each note, by id.
    """
    found = {
        uid: clause_for(every_term(text), question.terms, question.clauses, table.clause)
        for uid, text in texts.items()
    }
    return {uid: clause.text for uid, clause in found.items() if clause is not None}


def reranked(
    ranked: Sequence[RankedHit],
    logits: Mapping[str, float],
    reranker: RerankerTable,
    encoder: EncoderTable | None,
    table: SearchTable,
    clauses: Mapping[str, str] = {},
) -> list[RankedHit]:
    """Return what was found in its new order, after some notes were read again.

    Args:
        ranked: What was found.
        logits: By the id of a note, the logarithm of the odds that it answers the question.
        reranker: What these weigh.
        encoder: The constants of the encoder.
        table: The weights of a search.
        clauses: By the id of a note, the clause of the question that it was read with, too.
    """
    answers = {
        uid: reranker.weight * max(-reranker.most, min(reranker.most, logit)) for uid, logit in logits.items()
    }
    return in_order(
        (
            each._replace(
                parts=each.parts._replace(answer=answers[each.hit.uid]), clause=clauses.get(each.hit.uid, "")
            )
            if each.hit.uid in answers
            else each
            for each in ranked
        ),
        encoder,
        table,
        unread=min([0.0, *answers.values()]),
    )
