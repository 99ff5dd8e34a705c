"""A sentence encoder of a few numbers, written by hand: a table with a vector for each word."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

_TYPES = {"float": TensorProto.FLOAT, "int32": TensorProto.INT32, "int64": TensorProto.INT64}

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


def model_bytes(inputs: dict[str, str] = USUAL, *, output: str = "last_hidden_state") -> bytes:
    """A model that looks up each word piece, or with the output `ids` gives them back."""
    table = numpy_helper.from_array(np.array(list(WORDS.values()), np.float32), "table")
    first = next(iter(inputs))
    if output == "ids":
        node = helper.make_node("Identity", [first], [output])
        result = helper.make_tensor_value_info(output, _TYPES[inputs[first]], ["batch", "length"])
    else:
        node = helper.make_node("Gather", ["table", first], [output])
        result = helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", "length", 3])
    given = [
        helper.make_tensor_value_info(name, _TYPES[kind], ["batch", "length"])
        for name, kind in inputs.items()
    ]
    graph = helper.make_graph([node], "tiny", given, [result], [table])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)])
    made: bytes = model.SerializeToString()
    return made


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
    tokenizer: dict[str, object] = {
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
