"""Which scripts a model has learned, by its vocabulary, and which texts it can tell the meaning of."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from prefrontal.graph.text.learned_scripts import knows, learned_scripts

LATIN = frozenset({"LATIN"})


def test_single_letters_and_a_few_words_teach_no_script() -> None:
    words = [f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(600)]
    pieces = ["[UNK]", *words, *"абвгдежзиклмн", *"αβγδε", "на", "по", "##ов", "東", "京"]
    tokenizer = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(pieces)}, unk_token="[UNK]"))

    assert learned_scripts(tokenizer) == LATIN


def test_pieces_of_bytes_are_read_as_the_letters_that_they_make() -> None:
    as_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    words = ["привет", "ключ", "дверь", "tea", "wine"]
    pieces = {as_bytes.pre_tokenize_str(word)[0][0]: n for n, word in enumerate(words)}
    tokenizer = Tokenizer(models.BPE(pieces, []))
    tokenizer.decoder = decoders.ByteLevel()

    assert learned_scripts(tokenizer) == {"CYRILLIC", "LATIN"}


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("tea", True),
        ("Zürich 🚀", True),
        ("5", True),
        ("ｗｉｄｅ", True),
        ("the message μήνυμα", True),
        ("the μήνυμα", False),
        ("🚀", False),
        ("привет", False),
        ("5 🎉 你好", False),
        ("", False),
        ("?!", False),
    ],
)
def test_a_text_is_known_by_the_letters_that_it_has_most_of(text: str, known: bool) -> None:
    assert knows(text, LATIN) is known


def test_letters_in_unknown_pieces_are_not_known() -> None:
    assert knows("tea coffee", LATIN)
    assert not knows("tea coffee", LATIN, [(4, 10)])
    assert knows("tea wine cup", LATIN, [(9, 12)])
