"""The command that prints what a turn saw, called, decided and wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prefrontal.api.cli.console import out, result
from prefrontal.api.cli.session import run
from prefrontal.graph.errors import NotFound, PrefrontalError, Unavailable

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.caller import Principal

QUERY = Path(__file__).with_name("trace.graphql")


def trace(
    turn: Annotated[str, typer.Argument(help="The name or the id of the turn.")],
    org: Annotated[str, typer.Option(help="The organisation's key.")],
    agent: Annotated[str, typer.Option(help="The agent as which the turn is read.")],
    person: Annotated[str | None, typer.Option(help="The person for whom the agent acts.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Print a turn: its phases, and what it saw, called, decided, wrote and published, in order.

    It shows what this agent may read. With --json it prints the answer of the GraphQL query `turn`.
    """
    from prefrontal.api.cli.trace_lines import lines_of
    from prefrontal.graph.caller import Principal

    async def work(services: Services) -> dict[str, Any]:
        principal = Principal(org=org, agent=agent, person=person, roles=("reader",))
        # Here, because the error says how an organisation or an agent is made.
        await services.access.caller(principal)
        return await read_turn(services, principal, turn)

    found = run(work, as_json=as_json)
    if as_json:
        result(found, "", as_json=True)
        return
    for line in lines_of(found):
        out.print(line)


async def read_turn(services: Services, principal: Principal, turn: str) -> dict[str, Any]:
    """Return the answer of the query `trace.graphql` for a turn, with all entries of its trace.

    Raises:
        NotFound: If there is no such turn, or the principal may not read it.
    """
    from prefrontal.api.graphql.request_context import RequestContext
    from prefrontal.api.graphql.schema import build_schema

    schema, query = build_schema(services.settings), QUERY.read_text(encoding="utf-8")

    async def page(of: str, after: str | None) -> dict[str, Any] | None:
        answer = await schema.execute(
            query,
            variable_values={"turn": of, "after": after, "rest": after is not None},
            context_value=RequestContext(services, principal),
        )
        for error in answer.errors or ():
            cause = error.original_error
            raise cause if isinstance(cause, PrefrontalError) else Unavailable(error.message)
        found: dict[str, Any] | None = (answer.data or {})["turn"]
        return found

    found = await page(turn, None)
    if found is None:
        raise NotFound(f"there is no turn {turn!r} that this agent may read", field="TURN")
    listed = found["trace"]
    while listed["pageInfo"]["hasNextPage"]:
        # By its id: meanwhile, its name may have come to stand for another turn.
        more = await page(found["id"], listed["pageInfo"]["endCursor"])
        if more is None:
            break
        listed = {**more["trace"], "nodes": [*listed["nodes"], *more["trace"]["nodes"]]}
    return {**found, "trace": listed}
