"""The encoder behind an HTTP endpoint that speaks the API of OpenAI for embeddings.

    POST {address}/embeddings    {"model": "…", "input": ["…"]}
    answer                       {"data": [{"index": 0, "embedding": […]}]}

That is OpenAI itself, and what Ollama, vLLM, LM Studio, Text Embeddings Inference and LiteLLM serve. What the
service remembers is sent there. A question and a stored text are sent alike.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from prefrontal.graph.errors import EncoderUnavailable, SettingsError
from prefrontal.graph.text.encoder import Vector
from prefrontal.graph.text.learned_scripts import knows
from prefrontal.graph.text.multilingual_encoder import LEARNED

if TYPE_CHECKING:
    import httpx

    from prefrontal.graph.downloads.artifacts import Progress

SCHEMES = ("http://", "https://")
MOST_TEXTS = 64
"""Texts of one request."""
MOST_CHARACTERS = 8_000
"""What is longer is cut off: endpoints refuse what their models cannot read."""
_SECONDS = 30.0
_PROBE = "Where is the key?"


class EndpointEncoder:
    """An encoder that asks an endpoint for the vectors."""

    def __init__(self, address: str, key: str | None = None) -> None:
        """Prepare to ask an endpoint; nothing is sent yet.

        Args:
            address: `https://host/v1#model`.
            key: Sent as a bearer token.

        Raises:
            SettingsError: If the address names no model.
        """
        base, _, model = address.partition("#")
        parts = urlsplit(base)
        if not model or not parts.hostname or parts.username is not None:
            raise SettingsError(
                "PREFRONTAL_ENCODER: an address has a model behind a # and no user, e.g. "
                "https://api.openai.com/v1#text-embedding-3-small; the key is PREFRONTAL_ENCODER_KEY "
                "(docs/encoder.md)"
            )
        self.name = f"{parts.netloc}/{model}"
        self._model = model
        self._url = f"{base.rstrip('/')}/embeddings"
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._clients: dict[asyncio.AbstractEventLoop, httpx.AsyncClient] = {}
        self._dimensions = 0

    @property
    def dimensions(self) -> int:
        """The length of the vectors; 0 before the first one was made."""
        return self._dimensions

    async def load(self, progress: Progress | None = None) -> None:  # noqa: ARG002 - nothing is fetched
        """Ask for a vector.

        Raises:
            EncoderUnavailable: If the endpoint gives none.
        """
        await self.questions([_PROBE])

    async def passages(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vector of each text that is stored; None of one that has no known letters.

        Raises:
            EncoderUnavailable: If the endpoint does not answer, or something else than vectors.
        """
        known = [text for text in dict.fromkeys(texts) if knows(text, LEARNED)]
        vectors: dict[str, Vector] = {}
        for some in (known[start : start + MOST_TEXTS] for start in range(0, len(known), MOST_TEXTS)):
            vectors |= zip(some, await self._asked(some), strict=True)
        return [vectors.get(text) for text in texts]

    async def questions(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vector of each text that is asked, as `passages`."""
        return await self.passages(texts)

    async def _asked(self, texts: Sequence[str]) -> list[Vector]:
        # Only who has chosen this encoder needs it.
        import httpx  # noqa: PLC0415

        body = {"model": self._model, "input": [text[:MOST_CHARACTERS] for text in texts]}
        try:
            answer = await self._client(httpx).post(self._url, json=body, headers=self._headers)
        except httpx.HTTPError as error:
            raise EncoderUnavailable(
                f"the endpoint of PREFRONTAL_ENCODER does not answer ({type(error).__name__}): {self._url}"
            ) from error
        # What it answers is not repeated: it may have the texts.
        if answer.status_code != httpx.codes.OK:
            raise EncoderUnavailable(
                f"the endpoint of PREFRONTAL_ENCODER answers {answer.status_code}: {self._url}; look at "
                "PREFRONTAL_ENCODER_KEY and the model"
            )
        try:
            found = _vectors(answer.json(), len(texts))
        except (LookupError, TypeError, ValueError) as error:
            raise EncoderUnavailable(
                f"the endpoint of PREFRONTAL_ENCODER gives no vectors: {self._url}"
            ) from error
        self._dimensions = len(found[0])
        return found

    def _client(self, httpx: Any) -> httpx.AsyncClient:
        """Return the connections of the event loop: those of another one cannot be used."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients = {each: its for each, its in self._clients.items() if not each.is_closed()}
            self._clients[loop] = httpx.AsyncClient(timeout=_SECONDS)
        return self._clients[loop]


def _vectors(answer: Any, number: int) -> list[Vector]:
    """Return the vectors of an answer, in the order of the texts, with unit length.

    Raises:
        LookupError, TypeError, ValueError: It is another answer.
    """
    by_place = {int(each["index"]): [float(part) for part in each["embedding"]] for each in answer["data"]}
    found = [by_place[place] for place in range(number)]
    if len({len(vector) for vector in found}) != 1:
        raise ValueError("the vectors have several lengths")
    lengths = [math.hypot(*vector) for vector in found]
    if not all(0 < length < math.inf for length in lengths):
        raise ValueError("a vector has no length")
    return [[part / length for part in vector] for vector, length in zip(found, lengths, strict=True)]
