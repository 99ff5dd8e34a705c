"""Commands for organisations, agents, tokens and the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from prefrontal.api.cli.console import fail, program, result
from prefrontal.api.cli.session import run
from prefrontal.graph.errors import InvalidInput, PrefrontalError, SettingsError

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]

org_app = typer.Typer(help="Organisations (tenants); no data crosses their border.", no_args_is_help=True)
agent_app = typer.Typer(help="Agents of an organisation.", no_args_is_help=True)


@org_app.command("create")
def create_organisation(
    key: Annotated[str, typer.Argument(help="The key of the organisation in tokens, e.g. acme.")],
    name: Annotated[str | None, typer.Option(help="The display name.")] = None,
    as_json: Json = False,
) -> None:
    """Create an organisation with its common space. One that exists is known and stays as it is."""

    async def work(services: Services) -> tuple[str, bool]:
        return await services.access.ensure_organisation(key, name)

    uid, created = run(work, as_json=as_json)
    kept = "" if created or name is None else "; its name stays"
    result(
        {"id": uid, "key": key, "created": created},
        f"Organisation [bold]{escape(key)}[/] is {'created' if created else 'known'} ({uid}){kept}.\n"
        f"Next: {program()} token --org {escape(key)} --agent NAME",
        as_json=as_json,
    )


@agent_app.command("create")
def create_agent(
    key: Annotated[str, typer.Argument(help="The key of the agent in tokens, e.g. planner.")],
    org: Annotated[str, typer.Option(help="The organisation's key.")],
    as_json: Json = False,
) -> None:
    """Create an agent with its private space. Optional: an agent's first request creates it too."""
    from prefrontal.graph.caller import Principal

    async def work(services: Services) -> tuple[str, str]:
        caller = await services.access.caller(Principal(org=org, agent=key, roles=("writer",)))
        return caller.actor_id, caller.home

    uid, space = run(work, as_json=as_json)
    result(
        {"id": uid, "key": key, "space": space},
        f"Agent [bold]{escape(key)}[/] exists ({uid}); its private space is {space}.",
        as_json=as_json,
    )


def token(
    org: Annotated[str, typer.Option(help="The organisation's key.")],
    agent: Annotated[str | None, typer.Option(help="The agent that sends the requests.")] = None,
    person: Annotated[
        str | None, typer.Option(help="The person that the agent acts for, or that sends the requests.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="The device that the requests come from.")] = None,
    role: Annotated[
        list[str] | None, typer.Option(help="reader, writer, maintainer or admin; may be repeated.")
    ] = None,
    hours: Annotated[float, typer.Option(min=0.01, max=24 * 366, help="How long the token is valid.")] = 24
    * 30,
    as_json: Json = False,
) -> None:
    """Print a bearer token for `Authorization: Bearer …`. Needs no database."""
    from datetime import timedelta

    from prefrontal.api.auth import Tokens, signing_secret, token_id
    from prefrontal.graph.access.rules import permissions_of
    from prefrontal.graph.caller import Principal
    from prefrontal.graph.clock import SystemClock, iso
    from prefrontal.graph.config.roles import load_roles
    from prefrontal.graph.config.settings import load_settings

    try:
        settings = load_settings()
        roles = tuple(role or ["writer"])
        permissions_of(roles, load_roles(settings.registry_dir))
        if agent is None and person is None and device is None:
            raise InvalidInput("name at least one of --agent, --person and --device")
        if settings.issues_elsewhere:
            raise SettingsError(
                f"tokens come from {settings.jwt_issuer}, because PREFRONTAL_JWT_JWKS_… is set: "
                "get one from that issuer, or unset it"
            )
        tokens = Tokens(signing_secret(settings), settings, SystemClock())
        principal = Principal(org=org, agent=agent, person=person, device=device, roles=roles)
        text, expires = tokens.issue(principal, timedelta(hours=hours))
    except PrefrontalError as error:
        fail(error, as_json=as_json)
    if as_json:
        result({"token": text, "id": token_id(text), "expires_at": iso(expires)}, "", as_json=True)
    else:
        # Nothing else on standard output, so that $(prefrontal token …) is exactly the token.
        typer.echo(text)


def migrate(as_json: Json = False) -> None:
    """Bring the database's schema up to date. Optional: every command that uses the database does this."""

    async def work(services: Services) -> int:
        return len(services.migrations)

    number = run(work, as_json=as_json)
    result({"schema": number}, f"The schema is up to date ({number:04d}).", as_json=as_json)
