"""Plain grammar in messages: a number with its noun, and a name with its article.

counted(1, "open action")    1 open action
counted(2, "entry")          2 entries
with_article("user")         a user
with_article("approval")     an approval
"""

from __future__ import annotations

import re

_LIKE_A_CONSONANT = re.compile(
    # As in user, unit, utility; in one; in Europe.
    r"us[aeiu]|uni(?![mn])|ut[aeiou]|ubiq|ur[aeiou]|u(?:[^a-z]|$)|one(?![a-z])|once|eu|ewe",
    re.IGNORECASE,
)
_LIKE_A_VOWEL = re.compile(r"[aeiou]|hour|honest|honou?r|heir|8|1[18](?!\d)", re.IGNORECASE)


def counted(number: float, one: str, many: str | None = None) -> str:
    """Return a number with what is counted: one thing in the singular, any other number in the plural.

    Args:
        number: How many there are.
        one: What is counted, in the singular.
        many: The plural, if it is not formed as usual; also for a verb that goes with it.
    """
    shown = f"{number:g}" if isinstance(number, float) else str(number)
    return f"{shown} {one if number == 1 else many or _plural(one)}"


def with_article(name: str) -> str:
    """Return a name after `a` or `an`, as its first letters are spoken."""
    spoken_as_vowel = _LIKE_A_VOWEL.match(name) and not _LIKE_A_CONSONANT.match(name)
    return f"{'an' if spoken_as_vowel else 'a'} {name}"


def _plural(one: str) -> str:
    if re.search(r"[^aeiou]y$", one):
        return f"{one[:-1]}ies"
    return f"{one}es" if re.search(r"(?:s|x|ch|sh)$", one) else f"{one}s"
