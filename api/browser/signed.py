"""Signed addresses of the guides about one goal or turn, which show stored content.

Neo4j Browser sends no token when it loads a guide. The address carries a signed one of its own: who asked for
it in which organisation, about what, and until when. It opens that guide and nothing else.
"""

from __future__ import annotations

import functools
import hmac
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import jwt

from prefrontal.api.auth import CHECKS, CLAIMS, check_life, check_time, principal_of, signing_secret
from prefrontal.api.browser.guides import OF_A_GOAL, OF_A_TURN, Guide, Subject
from prefrontal.graph.errors import InvalidInput, NotFound, Unauthenticated
from prefrontal.graph.ids import Kind, kind_of

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.caller import Caller, Principal

LIFETIME = timedelta(minutes=10)
"""How long an address opens its guide: for as long as somebody needs to log in to Neo4j Browser."""

_ALGORITHM = "HS256"
_ISSUER = "prefrontal"
_AUDIENCE = "prefrontal/browser-kit"
_HOW = "press “Open in Neo4j Browser” in the workbench again"
_GONE = f"what this link is about is gone, or you may not read it any more; {_HOW}"
_NAMED = 3


class GuideLinks:
    """Signs and reads addresses; a stolen one reads one guide for ten minutes."""

    def __init__(self, services: Services) -> None:
        self._settings = services.settings
        self._clock = services.clock

    @functools.cached_property
    def _key(self) -> bytes:
        """A key derived from the secret that signs tokens, so that no address passes for a token."""
        secret = signing_secret(self._settings).encode()
        return hmac.digest(secret, b"prefrontal browser guides", "sha256")

    def signed(self, principal: Principal, uid: str) -> tuple[str, datetime]:
        """Return the path of the guide about a goal or turn, and until when it opens."""
        if kind_of(uid) not in (Kind.GOAL, Kind.TURN):
            raise InvalidInput("give the id of a goal or a turn", field="id")
        now = self._clock.now()
        expires = now + LIFETIME
        claims = principal.model_dump(mode="json", exclude_none=True)
        claims |= {"iss": _ISSUER, "aud": _AUDIENCE, "sub": uid, "iat": now, "exp": expires}
        return f"browser-kit/about.html?link={jwt.encode(claims, self._key, algorithm=_ALGORITHM)}", expires

    def read(self, link: str) -> tuple[Principal, str]:
        """Return who asked for an address, and the id of what it is about.

        Raises:
            Unauthenticated: If it is not one of ours, was altered, or has expired.
        """
        try:
            claims = jwt.decode(
                link,
                self._key,
                algorithms=[_ALGORITHM],
                issuer=_ISSUER,
                audience=_AUDIENCE,
                options={**CHECKS, "require": [*CHECKS["require"], "sub"]},
            )
        except jwt.PyJWTError as error:
            raise Unauthenticated(f"this link is not valid; {_HOW}") from error
        try:
            check_time(claims, self._clock.now(), _HOW)
            check_life(claims, LIFETIME.total_seconds(), _HOW)
        except Unauthenticated as error:
            raise Unauthenticated(f"the link has expired; {_HOW}") from error
        return principal_of({name: claims[name] for name in CLAIMS if name in claims}, _HOW), claims["sub"]


class SignedGuides:
    """Reads the guide about one goal or turn with the rights that its reader has now."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._links = GuideLinks(services)

    async def open(self, link: str) -> tuple[Guide, str, Subject]:
        """Return the guide of a signed address, the key of its organisation and its subject.

        Raises:
            Unauthenticated: If the address is forged, altered or expired.
            NotFound: If the subject is gone, or its reader has lost the right to read it.
        """
        principal, uid = self._links.read(link)
        caller = await self._services.access.caller(principal)
        if kind_of(uid) is Kind.TURN:
            return OF_A_TURN, principal.org, await self._turn(caller, uid)
        return OF_A_GOAL, principal.org, await self._goal(caller, uid)

    async def _goal(self, caller: Caller, uid: str) -> Subject:
        goals = self._services.goals.service
        goal = (await goals.get(caller, [uid])).get(uid)
        if goal is None:
            raise NotFound(_GONE)
        lineage = await goals.lineage(caller, uid)
        above = [node.name for node in lineage.nodes if node.role == "ancestor"]
        evidence = sum(edge.type == "EVIDENCES" and edge.target == uid for edge in lineage.edges)
        part_of = f"Part of: {', '.join(above[:_NAMED])}" if above else "Part of no other goal."
        status = goal.status.replace("_", " ")
        said = f"{goal.priority} priority, {status}, {goal.progress:.0%} done."
        return Subject(uid, goal.title, (part_of, f"Evidence: {evidence}. {said.capitalize()}"))

    async def _turn(self, caller: Caller, uid: str) -> Subject:
        found = (await self._services.turns.trace.get_by_ids(caller, [uid])).get(uid)
        if found is None:
            raise NotFound(_GONE)
        began = f"{found.created_at:%Y-%m-%d %H:%M} UTC"
        return Subject(uid, f"The turn {found.key}", (f"It began at {began} and is {found.status}.",))
