"""What is wrong with a filter of actions, by the types in force."""

from __future__ import annotations

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.actions.record import ActionFilter
from prefrontal.graph.cortex.actions.validation import filter_problems
from prefrontal.graph.registry.definitions import ActionType, ActionTypes
from prefrontal.graph.registry.load import load_action_types

CATALOG = load_catalog(Settings().registry_dir)
SHIPPED = load_action_types(Settings().registry_dir)


def with_survey(**fields: object) -> ActionTypes:
    survey = ActionType.model_validate(
        {
            "id": "survey",
            "display_name": "Survey",
            "allowed_owners": ("agent",),
            "allowed_statuses": ("pending", "sent", "completed"),
            "allowed_transitions": {"pending": ("sent",), "sent": ("completed",)},
            **fields,
        }
    )
    return ActionTypes({**SHIPPED, "survey": survey.keeping({"posted": ["sent"]})}, SHIPPED.table)


def problems(types: ActionTypes, **wanted: object) -> list[tuple[str | None, str]]:
    found = filter_problems(ActionFilter.model_validate(wanted), types, CATALOG.limits)
    return [(problem.field, problem.message) for problem in found]


def test_retired_former_and_deprecated_names_are_known() -> None:
    types = with_survey(former_statuses={"mailed": "sent"}, deprecation_status="deprecated")

    assert problems(types, status=("pending", "sent", "posted", "mailed", "completed", "cancelled")) == []
    assert problems(types, type=("survey", "research")) == []
    assert problems(types) == []


def test_an_empty_list_is_no_condition_that_anything_meets() -> None:
    assert problems(SHIPPED, status=(), type=()) == [
        ("filter.status", "name at least one status"),
        ("filter.type", "name at least one type"),
    ]


def test_each_unknown_name_is_refused_once_and_the_others_pass() -> None:
    given = {"status": ("sent", "", "asleep"), "type": ("survey", "surveys", "research")}
    look = "; `actionTypes` lists what there is"
    unknown, empty = f"no action type has this status{look}", "must not be empty"
    no_type = f"there is no such action type{look}"

    assert problems(with_survey(), **given) == [
        ("filter.status[1]", empty),
        ("filter.status[2]", unknown),
        ("filter.type[1]", no_type),
    ]
    assert problems(SHIPPED, **given) == [
        ("filter.status[1]", empty),
        ("filter.status[0]", unknown),
        ("filter.status[2]", unknown),
        ("filter.type[0]", no_type),
        ("filter.type[1]", no_type),
    ]
