"""Reads just enough of a Cypher text to compare it with what is declared.

Comments and string literals are taken out first. A variable has the labels of every pattern in the file that
binds it; what has no label is not judged here (the database's own content is, in `test_written_graph`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_NODE = re.compile(r"\(\s*(\w*)\s*:\s*(\w+(?:\s*[:&|]\s*\w+)*)\s*(\{[^{}]*\})?")
_EDGE = re.compile(r"\[\s*(\w*)\s*:\s*(\w+(?:\|\w+)*)\s*(\{[^{}]*\})?")
_WRITTEN = re.compile(
    r"\b(?:CREATE|MERGE)\s*\(([^()]*)\)\s*(<)?-\[\s*\w*\s*:\s*(\w+)[^\]]*\]-(>)?\s*\(([^()]*)\)"
)
_EACH_OF = re.compile(r"\bUNWIND\s*\[(\w+(?:\s*,\s*\w+)*)\]\s*AS\s+(\w+)")
_HAS_LABEL = re.compile(r"\b(?:WHERE|AND|SET)\s+(\w+):(\w+)")
_KEY = re.compile(r"[{,]\s*(\w+)\s*:")
_PROPERTY = re.compile(r"(?<![\w.$\]])(\w+)\.(\w+)\b")
_PROJECTION = re.compile(r"\b(\w+)\s*\{\s*\.([^{}]*)")


@dataclass
class Names:
    """What a statement names."""

    labels: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    properties: set[tuple[frozenset[str], str]] = field(default_factory=set)
    """Each with the labels or types that its variable has; one of them must declare it."""


def code_of(text: str) -> str:
    return _NOT_CODE.sub(lambda found: "''" if found[0][0] in "'\"" else " ", text)


def names_in(text: str) -> Names:
    code = code_of(text)
    names = Names()
    bound: dict[str, set[str]] = {}
    for pattern, into in ((_NODE, names.labels), (_EDGE, names.types)):
        for variable, joined, keys in pattern.findall(code):
            found = set(re.findall(r"\w+", joined))
            into.update(found)
            if variable:
                bound.setdefault(variable, set()).update(found)
            names.properties |= {(frozenset(found), key) for key in _KEY.findall(keys)}
    for variable, label in _HAS_LABEL.findall(code):
        names.labels.add(label)
        bound.setdefault(variable, set()).add(label)
    for variable, key in _PROPERTY.findall(code):
        if variable in bound:
            names.properties.add((frozenset(bound[variable]), key))
    for variable, listed in _PROJECTION.findall(code):
        keys = [part.strip()[1:].strip() for part in f".{listed}".split(",") if part.strip().startswith(".")]
        owners = frozenset(bound.get(variable, ()))
        names.properties |= {(owners, key) for key in keys if owners}
    return names


def written_edges(text: str) -> set[tuple[frozenset[str], str, frozenset[str]]]:
    """The relationships that the statement creates: the labels at the start, the type, the labels at the end.

    The labels are those that the variable has in any pattern of the file.
    """
    code = code_of(text)
    bound: dict[str, set[str]] = {}
    for variable, joined, _ in _NODE.findall(code):
        bound.setdefault(variable, set()).update(re.findall(r"\w+", joined))
    for listed, variable in _EACH_OF.findall(code):
        bound[variable] = set().union(*(bound.get(each, set()) for each in re.findall(r"\w+", listed)))

    def labels_of(node: str) -> frozenset[str]:
        variable, _, own = node.partition("{")[0].partition(":")
        return frozenset(re.findall(r"\w+", own)) or frozenset(bound.get(variable.strip(), ()))

    found = set()
    for start, left, kind, right, end in _WRITTEN.findall(code):
        if left or right:
            ends = labels_of(start), kind, labels_of(end)
            found.add(ends if right else ends[::-1])
    return found


def changes_of(text: str, labels: set[str]) -> set[str]:
    """The variables with one of the labels that the statement creates, sets or removes something on."""
    code = code_of(text)
    changed: set[str] = set()
    for variable, joined, _ in _NODE.findall(code):
        if not variable or not labels & set(re.findall(r"\w+", joined)):
            continue
        created = re.search(rf"(?:CREATE|MERGE)\s*\(\s*{variable}\s*:", code)
        written = re.search(rf"(?:\bSET\b|\bREMOVE\b|,)\s*{variable}\s*(?:\.\w+\s*=|\+?=)", code)
        removed = re.search(rf"\bREMOVE\s+{variable}\.", code)
        if created or written or removed:
            changed.add(variable)
    return changed


def sets_property(text: str, label: str, key: str) -> bool:
    """Whether the statement sets `key` of an existing node with `label`."""
    code = code_of(text)
    return any(
        re.search(rf"(?:\bSET\b|,)\s*{variable}\.{key}\s*=[^=]", code)
        for variable, joined, _ in _NODE.findall(code)
        if variable and label in re.findall(r"\w+", joined)
    )
