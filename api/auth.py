"""Bearer tokens of this service: JWTs signed with a secret that is created once and stored beside the data.

    claim                         meaning
    org                           the key of an organisation
    agent, person, device         the keys of the actors; at least one is required
    roles                         names of roles in `registry/roles.yaml`
    iss, aud, iat, exp            as usual in a JWT

Identity comes from the token alone, never from an argument of a call. Tokens of an external issuer are
verified in `prefrontal.api.issuer`.
"""

from __future__ import annotations

import os
import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import jwt

from prefrontal.api.lru_cache import Bounded
from prefrontal.graph.access.rules import checked_key
from prefrontal.graph.caller import Principal
from prefrontal.graph.errors import InvalidInput, SettingsError, Unauthenticated

if TYPE_CHECKING:
    from jwt.types import Options

    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config.settings import Settings

CLAIMS = ("org", "agent", "person", "device", "roles")
"""The claims that identify the caller."""

# `check_time` compares the times, with the injected clock.
CHECKS: Options = {
    "require": ["exp", "iat", "iss", "aud"],
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
    "enforce_minimum_key_length": True,
}
"""The options of PyJWT: the required claims, and the checks that this module makes itself."""

MOST_VERIFIED = 1_024
MOST_VERIFIED_CHARACTERS = 1_000_000
"""The bounds of the cache of verified tokens: their number, and their total length in characters."""

_ALGORITHM = "HS256"
_CLOCKS_DIFFER_S = 60
_SECRET_BYTES = 32
_MOST_TOKEN_CHARACTERS = 8_000
_HOW = "send `Authorization: Bearer …`; make a token with: prefrontal token --org ORG --agent NAME"


def signing_secret(settings: Settings) -> str:
    """Return the secret that signs tokens: the setting, or the content of `data_dir/secret`.

    The file is created with a random secret if it is missing.

    Raises:
        SettingsError: If the secret is shorter than 32 bytes.
    """
    if settings.jwt_secret is not None:
        secret = settings.jwt_secret.get_secret_value()
        if len(secret.encode()) < _SECRET_BYTES:
            raise SettingsError(
                "PREFRONTAL_JWT_SECRET: at least 32 bytes; make one with: openssl rand -hex 32"
            )
        return secret
    path = settings.data_dir / "secret"
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = secrets.token_hex(_SECRET_BYTES)
    draft = path.with_name(f"secret.{os.getpid()}.{secrets.token_hex(4)}")
    if not path.exists():
        # Written completely under another name, then linked: of two concurrent processes exactly one wins.
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:  # noqa: PTH123
            file.write(fresh)
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    secret = path.read_text().strip()
    if len(secret.encode()) < _SECRET_BYTES:
        raise SettingsError(f"{path}: the secret is shorter than 32 bytes; delete the file to get a new one")
    return secret


class Tokens:
    """Issues and verifies tokens."""

    def __init__(self, secret: str, settings: Settings, clock: Clock) -> None:
        """Store the secret, the issuer and audience of the settings, and the clock."""
        self._secret = secret
        self._issuer = settings.jwt_issuer
        self._audience = settings.jwt_audience
        self._clock = clock
        self._verified: Bounded[str, tuple[dict[str, Any], Principal]] = Bounded(
            most=MOST_VERIFIED, most_weight=MOST_VERIFIED_CHARACTERS
        )

    def issue(self, principal: Principal, lifetime: timedelta) -> tuple[str, datetime]:
        """Return a signed token for a principal, and when it expires."""
        checked_key(principal.org, "org")
        for kind, key in principal.actors:
            checked_key(key, kind.value)
        now = self._clock.now()
        expires = now + lifetime
        claims: dict[str, Any] = principal.model_dump(mode="json", exclude_none=True)
        claims |= {"iss": self._issuer, "aud": self._audience, "iat": now, "exp": expires}
        return jwt.encode(claims, self._secret, algorithm=_ALGORITHM), expires

    async def principal(self, header: str | None) -> Principal:
        """Return the principal of an `Authorization` header; see `verify`."""
        return self.verify(header)

    def verify(self, header: str | None) -> Principal:
        """Return the principal of an `Authorization` header.

        Raises:
            Unauthenticated: If there is no token, or the token has expired, is wrongly signed, has another
                audience, uses another algorithm than HS256, or lacks a claim.
        """
        token = bearer_token(header, _HOW)
        # Secret, issuer and audience never change, so a verified token stays valid until it expires. Only
        # the times are checked again.
        known = self._verified.get(token)
        if known is not None:
            check_time(known[0], self._clock.now(), _HOW)
            return known[1]
        try:
            claims = jwt.decode(
                token,
                self._secret,
                algorithms=[_ALGORITHM],
                issuer=self._issuer,
                audience=self._audience,
                options=CHECKS,
            )
        except jwt.PyJWTError as error:
            raise Unauthenticated(f"the token is not valid ({error}); {_HOW}") from error
        check_time(claims, self._clock.now(), _HOW)
        principal = principal_of({name: claims[name] for name in CLAIMS if name in claims}, _HOW)
        self._verified.put(token, (times_of(claims), principal), len(token))
        return principal


def bearer_token(header: str | None, how: str) -> str:
    """Return the token of an `Authorization` header; `how` tells the client how to get one.

    Raises:
        Unauthenticated: If there is no bearer token, or it is longer than `_MOST_TOKEN_CHARACTERS`.
    """
    if not header:
        raise Unauthenticated(f"no token; {how}")
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > _MOST_TOKEN_CHARACTERS:
        raise Unauthenticated(f"not a bearer token; {how}")
    return token


def times_of(claims: dict[str, Any]) -> dict[str, Any]:
    """Return the claims that `check_time` reads: `exp` and `nbf`."""
    return {name: claims[name] for name in ("exp", "nbf") if name in claims}


def check_time(claims: dict[str, Any], now: datetime, how: str) -> None:
    """Check that the token is valid at the time `now`; `how` tells the client how to get another one.

    Raises:
        Unauthenticated: If the token has expired or is not valid yet.
    """
    # Negated comparisons: NaN, which Python's JSON parser accepts as a number, counts as expired.
    expires = claims["exp"]
    if not isinstance(expires, int | float) or not expires > now.timestamp():
        raise Unauthenticated(f"the token has expired; {how}")
    begins = claims.get("nbf", 0)
    if not isinstance(begins, int | float) or not begins <= now.timestamp() + _CLOCKS_DIFFER_S:
        raise Unauthenticated(f"the token is not valid yet; {how}")


def principal_of(claims: dict[str, Any], how: str) -> Principal:
    """Return the principal that the verified claims describe.

    Raises:
        Unauthenticated: If a claim is missing or has a wrong form.
    """
    try:
        principal = Principal.model_validate(claims)
        checked_key(principal.org, "org")
        for kind, key in principal.actors:
            checked_key(key, kind.value)
    except (ValueError, InvalidInput) as error:
        raise Unauthenticated(f"the token lacks a claim or has a wrong one; {how}") from error
    return principal
