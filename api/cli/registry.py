"""Commands for the registry of action types. Only `migrate` uses the database; the others use files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from prefrontal.api.cli.console import bar, fail, out, result
from prefrontal.api.cli.session import run
from prefrontal.graph.errors import CatalogError, InvalidInput, PrefrontalError
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.cortex.actions.record import MigrationPlan
    from prefrontal.graph.registry.format import Keys
    from prefrontal.graph.registry.load import RegistryFiles

app = typer.Typer(help="Action types: the files under `registry/action_types/`.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Folder = Annotated[
    Path | None, typer.Option("--folder", help="The registry's folder; default: `PREFRONTAL_REGISTRY_DIR`.")
]

_NEW = """\
# {schema}
# A draft is not in force: no server loads it. Edit it, run `prefrontal registry check`, then remove the line
# `draft: true`. From then on neither the type nor one of its statuses may be removed.
apiVersion: {version}
draft: true
id: {id}
display_name: {name}
description: ""
allowed_owners: [{owners}]
default_policies:
  requires_confirmation: false
  auto_complete: false
  blocking: false
{ways}# The expected behaviour; `prefrontal registry check` runs each fixture.
fixtures:
  - name: It is begun, waits, goes on and is done
    starts: {{status: pending, owner: {first}}}
    steps:
      - {{by: {first}, to: in_progress}}
      - {{by: {first}, to: awaiting_confirmation}}
      - {{by: {first}, to: blocked}}
      - {{by: {first}, to: in_progress}}
      - {{by: {first}, to: completed}}
      - {{by: {first}, to: pending, refused: illegal_transition}}
  - name: It is dropped
    steps:
      - {{by: {first}, to: cancelled}}
"""

_WAYS = """\
allowed_statuses: [pending, in_progress, awaiting_confirmation, blocked, completed, cancelled]
allowed_transitions:
  pending: [in_progress, awaiting_confirmation, blocked, completed, cancelled]
  in_progress: [awaiting_confirmation, blocked, completed, cancelled]
  awaiting_confirmation: [in_progress, blocked, completed, cancelled]
  blocked: [pending, in_progress, awaiting_confirmation, cancelled]
"""
"""The statuses of the scenarios above, for a registry that does not have these by default."""


@app.command()
def check(
    directory: Annotated[Path | None, typer.Argument(metavar="DIR", help="The same as --folder.")] = None,
    folder: Folder = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="The address of a server, or a commit, branch or tag: also refuse files that lack a type or "
            "a status which is in force there."
        ),
    ] = None,
    token: Annotated[
        str | None, typer.Option(envvar="PREFRONTAL_TOKEN", help="The token for the server of --against.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check the action types, drafts included; show errors by file, line and key. Exit status 1 on errors.

    Checks the schema, policies and transitions of each type, and runs the fixtures in its file.
    """
    from prefrontal.api.cli.registry_against import require_nothing_removed
    from prefrontal.api.cli.registry_check import check_registry
    from prefrontal.graph.registry.format import SCHEMA_FILE, schema_text

    try:
        root = _root(directory or folder, as_json=as_json)
        files = check_registry(root)
        if against is not None:
            require_nothing_removed(files.types, root, against, token)
    except PrefrontalError as error:
        fail(error, as_json=as_json)
    drafts = sorted(files.drafts)
    waiting = f" Drafts, not in force: {', '.join(drafts)}." if drafts else ""
    schema = root / SCHEMA_FILE
    if schema.exists() and schema.read_text(encoding="utf-8") != schema_text():
        waiting += f" {escape(str(schema))} is of another version: run `prefrontal registry schema`."
    result(
        {"action_types": sorted(files.types), "drafts": drafts},
        f"{counted(len(files.types), 'action type')}.{waiting} Nothing is wrong.",
        as_json=as_json,
    )


@app.command(name="list")
def list_(folder: Folder = None, as_json: Json = False) -> None:
    """List the action types and the drafts."""
    files = _files(folder, as_json=as_json)
    types, drafts = files.types, files.drafts
    if as_json:
        result(
            {
                "action_types": [types[name].model_dump(mode="json") for name in sorted(types)],
                "drafts": [drafts[name].model_dump(mode="json") for name in sorted(drafts)],
            },
            "",
            as_json=True,
        )
        return
    table = Table("type", "owners", "for new actions", "name")
    for name in sorted(types):
        kind, used = types[name], types.for_new(name)
        new = "unknown: its flag is off" if used is None else "yes" if used is kind else f"becomes {used.id}"
        new = "no" if used is not None and used.block_new else new
        table.add_row(name, ", ".join(kind.allowed_owners), new, escape(kind.display_name))
    for name in sorted(drafts):
        draft = drafts[name]
        table.add_row(name, ", ".join(draft.allowed_owners), "no: a draft", escape(draft.display_name))
    out.print(table)


@app.command()
def show(
    type_id: Annotated[str, typer.Argument(metavar="ID")], folder: Folder = None, as_json: Json = False
) -> None:
    """Show one action type or draft, with all its defaults."""
    files = _files(folder, as_json=as_json)
    types = {**files.types, **files.drafts}
    if type_id not in types:
        fail(CatalogError(f"no type {type_id!r}; there are {', '.join(sorted(types))}"), as_json=as_json)
    kind = types[type_id]
    result(kind.model_dump(mode="json"), escape(kind.model_dump_json(indent=2)), as_json=as_json)


@app.command()
def new(
    type_id: Annotated[str, typer.Argument(metavar="ID", help="a–z, 0–9 and _; it can never be changed.")],
    name: Annotated[str | None, typer.Option(help="The display name; default: made from the id.")] = None,
    owner: Annotated[
        list[str] | None, typer.Option(help="agent or user, repeatable; default: agent.")
    ] = None,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """Write the file of a new action type as a draft, ready to edit; no server loads a draft.

    After the line `draft: true` is removed, a running server loads the type within seconds.
    """
    from prefrontal.graph.config.table_files import API_VERSION
    from prefrontal.graph.registry.format import SCHEMA_FILE, SCHEMA_REFERENCE
    from prefrontal.graph.registry.load import read_action_types

    root = _root(folder, as_json=as_json)
    defaults = _files(folder, as_json=as_json).defaults
    path = root / "action_types" / f"{type_id}.yaml"
    shown = name or type_id.replace("_", " ").capitalize()
    owners = owner or ["agent"]
    text = _NEW.format(
        schema=SCHEMA_REFERENCE,
        version=API_VERSION,
        id=type_id,
        name=_quoted(shown),
        owners=", ".join(owners),
        first=owners[0],
        ways="" if _are_usual(defaults) else _WAYS,
    )
    if path.parent != root / "action_types" or path.exists():
        fail(CatalogError(f"{path} exists already or is not a valid file name"), as_json=as_json)
    path.write_text(text, encoding="utf-8")
    try:
        read_action_types(root)
    except CatalogError as error:
        # A running server would refuse the registry with this file, so it is removed again.
        path.unlink()
        fail(error, as_json=as_json)
    if not (root / SCHEMA_FILE).exists():
        _schema_in(root)
    result(
        {"file": str(path)},
        f"{escape(str(path))} is written as a draft: no server loads it. Edit it, check it with\n"
        f"  prefrontal registry check {escape(str(root))}\n"
        "and remove its line `draft: true`. A running server then loads the type within seconds; from then\n"
        "on the type can no longer be removed.",
        as_json=as_json,
    )


@app.command()
def schema(folder: Folder = None, as_json: Json = False) -> None:
    """Write the JSON Schema of the types' files into the registry's folder, for editors.

    Each type's file names it in its first line: an editor with YAML support completes and checks the file.
    """
    path = _schema_in(_root(folder, as_json=as_json))
    result({"file": str(path)}, f"{escape(str(path))} is written.", as_json=as_json)


@app.command()
def migrate(
    old: Annotated[
        str, typer.Argument(help="The present type of the actions; it may no longer exist in the registry.")
    ],
    new: Annotated[
        str, typer.Argument(help="The new type; give the same type again to change statuses only.")
    ],
    org: Annotated[str, typer.Option(help="The organisation's key.")],
    status: Annotated[
        list[str] | None,
        typer.Option(help="OLD=NEW for a status that the new type does not have; repeatable."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option(help="Only report what would be done, and what prevents it.")
    ] = False,
    batch: Annotated[int, typer.Option(min=1, max=1000, help="Actions per transaction.")] = 500,
    as_json: Json = False,
) -> None:
    """Move an organisation's actions from one type to another, e.g. because the type was renamed.

    Nothing is moved if the new type lacks the status or the owner of an action. A command that was
    interrupted can be run again and continues. Exit status 1 if something prevents the move.
    """
    pairs = [each.partition("=") for each in status or ()]
    if wrong := [a + sign + b for a, sign, b in pairs if not (a and b)]:
        fail(InvalidInput(f"--status takes OLD=NEW, not {wrong[0]!r}"), as_json=as_json)
    statuses = {a: b for a, _, b in pairs}

    async def work(services: Services) -> tuple[MigrationPlan, int]:
        caller = await services.access.operator(org)
        plan = await services.actions.type_migration.plan(caller, old, new, statuses, batch=batch)
        if dry_run or plan.reasons:
            return plan, 0
        with bar("Moving actions") as progress:
            moved = await services.actions.type_migration.migrate(
                caller, old, new, statuses, batch=batch, progress=lambda done, all_: progress(done, all_, new)
            )
        return plan, moved

    plan, moved = run(work, as_json=as_json)
    lines = [f"{number} {move}" for move, number in plan.moves.items()]
    if plan.reasons:
        lines += [f"[red]{number}[/]: {escape(reason)}" for reason, number in plan.reasons.items()]
        lines.append("Nothing was moved.")
    elif dry_run:
        lines.append(f"{counted(plan.total, 'action')} would move from {escape(old)} to {escape(new)}.")
    else:
        lines.append(
            f"{counted(moved, 'action has', 'actions have')} moved from {escape(old)} to {escape(new)}."
        )
    shown = {"moved": moved, "moves": plan.moves, "reasons": plan.reasons}
    result(shown, "\n".join(lines), as_json=as_json)
    if plan.reasons:
        raise typer.Exit(1)


def _are_usual(defaults: Keys | None) -> bool:
    """Tell whether a type that names no statuses has those of the scenarios of a new file."""
    from ruamel.yaml import YAML

    from prefrontal.graph.config.yaml_files import to_python
    from prefrontal.graph.registry.format import spelled_out

    usual: Keys = to_python(YAML(typ="safe").load(_WAYS))
    return spelled_out({}, defaults)[0] == usual


def _schema_in(root: Path) -> Path:
    from prefrontal.graph.registry.format import SCHEMA_FILE, schema_text

    path = root / SCHEMA_FILE
    path.write_text(schema_text(), encoding="utf-8")
    return path


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _root(folder: Path | None, *, as_json: bool) -> Path:
    from prefrontal.graph.config.settings import load_settings

    try:
        return folder or load_settings().registry_dir
    except PrefrontalError as error:
        fail(error, as_json=as_json)


def _files(folder: Path | None, *, as_json: bool) -> RegistryFiles:
    from prefrontal.graph.registry.load import read_action_types

    try:
        return read_action_types(_root(folder, as_json=as_json))
    except PrefrontalError as error:
        fail(error, as_json=as_json)
