"""Tokens of a real issuer: keys of its own, published by a real server, rotated, lost and found again."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from typer.testing import CliRunner

from prefrontal.api.auth import Tokens
from prefrontal.api.cli.main import app
from prefrontal.api.issuer import IssuerTokens, tokens_of
from prefrontal.graph.caller import Principal
from prefrontal.graph.clock import SystemClock
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.errors import SettingsError, Unauthenticated, Unavailable
from tests.api.conftest import Api, in_process
from tests.support.clock import FixedClock

ISSUER = "https://login.example.org/"
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())
HIDDEN = "canary-5f1c"


def public(key: Any, kid: str, **more: Any) -> dict[str, Any]:
    kind = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
    return {**kind.to_jwk(key.public_key(), as_dict=True), "kid": kid, **more}


class Issuer:
    """Publishes keys on loopback and counts how often it was asked."""

    def __init__(self) -> None:
        self.body = b""
        self.status = 200
        self.asked = 0
        self.publish(public(RSA, "rsa-1"), public(EC, "ec-1"))
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked += 1
                self.send_response(issuer.status)
                self.send_header("Location", "/elsewhere")
                self.end_headers()
                self.wfile.write(issuer.body)

            def log_message(self, *_: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/jwks.json"

    def publish(self, *keys: dict[str, Any]) -> None:
        self.body = json.dumps({"keys": keys}).encode()


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    issuer = Issuer()
    thread = Thread(target=issuer.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield issuer
    issuer.server.shutdown()
    issuer.server.server_close()
    thread.join()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


def tokens(issuer: Issuer, clock: FixedClock, **more: Any) -> IssuerTokens:
    settings = Settings(jwt_jwks_url=issuer.url, jwt_issuer=ISSUER, jwt_audience="memory", **more)
    found = tokens_of(settings, clock)
    assert isinstance(found, IssuerTokens)
    return found


def claims(clock: FixedClock, **more: Any) -> dict[str, Any]:
    base = {"org": "acme", "person": "ada", "roles": ["writer"], "iss": ISSUER, "aud": ["memory", "other"]}
    return {**base, "iat": clock.now(), "exp": clock.now() + timedelta(hours=1), **more}


def bearer(said: dict[str, Any], key: Any = RSA, kid: str | None = "rsa-1", alg: str = "RS256") -> str:
    said = {name: value for name, value in said.items() if value is not None}
    return f"Bearer {jwt.encode(said, key, algorithm=alg, headers={'kid': kid} if kid else None)}"


ADA = Principal(org="acme", person="ada", roles=("writer",))


async def test_both_kinds_of_keys_are_taken_and_fetched_once(issuer: Issuer, clock: FixedClock) -> None:
    verifier = tokens(issuer, clock)
    assert issuer.asked == 0, "a server starts while its issuer is away"
    assert await verifier.principal(bearer(claims(clock))) == ADA
    assert await verifier.principal(bearer(claims(clock), EC, "ec-1", "ES256")) == ADA
    assert issuer.asked == 1


def confused(said: dict[str, Any]) -> str:
    """A token signed with the public key as if that were a shared secret; the library refuses to make one."""

    def part(value: bytes) -> bytes:
        return urlsafe_b64encode(value).rstrip(b"=")

    head = json.dumps({"alg": "HS256", "kid": "rsa-1"}).encode()
    body = json.dumps(said, default=lambda at: int(at.timestamp())).encode()
    signed = part(head) + b"." + part(body)
    pem = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return "Bearer " + (signed + b"." + part(hmac.digest(pem, signed, hashlib.sha256))).decode()


WRONG: dict[str, Any] = {
    "no header": lambda _: None,
    "no token": lambda _: f"Bearer {HIDDEN}",
    "signed by a stranger": lambda c: bearer(claims(c), OTHER_RSA),
    "signed with another key of the issuer": lambda c: bearer(claims(c), RSA, "ec-1"),
    "an algorithm not allowed": lambda c: bearer(claims(c), RSA, "rsa-1", "RS512"),
    "an algorithm the key is not for": lambda c: bearer(claims(c), RSA, "rsa-1", "PS256"),
    "the public key as a secret": lambda c: confused(claims(c)),
    "our own kind of token": lambda c: bearer(claims(c), "s" * 32, "rsa-1", "HS256"),
    "no algorithm": lambda c: bearer(claims(c), None, "rsa-1", "none"),
    "unknown key": lambda c: bearer(claims(c), OTHER_RSA, HIDDEN),
    "no key named": lambda c: bearer(claims(c), kid=None),
    "another issuer": lambda c: bearer(claims(c, iss=HIDDEN)),
    "another audience": lambda c: bearer(claims(c, aud=HIDDEN)),
    "no expiry": lambda c: bearer(claims(c, exp=None)),
    "expires now": lambda c: bearer(claims(c, exp=c.now())),
    "not yet": lambda c: bearer(claims(c, nbf=c.now() + timedelta(minutes=2))),
    "lives too long": lambda c: bearer(claims(c, exp=c.now() + timedelta(hours=9000))),
    "has lived too long": lambda c: bearer(claims(c, iat=c.now() - timedelta(hours=8784))),
    "never expires": lambda c: bearer(claims(c, exp=math.inf)),
    "no organisation": lambda c: bearer(claims(c, org=None)),
    "a person that is no key": lambda c: bearer(claims(c, person=HIDDEN + "|1")),
    "roles are a map": lambda c: bearer(claims(c, roles={HIDDEN: 1})),
}


@pytest.mark.parametrize("make", WRONG.values(), ids=WRONG)
async def test_everything_else_is_refused_without_a_word_of_what_it_held(
    issuer: Issuer, clock: FixedClock, make: Any
) -> None:
    if make is WRONG["an algorithm the key is not for"]:
        verifier = tokens(issuer, clock, jwt_algorithms="RS256,PS256")
    else:
        verifier = tokens(issuer, clock)
    with pytest.raises(Unauthenticated) as caught:
        await verifier.principal(make(clock))
    assert HIDDEN not in caught.value.message
    assert ISSUER in caught.value.message, "the answer says whose token is wanted"


async def test_a_denied_token_is_refused_also_when_it_was_accepted_before(
    issuer: Issuer, clock: FixedClock, tmp_path: Path
) -> None:
    denied = tmp_path / "denied"
    verifier = tokens(issuer, clock, jwt_deny_file=denied)
    one, other = (bearer(claims(clock, jti=jti)) for jti in ("one", "other"))
    for token in (one, other):
        assert await verifier.principal(token) == ADA

    denied.write_text("one\n")

    for verifying in (verifier, tokens(issuer, clock, jwt_deny_file=denied)):
        with pytest.raises(Unauthenticated, match="revoked"):
            await verifying.principal(one)
        assert await verifying.principal(other) == ADA


async def test_clocks_may_differ_by_a_minute(issuer: Issuer, clock: FixedClock) -> None:
    soon = claims(clock, nbf=clock.now() + timedelta(seconds=59))
    assert await tokens(issuer, clock).principal(bearer(soon)) == ADA


async def test_a_new_key_is_found_and_an_old_one_forgotten(issuer: Issuer, clock: FixedClock) -> None:
    verifier = tokens(issuer, clock)
    old, new = bearer(claims(clock)), bearer(claims(clock), OTHER_RSA, "rsa-2")
    await verifier.principal(old)
    issuer.publish(public(OTHER_RSA, "rsa-2"))
    clock.advance(seconds=11)
    assert await verifier.principal(new) == ADA
    assert issuer.asked == 2
    with pytest.raises(Unauthenticated, match="no such key"):
        await verifier.principal(old)


async def test_unknown_keys_are_asked_for_once_and_not_again_for_a_while(
    issuer: Issuer, clock: FixedClock
) -> None:
    verifier = tokens(issuer, clock)
    for number in range(5):
        with pytest.raises(Unauthenticated, match="no such key"):
            await verifier.principal(bearer(claims(clock), OTHER_RSA, f"made-up-{number}"))
    assert issuer.asked == 1
    clock.advance(seconds=11)
    with pytest.raises(Unauthenticated, match="no such key"):
        await verifier.principal(bearer(claims(clock), OTHER_RSA, "made-up"))
    assert issuer.asked == 2


def break_off(issuer: Issuer) -> None:
    issuer.status = 503


def redirect(issuer: Issuer) -> None:
    issuer.status = 302


def no_json(issuer: Issuer) -> None:
    issuer.body = b"<html>\xff"


def a_list(issuer: Issuer) -> None:
    issuer.body = b"[]"


def no_keys(issuer: Issuer) -> None:
    issuer.publish()


@pytest.mark.parametrize("breakage", [break_off, redirect, no_json, a_list, no_keys])
async def test_known_keys_outlive_an_issuer_that_is_away_for_a_day(
    issuer: Issuer, clock: FixedClock, breakage: Any
) -> None:
    verifier = tokens(issuer, clock)
    token = bearer(claims(clock, exp=clock.now() + timedelta(days=3)))
    await verifier.principal(token)
    breakage(issuer)
    clock.advance(hours=23)
    assert await verifier.principal(token) == ADA
    assert await verifier.principal(token) == ADA
    assert issuer.asked == 2, "one that is away is left alone for a while"
    with pytest.raises(Unavailable, match="keys"):
        await verifier.principal(bearer(claims(clock), OTHER_RSA, "rsa-2"))
    clock.advance(hours=2)
    with pytest.raises(Unavailable, match="keys"):
        await verifier.principal(token)
    issuer.status = 200
    issuer.publish(public(RSA, "rsa-1"))
    clock.advance(seconds=11)
    assert await verifier.principal(token) == ADA


async def test_keys_for_other_purposes_are_no_keys(issuer: Issuer, clock: FixedClock) -> None:
    shared = {"kty": "oct", "k": urlsafe_b64encode(b"s" * 32).decode(), "alg": "HS256", "kid": "shared"}
    issuer.publish(public(RSA, "rsa-1", use="enc"), shared, {"kty": "?", "kid": "odd"}, public(EC, "ec-1"))
    verifier = tokens(issuer, clock)
    assert await verifier.principal(bearer(claims(clock), EC, "ec-1", "ES256")) == ADA
    for token in (bearer(claims(clock)), bearer(claims(clock), "s" * 32, "shared", "HS256")):
        with pytest.raises(Unauthenticated):
            await verifier.principal(token)


MAPPINGS: dict[str, tuple[dict[str, str], dict[str, Any], Principal]] = {
    "other names": (
        {"jwt_claims": "org=org_id,person=sub,roles=permissions"},
        {
            "org": None,
            "person": None,
            "roles": None,
            "org_id": "acme",
            "sub": "ada",
            "permissions": ["writer"],
        },
        ADA,
    ),
    "names inside others": (
        {"jwt_claims": "org='acme',roles=realm_access.roles", "jwt_role_prefix": "memory-"},
        {"org": None, "roles": None, "realm_access": {"roles": ["offline_access", "memory-writer", 5]}},
        ADA,
    ),
    "names with dots": (
        {"jwt_claims": "roles=https://acme.example/roles"},
        {"roles": ["admin"], "https://acme.example/roles": ["writer"]},
        ADA,
    ),
    "a scope": (
        {"jwt_claims": "roles=scope,agent=azp"},
        {"scope": "reader writer", "azp": "assistant"},
        Principal(org="acme", person="ada", agent="assistant", roles=("reader", "writer")),
    ),
}


@pytest.mark.parametrize(("settings", "said", "expected"), MAPPINGS.values(), ids=MAPPINGS)
async def test_claims_have_the_names_that_the_issuer_gives_them(
    issuer: Issuer, clock: FixedClock, settings: dict[str, str], said: dict[str, Any], expected: Principal
) -> None:
    verifier = tokens(issuer, clock, **settings)
    assert await verifier.principal(bearer(claims(clock, **said))) == expected


async def test_keys_may_come_from_a_file(issuer: Issuer, clock: FixedClock, tmp_path: Path) -> None:
    file = tmp_path / "jwks.json"
    settings = Settings(jwt_jwks_file=file, jwt_issuer=ISSUER, jwt_audience="memory")
    verifier = tokens_of(settings, clock)
    with pytest.raises(Unavailable):
        await verifier.principal(bearer(claims(clock)))
    file.write_bytes(issuer.body)
    clock.advance(seconds=11)
    assert await verifier.principal(bearer(claims(clock))) == ADA
    assert issuer.asked == 0


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"jwt_jwks_url": "https://a.example/k"}, "PREFRONTAL_JWT_ISSUER"),
        ({"jwt_jwks_url": "https://a.example/k", "jwt_issuer": "a"}, "PREFRONTAL_JWT_AUDIENCE"),
        ({"jwt_jwks_url": "https://a.example/k", "jwt_jwks_file": Path("k")}, "PREFRONTAL_JWT_JWKS_FILE"),
    ],
)
def test_half_an_issuer_is_refused_by_the_name_of_its_setting(given: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        tokens_of(Settings(**given), SystemClock())


@pytest.mark.parametrize(
    "given",
    [
        {"jwt_jwks_url": "http://keys.example/k"},
        {"jwt_jwks_url": "http://localhost.evil.example/k"},
        {"jwt_jwks_url": "http://127.0.0.1@evil.example/k"},
        {"jwt_jwks_url": "file:///etc/passwd"},
        {"jwt_algorithms": "HS256"},
        {"jwt_algorithms": "RS256,none"},
        {"jwt_claims": "organisation=o"},
        {"jwt_claims": "org"},
    ],
    ids=str,
)
def test_a_setting_that_would_weaken_the_check_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=next(iter(given))):
        Settings(**given)


def test_without_an_issuer_tokens_are_our_own(tmp_path: Path) -> None:
    assert isinstance(tokens_of(Settings(data_dir=tmp_path), SystemClock()), Tokens)


async def test_the_api_answers_401_to_a_wrong_token_and_503_while_it_cannot_know(
    api: Api, issuer: Issuer
) -> None:
    clock = api.world.clock
    said = claims(clock, org=api.world.org)
    async with in_process(api.world.services, tokens(issuer, clock)) as http:

        async def me(token: str) -> httpx.Response:
            headers = {"Authorization": token}
            return await http.post("/graphql", json={"query": "{ me { organisation } }"}, headers=headers)

        issuer.status = 500
        away = await me(bearer(said))
        assert away.status_code == 503
        assert away.json()["errors"][0]["extensions"]["code"] == "unavailable"
        issuer.status = 200
        clock.advance(seconds=11)
        assert (await me(bearer(said))).json() == {"data": {"me": {"organisation": api.world.org}}}
        assert (await me(f"Bearer {api.client().token}")).status_code == 401
        assert (await me(confused(said))).status_code == 401


def test_no_token_is_made_here_while_they_come_from_an_issuer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFRONTAL_JWT_JWKS_URL", "https://login.example.org/keys")
    monkeypatch.setenv("PREFRONTAL_JWT_ISSUER", ISSUER)
    said = CliRunner().invoke(app, ["token", "--org", "me", "--agent", "bot", "--json"])
    assert said.exit_code != 0
    assert ISSUER in said.output
