"""What a registry's files lack that is in force elsewhere: on a server, or at a commit."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from prefrontal.graph.errors import CatalogError
from prefrontal.graph.registry.definitions import ActionsTable, ActionType, ActionTypes
from prefrontal.graph.registry.load import load_action_types
from prefrontal.graph.registry.watch import removals

_SECONDS = 30.0
_FIELDS = (
    "id displayName allowedOwners allowedStatuses allowedTransitions { status to } "
    "formerStatuses { status now }"
)
_QUERY = f"{{ actionTypes {{ {_FIELDS} source retired overrides {{ {_FIELDS} }} }} }}"


def require_nothing_removed(types: ActionTypes, folder: Path, against: str, token: str | None) -> None:
    """Check that the files under `folder` lack no type and no status that is in force elsewhere.

    Args:
        types: The action types in the files.
        folder: The registry's folder.
        against: The address of a server, or a commit, branch or tag of the repository that holds the folder.
        token: A token for the server.

    Raises:
        CatalogError: If the files lack something, or nothing can be compared.
    """
    if against.startswith(("http://", "https://")):
        known = _on_server(against, token)
    else:
        known = _at_commit(folder, against)
    if said := removals(known, types, folder):
        raise CatalogError(f"compared with {against}, the registry loses something:\n  " + "\n  ".join(said))


def _at_commit(folder: Path, ref: str) -> ActionTypes:
    git = shutil.which("git")
    if git is None:
        raise CatalogError("git is not installed; install it to compare with a commit")
    if ref.startswith("-"):
        raise CatalogError(f"{ref} is no commit, branch or tag")
    done = subprocess.run(  # noqa: S603 - no shell, and a leading dash is refused
        [git, "-C", str(folder), "archive", "--format=tar", ref, "."],
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").partition("\n")[0]
        raise CatalogError(f"the registry cannot be read at {ref}: {said}")
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            archive.extractall(place, filter="data")
        try:
            return load_action_types(Path(place))
        except CatalogError as error:
            raise CatalogError(f"at {ref}, {error.message.replace(place, str(folder))}") from error


def _on_server(address: str, token: str | None) -> ActionTypes:
    url = address.rstrip("/")
    request = urllib.request.Request(  # noqa: S310 - the caller has checked the scheme
        url if url.endswith("/graphql") else f"{url}/graphql",
        data=json.dumps({"query": _QUERY}).encode(),
        headers={
            "content-type": "application/json",
            **({"authorization": f"Bearer {token}"} if token else {}),
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310 - as above
            found = json.loads(answer.read())["data"]["actionTypes"]
        kinds = [_type_of(own) for each in found if (own := _in_file(each)) is not None]
    except urllib.error.HTTPError as error:
        hint = "; give a token that may read: --token" if error.code in (401, 403) else ""
        raise CatalogError(f"{address} answers with status {error.code}{hint}") from error
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise CatalogError(f"{address} does not answer like a server of this version: {error}") from error
    table = ActionsTable(safe_type="none", default_effort=1.0)
    return ActionTypes({kind.id: kind for kind in kinds}, table)


def _in_file(shown: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a file says about a type; None if no file does."""
    if shown["source"] == "OVERRIDE":
        found: dict[str, Any] | None = shown["overrides"]
        return found
    return None if shown["retired"] else shown


def _type_of(shown: dict[str, Any]) -> ActionType:
    return ActionType.model_validate(
        {
            "id": shown["id"],
            "display_name": shown["displayName"],
            "allowed_owners": tuple(owner.lower() for owner in shown["allowedOwners"]),
            "allowed_statuses": tuple(shown["allowedStatuses"]),
            "allowed_transitions": {
                way["status"]: tuple(way["to"]) for way in shown["allowedTransitions"] if way["to"]
            },
            "former_statuses": {each["status"]: each["now"] for each in shown["formerStatuses"]},
        }
    )
