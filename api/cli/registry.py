"""Commands of the registry of action types. They read and write files and need no database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from api.cli.ui import fail, out, result
from graph.catalog import ActionTypes, load_action_types
from graph.errors import CatalogError, PrefrontalError
from graph.settings import load_settings

app = typer.Typer(help="Action types: the files under `registry/action_types/`.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Folder = Annotated[
    Path | None, typer.Option("--folder", help="The registry; default the setting `PREFRONTAL_REGISTRY_DIR`.")
]

_NEW = """\
# yaml-language-server: $schema=../../docs/action_type.schema.json
id: {id}
display_name: {name}
description: ""
allowed_owners: [{owners}]
default_policies:
  requires_confirmation: false
  auto_complete: false
  blocking: false
allowed_statuses: [pending, in_progress, awaiting_confirmation, blocked, completed, cancelled]
allowed_transitions:
  pending: [in_progress, awaiting_confirmation, blocked, completed, cancelled]
  in_progress: [awaiting_confirmation, blocked, completed, cancelled]
  awaiting_confirmation: [in_progress, blocked, completed, cancelled]
  blocked: [pending, in_progress, awaiting_confirmation, cancelled]
"""


@app.command()
def check(folder: Folder = None, as_json: Json = False) -> None:
    """Say what is wrong with the action types, by file, line and key. Status 1 if something is."""
    types = _types(folder, as_json=as_json)
    result({"action_types": sorted(types)}, f"{len(types)} action types. Nothing is wrong.", as_json=as_json)


@app.command(name="list")
def list_(folder: Folder = None, as_json: Json = False) -> None:
    """List the action types."""
    types = _types(folder, as_json=as_json)
    if as_json:
        result(
            {"action_types": [types[name].model_dump(mode="json") for name in sorted(types)]},
            "",
            as_json=True,
        )
        return
    table = Table("type", "owners", "for new actions", "what")
    for name in sorted(types):
        kind, used = types[name], types.for_new(name)
        new = "unknown: its flag is off" if used is None else "yes" if used is kind else f"becomes {used.id}"
        new = "no" if used is not None and used.block_new else new
        table.add_row(name, ", ".join(kind.allowed_owners), new, escape(kind.display_name))
    out.print(table)


@app.command()
def show(
    type_id: Annotated[str, typer.Argument(metavar="ID")], folder: Folder = None, as_json: Json = False
) -> None:
    """Show one action type with all its defaults."""
    types = _types(folder, as_json=as_json)
    if type_id not in types:
        fail(CatalogError(f"no type {type_id!r}; there are {', '.join(sorted(types))}"), as_json=as_json)
    kind = types[type_id]
    result(kind.model_dump(mode="json"), escape(kind.model_dump_json(indent=2)), as_json=as_json)


@app.command()
def new(
    type_id: Annotated[str, typer.Argument(metavar="ID", help="a–z, 0–9 and _, for ever.")],
    name: Annotated[str | None, typer.Option(help="What people read; default made of the id.")] = None,
    owner: Annotated[list[str] | None, typer.Option(help="agent or user, repeatable; default agent.")] = None,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """Write the file of a new action type, ready to be edited. A server that runs reads it within seconds."""
    root = _root(folder, as_json=as_json)
    _types(folder, as_json=as_json)
    path = root / "action_types" / f"{type_id}.yaml"
    shown = name or type_id.replace("_", " ").capitalize()
    text = _NEW.format(id=type_id, name=_quoted(shown), owners=", ".join(owner or ["agent"]))
    if path.parent != root / "action_types" or path.exists():
        fail(CatalogError(f"{path} is there already, or no name of a file"), as_json=as_json)
    path.write_text(text, encoding="utf-8")
    try:
        load_action_types(root)
    except CatalogError as error:
        # What would be refused is not left for a server to find.
        path.unlink()
        fail(error, as_json=as_json)
    result(
        {"file": str(path)},
        f"{escape(str(path))} is there. Edit it, then: prefrontal registry check",
        as_json=as_json,
    )


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _root(folder: Path | None, *, as_json: bool) -> Path:
    try:
        return folder or load_settings().registry_dir
    except PrefrontalError as error:
        fail(error, as_json=as_json)


def _types(folder: Path | None, *, as_json: bool) -> ActionTypes:
    try:
        return load_action_types(_root(folder, as_json=as_json))
    except PrefrontalError as error:
        fail(error, as_json=as_json)
