"""`python -m prefrontal.api.cli` is the same as `prefrontal`."""

from __future__ import annotations

from prefrontal.api.cli.main import app

app(prog_name="prefrontal")
