"""The query that links to Neo4j Browser."""

from __future__ import annotations

from datetime import datetime

import strawberry

from prefrontal.api.browser.links import SUBJECTS, browser_endpoint, browser_url
from prefrontal.api.browser.signed import GuideLinks
from prefrontal.api.graphql.nodes import find_node
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.ids import kind_of


@strawberry.type(
    description="A link that opens Neo4j Browser with a guide about one goal or turn, filled in.",
    name="BrowserLink",
)
class BrowserLinkType:
    """A link."""

    url: str = strawberry.field(
        description="Neo4j Browser with the guide in the editor; Ctrl+Enter opens it. It never contains the "
        "password of the database, which the person types."
    )
    guide_url: str = strawberry.field(description="The guide alone: HTML in the format of Neo4j Browser.")
    expires_at: datetime = strawberry.field(description="Until when the guide opens: for ten minutes.")


@strawberry.type
class BrowserQuery:
    """Queries of Neo4j Browser."""

    @strawberry.field(
        description="A link to Neo4j Browser for the goal or turn with this id. Null if you may not read it, "
        "or if there is no Neo4j Browser to link to: in production, and with a `NEO4J_URI` without "
        "`PREFRONTAL_BROWSER_URL`."
    )
    async def browser_link(self, info: Context, id: strawberry.ID) -> BrowserLinkType | None:
        asked = info.context
        place = browser_endpoint(asked.services.settings)
        if place is None or kind_of(id) not in SUBJECTS:
            return None
        if await find_node(asked.loaders, id) is None:
            return None
        path, expires = GuideLinks(asked.services).signed(asked.principal, id)
        guide = f"{asked.base_url}{path}"
        return BrowserLinkType(url=browser_url(place, f":play {guide}"), guide_url=guide, expires_at=expires)
