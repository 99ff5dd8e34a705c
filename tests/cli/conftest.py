"""The command line as a user runs it: a process of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from prefrontal.graph.config.settings import REQUEST_LIMITS, ROOT
from prefrontal.graph.embedded.endpoint import Endpoint
from tests.support.database import environment_of
from tests.support.forked import run_command

# A test that runs by itself fetches a server, maybe through a proxy.
_PROXY = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE")
_KEPT = ("PATH", "HOME", "LANG", "XDG_CACHE_HOME", "PREFRONTAL_CACHE_DIR", *_PROXY)


@dataclass
class Cli:
    env: dict[str, str]

    def __call__(self, *arguments: str, **extra: str) -> CompletedProcess[str]:
        return run_command(arguments, env=self.env | extra, cwd=ROOT, timeout=120)


def clean_environment(data_dir: Path) -> dict[str, str]:
    env = {name: os.environ[name] for name in _KEPT if name in os.environ}
    # A cold server on a busy machine takes longer than the usual deadline for its first statements.
    patience = {"PREFRONTAL_QUERY_TIMEOUT_S": "60", "PREFRONTAL_FAST_START": "1"}
    patience["PREFRONTAL_MAX_REQUEST_S"] = "120"
    unlimited = {f"PREFRONTAL_{name.upper()}": "0" for name in REQUEST_LIMITS}
    # The encoder's own tests load a model.
    patience["PREFRONTAL_ENCODER"] = "hash"
    return env | patience | unlimited | {"PREFRONTAL_DATA_DIR": str(data_dir), "COLUMNS": "200"}


@pytest.fixture
def cli(neo4j: Endpoint, driver, tmp_path: Path) -> Cli:
    """The command line on the run's database, with a data folder of its own."""
    return Cli(clean_environment(tmp_path / "data") | environment_of(neo4j))
