"""Tokens of an external issuer: signatures are verified with the keys that the issuer publishes (JWKS).

    state of the key                        what happens
    known, fetched in the last 5 minutes    used without fetching
    unknown, or fetched earlier             the keys are fetched again, at most every 10 seconds; a token
                                            whose key is then still unknown is refused
    the issuer does not answer              keys fetched within a day are still used; without one: 503

Only asymmetric signatures are accepted, so a public key is never mistaken for a shared secret.
"""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import jwt
import structlog
from jwt import PyJWK, PyJWKClient, PyJWKSet

from prefrontal.api.auth import (
    CHECKS,
    CLAIMS,
    MOST_VERIFIED,
    MOST_VERIFIED_CHARACTERS,
    DenyList,
    Tokens,
    bearer_token,
    check_life,
    check_time,
    principal_of,
    signing_secret,
    times_of,
)
from prefrontal.api.logs import hide
from prefrontal.api.lru_cache import LruCache
from prefrontal.graph.errors import SettingsError, Unauthenticated, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from prefrontal.graph.caller import Principal
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config.settings import Settings

log = structlog.get_logger(__name__)

_FRESH = timedelta(minutes=5)
_STALE = timedelta(days=1)
_PAUSE = timedelta(seconds=10)
_TIMEOUT_S = 5.0
_KEY_PAIRS = ("RSA", "EC", "OKP")


def tokens_of(settings: Settings, clock: Clock) -> Tokens | IssuerTokens:
    """Return the verifier of tokens: with an external issuer's keys if the settings name some, else our own.

    Raises:
        SettingsError: If the issuer's keys are set twice, or the issuer or the audience is not set.
    """
    if not settings.issues_elsewhere:
        secret = signing_secret(settings)
        hide(secret)
        return Tokens(secret, settings, clock)
    if settings.jwt_jwks_url is not None and settings.jwt_jwks_file is not None:
        raise SettingsError("PREFRONTAL_JWT_JWKS_URL and PREFRONTAL_JWT_JWKS_FILE: set only one of them")
    for name in ("jwt_issuer", "jwt_audience"):
        if name not in settings.model_fields_set:
            raise SettingsError(f"PREFRONTAL_{name.upper()}: needed where an issuer's keys are set")
    return IssuerTokens(settings, clock)


class IssuerTokens:
    """Verifies the tokens of an external issuer."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._denied = DenyList(settings.jwt_deny_file)
        self._keys = _Keys(_fetcher(settings), clock)
        self._algorithms = settings.jwt_algorithms.split(",")
        self._names = {name: name for name in CLAIMS}
        self._names |= dict(pair.split("=", 1) for pair in settings.jwt_claims.split(",") if pair)
        # Cached with the key that verified the token: a revoked or changed key is another object.
        self._verified: LruCache[str, tuple[str, PyJWK, dict[str, Any], Principal]] = LruCache(
            most=MOST_VERIFIED, most_weight=MOST_VERIFIED_CHARACTERS
        )
        self._how = f"send `Authorization: Bearer …` with a token of {settings.jwt_issuer}"

    async def principal(self, header: str | None) -> Principal:
        """Return the principal of an `Authorization` header.

        Raises:
            Unauthenticated: If there is no token, or the token is not from this issuer, not for this
                audience, or not valid now.
            Unavailable: If the issuer's keys are needed and cannot be fetched.
        """
        token = bearer_token(header, self._how)
        known = self._verified.get(token)
        if known is not None and await self._keys.get(known[0]) is known[1]:
            check_time(known[2], self._clock.now(), self._how)
            self._denied.check(known[2], token, self._how)
            return known[3]
        try:
            head = jwt.get_unverified_header(token)
            # Checked before any key is fetched: the list holds only asymmetric algorithms.
            if head.get("alg") not in self._algorithms:
                raise jwt.InvalidAlgorithmError("its algorithm is not accepted")
            key = await self._keys.get(head.get("kid"))
            if key is None:
                raise jwt.InvalidKeyError("its issuer has no such key")
            claims = jwt.decode(
                token,
                key,
                algorithms=self._algorithms,
                issuer=self._settings.jwt_issuer,
                audience=self._settings.jwt_audience,
                options=CHECKS,
            )
        except jwt.PyJWTError as error:
            raise Unauthenticated(f"the token is not valid ({error}); {self._how}") from error
        check_time(claims, self._clock.now(), self._how)
        check_life(claims, self._settings.jwt_longest_hours * 3600, self._how)
        self._denied.check(claims, token, self._how)
        principal = principal_of(self._ours(claims), self._how)
        self._verified.put(token, (str(key.key_id), key, times_of(claims), principal), len(token))
        return principal

    def _ours(self, claims: dict[str, Any]) -> dict[str, Any]:
        """Return the claims under this service's names, with the role prefix removed."""
        found = {ours: _claim(claims, theirs) for ours, theirs in self._names.items()}
        roles = found["roles"]
        if isinstance(roles, str):
            roles = roles.split()  # space-separated, like OAuth's `scope`
        prefix = self._settings.jwt_role_prefix
        if isinstance(roles, list) and prefix:
            roles = [r.removeprefix(prefix) for r in roles if isinstance(r, str) and r.startswith(prefix)]
        found["roles"] = roles
        return {name: value for name, value in found.items() if value is not None}


def _claim(claims: dict[str, Any], name: str) -> Any:
    """Return the value of a claim, or None.

    `name` is a literal in single quotes ('x' gives x), the exact name of a claim, or a path into nested
    claims (a.b), tried in this order.
    """
    if len(name) > 1 and name[0] == name[-1] == "'":
        return name[1:-1]
    if name in claims:
        return claims[name]
    value: Any = claims
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


class _Keys:
    """A cache of the issuer's public keys, by key id."""

    def __init__(self, fetch: Callable[[], Any], clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._known: dict[str, PyJWK] = {}
        self._fetched: datetime | None = None
        self._tried: datetime | None = None
        self._lock = asyncio.Lock()

    async def get(self, kid: object) -> PyJWK | None:
        """Return the key, or None if the issuer has no key with this id.

        Raises:
            Unavailable: If the keys cannot be fetched and the cached ones are too old.
        """
        if not isinstance(kid, str):
            return None
        if kid in self._known and self._younger(self._fetched, _FRESH):
            return self._known[kid]
        async with self._lock:  # one request fetches; the waiting ones then find its result
            fresh = kid in self._known and self._younger(self._fetched, _FRESH)
            if not fresh and not self._younger(self._tried, _PAUSE):
                await self._refresh()
        if kid in self._known and self._younger(self._fetched, _STALE):
            return self._known[kid]
        if self._fetched is not None and self._fetched == self._tried:
            return None
        raise Unavailable("the token issuer's keys cannot be fetched now; try again in a moment")

    async def _refresh(self) -> None:
        self._tried = now = self._clock.now()
        try:
            # In a thread, because the library blocks while it waits for the network.
            document = await asyncio.to_thread(self._fetch)
            keys = PyJWKSet.from_dict(document).keys
        except (OSError, ValueError, AttributeError, TypeError, jwt.PyJWTError) as error:
            log.warning("issuer_away", error=str(error))
            return
        self._known = {
            key.key_id: key
            for key in keys
            if key.key_id and key.key_type in _KEY_PAIRS and key.public_key_use in ("sig", None)
        }
        self._fetched = now

    def _younger(self, moment: datetime | None, age: timedelta) -> bool:
        return moment is not None and self._clock.now() - moment < age


def _fetcher(settings: Settings) -> Callable[[], Any]:
    """Return a function that fetches the JWKS document; it blocks and may raise network errors."""
    if (file := settings.jwt_jwks_file) is not None:
        return lambda: json.loads(file.read_bytes())
    client = PyJWKClient(str(settings.jwt_jwks_url), cache_jwk_set=False, timeout=_TIMEOUT_S)
    return client.fetch_data
