"""Identifiers and amounts in a text, compared as such: in any spacing, punctuation and case.

A question that names a ticket, a version, a telephone number or an amount is not answered by what names
another one, however near the two texts are. A question may name

    code       letters and digits, perhaps in groups: `OPS-1187`, `2.10.1`, `+47 22 85 50 50`, `B2.07`. What
               stands between the groups does not count, but for a point between digits. A telephone number
               may lack its country, and a hash may be cut after seven characters
    amount     a number with a currency, or a large one with a fraction: `1,245.50`, `899 euros` (`amounts`)
    link       a URL, an e-mail address or a host name; its scheme does not count
    date       in figures or with the name of a month (`dates`). Only another date speaks against a text
    numbered   a short number behind a word: `aisle 41`. Only the same word with another number speaks against
               a text

No identifiers are years, times of day, ranges (`2-3`), ordinals, measures (`3kg`), short numbers that stand
alone, and words with a digit that are frequent in English (`mp3`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from prefrontal.graph.text.amounts import POINT, Number, numbers_in, term_of
from prefrontal.graph.text.dates import MONTHS, Day, dates_in, day_of
from prefrontal.graph.text.rarity import rarity
from prefrontal.graph.text.words import stem

_HOSTS = (
    "com|org|net|io|dev|edu|gov|info|eu|uk|de|fr|es|it|nl|pl|no|se|fi|dk|ch|at|be|jp|cn|us|ca|au|nz|app|cloud"
)
_LINK = re.compile(
    r"(?:(?:https?|ftp|ssh|git)://|www\.)[^\s<>\"')\]]+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
    rf"|(?<![\w.-])(?:[a-z0-9-]{{1,63}}\.){{1,8}}(?:{_HOSTS}|example|test|local|internal|lan)\b"
    r"(?:[/:][^\s<>\"')\]]*)?",
    re.IGNORECASE,
)
"""It is tried where a name begins alone, and names are short: else a long text would take minutes."""
_SCHEME = re.compile(r"\b(?:[a-z]+://(?:www\.)?|www\.)")
_SCHEME_OR_END = re.compile(rf"^{_SCHEME.pattern}|[/.,;:!?]+$")
_UNITS = (
    "am|pm|kg|g|mg|t|km|m|cm|mm|l|ml|cl|dl|h|hrs?|min|s|sec|ms|x|d|w|y|k|kb|mb|gb|tb|kib|mib|gib|px|hz|khz|mhz|ghz"
    "|kw|kwh|mw|ah|mah|%|°|°c|°f|ft|in|lb|lbs|oz|mph|kmh|km/h|bit|fps"
)
_COUNTED = "fold|way|day|week|month|year|hour|minute|person|page|inch|bit|bed|storey|litre|liter|metre|meter"
_NO_IDENTIFIER = re.compile(
    rf"(?:[a-z]\d{{1,2}}[a-z]|\d{{1,2}}(?::\d\d){{1,2}}(?:h|am|pm)?|\d{{1,2}}h\d{{0,2}}|\d+(?:st|nd|rd|th|s)"
    rf"|\d{{1,3}}[-\u2013/]\d{{1,3}}|\d+(?:[.,]\d+)?(?:{_UNITS}|[-\u2013]?(?:{_COUNTED})))",
    re.IGNORECASE,
)
"""Numeronyms (`k8s`), times, ordinals, ranges and measures."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_HASH = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,}")
_HASH_START = 7
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_CHUNK = re.compile(r"\S+")
_EDGES = "\"'\u2018\u2019\u201c\u201d()[]{}<>.,;:!?\u2026\u00bf\u00a1*`~|"
_SIGNS = "#+-\u2013/\u00a7"
_GLUE = re.compile(r"\s?[^\w\s,;!?]{0,2}\s?|\s{0,2}|_|[.,'\u2019]")
"""What may stand between the groups of one identifier."""
_POINT_AND_DIGIT = re.compile(r"[.,]\d")
_LETTER_BEHIND = re.compile(r" ([b-hj-z])(?=[?!.,]|$)", re.IGNORECASE)
_FRACTION = re.compile(r"\d{1,2}\.\d+")
_LISTED = re.compile(r"(?:(?:,|, and| and| or| &| \+| to|-|\u2013) ?\d+\b)*")
_JOINED = re.compile(r"(?<![\w-])([^\W\d_]+)[-\u2013#]?(\d{1,4})(?!\w|[-.,]\d)")
_NUMBER_SIGNS = frozenset({"no", "nr", "number", "num"})
_SHORT_FORMS = {
    "p": "page", "pp": "page", "rm": "room", "ch": "chapter", "sec": "section", "fig": "figure",
    "v": "version", "ver": "version", "apt": "apartment", "ext": "extension", "bldg": "building",
    "fl": "floor",
}  # fmt: skip
_NO_LABELS = frozenset(
    """
    a about above after all amount an and another are around at before below bill by cost costs earned
    every fee first for from get give got in is just last least minus most name next of only or other
    over owe owes paid pay pays per plus price roughly since some spend spent sum than the these those
    till times to top total totals turn turned turns under until was were what which who with within
    """.split()  # noqa: SIM905
)
"""Words that do not say what the number behind them numbers."""
_CAPITALS = 4
"""The most capital letters that may be a group of an identifier: `12 C 418/26`."""
_LONG = 4
"""From so many digits on a number that stands alone identifies."""
_PHONE = 6
"""From so many digits on it may be a telephone number."""
_COUNTRY = 5
"""The most digits of a country, with zeros."""
_GROUPS = 8
_NEAR = 100
"""How far before an identifier its word is looked for."""
_MONEY_FROM = 100
"""What is less and has a fraction and no currency is rather a measure."""
_SHORT = 2
"""The most digits of what may be a word: `mp3`."""
_FREQUENT = 0.975
"""A short word with digits that is less rare is a word."""
_PLAIN = 0.2
"""A word that is less rare numbers nothing."""
_PREFIX_RARITY = 0.75
_PREFIX = 6


class Code(NamedTuple):
    """A run of letters and digits, folded, without what stood between its groups."""

    key: str
    points: frozenset[int]
    """The places in the key where a point stood between digits."""
    cuts: frozenset[int]
    """The places where anything stood between digits."""
    prefix: str = ""
    """A rare word before it, which may belong to it: `ops` of `ops 1187`."""
    is_international: bool = False
    """Whether it began with a plus sign or two zeros, so that a note may lack its country."""


class Numbered(NamedTuple):
    """A word, as a stem, and the number behind it."""

    word: str
    number: str


class Asked(NamedTuple):
    """The identifiers of a question."""

    codes: tuple[Code, ...] = ()
    amounts: tuple[frozenset[Decimal], ...] = ()
    """Of each amount the values that its spelling may have."""
    links: tuple[str, ...] = ()
    numbered: tuple[Numbered, ...] = ()
    dates: tuple[frozenset[Day], ...] = ()
    """Of each date its readings."""

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return any(self)


class _Token(NamedTuple):
    text: str
    start: int
    end: int


class _Chunk(NamedTuple):
    """What stands between white space, without signs at its edges."""

    text: str
    start: int
    end: int
    has_plus: bool

    @property
    def has_digit(self) -> bool:
        return any(character.isdigit() for character in self.text)

    @property
    def is_capitals(self) -> bool:
        letters = self.text.replace("-", "")
        return letters.isalpha() and letters.isupper() and len(letters) <= _CAPITALS and letters != "I"


class _Stored(NamedTuple):
    """A stored text, ready to be compared with the identifiers of a question."""

    text: str
    tokens: Sequence[_Token]
    joined: str
    starts: dict[int, int]
    """The number of the token that begins at a place of `joined`; the end counts as one more."""
    values: frozenset[Decimal]
    dates: frozenset[Day]
    numbers: dict[str, frozenset[str]]


@lru_cache(maxsize=1_000)
def asked(text: str) -> Asked:
    """Return the identifiers that a question names."""
    whole = _folded_digits(text)
    links = tuple(
        dict.fromkeys(_SCHEME_OR_END.sub("", found[0].casefold()) for found in _LINK.finditer(whole))
    )
    rest = _without(whole, (found.span() for found in _LINK.finditer(whole)))
    dates = dates_in(rest)
    rest = _without(rest, ((each.start, each.end) for each in dates))
    amounts = [number for number in numbers_in(rest) if _is_amount(rest, number)]
    rest = _without(rest, ((each.start, each.end) for each in amounts))
    chunks = _chunks(rest)
    return Asked(
        codes=tuple(dict.fromkeys(_codes(rest, chunks))),
        amounts=tuple(dict.fromkeys(each.values for each in amounts)),
        links=links,
        numbered=tuple(dict.fromkeys(_numbered(rest, chunks))),
        dates=tuple(dict.fromkeys(each.readings for each in dates)),
    )


class Naming(Enum):
    """What a text has to do with the identifiers of a question."""

    SAME = "same"
    """It has one of the codes, amounts, links or days: one text need not have all."""
    LIKE = "like"
    """It has the same number behind the same word, or a date of the same month."""
    OTHER = "other"
    """It lacks all codes, amounts and links, or has another date, or another number behind the same word."""
    NEITHER = "neither"


def naming(question: Asked, text: str, at: datetime | None = None) -> Naming:
    """Return what a text has to do with the identifiers of a question. Its own time is one of its dates."""
    if not question:
        return Naming.NEITHER
    stored = _stored(text)
    one_of = [
        *(_has_code(code, stored) for code in question.codes),
        *(not values.isdisjoint(stored.values) for values in question.amounts),
        *(_has_link(link, stored.text) for link in question.links),
    ]
    all_of = [
        pair.number in stored.numbers[pair.word] for pair in question.numbered if pair.word in stored.numbers
    ]
    own = () if at is None else (day_of(at),)
    dated = [
        any(day.agrees(other) for day in readings for other in stored.dates)
        for readings in question.dates
        if stored.dates and not any(day.agrees(other) for day in readings for other in own)
    ]
    if (one_of and not any(one_of)) or not all(all_of) or (dated and not any(dated)):
        return Naming.OTHER
    same_day = (
        day.agrees(other)
        for readings in question.dates
        for day in readings
        for other in stored.dates
        if day.day and other.day
    )
    if one_of or any(same_day):
        return Naming.SAME
    return Naming.LIKE if all_of or dated else Naming.NEITHER


def identifier_terms(text: str) -> tuple[str, ...]:
    """Return the terms by which the index finds the identifiers of a text in any spelling, each once.

    Those of a stored text and of a question that names the same identifier have one in common.
    """
    whole = _folded_digits(text)
    if not any(character.isdigit() for character in whole):
        return ()
    dates = dates_in(whole)
    days = sorted({day for each in dates for day in each.readings if day.day})
    found = [f"{list(MONTHS)[day.month - 1]}{day.day}" for day in days]
    whole = _without(whole, ((each.start, each.end) for each in dates))
    for number in numbers_in(whole):
        if not number.spelled.isdecimal() or number.is_money:
            found += sorted(map(term_of, number.values))
    chunks = _chunks(whole)
    for run in _runs(whole, chunks):
        groups = [[token.text for token in _tokens(chunk.text)] for chunk in run]
        found += [token for group in groups for token in group if _is_long(token)]
        for first in range(len(run)):
            joined = ""
            for group in groups[first : first + _GROUPS]:
                joined += "".join(group)
                found += _forms(joined)
    found += [pair.number for pair in _numbered(whole, chunks, every=True) if not pair.number.isdecimal()]
    return tuple(dict.fromkeys(found))


def _forms(joined: str) -> Iterator[str]:
    """Yield the terms of joined letters and digits: without a `v` or zeros before them, a hash also cut."""
    if _is_long(joined) or not (joined.isalpha() or joined.isdecimal()):
        if _HASH.fullmatch(joined):
            yield joined[:_HASH_START]
        yield joined[1:] if re.fullmatch(r"v\d+", joined) else joined.lstrip("0") or joined


def _is_long(text: str) -> bool:
    return text.isdecimal() and len(text) >= _LONG


@lru_cache(maxsize=4_000)
def _stored(text: str) -> _Stored:
    written = _folded_digits(text)
    whole = written.casefold()
    tokens = _tokens(whole)
    starts, length = {}, 0
    for number, token in enumerate(tokens):
        starts[length] = number
        length += len(token.text)
    starts[length] = len(tokens)
    numbers: dict[str, set[str]] = {}
    for pair in _numbered(written, _chunks(written), every=True):
        numbers.setdefault(pair.word, set()).add(pair.number)
    return _Stored(
        text=whole,
        tokens=tokens,
        joined="".join(token.text for token in tokens),
        starts=starts,
        values=frozenset(value for number in numbers_in(whole) for value in number.values),
        dates=frozenset(day for each in dates_in(written) for day in each.readings),
        numbers={word: frozenset(found) for word, found in numbers.items()},
    )


def _folded_digits(text: str) -> str:
    """Return a text with the digits of all scripts as those of ours."""
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFKC", text)
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in folded)


def _without(text: str, places: Iterable[tuple[int, int]]) -> str:
    """Return a text with signs in some places, so that what is beside them stays apart."""
    left, last = [], 0
    for start, end in places:
        left += [text[last:start], ";" * (end - start)]
        last = end
    return "".join(left) + text[last:]


def _tokens(text: str) -> list[_Token]:
    """Return the runs of letters and the runs of digits of a text."""
    return [_Token(found[0].casefold(), found.start(), found.end()) for found in _TOKEN.finditer(text)]


def _chunks(text: str) -> list[_Chunk]:
    chunks = []
    for found in _CHUNK.finditer(text):
        left = found[0].lstrip(_EDGES + _SIGNS)
        bare = left.rstrip(_EDGES + _SIGNS)
        if bare:
            skipped = len(found[0]) - len(left)
            start = found.start() + skipped
            chunks.append(_Chunk(bare, start, start + len(bare), "+" in found[0][:skipped]))
    return chunks


def _runs(text: str, chunks: Iterable[_Chunk]) -> Iterator[list[_Chunk]]:
    """Yield chunks that stand side by side and may be the groups of one identifier."""
    run: list[_Chunk] = []
    for chunk in chunks:
        belongs = chunk.has_digit or chunk.is_capitals
        if run and not (belongs and _GLUE.fullmatch(text[run[-1].end : chunk.start])):
            if any(each.has_digit for each in run):
                yield run
            run = []
        if belongs:
            run.append(chunk)
    if any(each.has_digit for each in run):
        yield run


def _is_amount(text: str, number: Number) -> bool:
    """Return whether a number of a question is an amount that a note has to have."""
    if number.is_money:
        return True
    if number.spelled.isdecimal() or not number.values:
        return False
    label = _word_before(text, number.start)
    if label.isalpha() and label not in _NO_LABELS:
        return False
    whole = number.spelled == text.strip(_EDGES + " ")
    return whole or (max(number.values) >= _MONEY_FROM and not _is_measure(text, number))


def _is_measure(text: str, number: Number) -> bool:
    found = _CHUNK.match(text, number.start)
    return found is not None and _NO_IDENTIFIER.fullmatch(found[0].rstrip(_EDGES)) is not None


def _codes(text: str, chunks: Iterable[_Chunk]) -> Iterator[Code]:
    """Yield the codes of a question without links, dates and amounts."""
    for run in _runs(text, chunks):
        for start in range(0, len(run), _GROUPS):
            group = run[start : start + _GROUPS]
            if _identifies(text, group):
                yield _code(text, group)


def _identifies(text: str, group: Sequence[_Chunk]) -> bool:
    """Return whether some groups of letters and digits identify something."""
    whole = text[group[0].start : group[-1].end]
    if not _is_joined(whole, _tokens(whole)):
        return False
    numbers = [each.text for each in group if each.has_digit]
    # `FIFA 23` is numbered.
    is_numbered = group[0].is_capitals and len(numbers) == 1 and re.fullmatch(r"\d{1,3}", numbers[0])
    if is_numbered or all(map(_YEAR.fullmatch, numbers)):
        return False
    *_, label, before = "", "", *_words_before(text, group[0].start)
    if text.startswith("#", max(0, group[0].start - 1)):
        return True
    if before in _NUMBER_SIGNS:
        # `the no. 46`, but not `aisle no. 46`.
        return not label.isalpha() or label in _NO_LABELS
    if len(group) == 1 and _FRACTION.fullmatch(whole):
        # A small number with a fraction is a measure, unless a word says what it numbers.
        return before.replace("-", "").isalpha() and before not in _NO_LABELS
    return len(group) > 1 or _is_code(whole)


def _is_code(whole: str) -> bool:
    """Return whether letters and digits identify something wherever they stand."""
    key = "".join(token.text for token in _tokens(whole))
    if _NO_IDENTIFIER.fullmatch(whole):
        return False
    if key.isdecimal():
        return _is_long(key) or "." in whole
    return sum(map(str.isdecimal, key)) > _SHORT or rarity(key) > _FREQUENT


def _code(text: str, group: Sequence[_Chunk]) -> Code:
    whole = text[group[0].start : group[-1].end]
    tokens = _tokens(whole)
    key = "".join(token.text for token in tokens)
    before = _word_before(text, group[0].start)
    rare = (
        key.isdecimal() and before.isalpha() and len(before) <= _PREFIX and rarity(before) >= _PREFIX_RARITY
    )
    return Code(key, *_cuts(whole, tokens), before if rare else "", group[0].has_plus or key.startswith("00"))


def _word_before(text: str, place: int) -> str:
    *_, word = "", *_words_before(text, place)
    return word


def _words_before(text: str, place: int) -> list[str]:
    """Return the last two words before a place."""
    near = text[max(0, place - _NEAR) : place].split()[-2:]
    return [word.strip(_EDGES + "#").casefold() for word in near]


def _cuts(text: str, tokens: Sequence[_Token]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the places in the joined tokens with a point between digits, and those with anything there."""
    points, cuts, length = set(), set(), 0
    for one, other in pairwise(tokens):
        length += len(one.text)
        if one.text[-1].isdigit() and other.text[0].isdigit():
            cuts.add(length)
            if POINT.fullmatch(text[one.end : other.start]):
                points.add(length)
    return frozenset(points), frozenset(cuts)


def _is_joined(text: str, tokens: Sequence[_Token]) -> bool:
    """Return whether some tokens of a text may be the groups of one identifier."""
    between = (text[one.end : other.start] for one, other in pairwise(tokens))
    return all(map(_GLUE.fullmatch, between))


def _has_link(link: str, text: str) -> bool:
    """Return whether a folded text has a link, or one that begins with it."""
    return re.search(rf"(?<![\w.@-]){re.escape(link)}(?![\w@-]|\.\w)", _SCHEME.sub("", text)) is not None


def _has_code(code: Code, stored: _Stored) -> bool:
    keys = [code.key]
    if code.key.isdecimal() and len(code.key) >= _PHONE:
        # A zero for calls inside the country may stand before it, or be left out.
        keys.append(code.key.lstrip("0"))
        if code.is_international:
            cuts = [cut for cut in sorted(code.cuts) if cut <= _COUNTRY and len(code.key) - cut >= _PHONE]
            keys += [code.key[cut:] for cut in cuts]
    if re.fullmatch(r"[a-z]\d+", code.key):
        keys.append(code.key[1:])
    return any(_has_key(code, key, stored) for key in dict.fromkeys(keys))


def _has_key(code: Code, key: str, stored: _Stored) -> bool:
    """Return whether a text has a code in one of its forms, from the start of a token to the end of one."""
    place = stored.joined.find(key)
    while place >= 0:
        first, last = stored.starts.get(place), stored.starts.get(place + len(key))
        if first is None and key.isdecimal() and len(key) >= _PHONE:
            begin = max((start for start in stored.starts if start < place), default=0)
            first = stored.starts[begin] if set(stored.joined[begin:place]) == {"0"} else None
        if first is not None:
            if last is None:
                if _HASH.fullmatch(key) and _begins_hash(key, stored, first):
                    return True
            elif _is_same(code, key, stored, first, last):
                return True
        place = stored.joined.find(key, place + 1)
    return False


def _begins_hash(key: str, stored: _Stored, first: int) -> bool:
    found = re.match(r"\w+", stored.text[stored.tokens[first].start :])
    return found is not None and _HASH.match(found[0]) is not None and found[0].startswith(key)


def _is_same(code: Code, key: str, stored: _Stored, first: int, last: int) -> bool:
    """Return whether some tokens, which have the letters and digits of a code, are that code."""
    tokens = stored.tokens[first:last]
    start, end = tokens[0].start, tokens[-1].end
    before, whole = stored.text[max(0, start - _NEAR) : start], stored.text[start:end]
    if not _is_joined(stored.text, tokens):
        return False
    # A part of a number with points is another number.
    if tokens[0].text.isdecimal() and re.search(r"\d[.,]$", before):
        return False
    if tokens[-1].text.isdecimal() and _POINT_AND_DIGIT.match(stored.text, end):
        return False
    if len(key) == len(code.key) - 1 and code.key[0].isalpha():
        # `v2.1` may be `version 2.1` or `2.1`, and `R3.014` `room 3.014`.
        words = _TOKEN.findall(before)
        if code.key[0] != "v" and not (words and words[-1].startswith(code.key[0])):
            return False
        points, cuts = (frozenset(place - 1 for place in places) for places in (code.points, code.cuts))
        code = Code(key, points, cuts)
    if key == code.key and not _groups_agree(code, *_cuts(whole, _tokens(whole))):
        return False
    named = re.search(rf"([^\W\d_]{{1,{_PREFIX}}})[-_/]?$", before)
    return not (code.prefix and named and code.prefix not in named[1])


def _groups_agree(code: Code, points: frozenset[int], cuts: frozenset[int]) -> bool:
    """Return whether the digits of a code may be grouped in the two ways: `12.45` is not `1,245`."""
    if not (code.cuts <= cuts or cuts <= code.cuts):
        return False
    if code.points == points or code.cuts == cuts:
        return True
    # Points may be left out if they part thousands, or the groups of a long number.
    differ, size = code.points ^ points, len(code.key)
    thousands = all((size - place) % 3 == 0 for place in differ) and len(code.points | points) == len(differ)
    return thousands or len(differ) > 2  # noqa: PLR2004


def _numbered(text: str, chunks: Sequence[_Chunk], *, every: bool = False) -> Iterator[Numbered]:
    """Yield the words of a text that have a number behind them.

    Of a question only short numbers count: long ones identify by themselves. Of a stored text `every` one
    counts, also those in a list (`hives 1, 2 and 5`) and those joined with their word (`v14`).
    """
    for place, other in enumerate(chunks[1:], start=1):
        label = chunks[place - 1]
        if label.text.casefold() in _NUMBER_SIGNS and place > 1:
            label = chunks[place - 2]
        number = _number_behind(text, label, other)
        if number is not None:
            if every or len(number) < _LONG or _YEAR.fullmatch(number):
                yield _labelled(label.text, number)
            if every and (listed := _LISTED.match(text, other.end)):
                yield from (_labelled(label.text, found) for found in re.findall(r"\d+", listed[0]))
    if every:
        yield from (_labelled(found[1], found[2]) for found in _JOINED.finditer(text))


def _number_behind(text: str, label: _Chunk, other: _Chunk) -> str | None:
    """Return the number behind a word; None if there is none, or if the word does not say what it numbers."""
    word, number = label.text.casefold(), other.text.casefold()
    between = text[label.end : other.start].strip(" #.").casefold()
    if not word.isalpha() or word in _NO_LABELS or between not in {"", *_NUMBER_SIGNS}:
        return None
    if not re.fullmatch(r"\d+[b-hj-z]?", number) or (_YEAR.fullmatch(number) and not label.is_capitals):
        return None
    if rarity(word) <= _PLAIN and not label.text[0].isupper() and word not in _SHORT_FORMS:
        return None
    letter = _LETTER_BEHIND.match(text, other.end)
    return number + letter[1].casefold() if letter and number.isdecimal() else number


def _labelled(word: str, number: str) -> Numbered:
    folded = word.casefold()
    return Numbered(stem(_SHORT_FORMS.get(folded, folded)), number.lstrip("0") or "0")
