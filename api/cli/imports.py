"""The command `prefrontal import`: memories unless it is told what else."""

from __future__ import annotations

from copy import copy
from inspect import cleandoc
from typing import Any

import typer
from typer.core import TyperGroup

from prefrontal.api.cli.import_memories import memories
from prefrontal.api.cli.import_observations import observations
from prefrontal.api.cli.import_organisation import organisation

_DEFAULT = "memories"
_DETAILS = cleandoc(memories.__doc__ or "").partition("\n\n")[2]

_HELP = f"""Import your own data: `import PATH` remembers what a file or a folder says.

{_DETAILS}

It is short for `import memories PATH`. The other commands import something else.
"""
_EXAMPLES = """Examples:

- `prefrontal import notes.md --org me --agent assistant`

- `prefrontal import ~/notes --org me --agent assistant --kind skill`

- `prefrontal import chats.json --org me --agent assistant --person ann`

- `prefrontal import observations notes.jsonl --org me --agent assistant`

- `prefrontal import organisation acme.jsonl`
"""


class _MemoriesByDefault(TyperGroup):
    """A group whose command is `memories` if the first argument names none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command's name before arguments that do not begin with one."""
        if args and args[0] not in self.commands and args[0] not in self.get_help_option_names(ctx):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show what the command by default takes, and the commands."""
        shown = copy(self)
        shown.params = self.commands[_DEFAULT].params
        super(_MemoriesByDefault, shown).format_help(ctx, formatter)


app = typer.Typer(
    cls=_MemoriesByDefault,
    help=_HELP,
    epilog=_EXAMPLES,
    subcommand_metavar="| COMMAND [ARGS]...",
    no_args_is_help=True,
)
app.command(_DEFAULT)(memories)
app.command()(observations)
app.command()(organisation)
