"""Trains the cross-encoder that reads the best notes of a search again (`graph/text/reranker.py`).

    make finetune-reranker ARGS="[--further] [--hold N] [--write] [--rank R] [--epochs N] [--rate A]
                                 [--questions N] [--wrong N]"

A cross-encoder reads a question and a note together and gives one number, its logit (Nogueira and Cho,
"Passage Re-ranking with BERT", 2019). It starts from bge-small as the encoder's tuning left it
(`bench.finetune`) and learns a change of low rank of each weight matrix, and a head: a weight for each number
of the first word piece's vector, and a constant.

The questions and notes are those of `bench/data/pairs`. Beside the right note, each question sees some of
the nearest wrong ones by the encoder's cosines, other ones in each epoch. A question that nothing answers
sees wrong notes alone, the most tempting one among them. Of a note and the newer one that changes it, each is
right for their question: which of them holds now, the time tells. The loss is the sum of two: the
cross-entropy of the right note among these, and the binary cross-entropy of each pair, so that the logit
means the same for every question. It is minimised with AdamW.

The table has how many questions have an answer first among the five nearest notes, by the cosines alone and
by the logit alone; how many have an answer whose logit is above 0; and of how many it is above 0 for none of
the five nearest wrong notes.

    held out           every Nth world of `bench/data/pairs`, of which nothing is learned then (`--hold N`)
    short, everyday    `bench/data/short` and `bench/data/everyday`, of which nothing is ever learned

`--further` goes on from the stored reranker and learns from the worlds that have unanswered or changed
questions alone: from all of these, and of the others from `USUAL` of each world.

`--write` stores what was learned, for the service. It needs PyTorch, which `make finetune-reranker` installs
(3 GB), and about an hour on two cores. The numbers differ a little between kinds of processors.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tokenizers import Encoding
from torch.nn import functional

from bench.finetune import (
    SEED,
    Array,
    Bert,
    Tensor,
    World,
    cosines,
    minimise,
    parser_of,
    sides,
    store,
    worlds_of,
)
from bench.pairs import PairsWorld, read_pairs
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.text.encoders import joint_models
from prefrontal.graph.text.low_rank import ANSWERS, BIAS, CHANGES, WEIGHT, read_change, read_head
from prefrontal.graph.text.model_files import RERANKER, FetchedModel, bge_small, tuning_of

BEST = 5
"""How many notes are read again in the table."""
NEAREST = 10
"""The wrong notes of a question are drawn from so many nearest ones."""
HEAD_RATE = 3.0
"""How much longer the steps of the head are."""
USUAL = 12
"""The questions with an answer of each world that are learned from further."""
WARM = 0.05
"""The share of the steps that warm up: the learning rate grows over them."""


@dataclass(frozen=True, slots=True)
class Learning:
    """How the change is learned."""

    rank: int
    epochs: float
    rate: float
    questions: int
    """How many questions a step has."""
    wrong: int
    """How many wrong notes a question sees."""


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """A question with the note that answers it and the nearest ones that do not."""

    text: str
    right: str | None
    """None if nothing answers it; then the first of the wrong ones is the most tempting one."""
    wrong: Sequence[str]


class CrossBert(Bert):
    """A model of the encoder that reads a question and a note together, with a head."""

    def __init__(self, model: FetchedModel, rank: int, *, further: bool) -> None:
        """Start from a model as its tuning left it, or from the stored reranker."""
        super().__init__(model, rank)
        self._begun: Mapping[str, tuple[Array, Array]] = {}
        if further:
            self.learned(read_change(RERANKER))
            weight, bias = read_head(RERANKER, ANSWERS)
            self.weight = torch.tensor(weight).requires_grad_()
            self.bias = torch.tensor([bias]).requires_grad_()
            return
        self._begun = read_change(tuning_of(model.name))
        self.learned(self._begun)
        self._layers = [
            ([matrix.merged(rank) for matrix in matrices], after_attention, after_all)
            for matrices, after_attention, after_all in self._layers
        ]
        width = self._sorts.shape[1]
        self.weight = (torch.randn(width) / math.sqrt(width)).requires_grad_()
        self.bias = torch.zeros(1).requires_grad_()

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Tensor:
        """Return a number for each question and note, above 0 if the note rather answers than not."""
        read = [self._tokenizer.encode(*pair) for pair in pairs]
        return self._by_length(read, self._logits)

    @property
    def changes(self) -> Iterator[tuple[str, Array, Array]]:
        """What each matrix learned since it was bge-small, with its name: the start, and then this."""
        for name, down, up in super().changes:
            if name not in self._begun:
                yield name, down, up
                continue
            begun_down, begun_up = self._begun[name]
            yield name, np.hstack([begun_down, down]), np.vstack([begun_up, up])

    def _logits(self, pairs: Sequence[Encoding]) -> Tensor:
        values, _ = self._read(pairs)
        return values[:, 0] @ self.weight + self.bias


def nearest(models: Sequence[Bert], worlds: Sequence[PairsWorld], progress: Progress) -> list[RankedQuestion]:
    """Return all questions with the nearest wrong notes, by the encoder's cosines."""
    return [
        question
        for world in progress.track(worlds, description="Encoding")
        for question in ranked(models, world)
    ]


def ranked(models: Sequence[Bert], world: PairsWorld) -> Iterator[RankedQuestion]:
    """Yield the questions of a world."""
    asked = [*world.questions, *world.unanswered]
    texts = [question.text for question in asked] + [newer.question for newer in world.newer]
    with torch.no_grad():
        order = cosines(models, texts, world.notes).argsort(dim=1, descending=True).tolist()
    for place, (question, row) in enumerate(zip(asked, order[: len(asked)], strict=True)):
        others = [world.notes[other] for other in row if other != question.note][:NEAREST]
        note = world.notes[question.note]
        if place < len(world.questions):
            yield RankedQuestion(question.text, note, others)
        else:
            yield RankedQuestion(question.text, None, [note, *others])
    for newer, row in zip(world.newer, order[len(asked) :], strict=True):
        others = [world.notes[other] for other in row if other != newer.changes][:NEAREST]
        for right in (newer.text, world.notes[newer.changes]):
            yield RankedQuestion(newer.question, right, others)


def loss_of(model: CrossBert, asked: Sequence[RankedQuestion], how: Learning) -> Tensor:
    """Return how far the right notes are from being the best, and all notes from being judged rightly."""
    pairs = []
    for question in asked:
        first, *rest = question.wrong if question.right is None else (question.right, *question.wrong)
        wrong = [rest[place] for place in torch.randperm(len(rest))[: how.wrong]]
        pairs += [(question.text, note) for note in (first, *wrong)]
    logits = model.logits(pairs).view(len(asked), -1)
    answered = torch.tensor([question.right is not None for question in asked])
    right = torch.zeros_like(logits)
    right[:, 0] = answered.float()
    among = functional.cross_entropy(logits, torch.zeros(len(asked), dtype=torch.long), reduction="none")
    among = (among * answered).sum() / len(asked)
    return among + functional.binary_cross_entropy_with_logits(logits, right)


def learn(model: CrossBert, asked: Sequence[RankedQuestion], how: Learning, progress: Progress) -> None:
    """Change the model."""
    changed = [
        {"params": list(sides(model)), "lr": how.rate},
        {"params": [model.weight, model.bias], "lr": how.rate * HEAD_RATE},
    ]
    minimise(
        changed, asked, lambda some: loss_of(model, some, how), how.questions, how.epochs, WARM, progress
    )


def measure(models: Sequence[Bert], model: CrossBert, worlds: Sequence[World], console: Console) -> None:
    """Print what the cosines and the logits find."""
    table = Table(
        "questions", "of", "first by cosine", "first by logit", "answer above 0", "no wrong one above 0"
    )
    for name in sorted({world.name for world in worlds}):
        found = [row for world in worlds if world.name == name for row in judged(models, model, world)]
        table.add_row(name, str(len(found)), *(str(sum(column)) for column in zip(*found, strict=True)))
    console.print(table)


def judged(models: Sequence[Bert], model: CrossBert, world: World) -> list[tuple[bool, bool, bool, bool]]:
    """Return for each question what `measure` counts."""
    found = []
    with torch.no_grad():
        order = cosines(models, world.questions, world.notes).argsort(dim=1, descending=True).tolist()
        for text, row, answers in zip(world.questions, order, world.answers, strict=True):
            wrong = [place for place in row if place not in answers][:BEST]
            places = [*answers, *wrong]
            logits = model.logits([(text, world.notes[place]) for place in places]).tolist()
            by_place = dict(zip(places, logits, strict=True))
            best = max(row[:BEST], key=lambda place: by_place[place])
            above = max(by_place[place] for place in answers) > 0
            found.append((row[0] in answers, best in answers, above, max(by_place[k] for k in wrong) <= 0))
    return found


def main() -> None:
    """Run from the command line."""
    parser = parser_of("python -m bench.finetune_reranker", __doc__, rank=16)
    parser.add_argument("--further", action="store_true", help="go on from the stored reranker")
    parser.add_argument("--questions", type=int, default=24, help="how many questions a step has")
    parser.add_argument("--wrong", type=int, default=4, help="how many wrong notes a question sees")
    given, settings, console = parser.parse_args(), load_settings(), Console()
    torch.manual_seed(SEED)
    how = Learning(given.rank, given.epochs, given.rate, given.questions, given.wrong)
    files = joint_models(settings.cache_dir)
    models = [Bert(each, 1) for each in files]
    for model, of_model in zip(models, files, strict=True):
        model.learned(read_change(tuning_of(of_model.name)))
    reranker = CrossBert(bge_small(settings.cache_dir), how.rank, further=given.further)
    _, measured = worlds_of(given.hold)
    learned = [world for place, world in enumerate(read_pairs()) if not given.hold or place % given.hold]
    if given.further:
        chance = random.Random(SEED)
        learned = [
            replace(world, questions=chance.sample(world.questions, min(USUAL, len(world.questions))))
            for world in learned
            if world.unanswered or world.newer
        ]
    with Progress(console=console) as progress:
        learn(reranker, nearest(models, learned, progress), how, progress)
    measure(models, reranker, measured, console)
    if given.write:
        head = {ANSWERS + WEIGHT: reranker.weight, ANSWERS + BIAS: reranker.bias}
        weight, bias = read_head(RERANKER, CHANGES)
        other = {CHANGES + WEIGHT: weight, CHANGES + BIAS: np.array([bias])}
        heads = other | {name: value.detach().numpy() for name, value in head.items()}
        size = store(reranker.changes, RERANKER, **heads)
        console.print(f"{RERANKER}: {size:,} bytes; its other head is trained next (bench.replacement)")


if __name__ == "__main__":
    main()
