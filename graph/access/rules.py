"""What the roles of a token allow, and which keys name organisations and actors.

permissions(roles) = union of registry/roles.yaml over the roles
readable = spaces with any MAY; writable = spaces with write or admin; administrable = with admin
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from prefrontal.graph.caller import Permission
from prefrontal.graph.errors import InvalidInput, Unauthenticated

_KEY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,126}[A-Za-z0-9])?")


def permissions_of(roles: Iterable[str], table: Mapping[str, tuple[str, ...]]) -> frozenset[Permission]:
    """Return what the roles allow together.

    Raises:
        Unauthenticated: A role is not in `registry/roles.yaml`.
    """
    found: set[Permission] = set()
    for role in roles:
        if role not in table:
            raise Unauthenticated(f"the token names the role {role!r}; known roles: {', '.join(table)}")
        found.update(Permission(name) for name in table[role])
    return frozenset(found)


def checked_key(key: str, field: str) -> str:
    """Return a key (of an organisation or actor): 1–128 of letters, digits and `._@+-`.

    Raises:
        InvalidInput: It has another form.
    """
    if not _KEY.fullmatch(key):
        raise InvalidInput("1 to 128 letters, digits or ._@+- , beginning and ending with one", field=field)
    return key
