"""Parts: texts that several query files need, each in a file of its own under `cypher/_parts/`.

    // What the part is, in one line.
    // variables: g, a               (or `none`)

A query file, or another part, names a part in one line. The loader of queries puts the part's text there,
indented like the line, with the variables of the line in place of the part's own:

    // part: shared(goal)
    // part: shared(goal) if $grantees

With ` if $list` the text stands in a block `// only if $list`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from prefrontal.graph.errors import QueryFileError

NOT_CODE = r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
"""A comment or a string literal, with `re.DOTALL`."""
# A whole word that is not a property, a label or a parameter of that name.
_WORD = re.compile(rf"{NOT_CODE}|(?<![\w.:$])([A-Za-z_]\w*)", re.DOTALL)
_HEADER = re.compile(r"// \S[^\n]*\n// variables: ([\w, ]+)\n")
# Whatever looks like the line that names a part; a mistake in it would leave the part out.
_MARKER = re.compile(r"^([ \t]*)(//[ \t]*(?:end )?part\b.*)$", re.MULTILINE)
_NAMED = re.compile(r"// part: (\w+)\(([\w, ]*)\)(?: if \$(\w+))?")


class Parts:
    """The parts of a folder."""

    def __init__(self, sources: dict[str, str], folder: Path = Path("_parts")) -> None:
        """Read each part from the text of its file.

        Raises:
            QueryFileError: If a part has a wrong header or an unused variable, or names a part wrongly.
        """
        self._sources = sources
        self._folder = folder
        self._read: dict[str, tuple[tuple[str, ...], str]] = {}
        self._renamed: dict[tuple[str, tuple[str, ...]], str] = {}
        for name in sources:
            self._part(name, ())

    def inline(self, text: str, where: Path) -> str:
        """Return a query file's text with the parts that it names, each below the line that names it.

        Raises:
            QueryFileError: If a line names no part, or gives another number of variables than the part has.
        """
        return self._filled(text, where, (), says_name=True)

    def _filled(self, text: str, where: Path, within: tuple[str, ...], *, says_name: bool = False) -> str:
        def filled(marker: re.Match[str]) -> str:
            def fail(what: str) -> QueryFileError:
                return QueryFileError(f"{where}:{text.count(chr(10), 0, marker.start()) + 1}: {what}")

            named = _NAMED.fullmatch(marker[2])
            if named is None:
                raise fail("a part is one line, `// part: name(variable)`, and nothing ends it")
            name, given, condition = named[1], _listed(named[2]), named[3]
            if name not in self._sources:
                raise fail(f"there is no part {name}")
            if name in within:
                raise fail(f"the part {name} contains itself")
            variables, _ = self._part(name, within)
            if len(given) != len(variables):
                raise fail(f"{name} takes {list(variables)}, given {list(given)}")
            lines = [f"// part: {name}({', '.join(given)})"] if says_name else []
            lines.append(self._with(name, given))
            if condition is not None:
                lines = [f"// only if ${condition}", *lines, "// end only"]
            return marker[1] + "\n".join(lines).replace("\n", "\n" + marker[1])

        return _MARKER.sub(filled, text)

    def _part(self, name: str, within: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
        """Return the variables of a part, and its text with the parts that it names."""
        if name not in self._read:
            where = self._folder / f"{name}.cypher"
            header = _HEADER.match(self._sources[name])
            if header is None:
                raise QueryFileError(f"{where}: line 1 says what the part is, line 2 `// variables: …`")
            variables = _listed(header[1])
            text = self._sources[name][header.end() :].rstrip("\n")
            text = self._filled("\n" * 2 + text, where, (*within, name)).removeprefix("\n" * 2)
            self._read[name] = variables, text
            if unused := sorted(set(variables) - set(_WORD.findall(text))):
                raise QueryFileError(f"{where}: unused variables {unused}")
        return self._read[name]

    def _with(self, name: str, given: tuple[str, ...]) -> str:
        """Return the text of a part with other variables."""
        if (name, given) not in self._renamed:
            variables, text = self._read[name]
            if variables != given:
                names = dict(zip(variables, given, strict=True))
                text = _WORD.sub(lambda found: names.get(found[1], found[0]), text)
            self._renamed[name, given] = text
        return self._renamed[name, given]


def read_parts(folder: Path) -> Parts:
    """Return the parts of a folder; none if it does not exist.

    Raises:
        QueryFileError: If a part has a wrong header or an unused variable, or names a part wrongly.
    """
    paths = sorted(folder.glob("*.cypher"))
    return _parts(folder, tuple((path.stem, path.read_text(encoding="utf-8")) for path in paths))


@lru_cache(maxsize=16)
def _parts(folder: Path, sources: tuple[tuple[str, str], ...]) -> Parts:
    return Parts(dict(sources), folder)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip() not in ("", "none"))
