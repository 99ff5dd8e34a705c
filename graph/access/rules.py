"""Who may do what: a token's roles say what, `MAY` edges to spaces say where.

permissions(roles) = union of registry/roles.yaml over the roles
readable = spaces with any MAY; writable = spaces with write or admin; administrable = with admin
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from prefrontal.graph.access.record import Caller, Permission
from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound, Unauthenticated

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


def require(caller: Caller, permission: Permission) -> None:
    """Return when the caller's roles allow `permission`; else raise `Forbidden`."""
    if permission not in caller.permissions:
        raise Forbidden(f"this needs a role that allows {permission.value!r}; ask for a token with one")


def require_maintainer(caller: Caller) -> None:
    """Return when the caller may decide about the registry; else raise `Forbidden`."""
    require(caller, Permission.WRITE)
    require(caller, Permission.MAINTAIN)


def target_space(caller: Caller, space: str | None, *, field: str = "space") -> str:
    """Return the space a new node goes to: the one named, or the caller's own.

    Raises:
        NotFound: The space is unknown or not readable.
        Forbidden: It is readable but not writable.
    """
    if space is None:
        return caller.home
    if space not in caller.readable:
        raise NotFound("no such space", field=field)
    if space not in caller.writable:
        raise Forbidden("you may read this space but not write to it", field=field)
    return space


def checked_key(key: str, field: str) -> str:
    """Return a key (of an organisation or actor): 1–128 of letters, digits and `._@+-`.

    Raises:
        InvalidInput: It has another form.
    """
    if not _KEY.fullmatch(key):
        raise InvalidInput("1 to 128 letters, digits or ._@+- , beginning and ending with one", field=field)
    return key
