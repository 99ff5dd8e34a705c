"""The ids that the lines of an exported organisation name: each is of the file.

    names a space     `scope_id`, `searchable_in`, `home_id`, `space_id`, `space`: it is a space of the file;
                      the `scope_id` of a node that belongs to no space is the organisation
    names the owner   `org_id`: it is the organisation of the file
    lasts             an organisation, a space or an actor, under any name of an id: it is in the file
    may be gone       any other record: it is in the file, or nobody of the database has it

Retention and erasure delete records, and what refers to them stays, e.g. the audit log. So an id that the
file does not have may be right. It is asked of the database, in which it must not be a record of others.

The name of a property that holds ids ends in `id`, `uid` or their plural, or is one of `ALSO`. In the JSON
that the service writes every id counts. What clients write may hold whatever they like: nothing is found by
it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from prefrontal.graph.errors import NOTHING_WRITTEN, Duplicate, InvalidInput, PrefrontalError
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.transfer.record import Header

SPACES = frozenset({"scope_id", "searchable_in", "home_id", "space_id", "space"})
"""The names of what names a space."""
OWNERS = frozenset({"org_id"})
ACTORS = frozenset({"by_uid"})
"""The names of what names an actor, or the organisation, and nothing else."""
ENDS = frozenset({"entity_uid", "from_uid", "goal_uid", "memory_uid", "tag_uid", "topic_uid"})
"""The names under which a link repeats the id of one of its ends."""
ALSO = frozenset(
    {
        "aggregate", "authors", "by", "confirmed_by", "derived_from", "evidence", "evidence_refs",
        "granted_by", "included_via", "refs", "reviewers", "superseded_by", "violates",
    }
)  # fmt: skip
"""The further names of properties that may hold ids."""
JSON = frozenset(
    {
        "before", "body", "changes", "data", "details", "excluded", "included_contradicts", "included_paths",
        "payload", "quotes", "result", "reviews",
    }
)  # fmt: skip
"""The properties with JSON that the service writes; `result` is one of a request alone."""
CLIENTS = frozenset({"client_key", "metadata", "parameters"})
"""The keys of that JSON under which there is what clients wrote."""
HOMELESS = frozenset({"Embedding", "Importing", "KeyLock", "Lease", "Migration", "TypeDefinition"})
"""The labels of what belongs to no organisation."""
_LASTING = frozenset({Kind.ORGANISATION, Kind.SPACE, Kind.AGENT, Kind.PERSON, Kind.DEVICE})
"""What nothing deletes but the deletion of the organisation."""
_ID = re.compile(r"(?:^|_)u?ids?$")
_WHOLE = f"export it again; {NOTHING_WRITTEN}"
_SHOWN_CHARACTERS = 60


class _Mention(NamedTuple):
    """Where a file names an id."""

    line: int
    record: str
    field: str


class References:
    """The ids of a file, and those that it names; lines are added one by one, in any order."""

    def __init__(self, header: Header) -> None:
        self._org_id, self._org_key = header.id, header.key
        self._lines: dict[str, int] = {}
        self._spaces: set[str] = set()
        self._wanted_spaces: dict[str, _Mention] = {}
        self._wanted: dict[str, _Mention] = {}
        self._asked: dict[str, _Mention] = {}

    def add(self, number: int, line: Mapping[str, Any]) -> None:
        """Add a line of a node or of a relationship.

        Raises:
            InvalidInput: If it can be none of the organisation.
        """
        if "node" in line:
            self._node(number, line)
        else:
            self._link(number, line)

    def _node(self, number: int, line: Mapping[str, Any]) -> None:
        uid, labels, properties = line["node"], line["labels"], line["properties"]
        if uid in self._lines:
            raise _altered(number, f"has the id of line {self._lines[uid]}")
        if not kind_of(uid):
            raise _altered(number, f"has a node with the id {_quoted(uid)}, which is none")
        if not HOMELESS.isdisjoint(labels):
            raise _altered(number, "has a node that belongs to no organisation")
        if ("Organisation" in labels) != (uid == self._org_id):
            raise _altered(number, "has another organisation")
        if uid == self._org_id and properties.get("key") != self._org_key:
            raise _altered(number, "has another key of the organisation than the first line")
        self._lines[uid] = number
        if "Space" in labels:
            self._spaces.add(uid)
        if not isinstance(properties.get("scope_id"), str):
            raise _altered(number, "has a node without `scope_id`")
        self._add(number, uid, _id_texts(properties, JSON if "Request" in labels else _NO_RESULTS))

    def _link(self, number: int, line: Mapping[str, Any]) -> None:
        ends = (line["from"], line["to"])
        record = f"{line['type']} of {line['from']}"
        for field, uid in zip(("from", "to"), ends, strict=True):
            self._wanted.setdefault(uid, _Mention(number, record, field))
        named = []
        for field, name, value in _id_texts(line["properties"], frozenset()):
            if name in ENDS and value not in ends:
                raise _foreign(_Mention(number, record, field), value, "at no end of it")
            named.append((field, name, value))
        self._add(number, record, named, of_link=True)

    def _add(
        self, number: int, record: str, named: Iterable[tuple[str, str, str]], *, of_link: bool = False
    ) -> None:
        for field, name, value in named:
            mention = _Mention(number, record, field)
            if name in OWNERS:
                if value != self._org_id:
                    raise _foreign(mention, value, "another organisation")
            elif name in SPACES:
                if value != self._org_id or name != "scope_id" or of_link:
                    self._wanted_spaces.setdefault(value, mention)
            elif name in ACTORS or (kind := kind_of(value)) in _LASTING:
                self._wanted.setdefault(value, mention)
            elif kind is not None and value not in self._lines:
                self._asked.setdefault(value, mention)

    def check(self) -> None:
        """Check what can be told from the file alone, when all of its lines are added.

        Raises:
            InvalidInput: If the file names a space or an actor that it does not have, if a relationship leads
                to nothing, or if the organisation itself is missing.
        """
        wrong = [
            (mention, uid, "a space")
            for uid, mention in self._wanted_spaces.items()
            if uid not in self._spaces
        ]
        wrong += [
            (mention, uid, "anything") for uid, mention in self._wanted.items() if uid not in self._lines
        ]
        if wrong:
            mention, uid, what = min(wrong)
            raise _foreign(mention, uid, f"not {what} of this file")
        if self._org_id not in self._lines:
            raise InvalidInput(f"the file does not have the organisation itself: {_WHOLE}", field="file")
        self._asked = {uid: mention for uid, mention in self._asked.items() if uid not in self._lines}

    @property
    def uids(self) -> list[str]:
        """The ids that nobody else in the database may have: those of the file, and what it names."""
        return [*self._lines, *self._asked]

    def taken_error(self, uids: Iterable[str]) -> PrefrontalError:
        """Return the error for some of these ids that others of the database have."""
        uid = min(uids, key=lambda uid: self._lines.get(uid) or self._asked[uid].line)
        if uid in self._asked:
            return _foreign(self._asked[uid], uid, "a record of another organisation of the database")
        return Duplicate(
            f"line {self._lines[uid]} has {uid}, which another organisation of the database has already; "
            f"{NOTHING_WRITTEN}. Import it into another database"
        )


_NO_RESULTS = JSON - {"result"}
"""The result of an action or of a tool is what a client wrote."""


@lru_cache(maxsize=4096)
def holds_ids(name: str) -> bool:
    """Return whether a property of this name may hold ids."""
    return name in SPACES or name in ALSO or _ID.search(name) is not None


def _id_texts(properties: Mapping[str, Any], json_in: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each text that may be an id: where it is, its name, and the text."""
    for name, value in properties.items():
        if name in json_in:
            yield from _in_json(value, name)
        elif name != "uid" and holds_ids(name):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, str):
                    yield name, name, each


def _in_json(value: Any, field: str) -> Iterator[tuple[str, str, str]]:
    """Yield each text in texts with JSON, however deep, and each key; what is no JSON is a text itself."""
    waiting: list[tuple[Any, str, str]] = []
    for text in value if isinstance(value, list) else [value]:
        try:
            waiting.append((json.loads(text), field, field))
        except (TypeError, ValueError, RecursionError):
            waiting.append((text, field, field))
    while waiting:
        found, at, name = waiting.pop()
        if isinstance(found, str):
            yield at, name, found
        elif isinstance(found, list):
            waiting += [(each, at, name) for each in found]
        elif isinstance(found, dict):
            for key, each in found.items():
                yield at, "", key
                if key not in CLIENTS:
                    waiting.append((each, f"{at}.{key}", key))


def _altered(number: int, what: str) -> InvalidInput:
    return InvalidInput(f"line {number} {what}: {_WHOLE}", field="file")


def _foreign(mention: _Mention, value: str, what: str) -> InvalidInput:
    said = f"says {_quoted(mention.field)} {_quoted(value)}, which is {what}"
    return _altered(mention.line, f"({_quoted(mention.record)}) {said}")


def _quoted(value: str) -> str:
    """Return a foreign text as it is shown: short, with what is no letter escaped."""
    return json.dumps(value[:_SHOWN_CHARACTERS])
