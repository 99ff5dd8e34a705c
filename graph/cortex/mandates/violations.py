"""Which mandates a plan violates.

step       the sentences of its texts, each with the words of its action type's name and of its short
           parameters; a type that a mandate names must be the step's own
done       a clause with a word of `undone` ("do not", "ask whether") is no deed, nor is what follows it in
           the sentence until "but" or "then"; what follows "without" is none either
prohibited a sentence has all stems of a phrase of the mandate
confirmed  a step that is only done after a person's confirmation, and what comes after such a step of the
           same rule, satisfies a required confirmation
goal       its title and its description are read like a step without a type

Precision comes before recall: what is not clear violates nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from prefrontal.graph.config.tables import MandatesTable
from prefrontal.graph.cortex.mandates.declarations import (
    Phrase,
    Rule,
    phrase_of,
    rules_of,
    sentences_of,
    tokens_of,
)
from prefrontal.graph.cortex.mandates.record import Plan, Step, Violation, ViolationKind
from prefrontal.graph.memory.record import Mandate

_SHORT = 60
"""How many characters a parameter has at most that counts as words of a step: a name, an address."""
_MOST_READ = 5_000
"""How many mandates are kept as read."""


class MandateChecker(Protocol):
    """Finds the mandates that a plan violates."""

    def check(self, mandates: Sequence[Mandate], plan: Plan) -> tuple[Violation, ...]:
        """Return the violations in the order of the mandates, one for each rule that a step violates."""
        ...


class DeclaredRules:
    """The default checker: compares what mandates declare with the words of the steps."""

    def __init__(self, table: MandatesTable) -> None:
        self._table = table
        self._rules = lru_cache(maxsize=_MOST_READ)(lambda mandate: rules_of(mandate, table))

    def check(self, mandates: Sequence[Mandate], plan: Plan) -> tuple[Violation, ...]:
        """Return the violations in the order of the mandates."""
        declared = [(mandate.uid, rule) for mandate in mandates for rule in self._rules(mandate)]
        if not declared:
            return ()
        goal = Step(texts=plan.texts)
        read: list[Read] = [(None, goal, self._deeds(goal))]
        read += [(number, step, self._deeds(step)) for number, step in enumerate(plan.steps)]
        return tuple(
            violation for mandate_id, rule in declared for violation in _broken(mandate_id, rule, read)
        )

    def _deeds(self, step: Step) -> list[frozenset[str]]:
        """Return the stems of each sentence or clause that says that something is done."""
        more = phrase_of(_further_words(step)).stems
        return [phrase_of(words).stems | more for text in step.texts for words in self._clauses(text)]

    def _clauses(self, text: str) -> Iterator[list[str]]:
        table = self._table
        for sentence in sentences_of(text):
            tokens = tokens_of(sentence)
            if not self._undone(tokens):
                yield [word for word in tokens if word != ","]
                continue
            clause: list[str] = []
            undone = False
            for word in (*tokens, ","):
                if word != "," and word not in (*table.joining, *table.resuming, *table.turning):
                    clause.append(word)
                    continue
                undone = undone or self._undone(clause)
                if clause and not undone:
                    yield clause
                undone = (undone or word in table.turning) and word not in table.resuming
                clause = []

    def _undone(self, words: Sequence[str]) -> bool:
        return any(word in self._table.undone or word.endswith("n't") for word in words)


Read = tuple[int | None, Step, list[frozenset[str]]]


def _broken(mandate_id: str, rule: Rule, read: Sequence[Read]) -> Iterator[Violation]:
    confirmed = False
    for number, step, deeds in read:
        reason = _match(rule, step, deeds)
        if reason is None:
            continue
        if rule.kind is ViolationKind.CONFIRMATION_REQUIRED:
            confirmed = confirmed or step.confirmed
            if confirmed:
                continue
        yield Violation(mandate_id=mandate_id, kind=rule.kind, step=number, reason=reason)


def _match(rule: Rule, step: Step, deeds: Sequence[frozenset[str]]) -> str | None:
    """Return why a step falls under a rule, or None."""
    if rule.action_types and step.action_type not in rule.action_types:
        return None
    phrase: Phrase | None = None
    if rule.phrases:
        phrase = next((p for p in rule.phrases if any(p.stems <= deed for deed in deeds)), None)
        if phrase is None:
            return None
    said = [f"it says {' '.join(phrase.words)!r}"] if phrase is not None else []
    said += [f"its type is {step.action_type}"] if rule.action_types else []
    if rule.kind is ViolationKind.PROHIBITED:
        return f"{' and '.join(said)}, which the mandate forbids"
    return f"{' and '.join(said)}, which the mandate wants to be confirmed first"


def _further_words(step: Step) -> Iterator[str]:
    if step.action_type is not None:
        yield from tokens_of(step.action_type)
    yield from (word for text in _short_texts(step.parameters) for word in tokens_of(text) if word != ",")


def _short_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) <= _SHORT:
            yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from (name, *_short_texts(each))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _short_texts(each)
