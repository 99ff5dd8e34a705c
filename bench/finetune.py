"""Tunes the models of the default encoder for notes (`graph/text/low_rank.py`), from questions and answers.

    make finetune ARGS="[--hold N] [--write] [--rank R] [--epochs N] [--rate A] [--temperature T]
                        [--foreign W] [--worlds N]"

The questions and notes are those of `bench/data/pairs`. The loss is the cross-entropy of the right note among
the notes of some worlds (InfoNCE, van den Oord et al., "Representation Learning with Contrastive Predictive
Coding", 2018), where notes of another world weigh less, by the joint cosine of both models. It is minimised
with AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019). What is learned is a change
of low rank of each weight matrix (LoRA, Hu et al., 2022); everything else stays as it was.

The table has how many questions have an answer first, or among the first three, by the cosines alone, without
words, names and the floor (`python -m bench.everyday` measures the service):

    held out           every Nth world of `bench/data/pairs`, of which nothing is learned then (`--hold N`)
    short, everyday    `bench/data/short` and `bench/data/everyday`, of which nothing is ever learned

`--write` stores what was learned, for the encoder. It needs PyTorch, which `make finetune` installs (3 GB),
and about half an hour on two cores. The numbers differ a little between kinds of processors.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tokenizers import Encoding, Tokenizer
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from bench.everyday import read
from bench.pairs import read_pairs
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.text.encoders import JOINT_SHARES, joint_models
from prefrontal.graph.text.low_rank import DOWN, QUANTIZED, SCALE, UP
from prefrontal.graph.text.model_files import MODEL, TOKENIZER, FetchedModel, tuning_of

MEASURED = ("short", "everyday")
FIRST = 3
BATCH_TEXTS = 60
"""How many texts of similar length go through a model at once."""
HEADS = 12
TINY = 1e-12
SEED = 0
MATRICES = 6
"""The weight matrices of a layer, in this order: query, key, value, output of attention, and the two of the
feed-forward network."""
BIASES = (
    "attention.self.query.bias",
    "attention.self.key.bias",
    "attention.self.value.bias",
    "attention.output.dense.bias",
    "intermediate.dense.bias",
    "output.dense.bias",
)
AFTER_ATTENTION, AFTER_ALL = "attention.output.LayerNorm", "output.LayerNorm"

WARM = 0.1
"""The share of the steps that warm up: the learning rate grows over them."""

Tensor = Any
Array = Any
_Learned = TypeVar("_Learned")


@dataclass(frozen=True, slots=True)
class World:
    """Notes, and questions with the places of the notes that answer each."""

    name: str
    notes: Sequence[str]
    questions: Sequence[str]
    answers: Sequence[frozenset[int]]


@dataclass(frozen=True, slots=True)
class Learning:
    """How the change is learned."""

    rank: int
    epochs: float
    rate: float
    temperature: float
    foreign: float
    """How much a note of another world weighs."""
    worlds: int
    """How many worlds are compared with each other in a step."""


HALVES = torch.cpu._is_avx512_bf16_supported()  # noqa: SLF001
"""Whether the processor multiplies bfloat16 by itself; where not, they are slower than whole floats."""


class Matrix:
    """A weight matrix with its bias, and the two matrices of low rank that change it."""

    def __init__(self, name: str, weight: Tensor, bias: Tensor, rank: int) -> None:
        self.name = name
        self._weight = weight
        self._bias = bias
        rows, columns = weight.shape
        self.down = (torch.randn(rows, rank) / math.sqrt(rows)).requires_grad_()
        # Nothing changes at first.
        self.up = torch.zeros(rank, columns).requires_grad_()

    def merged(self, rank: int) -> Matrix:
        """Return the changed matrix as one that is not changed yet."""
        changed = self._weight + (self.down @ self.up).detach()
        return Matrix(self.name, changed, self._bias, rank)

    def learned(self, change: tuple[Array, Array]) -> None:
        """Set the change to one that was learned before."""
        self.down, self.up = (torch.tensor(side).requires_grad_() for side in change)

    def __call__(self, values: Tensor) -> Tensor:
        """Return the values times the changed matrix, plus the bias."""
        return functional.linear(values, self._weight.T, self._bias) + values @ self.down @ self.up


class Norm:
    """A layer normalisation."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        self._weight = weight
        self._bias = bias

    def __call__(self, values: Tensor) -> Tensor:
        return functional.layer_norm(values, values.shape[-1:], self._weight, self._bias, TINY)


class Bert:
    """A model of the encoder (Devlin et al., "BERT", 2019), with the weights of its file, to be tuned."""

    def __init__(self, model: FetchedModel, rank: int) -> None:
        folder = model.provide()
        self.name = model.name
        self._options = model.options
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(model.options.max_length)
        graph = onnx.load(str(folder / MODEL)).graph
        stored = {each.name: numpy_helper.to_array(each) for each in graph.initializer}

        def real(name: str) -> Tensor:
            zero = stored[f"{name}_zero_point"].astype(np.float32)
            whole = stored[name + QUANTIZED].astype(np.float32) - zero
            return torch.tensor(whole * stored[name + SCALE])

        def norm(name: str) -> Norm:
            return Norm(torch.tensor(stored[f"{name}.weight"]), torch.tensor(stored[f"{name}.bias"]))

        self._pieces, self._places, sorts = (
            real(f"embeddings.{name}_embeddings.weight") for name in ("word", "position", "token_type")
        )
        self._sorts = sorts
        self._norm = norm("embeddings.LayerNorm")
        names = [
            node.input[1].removesuffix(QUANTIZED) for node in graph.node if node.op_type == "MatMulInteger"
        ]
        self._layers = []
        for place in range(len(names) // MATRICES):
            layer = f"encoder.layer.{place}."
            of_layer = zip(names[place * MATRICES : (place + 1) * MATRICES], BIASES, strict=True)
            matrices = [
                Matrix(name, real(name), torch.tensor(stored[layer + bias]), rank) for name, bias in of_layer
            ]
            self._layers.append((matrices, norm(layer + AFTER_ATTENTION), norm(layer + AFTER_ALL)))

    @property
    def matrices(self) -> Iterator[Matrix]:
        """All weight matrices that are tuned."""
        for of_layer, *_ in self._layers:
            yield from of_layer

    @property
    def changes(self) -> Iterator[tuple[str, Array, Array]]:
        """What each matrix learned, with its name."""
        for matrix in self.matrices:
            yield matrix.name, matrix.down.detach().numpy(), matrix.up.detach().numpy()

    def learned(self, change: Mapping[str, tuple[Array, Array]]) -> None:
        """Set the change of each matrix to one that was learned before."""
        for matrix in self.matrices:
            matrix.learned(change[matrix.name])

    def vectors(self, texts: Sequence[str], *, asked: bool) -> Tensor:
        """Return the vectors of questions, or of notes, of unit length."""
        prefix = self._options.query_prefix if asked else self._options.passage_prefix
        return self._by_length([self._tokenizer.encode(prefix + text) for text in texts], self._encoded)

    def _by_length(
        self, texts: Sequence[Encoding], made_of: Callable[[Sequence[Encoding]], Tensor]
    ) -> Tensor:
        """Return what is made of texts, in their order, where those of similar length are read together."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place].ids))
        made = [
            made_of([texts[place] for place in order[k : k + BATCH_TEXTS]])
            for k in range(0, len(order), BATCH_TEXTS)
        ]
        return torch.cat(made)[torch.tensor(order).argsort()]

    def _encoded(self, texts: Sequence[Encoding]) -> Tensor:
        values, mask = self._read(texts)
        if self._options.pooling == "mean":
            return functional.normalize((values * mask[:, :, None]).sum(1), dim=-1)
        return functional.normalize(values[:, 0], dim=-1)

    def _read(self, texts: Sequence[Encoding]) -> tuple[Tensor, Tensor]:
        """Return a vector for each word piece, and which of them belong to the texts."""
        ids = torch.zeros(len(texts), max(len(text.ids) for text in texts), dtype=torch.long)
        mask = torch.zeros(ids.shape, dtype=torch.bool)
        of_kind = torch.zeros_like(ids)
        for place, text in enumerate(texts):
            ids[place, : len(text.ids)] = torch.tensor(text.ids)
            of_kind[place, : len(text.ids)] = torch.tensor(text.type_ids)
            mask[place, : len(text.ids)] = True
        # The plain kernel for attention is the fastest one for short texts.
        with torch.autocast("cpu", torch.bfloat16, enabled=HALVES), sdpa_kernel(SDPBackend.MATH):
            values = self._norm(self._pieces[ids] + self._places[: ids.shape[1]] + self._sorts[of_kind])
            for (query, key, value, out, wide, narrow), after_attention, after_all in self._layers:
                asking, asked, told = (
                    matrix(values).unflatten(-1, (HEADS, -1)).transpose(1, 2)
                    for matrix in (query, key, value)
                )
                seen = functional.scaled_dot_product_attention(
                    asking, asked, told, attn_mask=mask[:, None, None, :]
                )
                values = after_attention(values + out(seen.transpose(1, 2).flatten(2)))
                values = after_all(values + narrow(functional.gelu(wide(values))))
        return values.float(), mask


def cosines(models: Sequence[Bert], questions: Sequence[str], notes: Sequence[str]) -> Tensor:
    """Return the joint cosine of each question and each note."""
    return sum(
        share * (model.vectors(questions, asked=True) @ model.vectors(notes, asked=False).T)
        for model, share in zip(models, JOINT_SHARES, strict=True)
    )


def loss_of(models: Sequence[Bert], worlds: Sequence[World], how: Learning) -> Tensor:
    """Return how far the right notes are from being the nearest."""
    notes = [note for world in worlds for note in world.notes]
    questions = [question for world in worlds for question in world.questions]
    weights = torch.full((len(questions), len(notes)), math.log(how.foreign))
    right = []
    question = note = 0
    for world in worlds:
        weights[question : question + len(world.questions), note : note + len(world.notes)] = 0
        right += [note + min(answers) for answers in world.answers]
        question, note = question + len(world.questions), note + len(world.notes)
    scores = cosines(models, questions, notes) / how.temperature + weights
    return functional.cross_entropy(scores, torch.tensor(right))


def learn(models: Sequence[Bert], worlds: Sequence[World], how: Learning, progress: Progress) -> None:
    """Change the models."""
    changed = [{"params": [side for model in models for side in sides(model)], "lr": how.rate}]
    minimise(changed, worlds, lambda some: loss_of(models, some, how), how.worlds, how.epochs, WARM, progress)


def sides(model: Bert) -> Iterator[Tensor]:
    """All numbers of the change of a model."""
    for matrix in model.matrices:
        yield from (matrix.down, matrix.up)


def minimise(
    changed: Sequence[dict[str, Any]],
    learned: Sequence[_Learned],
    loss_of_some: Callable[[Sequence[_Learned]], Tensor],
    together: int,
    epochs: float,
    warm: float,
    progress: Progress,
) -> None:
    """Minimise a loss with AdamW: the learning rate grows at first and falls along a cosine until the end.

    Args:
        changed: The numbers to change, in groups with the greatest learning rate of each (`params`, `lr`).
        learned: What is learned from, in another order in each epoch.
        loss_of_some: Returns the loss of some of it.
        together: How much of it a step has.
        epochs: How often all of it is learned from.
        warm: The share of the steps over which the learning rate grows.
        progress: Shows the steps.
    """
    steps = int(len(learned) / together * epochs)
    growing = max(1, int(steps * warm))
    optimizer = torch.optim.AdamW(changed, weight_decay=0)
    pace = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min(
            (step + 1) / growing, 0.03 + 0.97 * (1 + math.cos(math.pi * max(0, step - growing) / steps)) / 2
        ),
    )
    chosen: list[int] = []
    task = progress.add_task("Learning", total=steps)
    mean = 0.0
    for step in range(steps):
        if len(chosen) < together:
            chosen = torch.randperm(len(learned)).tolist()
        now, chosen = chosen[:together], chosen[together:]
        optimizer.zero_grad()
        loss = loss_of_some([learned[place] for place in now])
        loss.backward()
        optimizer.step()
        pace.step()
        mean = loss.item() if not step else 0.98 * mean + 0.02 * loss.item()
        progress.update(task, advance=1, description=f"Learning, loss {mean:.3f}")


def places(models: Sequence[Bert], world: World) -> list[int]:
    """Return the place of the best answer to each question, 0 for the first."""
    with torch.no_grad():
        order = cosines(models, world.questions, world.notes).argsort(dim=1, descending=True).tolist()
    return [
        next(place for place, note in enumerate(row) if note in answers)
        for row, answers in zip(order, world.answers, strict=True)
    ]


def training_worlds() -> list[World]:
    """Return the worlds of `bench/data/pairs`."""
    return [
        World(
            "held out",
            [passage_of(note) for note in world.notes],
            [question.text for question in world.questions],
            [frozenset({question.note}) for question in world.questions],
        )
        for world in read_pairs()
    ]


def measured_worlds(data: str) -> list[World]:
    """Return the worlds of a set that is measured, with the questions that have an answer."""
    notes, asked = read(data, "notes")["notes"], read(data, "questions")["questions"]
    found = []
    for name in dict.fromkeys(note["world"] for note in notes):
        there = [note for note in notes if note["world"] == name]
        ids = {note["id"]: place for place, note in enumerate(there)}
        own = [question for question in asked if question["world"] == name and question["answers"]]
        found.append(
            World(
                f"{data}, {there[0]['split']}",
                [passage_of(note["text"], note.get("speaker")) for note in there],
                [question["text"] for question in own],
                [frozenset(ids[uid] for uid in question["answers"]) for question in own],
            )
        )
    return found


def measure(models: Sequence[Bert], worlds: Sequence[World], title: str, console: Console) -> None:
    """Print how many questions have an answer first, or among the first three."""
    table = Table("questions", "first", "in 3", "of", title=title)
    for name in sorted({world.name for world in worlds}):
        found = [place for world in worlds if world.name == name for place in places(models, world)]
        first, near = sum(place == 0 for place in found), sum(place < FIRST for place in found)
        table.add_row(name, str(first), str(near), str(len(found)))
    console.print(table)


def store(changes: Iterable[tuple[str, Array, Array]], file: Path, **more: Array) -> int:
    """Store the change of each matrix, by its name, as `read_change` takes it; return the bytes of the file.

    Args:
        changes: The name of each matrix, and the two matrices of low rank that change it.
        file: Where to store them.
        more: What else is stored, in single precision.
    """
    stored = {name: value.astype(np.float32) for name, value in more.items()}
    for name, down, up in changes:
        stored[name + DOWN] = down.astype(np.float16)
        stored[name + UP] = up.astype(np.float16)
    np.savez(file, allow_pickle=False, **stored)
    return file.stat().st_size


def parser_of(command: str, description: str | None, *, rank: int) -> argparse.ArgumentParser:
    """Return a parser of the options that both kinds of learning have."""
    parser = argparse.ArgumentParser(prog=command, description=description)
    parser.add_argument(
        "--hold", type=int, default=0, help="learn nothing of every Nth world, and measure it"
    )
    parser.add_argument("--write", action="store_true", help="store what is learned, for the service")
    parser.add_argument("--rank", type=int, default=rank, help="the rank of the change of a matrix")
    parser.add_argument("--epochs", type=float, default=2, help="how often all of it is learned from")
    parser.add_argument("--rate", type=float, default=0.001, help="the length of a step")
    return parser


def worlds_of(hold: int) -> tuple[list[World], list[World]]:
    """Return the worlds that are learned from, and those that are measured: also every Nth one if N > 0."""
    worlds = training_worlds()
    held = worlds[::hold] if hold else []
    learned = [world for place, world in enumerate(worlds) if not hold or place % hold]
    return learned, held + [world for data in MEASURED for world in measured_worlds(data)]


def main() -> None:
    """Run from the command line."""
    parser = parser_of("python -m bench.finetune", __doc__, rank=8)
    parser.add_argument("--temperature", type=float, default=0.03, help="by which cosines are divided")
    parser.add_argument("--foreign", type=float, default=0.1, help="how much a note of another world weighs")
    parser.add_argument("--worlds", type=int, default=8, help="how many worlds are compared in a step")
    given, settings, console = parser.parse_args(), load_settings(), Console()
    torch.manual_seed(SEED)
    how = Learning(given.rank, given.epochs, given.rate, given.temperature, given.foreign, given.worlds)
    files = joint_models(settings.cache_dir)
    models = [Bert(model, how.rank) for model in files]
    learned, measured = worlds_of(given.hold)
    measure(models, measured, "Before", console)
    with Progress(console=console) as progress:
        learn(models, learned, how, progress)
    measure(models, measured, f"Learned from {len(learned)} worlds", console)
    if given.write:
        for model, of_model in zip(models, files, strict=True):
            file = tuning_of(of_model.name)
            console.print(f"{file}: {store(model.changes, file):,} bytes")


if __name__ == "__main__":
    main()
