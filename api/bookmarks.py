"""Bookmarks as clients carry them: a text that an answer gives and a later request gives back.

What the database calls a bookmark tells how many transactions it has seen, of all organisations. Clients get
it encrypted and bound to their organisation, so that it tells them nothing, and nobody can make one up: a
bookmark of the future would keep a connection waiting.

where           in a request                              in an answer
header          `Prefrontal-Bookmark`, also several       always, if there is one
extension       `extensions.bookmark`, one or a list      if the request has it, also null
"""

from __future__ import annotations

import base64
import binascii
import functools
import hmac
import os
from typing import TYPE_CHECKING, Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from prefrontal.api.auth import signing_secret
from prefrontal.graph.errors import InvalidInput, TooLarge
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prefrontal.graph.config.settings import Settings

HEADER: Final = "Prefrontal-Bookmark"
EXTENSION: Final = "bookmark"
MOST: Final = 8
"""How many bookmarks a request may give."""
MOST_CHARACTERS: Final = 2_000
"""How long each may be; ours have about a hundred."""
_MOST_INSIDE = 16
_NONCE = 12
_HOW = "send what an answer gave you, or leave it out"


class Bookmarks:
    """Makes and reads the bookmarks of clients."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @functools.cached_property
    def _ciphers(self) -> list[AESGCM]:
        """What encrypts, and what also decrypts while the secret of before is accepted."""
        before = self._settings.jwt_secret_before
        secrets = [signing_secret(self._settings), *([before.get_secret_value()] if before else [])]
        return [AESGCM(hmac.digest(secret.encode(), b"prefrontal bookmarks", "sha256")) for secret in secrets]

    def text_of(self, bookmarks: Iterable[str], org: str) -> str:
        """Return the bookmarks of the database as one text for a client of an organisation."""
        nonce = os.urandom(_NONCE)
        sealed = self._ciphers[0].encrypt(nonce, "\n".join(sorted(bookmarks)).encode(), org.encode())
        return base64.urlsafe_b64encode(nonce + sealed).decode().rstrip("=")

    def of_header(self, value: str | None, org: str) -> frozenset[str]:
        """Return the bookmarks of the database that a header of a client holds.

        Raises:
            InvalidInput: If one is not of ours, or there are too many.
        """
        return self._read([part.strip() for part in value.split(",")] if value else [], org)

    def of_extension(self, value: Any, org: str) -> frozenset[str]:
        """Return the bookmarks of the database that the extension of a request holds.

        Raises:
            InvalidInput: If it is neither a text nor a list of texts, one is not of ours, or there are too
                many.
        """
        given = value if isinstance(value, list) else [] if value is None else [value]
        if not all(isinstance(each, str) for each in given):
            raise InvalidInput(f"a bookmark is a text, or a list of texts: {_HOW}", field=EXTENSION)
        return self._read(given, org)

    def _read(self, given: list[str], org: str) -> frozenset[str]:
        if len(given) > MOST:
            raise TooLarge(
                f"a request gives at most {counted(MOST, 'bookmark')}: send the latest", field=EXTENSION
            )
        found = frozenset(raw for text in given for raw in self._opened(text, org))
        if len(found) > _MOST_INSIDE:
            raise TooLarge("these bookmarks hold too many others: send the latest", field=EXTENSION)
        return found

    def _opened(self, text: str, org: str) -> list[str]:
        try:
            if not text.isascii() or len(text) > MOST_CHARACTERS:
                raise ValueError  # noqa: TRY301 - all say the same
            sealed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            inside = self._decrypted(sealed[:_NONCE], sealed[_NONCE:], org)
        except (ValueError, binascii.Error) as error:
            raise InvalidInput(
                f"this bookmark is not one of this service: {_HOW}", field=EXTENSION
            ) from error
        return inside.decode().split("\n")

    def _decrypted(self, nonce: bytes, sealed: bytes, org: str) -> bytes:
        for cipher in self._ciphers:
            try:
                return cipher.decrypt(nonce, sealed, org.encode())
            except InvalidTag:
                continue
        raise ValueError
