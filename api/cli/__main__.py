"""`python -m api.cli` is the same as `prefrontal`."""

from __future__ import annotations

from api.cli.main import app

app(prog_name="prefrontal")
