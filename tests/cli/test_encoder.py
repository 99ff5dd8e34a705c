"""What the command line says of the sentence encoder, and that the service runs without its model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prefrontal.graph.embedded.processes import free_port
from prefrontal.graph.text.encoders import DEFAULT
from tests.cli.conftest import Cli
from tests.support.server_process import ApiProcess
from tests.support.tiny_model import write_model


def row(cli: Cli, **settings: str) -> tuple[bool, str]:
    """What doctor says of the encoder."""
    checks = json.loads(cli("doctor", "--json", **settings).stdout)["checks"]
    (found,) = (check for check in checks if check["check"] == "encoder")
    return found["ok"], found["detail"]


def without_room_for_a_model(tmp_path: Path) -> dict[str, str]:
    """The default encoder, with a cache folder that is none."""
    (tmp_path / "file").write_text("")
    return {"PREFRONTAL_ENCODER": DEFAULT, "PREFRONTAL_CACHE_DIR": str(tmp_path / "file")}


def test_doctor_says_which_encoder_is_used_and_how_long_a_question_takes(cli: Cli, tmp_path):
    folder = write_model(tmp_path / "mine", options={"name": "my-own"})

    ok, said = row(cli, PREFRONTAL_ENCODER=str(folder))
    assert ok
    assert said.startswith("my-own, 3 dimensions, ")
    assert said.endswith(" ms a question")
    ok, said = row(cli)
    assert ok
    assert said.startswith("hash, 384 dimensions, ")
    assert said.endswith(" ms a question, for tests: it knows no meanings")
    assert row(cli, PREFRONTAL_ENCODER="none") == (True, "none: memories are found by their words alone")


@pytest.mark.nightly("doctor says which encoder is used with each change")
def test_doctor_says_what_of_the_encoder_is_missing_and_what_to_do(cli: Cli, tmp_path):
    (tmp_path / "empty").mkdir()

    ok, said = row(cli, PREFRONTAL_ENCODER=str(tmp_path / "nowhere"))
    assert not ok
    assert (
        f"PREFRONTAL_ENCODER: {tmp_path}/nowhere is no folder, "
        "and none of e5-bge-tuned, e5-small-v2, multilingual, hash" in said
    )
    ok, said = row(cli, PREFRONTAL_ENCODER=str(tmp_path / "empty"))
    assert not ok
    assert "lacks model.onnx and tokenizer.json" in said
    ok, said = row(cli, **without_room_for_a_model(tmp_path))
    assert not ok
    assert "set PREFRONTAL_CACHE_DIR to a folder that is" in said


@pytest.mark.slow
@pytest.mark.nightly("doctor says the same, above")
def test_serve_runs_without_the_model_and_says_what_to_do(cli: Cli, tmp_path):
    env = cli.env | without_room_for_a_model(tmp_path)
    env |= {"PREFRONTAL_PORT": str(free_port()), "PREFRONTAL_LOG_FORMAT": "json"}
    # With the warm-up, as it is run.
    env |= {"PREFRONTAL_FAST_START": "0", "PREFRONTAL_JOBS": "false"}
    api = ApiProcess(env, tmp_path / "log")

    try:
        api.start()
        api.wait_for_log("encoder_missing")
    finally:
        api.stop()

    (line,) = (
        line for line in map(json.loads, api.log_text().splitlines()) if line["event"] == "encoder_missing"
    )
    assert line["level"] == "warning"
    assert "set PREFRONTAL_CACHE_DIR to a folder that is" in line["reason"]
    assert line["again_in_s"] == 60
    assert api.process.returncode == 0
