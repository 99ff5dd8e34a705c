from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from prefrontal.graph.config.settings import ROOT, Settings
from prefrontal.graph.embedded.config import FOR_TESTS, ServerConfig, browser_commands, jvm_flags, neo4j_conf
from prefrontal.graph.embedded.endpoint import container_variable, embedded_config
from prefrontal.graph.embedded.java import Java
from prefrontal.graph.errors import ServerError

CONFIG = ServerConfig(home=Path("/srv/brain"))
JAVA_25 = Java(Path("/java/bin/java"), "25.0.2", has_vector_module=False)


def parsed(text):
    return dict(line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))


def test_conf_binds_to_loopback_and_sends_nothing_out():
    conf = parsed(neo4j_conf(CONFIG, 1111, 2222))

    assert conf["server.default_listen_address"] == "127.0.0.1"
    assert conf["server.bolt.listen_address"] == conf["server.bolt.advertised_address"] == "127.0.0.1:1111"
    assert conf["server.http.listen_address"] == conf["server.http.advertised_address"] == "127.0.0.1:2222"
    assert conf["server.https.enabled"] == "false"
    for quiet in (
        "dbms.usage_report.enabled",
        "client.allow_telemetry",
        "dbms.fleet_manager.enabled",
        "server.fleet_discovery.enabled",
    ):
        assert conf[quiet] == "false"


def test_conf_keeps_every_folder_inside_home():
    conf = parsed(neo4j_conf(CONFIG, 1, 2))
    folders = [value for key, value in conf.items() if key.startswith("server.directories.")]

    assert len(folders) == 6
    assert all(folder.startswith("/srv/brain/") for folder in folders)


def test_only_a_server_for_tests_keeps_its_plans_however_its_store_grows():
    usual, quick = (
        parsed(neo4j_conf(CONFIG, 1, 2)),
        parsed(neo4j_conf(replace(CONFIG, fast_start=True), 1, 2)),
    )

    assert set(quick.items()) - set(usual.items()) == set(FOR_TESTS.items())
    assert quick["dbms.cypher.min_replan_interval"] == "1h"
    assert usual["internal.cypher.use_parameter_size"] == "false"


def test_conf_names_each_setting_once():
    lines = neo4j_conf(CONFIG, 1, 2).splitlines()[1:]

    assert len({line.split("=")[0] for line in lines}) == len(lines)


def test_cors_is_closed_unless_an_origin_is_given():
    key = "dbms.security.http_access_control_allow_origin"

    assert parsed(neo4j_conf(CONFIG, 1, 2222))[key] == "http://127.0.0.1:2222"
    opened = replace(CONFIG, browser_origin="http://127.0.0.1:8420")
    assert parsed(neo4j_conf(opened, 1, 2))[key] == "http://127.0.0.1:8420"


COMMANDS = "browser.post_connect_cmd"
HOSTS = "browser.remote_content_hostname_whitelist"


def test_browser_loads_style_and_guide_after_each_login():
    conf = parsed(neo4j_conf(replace(CONFIG, kit_url="http://192.0.2.7:8420/browser-kit"), 1, 2))

    assert conf[COMMANDS] == (
        "style http://192.0.2.7:8420/browser-kit/style.grass; "
        "play http://192.0.2.7:8420/browser-kit/guide.html"
    )
    assert conf[HOSTS] == "127.0.0.1,192.0.2.7,localhost"
    assert COMMANDS not in parsed(neo4j_conf(CONFIG, 1, 2))


def test_the_kit_is_at_the_address_of_the_api_unless_it_is_switched_off():
    settings = Settings(host="127.0.0.1", port=8441)

    assert embedded_config(settings).kit_url == "http://127.0.0.1:8441/browser-kit"
    assert embedded_config(settings.model_copy(update={"browser_kit": False})).kit_url is None


def test_the_compose_file_says_the_same_with_its_own_ports():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    said, api = compose["neo4j"]["environment"], compose["api"]
    port = "${PREFRONTAL_PORT:-8420}"

    assert said[container_variable(COMMANDS)] == browser_commands(f"http://127.0.0.1:{port}/browser-kit")
    assert said[container_variable(HOSTS)] == "127.0.0.1,localhost"
    assert f"127.0.0.1:{port}:8420" in api["ports"]
    # The origin that may load the kit is where the Browser is served.
    browser = api["environment"]["PREFRONTAL_BROWSER_PORT"]
    assert f"127.0.0.1:{browser}:7474" in compose["neo4j"]["ports"]
    # The links of the workbench lead to the same ports: people are not in the network of the containers.
    assert api["environment"]["PREFRONTAL_BROWSER_URL"] == f"http://127.0.0.1:{browser}"
    bolt = api["environment"]["PREFRONTAL_BROWSER_BOLT_URI"].removeprefix("bolt://")
    assert f"{bolt}:7687" in compose["neo4j"]["ports"]


def test_auth_is_on_unless_switched_off():
    key = "dbms.security.auth_enabled"

    assert parsed(neo4j_conf(CONFIG, 1, 2))[key] == "true"
    assert parsed(neo4j_conf(replace(CONFIG, auth=False), 1, 2))[key] == "false"


def test_backslashes_in_paths_are_escaped():
    assert "=/srv/a\\\\b/data\n" in neo4j_conf(ServerConfig(home=Path("/srv/a\\b")), 1, 2)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("heap", "lots"),
        ("page_cache", "1g\nserver.https.enabled=true"),
        ("browser_origin", "*"),
        ("browser_origin", "http://a\nb"),
        ("kit_url", "http://127.0.0.1:8420/kit; clear"),
        ("kit_url", "http://127.0.0.1:8420/kit'"),
        ("kit_url", "file:///etc"),
        ("home", Path("/srv/a\nb")),
    ],
)
def test_values_that_would_break_the_file_are_refused(field, value):
    with pytest.raises(ServerError) as caught:
        ServerConfig(**{"home": Path("/srv/brain"), field: value})

    assert caught.value.field == field


def test_normal_running_keeps_the_optimising_compiler():
    flags = jvm_flags(CONFIG, JAVA_25)

    assert not any("TieredStopAtLevel" in flag or "SerialGC" in flag for flag in flags)
    assert "-Xmx1g" in flags
    assert "-Xms256m" in flags


def test_fast_start_does_not():
    flags = jvm_flags(replace(CONFIG, fast_start=True), JAVA_25)

    assert {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"} <= set(flags)
    lasting = jvm_flags(replace(CONFIG, fast_start=True, long_run=True), JAVA_25)
    assert set(flags) - set(lasting) == {"-XX:TieredStopAtLevel=1"}


def test_first_heap_is_never_larger_than_the_largest():
    assert "-Xms100m" in jvm_flags(replace(CONFIG, heap="100m"), JAVA_25)


def test_flags_fit_the_java():
    newest = set(jvm_flags(CONFIG, replace(JAVA_25, has_vector_module=True)))
    oldest = set(jvm_flags(CONFIG, replace(JAVA_25, version="21.0.4")))

    assert newest - oldest == {
        "--add-modules=jdk.incubator.vector",
        "--sun-misc-unsafe-memory-access=allow",
        "-XX:+TrustFinalNonStaticFields",
    }
    # It needs the optimising compiler, which a server for tests lacks.
    quick = replace(CONFIG, fast_start=True)
    flags = jvm_flags(quick, replace(JAVA_25, has_vector_module=True))
    assert "--add-modules=jdk.incubator.vector" not in flags
