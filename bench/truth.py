"""Whether what comes back is true: newer facts, identifiers, scripts, what nothing answers, and what matters.

    python -m bench.truth [SET ...] [--split tune|test] [--misses] [--set FILE.KEY=VALUE]

The sets are those of `bench/data/truth`; each world or case is remembered by an agent of its own and asked
through the GraphQL API with its defaults. A line has how many cases there are, how many hold with the 95 %
interval (Wilson, 1927), and how many results a question has on average. A case holds:

    updates       the newer fact comes first; `past`: the question about the earlier value finds the earlier
                  fact; `control`: both are found. When the newer one is remembered the earlier one is `named`
                  as what it seems to replace; of a control it is not, so it is `kept`
    identifiers, scripts, nothing
                  with an answer: the note comes first; without: nothing is found. Of `several`: `found` are
                  the notes that are found of those that answer, `right` those that answer of the found
    contexts      `include`: the fact is in a context of so many tokens; `first`: it is the first of its
                  section; `without`: what misleads is not there
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from ruamel.yaml import YAML

from bench import tuning
from bench.agent import Agent, Agents, agents_at

DATA = Path(__file__).parent / "data" / "truth"
SETS = ("updates", "identifiers", "scripts", "nothing", "contexts")
NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
UNRELATED = {"updates": 6, "contexts": 18}
"""How many notes that have nothing to do with it a case has beside its own."""
BUDGETS = (400, 1000)


@dataclass(frozen=True, slots=True)
class Held:
    """Whether a case holds, in one respect."""

    kind: str
    split: str
    holds: bool
    results: int
    shown: str
    """The case and what came back, for whoever wants to see what went wrong."""


def interval(held: int, cases: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, "Probable inference", 1927)."""
    z, share = 1.96, held / cases
    middle = share + z * z / (2 * cases)
    half = z * math.sqrt(share * (1 - share) / cases + z * z / (4 * cases * cases))
    return (middle - half) / (1 + z * z / cases), (middle + half) / (1 + z * z / cases)


def read(name: str) -> dict[str, Any]:
    """Return a set."""
    found: dict[str, Any] = YAML(typ="safe").load((DATA / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def unrelated(name: str, case: dict[str, Any], notes: Sequence[str]) -> list[str]:
    """Return notes that have nothing to do with a case, the same ones each time."""
    return random.Random(case["id"]).sample(notes, UNRELATED[name])


def drafts(notes: Sequence[str], **days: int) -> list[dict[str, Any]]:
    """Return notes as `remember` takes them; `days` says how many days ago a note (`n0`) happened."""
    made = [{"kind": "FACT", "content": note, "clientKey": f"n{n}"} for n, note in enumerate(notes)]
    for draft in made:
        if draft["clientKey"] in days:
            draft["happenedAt"] = (NOW - timedelta(days=days[draft["clientKey"]])).isoformat()
    return made


async def stored(agents: Agents, name: str, notes: Sequence[str], **days: int) -> Agent:
    """Return an agent that remembers notes, as `drafts` makes them."""
    agent = agents.make(name)
    await agent.remember(drafts(notes, **days))
    await agent.settle()
    return agent


async def found(agent: Agent, notes: Sequence[str], question: str) -> list[str]:
    """Return the notes that a question finds, best first."""
    return [notes[int(key[1:])] for key, _ in await agent.search(question, first=10)]


async def of_updates(agents: Agents, data: dict[str, Any], case: dict[str, Any]) -> AsyncIterator[Held]:
    notes = [
        *(case.get("both") or (case["before"], case["now"])),
        *unrelated("updates", case, data["unrelated"]),
    ]
    agent, (earlier, now, *others) = agents.make(case["id"]), drafts(notes, n0=400, n1=40)
    await agent.remember([earlier, *others])
    await agent.settle()
    replaced = await agent.seems_to_replace(now)
    await agent.settle()
    is_control = "both" in case
    named = notes[0] in replaced
    yield Held(
        f"{case['kind']}: {'kept' if is_control else 'named'}",
        case["split"],
        named is not is_control,
        len(replaced),
        f"{notes[1]} -> {replaced}, not {notes[0]}",
    )
    texts = await found(agent, notes, case["question"])
    holds = set(notes[:2]) <= set(texts) if is_control else texts[:1] == notes[1:2]
    yield Held(case["kind"], case["split"], holds, len(texts), f"{case['question']} -> {texts[:3]}")
    if past := case.get("past_question"):
        texts = await found(agent, notes, past)
        yield Held("past", case["split"], notes[0] in texts, len(texts), f"{past} -> {texts[:3]}")


async def of_world(agents: Agents, world: dict[str, Any]) -> AsyncIterator[Held]:
    notes = world["notes"]
    # Each at another time, so that what is newer by chance could come before what answers.
    days = random.Random(world["world"]).sample(range(1, 400), len(notes))
    agent = await stored(agents, world["world"], notes, **{f"n{n}": day for n, day in enumerate(days)})
    for case in world["cases"]:
        texts = await found(agent, notes, case["question"])
        answers = case.get("answers") or [case["answer"]]
        if answers == [None]:
            kind, holds = f"{case['kind']}: nothing", not texts
        elif len(answers) > 1:
            for text in answers:
                shown = f"{case['question']} -> {texts}, wanted {text}"
                yield Held(f"{case['kind']}: found", world["split"], text in texts, len(texts), shown)
            for text in texts:
                shown = f"{case['question']} -> {text}, wanted {answers}"
                yield Held(f"{case['kind']}: right", world["split"], text in answers, len(texts), shown)
            continue
        else:
            kind, holds = f"{case['kind']}: first", texts[:1] == answers
        wanted = f"{case['question']} -> {texts[:3]}, wanted {answers}"
        yield Held(kind, world["split"], holds, len(texts), wanted)


async def of_contexts(agents: Agents, data: dict[str, Any], case: dict[str, Any]) -> AsyncIterator[Held]:
    others = [
        *case["must_not"],
        *case["near"],
        *case["about"],
        *unrelated("contexts", case, data["unrelated"]),
    ]
    random.Random(case["id"]).shuffle(others)
    agent, fact = agents.make(case["id"]), case["fact"]

    def draft(text: str) -> dict[str, Any]:
        named = case["linked"] and case["entity"].casefold() in text.casefold()
        return {"content": text, "entities": [{"name": case["entity"]}] if named else []}

    half = len(others) // 2
    if case["linked"]:
        # The fact is evidence for the goal that the prompt serves, another note for another goal.
        noted = {"evaluate": False, "observations": [draft(text) for text in (fact, *others[:half])]}
        seen = await agent.run("addObservations", "AddObservations", "observations { id }", noted)
        for title, observation in zip(
            (case["goal"], "Tidy the store room"), seen["observations"], strict=False
        ):
            goal = (await agent.run("createGoal", "CreateGoal", "goal { id }", {"title": title}))["goal"]
            link = {"goalId": goal["id"], "observationId": observation["id"]}
            await agent.run("linkObservation", "LinkObservation", "result { __typename }", link)
        await agent.remember([{"kind": "FACT", **draft(text)} for text in others[half:]])
    else:
        await agent.remember(
            [{"kind": "FACT", **draft(text)} for text in (*others[:half], fact, *others[half:])]
        )
    await agent.settle()
    sort = "linked" if case["linked"] else "plain"
    for budget in BUDGETS:
        text = await agent.context_text(case["prompt"], budget)
        lines = [line for line in text.splitlines() if not line.startswith("#")]

        def has(note: str, lines: Sequence[str] = lines) -> bool:
            return any(json.dumps(note, ensure_ascii=False) in line for line in lines)

        shown = f"{case['prompt']} -> {len(lines)} lines without {fact}"
        yield Held(f"{sort}: include {budget}", case["split"], has(fact), len(lines), shown)
        section = next((part for part in text.split("\n#") if has(fact, part.splitlines())), "")
        notes = [line for line in section.splitlines()[1:] if line]
        yield Held(
            f"{sort}: first {budget}", case["split"], has(fact, notes[:1]), len(lines), "\n".join(notes[:3])
        )
        wrong = [note for note in case["must_not"] if has(note)]
        shown = f"{case['prompt']} -> {wrong}"
        yield Held(f"{sort}: without {budget}", case["split"], not wrong, len(lines), shown)


async def measure(name: str, split: str | None) -> list[Held]:
    """Return what held of a set."""
    data, made = read(name), []
    async with agents_at(NOW) as agents:
        for each in data.get("worlds") or data["cases"]:
            if split not in (None, each["split"]):
                continue
            if "worlds" in data:
                results = of_world(agents, each)
            else:
                results = {"updates": of_updates, "contexts": of_contexts}[name](agents, data, each)
            made += [held async for held in results]
    return made


def show(name: str, results: Sequence[Held], *, misses: bool) -> None:
    """Print the figures of a set, by split and kind."""
    console = Console()
    table = Table("split", "kind", "cases", "hold", "%", "95 %", "results", title=name)
    groups: dict[tuple[str, str], list[Held]] = {}
    for each in results:
        groups.setdefault((each.split, each.kind), []).append(each)
    for (split, kind), cases in sorted(groups.items()):
        held = sum(each.holds for each in cases)
        low, high = interval(held, len(cases))
        shown = sum(each.results for each in cases) / len(cases)
        share = f"{100 * held / len(cases):.1f}"
        table.add_row(
            split,
            kind,
            str(len(cases)),
            str(held),
            share,
            f"{100 * low:.0f}–{100 * high:.0f}",
            f"{shown:.2f}",
        )
    console.print(table)
    if misses:
        for each in results:
            if not each.holds:
                console.print(f"{each.kind}: {each.shown}", markup=False)


def main() -> None:
    """Print what held."""
    parser = argparse.ArgumentParser(prog="python -m bench.truth", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="set", help=", ".join(SETS))
    parser.add_argument("--split", choices=("tune", "test"), help="only this half")
    parser.add_argument("--misses", action="store_true", help="list the cases that do not hold")
    tuning.add_option(parser)
    given = parser.parse_args()
    if unknown := set(given.sets) - set(SETS):
        parser.error(f"there is no set {', '.join(sorted(unknown))}; there are {', '.join(SETS)}")
    with tuning.registry_of(parser, given.changes):
        for name in given.sets or SETS:
            show(name, asyncio.run(measure(name, given.split)), misses=given.misses)


if __name__ == "__main__":
    main()
