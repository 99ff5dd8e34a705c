"""A sentence encoder of a few numbers, written by hand: a table with a vector for each word.

The file is ONNX, a message of protocol buffers; the numbers of its fields are those of `onnx.proto`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

INT32, INT64, FLOAT = 6, 7, 1
_DATA_TYPES = {"float": FLOAT, "int32": INT32, "int64": INT64}

WORDS: dict[str, tuple[float, float, float]] = {
    # In the order of their numbers: the first three are added by the tokenizer.
    "[PAD]": (9.0, 9.0, 9.0),
    "[CLS]": (0.0, 0.0, 4.0),
    "[UNK]": (0.0, 0.0, 0.0),
    "tea": (4.0, 0.0, 0.0),
    "wine": (0.0, 4.0, 0.0),
    "ask": (2.0, 2.0, 0.0),
}
USUAL = {"input_ids": "int64", "attention_mask": "int64"}


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _value(name: str, kind: str, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(
        _bytes(1, _number(1, size) if isinstance(size, int) else _bytes(2, size)) for size in shape
    )
    tensor = _number(1, _DATA_TYPES[kind]) + _bytes(2, dims)
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor))


def model_bytes(inputs: dict[str, str] = USUAL, *, output: str = "last_hidden_state") -> bytes:
    """A model that looks up each word piece, or with the output `ids` gives them back."""
    rows = [value for vector in WORDS.values() for value in vector]
    table = _number(1, len(WORDS)) + _number(1, 3) + _number(2, FLOAT) + _bytes(8, "table")
    table += _bytes(9, struct.pack(f"<{len(rows)}f", *rows))
    first = next(iter(inputs))
    if output == "ids":
        node = _bytes(1, first) + _bytes(2, output) + _bytes(4, "Identity")
        result = _value(output, inputs[first], ["batch", "length"])
    else:
        node = _bytes(1, "table") + _bytes(1, first) + _bytes(2, output) + _bytes(4, "Gather")
        result = _value(output, "float", ["batch", "length", 3])
    graph = _bytes(1, node) + _bytes(2, "tiny") + _bytes(5, table)
    graph += b"".join(_bytes(11, _value(name, kind, ["batch", "length"])) for name, kind in inputs.items())
    graph += _bytes(12, result)
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 13))


def write_model(
    folder: Path,
    inputs: dict[str, str] = USUAL,
    *,
    output: str = "last_hidden_state",
    options: dict[str, object] | None = None,
) -> Path:
    """Write the model, a tokenizer of whole words and, if there are options, `encoder.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model_bytes(inputs, output=output))
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]}},
        },
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: number for number, word in enumerate(WORDS)},
            "unk_token": "[UNK]",
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    if options is not None:
        (folder / "encoder.json").write_text(json.dumps(options))
    return folder
