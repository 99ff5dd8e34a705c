"""Copies the texts of `cypher/_parts/` into the query files that name them; `--check` only compares.

    // part: shared(goal)
    ...
    // end part

A part's file begins with two comments, `// Purpose.` and `// variables: g, a` (or `none`). Between markers
stands the part, indented like the marker, with the marker's variables in place of its own. A part may name
other parts, so that each text stands in one file. What may follow the variables in a marker, ` if $list`, is
for the loader of queries (`graph/storage/queries.py`).
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from prefrontal.graph.config.settings import ROOT

CYPHER = ROOT / "cypher"
_BEGIN = re.compile(r"^(?P<indent> *)// part: (?P<name>\w+)\((?P<variables>[\w, ]*)\)(?: if \$\w+)?$")
_END = re.compile(r"^ *// end part$")


class PartError(Exception):
    """A file names a part that does not exist, or names it wrongly."""


@dataclass(frozen=True)
class Part:
    """A text that several query files contain, and its variables."""

    variables: tuple[str, ...]
    lines: tuple[str, ...]


def read_parts(folder: Path) -> dict[str, Part]:
    """Return the parts of a folder by name."""
    parts: dict[str, Part] = {}
    for path in sorted(folder.glob("*.cypher")):
        purpose, variables, *lines = path.read_text(encoding="utf-8").splitlines()
        if not purpose.startswith("// ") or not variables.startswith("// variables: "):
            raise PartError(f"{path}: begins with a comment, its purpose, and `// variables: …`")
        parts[path.stem] = Part(_listed(variables.removeprefix("// variables: ")), tuple(lines))
    return parts


def filled(text: str, parts: dict[str, Part], where: str) -> str:
    """Return a query file's text with the parts between its markers."""
    lines: list[str] = []
    inside: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        begin = _BEGIN.match(line)
        if inside is not None:
            if begin:
                raise PartError(f"{where}:{number}: {inside} does not end before the next part begins")
            if _END.match(line):
                lines.append(line)
                inside = None
            continue
        if _END.match(line):
            raise PartError(f"{where}:{number}: ends a part that does not begin")
        lines.append(line)
        if begin:
            inside = begin["name"]
            lines += _copy(begin, parts, f"{where}:{number}")
        elif line.lstrip().startswith("// part"):
            raise PartError(f"{where}:{number}: a part is named like this: // part: name(variable)")
    if inside is not None:
        raise PartError(f"{where}: {inside} does not end")
    return "\n".join(lines) + "\n"


def used(text: str) -> list[str]:
    """Return the names of the parts that a text contains, each as often as it stands there."""
    return [found["name"] for line in text.splitlines() if (found := _BEGIN.match(line))]


def _copy(marker: re.Match[str], parts: dict[str, Part], where: str) -> list[str]:
    part = parts.get(marker["name"])
    if part is None:
        raise PartError(f"{where}: there is no part {marker['name']}")
    given = _listed(marker["variables"])
    if len(given) != len(part.variables):
        raise PartError(f"{where}: {marker['name']} takes {list(part.variables)}, given {list(given)}")
    names = dict(zip(part.variables, given, strict=True))
    lines: list[str] = []
    for line in part.lines:
        renamed = _renamed(line, names)
        inner = _BEGIN.match(renamed)
        copied = _copy(inner, parts, f"{where}: {marker['name']}") if inner else [renamed]
        lines += [marker["indent"] + each for each in copied]
    return lines


def _renamed(line: str, names: dict[str, str]) -> str:
    if not names:
        return line
    # A whole word that is not a property, a label or a parameter of that name.
    word = re.compile(rf"(?<![\w.:$'])(?:{'|'.join(names)})(?![\w'])")
    return word.sub(lambda found: names[found[0]], line)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip() not in ("", "none"))


def outdated(folder: Path) -> dict[Path, str]:
    """Return the text that each file should have whose parts differ from the folder `_parts`."""
    parts = read_parts(folder / "_parts")
    wanted: dict[Path, str] = {}
    for path in sorted(folder.glob("*/*.cypher")):
        if path.parent.name == "_parts":
            continue
        text = path.read_text(encoding="utf-8")
        if used(text) and (new := filled(text, parts, str(path.relative_to(folder)))) != text:
            wanted[path] = new
    return wanted


def main() -> int:
    """Write the parts, or compare them with `--check`; return the exit code."""
    try:
        wanted = outdated(CYPHER)
    except PartError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if "--check" not in sys.argv[1:]:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
        return 0
    for path in wanted:
        sys.stderr.write(f"{path.relative_to(ROOT)}: a part differs from the one in cypher/_parts\n")
    if wanted:
        sys.stderr.write("run: python scripts/export_cypher_parts.py\n")
    return 1 if wanted else 0


if __name__ == "__main__":
    sys.exit(main())
