"""Markdown: a memory for each paragraph, list item and code block, tagged with the headings above it."""

from __future__ import annotations

import pytest

from prefrontal.api.imports.entry import Source
from prefrontal.api.imports.markdown import read_markdown
from tests.unit.imports.reading import contents

NOTES = """\
---
title: left out
---
# Ann
Ann drinks
oolong.

## Tea ##
- Morning: oolong
  - two cups
- Evening:

  rooibos
* Night: none

***
Wine
====
1. Riesling
2) Barolo
+ Port

After the list.
## Ann
# Wine
## Wine
last
"""


def test_each_block_has_its_line_and_the_headings_above_it():
    lines = list(read_markdown(NOTES, Source("notes")))

    assert [(line.number, line.draft.content, line.draft.tags) for line in lines if line.draft] == [
        (5, "Ann drinks\noolong.", ("Ann",)),
        (9, "Morning: oolong\n- two cups", ("Ann", "Tea")),
        (11, "Evening:\n\nrooibos", ("Ann", "Tea")),
        (14, "Night: none", ("Ann", "Tea")),
        (19, "Riesling", ("Wine",)),
        (20, "Barolo", ("Wine",)),
        (21, "Port", ("Wine",)),
        (23, "After the list.", ("Wine",)),
        (27, "last", ("Wine",)),
    ]
    assert [line.problem for line in lines] == [None] * 9


def test_code_stays_whole():
    text = (
        "To build:\n```sh\nmake\n\n# no heading\n- no item\n~~~\n```\n\n"
        "~~~\nalone\n~~~\n---\n- item\n  ```\n  in it\n\n  more\n  ```\n- next\n\n````\nnever\n```\nclosed"
    )

    assert contents(read_markdown(text, Source("notes"))) == [
        (1, "To build:\n```sh\nmake\n\n# no heading\n- no item\n~~~\n```"),
        (10, "~~~\nalone\n~~~"),
        (14, "item\n```\nin it\n\nmore\n```"),
        (20, "next"),
        (22, "````\nnever\n```\nclosed"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n \n\t\n", []),
        ("# only\n## headings", []),
        ("---\nno end of front matter", [(2, "no end of front matter")]),
        ("#hashtag", [(1, "#hashtag")]),
        ("C# ##", [(1, "C# ##")]),
        ("a\r\n\r\nb\rc", [(1, "a"), (3, "b\nc")]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", [(1, "| a | b |\n|---|---|\n| 1 | 2 |")]),
        ("a\u2028b", [(1, "a\u2028b")]),
    ],
)
def test_what_else_a_file_may_hold(text, expected):
    assert contents(read_markdown(text, Source("notes"))) == expected


def test_a_long_heading_is_cut_to_the_length_of_a_tag():
    (line,) = read_markdown("# " + "x" * 200 + "\ntext", Source("notes"))
    assert line.draft is not None
    assert line.draft.tags == ("x" * 99 + "…",)
