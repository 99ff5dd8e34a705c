"""The claim of a text: what it says of what, so that texts in other words can be compared.

    text                                    key                  what can differ
    -------------------------------------   ------------------   -----------------------------
    Anna hates olives                       @like anna oliv      the second side of `like`
    Anna is fond of olives                  @like anna oliv      the first side
    The kick-off is at nine                 @date kick off       09:00 or 21:00
    There is no lift in the hotel           hotel lift           denied
    Chen works from the office in Leeds     @from chen work      office, leeds
    Our family doctor is called Haas        @who doctor famili   haas
    User prefers tea to coffee              @or coffe tea user   tea before coffee

The key is the set of the stems of the content words, with what can differ taken out. A word of a table stands
for those that say the same. Only claims with equal keys are compared, so an index finds what may contradict
a text. A word that only one of two texts has makes the keys differ, because it may tell that they are about
two things.

A text has no claim if it is long, a question or a guess, about one occasion (in the past, today), or if it
leaves open when or how far it is true (sometimes, mostly).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from prefrontal.graph.config.tables import ContradictionTable
from prefrontal.graph.scratch.phrases import Phrases, Role, Token
from prefrontal.graph.scratch.quantities import Value
from prefrontal.graph.scratch.text_frame import folded

_SENTENCE = re.compile(r"[.!;]\s+\S")
_CASED = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_INDEFINITE = frozenset({"a", "an", "some", "another", "several", "many"})
_POINTING = frozenset({"it", "this", "that", "these", "those"})
_DEFINITE = frozenset({"the", "our", "my", "your", "his", "her", "their"})
_COPULA = frozenset({"is", "are"})
_AUXILIARIES = frozenset({"is", "are", "be", "has", "have", "will", "get", "gets", "can", "must"})
_PREPOSITIONS = frozenset(
    (
        *("in", "at", "on", "under", "behind", "above", "below", "inside", "outside", "beside", "by", "near"),
        *("of", "from", "next", "opposite", "with", "for", "to"),
    )
)
_BEFORE_VALUES = frozenset({"on", "in", "at", "the", "every", "each", "always", "now", "only", "still"})
_SPANS = frozenset({"day", "week", "weekend", "month", "year", "summer", "winter"})
_ANY_TIME = frozenset({"time", "day"})
_MOST_WORDS = 3
"""The maximum number of words for each content word."""
_SHORTEST = 5
"""The minimum length of a word with an ending or a prefix that says something about it."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The place, employer or the like of a subject: one at a time."""

    preposition: str
    head: str
    """The stem of the last word of the first phrase: of "in the office in Leeds", office."""
    words: frozenset[str]
    """The stems of all content words."""
    names: frozenset[str]
    """Those of them that are names."""
    kind: str | None
    """The kind of place of the head, from the table."""
    loose: bool
    """Whether only the place counts and not the preposition: where a thing is."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a text says, and of what."""

    key: str
    """The sorted stems of what it is about, with marks for the parts that can differ."""
    values: tuple[Value, ...] = ()
    denied: bool = False
    sides: tuple[tuple[str, int], ...] = ()
    """The opposites that it names: the name of the line and the number of the side."""
    said: frozenset[str] = frozenset()
    """The stems of the words for them."""
    weak: bool = True
    """Whether each of them is the weakest of its side: "not warm" denies "hot", "not hot" leaves "warm"."""
    slot: Slot | None = None
    who: frozenset[str] | None = None
    """The stems of the name of the one who has a role."""
    order: tuple[frozenset[str], frozenset[str]] | None = None
    """What is preferred, and to what."""
    able: bool = False
    """Whether it says that somebody can do something."""
    dated: bool = False
    """Whether a date of it is the statement, so that another date contradicts it."""


def apart(one: Slot, other: Slot) -> bool:
    """Tell whether a subject cannot have both: they are different, and neither can lie in the other."""
    if one.words <= other.words or other.words <= one.words:
        return False
    if (one.words - other.words) & one.names and (other.words - one.words) & other.names:
        # Oslo may lie in Norway, and Norway in Europe, but Norway not in Spain.
        return one.kind == other.kind or not {one.kind, other.kind} & {"region", "country", "continent"}
    if one.head == other.head or one.names or other.names:
        return False
    return one.kind == other.kind and (one.loose or one.preposition == other.preposition)


class Claims:
    """Reads the claims of texts with the tables of the registry."""

    def __init__(self, table: ContradictionTable) -> None:
        """Store the tables, with the lists of words as sets."""
        self._table = table
        self._words = words = table.claims
        self._phrases = Phrases(table)
        stems = self._phrases.stems
        self._light = stems(words.light) | frozenset(words.light)
        self._denying = frozenset(table.negations)
        self._narrowed = frozenset(table.narrowed)
        self._vague = frozenset(words.vague) | (frozenset(table.degrees) - self._light)
        self._unsure = frozenset(table.unsure)
        # "May" is also a month.
        self._hedging = (self._vague | self._unsure) - frozenset(table.months)
        self._occasions = frozenset(table.occasions) - frozenset(words.dayparts) - {"just"}
        self._dayparts = frozenset(words.dayparts) | {f"{word}s" for word in words.dayparts}
        self._once = frozenset(table.once)
        self._verbs = _AUXILIARIES.union(
            table.states, table.holds, words.standing, words.dated, words.linking
        )
        self._labels = frozenset((*table.labels, "#", *table.particular)) - {"a", "an", "per", "each"}
        self._bounds = frozenset(table.bounds)
        self._dated = frozenset(words.dated)
        self._standing = frozenset(words.standing)
        self._between = frozenset(words.between)
        self._slots = {self._phrases.stem(verb): frozenset(found) for verb, found in words.slots.items()}
        self._no_place = stems(words.no_place)
        self._kinds = {
            self._phrases.stem(word): kind for kind, found in words.kinds_of_places.items() for word in found
        }
        self._titles = frozenset(words.titles)
        self._shared_roles = stems(words.shared_roles)
        self._attributes = stems(words.attributes)

    def read(self, text: str) -> Claim | None:
        """Return the claim of a text, or None if it makes none that can be compared."""
        words = folded(text).split()
        if len(words) > _MOST_WORDS * self._words.longest or _SENTENCE.search(text):
            return None
        if "would" not in words and not self._hedging.isdisjoint(words):
            # Most texts without a claim are told by one word, before they are read.
            return None
        tokens = self._phrases.tokens(text)
        if self._is_preference(tokens):
            return self._preference(tokens)
        if not tokens or self._is_open(tokens):
            return None
        if not any(token.value for token in tokens):
            tokens = self._without_habits(tokens)
        positive, denials = self._without_denials(tokens)
        if denials > 1 or (denials and not self._denies_all(tokens)):
            return None
        return self._claim(positive, _names(text), denied=bool(denials))

    def _claim(self, tokens: list[Token], names: frozenset[str], *, denied: bool) -> Claim | None:
        who, role = self._who(tokens, names)
        slot, rest = (None, role) if who is not None else self._slot(tokens, names)
        opposites = [token for at, token in enumerate(rest) if token.side and not self._identifies(rest, at)]
        sides = [token.side for token in opposites if token.side]
        values = self._said_values(rest)
        words = {
            *(word for at, token in enumerate(rest) for word in self._word(rest, at)),
            *(token.literal for token in self._naming_values(rest)),
        }
        about_one_of_many = tokens[0].raw in _INDEFINITE and bool(sides or slot)
        about_one_of_many |= tokens[0].raw in _POINTING and len(words) <= 1
        unclear = values is None or len({name for name, _ in sides}) < len(sides) or about_one_of_many
        if unclear or values is None or len(words) > self._words.longest or not words:
            return None
        marks = {f"@{name}" for name, _ in sides}
        marks |= {f"@{'date' if value.dates else 'number'}{number}" for number, value in enumerate(values)}
        marks |= {"@who"} if who is not None else set()
        marks |= {f"@{'at' if slot.loose else slot.preposition}"} if slot is not None else set()
        return Claim(
            key=" ".join(sorted((words - {"can"}) | marks)),
            values=tuple(values),
            denied=denied,
            sides=tuple(sorted(sides)),
            said=frozenset(token.stem for token in opposites),
            weak=all(token.weakest for token in opposites),
            slot=slot,
            who=who,
            able="can" in words,
            dated=self._is_dated(rest, values, alone=slot is None, sided=bool(sides)),
        )

    def _is_dated(
        self, tokens: Sequence[Token], values: Sequence[Value], *, alone: bool, sided: bool
    ) -> bool:
        # What is open on Monday may be open on Tuesday too. A time of day is no such condition.
        clocks = all(day.startswith("T") for value in values for day in value.dates)
        said = any(
            token.raw in self._dated or token.stem in self._dated or _is_followed_by_value(tokens, at)
            for at, token in enumerate(tokens)
        )
        return said and alone and (clocks or not sided)

    def _is_open(self, tokens: Sequence[Token]) -> bool:
        """Tell whether the text leaves open if, when or how far it is true, or is about one occasion."""
        words = frozenset(token.raw for token in tokens if token.is_word)
        if "?" in words or words & (self._vague | self._unsure):
            return True
        if words & self._once or any(token.role in (Role.CHANGE, Role.MOVING) for token in tokens):
            return False
        # "On Monday evening" and "every evening" say when; "in the evening" is one evening.
        regular = bool(words & {"every", "each"}) or any(
            token.value and token.value.dates for token in tokens
        )
        if "this" in words and words & _SPANS:
            return True
        if words & self._occasions or (words & self._dayparts and not regular):
            return True
        return self._is_past(tokens)

    def _is_past(self, tokens: Sequence[Token]) -> bool:
        """Tell whether the first verb is in the past. A later `-ed` is a state: comes furnished."""
        for token in tokens:
            if token.value is not None or token.role is not None:
                continue
            word = token.raw
            regular = len(word) >= _SHORTEST and word.endswith("ed") and not word.endswith("eed")
            if regular or word in self._table.past:
                return True
            if word in self._verbs or token.side is not None:
                return False
        return False

    def _without_habits(self, tokens: Sequence[Token]) -> list[Token]:
        """Return the tokens without "every day" and the like: what is never done is not done every day."""
        kept: list[Token] = []
        for token in tokens:
            if kept and kept[-1].raw in ("every", "each") and token.raw in self._dayparts | _SPANS:
                kept.pop()
            else:
                kept.append(token)
        return kept

    def _denies_all(self, tokens: Sequence[Token]) -> bool:
        """Tell whether a negation denies the whole statement: not in "not only", "no 5" or at the end."""
        if any(token.raw in self._narrowed for token in tokens):
            return False
        follow = [tokens[at + 1 : at + 2] for at, token in enumerate(tokens) if self._is_denial(token)]
        return all(found and found[0].value is None for found in follow)

    def _is_denial(self, token: Token) -> bool:
        return token.role in (Role.DENY, Role.ENDING) or (token.is_word and token.raw in self._denying)

    def _without_denials(self, tokens: Sequence[Token]) -> tuple[list[Token], int]:
        """Return the tokens in the positive, and the number of negations that were left out."""
        kept: list[Token] = []
        denials = 0
        for token in tokens:
            positive = self._positive(token)
            denials += positive is not None or self._is_denial(token)
            if positive is not None:
                kept.append(Token(positive, self._phrases.stem(positive)))
            elif not self._is_denial(token):
                kept.append(token)
        return kept, denials

    def _positive(self, token: Token) -> str | None:
        """Return the word that a word denies: `furnished` of `unfurnished`. None if it denies none."""
        if not token.is_word:
            return None
        if token.raw in self._table.negated:
            return self._table.negated[token.raw]
        bare = next((token.raw.removeprefix(p) for p in self._words.prefixes if token.raw.startswith(p)), "")
        return bare if len(bare) >= _SHORTEST and token.raw not in self._words.whole_words else None

    def _is_preference(self, tokens: Sequence[Token]) -> bool:
        words = [token.raw for token in tokens]
        prefers = any(word.startswith("prefer") for word in words)
        return bool({"to", "over"} & set(words)) if prefers else {"would", "over"} <= set(words)

    def _preference(self, tokens: Sequence[Token]) -> Claim | None:
        """Return the claim of "prefers tea to coffee" or "would take tea over coffee"."""
        if any(self._is_denial(token) or token.value for token in tokens):
            return None
        words = [token.raw for token in tokens]
        at = next(n for n, word in enumerate(words) if word.startswith("prefer") or word == "would")
        start = at + 1 + (words[at] == "would")
        split = next((n for n in range(start + 1, len(words) - 1) if words[n] in ("to", "over")), None)
        if split is None or words[split + 1] in _AUXILIARIES:
            return None
        about, best = self._content(tokens[:at]), self._content(tokens[start:split])
        rest = self._content(tokens[split + 1 :]) - _ANY_TIME
        if not about or not best or not rest or best & rest:
            return None
        return Claim(key=" ".join(sorted(about | best | rest | {"@or"})), order=(best, rest))

    def _content(self, tokens: Sequence[Token]) -> frozenset[str]:
        """Return the stems of the content words among some tokens, opposites included."""
        return frozenset(
            self._words.pronouns.get(token.raw, token.stem)
            for token in tokens
            if not (token.value or token.role or token.raw in self._light or token.stem in self._light)
        )

    def _word(self, tokens: Sequence[Token], at: int) -> frozenset[str]:
        """Return what a token adds to what the text is about."""
        token = tokens[at]
        if token.side is not None:
            return frozenset({token.stem} if self._identifies(tokens, at) else ())
        return self._content([token])

    def _identifies(self, tokens: Sequence[Token], at: int) -> bool:
        """Tell whether an opposite says which thing is meant: the red box, a big dog, likes red wine."""
        side = tokens[at].side
        if not at or side is None:
            return True
        before = tokens[at - 1]
        follows = bool(self._content(tokens[at + 1 : at + 2])) and side[0] not in self._words.verbs
        return follows or before.raw in _INDEFINITE | _DEFINITE or before.possessive

    def _said_values(self, tokens: Sequence[Token]) -> list[Value] | None:
        """Return the values that a text states, or None if one of them is a bound: at least 3."""
        changes = any(token.role is Role.CHANGE for token in tokens)
        said = [
            at for at, token in enumerate(tokens) if token.value and not self._names_something(tokens, at)
        ]
        if not changes and any(at and tokens[at - 1].raw in self._bounds for at in said):
            return None
        values = [value for at in said if (value := tokens[at].value) is not None]
        # "Moved from Monday to Friday": it is on Friday now.
        return values[-1:] if changes else values

    def _naming_values(self, tokens: Sequence[Token]) -> list[Value]:
        found = (token.value for at, token in enumerate(tokens) if self._names_something(tokens, at))
        return [value for value in found if value is not None]

    def _names_something(self, tokens: Sequence[Token], at: int) -> bool:
        """Tell whether a number says which thing is meant: "room 12", "Python 3 is required"."""
        value = tokens[at].value
        if value is None or value.dates:
            return False
        if at and tokens[at - 1].raw in self._labels:
            return True
        return value.dimension is None and at + 1 < len(tokens) and tokens[at + 1].raw in self._verbs

    def _who(self, tokens: list[Token], names: frozenset[str]) -> tuple[frozenset[str] | None, list[Token]]:
        """Return the name of the one who has a role, or None, and the tokens of the role."""
        at = next((n for n, token in enumerate(tokens) if token.raw in _COPULA), 0)
        left, right = tokens[:at], tokens[at + 1 :]
        called = bool(right) and right[0].raw in ("called", "named")
        right = right[1:] if called else right
        if not left or not right or any(token.raw in _COPULA for token in right):
            return None, tokens
        if _is_definite(right) and not called and self._is_name(left, names):
            left, right = right, left
        elif not (called or (_is_definite(left) and self._is_name(right, names))):
            single = tokens[at].raw == "is" and _is_definite(left) and self._content(left) & self._attributes
            if not single or not self._is_plain(right):
                return None, tokens
        if not self._is_single(left, called=called) or any(
            token.value and token.value.dates for token in right
        ):
            return None, tokens
        said = frozenset(token.stem for token in right if token.raw not in self._light | self._titles)
        # "The dog's name is Rex" says the same as "the dog is called Rex".
        return said or frozenset(token.stem for token in right), [t for t in left if t.stem != "name"]

    def _is_plain(self, tokens: Sequence[Token]) -> bool:
        """Tell whether some words can be the value of an attribute: not "on the wall", and not "too long"."""
        return tokens[0].raw not in _PREPOSITIONS and all(
            token.side is None or token.side[0] == "colour" for token in tokens
        )

    def _is_single(self, role: Sequence[Token], *, called: bool) -> bool:
        """Tell whether only one can have a role: not Anna's friend, but the name of the friend."""
        if role[0].raw == "the" and (called or any(token.stem == "name" for token in role)):
            return True
        ends = next((n for n, token in enumerate(role) if token.raw in _PREPOSITIONS), len(role))
        return bool(self._content(role)) and not self._content(role[:ends]) & self._shared_roles

    def _is_name(self, tokens: Sequence[Token], names: frozenset[str]) -> bool:
        return not tokens[-1].possessive and all(
            token.value is None and (token.raw in names or token.raw in self._titles) for token in tokens
        )

    def _slot(self, tokens: list[Token], names: frozenset[str]) -> tuple[Slot | None, list[Token]]:
        """Return the place or the like that a text gives its subject, and the tokens without it."""
        for at, token in enumerate(tokens):
            moves = token.role is Role.MOVING
            verb = "live" if moves else "be" if token.raw in self._standing else token.stem
            if not at or verb not in self._slots:
                continue
            start = at + 1
            while start < len(tokens) and tokens[start].raw in self._between:
                start += 1
            preposition = "in" if moves else tokens[start].raw if start < len(tokens) else ""
            if preposition not in self._slots[verb]:
                continue
            start += not moves
            end = _phrase_end(tokens, start)
            slot = self._place(tokens[start:end], verb, preposition, names)
            measured = end < len(tokens) and (value := tokens[end].value) is not None and not value.dates
            if slot is not None and not measured and all(before.raw != "there" for before in tokens[:at]):
                kept = [] if slot.loose else [Token(verb, verb)]
                return slot, [*tokens[:at], *kept, *tokens[end:]]
        return None, tokens

    def _place(
        self, tokens: Sequence[Token], verb: str, preposition: str, names: frozenset[str]
    ) -> Slot | None:
        """Return the place that some tokens after a preposition name, or None."""
        ends = next((n for n, token in enumerate(tokens) if token.raw in _PREPOSITIONS), len(tokens))
        first = [token for token in tokens[:ends] if token.raw not in self._light | _INDEFINITE]
        if not first or first[-1].stem in self._no_place:
            return None
        head, opens = first[-1].stem, tokens[0]
        known = opens.raw in _DEFINITE | names or opens.possessive or head in self._kinds
        loose = verb == "be"
        # "In a hurry", "in pieces": where a thing is, is known.
        if loose and (not known or any(token.raw in _INDEFINITE for token in tokens[:ends])):
            return None
        all_words = [
            *first,
            *(t for t in tokens[ends:] if t.raw not in self._light | _PREPOSITIONS | _INDEFINITE),
        ]
        return Slot(
            preposition=preposition,
            head=head,
            words=frozenset(token.stem for token in all_words),
            names=frozenset(token.stem for token in all_words if token.raw in names),
            kind=self._kinds.get(head),
            loose=loose,
        )


def _names(text: str) -> frozenset[str]:
    """Return the folded words of a text that begin with a capital letter."""
    found = _CASED.findall(unicodedata.normalize("NFKC", text))
    return frozenset(word.casefold().replace("’", "'") for word in found if word[0].isupper() and word != "I")


def _is_followed_by_value(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a form of "be" says when something is: "is on Monday", but not "is free on Monday"."""
    follows = [token for token in tokens[at + 1 :] if token.raw not in _BEFORE_VALUES]
    return tokens[at].raw in _COPULA and bool(follows) and follows[0].value is not None


def _is_definite(tokens: Sequence[Token]) -> bool:
    """Tell whether some words mean one certain thing or person: the mayor, Noor's mother."""
    return bool(tokens) and (tokens[0].raw in _DEFINITE or any(token.possessive for token in tokens[:-1]))


def _phrase_end(tokens: Sequence[Token], start: int) -> int:
    """Return the position of the first token from `start` on that is no word."""
    return next((n for n in range(start, len(tokens)) if not tokens[n].is_word), len(tokens))
