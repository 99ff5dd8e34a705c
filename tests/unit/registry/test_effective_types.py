"""Which types an organisation has: those of the files, its own before them, and since when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from prefrontal.graph.caller import Caller, Permission
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.registry.definitions import ActionType, ActionTypes, Origin, TypeSource
from prefrontal.graph.registry.effective_types import EffectiveTypes, TypeOverride
from prefrontal.graph.registry.load import load_action_types

SHIPPED = load_action_types(ROOT / "registry")
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def caller(org="acme"):
    return Caller(
        org_id=f"org_{org}",
        org_key=org,
        actor_id="agt_x",
        home="spc_x",
        readable=("spc_x",),
        writable=("spc_x",),
        permissions=frozenset(Permission),
    )


def kind(name="survey", **given):
    return ActionType.model_validate(SHIPPED["research"].model_dump() | {"id": name} | given)


def files(*kinds, **table):
    types = {**SHIPPED, **{each.id: each for each in kinds}}
    return ActionTypes(types, SHIPPED.table.model_copy(update=table))


def test_without_overrides_an_organisation_has_the_types_of_the_files():
    tables = EffectiveTypes(files())

    assert dict(tables.of(caller())) == dict(SHIPPED)
    assert tables.of(caller()) is tables.of(caller("other"))
    assert tables.of(caller()).origin("research") == Origin(TypeSource.FILE)
    assert tables.revision("org_acme") == 0


@pytest.mark.covers("REG-15")
def test_an_override_stands_before_the_file_for_its_organisation_alone():
    tables = EffectiveTypes(files())
    own = kind("research", display_name="Our research")

    tables.keep("org_acme", 3, [TypeOverride(own, 2, None), TypeOverride(kind(), 1, NOON)])

    mine, theirs = tables.of(caller()), tables.of(caller("other"))
    assert (mine["research"], theirs["research"]) == (own, SHIPPED["research"])
    assert mine.origin("research") == Origin(TypeSource.OVERRIDE, 2, None, SHIPPED["research"])
    assert mine.origin("survey") == Origin(TypeSource.OVERRIDE, 1, NOON, None)
    assert mine.for_new("survey") == kind()
    assert theirs.for_new("survey") is None
    assert mine is tables.of(caller())


def test_what_is_older_than_what_is_known_is_not_taken():
    tables = EffectiveTypes(files())
    tables.keep("org_acme", 3, [TypeOverride(kind(), 1, None)])

    tables.keep("org_acme", 2, [])

    assert "survey" in tables.of(caller())
    assert tables.revision("org_acme") == 3


def test_a_change_of_the_files_is_seen_below_the_overrides():
    known = files()
    tables = EffectiveTypes(known)
    tables.keep("org_acme", 1, [TypeOverride(kind(), 1, None)])
    before = tables.of(caller())

    known.take(files(kind("audit")), NOON)

    assert "audit" not in before
    assert {"audit", "survey"} <= set(tables.of(caller()))
    assert "audit" in tables.of(caller("other"))


def test_nothing_unknown_is_left_without_a_safe_type():
    known = files()
    tables = EffectiveTypes(known)
    tables.keep("org_acme", 1, [TypeOverride(kind("follow_up", allowed_owners=("agent",)), 1, None)])

    known.take(files(safe_type="follow_up"), NOON)

    assert tables.of(caller()).safe == SHIPPED["follow_up"]
    assert tables.of(caller()).origin("follow_up").source is TypeSource.FILE


@pytest.mark.covers("REG-21", "REG-22")
def test_a_staged_type_is_in_use_where_its_flag_is_on():
    staged = kind(rollout_flag="surveys")
    known = files(staged, rollout_by_organisation={"acme": ("surveys",), "third": ("else",)})
    tables = EffectiveTypes(known)

    assert tables.of(caller()).for_new("survey") == staged
    assert tables.of(caller("other")).for_new("survey") is None
    assert tables.of(caller("third")).for_new("survey") is None
    assert "survey" in tables.of(caller("other"))

    known.take(files(staged, rollout_flags=("surveys",)), NOON)
    assert [tables.of(caller(org)).for_new("survey") for org in ("acme", "other")] == [staged, staged]

    known.take(files(kind()), NOON)
    assert [tables.of(caller(org)).for_new("survey") for org in ("acme", "other")] == [kind(), kind()]


@pytest.mark.covers("REG-33")
def test_a_turn_has_the_types_that_were_in_use_when_it_began():
    staged = kind(rollout_flag="surveys")
    known = files(staged)
    tables = EffectiveTypes(known)
    known.take(files(staged, rollout_by_organisation={"acme": ("surveys",)}), NOON)
    known.take(files(staged, kind("audit"), rollout_flags=("surveys",)), NOON + HOUR)

    def seen(org, began):
        types = tables.at(caller(org), began, ())
        return [name for name in ("research", "survey", "audit") if types.for_new(name)]

    assert seen("acme", NOON - HOUR) == seen("other", NOON - HOUR) == ["research"]
    assert seen("other", NOON) == ["research"]
    assert seen("other", NOON + HOUR) == ["research"]
    assert seen("other", NOON + 2 * HOUR) == ["research", "survey", "audit"]
    assert tables.of(caller("other")).origin("survey").since == NOON + HOUR
    assert tables.of(caller("other")).origin("research").since is None


@pytest.mark.covers("REG-33")
def test_a_flag_that_one_organisation_got_later_than_another_counts_from_then():
    staged = kind(rollout_flag="surveys")
    known = files(staged)
    tables = EffectiveTypes(known)
    known.take(files(staged, rollout_by_organisation={"acme": ("surveys",)}), NOON)
    known.take(
        files(staged, rollout_by_organisation={"acme": ("surveys",), "other": ("surveys",)}), NOON + HOUR
    )

    assert tables.of(caller()).origin("survey").since == NOON
    assert tables.of(caller("other")).origin("survey").since == NOON + HOUR
    assert tables.of(caller("third")).origin("survey").since is None


def test_successors_that_name_each_other_end_somewhere():
    old = {"deprecation_status": "deprecated"}
    tables = EffectiveTypes(files(kind("a", **old, replaced_by="b"), kind("b")))
    tables.keep("org_acme", 1, [TypeOverride(kind("b", **old, replaced_by="a"), 1, None)])

    assert tables.of(caller()).for_new("a").id == "a"


@pytest.mark.covers("REG-19")
def test_a_type_that_takes_no_new_actions_does_not_hand_them_on():
    old = kind(deprecation_status="deprecated", replaced_by="research", block_new=True)

    assert files(old).for_new("survey") == old
