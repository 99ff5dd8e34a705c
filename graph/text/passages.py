"""Where a long text is divided into passages.

    size      of a text: its bytes in UTF-8. A letter of English has one, of Russian two, of Chinese three:
              in every script that is nearer to the number of tokens than the letters are
    window    the longest text of at most `most` bytes from the start of a passage
    passage   the rest, if it fits into the window; else up to the last of these ends in the second half of
              the window, in this order:
                  the end of a paragraph      an empty line
                  the end of a line
                  the end of a sentence       . ! ? … and the like with their closing quotes, before white
                                              space; those of scripts without spaces also without any
              else up to the last white space of the window, wherever it is; else up to the end of the last
              letter with its accents

White space around a passage belongs to none. So the passages cover the text in its order, but for white
space, and a word is cut only if it alone is longer than `most`, or if its script writes no spaces.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple
from unicodedata import category

_LEAST = 4
"""The size of the largest character."""
_LAST = (0x7F, 0x7FF, 0xFFFF)
"""The last characters of one, two and three bytes."""
_CLOSING = r"[\"'”’»)\]）」』】》〉]*"
_ENDS = (
    re.compile(r"\n[^\S\n]*\n"),
    re.compile(r"[\n\u2028\u2029]"),
    re.compile(rf"[.!?…؟۔।॥]+{_CLOSING}(?=\s)|[。！？｡]+{_CLOSING}"),
)
_SPACE = re.compile(r"\s")
_JOINER = "\u200d"
_BLANK = re.compile(r"\s*")


_SENTENCE = re.compile("|".join(pattern.pattern for pattern in _ENDS[1:]))


class Span(NamedTuple):
    """A part of a text: the characters from `start` up to `end`, without the one at `end`."""

    start: int
    end: int


def size_of(text: str) -> int:
    """Return the bytes of a text in UTF-8."""
    return sum(map(_bytes, text))


def passages_of(text: str, most: int) -> list[Span]:
    """Return the passages of a text, in order; none of them has more than `most` bytes, nor is blank."""
    if most < _LEAST:
        raise ValueError(f"a passage has at least {_LEAST} bytes, not {most}")
    found = []
    start, length = _skipped(text, 0), len(text.rstrip())
    while start < length:
        end = _window(text, start, length, most)
        if end < length:
            end = _cut(text, start, end)
        found.append(Span(start, start + len(text[start:end].rstrip())))
        start = _skipped(text, end)
    return found


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text, in order, each on one line; the end of a line is one, too."""
    ends = [0, *(each.end() for each in _SENTENCE.finditer(text)), len(text)]
    found = (" ".join(text[start:end].split()) for start, end in pairwise(ends))
    return [sentence for sentence in found if sentence]


def _skipped(text: str, start: int) -> int:
    blank = _BLANK.match(text, start)
    return start if blank is None else blank.end()


def _window(text: str, start: int, length: int, most: int) -> int:
    """Return where the longest part of at most `most` bytes ends."""
    end, left = start, most
    while end < length and (left := left - _bytes(text[end])) >= 0:
        end += 1
    return end


def _cut(text: str, start: int, end: int) -> int:
    """Return where the passage ends that begins at `start`, and at which a window ends at `end`."""
    half = start + (end - start + 1) // 2
    for pattern in _ENDS:
        # One character more: an end at the end of the window is followed by white space.
        ends = [each.end() for each in pattern.finditer(text, start, end + 1) if half <= each.end() <= end]
        if ends:
            return ends[-1]
    spaces = [each.start() for each in _SPACE.finditer(text, start, end + 1)]
    if spaces:
        return spaces[-1]
    for place in range(end, start, -1):
        if not _joined(text, place):
            return place
    return end


def _joined(text: str, place: int) -> bool:
    """Return whether the character at a place belongs to the one before it."""
    return category(text[place]).startswith("M") or _JOINER in text[place - 1 : place + 1]


def _bytes(character: str) -> int:
    code = ord(character)
    return 1 + sum(code > last for last in _LAST)
