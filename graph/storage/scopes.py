"""The check that nothing of an organisation is in a space of another one.

Who may read a record follows from its space, so these hold for every node and every link:

    scope_id        names a space of its `org_id`; what belongs to no space names the organisation itself
    searchable_in   likewise a space of the organisation, in which searches find the node
    home_id         likewise, the private space of an actor
    a link          leads to a node of the same organisation

The service keeps them by itself. An import and `doctor` check them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from prefrontal.graph.record import Record
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_BATCH = 5_000
"""How many nodes a statement looks at."""
_MOST = 20
"""How many findings are listed."""
_ALL_S = 4 * 3600.0
"""How long the list of all nodes may take."""
_PATIENCE_S = 60.0


class Stray(Record):
    """A node, or a link that begins at it, of which a property names what is not of its organisation."""

    org_id: str
    uid: str
    """The node; empty if it has no id."""
    link: str | None
    """The type of the link; None if it is the node itself."""
    field: str
    """`scope_id`, `searchable_in`, `home_id`; `org_id` of a link, for the organisation of its other end."""
    value: str

    def __str__(self) -> str:
        """Return the finding in a line."""
        where = self.uid if self.link is None else f"{self.link} of {self.uid}"
        return f"{where} of {self.org_id}: {self.field} {self.value!r}"


class ScopeReport(Record):
    """What a check found."""

    nodes: int
    """How many it looked at."""
    number: int
    """How many findings there are."""
    strays: tuple[Stray, ...]
    """The first findings."""

    def __str__(self) -> str:
        """Return the number of findings, and the first ones."""
        listed = "; ".join(map(str, self.strays))
        more = f"; and {self.number - len(self.strays)} more" if self.number > len(self.strays) else ""
        what = (
            f"{counted(self.number, 'record')} of one organisation in a space of another, or linked with it"
        )
        return f"{what}: {listed}{more}"


class ScopeCheck:
    """Looks at what organisations have, batch by batch."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def check(
        self, org_id: str | None = None, progress: Callable[[int, int, str], None] | None = None
    ) -> ScopeReport:
        """Return what of an organisation, or of all, is in a space of another one; nothing is written.

        What is being imported is looked at if its organisation is given, and left out otherwise.
        """

        async def work(tx: Tx) -> ScopeReport:
            total = int((await tx.one("storage/count_everything"))["nodes"])
            nodes = number = 0
            strays: list[Stray] = []
            refs: list[str] = []

            async def look() -> None:
                nonlocal nodes, number
                found = await self._database.read(partial(_find, refs=refs), timeout_s=_PATIENCE_S)
                strays.extend(Stray.model_validate(item) for item in found["items"])
                nodes, number = nodes + len(refs), number + int(found["number"])
                refs.clear()
                if progress is not None:
                    progress(min(nodes, total), total, "spaces")

            async for each in tx.stream("storage/list_refs", org_id=org_id):
                refs.append(str(each["ref"]))
                if len(refs) == _BATCH:
                    await look()
            await look()
            return ScopeReport(nodes=nodes, number=number, strays=tuple(strays[:_MOST]))

        return await self._database.read(work, timeout_s=_ALL_S)


async def _find(tx: Tx, refs: list[str]) -> Row:
    return await tx.one("storage/find_strays", refs=refs, most=_MOST)
