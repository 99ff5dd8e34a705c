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
                  whichever have the largest sum with rarities of English alone
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

    sum           of the parts, by which a search orders
    alone         the sum of the parts that do not depend on what else is stored: words with rarities of
                  English alone, meaning, time, doubt, identifier, answer, and subject where it adds something
    relevance     1 / (1 + exp(-slope * (alone - middle))): how likely the memory helps to answer. It depends
                  on the question and the memory alone. `middle` and `slope` are those of the encoder and of
                  the sort of memory: notes that were read again, speech, and all else
    closeness     1 / (1 + exp(-slope * (sum - middle))), if what lacks an identifier lost nothing by it; for
                  whoever wants all that has to do with a question, not only its answer

Only what the reader may read counts: the pool, a table of English, and constants of the encoder.

A search shows what is at least `sure` relevant. Of the rest it shows what is at least as relevant as the
`floor` of its sort and at most `gap` behind the best of its sort (`shown`), and what is alike with the best.
A note of which the reranker says that it is no answer (`least`) has to be sure, whatever its other parts.
If the question asks for several things, the best is that of the clause that a note was read with.

A memory that says the same (`duplicates`) as a more relevant one by the same speaker is shown with that one.

Goals, questions and stories stand among the memories by their sums. They have only the parts words,
meaning, subject and time, and say the same only as others of their kind.

The weights are in `registry/search.yaml`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from prefrontal.graph.config.tables import Calibration, EncoderTable, QueryVectorTable, SearchTable
from prefrontal.graph.search.clauses import Clause, clauses, covered
from prefrontal.graph.search.date_expressions import Span, span_of
from prefrontal.graph.search.duplicates import read_text, repeated
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.identifiers import Asked, Naming, asked, naming
from prefrontal.graph.text.rarity import rarity
from prefrontal.graph.text.terms import date_words, every_term, weighted_terms
from prefrontal.graph.text.words import WORD, stem, words_of

_UNSEEN = 20
"""The pool's rarities are those of a pool that has so many more memories, without the question's words."""


class _TextScores(NamedTuple):
    """What a text, or a passage of it, has of a question."""

    words: float
    meaning: float | None
    alone: float
    """Words and meaning without regard to the pool."""

    @property
    def sum(self) -> float:
        """Words and meaning."""
        return self.words + (self.meaning or 0.0)


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
    names: Mapping[str, Collection[str]] = {}
    """By the id of an entity that it names, the terms of the name."""
    clauses: Sequence[Clause] = ()
    """What it asks for, if that is more than one thing."""


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
    alone: float = 0.0
    """What the relevance follows from, without the part `answer`."""
    order: float = 0.0
    """What a search orders by, the greatest first: the sum of the parts."""
    relevance: float = 0.0
    closeness: float = 0.0
    same: tuple[str, ...] = ()
    """The ids of less relevant memories that say the same."""
    clause: str = ""
    """The clause of the question that it was read with; empty if it was read with the whole alone."""


def parse_search_query(
    text: str,
    stop_words: Collection[str],
    now: datetime,
    same_words: Iterable[Collection[str]] = (),
    names: Mapping[str, Iterable[str]] | None = None,
    conjunctions: Collection[str] = (),
) -> ParsedQuery:
    """Return what a question asks for.

    `stop_words` are stems, and `same_words` groups of stems that mean the same. `names` are those that the
    question has of entities, by their ids.
    """
    terms = weighted_terms(text, stop_words)
    words = {
        uid: frozenset(stem(word) for name in its for word in words_of(name)) & terms.keys()
        for uid, its in (names or {}).items()
    }
    also = {
        other: term
        for group in same_words
        for term in terms.keys() & set(group)
        for other in set(group) - terms.keys()
    }
    return ParsedQuery(
        terms=terms,
        span=span_of(text, now),
        also=also,
        identifiers=asked(text),
        names=words,
        clauses=clauses(text, stop_words, conjunctions),
    )


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
    """Return the memories in the order of their sums, each that says something else once.

    Args:
        question: What is asked.
        hits: The pool, each memory once, with the memories beside those of the pool.
        encoder: The constants of the cosines with notes and with what was said.
        table: The weights.
    """
    texts = [read_text(hit.content, table.negations) for hit in hits]
    terms = [_terms(hit, read.every, question) for hit, read in zip(hits, texts, strict=True)]
    subjects = _subjects(question, hits, terms, table)
    weights = table.weights
    found = []
    by_itself = _by_itself(question, hits, terms, encoder, table)
    for hit, (parts, passage, said), subject in zip(hits, by_itself, subjects, strict=True):
        time = weights.time * (question.span is not None and question.span.holds(hit.at))
        doubt = -weights.doubt * (1.0 - hit.confidence) if hit.confidence is not None else 0.0
        identifier = _identifier(question, hit, table)
        whole = parts._replace(
            subject=weights.subject * subject, time=time, doubt=doubt, identifier=identifier
        )
        # Whether it declares whom the question names, or they said it, whoever else said something.
        own = bool(hit.about or (hit.speaker and named_in(hit.speaker, question, table)))
        alone = said + weights.subject * own + time + doubt + identifier
        found.append(RankedHit(hit, whole, passage, alone))
    ranked = in_order(found, encoder, table)
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


def in_order(
    found: Iterable[RankedHit], encoder: EncoderTable | None, table: SearchTable, unread: float = 0.0
) -> list[RankedHit]:
    """Return memories in the order of their sums, with the relevance that follows from their parts.

    Whatever relevance they had does not count; the rest of each stays as it is. `unread` is added to the sum
    of each note that was not read again.
    """
    summed = [
        (each.parts.total + (unread if each.parts.answer is None and is_note(each.hit) else 0.0), each)
        for each in found
    ]
    summed.sort(key=lambda pair: (-pair[0], pair[1].hit.uid))
    return [
        each._replace(
            order=total,
            relevance=_logistic(_alone(each), calibration_of(each, encoder, table)),
            closeness=_logistic(total - min(0.0, each.parts.identifier), table.closeness),
        )
        for total, each in summed
    ]


def shown(
    ranked: Sequence[RankedHit],
    least: float | None,
    encoder: EncoderTable | None,
    table: SearchTable,
    alike: Collection[str] = (),
    *,
    past: bool = False,
) -> tuple[list[RankedHit], int]:
    """Return what a search shows in the order given, and how many weaker ones it holds back.

    `least` is the relevance from which on everything is shown; then nothing counts as weaker. What is `alike`
    is shown together. Nothing is refused if the question asks for the `past`: what held then does not say so.
    """
    if least is not None:
        return [each for each in ranked if each.relevance >= least], 0
    best: dict[tuple[str, str], float] = {}
    for each in ranked:
        # What answers another clause is about another thing.
        for clause in {"", each.clause}:
            about, size = (_sort(each.hit), clause), _alone(each)
            best[about] = max(size, best.get(about, size))

    def is_shown(each: RankedHit) -> bool:
        return (
            each.relevance >= table.sure
            or each.hit.uid in alike
            or (
                (past or not _is_refused(each, encoder))
                and each.relevance >= calibration_of(each, encoder, table).floor
                and _alone(each) >= best[_sort(each.hit), each.clause] - table.gap
            )
        )

    kept, held_back = [], 0
    for each in ranked:
        if is_shown(each):
            kept.append(each)
        else:
            held_back += each.relevance >= table.weaker
    return kept, held_back


def _alone(ranked: RankedHit) -> float:
    return ranked.alone + (ranked.parts.answer or 0.0)


def _is_refused(ranked: RankedHit, encoder: EncoderTable | None) -> bool:
    """Return whether a note was read again and is less of an answer than what is shown unless it is sure."""
    by = None if encoder is None else encoder.reranker
    answer = ranked.parts.answer
    return by is not None and by.least is not None and answer is not None and answer < by.least


def _sort(hit: Hit) -> str:
    return hit.kind or ("speech" if hit.spoken else "note")


def is_note(hit: Hit) -> bool:
    """Return whether a memory is a note: neither what was said nor a goal, question or story."""
    return not (hit.spoken or hit.kind)


def sort_of(ranked: RankedHit) -> str:
    """Return by which constants the relevance of a memory follows: `read`, `notes` or `speech`."""
    if ranked.hit.spoken:
        return "speech"
    return "notes" if ranked.parts.answer is None else "read"


def calibration_of(ranked: RankedHit, encoder: EncoderTable | None, table: SearchTable) -> Calibration:
    """Return the constants by which the relevance of a memory follows from its parts."""
    sorts = None if encoder is None else encoder.relevance
    if sorts is None or ranked.parts.meaning is None:
        return table.closeness
    found: Calibration = getattr(sorts, sort_of(ranked))
    return found


def _terms(hit: Hit, content: frozenset[str], question: ParsedQuery) -> frozenset[str]:
    """Return the terms by which the index finds a memory whose content has some stems.

    A word that means the same as a term of the question counts as that term, and a name that the question has
    for what the memory mentions as if it stood in the memory.
    """
    said = every_term(" ".join((hit.speaker or "", *hit.tags, date_words(hit.at))))
    every = content.union(said, *(question.names.get(uid, ()) for uid in hit.about))
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
) -> list[tuple[Parts, int | None, float]]:
    """Return the parts of what is said, by each memory and by those near it, and the best of its passages.

    Last comes the sum of words and meaning without regard to the pool.
    """
    weights = table.weights
    rarities = _rarities(question.terms, terms)

    def scores_of(hit: Hit, stems: frozenset[str], cosine: float | None) -> _TextScores:
        share, plain = covered(rarities, stems), covered(question.terms, stems)
        if cosine is None or encoder is None:
            return _TextScores(weights.text_alone * share, None, weights.text_alone * plain)
        aim = encoder.of_speech if hit.spoken else encoder.notes
        meaning = (cosine - aim.unrelated) / aim.spread
        return _TextScores(weights.text * share, meaning, weights.text * plain + meaning)

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
        sizes = [each.alone for each in passages]
        bests.append(sizes.index(max(sizes)) if sizes else None)
        # What else is stored must not choose: the constants of the relevance depend on it.
        own.append(max([scores_of(hit, stems, hit.cosine), *passages], key=lambda scores: scores.alone))
    sums = {hit.uid: each.sum for hit, each in zip(hits, own, strict=True)}
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
    for hit, scores, lift, best in zip(hits, own, lifts, bests, strict=True):
        lifted = sums[hit.uid] + lift
        top = lifted if hit.conversation is None else tops[hit.conversation]
        parts = Parts(scores.words, scores.meaning, lift, weights.conversation * (top - lifted))
        found.append((parts, best, scores.alone))
    return found


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


def _logistic(total: float, by: Calibration) -> float:
    return 1 / (1 + math.exp(-max(by.slope * (total - by.middle), _LEAST_ODDS)))
