"""The command `prefrontal import`: memories unless it is told what else."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from prefrontal.api.cli.import_memories import memories
from prefrontal.api.cli.import_observations import observations
from prefrontal.api.cli.import_organisation import organisation


class _MemoriesByDefault(TyperGroup):
    """A group whose command is `memories` if the first argument names none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command's name before arguments that do not begin with one."""
        if args and args[0] not in self.commands and args[0] not in self.get_help_option_names(ctx):
            args = ["memories", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_MemoriesByDefault,
    help="Import your own data: `import PATH` remembers what a file or a folder says.",
    no_args_is_help=True,
)
app.command()(memories)
app.command()(observations)
app.command()(organisation)
