"""What the parts of an item's salience are if the caller does not send them (source 002, §3.1; G-062, G-064).

    relevance   the greatest of
                    meaning     (mean cosine of the item and the items held − floor) / (ceiling − floor)
                    held names  the share of its entities and themes that the items held have / `full_share`
                    focus       the share of the focus that it names / `full_share`
                    task        its task relevance
                as far as there are items, a focus or a task; `neutral` without any of them
    urgency     1 if its text has a sign that it cannot wait, 0.7 for a deadline, 0.4 for a sign that it is
                near, else 0; the greatest counts, and a sign right behind a negation is none
    recency     0.5 ** (age in hours / half-life)
    attention   the share of the session's focus that it names; `neutral` in a session without a focus

    task relevance    the greater of the meaning, with the cosine of item and task, and of the share of the
                      task's terms, weighted by rarity, that it has / `full_share`; 0 without a task
    focus strength    the share of the items held that name something of the focus; 0 without items or focus

Each of them is clamped to 0–1. What a caller sends counts as it is. An item names something if its text, its
entities and its themes have the stems of all of its words. The numbers are in `registry/admission.yaml`, the
signs in `registry/language/admission.yaml`; signs are compared as whole words, folded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from prefrontal.graph.config.session_tables import AdmissionTable, UrgencyTable
from prefrontal.graph.recency import recency
from prefrontal.graph.sessions.admission import Components
from prefrontal.graph.sessions.coherence import names_of
from prefrontal.graph.sessions.names import keys
from prefrontal.graph.sessions.slot import Slot
from prefrontal.graph.text.terms import LONGEST, every_term, weighted_terms
from prefrontal.graph.text.words import pieces_of, stem, words_of


class Item(NamedTuple):
    """What is to be admitted."""

    text: str
    at: datetime
    """When it happened or was noticed."""
    entities: frozenset[str] = frozenset()
    themes: tuple[str, ...] = ()
    cosine: float | None = None
    """The mean cosine of its vector and those of the items held; None without vectors."""
    task_cosine: float | None = None
    """The cosine of its vector and that of the task."""


class Fit(NamedTuple):
    """What the caller says about an item; None for what is to be computed."""

    relevance: float | None = None
    urgency: float | None = None
    recency: float | None = None
    attention: float | None = None


def components_of(
    item: Item,
    given: Fit,
    *,
    slots: Sequence[Slot],
    focus: Sequence[str],
    now: datetime,
    table: AdmissionTable,
    for_task: float | None = None,
    encoder: str | None = None,
) -> Components:
    """Return the parts of an item's salience: what the caller sent, and the rest computed.

    Args:
        item: The item.
        given: What the caller sent.
        slots: The items that the session holds.
        focus: What its attention is on.
        now: The time of the decision.
        table: The weights.
        for_task: Its task relevance; None in a session without a task.
        encoder: The name of the encoder of the cosines.
    """
    named = _focus_share(focus, stems_of_item(item.text, item.entities, item.themes))
    return Components(
        relevance=_relevance(item, slots, named, table, encoder, for_task)
        if given.relevance is None
        else given.relevance,
        urgency=urgency_of(item.text, table.urgency) if given.urgency is None else given.urgency,
        recency=recency(item.at, now, table.recency_half_life_hours)
        if given.recency is None
        else given.recency,
        attention=(table.neutral if named is None else named) if given.attention is None else given.attention,
    )


def task_relevance(
    item: Item,
    task: str | None,
    table: AdmissionTable,
    *,
    encoder: str | None = None,
    stop_words: Collection[str] = (),
) -> float:
    """Return how relevant an item is for the task of a session, between 0 and 1; 0 without a task."""
    terms = weighted_terms(task or "", stop_words)
    if not terms:
        return 0.0
    stems = stems_of_item(item.text, item.entities, item.themes)
    share = sum(rare for term, rare in terms.items() if term in stems) / sum(terms.values())
    meaning = 0.0 if item.task_cosine is None else table.meaning_of(encoder).share(item.task_cosine)
    return max(meaning, min(1.0, share / table.full_share))


def attention_focus_strength(slots: Sequence[Slot], texts: Mapping[str, str], focus: Sequence[str]) -> float:
    """Return the share of the items held that name something of the focus, between 0 and 1.

    Args:
        slots: The items that the session holds.
        texts: Their texts by their ids; without one the entities and themes count alone.
        focus: What the attention of the session is on.
    """
    if not slots:
        return 0.0
    naming = [
        bool(_focus_share(focus, stems_of_item(texts.get(slot.item_uid, ""), slot.entities, slot.themes)))
        for slot in slots
    ]
    return sum(naming) / len(slots)


def urgency_of(text: str, table: UrgencyTable) -> float:
    """Return how urgent a text is by its signs, between 0 and 1."""
    words = tuple(word.replace("’", "'") for word in words_of(text))
    found = [0.0]
    if _has(words, table.now_signs, table):
        found.append(table.now)
    if _has(words, table.soon_signs, table):
        found.append(table.soon)
    if _has_deadline(words, table):
        found.append(table.deadline)
    return max(found)


def stems_of_item(text: str, entities: Iterable[str], themes: Iterable[str]) -> frozenset[str]:
    """Return the terms and the stems of an item's text, entities and themes."""
    whole = " ".join((text, *entities, *themes))
    return frozenset((*every_term(whole), *(stem(word)[:LONGEST] for word in pieces_of(whole))))


def _relevance(
    item: Item,
    slots: Sequence[Slot],
    named: float | None,
    table: AdmissionTable,
    encoder: str | None,
    for_task: float | None,
) -> float:
    fits: list[float] = []
    if slots:
        names = keys((*item.entities, *item.themes))
        held = frozenset(name for slot in slots for name in names_of(slot))
        fits.append(min(1.0, len(names & held) / len(names) / table.full_share) if names else 0.0)
        if item.cosine is not None:
            fits.append(table.meaning_of(encoder).share(item.cosine))
    if named is not None:
        fits.append(min(1.0, named / table.full_share))
    if for_task is not None:
        fits.append(for_task)
    return max(fits, default=table.neutral)


def _focus_share(focus: Iterable[str], stems: frozenset[str]) -> float | None:
    """Return the share of the focus that an item with some stems names; None without a focus."""
    wanted = [words for name in focus if (words := stems_of_item(name, (), ()))]
    return sum(words <= stems for words in wanted) / len(wanted) if wanted else None


def _places(words: Sequence[str], phrases: Iterable[str]) -> Iterable[tuple[int, int]]:
    """Give where phrases stand in some words: from, and to before."""
    for phrase in phrases:
        looked = words_of(phrase)
        for start in range(len(words) - len(looked) + 1):
            if tuple(words[start : start + len(looked)]) == looked:
                yield start, start + len(looked)


def _is_negated(words: Sequence[str], start: int, table: UrgencyTable) -> bool:
    return any(end == start for _, end in _places(words, table.negations))


def _has(words: Sequence[str], signs: Iterable[str], table: UrgencyTable) -> bool:
    return any(not _is_negated(words, start, table) for start, _ in _places(words, signs))


def _has_deadline(words: Sequence[str], table: UrgencyTable) -> bool:
    times = [start for start, _ in _places(words, table.times)]
    return any(
        not _is_negated(words, start, table) and any(end <= time < end + table.reach for time in times)
        for start, end in _places(words, table.openers)
    )
