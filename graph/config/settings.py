"""The settings, read once from the environment and then passed as an argument.

No other module reads the environment. The variables are `PREFRONTAL_<FIELD>`; those of the database
have the names that Neo4j tools use: `NEO4J_URI`, `NEO4J_USER`, `NEO4J_PASSWORD`, `NEO4J_DATABASE`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from prefrontal.graph.errors import SettingsError
from prefrontal.graph.shape import message_of

ROOT = Path(__file__).resolve().parent.parent.parent
"""The checkout: `cypher/` and `registry/` are siblings of `graph/`."""


REQUEST_LIMITS = (
    "caller_requests_per_s",
    "caller_requests_at_once",
    "organisation_requests_per_s",
    "organisation_requests_at_once",
)
"""The settings that limit how many requests are answered; measurements and tests set them to 0."""


def _user_cache() -> Path:
    """Return the per-user cache folder of the platform."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home())))
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")))


class Settings(BaseModel):
    """All settings, with defaults for development on one machine. An empty variable counts as not set."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    neo4j_uri: str | None = Field(
        default=None,
        pattern=r"^(bolt|neo4j)(\+s|\+ssc)?://",
        description="Address of an existing Neo4j. Without it, an embedded one is started.",
    )
    neo4j_user: str = Field(default="neo4j", description="User of that Neo4j.")
    neo4j_password: SecretStr | None = Field(default=None, description="Password of that user.")
    neo4j_database: str = Field(default="neo4j", description="Name of the database.")
    neo4j_image: str = Field(
        # Pinned by its digest; the tag says what it is.
        default="neo4j:2026.09.0-community"
        "@sha256:91fb0bf237c41b7b3dcbe84703aa0b82e0d7d067b16e1c8ab21f03fc679edf4e",
        description="The image of Neo4j, of `docker-compose.yml` and of tests on a container.",
    )
    docker: bool = Field(
        default=True, description="Let the tests run Neo4j in Docker when a Docker engine answers."
    )

    data_dir: Path = Field(
        default=Path(".prefrontal"),
        description="Folder of the embedded database, its password and the signing secret.",
    )
    cache_dir: Path = Field(
        default_factory=lambda: _user_cache() / "prefrontal",
        description="Folder of what is downloaded once: the Neo4j jars with the Java class-data-sharing "
        "archive, and the sentence encoder.",
    )
    registry_dir: Path = Field(
        default=ROOT / "registry", description="Folder of the registry: tables of numbers, and action types."
    )
    registry_name: str = Field(
        default="default",
        pattern=r"^[A-Za-z0-9._-]{1,100}$",
        description="The name under which the database keeps what the files of the registry said. Servers "
        "with the same files use the same name.",
    )
    registry_repository: Path | None = Field(
        default=None,
        description="A git repository on the server, bare or a clone. `exportProposalAsPr` makes a branch of "
        "its `HEAD` for an approved proposal, and returns its path to clients. Without it, no proposal can "
        "be exported.",
    )
    cypher_dir: Path = Field(default=ROOT / "cypher", description="Folder of the query files and migrations.")

    host: str = Field(default="127.0.0.1", description="Address that the API listens on.")
    port: int = Field(default=8420, ge=0, le=65535, description="Port of the API.")
    bolt_port: int = Field(
        default=17687, ge=0, le=65535, description="Bolt port of the embedded Neo4j; 0 chooses a free one."
    )
    browser_port: int = Field(
        default=17474,
        ge=0,
        le=65535,
        description="HTTP port of the embedded Neo4j, which serves Neo4j Browser.",
    )

    browser_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/?#@]+/?$",
        description="Where people reach Neo4j Browser of the database that `NEO4J_URI` names, e.g. "
        "`http://127.0.0.1:7474`. Without it, the workbench has no links to Neo4j Browser; those to the "
        "embedded one need no setting.",
    )
    browser_bolt_uri: str | None = Field(
        default=None,
        pattern=r"^(bolt|neo4j)(\+s|\+ssc)?://[^\s/?#@]+$",
        description="The Bolt address that Neo4j Browser at `PREFRONTAL_BROWSER_URL` connects to; by default "
        "`NEO4J_URI`.",
    )

    fast_start: bool = Field(
        default=False,
        description="Start the embedded Neo4j sooner and skip the warm-up; requests are then slower. For "
        "tests and other short runs.",
    )

    production: bool = Field(default=False, description="Switch off GraphiQL, introspection and the demo.")
    metrics: bool = Field(
        default=True, description="Serve `/metrics`, without a token, to whoever reaches the port."
    )
    otlp_endpoint: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$",
        description="Address of an OpenTelemetry collector that takes OTLP over HTTP, e.g. "
        "`http://127.0.0.1:4318`. Spans are sent there; without it there are none. It needs the packages of "
        "`prefrontal[traces]`, and OpenTelemetry's other variables count too.",
    )
    browser_kit: bool = Field(
        default=True, description="Serve `/browser-kit`, what Neo4j Browser loads: queries, a style, a guide."
    )
    log_format: str = Field(
        default="console", pattern="^(console|json)$", description="Format of the log: `console` or `json`."
    )
    log_level: str = Field(
        default="info",
        pattern="^(debug|info|warning|error)$",
        description="Least level of the log: `debug`, `info`, `warning` or `error`.",
    )

    jwt_secret: SecretStr | None = Field(
        default=None,
        description="HS256 secret of at least 32 bytes. Without it, one is generated and kept in the data "
        "folder.",
    )
    jwt_secret_before: SecretStr | None = Field(
        default=None,
        description="The secret that was used before: tokens that it signed are accepted, new ones are "
        "signed with the other. Unset it when they have expired.",
    )
    jwt_longest_hours: float = Field(
        default=8784.0,
        gt=0,
        description="The longest life of a token, from `iat` to `exp`; longer ones are refused.",
    )
    jwt_deny_file: Path | None = Field(
        default=None,
        description="A file with tokens that are refused before they expire, one a line: the `jti` of the "
        "token, or the SHA-256 of the whole token in hexadecimal. It is read again when it changes.",
    )
    jwt_issuer: str = Field(
        default="prefrontal",
        description="The `iss` claim of tokens; required with the keys of an external issuer.",
    )
    jwt_audience: str = Field(
        default="prefrontal",
        description="The `aud` claim of tokens; required with the keys of an external issuer.",
    )
    jwt_jwks_url: str | None = Field(
        default=None,
        pattern=r"^(https://[^\s/?#@]+|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?)(/\S*)?$",
        description="Address of an external issuer's keys (JWKS). With it, only tokens of that issuer are "
        "accepted.",
    )
    jwt_jwks_file: Path | None = Field(
        default=None,
        description="The same keys as a file, for a server that cannot fetch them.",
    )
    jwt_algorithms: str = Field(
        default="RS256,ES256",
        pattern=r"^((RS|ES|PS)(256|384|512)|EdDSA)(,((RS|ES|PS)(256|384|512)|EdDSA))*$",
        description="Signature algorithms accepted from the external issuer. The service's own tokens are "
        "HS256.",
    )
    jwt_claims: str = Field(
        default="",
        pattern=r"^(|(org|agent|person|device|roles)=[^,]+(,(org|agent|person|device|roles)=[^,]+)*)$",
        description="The issuer's names of the claims, e.g. "
        "`org=org_id,person=sub,roles=realm_access.roles`.",
    )
    jwt_role_prefix: str = Field(
        default="",
        description="Use only the issuer's roles with this prefix, and remove it, e.g. `prefrontal-`.",
    )

    query_timeout_s: float = Field(default=2.0, gt=0, description="Deadline of one transaction, in seconds.")
    retry_time_s: float = Field(
        default=5.0, ge=0, description="How long a transaction is retried, in seconds."
    )
    pool_size: int = Field(
        default=50,
        ge=1,
        description="Most connections to the database. When all are in use, a request waits as long as a "
        "transaction may take, at least 5 seconds, and is then refused as `unavailable`.",
    )
    max_body_bytes: int = Field(default=4_000_000, ge=1_000, description="Largest request body, in bytes.")
    request_timeout_s: float = Field(
        default=30.0,
        gt=0,
        description="How long the head and how long the body of a request may take to arrive, in seconds.",
    )
    max_query_depth: int = Field(default=14, ge=1, description="Deepest nesting of a GraphQL query.")
    max_query_tokens: int = Field(default=2_000, ge=1, description="Most tokens in a GraphQL document.")
    max_query_aliases: int = Field(
        default=20,
        ge=1,
        description="Most aliases in a GraphQL document; those of a fragment count at each use.",
    )
    max_query_fields: int = Field(
        default=2_000,
        ge=1,
        description="Most fields in a GraphQL document; those of a fragment count at each use.",
    )
    max_query_nodes: int = Field(
        default=50_000,
        ge=1,
        description="Most nodes that a GraphQL document may ask for: the page sizes of lists in lists "
        "multiply, and a page size in a variable counts as 100.",
    )
    max_query_cost: int = Field(
        default=30_000,
        ge=1,
        description="Most values that a GraphQL document may ask for: a field counts as often as the page "
        "sizes of the lists around it say; a page size in a variable counts as 100.",
    )
    max_request_s: float = Field(
        default=30.0,
        gt=0,
        description="Longest time that a request may take, in seconds. After it the request is ended with "
        "`timeout`.",
    )
    caller_requests_per_s: int = Field(
        default=100,
        ge=0,
        description="Most requests of one caller (an agent, or else a person or device) in a second; twice "
        "as many at a stretch. 0 is no limit. Each worker process counts for itself, also for the three "
        "settings after it.",
    )
    caller_requests_at_once: int = Field(
        default=32, ge=0, description="Most requests of one caller that are answered at once; 0 is no limit."
    )
    organisation_requests_per_s: int = Field(
        default=1_000,
        ge=0,
        description="Most requests of one organisation in a second; twice as many at a stretch. 0 is no "
        "limit.",
    )
    organisation_requests_at_once: int = Field(
        default=256,
        ge=0,
        description="Most requests of one organisation that are answered at once; 0 is no limit.",
    )
    caller_streams: int = Field(
        default=16,
        ge=0,
        description="Most streams of events that one actor has open at once, in each process; 0 is no limit.",
    )
    max_items_per_organisation: int = Field(
        default=1_000_000,
        ge=0,
        description="Most records (observations, goals, actions, questions, stories, mandates, capabilities) "
        "that an organisation may store; 0 is no limit. A job counts them every ten minutes, and each "
        "process adds what it has stored since.",
    )
    tokenizer: str = Field(
        default="o200k_base", description="The tiktoken encoding that token budgets are counted with."
    )
    encoder: str = Field(
        default="e5-bge-tuned",
        min_length=1,
        description="The sentence encoder, by which memories are found by their meaning: `e5-bge-tuned`, "
        "two models used as one, which know English only and are downloaded once (50 MB); `e5-small-v2`, "
        "the first of them alone, which takes half the time and memory and finds short notes less well; "
        "`multilingual`, which knows a hundred languages and is an extra; the path of a folder with "
        "`model.onnx` and `tokenizer.json`; the address of an endpoint with the API of OpenAI and its model, "
        "`https://host/v1#model`, to which the texts are sent; `none`, and memories are found by their words "
        "alone; or `hash`, which knows no meanings, for tests. See [encoder.md](encoder.md).",
    )
    encoder_key: SecretStr | None = Field(
        default=None, description="The key of the endpoint, if the encoder is one; sent as a bearer token."
    )
    encoder_threads: int = Field(
        default=2,
        ge=1,
        le=64,
        description="Most threads that encode what is stored; one more encodes questions. Never more than "
        "there are cores.",
    )
    evaluate_on_add: bool = Field(
        default=True,
        description="Evaluate observations when they are added; one of high confidence may create a goal.",
    )
    nats_url: str | None = Field(
        default=None,
        pattern=r"^(nats|tls)://[^\s,/?#@]+(,(nats|tls)://[^\s,/?#@]+)*$",
        description="Address of a NATS server with JetStream, e.g. `nats://127.0.0.1:4222`, or several of a "
        "cluster, divided by commas. With it, every event is published there; see "
        "[events.md](spec/events.md).",
    )
    nats_stream: str = Field(
        default="PREFRONTAL",
        pattern=r"^[A-Za-z0-9_-]{1,255}$",
        description="The stream that takes the events. It is made if it is not there.",
    )
    nats_subject_prefix: str = Field(
        default="prefrontal",
        pattern=r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$",
        description="What every subject begins with: `<prefix>.<organisation>.<event type>`.",
    )
    nats_user: str | None = Field(default=None, description="User of the NATS server.")
    nats_password: SecretStr | None = Field(default=None, description="Password of that user.")
    nats_token: SecretStr | None = Field(
        default=None, description="Token of the NATS server, instead of a user and a password."
    )
    jobs: bool = Field(default=True, description="Run the periodic jobs inside `prefrontal serve`.")

    def __init__(self, **given: Any) -> None:
        """Read the environment, and take what is given in place of what the environment has."""
        found = {name: os.environ.get(variable_of(name)) for name in type(self).model_fields}
        super().__init__(**{name: value for name, value in found.items() if value} | given)

    @field_validator("registry_repository")
    @classmethod
    def _is_a_repository(cls, place: Path | None) -> Path | None:
        if place is not None and not (
            (place / ".git").exists() or ((place / "HEAD").is_file() and (place / "objects").is_dir())
        ):
            raise ValueError(f"{place} is no git repository; name a clone or a bare one, or unset it")
        return place

    @property
    def issues_elsewhere(self) -> bool:
        """Whether an external issuer makes the tokens, instead of `prefrontal token`."""
        return self.jwt_jwks_url is not None or self.jwt_jwks_file is not None


def variable_of(field: str) -> str:
    """Return the environment variable of a field of `Settings`."""
    if field.startswith("neo4j_"):
        return field.upper()
    return "OTEL_EXPORTER_OTLP_ENDPOINT" if field == "otlp_endpoint" else f"PREFRONTAL_{field.upper()}"


def load_settings() -> Settings:
    """Return the settings that the environment describes.

    Raises:
        SettingsError: If a variable has a wrong value; the message names each one.
    """
    try:
        return Settings()
    except ValidationError as error:
        lines = [f"{variable_of(str(e['loc'][0]))}: {message_of(e)}" for e in error.errors()]
        raise SettingsError("wrong environment variables: " + "; ".join(lines)) from error
