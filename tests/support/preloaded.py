"""What a forked process of the tests has from the start: the program is imported, its files are read.

Both together take some seconds, which is most of what a command or a process that is killed takes.
"""

from __future__ import annotations

import prefrontal.api.app
import prefrontal.api.cli.main  # noqa: F401 - imported for whoever is forked
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.storage.queries import load_queries
from prefrontal.graph.storage.schema import load_migrations
from tests.support.registry import registry_of

_settings = load_settings()
registry_of(_settings)
load_queries(_settings.cypher_dir)
load_migrations(_settings.cypher_dir)
