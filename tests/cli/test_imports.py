"""`prefrontal import`: what is new, known and refused, with file and line; and when notes fade."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prefrontal.graph.clock import iso
from prefrontal.graph.memory.record import Forget, MemoryDraft, MemoryFilter, MemoryKind, Remember
from tests.cli.conftest import Cli
from tests.support.world import World

NIGHTLY = pytest.mark.nightly("facts, a chat and what is refused are imported with each change")

REMEMBERED = (
    "MATCH (m:Remembered {org_id: $org}) "
    "RETURN m.kind AS kind, m.content AS content, m.tags AS tags ORDER BY m.kind, m.uid"
)
CHAT = """\
[12/31/23, 10:15:00] Ann: hello
there
[12/31/23, 10:15:00] Bob: yes
[12/31/23, 10:15:00] Bob: yes
"""


def import_report(cli: Cli, world: World, path: Path, *more: str, status: int = 0) -> dict[str, Any]:
    done = cli("import", str(path), "--org", world.org, "--agent", "me", "--json", *more)
    assert done.returncode == status, done.stdout + done.stderr
    return dict(json.loads(done.stdout))


async def test_facts_go_in_once_and_found_no_goals(cli: Cli, world: World, tmp_path):
    file = tmp_path / "facts.txt"
    file.write_text("\ufeffAnn drinks oolong\r\n\r\nBob is in Lisbon\r\nann drinks OOLONG\r\n")

    done = cli("import", str(file), "--org", world.org, "--agent", "me")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 new, 1 known, 0 refused\nA token to read them: ")
    assert import_report(cli, world, file) == {"new": 0, "known": 3, "refused": []}
    file.write_text("A new line before\nBob is in Lisbon\n# Ann drinks oolong")
    assert import_report(cli, world, file) == {"new": 2, "known": 1, "refused": []}

    assert [row["content"] for row in await world.rows(REMEMBERED)] == [
        "Ann drinks oolong",
        "Bob is in Lisbon",
        "A new line before",
        "# Ann drinks oolong",
    ]
    counts = await world.counts()
    assert (counts.get("Fact"), counts.get("Goal"), counts.get("Observation")) == (4, None, None)


async def test_what_is_refused_is_named_and_stops_no_others(cli: Cli, world: World, tmp_path):
    caller = await world.caller("me")
    drafts = (
        MemoryDraft(kind=MemoryKind.FACT, content="The safe's code is 1234"),
        MemoryDraft(kind=MemoryKind.FACT, content="taken", client_key="mine"),
    )
    stored = await world.services.memory.remember(caller, Remember(memories=drafts))
    await world.services.memory.forget(caller, Forget(id=stored.memories[0].uid))
    file = tmp_path / "notes.jsonl"
    lines = [
        '"first"',
        '"the  SAFE\'s code is 1234"',
        '{"content": "\\u001b[31m", "[bold]\\u001b[2J": 1}',
        '{"content": "other", "clientKey": "mine"}',
        json.dumps("x" * 20_001),
        '{"content": "half \\ud800"}',
        '{"content": "deep", "metadata": ' + '{"a":' * 40 + "1" + "}" * 41,
        '{"content": "said", "speaker": "Ann"}',
        '" "',
        '"The safe\'s code is 1234"',
        '{"content": "last", "clientKey": "k"}',
        '{"content": "last", "clientKey": "k"}',
        '{"content": "not last", "clientKey": "k"}',
    ]
    file.write_text("\n".join(lines))

    done = cli("import", str(file), "--org", world.org, "--agent", "me")

    assert done.returncode == 0
    assert done.stdout.startswith("2 new, 1 known, 10 refused\n")
    assert [line for line in done.stderr.splitlines() if line.startswith("notes.jsonl")] == [
        "notes.jsonl:2: content: this text was forgotten in this space and does not come back",
        "notes.jsonl:3: [bold]\\x1b[2J: there is no such key here",
        "notes.jsonl:4: clientKey: this clientKey belongs to another memory",
        "notes.jsonl:5: content: at most 20000 characters, not 20001",
        "notes.jsonl:6: content: contains an unpaired surrogate, which is not valid Unicode",
        "notes.jsonl:7: metadata: at most 32 levels deep",
        "notes.jsonl:8: speaker: only a message has one, not a fact",
        "notes.jsonl:9: content: must not be empty",
        "notes.jsonl:10: content: this text was forgotten in this space and does not come back",
        "notes.jsonl:13: clientKey: this clientKey belongs to another memory",
    ]
    again = import_report(cli, world, file)
    assert (again["new"], again["known"]) == (0, 3)
    assert again["refused"][0] == {
        "file": "notes.jsonl",
        "line": 2,
        "problem": "content: this text was forgotten in this space and does not come back",
    }
    contents = [row["content"] for row in await world.rows(REMEMBERED)]
    assert contents == ["The safe's code is 1234", "taken", "first", "last"]


@NIGHTLY
async def test_an_import_can_stop_at_what_is_refused(cli: Cli, world: World, tmp_path):
    caller = await world.caller("me")
    draft = MemoryDraft(kind=MemoryKind.FACT, content="c")
    stored = await world.services.memory.remember(caller, Remember(memories=(draft,)))
    await world.services.memory.forget(caller, Forget(id=stored.memories[0].uid))
    file = tmp_path / "notes.jsonl"

    file.write_text('"a"\n{no\n"b"')
    refused = import_report(cli, world, file, "--on-error", "stop", status=1)
    assert (refused["new"], refused["known"], [each["line"] for each in refused["refused"]]) == (0, 0, [2])
    file.write_text('"a"\n"b"\n"c"\n"d"\n"e"')
    refused = import_report(cli, world, file, "--on-error", "stop", "--batch", "2", status=1)
    assert (refused["new"], refused["known"], [each["line"] for each in refused["refused"]]) == (2, 0, [3])

    assert [row["content"] for row in await world.rows(REMEMBERED)] == ["c", "a", "b"]


@NIGHTLY
async def test_a_text_with_other_tags_is_known(cli: Cli, world: World, tmp_path):
    file = tmp_path / "ann.md"
    file.write_text("# Ann\n- oolong\n- Lisbon")
    assert import_report(cli, world, file) == {"new": 2, "known": 0, "refused": []}
    file.write_text("# Ann B.\n- oolong\n- Lisbon\n- chess")
    assert import_report(cli, world, file) == {"new": 1, "known": 2, "refused": []}
    assert await world.rows(REMEMBERED) == [
        {"kind": "fact", "content": "oolong", "tags": ["Ann"]},
        {"kind": "fact", "content": "Lisbon", "tags": ["Ann"]},
        {"kind": "fact", "content": "chess", "tags": ["Ann B."]},
    ]


async def test_a_chat_is_a_conversation_in_its_order(cli: Cli, world: World, tmp_path):
    file = tmp_path / "Chat with Ann.txt"
    file.write_text(CHAT)
    assert import_report(cli, world, file, "--batch", "2", "--person", "ann") == {
        "new": 3,
        "known": 0,
        "refused": [],
    }
    file.write_text(CHAT + "[12/31/23, 10:16:00] Ann: bye\n")
    assert import_report(cli, world, file, "--person", "ann") == {"new": 1, "known": 3, "refused": []}

    rows = await world.rows(
        "MATCH (m:Message {org_id: $org}) OPTIONAL MATCH (before:Message)-[:NEXT]->(m) "
        "RETURN m.speaker AS speaker, m.content AS content, m.conversation AS conversation, "
        "before.content AS after ORDER BY m.uid"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("Ann", "hello\nthere", "Chat with Ann", None),
        ("Bob", "yes", "Chat with Ann", "hello\nthere"),
        ("Bob", "yes", "Chat with Ann", "yes"),
        ("Ann", "bye", "Chat with Ann", "yes"),
    ]


async def test_a_folder_and_a_kind_and_a_space(cli: Cli, world: World, tmp_path):
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "b.txt").write_bytes("ok\nn\xe9e".encode("latin-1"))
    (folder / "a.md").write_text("# Tea\nHeat it to 90 °C.")
    (folder / ".c.md").write_text("hidden")
    caller = await world.caller("me")
    assert caller.common is not None

    value = import_report(cli, world, folder, "--kind", "skill", "--space", caller.common)

    problem = "is not text in UTF-8; save the file in this encoding"
    refused = [{"file": "sub/b.txt", "line": 2, "problem": problem}]
    assert value == {"new": 2, "known": 0, "refused": refused}
    found = await world.services.memory.list(caller, MemoryFilter(space=caller.common))
    assert [(m.kind, m.content, m.tags) for m in reversed(found.items)] == [
        (MemoryKind.SKILL, "Heat it to 90 °C.", ("Tea",)),
        (MemoryKind.SKILL, "ok", ()),
    ]


@NIGHTLY
@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("empty.md", b"\xef\xbb\xbf\r\n", "empty.md has nothing to import"),
        ("binary", b"\x7fELF\0\0\xff\n\0", "binary:1: is not text in UTF-8"),
        ("deep.json", b"[" * 1_000_000, "deep.json:1: not JSON that can be read: nested too deep"),
        (
            "other.json",
            b'{"name": "x", "version": 1}',
            "other.json:1: content: is missing; name: there is no",
        ),
    ],
)
async def test_a_file_with_nothing_in_it_says_so(cli: Cli, world: World, tmp_path, name, raw, said):
    (tmp_path / name).write_bytes(raw)
    before = await world.counts()

    done = cli("import", "memories", str(tmp_path / name), "--org", world.org, "--agent", "me")

    assert done.returncode == 1
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert await world.counts() == before


def test_an_import_that_cannot_be_says_why(cli: Cli, tmp_path):
    (tmp_path / "a.txt").write_text("a")
    path = str(tmp_path / "a.txt")
    unknown = cli("import", path, "--org", "acme", "--agent", "me", "--zone", "Atlantis/Capital")
    assert unknown.returncode == 2
    assert "no time zone such as Europe/Berlin" in unknown.stderr
    missing = cli("import", str(tmp_path / "b.txt"), "--org", "acme", "--agent", "me")
    assert missing.returncode == 2
    assert "does not exist" in missing.stderr
    long = cli("import", "observations", path, "--org", "acme", "--agent", "me", "--ttl", "9" * 40 + "d")
    assert long.returncode == 2
    assert "longer than any time" in long.stderr


@NIGHTLY
async def test_notes_say_when_they_fade(cli: Cli, world: World, tmp_path):
    file = tmp_path / "notes.jsonl"
    file.write_text('"tea\u2028time"\n{"content": "wine", "ttlMinutes": 60}')
    command = ("import", "observations", str(file), "--org", world.org, "--agent", "me")

    done = cli(*command, "--ttl", "7d", "--json")
    value = json.loads(done.stdout)
    again = cli(*command, "--ttl", "7d")
    other = cli(*command, "--ttl", "2h")

    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org}) RETURN o.content AS content, o.ttl_minutes AS minutes, "
        "o.expires_at AS expires_at ORDER BY o.uid"
    )
    assert [(row["content"], row["minutes"]) for row in rows] == [("tea\u2028time", 10080.0), ("wine", 60.0)]
    last, first = (row["expires_at"].to_native() for row in rows)
    assert value == {"imported": 2, "broken": [], "fades": {"first": iso(first), "last": iso(last)}}
    assert f"They fade from {first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} UTC" in again.stdout
    assert other.returncode == 1
    assert "with another --ttl or --space" in other.stderr


@NIGHTLY
async def test_notes_with_a_forgotten_text_are_named_and_left_out(cli: Cli, world: World, tmp_path):
    caller = await world.caller("me")
    drafts = [MemoryDraft(kind=MemoryKind.FACT, content=text) for text in ("PIN 7", "PIN 8")]
    for memory in (await world.services.memory.remember(caller, Remember(memories=drafts))).memories:
        await world.services.memory.forget(caller, Forget(id=memory.uid))
    file = tmp_path / "notes.jsonl"
    file.write_text('"tea"\n\n"pin 7"\n"wine"\n{"content": "PIN  8"}\n"gin"\n')
    command = ("import", "observations", str(file), "--org", world.org, "--agent", "me")

    async def stored() -> list[str]:
        rows = await world.rows(
            "MATCH (o:Observation {org_id: $org}) RETURN o.content AS content ORDER BY o.uid"
        )
        return [row["content"] for row in rows]

    problem = "content: this text was forgotten in this space and does not come back"
    broken = [{"line": 3, "problem": problem}, {"line": 5, "problem": problem}]
    stopped = cli(*command, "--json")
    value = json.loads(stopped.stdout)
    assert (stopped.returncode, value["imported"], value["broken"], await stored()) == (1, 0, broken, [])

    for _ in range(2):
        done = cli(*command, "--batch", "2", "--on-error", "skip", "--json")
        value = json.loads(done.stdout)
        assert (done.returncode, value["imported"], value["broken"]) == (0, 3, broken)
        assert await stored() == ["tea", "wine", "gin"]
