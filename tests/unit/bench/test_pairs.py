"""The notes and questions that the encoder is tuned with are read as they are written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.pairs import NewerNote, PairsWorld, Question, read_pairs

GARAGE = """\
## A garage owner in a small town
- Labour rate goes up to £68 an hour.
- Wifi: GarageGuest :: spanner22
? who pays :: what per hour? :: 1
? wifi of the waiting area :: 2
! how fast is it :: 2
> All pay the same :: now :: 1 :: what per hour?
~ Tyres go up, too :: 1

## A florist
- Roses come on Tuesdays.
? flower delivery :: 1
"""


def test_the_worlds_of_all_files_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("## A baker\n- Flour is in the cellar.\n")
    (tmp_path / "a.txt").write_text(GARAGE)

    assert read_pairs(tmp_path) == [
        PairsWorld(
            "A garage owner in a small town",
            ["Labour rate goes up to £68 an hour.", "Wifi: GarageGuest :: spanner22"],
            [Question("who pays :: what per hour?", 0), Question("wifi of the waiting area", 1)],
            [Question("how fast is it", 1)],
            [NewerNote("All pay the same :: now", 0, "what per hour?")],
            [Question("Tyres go up, too", 0)],
        ),
        PairsWorld("A florist", ["Roses come on Tuesdays."], [Question("flower delivery", 0)]),
        PairsWorld("A baker", ["Flour is in the cellar."], []),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("? who is it", "line 3: ` :: ` and a note's number are missing"),
        ("? who is it :: 2", "line 3: ` :: ` and a note's number are missing"),
        ("? who is it :: 0", "line 3: ` :: ` and a note's number are missing"),
        ("? who is it :: one", "line 3: ` :: ` and a note's number are missing"),
        ("?  :: 1", "line 3: ` :: ` and a note's number are missing"),
        ("! who is it :: 3", "line 3: ` :: ` and a note's number are missing"),
        ("> It moved :: 1", "line 3: ` :: ` and a note's number are missing"),
        ("~ It is warm", "line 3: ` :: ` and a note's number are missing"),
        ("* a note", "line 3: no world (##), note (-) or question (? ! > ~)"),
        ("##", "line 3: no world (##), note (-) or question (? ! > ~)"),
        ("-", "line 3: no world (##), note (-) or question (? ! > ~)"),
    ],
)
def test_a_line_of_another_form_is_refused_with_its_number(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "a.txt").write_text(f"## A baker\n- Flour is in the cellar.\n{line}\n")

    with pytest.raises(ValueError, match=f"^{re.escape(f'a.txt, {said}')}$"):
        read_pairs(tmp_path)


def test_what_comes_before_the_first_world_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("- Flour is in the cellar.\n")

    with pytest.raises(ValueError, match="line 1"):
        read_pairs(tmp_path)
