"""Compare what the specification promises with what tests show.

    python scripts/spec.py        a table per domain; exit code 1 when the two disagree

A statement in `docs/spec/*.md` ends in the ids it keeps, in square brackets: `[OBS-26..29, OBS-33]`.
Under a heading `Not kept yet` ids stand without brackets: known, and open. A test that shows promises
carries `@pytest.mark.covers("OBS-26..29", "OBS-33")`; a graph fixture (`*.fixture.yaml`) has
`covers: [OBS-26..29]`, in brackets that may go over several lines. What is promised of a duration is
measured by an operation of `bench/` that has `covers=("OPS-54",)`; what is measured need not be promised.
A reason for the night, `@pytest.mark.nightly("test_x has it")`, names only what runs with each change.
Test files are parsed, not imported, so this runs without any dependency.
"""

from __future__ import annotations

import ast
import fnmatch
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

DOMAINS = {
    "OBS": ("scratch page", 83),
    "GOAL": ("goals", 70),
    "ACT": ("pending actions", 65),
    "REG": ("action types", 61),
    "QST": ("questions and stories", 27),
    "WMS": ("working memory", 129),
    "COR": ("correlation", 24),
    "CTX": ("context", 50),
    "TOOL": ("tools", 32),
    "OUT": ("outcomes and lessons", 38),
    "TURN": ("turns and commit", 156),
    "TRC": ("trace", 30),
    "VER": ("versions", 14),
    "SEC": ("isolation", 14),
    "OPS": ("operations", 66),
}
"""What each prefix is about, and its last number."""

_ID = re.compile(r"\b([A-Z]{2,4})-(\d+)(?:\.\.(\d+))?")
_ONE = r"[A-Z]{2,4}-\d+(?:\.\.\d+)?"
_BRACKETS = re.compile(rf"\[({_ONE}(?:,\s*{_ONE})*)\](?!\()")
_HEADING = re.compile(r"^#{1,6} +(.*?)\s*$")
_NAMED = re.compile(r"\btest_\w+\*?")
_COVERS = re.compile(r"^\s*covers:\s*\[([^\]]*)\]", re.MULTILINE)
_OPEN_HEADING = "not kept yet"


class SpecError(Exception):
    """A document or a marker is written wrongly; the message says where."""


@dataclass
class Spec:
    """Ids with the places that mention them."""

    promised: dict[str, list[str]] = field(default_factory=dict)
    open: dict[str, list[str]] = field(default_factory=dict)
    tested: dict[str, list[str]] = field(default_factory=dict)
    at_once: set[str] = field(default_factory=set)
    """What a test of `make test` shows; the rest of `tested` is shown in `make test-all` alone."""
    measured: dict[str, list[str]] = field(default_factory=dict)
    running: set[str] = field(default_factory=set)
    """The tests that run with each change, and the files that have one, by their names without a folder."""
    named: dict[str, str] = field(default_factory=dict)
    """Which test or file a reason for the night names, and the place of the last such reason."""

    @property
    def covered(self) -> set[str]:
        """Return the ids that a test shows, and the promised ones that an operation measures."""
        return self.tested.keys() | (self.promised.keys() & self.measured.keys())

    @property
    def problems(self) -> list[str]:
        """Return every disagreement, one line each."""
        found = [
            f"{uid}: promised in {self.promised[uid][0]}, shown by no test"
            for uid in ordered(self.promised.keys() - self.covered)
        ]
        found += [
            f"{uid}: shown by {self.tested[uid][0]}, promised nowhere"
            for uid in ordered(self.tested.keys() - self.promised.keys())
        ]
        found += [
            f"{uid}: promised in {self.promised[uid][0]} and open in {self.open[uid][0]}"
            for uid in ordered(self.promised.keys() & self.open.keys())
        ]
        found += [
            f"{place}: this reason names {name}, which does not run with each change"
            for name, place in sorted(self.named.items())
            if not fnmatch.filter(self.running, name)
        ]
        return found


def expand(text: str, where: str) -> list[str]:
    """Return the ids a text names, ranges written out, e.g. `OBS-08..10` as three.

    Raises:
        SpecError: A prefix or number is not in `DOMAINS`, or a range runs backwards.
    """
    uids: list[str] = []
    for prefix, first, last in _ID.findall(text):
        if prefix not in DOMAINS:
            raise SpecError(f"{where}: {prefix}-{first} is of no known domain")
        numbers = range(int(first), int(last or first) + 1)
        if not numbers or numbers[0] < 1 or numbers[-1] > DOMAINS[prefix][1]:
            raise SpecError(f"{where}: {prefix}-{first}{'..' + last if last else ''} does not exist")
        uids += [f"{prefix}-{number:02}" for number in numbers]
    return uids


def ordered(uids: Iterable[str]) -> list[str]:
    """Return ids by domain and number."""
    places = list(DOMAINS)
    return sorted(uids, key=lambda uid: (places.index(uid.split("-")[0]), int(uid.split("-")[1])))


def read_document(path: Path, spec: Spec) -> None:
    """Add what a document promises, and what it calls open."""
    is_open = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        where = f"{path.name}:{number}"
        heading = _HEADING.match(line)
        if heading:
            is_open = heading[1].casefold() == _OPEN_HEADING
            continue
        bracketed = _BRACKETS.findall(line)
        if is_open and bracketed:
            raise SpecError(f"{where}: what is not kept yet stands without brackets")
        target = spec.open if is_open else spec.promised
        for part in [line] if is_open else bracketed:
            for uid in expand(part, where):
                target.setdefault(uid, []).append(where)


def constants_of(tree: ast.Module) -> dict[str, ast.expr]:
    """Return what the names at the top of a module stand for."""
    return {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def is_nightly(node: ast.AST, constants: dict[str, ast.expr]) -> bool:
    """Tell if an expression is `pytest.mark.nightly(…)`, a name for it, or a list with one of these."""
    match node:
        case ast.Name(id=name) if name in constants:
            return is_nightly(constants[name], {})
        case ast.List(elts=each) | ast.Tuple(elts=each):
            return any(is_nightly(one, constants) for one in each)
        case ast.Call(func=ast.Attribute(attr="nightly")):
            return True
    return False


def nightly_nodes(tree: ast.Module) -> set[ast.AST]:
    """Return the nodes of every test that is marked `nightly` as a whole; one with a nightly case is not."""
    constants = constants_of(tree)
    if "pytestmark" in constants and is_nightly(constants["pytestmark"], constants):
        return {*ast.walk(tree)}
    return {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(is_nightly(each, constants) for each in node.decorator_list)
        for inner in ast.walk(node)
    }


def markers(tree: ast.Module, nightly: set[ast.AST], where: str) -> Iterator[tuple[str, str, bool]]:
    """Give the text and place of every argument of a `covers` marker in a test file, and if it is nightly.

    Raises:
        SpecError: An argument is not a plain id or range in quotes.
    """
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr != "covers":
            continue
        for argument in node.args:
            place = f"{where}:{argument.lineno}"
            value = argument.value if isinstance(argument, ast.Constant) else None
            if not isinstance(value, str) or not re.fullmatch(_ONE, value):
                raise SpecError(f"{place}: a marker takes ids or ranges in quotes")
            yield value, place, node in nightly


def reasons(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Give each test or file that a reason for the night names, and its line; `*` ends a part of a name."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="nightly"), args=[ast.Constant(value=str(text))]):
                pass
            case ast.Call(func=ast.Name(id="first_by_day"), args=[_, ast.Constant(value=str(text)), *_]):
                pass
            case _:
                continue
        for name in _NAMED.findall(text):
            yield name, node.lineno


def read_reasons(tree: ast.Module, nightly: set[ast.AST], where: str, spec: Spec) -> None:
    """Add which tests of a file run with each change, and what its reasons for the night name."""
    running = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and node not in nightly
    }
    spec.running |= running | ({Path(where).stem} if running else set())
    spec.named.update((name, f"{where}:{line}") for name, line in reasons(tree))


def read_tests(folder: Path, spec: Spec) -> None:
    """Add what the tests and fixtures under a folder show."""
    for path in sorted(folder.rglob("*.py")):
        where = path.relative_to(folder.parent).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nightly = nightly_nodes(tree)
        read_reasons(tree, nightly, where, spec)
        for text, place, at_night in markers(tree, nightly, where):
            for uid in expand(text, place):
                spec.tested.setdefault(uid, []).append(place)
                spec.at_once |= set() if at_night else {uid}
    for path in sorted(folder.rglob("*.fixture.yaml")):
        where = path.relative_to(folder.parent).as_posix()
        for text in _COVERS.findall(path.read_text(encoding="utf-8")):
            for uid in expand(text, where):
                spec.tested.setdefault(uid, []).append(where)
                spec.at_once.add(uid)


def read_operations(folder: Path, spec: Spec) -> None:
    """Add what the operations under a folder measure: the tuples given as `covers=`, also by a constant."""
    for path in sorted(folder.glob("*.py")):
        where = path.relative_to(folder.parent).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = constants_of(tree)
        for keyword in (node for node in ast.walk(tree) if isinstance(node, ast.keyword)):
            if keyword.arg != "covers":
                continue
            value = keyword.value
            if isinstance(value, ast.Name):
                value = constants.get(value.id, value)
            if isinstance(value, ast.Tuple):
                for uid in expand(ast.unparse(value), where):
                    spec.measured.setdefault(uid, []).append(f"{where}:{keyword.lineno}")


def read_spec(root: Path = ROOT) -> Spec:
    """Return what `docs/spec` promises, `tests` shows and `bench` measures."""
    spec = Spec()
    for path in sorted((root / "docs" / "spec").glob("*.md")):
        read_document(path, spec)
    read_tests(root / "tests", spec)
    read_operations(root / "bench", spec)
    return spec


def table(spec: Spec) -> str:
    """Return a row per domain: how many ids are promised, shown, open, and not mentioned at all.

    Of those that are shown it counts how many `make test` shows, and how many `make test-all` alone; the
    latter are named below, with their tests.
    """
    lines = [
        f"{'domain':<28}{'promised':>9}{'shown':>8}{'test':>7}{'night':>7}{'open':>6}{'later':>7}{'all':>6}"
    ]
    night = {uid for uid in spec.tested if uid not in spec.at_once}
    for prefix, (name, last) in DOMAINS.items():
        counts = [
            sum(uid.startswith(f"{prefix}-") for uid in uids)
            for uids in (
                spec.promised,
                spec.covered,
                spec.at_once,
                night,
                spec.open.keys() - spec.promised.keys(),
            )
        ]
        later = last - counts[0] - counts[4]
        widths = zip((*counts, later, last), (9, 8, 7, 7, 6, 7, 6), strict=True)
        lines.append(f"{prefix + ' ' + name:<28}" + "".join(f"{number:>{width}}" for number, width in widths))
    lines += [f"{uid}: in `make test-all` alone, {spec.tested[uid][0]}" for uid in ordered(night)]
    return "\n".join(lines)


def main() -> int:
    """Print the table and the disagreements; return the exit code."""
    try:
        spec = read_spec()
    except SpecError as error:
        print(error, file=sys.stderr)
        return 1
    print(table(spec))
    for problem in spec.problems:
        print(problem, file=sys.stderr)
    return 1 if spec.problems else 0


if __name__ == "__main__":
    sys.exit(main())
