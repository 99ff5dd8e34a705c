"""Writes what is made from the node classes: the style of Neo4j Browser, and parts of a page.

python scripts/export_graph.py           writes the files
python scripts/export_graph.py --check   writes nothing; exits with 1 when a file is out of date

api/browser/style.grass   a rule for each label and each relationship type
web/src/shared/colours.ts the same colours for the pages
docs/notebook.md          the drawing of the graph, and the table of attributes that lead to other nodes

A new label or relationship gets a colour computed from its name; `LABELS` and `TYPES` say it better.
"""

from __future__ import annotations

import colorsys
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from prefrontal.graph.storage.schema_of_nodes import (  # noqa: E402 - the checkout is not always installed
    NodeSchema,
    declared_schema,
    node_classes,
)

STYLE = ROOT / "api" / "browser" / "style.grass"
COLOURS = ROOT / "web" / "src" / "shared" / "colours.ts"
NOTEBOOK = ROOT / "docs" / "notebook.md"

MOST_TARGETS = 3
"""A relation that leads to more labels than these is drawn to one box with their names."""


class Label(NamedTuple):
    """How nodes with a label are drawn."""

    colour: str
    diameter: int = 110
    """Default: a caption of 60 characters fits, the longest that is stored; Browser cuts what does not."""
    caption: str = "{name}"


class Type(NamedTuple):
    """How relationships of a type are drawn."""

    width: int = 1
    caption: str = "<type>"
    colour: str | None = None
    """Default: the colour of the label at which they begin."""


LABELS = {
    "Goal": Label("#C8553D", 120),
    "Observation": Label("#2F6690"),
    "PendingAction": Label("#E0A030"),
    "Question": Label("#6B8E23"),
    "Story": Label("#B4C99A"),
    "Outcome": Label("#C2577E"),
    "ToolInvocation": Label("#7A8794"),
    "Turn": Label("#5B4B8A", 90),
    "Session": Label("#9B5DA5", 90),
    "Tag": Label("#7FB069", 70),
    "Topic": Label("#A7C957", 70),
    "Space": Label("#3D8B8B", 90),
    "Mandate": Label("#8C2F39"),
    "Version": Label("#D7DCE2", 50, "{number}"),
}
SMALL = 50
"""The diameter of `JOURNAL`: what the service writes for itself, which no query of a guide draws."""
JOURNAL = {
    "AccessLog", "Checkpoint", "ContextReceipt", "DeadLetter", "Embedding", "EventConsumer",
    "EventCounter", "Importing", "KeyLock", "Lease", "Migration",
    "OutboxEvent", "Request", "Tombstone", "TraceEvent", "TypeDefinition", "Unsequenced", "Untold",
    "Version",
}  # fmt: skip
TYPES = {
    "CHILD_OF": Type(3),
    "DERIVED_FROM": Type(3, colour="#8A3A9C"),
    "EVIDENCES": Type(2, "{confidence}"),
    "ADVANCES": Type(2),
    "ABOUT": Type(2),
    "ANSWERS": Type(2),
}

STATES = {"Unembedded"}
"""The labels that nodes of several kinds carry for a while: a node looks like its kind."""

_DARK, _WHITE = "#22303C", "#FFFFFF"
_BASE = """\
node {
  diameter: 110px;
  color: #A5ABB6;
  border-color: #9AA1AC;
  border-width: 2px;
  text-color-internal: #FFFFFF;
  font-size: 10px;
  caption: '{name}';
}
relationship {
  color: #A5ABB6;
  shaft-width: 1px;
  font-size: 7px;
  padding: 3px;
  text-color-external: #000000;
  text-color-internal: #FFFFFF;
  caption: '<type>';
}
"""


def style(schema: NodeSchema) -> str:
    """Return the style sheet of Neo4j Browser.

    Raises:
        ValueError: If `LABELS` or `TYPES` names what no node class declares.
    """
    if unknown := sorted(
        ((LABELS.keys() | JOURNAL) - schema.labels.keys()) | (TYPES.keys() - schema.relationships.keys())
    ):
        raise ValueError(f"no node class declares {', '.join(unknown)}")
    # Of several rules for one node the last one counts: a label comes before the labels of its kinds.
    labels = sorted(schema.labels, key=lambda label: (label not in STATES, len(schema.parents[label]), label))
    rules = [_node_rule(label) for label in labels]
    return _BASE + "".join(rules + [_edge_rule(type_, schema) for type_ in sorted(schema.relationships)])


def colours() -> str:
    """Return the colours of `LABELS` as a module for the pages: those of Neo4j Browser."""
    rows = [
        f'  {_snake(label)}: {{ fill: "{look.colour}", edge: "{_darker(look.colour)}", '
        f'text: "{_on(look.colour)}" }},\n'
        for label, look in LABELS.items()
    ]
    head = "// Written by scripts/export_graph.py: the colours of kinds, as Neo4j Browser has them.\n\n"
    return f"{head}export const COLOURS = {{\n{''.join(rows)}}} as const;\n"


def diagram(schema: NodeSchema) -> str:
    """Return the relationship types between their labels as a Mermaid graph."""
    targets: dict[tuple[str, str], list[str]] = defaultdict(list)
    for start, type_, end in sorted(schema.edges):
        targets[start, type_].append(end)
    lines = [f'    {label}["{label}: {", ".join(kinds)}"]' for label, kinds in _with_kinds(schema)]
    drawn = {kind for _, kinds in _with_kinds(schema) for kind in kinds}
    drawn |= {label for edge in schema.edges for label in (edge.start, edge.end)}
    lines += [
        f"    {label}" for label in sorted(schema.labels) if label not in drawn and not schema.kinds_of(label)
    ]
    for (start, type_), ends in targets.items():
        box = f'{start}_{type_}["{", ".join(ends)}"]' if len(ends) > MOST_TARGETS else " & ".join(ends)
        lines.append(f"    {start} -- {type_} --> {box}")
    return "\n".join(["```mermaid", "graph LR", *lines, "```"])


def attributes(schema: NodeSchema) -> str:
    """Return a Markdown table of the attributes that lead from one node to others."""
    rows = ["| from | attribute | leads to | how many | along |", "|---|---|---|---|---|"]
    for end in sorted(schema.ends):
        arrow = {True: f"-{end.type}->", False: f"<-{end.type}-", None: f"-{end.type}-"}[end.outgoing]
        in_force = " in force" if end.ends else ""
        number = f"{end.cardinality.value}{in_force}"
        rows.append(f"| `{end.label}` | `{end.name}` | `{end.other}` | {number} | `{arrow}` |")
    return "\n".join(rows)


def between_marks(page: str, part: str, text: str) -> str:
    """Return the text of a page with another text between the marks of a part.

    Raises:
        ValueError: If the page lacks the marks.
    """
    begin, end = f"<!-- {part}: written by scripts/export_graph.py -->", f"<!-- /{part} -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"the page lacks the marks {begin} and {end}")
    return f"{before}{begin}\n{text}\n{end}{after}"


def files(schema: NodeSchema) -> dict[Path, str]:
    """Return every file with the text that it must have."""
    page = between_marks(NOTEBOOK.read_text(encoding="utf-8"), "graph", diagram(schema))
    return {
        STYLE: style(schema),
        COLOURS: colours(),
        NOTEBOOK: between_marks(page, "attributes", attributes(schema)),
    }


def main(arguments: list[str]) -> int:
    """Write the files, or compare them with `--check`; return the exit code."""
    wanted = files(declared_schema(node_classes()))
    stale = [path for path, text in wanted.items() if path.read_text(encoding="utf-8") != text]
    for path in stale:
        if "--check" in arguments:
            print(f"{path.name} is not up to date; run: python scripts/export_graph.py", file=sys.stderr)
        else:
            path.write_text(wanted[path], encoding="utf-8")
            print(f"wrote {path.name}")
    return 1 if stale and "--check" in arguments else 0


def _with_kinds(schema: NodeSchema) -> list[tuple[str, list[str]]]:
    return [(label, kinds) for label in sorted(schema.labels) if (kinds := schema.kinds_of(label))]


def _look(label: str) -> Label:
    return LABELS.get(label) or Label(_computed(label), *([SMALL] if label in JOURNAL else []))


def _computed(name: str) -> str:
    # Pale, so that what has a colour of its own stands out.
    return _text(colorsys.hls_to_rgb(crc32(name.encode()) % 360 / 360, 0.62, 0.3))


def _text(rgb: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(255 * part):02X}" for part in rgb)


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))


def _darker(colour: str) -> str:
    return _text(tuple(0.82 * part for part in _rgb(colour)))


def _is_light(colour: str) -> bool:
    red, green, blue = _rgb(colour)
    return 0.3 * red + 0.59 * green + 0.11 * blue > 0.6  # noqa: PLR2004 - of the brightness of white


def _on(colour: str) -> str:
    return _DARK if _is_light(colour) else _WHITE


def _snake(label: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", label).lower()


def _node_rule(label: str) -> str:
    look = _look(label)
    return (
        f"node.{label} {{\n"
        f"  diameter: {look.diameter}px;\n"
        f"  color: {look.colour};\n"
        f"  border-color: {_darker(look.colour)};\n"
        f"  text-color-internal: {_on(look.colour)};\n"
        f"  caption: '{look.caption}';\n"
        "}\n"
    )


def _edge_rule(type_: str, schema: NodeSchema) -> str:
    look = TYPES.get(type_) or Type()
    begins = _look(min(edge.start for edge in schema.edges if edge.type == type_)).colour
    colour = look.colour or (_darker(begins) if _is_light(begins) else begins)
    return (
        f"relationship.{type_} {{\n"
        f"  color: {colour};\n"
        f"  shaft-width: {look.width}px;\n"
        f"  caption: '{look.caption}';\n"
        "}\n"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
