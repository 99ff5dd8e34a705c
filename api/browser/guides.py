"""The guides in Neo4j Browser's format: a slide for each query, made of the query files and one template.

Every value becomes HTML text here and nowhere else: what stands in the memory is never markup.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from prefrontal.api.browser.links import DEMO, KIT, LINEAGE, BrowserQuery, query


@dataclass(frozen=True, slots=True)
class Guide:
    """A guide: its file name without `.html`, and the queries of its slides in order."""

    name: str
    title: str
    lead: str
    queries: tuple[str, ...]


START = Guide(
    "guide",
    "Start here",
    "An agent's mind as a graph: goals with their evidence, observations, pending actions, and the context "
    "of each turn.",
    ("goals", "newest_observations", "kinds"),
)
OF_A_GOAL = Guide(
    "lineage",
    "Why a goal exists",
    "Each query is about the most urgent goal. For another one, open it in the workbench and press “Open in "
    "Neo4j Browser”.",
    (LINEAGE, "goal_part_of", "goal_evidence", "goal_turns", "goal_history"),
)
OF_A_TURN = Guide(
    "turn",
    "What a turn saw, and why",
    "Each query is about the newest turn that had a context. For another one, open it in the workbench and "
    "press “Open in Neo4j Browser”.",
    ("turn_saw", "turn_reasons", "turn_receipts", "turn_made"),
)
LEARNED = Guide(
    "learned",
    "What did we learn",
    "What outcomes and calls of tools taught: each lesson with what speaks for it and against it.",
    ("lessons", "lesson_support", "tool_failures"),
)
CONNECTIONS = Guide(
    "connections",
    "How things connect",
    "What joins goals and memories beside evidence: names, topics, sessions, and who may read what.",
    ("entities", "topics", "sessions", "who_may_read"),
)
PROBLEMS = Guide(
    "problems",
    "Find what is wrong",
    "A query that finds nothing is good news.",
    (
        "goals_without_evidence",
        "contradictions",
        "blocked_actions",
        "expired_evidence",
        "unembedded",
        "unpublished_events",
    ),
)
GUIDES = (START, OF_A_GOAL, OF_A_TURN, LEARNED, CONNECTIONS, PROBLEMS)

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_SLIDE = """\
    <slide class="row-fluid">
      <div class="col-sm-12">
        <h3>{{title}}</h3>
        <p>{{description}}</p>
        <pre class="pre-scrollable code runnable">{{text}}</pre>
      </div>
    </slide>"""


@dataclass(frozen=True, slots=True)
class Subject:
    """The goal or turn that a guide is about, as its first slide says it."""

    uid: str
    title: str
    lines: tuple[str, ...]


def guide(shown: Guide, base_url: str, org: str = DEMO, about: Subject | None = None) -> str:
    """Return a guide as HTML.

    Args:
        shown: The guide.
        base_url: The address of this service.
        org: The organisation whose graph the queries draw.
        about: The goal or turn; by default each query chooses one.

    Raises:
        InvalidInput: If `org` is not a valid key, or the id of the subject has a wrong form.
    """
    found = [query(name, org, about.uid if about else None) for name in shown.queries]
    lines = about.lines if about else (shown.lead,)
    return _filled(
        (KIT / "guide.html").read_text(encoding="utf-8"),
        {
            "title": about.title if about else shown.title,
            "org": org,
            "style": f"style {base_url}/browser-kit/style.grass",
            "favorites": f"{base_url}/browser-kit/favorites.cypher?{urlencode({'org': org})}",
        },
        {
            "lines": "\n        ".join(f"<p>{html.escape(line)}</p>" for line in lines),
            "links": _links(shown, base_url, org),
            "slides": "\n".join(_slide(each) for each in found),
        },
    )


def favorites(org: str = DEMO) -> str:
    """Return all queries as one file of statements, which Neo4j Browser imports as favorites."""
    names = [name for each in GUIDES for name in each.queries]
    return "\n\n".join(f"{query(name, org).text};" for name in names) + "\n"


def _slide(shown: BrowserQuery) -> str:
    return _filled(_SLIDE, {"title": shown.title, "description": shown.description, "text": shown.text}, {})


def _links(shown: Guide, base_url: str, org: str) -> str:
    others: Sequence[Guide] = [each for each in GUIDES if each != shown]
    ends = urlencode({"org": org})
    return "\n          ".join(
        _filled(
            '<a play-topic="{{address}}">{{title}}</a><br>',
            {"address": f"{base_url}/browser-kit/{each.name}.html?{ends}", "title": each.title},
            {},
        )
        for each in others
    )


def _filled(template: str, texts: Mapping[str, str], parts: Mapping[str, str]) -> str:
    """Return a template with texts, which are escaped, and parts, which are markup, in its places.

    In one pass: a text that looks like a place is not filled.
    """
    values = {name: html.escape(text) for name, text in texts.items()} | dict(parts)
    return _PLACEHOLDER.sub(lambda place: values[place[1]], template)
