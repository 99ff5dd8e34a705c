"""What a forked process of the tests has from the start: the program is imported, its files are read.

Both together take some seconds, which is most of what a command or a process that is killed takes.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from prefrontal.api import cli
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.storage.schema import load_migrations
from tests.support.registry import registry_of

# A command imports what it needs when it runs.
for _module in pkgutil.iter_modules(cli.__path__, f"{cli.__name__}."):
    if not _module.name.endswith("__main__"):
        import_module(_module.name)

_settings = load_settings()
registry_of(_settings)
load_migrations(_settings.cypher_dir)
