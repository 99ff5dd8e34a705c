"""What the summary of the older messages of a conversation says; a context shows the newest as they are.

    figures   how many messages it is about, from which day to which day, and who spoke: the first
              `conversation_speakers` names, and that there are others
    quotes    the `conversation_sentences` heaviest sentences by the rule of `graph.text.summary`, of those
              that the earlier summary quotes and of those of the new messages; each with who said it
    text      the figures, then the quotes in the order in which they were said, on one line
    rolling   the summary of all so far is made of the earlier summary and the new messages

No sentence is made up. A sentence has at most `quote_characters`, a name `name_characters`: however much is
said, a summary stays as short. The same messages always give the same summary. Numbers are in
`registry/summaries.yaml`, these two in `registry/operations/summaries.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from prefrontal.graph.config.tables import SummariesTable
from prefrontal.graph.summaries.record import ConversationSummary, MessageText, Quote
from prefrontal.graph.text.passages import sentences_of
from prefrontal.graph.text.summary import chosen
from prefrontal.graph.validation import short_name
from prefrontal.graph.wording import counted


def rolled(
    earlier: ConversationSummary | None,
    messages: Sequence[MessageText],
    table: SummariesTable,
    stop_stems: frozenset[str] = frozenset(),
) -> ConversationSummary:
    """Return the summary of what an earlier one is about and of the messages after it.

    Args:
        earlier: The summary so far, if there is one.
        messages: The new messages in the order in which they were said, at least one.
        table: How much a summary says.
        stop_stems: The stems of words without weight.
    """
    times = [message.happened_at for message in messages]
    names = [short_name(message.speaker, table.name_characters) for message in messages if message.speaker]
    if earlier is not None:
        times += [earlier.since, earlier.until]
        names = [*earlier.speakers, *names]
    # One more than are named, so that the text can say that there are others.
    speakers = tuple(dict.fromkeys(names))[: table.conversation_speakers + 1]
    return ConversationSummary(
        messages=len(messages) + (0 if earlier is None else earlier.messages),
        since=min(times),
        until=max(times),
        upto_uid=messages[-1].uid,
        speakers=speakers,
        quotes=_heaviest(
            [*(() if earlier is None else earlier.quotes), *_quotes(messages, table)], table, stop_stems
        ),
    )


def text_of(summary: ConversationSummary, table: SummariesTable) -> str:
    """Return the text of a summary, on one line."""
    messages = counted(summary.messages, "message")
    first, last = _day(summary.since), _day(summary.until)
    when = f"on {first}" if first == last else f"from {first} to {last}"
    who = _names(summary.speakers, table.conversation_speakers)
    quotes = (
        quote.text if quote.speaker is None else f"{quote.speaker}: {quote.text}" for quote in summary.quotes
    )
    return " ".join([f"{messages} {when}{who}.", *quotes])


def _quotes(messages: Iterable[MessageText], table: SummariesTable) -> Iterable[Quote]:
    for message in messages:
        speaker = short_name(message.speaker, table.name_characters) if message.speaker else None
        for sentence in sentences_of(message.content):
            yield Quote(uid=message.uid, speaker=speaker, text=short_name(sentence, table.quote_characters))


def _heaviest(
    quotes: Iterable[Quote], table: SummariesTable, stop_stems: frozenset[str]
) -> tuple[Quote, ...]:
    # Of what was said twice the first one.
    by_text: dict[str, Quote] = {}
    for quote in quotes:
        by_text.setdefault(quote.text, quote)
    return tuple(by_text[text] for text in chosen(list(by_text), table.conversation_sentences, stop_stems))


def _names(speakers: Sequence[str], most: int) -> str:
    if not speakers:
        return ""
    named = list(speakers[:most])
    if len(speakers) > most:
        named.append("others")
    return ", by " + (" and ".join([", ".join(named[:-1]), named[-1]]) if len(named) > 1 else named[0])


def _day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()
