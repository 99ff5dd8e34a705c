"""How relevant each of some memories is for a question, and which of them answer it.

A search finds a pool of memories. This rule gives each of them a relevance between 0 and 1 that means the
same in every search, so that one floor serves every question. The parts of a memory add up, in spreads of the
encoder's cosines of unrelated texts:

    words         weight * coverage: the share of the question's rarity that stands in the memory. The rarity
                  of a term is the geometric mean of that in English and that among the pool
    meaning       (cosine - unrelated) / spread of the encoder. The cosine is that of the memory and of what
                  is special about the question: its vector less a share of the mean of those of usual
                  questions (`query_vector`), another one for what people say to each other than for notes.
                  A memory without a cosine has no such part; its words then weigh `text_alone`.
                  Words and meaning of a long memory are those of its text or of one of its passages,
                  whichever have the largest sum
    neighbours    weight * (words and meaning of the better one of the memories beside it, as far as they are
                  more than its own): the answer often stands beside what repeats the question
    conversation  weight * (the best sum so far in its conversation - its own)
    subject       + weight if one of the people and things that the question names said it or is mentioned in
                  it, - weight if not; 0 if the question names nobody
    time          + weight if it is of the time that the question names (`when`)
    doubt         - weight * (1 - confidence)
    answer        what a reranker says of the best notes (`reranking`); nothing here
    identifier    + weight if it has an identifier, amount or day that the question names, + a smaller one if
                  it has the same number behind the same word, - another one if it has none or others
                  (`graph.text.identifiers`)

    sum           of the parts
    behind        best sum of its kind (memory, goal, question, story) - sum: who asks for more kinds
                  finds each memory as relevant as before
    relevance     1 / (1 + exp(-(slope * (sum - middle) - behind_slope * behind)))
    closeness     1 / (1 + exp(-slope * (sum - middle))): the relevance if none were better, and if what lacks
                  an identifier lost nothing by it; for whoever wants all that has to do with a question, not
                  only its answer

Only what the reader may read counts: the pool, a table of English, and constants of the encoder.

A memory that says the same (`duplicates`) as a more relevant one by the same speaker is shown with that one.

Goals, questions and stories stand among the memories by their relevance. They have only the parts words,
meaning, subject and time, and say the same only as others of their kind.

The weights are in `registry/search.yaml`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from prefrontal.graph.config.tables import EncoderTable, QueryVectorTable, SearchTable
from prefrontal.graph.search.date_expressions import Span, span_of
from prefrontal.graph.search.duplicates import read_text, repeated
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.identifiers import Asked, Naming, asked, naming
from prefrontal.graph.text.rarity import rarity
from prefrontal.graph.text.terms import date_words, every_term, weighted_terms
from prefrontal.graph.text.words import WORD, stem, words_of

_UNSEEN = 20
"""The pool's rarities are those of a pool that has so many more memories, without the question's words."""
_TextScores = tuple[float, float | None]
"""The words and the meaning of a text."""
_LEAST_ODDS = -500.0
"""`exp` of less than about 700 does not overflow."""


class ParsedQuery(NamedTuple):
    """What a question asks for."""

    terms: Mapping[str, float]
    """Its terms with their rarity in English."""
    span: Span | None
    """The time that it names."""
    also: Mapping[str, str] = {}
    """Other stems that mean the same as one of the terms, each with the term: `k8s` for `kubernetes`."""
    identifiers: Asked = Asked()
    """The identifiers and amounts that it names."""


class Part(NamedTuple):
    """A passage of a long memory."""

    content: str
    cosine: float | None = None
    """The cosine of its vector and of the question's; without one that of the memory counts."""


class Hit(NamedTuple):
    """A memory that a search found, or one beside it."""

    uid: str
    content: str
    at: datetime
    """When it was noticed, said or happened."""
    cosine: float | None = None
    """The cosine of its vector and of the question's, -1 to 1."""
    speaker: str | None = None
    conversation: str | None = None
    beside: Sequence[str] = ()
    """The ids of what was said before and after it."""
    about: Collection[str] = ()
    """The ids of the entities that the question names and that it mentions."""
    tags: Sequence[str] = ()
    names: Sequence[str] = ()
    """Those of its entities, if the question names an identifier."""
    confidence: float | None = None
    kind: str = ""
    """`goal`, `question` or `story`; empty for a memory. What is of another kind is never the same."""
    passages: Sequence[Part] = ()
    """The passages of a long memory, in order."""
    spoken: bool = False
    """Whether it is what somebody said, so that its cosine is that of the vector for speech."""


class Parts(NamedTuple):
    """The parts of a memory's relevance, in spreads."""

    words: float = 0.0
    meaning: float | None = None
    neighbours: float = 0.0
    conversation: float = 0.0
    subject: float = 0.0
    time: float = 0.0
    doubt: float = 0.0
    answer: float | None = None
    """None: the memory was not read again (`reranking`)."""
    identifier: float = 0.0

    @property
    def total(self) -> float:
        """The sum of the parts."""
        words, meaning, neighbours, conversation, subject, time, doubt, answer, identifier = self
        sure = words + neighbours + conversation + subject + time + doubt + identifier
        return sure + (meaning or 0.0) + (answer or 0.0)


class RankedHit(NamedTuple):
    """A memory with its relevance for a question, which follows from its parts (`by_relevance`)."""

    hit: Hit
    parts: Parts
    best: int | None = None
    """The index of the passage that answers the question best; None if the memory has no passages."""
    relevance: float = 0.0
    closeness: float = 0.0
    same: tuple[str, ...] = ()
    """The ids of less relevant memories that say the same."""


def parse_search_query(
    text: str, stop_words: Collection[str], now: datetime, same_words: Iterable[Collection[str]] = ()
) -> ParsedQuery:
    """Return what a question asks for.

    `stop_words` are stems, and `same_words` groups of stems that mean the same.
    """
    terms = weighted_terms(text, stop_words)
    also = {
        other: term
        for group in same_words
        for term in terms.keys() & set(group)
        for other in set(group) - terms.keys()
    }
    return ParsedQuery(terms=terms, span=span_of(text, now), also=also, identifiers=asked(text))


def named_in(speaker: str, question: ParsedQuery, table: SearchTable) -> frozenset[str]:
    """Return the terms of a question that name a speaker: words of the name that are no frequent words.

    `Anna Smith` is named by `Anna`. Roles such as `user` are no names.
    """
    if fold(speaker) in table.roles:
        return frozenset()
    words = {stem(word) for word in words_of(speaker) if rarity(word) >= table.name_rarity}
    return frozenset(words & question.terms.keys())


def without_names(text: str, speakers: Collection[str], question: ParsedQuery, table: SearchTable) -> str:
    """Return the text of a question without the speakers that it names, for a second vector.

    A name is near to every message of the conversations of whom it names. The text is returned unchanged if
    it names nobody, or nothing else.
    """
    named = {term for speaker in speakers for term in named_in(speaker, question, table)}
    if not named:
        return text
    left = " ".join(WORD.sub(lambda found: "" if stem(fold(found[0])) in named else found[0], text).split())
    return left if words_of(left) else text


def blended(whole: Sequence[float], nameless: Sequence[float], table: SearchTable) -> list[float]:
    """Return the vector to search with, of unit length: of a question and of it without names.

    It looks for what was said without forgetting of whom.
    """
    both = [one + table.nameless * other for one, other in zip(whole, nameless, strict=True)]
    length = math.sqrt(sum(value * value for value in both)) or 1.0
    return [value / length for value in both]


def query_vector(
    vector: Sequence[float], usual: Sequence[float], aim: QueryVectorTable
) -> tuple[list[float], QueryVectorTable]:
    """Return the vector of what is special about a question, of unit length, and the constants for it.

    Args:
        vector: The vector of the question, of unit length.
        usual: The mean vector of usual questions.
        aim: What is taken away from the vector, and the constants for what is left as it is. They are divided
            by its length, since the cosines are of a vector of unit length.
    """
    special = [one - aim.common * mean for one, mean in zip(vector, usual, strict=True)]
    length = math.sqrt(sum(value * value for value in special))
    if length == 0:
        return list(vector), aim
    scaled = {"unrelated": aim.unrelated / length, "spread": aim.spread / length}
    return [value / length for value in special], aim.model_copy(update=scaled)


def rank(
    question: ParsedQuery, hits: Sequence[Hit], encoder: EncoderTable | None, table: SearchTable
) -> list[RankedHit]:
    """Return the memories with their relevance, the most relevant first, each that says something else once.

    Args:
        question: What is asked.
        hits: The pool, each memory once, with the memories beside those of the pool.
        encoder: The constants of the cosines with notes and with what was said.
        table: The weights.
    """
    texts = [read_text(hit.content, table.negations) for hit in hits]
    terms = [_terms(hit, read.every, question) for hit, read in zip(hits, texts, strict=True)]
    subjects = _subjects(question, hits, terms, table)
    own = _by_itself(question, hits, terms, encoder, table)
    found = []
    for hit, (parts, passage), subject in zip(hits, own, subjects, strict=True):
        whole = parts._replace(
            subject=table.weights.subject * subject,
            time=table.weights.time * (question.span is not None and question.span.holds(hit.at)),
            doubt=-table.weights.doubt * (1.0 - hit.confidence) if hit.confidence is not None else 0.0,
            identifier=_identifier(question, hit, table),
        )
        found.append(RankedHit(hit, whole, passage))
    ranked = by_relevance(found, table)
    by_uid = {hit.uid: read for hit, read in zip(hits, texts, strict=True)}
    same = repeated(
        [(each.hit.uid, (each.hit.speaker, each.hit.kind), by_uid[each.hit.uid]) for each in ranked],
        table.duplicate,
    )
    return [
        each._replace(same=same[each.hit.uid]) if same[each.hit.uid] else each
        for each in ranked
        if each.hit.uid in same
    ]


def by_relevance(found: Iterable[RankedHit], table: SearchTable) -> list[RankedHit]:
    """Return memories with the relevance that follows from their parts, the most relevant first.

    Whatever relevance they had does not count; the rest of each stays as it is.
    """
    summed = [(each.parts.total, each) for each in found]
    best: dict[str, float] = {}
    for total, each in summed:
        best[each.hit.kind] = max(total, best.get(each.hit.kind, total))
    summed.sort(key=lambda pair: (-_odds(pair[0], best[pair[1].hit.kind], table), pair[1].hit.uid))
    return [
        each._replace(
            relevance=_relevance(total, best[each.hit.kind], table),
            closeness=_relevance(close, close, table),
        )
        for total, each in summed
        for close in [total - min(0.0, each.parts.identifier)]
    ]


def _terms(hit: Hit, content: frozenset[str], question: ParsedQuery) -> frozenset[str]:
    """Return the terms by which the index finds a memory whose content has some stems.

    A word that means the same as a term of the question counts as that term.
    """
    every = content.union(every_term(" ".join((hit.speaker or "", *hit.tags, date_words(hit.at)))))
    return every | {question.also[word] for word in question.also.keys() & every}


def _identifier(question: ParsedQuery, hit: Hit, table: SearchTable) -> float:
    if not question.identifiers:
        return 0.0
    weights = table.weights
    weighed = {
        Naming.SAME: weights.identifier,
        Naming.LIKE: weights.numbered,
        Naming.OTHER: -weights.other_identifier,
        Naming.NEITHER: 0.0,
    }
    # No identifier goes on from one of them to the next.
    whole = "; ".join((hit.content, *hit.tags, *hit.names))
    return weighed[naming(question.identifiers, whole, hit.at)]


def _by_itself(
    question: ParsedQuery,
    hits: Sequence[Hit],
    terms: Sequence[frozenset[str]],
    encoder: EncoderTable | None,
    table: SearchTable,
) -> list[tuple[Parts, int | None]]:
    """Return the parts of what is said, by each memory and by those near it, and the best of its passages."""
    weights = table.weights
    rarities = _rarities(question.terms, terms)

    def scores_of(hit: Hit, stems: frozenset[str], cosine: float | None) -> _TextScores:
        covered = _covered(rarities, stems)
        if cosine is None or encoder is None:
            return weights.text_alone * covered, None
        aim = encoder.of_speech if hit.spoken else encoder.notes
        return weights.text * covered, (cosine - aim.unrelated) / aim.spread

    own: list[_TextScores] = []
    bests: list[int | None] = []
    for hit, stems in zip(hits, terms, strict=True):
        passages = [
            scores_of(
                hit,
                _terms(hit, read_text(part.content, table.negations).every, question),
                hit.cosine if part.cosine is None else part.cosine,
            )
            for part in hit.passages
        ]
        sizes = [_sum(each) for each in passages]
        bests.append(sizes.index(max(sizes)) if sizes else None)
        own.append(max([scores_of(hit, stems, hit.cosine), *passages], key=_sum))
    sums = {hit.uid: _sum(each) for hit, each in zip(hits, own, strict=True)}
    lifts = []
    tops: dict[str, float] = {}
    for hit in hits:
        alone = sums[hit.uid]
        better = max((sums[uid] for uid in hit.beside if uid in sums), default=alone)
        lifts.append(weights.neighbours * max(0.0, better - alone))
        if hit.conversation is not None:
            lifted = alone + lifts[-1]
            tops[hit.conversation] = max(lifted, tops.get(hit.conversation, lifted))
    found = []
    for hit, (words, meaning), lift, best in zip(hits, own, lifts, bests, strict=True):
        lifted = sums[hit.uid] + lift
        top = lifted if hit.conversation is None else tops[hit.conversation]
        found.append((Parts(words, meaning, lift, weights.conversation * (top - lifted)), best))
    return found


def _sum(scores: _TextScores) -> float:
    words, meaning = scores
    return words + (meaning or 0.0)


def _rarities(terms: Mapping[str, float], stems: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return how rare terms are, in English and among memories."""
    count = len(stems) + _UNSEEN
    most = math.log(1 + (count + 0.5) / 0.5)
    # Most memories have few of the terms.
    number = Counter(term for words in stems for term in terms.keys() & words)
    weights = {}
    for term, rare in terms.items():
        having = number[term]
        weights[term] = math.sqrt(rare * math.log(1 + (count - having + 0.5) / (having + 0.5)) / most)
    return weights


def _covered(rarities: Mapping[str, float], stems: frozenset[str]) -> float:
    """Return the share of the terms' rarity that some stems have."""
    whole = sum(rarities.values())
    return sum(rare for term, rare in rarities.items() if term in stems) / whole if whole else 0.0


def _subjects(
    question: ParsedQuery, hits: Sequence[Hit], stems: Sequence[frozenset[str]], table: SearchTable
) -> list[int]:
    """Return 1 for each memory by or about somebody whom the question names, -1 for others; 0 without one."""
    speakers = {hit.speaker for hit in hits if hit.speaker}
    named = {speaker: terms for speaker in speakers if (terms := named_in(speaker, question, table))}
    if not named and not any(hit.about for hit in hits):
        return [0] * len(hits)
    names = frozenset(term for terms in named.values() for term in terms)
    return [
        1 if hit.about or hit.speaker in named or not names.isdisjoint(words) else -1
        for hit, words in zip(hits, stems, strict=True)
    ]


def _relevance(total: float, top: float, table: SearchTable) -> float:
    return 1 / (1 + math.exp(-max(_odds(total, top, table), _LEAST_ODDS)))


def _odds(total: float, top: float, table: SearchTable) -> float:
    return table.slope * (total - table.middle) - table.behind_slope * (top - total)
