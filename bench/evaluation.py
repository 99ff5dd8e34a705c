"""Precision and recall of evaluation on the labelled notes of `bench/data`: which of them call for something.

    python -m bench.evaluation [--split tune|test] [--encoder e5-small-v2|none|FOLDER] [--misses]

Each note is judged by its text alone, as an observation of full confidence without type, tags, person and
goals. A note is found if evaluation would found a goal of it. Without an encoder the words decide, as in a
service whose `PREFRONTAL_ENCODER` is `none`. Nobody looks at the misses of `test` to change a rule.

    words         the words of the text alone: importance, and the phrases of operational notes
    form          measurements are left out by their form, too
    prototypes    the judgement of the vectors alone
    all           what evaluation does: the form, and the vectors
    with words    the same, and what has one of the words that can be acted on calls for something, too
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML

from prefrontal.graph.clock import SystemClock
from prefrontal.graph.config import Catalog, load_catalog
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.embedding.embeddings import Embeddings
from prefrontal.graph.embedding.prototypes import Prototypes
from prefrontal.graph.evaluation.decision import Planner
from prefrontal.graph.evaluation.importance import is_about_user, is_actionable
from prefrontal.graph.evaluation.record import Decision
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.scratch.record import Observation, ObservationDraft, Reviewable
from prefrontal.graph.scratch.validation import observation_of
from prefrontal.graph.text.encoder import Encoder
from prefrontal.graph.text.encoders import DEFAULT, encoder_of
from prefrontal.graph.text.folding import text_key
from prefrontal.graph.text.words import words_of

NOTES = Path(__file__).parent / "data" / "evaluation_notes.yaml"


@dataclass(frozen=True, slots=True)
class Note:
    """A text with its label: whether it calls for something, and why."""

    text: str
    calls: bool
    why: str


@dataclass(frozen=True, slots=True)
class Score:
    """Which notes a rule found."""

    found: frozenset[str]
    notes: tuple[Note, ...]

    @property
    def right(self) -> int:
        """The number of notes found that call for something."""
        return sum(note.calls for note in self.notes if note.text in self.found)

    @property
    def precision(self) -> float | None:
        """The share of the found notes that call for something; None if none was found."""
        return self.right / len(self.found) if self.found else None

    @property
    def recall(self) -> float:
        """The share of the notes that call for something that were found."""
        return self.right / sum(note.calls for note in self.notes)

    def by_reason(self) -> dict[str, tuple[int, int]]:
        """The number of notes, and of notes found, for each `why`."""
        found = Counter(note.why for note in self.notes if note.text in self.found)
        return {why: (number, found[why]) for why, number in Counter(n.why for n in self.notes).items()}

    def misses(self) -> list[Note]:
        """The notes that were judged wrongly."""
        return [note for note in self.notes if (note.text in self.found) != note.calls]


def read_notes(split: str, path: Path = NOTES) -> tuple[Note, ...]:
    """Return the labelled notes of a split."""
    notes = YAML(typ="safe").load(path)["notes"]
    return tuple(Note(n["text"], n["calls"], n["why"]) for n in notes if n["split"] == split)


async def judged(catalog: Catalog, encoder: Encoder | None, texts: Sequence[str]) -> dict[str, bool]:
    """Return for each text whether its vector says that it calls for something; nothing without one."""
    embeddings = Embeddings(encoder, deadline_s=60)
    judge = await Prototypes(embeddings, catalog.evaluation).calling()
    if judge is None:
        return {}
    vectors = await embeddings.later(texts)
    return {text: judge.holds(vector) for text in texts if (vector := vectors.of(text)) is not None}


def scores(catalog: Catalog, notes: Sequence[Note], by_vector: Mapping[str, bool]) -> dict[str, Score]:
    """Return what each rule finds; those by words alone if there are no vectors."""
    table = catalog.evaluation

    def by_words(o: Observation) -> bool:
        padded = f" {' '.join(words_of(o.content))} "
        phrased = any(f" {phrase} " in padded for phrase in table.operational.phrases)
        return not phrased and (is_actionable(o, table) or is_about_user(o, table))

    rules: dict[str, Callable[[Observation], bool]] = {
        "words": by_words,
        "form": lambda o: founds(catalog, o, None),
    }
    if by_vector:
        rules |= {
            "prototypes": lambda o: by_vector[o.content],
            "all": lambda o: founds(catalog, o, by_vector[o.content]),
            "with words": lambda o: founds(catalog, o, by_vector[o.content] or is_actionable(o, table)),
        }
    observations = [_observed(catalog, note.text) for note in notes]
    return {
        name: Score(frozenset(o.content for o in observations if rule(o)), tuple(notes))
        for name, rule in rules.items()
    }


def founds(catalog: Catalog, o: Observation, calls: bool | None) -> bool:  # noqa: FBT001 - what was judged
    """Return whether evaluation would found a goal of an observation."""
    planner = Planner(
        {},
        (),
        catalog.evaluation,
        catalog.goals,
        put_away=False,
        judged={} if calls is None else {o.uid: calls},
    )
    candidate = Reviewable(observation=o, linked=False, goal_ids=(), text_key=text_key(o.scope_id, o.content))
    return planner.plan([candidate]).verdicts[0].decision is Decision.PROMOTE


def _observed(catalog: Catalog, text: str) -> Observation:
    now = SystemClock().now()
    return observation_of(
        ObservationDraft(content=text, confidence=1),
        uid=new_id(Kind.OBSERVATION, now),
        scope_id="spc_bench",
        by_uid="agt_bench",
        now=now,
        scratch=catalog.scratch,
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.evaluation")
    parser.add_argument("--split", choices=("tune", "test"), default="tune", help="the half of the notes")
    parser.add_argument("--encoder", default=DEFAULT, help="as PREFRONTAL_ENCODER; `none` for words alone")
    parser.add_argument("--misses", action="store_true", help="print the notes that were judged wrongly")
    options = parser.parse_args()
    settings = load_settings()
    catalog = load_catalog(settings.registry_dir)
    encoder = encoder_of(options.encoder, settings.cache_dir, settings.encoder_threads)
    notes = read_notes(options.split)
    by_vector = asyncio.run(judged(catalog, encoder, [note.text for note in notes]))
    show(scores(catalog, notes, by_vector), misses=options.misses)


def show(results: Mapping[str, Score], *, misses: bool) -> None:
    """Print precision and recall of each rule, and for what evaluation does, each `why`."""
    print(f"{'rule':12} {'found':>5} {'right':>5} {'precision':>9} {'recall':>6}")
    for name, score in results.items():
        precision = "–" if score.precision is None else f"{score.precision:.2f}"
        print(f"{name:12} {len(score.found):5} {score.right:5} {precision:>9} {score.recall:6.2f}")
    final = results.get("all", results["form"])
    print(f"\n{'why':12} {'notes':>5} {'found':>5}")
    for why, (number, found) in final.by_reason().items():
        print(f"{why:12} {number:5} {found:5}")
    if misses:
        for note in final.misses():
            print(f"{'missed' if note.calls else 'false '}  {note.why}: {note.text}")


if __name__ == "__main__":
    main()
