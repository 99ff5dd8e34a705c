"""What of a memory is stored for searches."""

from __future__ import annotations

from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.text.encoder import HashEncoder
from tests.support.world import World

Found = dict[str, tuple[str | None, str | None, str | None]]


async def embedded(world: World, slot: str = "a") -> Found:
    """By content: the terms, the text that the vector in a slot is of, and the encoder's name.

    The text is None without a vector, and a remark if the vector is of something else.
    """
    rows = await world.rows(
        f"MATCH (m:Memory {{org_id: $org}}) RETURN m.content AS content, m.speaker AS speaker, "
        f"m.terms AS terms, m.embedding_{slot} AS vector, m.embedded_{slot} AS encoder ORDER BY m.uid"
    )
    found: Found = {}
    for row in rows:
        passage = passage_of(row["content"], row["speaker"])
        (vector,) = await HashEncoder().passages([passage])
        said = None if row["vector"] is None else passage if row["vector"] == vector else "another text"
        found[row["content"]] = (row["terms"], said, row["encoder"])
    return found
