"""The numbers that a text has in figures, with the values that their spelling may have.

`1,245.50`, `1.245,50` and `1'245.5` are 1245.5. `1,245` is 1245 or 1.245: which one, nobody can tell. With a
currency `3k` is 3000.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

POINT = re.compile(r"[.,'\u2019\u00a0\u202f]")
"""What may stand between the figures of a number."""
_SIGNS = "[$€£¥₹₽₺₩₪]"
_CODES = "eur|usd|gbp|chf|jpy|nok|sek|dkk|pln|czk|inr|cad|aud|nzd|cny"
_NAMES = "euros?|dollars?|pounds?|francs?|kron(?:er|or|a|e)|yen|rupees?|zloty|cents?|bucks"
_AMOUNT = re.compile(
    rf"(?P<before>(?:{_SIGNS}|(?:us|a|c)\$|(?:{_CODES})\b)\s?)?(?<![\w.,])"
    rf"(?P<number>\d+(?:{POINT.pattern}\d+)*)(?P<times>[km](?=\W|$))?"
    rf"(?P<after>\s?(?:{_SIGNS}|(?:{_CODES}|{_NAMES})\b))?(?!\w)",
    re.IGNORECASE,
)
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*")
_NO_POINTS = re.compile(r"['\u2019\u00a0\u202f]")


class Number(NamedTuple):
    """A number of a text."""

    spelled: str
    values: frozenset[Decimal]
    """None if it is no number but something with several points, such as a version."""
    is_money: bool
    start: int
    end: int
    """Where it ends, with its currency."""


def numbers_in(text: str) -> Iterator[Number]:
    """Yield the numbers of a text, in its order."""
    for found in _AMOUNT.finditer(text):
        is_money = bool(found["before"] or found["after"])
        if found["times"] and not is_money:
            continue
        values = _values(found["number"], _TIMES[(found["times"] or "").lower()])
        yield Number(found["number"], values, is_money, found.start(), found.end())


def term_of(value: Decimal) -> str:
    """Return the term by which the index finds a value, in whatever spelling."""
    return format(value, "f").replace(".", "p")


def _values(number: str, times: int) -> frozenset[Decimal]:
    bare = _NO_POINTS.sub("", number)
    spelled = {bare} if bare.isdecimal() else set()
    if _THOUSANDS.fullmatch(bare):
        spelled.add(POINT.sub("", bare))
    whole, point, fraction = (found[0], found[1], found[2]) if (found := _parted(bare)) else ("", "", "")
    if point and (whole.isdecimal() or _THOUSANDS.fullmatch(whole)):
        spelled.add(f"{POINT.sub('', whole)}.{fraction}")
    return frozenset((Decimal(each) * times).normalize() for each in spelled)


def _parted(number: str) -> tuple[str, str, str] | None:
    """Return a number in two parts at its last point, with that in between, if that point occurs once."""
    points = [character for character in number if character in ".,"]
    if not points or points.count(points[-1]) > 1:
        return None
    return number.rpartition(points[-1])
