"""`prefrontal backup` and `prefrontal restore`, on an embedded database of their own."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tarfile
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import neo4j
import pytest

from prefrontal.graph.config.settings import ROOT, Settings
from prefrontal.graph.embedded import EmbeddedNeo4j, ServerConfig, ensure_jars
from prefrontal.graph.storage.schema import load_migrations
from tests.cli.conftest import clean_environment
from tests.support.forked import run_command
from tests.support.former import FORMER, record

pytestmark = pytest.mark.slow
# Each of them starts several servers.
NIGHTLY = pytest.mark.nightly("an organisation is exported and imported: test_transfer.py")

SCHEMA = len(load_migrations(ROOT / "cypher"))


class DataFolder:
    """A data folder, and the command line that uses it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.env = clean_environment(data) | {"PREFRONTAL_BOLT_PORT": "0", "PREFRONTAL_BROWSER_PORT": "0"}

    def __call__(self, *arguments: str, **extra: str) -> CompletedProcess[str]:
        return run_command(arguments, env=self.env | extra, cwd=ROOT, timeout=240)

    def done(self, *arguments: str) -> dict[str, Any]:
        found = self(*arguments, "--json")
        assert found.returncode == 0, found.stdout + found.stderr
        return json.loads(found.stdout)

    def server(self) -> EmbeddedNeo4j:
        config = ServerConfig(home=self.data / "neo4j", bolt_port=0, http_port=0, fast_start=True)
        return EmbeddedNeo4j(config, jars=ensure_jars(Settings().cache_dir))

    def rows(self, query: str) -> list[dict[str, Any]]:
        with self.server() as server:
            auth = (server.user, server.password)
            with neo4j.GraphDatabase.driver(server.bolt_uri, auth=auth) as driver:
                return [record.data() for record in driver.execute_query(query)[0]]

    def folders(self) -> list[str]:
        return sorted(each.name for each in self.data.iterdir() if each.is_dir())


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """A folder with an organisation."""
    place = DataFolder(tmp_path_factory.mktemp("first") / "data")
    place.done("org", "create", "acme")
    return place


@pytest.fixture(scope="module")
def saved(first: DataFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "monday.tar"
    done = first.done("backup", str(path))
    assert done["schema_number"] == SCHEMA
    assert path.stat().st_mode & 0o777 == 0o600
    return path


@NIGHTLY
def test_a_backup_is_restored_into_an_empty_folder(first: DataFolder, saved: Path, tmp_path: Path) -> None:
    everything = (
        "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN labels(n) AS labels, properties(n) AS p, type(r) AS r"
    )
    second = DataFolder(tmp_path / "data")
    done = second.done("restore", str(saved))
    assert (done["migrations"], done["kept"]) == ([], None)
    assert second.folders() == ["neo4j"]

    def of(place: DataFolder) -> list[str]:
        rows = place.rows(everything)
        return sorted(repr(row) for row in rows if not {"Lease", "Migration"} & set(row["labels"]))

    assert of(second) == of(first)
    assert len(of(first)) > 3


@NIGHTLY
def test_what_is_there_is_kept_beside_and_replaced_only_by_force(saved: Path, tmp_path: Path) -> None:
    place = DataFolder(tmp_path / "data")
    place.done("org", "create", "other")
    refused = place("restore", str(saved))
    assert refused.returncode == 1
    assert "there is a database" in refused.stderr
    assert "--force" in refused.stderr
    keys = "MATCH (o:Organisation) RETURN o.key AS key"
    assert place.rows(keys) == [{"key": "other"}]

    done = place.done("restore", str(saved), "--force")
    kept = Path(done["kept"])
    assert place.folders() == sorted(["neo4j", kept.name])
    assert place.rows(keys) == [{"key": "acme"}]
    # The one of before starts as it was.
    shutil.rmtree(place.data / "neo4j")
    kept.rename(place.data / "neo4j")
    assert place.rows(keys) == [{"key": "other"}]


@NIGHTLY
def test_a_backup_of_before_a_migration_is_migrated(saved: Path, tmp_path: Path) -> None:
    cypher = tmp_path / "cypher"
    shutil.copytree(ROOT / "cypher", cypher)
    later = cypher / "schema" / f"{SCHEMA + 1:04d}_later.cypher"
    later.write_text("CREATE INDEX later IF NOT EXISTS FOR (n:Later) ON (n.uid);\n")
    newer = DataFolder(tmp_path / "newer")
    newer.env["PREFRONTAL_CYPHER_DIR"] = str(cypher)
    done = newer.done("restore", str(saved))
    assert done["migrations"] == [later.stem]
    assert newer.rows("MATCH (m:Migration) RETURN max(m.number) AS number") == [{"number": SCHEMA + 1}]
    assert newer.rows("MATCH (o:Organisation) RETURN o.key AS key") == [{"key": "acme"}]


@NIGHTLY
def test_a_backup_from_before_the_baseline_is_adopted_when_it_is_restored(
    saved: Path, tmp_path: Path
) -> None:
    older, newer = DataFolder(tmp_path / "older"), DataFolder(tmp_path / "newer")
    older.done("restore", str(saved))
    older.rows("MATCH (m:Migration) DELETE m")
    older.rows(record(FORMER).replace("$now", "datetime()"))
    path = tmp_path / "older.tar"
    # This program makes it, before it has adopted the database.
    done = older.done("backup", str(path))
    assert (done["version"], done["schema_number"]) == (1, 45)
    assert newer.done("restore", str(path))["migrations"] == []
    assert newer.rows("MATCH (m:Migration) RETURN m.name AS name") == [{"name": "0001_baseline"}]
    assert newer.rows("MATCH (o:Organisation) RETURN o.key AS key") == [{"key": "acme"}]


def remade(saved: Path, path: Path, **changes: Any) -> Path:
    """A backup with another manifest, and right checksums."""
    with tarfile.open(saved) as archive:
        content = {each.name: archive.extractfile(each).read() for each in archive}  # type: ignore[union-attr]
    said = json.loads(content["manifest.json"]) | changes
    content["manifest.json"] = json.dumps(said).encode()
    content["SHA256SUMS"] = "".join(
        f"{hashlib.sha256(content[name]).hexdigest()}  {name}\n" for name in ("manifest.json", "neo4j.dump")
    ).encode()
    with tarfile.open(path, "w") as archive:
        for name, data in content.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


@NIGHTLY
def test_what_is_damaged_or_newer_is_refused_and_changes_nothing(saved: Path, tmp_path: Path) -> None:
    place = DataFolder(tmp_path / "data")
    whole = saved.read_bytes()
    bad = tmp_path / "bad.tar"
    for content, said in (
        (b"no archive", "is damaged"),
        (whole[: len(whole) // 2], "is damaged"),
        (whole.replace(b'"nodes"', b'"nodez"', 1), "manifest.json does not have its checksum"),
        (whole[:4000] + bytes([whole[4000] ^ 1]) + whole[4001:], "neo4j.dump does not have its checksum"),
    ):
        bad.write_bytes(content)
        refused = place("restore", str(bad))
        assert refused.returncode == 1
        assert said in refused.stderr, refused.stderr
    for changes, said in (
        ({"schema_number": SCHEMA + 1}, "made by a newer version"),
        ({"version": 3}, "version 3 of the format"),
        ({"version": 1, "schema_number": 44}, "schema 0044 from before the baseline: restore it with commit"),
    ):
        refused = place("restore", str(remade(saved, bad, **changes)))
        assert refused.returncode == 1
        assert said in refused.stderr, refused.stderr
    assert not (place.data / "neo4j").exists()


@NIGHTLY
def test_a_loaded_database_that_is_not_what_the_backup_says_does_not_take_the_place(
    saved: Path, tmp_path: Path
) -> None:
    place = DataFolder(tmp_path / "data")
    place.done("org", "create", "other")
    refused = place("restore", str(remade(saved, tmp_path / "bad.tar", nodes=7)), "--force")
    assert refused.returncode == 1
    assert "the database of before stays in its place" in refused.stderr
    assert place.rows("MATCH (o:Organisation) RETURN o.key AS key") == [{"key": "other"}]


@NIGHTLY
def test_a_database_in_use_is_told_and_no_file_is_overwritten(
    first: DataFolder, saved: Path, tmp_path: Path
) -> None:
    with first.server():
        for arguments in (("backup", str(tmp_path / "new.tar")), ("restore", str(saved), "--force")):
            refused = first(*arguments)
            assert refused.returncode == 1
            assert "is in use" in refused.stderr
            assert "db stop" in refused.stderr
    assert not (tmp_path / "new.tar").exists()
    refused = first("backup", str(saved))
    assert refused.returncode == 1
    assert "exists: a backup is not written over another file" in refused.stderr


@pytest.mark.nightly("it checks the store that the other tests of backups, which run at night, compare")
def test_there_is_something_to_back_up_and_it_is_ours(tmp_path: Path) -> None:
    place = DataFolder(tmp_path / "data")
    refused = place("backup", str(tmp_path / "new.tar"))
    assert "there is no database in" in refused.stderr
    refused = place("backup", str(tmp_path / "new.tar"), NEO4J_URI="bolt://127.0.0.1:1")
    assert "neo4j-admin database dump" in refused.stderr
