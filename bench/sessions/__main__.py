"""Whether sessions of working memory hold, link and admit what they should.

    python -m bench.sessions [BENCHMARK.json] [--vectors FILE] [--no-reads] [--set FILE.KEY=VALUE]

The conversations are those of a retrieval benchmark, each of its sessions a session of working memory;
without one, those of `bench/data/sessions`. Every turn is offered in order and at its own time to the rule
that the service calls. No database is needed. Nothing of the registry is tuned on a benchmark: it is chosen
on our own conversations (`tune`) and measured on the others.

    held        the share of what later turns need that is held then (`needs` says what they need), by the
                rule and by simple buffers (`buffers`). `all`: every turn is admitted; `rule`: what the rule
                admits
    weights     the same for other weights of eviction.yaml
    related     how well sessions of one conversation are found to be related (`links`)
    cosines     of what belongs together and of what does not (`meaning`)
    labelled    how many of the labelled cases are right

Brackets have 95 of 100 draws of the sessions, with the same draws for both sides of a difference.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench import tuning
from bench.sessions import labelled, links, meaning, retention
from bench.sessions.buffers import CHOICES
from bench.sessions.data import Talk, read_benchmark, read_own
from bench.sessions.intervals import Interval
from bench.sessions.replay import replay, tables_of
from bench.sessions.vectors import Vectors, vectors_of
from prefrontal.graph.config import Catalog, load_catalog
from prefrontal.graph.config.session_tables import MeaningTable
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.text.encoders import encoder_of

CAPACITIES = (7, 5, 9, 12)
DEFAULT_CAPACITY = CAPACITIES[0]
_TO = Console()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.sessions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("benchmark", nargs="?", type=Path, help="a file of conversations; default: our own")
    parser.add_argument("--vectors", type=Path, help="a file (.npz) that keeps the vectors for the next run")
    parser.add_argument("--no-reads", action="store_true", help="what a session holds is never used")
    tuning.add_option(parser)
    given = parser.parse_args(arguments)
    with tuning.registry_of(parser, given.changes):
        settings = load_settings()
        catalog = load_catalog(settings.registry_dir)
        own = read_own()
        talks = own if given.benchmark is None else read_benchmark(given.benchmark)
        cases = labelled.read("admission")
        texts = [turn.text for talk in (*own, *talks) for turn in talk.turns] + labelled.texts_of(cases)
        encoder = encoder_of(settings.encoder, settings.cache_dir, settings.encoder_threads)
        vectors = vectors_of(encoder, texts, given.vectors)
        _TO.print(
            f"{len({talk.conversation for talk in talks})} conversations, {len(talks)} sessions, "
            f"{sum(len(talk.turns) for talk in talks)} turns; encoder: {vectors.encoder or 'none'}"
        )
        _show_retention(talks, catalog, vectors, reads=not given.no_reads)
        _show_weights(talks, catalog, vectors, reads=not given.no_reads)
        _show_related(own, talks, catalog, vectors, reads=not given.no_reads)
        if vectors.encoder is not None:
            _show_admission(own, talks, catalog, vectors)
        _show_labelled(catalog, vectors)


def _show_retention(talks: Sequence[Talk], catalog: Catalog, vectors: Vectors, *, reads: bool) -> None:
    table = Table("admitted", "capacity", "policy", *retention.KINDS, title="Held when it is needed, %")
    wanted = [(admits, capacity) for admits in ("all", "rule") for capacity in CAPACITIES]
    for admits, capacity in track(wanted, "held", transient=True):
        found = retention.measure(talks, capacity, catalog, vectors, admits=admits, reads=reads)
        counts = found.by_kind
        for policy in (retention.RULE, *CHOICES):
            table.add_row(
                f"{admits} ({100 * found.admitted:.0f} %)",
                str(capacity),
                policy,
                *(_interval(counts[kind].share(policy)) for kind in retention.KINDS),
            )
        more = [
            _interval(counts[kind].more(retention.RULE, retention.AGAINST), signed=True)
            for kind in retention.KINDS
        ]
        table.add_row("", str(capacity), "rule - lru", *more)
        table.add_row(
            "", "", "needs", *(str(sum(counts[kind].cases)) for kind in retention.KINDS), end_section=True
        )
    _TO.print(table)


def _show_weights(talks: Sequence[Talk], catalog: Catalog, vectors: Vectors, *, reads: bool) -> None:
    counts = retention.profiles(
        talks,
        DEFAULT_CAPACITY,
        catalog,
        vectors,
        reads=reads,
        seen=lambda names: track(list(names), "weights", transient=True),
    )
    table = Table(
        "weights", *retention.KINDS, title=f"Other weights: all is admitted, capacity {DEFAULT_CAPACITY}, %"
    )
    for name in retention.PROFILES:
        table.add_row(name, *(_interval(counts[kind].share(name)) for kind in retention.KINDS))
    for other in ("default", retention.AGAINST):
        table.add_section()
        for name in retention.PROFILES:
            if name != other:
                more = [_interval(counts[kind].more(name, other), signed=True) for kind in retention.KINDS]
                table.add_row(f"{name} - {other}", *more)
    _TO.print(table)
    chosen = Table(
        "chosen by",
        "on",
        "weights",
        "judged on",
        "- default",
        "- lru",
        title="Chosen on one half, judged on the other",
    )
    one, two = retention.halves(talks)
    for kind in retention.KINDS:
        for number, (tune, test) in enumerate(((one, two), (two, one)), 1):
            if not sum(counts[kind].of(tune).cases):
                continue
            name = retention.best_of(counts[kind].of(tune))
            judged = counts[kind].of(test)
            chosen.add_row(
                kind,
                f"half {number}",
                name,
                f"half {3 - number}",
                *(
                    _interval(judged.more(name, other), signed=True)
                    for other in ("default", retention.AGAINST)
                ),
            )
    _TO.print(chosen)


def _show_related(
    own: Sequence[Talk], talks: Sequence[Talk], catalog: Catalog, vectors: Vectors, *, reads: bool
) -> None:
    sets = {
        "own, tune": [talk for talk in own if talk.split == "tune"],
        "own, test": [talk for talk in own if talk.split == "test"],
    }
    if talks != own:
        sets["benchmark"] = list(talks)
    cosines = Table(
        "conversations", "following", "10, 50, 90 %", "others", "10, 50, 90 %", "told apart", "floor, ceiling"
    )
    found = Table(
        "conversations", "times", "entities", "pairs", "at 0.3", "found", "precision", "recall", "first",
        "best threshold", "precision", "recall", "continuation", title="Related sessions",
    )  # fmt: skip
    # Every turn is admitted, so that each session is full: then the mean vectors are of equally many texts.
    tables = tables_of(catalog, admits_all=True)
    for name, some in sets.items():
        runs = {talk.id: replay(talk, DEFAULT_CAPACITY, tables, vectors, reads=reads) for talk in some}
        near = meaning.Apart(*links.cosines(links.sessions_of(some, runs, vectors, catalog.coherence)))
        if vectors.encoder is not None:
            cosines.add_row(name, *_apart(near))
        for compressed in (False, True):
            for speakers in (False, True):
                sessions = links.sessions_of(
                    some, runs, vectors, catalog.coherence, speakers=speakers, compressed=compressed
                )
                pairs = links.pairs_of(sessions, catalog.correlation, vectors.encoder)
                best = links.best_threshold(pairs)
                usual, at_best = (
                    links.related(pairs, each) for each in (catalog.correlation.threshold, best)
                )
                named = links.continuations(pairs, catalog.correlation.threshold)
                found.add_row(
                    name,
                    f"{links.APART} h apart" if compressed else "real",
                    "speakers" if speakers else "none",
                    str(len(pairs)),
                    str(usual.true),
                    str(usual.found),
                    _share(usual.precision),
                    _share(usual.recall),
                    _share(links.first(pairs)),
                    f"{best:.2f}",
                    _share(at_best.precision),
                    _share(at_best.recall),
                    f"{named.found} of {named.true}",
                )
    if vectors.encoder is not None:
        cosines.title = "Cosines of the mean vectors of sessions"
        _TO.print(cosines)
    _TO.print(found)


def _show_admission(own: Sequence[Talk], talks: Sequence[Talk], catalog: Catalog, vectors: Vectors) -> None:
    cases = {
        "labelled, tune": labelled.read("admission", "tune"),
        "labelled, test": labelled.read("admission", "test"),
        "own": meaning.offers_of(own),
    }
    if talks != own:
        cases["benchmark"] = meaning.offers_of(talks, 4)
    cosines = Table(
        "cases", "belong", "10, 50, 90 %", "foreign", "10, 50, 90 %", "told apart", "floor, ceiling"
    )
    cosines.title = "Mean cosines of an offered text and what a session holds"
    tried: dict[str, MeaningTable] = {"registry": catalog.admission.meaning_of(vectors.encoder)}
    for name, some in cases.items():
        near = meaning.apart(some, vectors)
        cosines.add_row(name, *_apart(near))
        if near.meaning is not None:
            tried[name] = near.meaning
    _TO.print(cosines)
    admitted = Table(
        "floor and ceiling of", *cases, title="Admitted of what belongs / of what is foreign; right, %"
    )
    encoder = vectors.encoder or "default"
    for name, limits in tried.items():
        known = {**catalog.admission.meaning, encoder: limits}
        tables = tables_of(catalog)
        tables = tables._replace(admission=catalog.admission.model_copy(update={"meaning": known}))
        row = [_admitted(labelled.judged_admission(some, tables, vectors)) for some in cases.values()]
        admitted.add_row(f"{name}: {limits.floor:g}, {limits.ceiling:g}", *row)
    _TO.print(admitted)


def _show_labelled(catalog: Catalog, vectors: Vectors) -> None:
    tables = tables_of(catalog)
    table = Table("labelled", "split", "cases", "right", title="Labelled sessions")
    for split in ("tune", "test"):
        offers = labelled.read("admission", split)
        rows = {
            "admission, words": labelled.judged_admission(offers, tables, Vectors(None, {})),
            "admission": labelled.judged_admission(offers, tables, vectors),
            "eviction": labelled.judged_eviction(labelled.read("eviction", split), tables),
            "coherence": labelled.judged_coherence(labelled.read("coherence", split), tables),
        }
        for name, judged in rows.items():
            table.add_row(name, split, str(len(judged)), str(sum(each.is_right for each in judged)))
    _TO.print(table)


def _admitted(judged: Sequence[labelled.Judged]) -> str:
    shares = [
        sum(each.found for each in judged if each.wanted is wanted)
        / sum(each.wanted is wanted for each in judged)
        for wanted in (True, False)
    ]
    right = sum(each.is_right for each in judged) / len(judged)
    return f"{_share(shares[0])} / {_share(shares[1])}; {_share(right)}"


def _apart(found: meaning.Apart) -> list[str]:
    cells = []
    for some in found:
        cells += [str(len(some)), ", ".join(f"{cosine:.3f}" for cosine in meaning.spread(some))]
    limits = found.meaning
    by = "–" if limits is None else f"{limits.floor:g}, {limits.ceiling:g}"
    return [*cells, _share(found.is_separated), by]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _interval(found: Interval | None, *, signed: bool = False) -> str:
    if found is None:
        return "–"
    form = "+.1f" if signed else ".1f"
    value, low, high = (format(100 * each, form) for each in found)
    return f"{value} [{low}, {high}]"


if __name__ == "__main__":
    main()
