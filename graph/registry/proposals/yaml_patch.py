"""The registry's file with a proposal applied, and the commit message for the person who merges it.

    add        a new file: the proposed keys, the other keys as in the safe type, and generated fixtures;
               statuses and transitions that are those of the repository's `actions.yaml` are left out
    modify     the present file with comments and order kept; only the proposed keys change.
               Proposed statuses or transitions are written out together, because a proposal says all of them
    fixtures   kept if they match what the type does; else generated again

Errors that `registry check` would still report are listed in the commit message, to be fixed on the branch.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError

from prefrontal.graph.config.table_files import API_VERSION, VERSION_KEY, strip_version, version_problem
from prefrontal.graph.config.yaml_files import to_python
from prefrontal.graph.errors import Conflict, InvalidInput, SeveralProblems
from prefrontal.graph.record import Record
from prefrontal.graph.registry.definitions import ActionType, ActionTypes
from prefrontal.graph.registry.fixture_generator import lives_of
from prefrontal.graph.registry.format import (
    DEFAULTS,
    INITIAL,
    SCHEMA_REFERENCE,
    STATUSES,
    TRANSITIONS,
    Keys,
    defaults_problems,
    spelled_out,
)
from prefrontal.graph.registry.proposals.proposed_type import (
    HANDLERS,
    OPEN,
    Complaints,
    applied,
    checked,
    new_keys,
    proposed_keys,
    sets_escalation,
    type_id_of,
)
from prefrontal.graph.registry.proposals.record import ProposalType, RegistryProposal, ReviewDecision
from prefrontal.graph.validation import raise_all

FOLDER = "registry/action_types"
SETTINGS = "registry/actions.yaml"

_FIXTURES = "fixtures"
_FLOW = {"starts", "metadata", "steps"}
_WORDS = {
    ProposalType.ADD: "Add the action type",
    ProposalType.MODIFY: "Change the action type",
    ProposalType.DEPRECATE: "Deprecate the action type",
}


class FilePatch(Record):
    """A file's new text, and the message of the commit that changes the file."""

    text: str
    message: str


def branch_of(proposal: RegistryProposal) -> str:
    """Return the name of a proposal's branch, which contains its type and its id."""
    return f"registry/{type_id_of(proposal)}-{proposal.uid.partition('_')[2].lower()}"


def path_of(proposal: RegistryProposal) -> str:
    """Return the path of the type's file in the registry's repository."""
    return f"{FOLDER}/{type_id_of(proposal)}.yaml"


def file_patch(
    proposal: RegistryProposal,
    text: str | None,
    types: ActionTypes,
    complaints: Complaints,
    settings: str | None = None,
) -> FilePatch:
    """Return the file of a proposal's type with the change applied.

    Args:
        proposal: The proposal.
        text: The present file in the repository; None if there is none.
        types: The types in force; a new type takes keys that are not proposed from the safe type.
        complaints: Checks the fixtures of a type.
        settings: `actions.yaml` in the repository, which has the defaults for types; None if there is none.

    Raises:
        Conflict: If the change cannot be applied to the repository's file, or is applied already.
    """
    defaults = _defaults(settings)
    document = _changed(proposal, text, types, defaults)
    kind = _kind_of(document, defaults)
    said = complaints(kind)
    if said and _FIXTURES not in proposed_keys(proposal):
        document[_FIXTURES] = _node(lives_of(kind))
        said = complaints(_kind_of(document, defaults))
    stream = io.StringIO()
    _yaml().dump(document, stream)
    if stream.getvalue() == text:
        raise Conflict("the repository's file already contains the proposed change", field="id")
    return FilePatch(text=stream.getvalue(), message=_message(proposal, said))


def _defaults(settings: str | None) -> Keys | None:
    """Return the defaults for types that the text of `actions.yaml` has; None if it has none."""
    try:
        said = to_python(_yaml().load(settings or ""))
    except YAMLError as error:
        raise Conflict(f"the repository's {SETTINGS} is not YAML", field="id") from error
    found = said.get(DEFAULTS) if isinstance(said, Mapping) else None
    if found is not None and defaults_problems(found):
        raise Conflict(f"the defaults in the repository's {SETTINGS} are wrong", field="id")
    return found


def _changed(
    proposal: RegistryProposal, text: str | None, types: ActionTypes, defaults: Keys | None
) -> CommentedMap:
    keys = proposed_keys(proposal)
    if proposal.proposal_type is ProposalType.ADD:
        if text is not None:
            raise Conflict("the repository already has a file of that type", field="id")
        name = type_id_of(proposal)
        said = {"id": name, **applied(new_keys(name, types.safe), keys)}
        document: CommentedMap = _node({VERSION_KEY: API_VERSION, **_shortened(said, defaults)})
        document.yaml_set_start_comment(SCHEMA_REFERENCE)
        return document
    if text is None:
        raise Conflict("the repository has no file of that type", field="id")
    try:
        document = _yaml().load(text)
    except YAMLError as error:
        raise Conflict("the repository's file of that type is not YAML", field="id") from error
    if not isinstance(document, CommentedMap):
        raise Conflict("the repository's file of that type is not a YAML map", field="id")
    _apply(document, keys, defaults)
    return document


def _apply(document: CommentedMap, keys: Keys, defaults: Keys | None) -> None:
    """Change a file's keys to the proposed ones."""
    if ways := {STATUSES, TRANSITIONS} & keys.keys():
        full, _ = spelled_out(to_python(document), defaults)
        keys = {**{key: full.get(key) for key in {STATUSES, TRANSITIONS} - ways}, **keys}
        document.pop(INITIAL, None)
    handlers = document.get(HANDLERS)
    if sets_escalation(keys) and isinstance(handlers, CommentedMap):
        handlers.pop("escalation", None)
        if not handlers:
            document.pop(HANDLERS)
    after = list(document).index("allowed_owners") + 1 if "allowed_owners" in document else 0
    for key, value in keys.items():
        held = document.get(key)
        if key not in OPEN or not isinstance(value, Mapping):
            _set_key(document, key, value, after)
        elif isinstance(held, CommentedMap):
            for part, each in value.items():
                _set_key(held, part, each, len(held))
        elif entries := {part: each for part, each in value.items() if each is not None}:
            _set_key(document, key, entries, after)


def _set_key(held: CommentedMap, key: str, value: Any, place: int) -> None:
    """Set a key, or remove it; an equal value keeps its formatting, and a new key is inserted at `place`."""
    if value is None:
        held.pop(key, None)
    elif key not in held:
        held.insert(place, key, _node(value))
    elif to_python(held[key]) != to_python(value):
        held[key] = _node(value)


def _shortened(keys: dict[str, Any], defaults: Keys | None) -> dict[str, Any]:
    """Return the keys of a new type without the statuses and transitions that it has by default."""
    short = {key: value for key, value in keys.items() if key not in (STATUSES, TRANSITIONS)}
    full, _ = spelled_out(short, defaults)
    same = all(to_python(full.get(key)) == to_python(keys.get(key)) for key in (STATUSES, TRANSITIONS))
    return short if same else keys


def _kind_of(document: CommentedMap, defaults: Keys | None) -> ActionType:
    try:
        said = to_python(document)
        keys, problems = spelled_out(strip_version(said), defaults)
        if problem := version_problem(said):
            problems = [((VERSION_KEY,), problem)]
        raise_all([InvalidInput(message, field=str(place[0])) for place, message in problems])
        return checked(keys)
    except (InvalidInput, SeveralProblems) as error:
        raise Conflict(
            f"the change cannot be applied to the repository's file: {error.message}", field="id"
        ) from error


def _message(proposal: RegistryProposal, complaints: Sequence[tuple[Sequence[str | int], str]]) -> str:
    """Return the commit message: subject, the indented reasons as written by people, and the actors."""
    parts = [
        f"{_WORDS[proposal.proposal_type]} {type_id_of(proposal)}",
        "Rationale:",
        _indented(proposal.rationale),
    ]
    for title, texts in (("Examples:", proposal.examples), ("Risks:", proposal.risks)):
        if texts:
            parts += [title, "\n".join(_indented(text, "- ") for text in texts)]
    comments = [review.comments for review in proposal.reviews if review.comments]
    if comments:
        parts += ["Review:", "\n".join(_indented(text, "- ") for text in comments)]
    if complaints:
        lines = [f"{'.'.join(map(str, place))}: {text}" for place, text in complaints]
        parts += ["To be fixed before the merge:", "\n".join(_indented(line, "- ") for line in lines)]
    trailers = [f"Proposal: {proposal.uid}", f"Proposed-by: {proposal.by_uid}"]
    approvals = (review for review in proposal.reviews if review.decision is ReviewDecision.APPROVE)
    trailers += [f"Approved-by: {review.by}" for review in approvals]
    return "\n\n".join([*parts, "\n".join(trailers)]) + "\n"


def _indented(text: str, mark: str = "") -> str:
    """Return a text with every line indented, so that it cannot be mistaken for lines of the service."""
    first, *rest = text.replace("\0", "").splitlines() or [""]
    return "\n".join([f"  {mark}{first}", *(f"  {' ' * len(mark)}{line}".rstrip() for line in rest)])


def _yaml() -> YAML:
    found = YAML(typ="rt")
    found.preserve_quotes = True
    found.width = 4096
    found.indent(mapping=2, sequence=4, offset=2)
    return found


def _node(value: Any, *, flow: bool = False) -> Any:
    """Return a value in the style of the registry's files: short lists and steps on one line."""
    if isinstance(value, Mapping):
        found = CommentedMap()
        for key, each in value.items():
            found[key] = _node(each, flow=flow or (key in _FLOW and isinstance(each, Mapping)))
            if key == "steps":
                for step in found[key]:
                    step.fa.set_flow_style()
        if flow:
            found.fa.set_flow_style()
        return found
    if isinstance(value, list | tuple):
        items = CommentedSeq(_node(each, flow=flow) for each in value)
        if flow or not any(isinstance(each, Mapping) for each in value):
            items.fa.set_flow_style()
        return items
    return value
