"""Tokens: what is accepted, what is refused and how, and the secret they are signed with."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from pydantic import SecretStr

from prefrontal.api.auth import Tokens, signing_secret, token_id
from prefrontal.graph.caller import Principal
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.errors import InvalidInput, SettingsError, Unauthenticated
from tests.support.clock import FixedClock

SECRET = "a secret of a test, of at least 32 bytes"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLAIMS: dict[str, Any] = {
    "org": "acme",
    "agent": "bot",
    "roles": ["writer"],
    "iss": "prefrontal",
    "aud": "prefrontal",
    "iat": NOW,
    "exp": NOW + timedelta(hours=1),
}
HIDDEN = "canary-5f1c"


def tokens(now: datetime = NOW) -> Tokens:
    return Tokens(SECRET, Settings(), FixedClock(now))


def bearer(claims: dict[str, Any], *, secret: str = SECRET, algorithm: str = "HS256") -> str:
    return f"Bearer {jwt.encode(claims, secret, algorithm=algorithm)}"


def unsigned(header: dict[str, Any], claims: dict[str, Any]) -> str:
    def part(value: dict[str, Any]) -> str:
        text = json.dumps(value, default=lambda at: int(at.timestamp()))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    return f"Bearer {part(header)}.{part(claims)}."


def claims_without(name: str) -> dict[str, Any]:
    return {key: value for key, value in CLAIMS.items() if key != name}


REFUSED = {
    "no header": None,
    "empty header": "",
    "another scheme": "Basic Ym90OnB3",
    "scheme alone": "Bearer",
    "scheme and blanks": "Bearer   ",
    "no token at all": "Bearer three.words.only",
    "not even dots": "Bearer canary-5f1c",
    "over-long": "Bearer " + "a" * 8_001,
    "not ascii": "Bearer \u00e9\u00e9.\u00e9.\u00e9",
    "wrongly signed": bearer(CLAIMS, secret="another secret of a test, of 32 bytes"),
    "signature cut off": bearer(CLAIMS).rpartition(".")[0] + ".",
    "algorithm none": unsigned({"alg": "none", "typ": "JWT"}, CLAIMS),
    "algorithm none in capitals": unsigned({"alg": "NONE", "typ": "JWT"}, CLAIMS),
    "another key length": bearer(CLAIMS, algorithm="HS512", secret=SECRET * 2),
    # The header says RS256, the signature is an HMAC: the classical confusion of key kinds.
    "RS256 in name, HMAC in fact": "Bearer "
    + base64.urlsafe_b64encode(b'{"alg":"RS256","typ":"JWT"}').decode().rstrip("=")
    + bearer(CLAIMS).removeprefix("Bearer ")[bearer(CLAIMS).removeprefix("Bearer ").index(".") :],
    "another issuer": bearer({**CLAIMS, "iss": HIDDEN}),
    "another audience": bearer({**CLAIMS, "aud": HIDDEN}),
    "issuer is a list": bearer({**CLAIMS, "aud": ["other"]}),
    "no issuer": bearer(claims_without("iss")),
    "no audience": bearer(claims_without("aud")),
    "no expiry": bearer(claims_without("exp")),
    "no time of issue": bearer(claims_without("iat")),
    "expires now": bearer({**CLAIMS, "exp": NOW}),
    "expired": bearer({**CLAIMS, "exp": NOW - timedelta(days=1)}),
    "expiry is null": bearer({**CLAIMS, "exp": None}),
    "expiry is true": bearer({**CLAIMS, "exp": True}),
    "expiry is not a number": bearer({**CLAIMS, "exp": math.nan}),
    "no organisation": bearer(claims_without("org")),
    "organisation is a number": bearer({**CLAIMS, "org": 5}),
    "organisation is no key": bearer({**CLAIMS, "org": "two words " + HIDDEN}),
    "agent is a list": bearer({**CLAIMS, "agent": [HIDDEN]}),
    "agent is empty": bearer({**CLAIMS, "agent": ""}),
    "person is a map": bearer({**CLAIMS, "person": {"a": HIDDEN}}),
    "roles is a text": bearer({**CLAIMS, "roles": HIDDEN}),
    "roles holds a number": bearer({**CLAIMS, "roles": ["writer", 5]}),
    "claims are a list": unsigned({"alg": "HS256"}, [1]),  # type: ignore[arg-type]
}


def test_a_token_says_who_asks() -> None:
    assert tokens().verify(bearer(CLAIMS)) == Principal(org="acme", agent="bot", roles=("writer",))


def test_an_issued_token_is_accepted_until_it_expires_and_not_a_second_longer() -> None:
    principal = Principal(org="acme", person="ada@example.org", device="d-1", roles=("reader",))
    token, expires = tokens().issue(principal, timedelta(minutes=5))
    assert expires == NOW + timedelta(minutes=5)
    assert tokens(expires - timedelta(seconds=1)).verify(f"bearer {token}") == principal
    with pytest.raises(Unauthenticated, match="expired"):
        tokens(expires).verify(f"Bearer {token}")


@pytest.mark.parametrize("header", REFUSED.values(), ids=REFUSED)
def test_everything_else_is_refused_without_a_word_of_what_it_held(header: str | None) -> None:
    with pytest.raises(Unauthenticated) as caught:
        tokens().verify(header)
    said = caught.value.message
    assert HIDDEN not in said
    assert header is None or len(header) < 20 or header.partition(" ")[2] not in said
    assert "prefrontal token" in said, "the answer says how to get a token"


def test_no_token_is_issued_for_a_key_that_would_be_refused() -> None:
    with pytest.raises(InvalidInput, match="letters"):
        tokens().issue(Principal(org="two words", agent="bot"), timedelta(hours=1))


def test_a_short_secret_is_refused_by_the_name_of_its_setting(tmp_path: Path) -> None:
    short = Settings(data_dir=tmp_path, jwt_secret=SecretStr("s" * 31))
    with pytest.raises(SettingsError, match="PREFRONTAL_JWT_SECRET") as caught:
        signing_secret(short)
    assert "sssss" not in caught.value.message
    assert list(tmp_path.iterdir()) == []
    assert signing_secret(Settings(data_dir=tmp_path, jwt_secret=SecretStr("s" * 32))) == "s" * 32


def test_the_secret_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "new")
    first = signing_secret(settings)
    assert len(bytes.fromhex(first)) == 32
    assert signing_secret(settings) == first
    (file,) = (tmp_path / "new").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_an_emptied_secret_file_is_refused_and_not_used(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("\n")
    with pytest.raises(SettingsError, match="secret"):
        signing_secret(Settings(data_dir=tmp_path))


def test_processes_that_start_together_agree_on_the_secret(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from prefrontal.api.auth import signing_secret;"
        "from prefrontal.graph.config.settings import Settings;"
        "sys.stdin.read(); print(signing_secret(Settings(data_dir=pathlib.Path(sys.argv[1]))))"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in running:  # all are imported and waiting by the time the last one is let go
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    said = {process.communicate(timeout=60)[0] for process in running}
    assert len(said) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["secret"]


def test_a_token_for_later_is_refused_by_the_clock_that_was_given() -> None:
    assert tokens().verify(bearer({**CLAIMS, "nbf": NOW + timedelta(seconds=60)})).org == "acme"
    for later in (NOW + timedelta(seconds=61), math.nan, "soon"):
        with pytest.raises(Unauthenticated):
            tokens().verify(bearer({**CLAIMS, "nbf": later}))


OLD, NEW = "the old secret of a test, of 32 bytes or more", "the new secret of a test, of 32 bytes or more"
PRINCIPAL = Principal(org="acme", agent="bot", roles=("writer",))


def verifier(secret: str, before: str | None = None, **more: Any) -> Tokens:
    settings = Settings(jwt_secret_before=SecretStr(before) if before else None, **more)
    return Tokens(secret, settings, FixedClock(NOW))


def header(token: str) -> str:
    return f"Bearer {token}"


def test_two_keys_live_while_a_secret_is_changed() -> None:
    old, _ = verifier(OLD).issue(PRINCIPAL, timedelta(hours=1))
    new, _ = verifier(NEW, OLD).issue(PRINCIPAL, timedelta(hours=1))
    unnamed = jwt.encode(CLAIMS, OLD, algorithm="HS256")
    kid = jwt.get_unverified_header(old)["kid"]
    assert kid != jwt.get_unverified_header(new)["kid"]
    assert OLD not in kid

    for token in (old, new, unnamed):
        assert verifier(NEW, OLD).verify(header(token)) == PRINCIPAL
    assert verifier(NEW).verify(header(new)) == PRINCIPAL
    for token in (old, unnamed):
        with pytest.raises(Unauthenticated):
            verifier(NEW).verify(header(token))
    # A key id says which secret is tried: a forged one helps nobody.
    forged = jwt.encode(
        CLAIMS, "another secret, of thirty-two bytes", algorithm="HS256", headers={"kid": kid}
    )
    with pytest.raises(Unauthenticated):
        verifier(NEW, OLD).verify(header(forged))
    with pytest.raises(SettingsError, match="PREFRONTAL_JWT_SECRET_BEFORE"):
        verifier(NEW, "short")


def test_a_denied_token_is_refused_also_when_it_was_accepted_before(tmp_path: Path) -> None:
    denied = tmp_path / "denied"
    tokens = verifier(SECRET, jwt_deny_file=denied)
    one, other = (tokens.issue(PRINCIPAL, timedelta(hours=1))[0] for _ in range(2))
    unnamed = jwt.encode(CLAIMS, SECRET, algorithm="HS256")
    for token in (one, other, unnamed):
        assert tokens.verify(header(token)) == PRINCIPAL

    digest = hashlib.sha256(unnamed.encode()).hexdigest()
    denied.write_text(f"# lost on a train\n{token_id(one)}  # ann\n{digest}\n")

    for verifying in (tokens, verifier(SECRET, jwt_deny_file=denied)):
        for token in (one, unnamed):
            with pytest.raises(Unauthenticated, match="revoked"):
                verifying.verify(header(token))
        assert verifying.verify(header(other)) == PRINCIPAL


def test_a_token_has_a_longest_life() -> None:
    tokens = verifier(SECRET, jwt_longest_hours=24)
    with pytest.raises(InvalidInput, match="at most 24 hours"):
        tokens.issue(PRINCIPAL, timedelta(hours=25))
    for hours, iat in ((25, NOW), (2, NOW - timedelta(hours=23))):
        claims = CLAIMS | {"iat": iat, "exp": NOW + timedelta(hours=hours)}
        with pytest.raises(Unauthenticated, match="longer than 24 hours"):
            tokens.verify(bearer(claims))
    assert tokens.verify(bearer(CLAIMS | {"exp": NOW + timedelta(hours=24)})) == PRINCIPAL


@pytest.mark.parametrize("claim", ["exp", "iat", "nbf"])
@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, True])
def test_what_is_no_time_is_refused(claim: str, value: float) -> None:
    with pytest.raises(Unauthenticated):
        tokens().verify(bearer(CLAIMS | {claim: value}))
