"""What a conversation is about and what its turns decided, from its newest messages.

    key topics   the topics of its messages and the names that they mention, each once: those of the most
                 messages first, of equal ones the one that was last spoken of; each as the last message that
                 is about it writes it
    decisions    goals, actions and stories that its turns created, and those whose status they changed; the
                 newest `conversation_decisions` of them. A text that was forgotten is none

Nothing of it is stored beside the messages and the records, so nothing of it outlives them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from prefrontal.graph.summaries.record import Decision, KeyTopic, NamedTopic, SettledKind, TurnEffect
from prefrontal.graph.text.words import stem, words_of
from prefrontal.graph.validation import short_name

_BEGUN = {SettledKind.GOAL: "founded", SettledKind.ACTION: "added", SettledKind.STORY: "written"}


def key_topics(named: Iterable[NamedTopic], most: int) -> tuple[KeyTopic, ...]:
    """Return the key topics of a conversation, at most so many.

    Of one that has several names, the first one is shown.
    """
    names: dict[str, str] = {}
    uids: dict[str, set[str]] = {}
    for each in named:
        names.setdefault(each.key, each.name)
        uids.setdefault(each.key, set()).update(each.uids)
    # Ids sort by time. The keys decide among topics that are alike in all else.
    ranked = sorted(sorted(uids), key=lambda key: (len(uids[key]), max(uids[key])), reverse=True)
    return tuple(
        KeyTopic(name=names[key], messages=len(uids[key]), last_uid=max(uids[key])) for key in ranked[:most]
    )


def spelt(topic: KeyTopic, text: str) -> KeyTopic:
    """Return a topic as a text writes it: topics are stems. One that the text does not have stays."""
    word = next((word for word in words_of(text) if stem(word) == topic.name), topic.name)
    return topic.model_copy(update={"name": word})


def decisions_of(
    settled: Iterable[TurnEffect], forgotten: Container[tuple[str, str]], most: int, characters: int
) -> tuple[Decision, ...]:
    """Return the newest decisions, at most so many, in the order in which they were made.

    Args:
        settled: What the turns did.
        forgotten: The titles that were forgotten, each with the space of its record.
        most: How many decisions.
        characters: How much of a title is shown.
    """
    remaining: Sequence[TurnEffect] = [
        each for each in settled if (each.scope_id, each.title) not in forgotten
    ]
    newest = sorted(remaining, key=lambda each: (each.at, each.uid, each.status is not None))[-most:]
    return tuple(
        Decision(
            text=f"{_what(each)}: {short_name(each.title, characters)}",
            turn_uid=each.turn_uid,
            at=each.at,
            of_uid=each.uid,
        )
        for each in newest
    )


def _what(settled: TurnEffect) -> str:
    how = _BEGUN[settled.kind] if settled.status is None else settled.status.replace("_", " ")
    return f"{settled.kind.value.capitalize()} {how}"
