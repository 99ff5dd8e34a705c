"""Which older notes a newer one seems to replace. Nothing is replaced by it: `supersede` does that.

    other value   the words of both are the same but for one place inside, where each has something else: "The
                  port is 22", "The port is 49222". They share `shared` of the longer one, and what the value
                  is of stands before it: a subject word and one of `copulas` ("is"), or `subjects`
                  subject words, with no copula behind the place. So "The red box is full" and "The blue box
                  is full" are two.
    change        the reranker has read both, and the logarithm of the odds that the newer changes what the
                  older says is above `changes` (`graph.text.reranker`)

Compared are notes of one kind and space, the older ones nearest to the newer one. What happened and what was
said is replaced by nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from prefrontal.graph.search.record import Replacement, ReplacementReason, SearchKind
from prefrontal.graph.search.rules import RankedHit, is_note
from prefrontal.graph.text.words import subject_words

if TYPE_CHECKING:
    from prefrontal.graph.config.tables import SearchTable

REPLACED = frozenset({SearchKind.FACT, SearchKind.SKILL, SearchKind.MANDATE, SearchKind.CAPABILITY})
"""The kinds of what holds until something else does."""
_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*|\w+(?:['\u2019]\w+)*")


class Note(NamedTuple):
    """A note that was remembered."""

    uid: str
    scope_id: str
    kind: SearchKind
    content: str
    at: datetime
    """When it happened or was noted."""


def older_than(note: Note, ranked: Sequence[RankedHit], most: int) -> list[RankedHit]:
    """Return the notes that are older than one, the nearest first, at most `most`."""
    own = _tokens(note.content)
    found = (
        each
        for each in ranked
        if is_note(each.hit)
        and (each.hit.at, each.hit.uid) < (note.at, note.uid)
        and _tokens(each.hit.content) != own
    )
    return list(islice(found, most))


def replaced_by(
    note: Note,
    older: Sequence[RankedHit],
    logits: Mapping[str, float],
    changes: float | None,
    common: frozenset[str],
    table: SearchTable,
) -> list[Replacement]:
    """Return what a note seems to replace, the surest first.

    Args:
        note: The note.
        older: Older notes of its kind and space.
        logits: By the id of an older note, the logarithm of the odds that the note changes it.
        changes: Above which of them it does; None: that is not known of the reranker.
        common: The stems of words that are no subject words.
        table: The other bounds.
    """
    found = []
    for each in older:
        uid = each.hit.uid
        if is_other_value(note.content, each.hit.content, common, table):
            found.append((0, 0.0, uid, ReplacementReason.OTHER_VALUE))
        elif changes is not None and uid in logits and logits[uid] > changes:
            found.append((1, -logits[uid], uid, ReplacementReason.CHANGE))
    return [Replacement(newer=note.uid, older=uid, reason=reason) for _, _, uid, reason in sorted(found)]


def is_other_value(newer: str, older: str, common: frozenset[str], table: SearchTable) -> bool:
    """Return whether two texts say the same but for a value."""
    one, other, by = _tokens(newer), _tokens(older), table.replacement
    shorter = min(len(one), len(other))
    before = next((n for n in range(shorter) if one[n] != other[n]), shorter)
    behind = next((n for n in range(shorter - before) if one[-1 - n] != other[-1 - n]), shorter - before)
    if before + behind == shorter or before + behind < by.shared * max(len(one), len(other)):
        return False
    subjects = subject_words(" ".join(one[:before]), common)
    if not table.copulas.isdisjoint(one[:before]):
        return bool(subjects)
    return len(subjects) >= by.subjects and table.copulas.isdisjoint(one[len(one) - behind :])


def _tokens(text: str) -> list[str]:
    """Return the words and numbers of a text, without regard to case."""
    return _TOKEN.findall(text.casefold())
