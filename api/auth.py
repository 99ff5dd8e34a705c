"""Bearer tokens of this service: JWTs signed with a secret that is created once and stored beside the data.

    claim                         meaning
    org                           the key of an organisation
    agent, person, device         the keys of the actors; at least one is required
    roles                         names of roles in `registry/roles.yaml`
    iss, aud, iat, exp, jti       as usual in a JWT; `jti` is the id by which a token can be denied

The header's `kid` says which secret signed the token. Two are accepted: the present one, and the one before
it while the tokens that it signed live (`PREFRONTAL_JWT_SECRET_BEFORE`).

Identity comes from the token alone, never from an argument of a call. Tokens of an external issuer are
verified in `prefrontal.api.issuer`.
"""

from __future__ import annotations

import hashlib
import math
import os
import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import jwt

from prefrontal.api.lru_cache import LruCache
from prefrontal.graph.access.rules import checked_key
from prefrontal.graph.caller import Principal
from prefrontal.graph.errors import InvalidInput, SettingsError, Unauthenticated
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from pathlib import Path

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


def key_id(secret: str) -> str:
    """Return the name of a secret in the header of the tokens that it signs; it reveals no secret."""
    return hashlib.sha256(b"prefrontal key id " + secret.encode()).hexdigest()[:16]


def _secrets(secret: str, settings: Settings) -> dict[str, str]:
    """Return the secrets that are accepted, by key id, the present one first.

    Raises:
        SettingsError: If the earlier secret is shorter than 32 bytes.
    """
    before = settings.jwt_secret_before.get_secret_value() if settings.jwt_secret_before else None
    if before is not None and len(before.encode()) < _SECRET_BYTES:
        raise SettingsError("PREFRONTAL_JWT_SECRET_BEFORE: at least 32 bytes")
    return {key_id(each): each for each in (secret, before) if each is not None}


class DenyList:
    """The tokens that are refused before they expire, in a file that is read again when it changes."""

    def __init__(self, path: Path | None) -> None:
        """Store the path; without one, or without the file, no token is denied."""
        self._path = path
        self._read: tuple[int, int] | None = None
        self._denied: frozenset[str] = frozenset()

    def check(self, claims: dict[str, Any], token: str, how: str) -> None:
        """Check that a token is not denied, by its `jti` or by the SHA-256 of the token.

        Raises:
            Unauthenticated: If the token is denied.
        """
        if self._path is None:
            return
        denied = self._now(self._path)
        if denied and (claims.get("jti") in denied or hashlib.sha256(token.encode()).hexdigest() in denied):
            raise Unauthenticated(f"the token was revoked; {how}")

    def _now(self, path: Path) -> frozenset[str]:
        try:
            found = path.stat()
        except OSError:
            return frozenset()
        read = (found.st_mtime_ns, found.st_size)
        if read != self._read:
            lines = (line.partition("#")[0].strip() for line in path.read_text("utf-8").splitlines())
            self._denied, self._read = frozenset(filter(None, lines)), read
        return self._denied


class Tokens:
    """Issues and verifies tokens."""

    def __init__(self, secret: str, settings: Settings, clock: Clock) -> None:
        self._secret = secret
        self._secrets = _secrets(secret, settings)
        self._denied = DenyList(settings.jwt_deny_file)
        self._longest_s = settings.jwt_longest_hours * 3600
        self._issuer = settings.jwt_issuer
        self._audience = settings.jwt_audience
        self._clock = clock
        self._verified: LruCache[str, tuple[dict[str, Any], Principal]] = LruCache(
            most=MOST_VERIFIED, most_weight=MOST_VERIFIED_CHARACTERS
        )

    def issue(self, principal: Principal, lifetime: timedelta) -> tuple[str, datetime]:
        """Return a signed token for a principal, and when it expires.

        Raises:
            InvalidInput: If a key is not well-formed, or the token would live longer than the settings allow.
        """
        if lifetime.total_seconds() > self._longest_s:
            raise InvalidInput(
                f"a token lives at most {counted(self._longest_s / 3600, 'hour')}", field="hours"
            )
        checked_key(principal.org, "org")
        for kind, key in principal.actors:
            checked_key(key, kind.value)
        now = self._clock.now()
        expires = now + lifetime
        claims: dict[str, Any] = principal.model_dump(mode="json", exclude_none=True)
        claims |= {"iss": self._issuer, "aud": self._audience, "iat": now, "exp": expires}
        claims["jti"] = secrets.token_hex(8)
        headers = {"kid": key_id(self._secret)}
        return jwt.encode(claims, self._secret, algorithm=_ALGORITHM, headers=headers), expires

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
            self._denied.check(known[0], token, _HOW)
            return known[1]
        try:
            claims = self._decoded(token)
        except jwt.PyJWTError as error:
            raise Unauthenticated(f"the token is not valid ({error}); {_HOW}") from error
        check_time(claims, self._clock.now(), _HOW)
        check_life(claims, self._longest_s, _HOW)
        self._denied.check(claims, token, _HOW)
        principal = principal_of({name: claims[name] for name in CLAIMS if name in claims}, _HOW)
        self._verified.put(token, (times_of(claims), principal), len(token))
        return principal

    def _decoded(self, token: str) -> dict[str, Any]:
        """Return the claims of a token that one of the accepted secrets has signed."""
        kid = jwt.get_unverified_header(token).get("kid")
        # A token from before there were key ids may have been signed with each of the secrets.
        candidates = list(self._secrets.values()) if kid is None else [self._secrets.get(kid)]
        for number, secret in enumerate(candidates, 1):
            if secret is None:
                raise jwt.InvalidKeyError("its key is not accepted any more")
            try:
                claims: dict[str, Any] = jwt.decode(
                    token,
                    secret,
                    algorithms=[_ALGORITHM],
                    issuer=self._issuer,
                    audience=self._audience,
                    options=CHECKS,
                )
            except jwt.InvalidSignatureError:
                if number == len(candidates):
                    raise
            else:
                return claims
        raise jwt.InvalidKeyError("no key is accepted")


def token_id(token: str) -> str:
    """Return the `jti` of a token that was issued here, for `PREFRONTAL_JWT_DENY_FILE`."""
    claims = jwt.decode(token, options={"verify_signature": False})
    return str(claims["jti"])


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
    """Return the claims that are checked at each use: `exp`, `nbf` and `jti`."""
    return {name: claims[name] for name in ("exp", "nbf", "jti") if name in claims}


def check_life(claims: dict[str, Any], longest_s: float, how: str) -> None:
    """Check that a token that is valid now lives no longer than `longest_s`, from `iat` to `exp`.

    Raises:
        Unauthenticated: If it lives longer, or its `iat` is no time.
    """
    begins = claims["iat"]
    if not _is_time(begins) or not claims["exp"] - begins <= longest_s:
        raise Unauthenticated(f"the token lives longer than {counted(longest_s / 3600, 'hour')}; {how}")


def _is_time(value: object) -> bool:
    # NaN and Infinity, which Python's JSON parser accepts as numbers, are no times.
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def check_time(claims: dict[str, Any], now: datetime, how: str) -> None:
    """Check that the token is valid at the time `now`; `how` tells the client how to get another one.

    Raises:
        Unauthenticated: If the token has expired or is not valid yet.
    """
    expires = claims["exp"]
    if not _is_time(expires) or not expires > now.timestamp():
        raise Unauthenticated(f"the token has expired; {how}")
    begins = claims.get("nbf", 0)
    if not _is_time(begins) or not begins <= now.timestamp() + _CLOCKS_DIFFER_S:
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
