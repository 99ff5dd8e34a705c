"""What a story never loses, whatever its updates say."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.config.tables import StatusesTable
from prefrontal.graph.cortex.questions.patch import revise_story, unique_items, with_evidence
from prefrontal.graph.cortex.questions.record import Story, StoryChanges, StoryStatus
from prefrontal.graph.text.folding import unique_folded
from tests.support.clock import FixedClock

NOW = FixedClock().now()
TABLE = load_catalog(ROOT / "registry").questions
WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=8).map(tuple)
STORY = Story(
    uid="story_1",
    org_id="org_1",
    scope_id="spc_1",
    question_id="qst_1",
    narrative="n",
    acceptance_criteria=("a",),
    references=("a",),
    evidence_ids=("a",),
    status=StoryStatus.DRAFT,
    status_reason=None,
    archived_at=None,
    created_at=NOW,
    updated_at=NOW,
    by_uid="agt_1",
    version=1,
    client_key=None,
)


@pytest.mark.covers("QST-20", "QST-21")
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=5))
def test_updates_only_add_each_once_and_in_order(updates: list[tuple[tuple[str, ...], ...]]) -> None:
    story = STORY
    for criteria, references, observations in updates:
        before = story
        changes = StoryChanges(acceptance_criteria=criteria, evidence_refs=references)
        after = revise_story(before, changes, NOW + timedelta(1), TABLE)
        story = with_evidence(before, after, observations, NOW + timedelta(1), TABLE.evidence_refs)
        for name in ("acceptance_criteria", "references", "evidence_ids"):
            old, new = getattr(before, name), getattr(story, name)
            assert new[: len(old)] == old
            assert len(set(new)) == len(new)
        assert set(story.acceptance_criteria) == set(before.acceptance_criteria) | set(criteria)
        assert set(story.references) == set(before.references) | set(references)
        assert set(story.evidence_ids) == set(before.evidence_ids) | set(observations)
        assert (story == before) == (story.version == before.version)
        assert story.version - before.version in (0, 1)


@given(WORDS, WORDS, WORDS)
def test_only_what_is_named_goes(
    there: tuple[str, ...], more: tuple[str, ...], gone: tuple[str, ...]
) -> None:
    before = STORY.model_copy(update={"acceptance_criteria": unique_items(there)})
    changes = StoryChanges(acceptance_criteria=more, remove_acceptance_criteria=gone)
    after = revise_story(before, changes, NOW, TABLE)
    assert set(after.acceptance_criteria) == (set(there) | set(more)) - set(gone)


def test_tags_are_one_in_any_spelling() -> None:
    assert unique_folded(("Red  Wine", "red wine", "Dry")) == ("Red  Wine", "Dry")


@pytest.mark.parametrize(
    "wrong",
    [
        {"initial_status": "new"},
        {"listed_statuses": ("new",)},
        {"transitions": {"draft": ("new",)}},
        {"transitions": {"new": ("draft",)}},
    ],
)
def test_a_status_that_is_not_in_the_list_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"not in statuses: \['new'\]"):
        StatusesTable.model_validate(TABLE.stories.model_dump() | wrong)
