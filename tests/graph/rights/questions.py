"""What is tried with questions and stories."""

from __future__ import annotations

from typing import Any

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.questions.record import (
    ArchiveQuestion,
    ArchiveStory,
    QuestionDraft,
    QuestionFilter,
    StoryDraft,
    UpsertQuestionStory,
)
from prefrontal.graph.history.record import AuditFilter
from tests.graph.rights.stage import READ, WRITE, Stage, Target, operation, taken_back
from tests.support.lists import all_of


@operation(READ, READ)
async def question_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.questions.service.get(caller, [target.question])


@operation(READ, READ)
async def question_list(stage: Stage, caller: Caller, target: Target) -> Any:
    page = await stage.services.questions.service.list(caller, QuestionFilter(), first=100)
    return [question for question in page.items if question.uid == target.question]


@operation(READ, READ)
async def question_of_goal(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await all_of(stage.services.questions.service.of_goals, caller, [target.goal])).get(target.goal)


@operation(READ, READ)
async def story_of_question(stage: Stage, caller: Caller, target: Target) -> Any:
    return await all_of(stage.services.questions.service.of_questions, caller, [target.question])


@operation(READ, READ)
async def question_list_of_goal(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.questions.service.list(caller, QuestionFilter(goal_id=target.goal))).items


@operation(READ, READ)
async def question_history(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.service.history(caller, target.question)).items


@operation(READ, READ)
async def question_as_of(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.history.service.as_of(caller, target.question, stage.world.clock.now())


@operation(READ, READ)
async def question_audit(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.audit.page(caller, AuditFilter(entity_id=target.question))).items


async def upsert_pair(stage: Stage, caller: Caller, **fields: Any) -> Any:
    space = None if fields["question"].id else stage.space
    return await stage.services.questions.upsert.upsert(caller, UpsertQuestionStory(**fields, space=space))


@operation(WRITE)
async def question_create(stage: Stage, caller: Caller, target: Target) -> Any:
    return await upsert_pair(stage, caller, question=QuestionDraft(text="n", goal_id=target.goal))


@operation(WRITE)
async def question_change(stage: Stage, caller: Caller, target: Target) -> Any:
    return await upsert_pair(stage, caller, question=QuestionDraft(id=target.question, text="n"))


@operation(WRITE)
async def question_archive(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.questions.transitions.archive_question(
        caller, ArchiveQuestion(id=target.question)
    )


@operation(WRITE, revised=True)
async def question_revert(stage: Stage, caller: Caller, target: Target) -> Any:
    return await taken_back(stage, caller, target.question)


@operation(READ, READ)
async def story_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.questions.service.get_stories(caller, [target.story])


@operation(READ, READ)
async def story_list(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.questions.service.stories(caller, question_id=target.question)).items


@operation(READ, READ)
async def story_history(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.service.history(caller, target.story)).items


@operation(READ, READ)
async def story_as_of(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.history.service.as_of(caller, target.story, stage.world.clock.now())


@operation(READ, READ)
async def story_audit(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.audit.page(caller, AuditFilter(entity_id=target.story))).items


@operation(WRITE)
async def story_change(stage: Stage, caller: Caller, target: Target) -> Any:
    return await upsert_pair(
        stage,
        caller,
        question=QuestionDraft(id=target.question),
        story=StoryDraft(id=target.story, narrative="m"),
    )


@operation(WRITE)
async def story_archive(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.questions.transitions.archive_story(caller, ArchiveStory(id=target.story))


@operation(WRITE, revised=True)
async def story_revert(stage: Stage, caller: Caller, target: Target) -> Any:
    return await taken_back(stage, caller, target.story)
