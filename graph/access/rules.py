"""The permissions of a token's roles, the permissions of grants, and the form of keys.

permissions     the union of the permissions that `registry/roles.yaml` lists for the token's roles
readable        the spaces to which the caller's actors have any `MAY` relationship
writable        the spaces with the permission write or admin
administrable   the spaces with the permission admin
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from prefrontal.graph.caller import Permission
from prefrontal.graph.errors import InvalidInput, Unauthenticated

_KEY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,126}[A-Za-z0-9])?")


def permissions_of(roles: Iterable[str], table: Mapping[str, tuple[str, ...]]) -> frozenset[Permission]:
    """Return the union of the permissions that `table` lists for the roles.

    Raises:
        Unauthenticated: If a role is not in `registry/roles.yaml`.
    """
    found: set[Permission] = set()
    for role in roles:
        if role not in table:
            raise Unauthenticated(f"the token names the role {role!r}; known roles: {', '.join(table)}")
        found.update(Permission(name) for name in table[role])
    return frozenset(found)


def checked_key(key: str, field: str) -> str:
    """Return the key of an organisation or actor unchanged if it is well-formed.

    A key has 1 to 128 letters, digits and characters of `._@+-`, and begins and ends with a letter or digit.

    Raises:
        InvalidInput: If the key has another form.
    """
    if not _KEY.fullmatch(key):
        raise InvalidInput(
            "use 1 to 128 letters, digits or characters of ._@+- and begin and end with a letter or digit",
            field=field,
        )
    return key
