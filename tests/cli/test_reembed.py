"""`prefrontal reembed` and what `doctor` says of stored vectors, with another encoder."""

from __future__ import annotations

import json

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.bootstrap.warmup import ready_to_encode
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from tests.cli.conftest import Cli
from tests.support.world import World

pytestmark = pytest.mark.alone


async def stored_by_another(world: World) -> None:
    """Leave vectors behind that another encoder has made."""
    draft = MemoryDraft(kind=MemoryKind.FACT, content="Ann drinks tea")
    await world.services.memory.remember(await world.caller(), Remember(memories=[draft]))
    await world.rows(
        "MATCH (s:Embedding {name: 'memory'}) SET s.serving = 'a', s.a = 'old' REMOVE s.b, s.after"
    )
    await world.rows("MATCH (m:Memory {org_id: $org}) SET m.embedded_a = 'old'")


@pytest.mark.nightly("test_embedding_jobs writes vectors anew")
async def test_what_does_not_fit_is_said_and_mended(cli: Cli, world: World) -> None:
    await stored_by_another(world)

    def vectors() -> dict[str, object]:
        checks = json.loads(cli("doctor", "--json").stdout)["checks"]
        return {check["check"]: check for check in checks}["vectors"]

    def shown() -> str:
        return cli("context", "Which tea?", "--org", world.org, "--agent", "bot").stderr

    alone = "Memories were found by words alone: the vector of the prompt was late, or the stored vectors"
    try:
        said = (
            "vectors of old are stored, but hash is set: memories are found by words alone. "
            "Run `prefrontal reembed`, or set PREFRONTAL_ENCODER=old"
        )
        wrong = vectors()
        assert (wrong["ok"], wrong["detail"]) == (False, said)
        assert alone in shown()
        # A service that starts says so, too, and runs.
        with capture_logs() as logs:
            await ready_to_encode(world.services)
        assert [(log["event"], log.get("reason")) for log in logs] == [
            ("encoder_changed", said),
            ("encoder_ready", None),
        ]

        done = json.loads(cli("reembed", "--json").stdout)
        assert (done["encoder"], done["unembedded"]) == ("hash", 0)
        assert done["written"] >= 1
        assert alone not in shown()
        right = vectors()
        assert right["ok"] is True
        assert str(right["detail"]).startswith("vectors of hash for ")
        with capture_logs() as logs:
            await ready_to_encode(world.services)
        assert [log["event"] for log in logs] == ["encoder_ready"]
        again = cli("reembed")
        assert (again.returncode, again.stdout) == (0, "Searches use the vectors of hash: 0 written.\n")
    finally:
        await world.rows("MATCH (m:Memory {org_id: $org}) DETACH DELETE m")
        # Back in the first slot, as other tests find it.
        await world.rows(
            "MATCH (s:Embedding {name: 'memory'}) SET s.serving = 'a', s.a = 'hash' REMOVE s.b, s.after"
        )
