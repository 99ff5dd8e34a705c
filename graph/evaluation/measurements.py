"""Which notes are measurements, by their form: numbers with units, and percentiles.

    measured   a number with a unit ("2.3 seconds", "61 %", "4m12s"), or a percentile ("p99", "95th
               percentile")
    aimed at   such a number behind a word that makes it a bound ("below 200 ms", "at most 3 %"): a note with
               one says what should be, not what was measured

A text is a measurement if something in it is measured, nothing is aimed at, and at least `least_share` of its
words are numbers, units and percentiles.
"""

from __future__ import annotations

import re
from functools import cache

from prefrontal.graph.config.tables import MeasurementTable

_NUMBER = r"[-+]?\d+(?:[.,]\d+)*"
_ANY_NUMBER = re.compile(_NUMBER)
_PERCENTILE = re.compile(r"\bp\d{1,2}(?:\.\d+)?\b|\b\d{1,2}(?:\.\d+)?(?:st|nd|rd|th)?\s+percentile\b")
_TOKEN = re.compile(r"[^\W_]+(?:[.,:'’/-][^\W_]+)*|%")


def is_measurement(text: str, table: MeasurementTable) -> bool:
    """Tell whether a text says what was measured."""
    text = text.casefold()
    value = _value(tuple(sorted(table.units)), tuple(sorted(table.bounds)))
    found = list(value.finditer(text))
    percentiles = _PERCENTILE.findall(text)
    if not (found or percentiles) or any(match["bound"] for match in found):
        return False
    # What is measured is left out, and then what is left of the numbers: "18,204 rows in 42 s".
    rest = _PERCENTILE.sub(" ", value.sub(" ", text))
    words = _TOKEN.findall(rest)
    numbers = len([token for token in words if token[0].isdecimal()])
    # A number and its unit are two words, however they are written.
    of_values = len(percentiles) + sum(2 * len(_ANY_NUMBER.findall(match["value"])) for match in found)
    every = len(words) + of_values
    return numbers + of_values >= table.least_share * every


@cache
def _value(units: tuple[str, ...], bounds: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a number with its unit, and the bound before it."""
    unit = "|".join(re.escape(each.casefold()) for each in sorted(units, key=len, reverse=True))
    one = rf"{_NUMBER}\s?(?:{unit})(?![^\W\d_])"
    bound = "|".join(re.escape(each.casefold()) for each in sorted(bounds, key=len, reverse=True))
    # "12 to 20 ms" is a range, not a bound.
    return re.compile(rf"(?:(?<!\d\s)\b(?P<bound>{bound})\s+)?(?<![\w.,])(?P<value>{one}(?:\s?{one})*)")
