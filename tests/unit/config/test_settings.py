"""Settings come from the environment, and a wrong variable is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from prefrontal.graph.config.settings import ROOT, Settings, load_settings, variable_of
from prefrontal.graph.errors import SettingsError
from tests.support.gitting import git


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("PREFRONTAL_", "NEO4J_")):
            monkeypatch.delenv(name)


def test_everything_has_a_default_for_a_laptop_and_no_secret_has_one():
    settings = load_settings()

    assert settings.neo4j_uri is None
    assert settings.neo4j_password is None
    assert settings.jwt_secret is None
    assert settings.host == "127.0.0.1"
    assert settings.production is False
    assert settings.cypher_dir == ROOT / "cypher"
    assert settings.registry_dir == ROOT / "registry"


def test_variables_are_read_and_secrets_are_not_printed(monkeypatch):
    monkeypatch.setenv("PREFRONTAL_PORT", "9000")
    monkeypatch.setenv("PREFRONTAL_DATA_DIR", "/srv/prefrontal")
    monkeypatch.setenv("PREFRONTAL_JWT_SECRET", "s" * 32)
    monkeypatch.setenv("NEO4J_URI", "neo4j+s://db.example.org")
    monkeypatch.setenv("NEO4J_PASSWORD", "open sesame")

    settings = load_settings()

    assert settings.port == 9000
    assert settings.data_dir == Path("/srv/prefrontal")
    assert settings.neo4j_uri == "neo4j+s://db.example.org"
    assert settings.neo4j_password.get_secret_value() == "open sesame"
    assert "open sesame" not in repr(settings)
    assert "s" * 32 not in repr(settings)


def test_an_empty_variable_counts_as_not_set(monkeypatch):
    monkeypatch.setenv("NEO4J_URI", "")
    monkeypatch.setenv("PREFRONTAL_PORT", "")

    assert load_settings().neo4j_uri is None
    assert load_settings().port == 8420


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NEO4J_URI", "localhost:7687"),
        ("NEO4J_URI", "http://localhost:7474"),
        ("NEO4J_URI", "bolt+x://localhost"),
        ("PREFRONTAL_PORT", "many"),
        ("PREFRONTAL_PORT", "65536"),
        ("PREFRONTAL_BOLT_PORT", "-1"),
        ("PREFRONTAL_LOG_LEVEL", "loud"),
        ("PREFRONTAL_LOG_FORMAT", "xml"),
        ("PREFRONTAL_QUERY_TIMEOUT_S", "0"),
        ("PREFRONTAL_POOL_SIZE", "0"),
        ("PREFRONTAL_PRODUCTION", "perhaps"),
    ],
)
def test_a_wrong_variable_is_named_as_it_is_set(monkeypatch, name, value):
    monkeypatch.setenv(name, value)

    with pytest.raises(SettingsError, match=f"^wrong environment variables: {name}: "):
        load_settings()


def test_a_repository_of_the_registry_is_a_clone_or_a_bare_one(monkeypatch, tmp_path):
    for name, given in (("bare", ["--bare"]), ("clone", [])):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", "-q", *given)
        monkeypatch.setenv("PREFRONTAL_REGISTRY_REPOSITORY", str(tmp_path / name))
        assert load_settings().registry_repository == tmp_path / name

    # Not even the one that the folder is in is taken for it.
    (tmp_path / "clone" / "registry").mkdir()
    for wrong in (tmp_path / "clone" / "registry", tmp_path / "missing", tmp_path):
        monkeypatch.setenv("PREFRONTAL_REGISTRY_REPOSITORY", str(wrong))
        with pytest.raises(SettingsError) as caught:
            load_settings()
        assert f"PREFRONTAL_REGISTRY_REPOSITORY: {wrong} is no git repository; name a clone or" in (
            caught.value.message
        )


def test_all_wrong_variables_are_named(monkeypatch):
    monkeypatch.setenv("NEO4J_URI", "nowhere")
    monkeypatch.setenv("PREFRONTAL_PORT", "many")

    with pytest.raises(SettingsError, match=r"NEO4J_URI: .*; PREFRONTAL_PORT: "):
        load_settings()


@pytest.mark.parametrize("scheme", ["bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"])
def test_every_scheme_of_the_driver_is_taken(monkeypatch, scheme):
    monkeypatch.setenv("NEO4J_URI", f"{scheme}://db:7687")

    assert load_settings().neo4j_uri == f"{scheme}://db:7687"


def test_what_is_given_counts_before_the_environment(monkeypatch):
    monkeypatch.setenv("NEO4J_URI", "bolt://db:7687")
    monkeypatch.setenv("PREFRONTAL_PORT", "9000")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")

    settings = Settings(neo4j_uri=None, port=9001)

    assert (settings.neo4j_uri, settings.port) == (None, 9001)
    assert settings.otlp_endpoint == "http://collector:4318"
    assert settings.model_fields_set == {"neo4j_uri", "port", "otlp_endpoint"}


def test_every_field_is_read_from_its_variable(monkeypatch):
    # Of a variable that is read, the value is taken, or refused under its name.
    read = set()
    for name, field in Settings.model_fields.items():
        variable = variable_of(name)
        monkeypatch.setenv(variable, str(field.get_default(call_default_factory=True) or "x"))
        try:
            given = name in load_settings().model_fields_set
        except SettingsError as error:
            given = error.message.startswith(f"wrong environment variables: {variable}: ")
        monkeypatch.delenv(variable)
        assert given, name
        read.add(variable)
    assert len(read) == len(Settings.model_fields)
    assert {"NEO4J_PASSWORD", "OTEL_EXPORTER_OTLP_ENDPOINT", "PREFRONTAL_JWT_SECRET"} < read
