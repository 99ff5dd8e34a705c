"""From an unknown type in a turn to one that is executed, through GraphQL and a git repository."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prefrontal.api.app import follow_registry
from prefrontal.api.cli.registry_check import check_registry
from prefrontal.graph.bootstrap.build import build_services
from tests.api.conftest import Api, Client, in_process
from tests.api.test_proposals import FULL, MAINTAINER, PROBLEM, PROPOSAL, call, events, listed, review, submit
from tests.api.test_unknown_types import MOVE, planned, upserted
from tests.support.gitting import everything_in, git, registry_repository
from tests.support.thinned import first_by_day
from tests.support.world import with_long_queries

EXPORT = f"""mutation ($input: ExportProposalAsPrInput!) {{ exportProposalAsPr(input: $input) {{
  ... on ExportProposalAsPrPayload {{ repo branch prUrl commit proposal {PROPOSAL} }} {PROBLEM} }} }}"""


async def export(who: Client, uid: str, **given: Any) -> dict[str, Any]:
    found: dict[str, Any] = (await who.run(EXPORT, input={"id": uid, **given}))["exportProposalAsPr"]
    return found


def with_settings(api: Api, **given: Any) -> Api:
    """The same organisation behind a server with other settings."""
    services = api.world.services
    settings = services.settings.model_copy(update={"registry_name": api.world.org, **given})
    mine = with_long_queries(build_services(settings, services.database.driver, clock=api.world.clock))
    return replace(api, http=in_process(mine, api.tokens), world=replace(api.world, services=mine))


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return registry_repository(tmp_path / "clone")


@pytest.fixture
def own(api: Api, clone: Path) -> Api:
    """A server whose registry is the clone, and whose proposals are exported into it."""
    return with_settings(api, registry_dir=clone / "registry", registry_repository=clone)


async def approved(api: Api, **given: Any) -> dict[str, Any]:
    made = await submit(api.client(), **{**FULL, **given})
    return await review(api.client(**MAINTAINER), made["id"], comments="Let us see")


async def status_of(api: Api, uid: str) -> str:
    (found,) = [each for each in await listed(api.client()) if each["id"] == uid]
    return str(found["status"])


@pytest.mark.covers("ACT-57", "REG-33", "REG-50", "REG-51", "REG-55", "REG-57", "REG-58", "REG-60")
async def test_the_story_of_a_type_from_a_turn_to_its_execution(own: Api, clone: Path) -> None:
    bot, mia = own.client(), own.client(**MAINTAINER)
    # An unknown type in the middle of a turn: nothing of it is executed, and it is proposed.
    (action,) = await planned(bot, {"type": "survey", "owner": "AGENT"}, turn="turn-1")
    assert (action["type"], action["owner"], action["requiresConfirmation"]) == ("user_task", "USER", True)
    uid = action["unknownType"]["proposal"]["id"]
    # The planner says what it means; somebody else approves it.
    said = {name: FULL[name] for name in FULL if name not in ("proposalType", "typeId")}
    await submit(bot, id=uid, **said, turnId="turn-1")
    own.world.clock.advance(minutes=1)
    assert (await review(mia, uid))["status"] == "APPROVED"

    # A branch, and a commit in it; what is checked out is not touched, and nothing changes at run time.
    before, head = everything_in(clone), git(clone, "rev-parse", "HEAD")
    pull = await export(mia, uid, idempotencyKey="k")
    assert pull["repo"] == clone.as_posix()
    assert pull["branch"] == f"registry/survey-{uid.removeprefix('prop_').lower()}"
    assert pull["prUrl"] == f"{clone.as_uri()}#{pull['branch']}"
    assert git(clone, "rev-parse", pull["branch"]) == pull["commit"]
    assert git(clone, "diff", "--name-status", head, pull["commit"]) == "A\tregistry/action_types/survey.yaml"
    assert "We ask for surveys every week." in git(clone, "log", "-1", "--format=%B", pull["branch"])
    assert (everything_in(clone), git(clone, "rev-parse", "HEAD")) == (before, head)
    assert git(clone, "status", "--porcelain") == ""
    await follow_registry(own.world.services)
    (waiting,) = await planned(bot, {"type": "survey"}, turn="turn-2")
    assert (waiting["type"], await status_of(own, uid)) == ("user_task", "APPROVED")

    # People merge it; the registry is loaded, and the proposal ends by itself.
    git(clone, "merge", "-q", "--no-ff", "-m", "Merge", pull["branch"])
    check_registry(clone / "registry")
    assert await status_of(own, uid) == "APPROVED"
    own.world.clock.advance(minutes=1)
    await follow_registry(own.world.services)
    (proposal,) = await listed(bot)
    assert (proposal["status"], proposal["version"]) == ("MERGED", 5)
    assert proposal["mergedAt"] == proposal["updatedAt"] > proposal["exportedAt"]
    (event,) = await events(own, "merged")
    assert (event["aggregate"], event["version"]) == (uid, 5)

    # The action takes the type that it was meant to have in a later turn, and is executed.
    typed = await upserted(bot, "turn-3", id=action["id"], type="survey")
    assert (typed["type"], typed["owner"], typed["requiresConfirmation"]) == ("survey", "AGENT", False)
    for status in ("in_progress", "completed"):
        done = (await bot.run(MOVE, id=action["id"], status=status))["transitionPendingAction"]
        assert done == {"action": {"status": status}}
    # It waits for no proposal any more; the other action does.
    rows = await own.world.rows(
        "MATCH (:PendingAction {org_id: $org})-[w:AWAITS]->(:RegistryProposal) "
        "RETURN w.name AS name, w.until IS NOT NULL AS ended ORDER BY ended"
    )
    assert rows == [{"name": "survey", "ended": False}, {"name": "survey", "ended": True}]


@pytest.mark.covers("REG-50", "REG-60")
async def test_an_export_happens_once_however_often_it_is_asked(own: Api, clone: Path) -> None:
    mia = own.client(**MAINTAINER)
    uid = (await approved(own))["id"]

    first = await export(mia, uid, idempotencyKey="k", turnId="turn-1")
    own.world.clock.advance(minutes=1)
    same = [await export(mia, uid, idempotencyKey="k", turnId="turn-1"), await export(mia, uid)]

    assert same == [first, first]
    proposal = first["proposal"]
    assert (proposal["version"], proposal["status"]) == (3, "APPROVED")
    assert {proposal[name] for name in ("repo", "branch", "prUrl")} == {
        first[name] for name in ("repo", "branch", "prUrl")
    }
    (event,) = await events(own, "exported")
    assert (event["aggregate"], event["version"]) == (uid, 3)
    assert git(clone, "rev-list", "--count", f"main..{first['branch']}") == "1"
    trace = (await mia.run('{ turnTrace(turnId: "turn-1") { nodes { kind ids } } }'))["turnTrace"]
    assert trace["nodes"] == [{"kind": "REGISTRY_PROPOSAL_EXPORTED", "ids": [uid]}]
    # Somebody goes on with the branch, or merges and deletes it: it is exported all the same.
    git(clone, "checkout", "-q", first["branch"])
    git(clone, "commit", "-q", "--allow-empty", "-m", "More")
    assert await export(mia, uid) == first
    git(clone, "checkout", "-q", "main")
    git(clone, "merge", "-q", first["branch"])
    git(clone, "branch", "-q", "-d", first["branch"])
    assert await export(mia, uid) == first
    assert git(clone, "branch", "--list", "registry/*") == ""


async def test_what_was_made_before_a_failure_is_found_again(own: Api, clone: Path) -> None:
    mia = own.client(**MAINTAINER)
    uid = (await approved(own))["id"]
    first = await export(mia, uid)
    # As if the database had gone away after git was done, and others had gone on since.
    await own.world.rows(
        "MATCH (p:RegistryProposal {uid: $uid}) REMOVE p.repo, p.branch, p.commit, p.pr_url, p.exported_at",
        uid=uid,
    )
    git(clone, "commit", "-q", "--allow-empty", "-m", "Other work")
    own.world.clock.advance(minutes=10)

    again = await export(mia, uid)

    assert (again["commit"], again["branch"]) == (first["commit"], first["branch"])
    # A branch of that name that is somebody else's is neither moved nor taken for ours.
    await own.world.rows("MATCH (p:RegistryProposal {uid: $uid}) REMOVE p.commit", uid=uid)
    git(clone, "branch", "-f", first["branch"], "main")
    refused = await export(mia, uid)
    assert (refused["code"], refused["field"]) == ("conflict", "id")
    assert git(clone, "rev-parse", first["branch"]) == git(clone, "rev-parse", "main")


async def test_exports_at_the_same_time_make_one_branch(own: Api, clone: Path) -> None:
    uid = (await approved(own))["id"]
    clients = [own.client(**{**MAINTAINER, "person": f"m{number}"}) for number in range(4)]
    await asyncio.gather(*(each.run("{ me { orgId } }") for each in clients))

    found = await asyncio.gather(*(export(each, uid) for each in clients))

    assert {each["commit"] for each in found} == {git(clone, "rev-parse", found[0]["branch"])}
    assert len(await events(own, "exported")) == 1


async def test_a_bare_repository_will_do(api: Api, clone: Path, tmp_path: Path) -> None:
    bare = tmp_path / "registry.git"
    git(tmp_path, "clone", "-q", "--bare", str(clone), str(bare))
    own = with_settings(api, registry_repository=bare)
    given = {"allowedStatuses": None, "allowedTransitions": None, "description": "Find out."}
    uid = (await approved(own, proposalType="MODIFY", typeId="research", **given))["id"]

    pull = await export(own.client(**MAINTAINER), uid)

    changed = git(bare, "diff", "main", pull["branch"]).splitlines()
    assert "-description: Finding out and reporting back." in changed
    assert "+description: Find out." in changed


@pytest.mark.covers("REG-51")
async def test_only_what_is_approved_is_exported(own: Api, clone: Path) -> None:
    bot, mia = own.client(), own.client(**MAINTAINER)
    made = await submit(bot, **FULL)
    rejected = await submit(bot, **{**FULL, "typeId": "poll"})
    await review(mia, rejected["id"], "REJECT")
    key = await submit(bot, proposalType="ADD", subject="HANDLER", typeId="two_signatures", rationale="r")
    await review(mia, key["id"])
    before = await own.world.counts()

    for uid, code in ((made["id"], "illegal_transition"), (rejected["id"], "illegal_transition")):
        refused = await export(mia, uid)
        assert (refused["code"], refused["field"]) == (code, "id")
    assert (await export(mia, key["id"]))["code"] == "invalid"
    assert (await export(mia, made["id"], expectedVersion=7))["code"] == "version_conflict"
    assert await own.world.counts() == before
    assert git(clone, "branch", "--format=%(refname:short)") == "main"


async def test_what_cannot_be_an_id_never_becomes_a_path_or_a_branch(own: Api, clone: Path) -> None:
    bot, mia = own.client(), own.client(**MAINTAINER)
    hostile = [
        "../../etc/passwd",
        "--upload-pack=x",
        "a\nb",
        "a b",
        "refs/heads/main",
        "x.lock",
        "日本語 🍷",
        "a`b{c:1}$d",
        "",
        "é",
        "A",
    ]
    for name in hostile:
        assert (await submit(bot, **{**FULL, "typeId": name}))["field"] == "typeId"
    actions = await planned(bot, *[{"type": name} for name in hostile[:8]])
    for action in actions:
        uid = action["unknownType"]["proposal"]["id"]
        assert (await review(mia, uid))["field"] == "typeId"
        assert (await export(mia, uid))["code"] == "illegal_transition"
    # Once it has an id it can be approved.
    assert (await submit(bot, id=uid, typeId="tasting"))["typeId"] == "tasting"
    assert (await review(mia, uid))["status"] == "APPROVED"
    assert git(clone, "branch", "--format=%(refname:short)") == "main"


@pytest.mark.parametrize(
    "kind",
    first_by_day(
        ["unset", "broken", "missing", "no repository", "no commit", "no registry", "no git"],
        "another repository",
        by_day=2,
    ),
)
async def test_without_a_repository_that_works_nothing_happens(
    api: Api, clone: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    if kind != "missing":
        other.mkdir()
    if kind in ("no commit", "no registry"):
        git(other, "init", "-q")
    if kind == "no registry":
        git(other, "commit", "-q", "--allow-empty", "-m", "Nothing")
    if kind == "no git":
        other = clone
        monkeypatch.setattr(shutil, "which", lambda _: None)
    if kind == "broken":
        other = clone
        (clone / ".git" / "HEAD").write_text("nonsense")
    if kind == "no repository":
        # Not even the one that the folder is in is taken for it.
        other = clone / "registry"
    own = with_settings(api, registry_repository=None if kind == "unset" else other)
    uid = (await approved(own))["id"]
    before = await own.world.counts()

    refused = await export(own.client(**MAINTAINER), uid, idempotencyKey="k")

    assert refused["code"] == "unavailable"
    if kind != "no git":
        assert "PREFRONTAL_REGISTRY_REPOSITORY" in refused["message"]
        assert str(tmp_path) not in refused["message"]
    assert await own.world.counts() == before


async def test_a_repository_that_does_not_take_the_change_is_a_conflict(own: Api, clone: Path) -> None:
    uid = (await approved(own))["id"]
    (clone / "registry" / "action_types" / "survey.yaml").write_text("id: survey\n")
    git(clone, "add", ".")
    git(clone, "commit", "-q", "-m", "Somebody was quicker")
    before = await own.world.counts()

    refused = await export(own.client(**MAINTAINER), uid)

    assert (refused["code"], refused["field"]) == ("conflict", "id")
    assert await own.world.counts() == before
    assert git(clone, "branch", "--format=%(refname:short)") == "main"


@pytest.mark.covers("REG-57", "REG-58")
async def test_proposals_turn_merged_once_and_only_when_the_registry_says_the_same(
    own: Api, clone: Path
) -> None:
    services, mia = own.world.services, own.client(**MAINTAINER)
    uid = (await approved(own))["id"]
    open_one = await submit(
        own.client(), proposalType="MODIFY", typeId="research", displayName="R", rationale="r"
    )
    rejected = await submit(
        own.client(), proposalType="MODIFY", typeId="blocker", displayName="B", rationale="r"
    )
    await review(mia, rejected["id"], "REJECT")
    pull = await export(mia, uid)
    folder = clone / "registry" / "action_types"
    for name in ("research", "blocker"):
        path = folder / f"{name}.yaml"
        path.write_text(
            path.read_text().replace(f"display_name: {name.title()}", f"display_name: {name[0].upper()}")
        )
    text = git(clone, "show", f"{pull['branch']}:registry/action_types/survey.yaml")

    # Otherwise than it was proposed.
    (folder / "survey.yaml").write_text(text.replace("display_name: Survey", "display_name: Poll"))
    assert services.registry.watch.look()
    await services.registry.proposals.merge.merge()
    assert await status_of(own, uid) == "APPROVED"

    (folder / "survey.yaml").write_text(text)
    assert services.registry.watch.look()
    # Two processes see it at the same time.
    await asyncio.gather(*(services.registry.proposals.merge.merge() for _ in range(3)))

    found = {each["id"]: each["status"] for each in await listed(own.client())}
    assert found == {uid: "MERGED", open_one["id"]: "OPEN", rejected["id"]: "REJECTED"}
    (event,) = await events(own, "merged")
    assert (event["aggregate"], event["version"]) == (uid, 4)
    rows = await own.world.rows(
        "MATCH (v:Version {number: 4})-[:OF]->(:RegistryProposal {uid: $uid}) RETURN v.by_uid AS by", uid=uid
    )
    assert rows == [{"by": own.world.org_id}]
    traced = await own.world.rows(
        "MATCH (t:TraceEvent {org_id: $org, kind: 'registry_proposal_merged'}) RETURN t.ids AS ids"
    )
    assert traced == [{"ids": [uid]}]
    refused = await call(mia, "reviewRegistryProposal", id=uid, decision="REJECT")
    assert refused["code"] == "illegal_transition"
    assert (await export(mia, uid))["code"] == "illegal_transition"
