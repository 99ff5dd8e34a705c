"""Settings, read once from the environment and then passed as an argument.

This is the only module that reads settings from the environment. The variables are `PREFRONTAL_<FIELD>`,
except for the database: `NEO4J_URI`, `NEO4J_USER`, `NEO4J_PASSWORD` and `NEO4J_DATABASE`, as usual.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from prefrontal.graph.errors import SettingsError

ROOT = Path(__file__).resolve().parent.parent.parent
"""The checkout: `cypher/` and `registry/` are siblings of `graph/`."""


def _user_cache() -> Path:
    """Return the per-user cache folder of the platform."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home())))
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")))


class Settings(BaseSettings):
    """All settings of the service, with defaults for a laptop."""

    model_config = SettingsConfigDict(
        env_prefix="PREFRONTAL_",
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        env_ignore_empty=True,
    )

    neo4j_uri: str | None = Field(
        default=None,
        validation_alias=AliasChoices("NEO4J_URI"),
        pattern=r"^(bolt|neo4j)(\+s|\+ssc)?://",
        description="A Neo4j that is already there; without it one is started.",
    )
    neo4j_user: str = Field(
        default="neo4j", validation_alias=AliasChoices("NEO4J_USER"), description="Its user."
    )
    neo4j_password: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("NEO4J_PASSWORD"), description="Its password."
    )
    neo4j_database: str = Field(
        default="neo4j", validation_alias=AliasChoices("NEO4J_DATABASE"), description="Its database."
    )
    docker: bool = Field(
        default=True, description="Let the tests use a Docker engine for Neo4j where one answers."
    )

    data_dir: Path = Field(
        default=Path(".prefrontal"), description="Database files, password and signing secret."
    )
    cache_dir: Path = Field(
        default_factory=lambda: _user_cache() / "prefrontal",
        description="Downloaded Neo4j jars and the class-data-sharing archive.",
    )
    registry_dir: Path = Field(
        default=ROOT / "registry", description="The tables of numbers and action types."
    )
    registry_repository: Path | None = Field(
        default=None,
        description="A git repository on this machine, bare or a clone, that approved proposals become "
        "branches in; its `HEAD` is what they begin with, and clients are told its path. Without it none "
        "is exported.",
    )
    cypher_dir: Path = Field(default=ROOT / "cypher", description="The query files and migrations.")

    host: str = Field(default="127.0.0.1", description="Address the API listens on.")
    port: int = Field(default=8420, ge=0, le=65535, description="Port of the API.")
    bolt_port: int = Field(
        default=17687, ge=0, le=65535, description="Bolt port of the embedded Neo4j; 0 takes a free one."
    )
    browser_port: int = Field(
        default=17474, ge=0, le=65535, description="HTTP port of the embedded Neo4j and its Browser."
    )

    production: bool = Field(default=False, description="No GraphiQL, no introspection, no demo.")
    log_format: str = Field(default="console", pattern="^(console|json)$", description="`console` or `json`.")
    log_level: str = Field(
        default="info",
        pattern="^(debug|info|warning|error)$",
        description="`debug`, `info`, `warning` or `error`.",
    )

    jwt_secret: SecretStr | None = Field(
        default=None,
        description="HS256 secret of at least 32 bytes; without it one is made and kept in data_dir.",
    )
    jwt_issuer: str = Field(
        default="prefrontal", description="The `iss` of tokens; to be set when an issuer's keys are."
    )
    jwt_audience: str = Field(
        default="prefrontal", description="The `aud` of tokens; to be set when an issuer's keys are."
    )
    jwt_jwks_url: str | None = Field(
        default=None,
        pattern=r"^(https://[^\s/?#@]+|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?)(/\S*)?$",
        description="Where an issuer publishes its keys (JWKS); then only its tokens are taken.",
    )
    jwt_jwks_file: Path | None = Field(
        default=None, description="The same as a file, where the server may not fetch."
    )
    jwt_algorithms: str = Field(
        default="RS256,ES256",
        pattern=r"^((RS|ES|PS)(256|384|512)|EdDSA)(,((RS|ES|PS)(256|384|512)|EdDSA))*$",
        description="Signatures taken from that issuer; tokens of our own are always HS256.",
    )
    jwt_claims: str = Field(
        default="",
        pattern=r"^(|(org|agent|person|device|roles)=[^,]+(,(org|agent|person|device|roles)=[^,]+)*)$",
        description="Its names for our claims, e.g. `org=org_id,person=sub,roles=realm_access.roles`.",
    )
    jwt_role_prefix: str = Field(
        default="", description="Only its roles that begin so count, without it, e.g. `prefrontal-`."
    )

    query_timeout_s: float = Field(default=2.0, gt=0, description="Deadline of one transaction, seconds.")
    retry_time_s: float = Field(default=5.0, ge=0, description="How long a transaction is retried, seconds.")
    pool_size: int = Field(
        default=50,
        ge=1,
        description="Connections to the database at most; who finds none free waits as long as a transaction "
        "may take, at least 5 seconds, and is then told `unavailable`.",
    )
    max_body_bytes: int = Field(
        default=4_000_000, ge=1_000, description="Size of a request body at most, bytes."
    )
    max_query_depth: int = Field(default=14, ge=1, description="Nesting of a GraphQL query at most.")
    max_query_tokens: int = Field(default=2_000, ge=1, description="Tokens of a GraphQL document at most.")
    max_query_aliases: int = Field(default=20, ge=1, description="Aliases in a GraphQL document at most.")
    max_query_fields: int = Field(
        default=2_000,
        ge=1,
        description="Fields of a GraphQL document at most, a fragment's wherever it is used.",
    )
    tokenizer: str = Field(default="o200k_base", description="Encoding that budgets are counted in.")
    evaluate_on_add: bool = Field(
        default=True,
        description="Evaluate observations when they are added: one of high confidence may found a goal.",
    )
    jobs: bool = Field(default=True, description="Run the periodic jobs inside `serve`.")

    @field_validator("registry_repository")
    @classmethod
    def _is_a_repository(cls, place: Path | None) -> Path | None:
        if place is not None and not (
            (place / ".git").exists() or ((place / "HEAD").is_file() and (place / "objects").is_dir())
        ):
            raise ValueError(f"{place} is no git repository; name a clone or a bare one, or unset it")
        return place


def _variable(place: str) -> str:
    """Return the environment variable of a field; an alias such as `NEO4J_URI` is already its variable."""
    return f"PREFRONTAL_{place.upper()}" if place in Settings.model_fields else place


def load_settings() -> Settings:
    """Return the settings from the environment.

    Raises:
        SettingsError: If a variable has a wrong value; the message names each wrong variable.
    """
    try:
        return Settings()
    except ValidationError as error:
        lines = [f"{_variable(str(e['loc'][0]))}: {e['msg']}" for e in error.errors()]
        raise SettingsError("wrong environment variables: " + "; ".join(lines)) from error
