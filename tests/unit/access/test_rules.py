"""Rules of access: roles, target spaces, keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.access.rules import checked_key, permissions_of
from prefrontal.graph.caller import Caller, Permission, require, target_space
from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound, PrefrontalError, Unauthenticated

ROLES = {"reader": ("read",), "writer": ("read", "write"), "admin": ("maintain",)}


def caller(*permissions: Permission) -> Caller:
    return Caller(
        org_id="org",
        org_key="o",
        actor_id="agt",
        home="home",
        readable=("home", "library"),
        writable=("home",),
        permissions=frozenset(permissions),
    )


@given(st.lists(st.sampled_from(sorted(ROLES)), max_size=4))
def test_permissions_are_the_union_of_the_roles(roles: list[str]) -> None:
    expected = {Permission(name) for role in roles for name in ROLES[role]}

    assert permissions_of(roles, ROLES) == expected


def test_an_unknown_role_is_no_role() -> None:
    with pytest.raises(Unauthenticated, match="emperor"):
        permissions_of(["reader", "emperor"], ROLES)


@given(st.sets(st.sampled_from(Permission)), st.sampled_from(Permission))
def test_require_needs_exactly_that_permission(held: set[Permission], needed: Permission) -> None:
    try:
        require(caller(*held), needed)
    except Forbidden:
        assert needed not in held
    else:
        assert needed in held


@pytest.mark.parametrize(
    ("space", "outcome"),
    [(None, "home"), ("home", "home"), ("library", Forbidden), ("elsewhere", NotFound), ("", NotFound)],
)
def test_where_a_new_node_goes(space: str | None, outcome: str | type[PrefrontalError]) -> None:
    if isinstance(outcome, str):
        assert target_space(caller(), space) == outcome
        return
    with pytest.raises(outcome) as caught:
        target_space(caller(), space)
    assert caught.value.field == "space"


@given(st.text(max_size=140))
def test_a_key_holds_plain_characters_only(key: str) -> None:
    allowed = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@+-")
    ends = allowed - set("._@+-")
    fine = 1 <= len(key) <= 128 and set(key) <= allowed and key[0] in ends and key[-1] in ends

    try:
        assert checked_key(key, "key") == key
    except InvalidInput:
        assert not fine
    else:
        assert fine


@pytest.mark.parametrize("key", ["a\n", "a\u0661", "\u212a"])
def test_what_only_looks_like_a_plain_key_is_none(key: str) -> None:
    with pytest.raises(InvalidInput):
        checked_key(key, "key")
