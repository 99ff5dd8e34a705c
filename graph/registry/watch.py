"""Puts changed action types of the registry in force without a restart.

check        names, sizes and times of the files are compared; the files are read only if one of them differs
valid        the new types replace the old ones at once; operations in progress keep the types they began with
invalid      the old types stay in force, and `problem` holds the reason until the files are valid
draft        is not loaded and may be removed again; but no type in force can become a draft
missing id   invalid: actions have the type, so a type is deprecated, never removed
lost status  invalid, unless `former_statuses` names the status that takes its place

What is missing or lost at a start, when nothing was loaded before, stays in force as retired: see
`prefrontal.graph.registry.files`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.config.table_files import paths_of, raise_complaints
from prefrontal.graph.errors import CatalogError
from prefrontal.graph.registry.load import load_action_types

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from prefrontal.graph.clock import Clock
    from prefrontal.graph.registry.definitions import ActionType, ActionTypes

log = structlog.get_logger(__name__)

EVERY_SECONDS = 2.0


class RegistryWatch:
    """Watches the registry's action types and replaces those in force."""

    def __init__(
        self,
        folder: Path,
        types: ActionTypes,
        *,
        clock: Clock | None = None,
        on_load: Callable[[bool], None] | None = None,
    ) -> None:
        """Store the registry's folder, the types in force and the clock.

        `on_load` is called after each attempt to load with whether it succeeded, for a metric.
        """
        self._folder = folder
        self._types = types
        self._clock = clock
        self._on_load = on_load
        self._seen = self._state()
        self.problem: str | None = None

    def look(self) -> bool:
        """Load changed files, and return whether new types came into force.

        The method reads files, so call it in a thread, beside the event loop.
        """
        state = self._state()
        if state == self._seen:
            return False
        try:
            types = load_action_types(self._folder)
            _refuse_removal(self._types, types, self._folder)
        except CatalogError as error:
            self.problem = error.message
            log.error("registry_refused", reason=error.message)  # noqa: TRY400 - the message says it all
        else:
            self._types.take(types, self._clock.now() if self._clock else None)
            self.problem = None
            log.info("registry_loaded", action_types=len(types))
        # Set last: if reading fails with an unexpected error, the files are read again next time.
        self._seen = state
        if self._on_load is not None:
            self._on_load(self.problem is None)
        return self.problem is None

    def _state(self) -> frozenset[tuple[str, int, int]]:
        found = set()
        for path in (*paths_of(self._folder, "actions"), *(self._folder / "action_types").glob("*.yaml")):
            try:
                known = path.stat()
            except OSError:
                continue
            found.add((str(path), known.st_size, known.st_mtime_ns))
        return frozenset(found)


def removals(known: ActionTypes, types: Mapping[str, ActionType], folder: Path) -> list[str]:
    """Return a line for each type and status that later files lack; what is retired already is left out."""
    said = []
    for name in sorted(known.keys() - known.retired):
        path = folder / "action_types" / f"{name}.yaml"
        if name not in types:
            said.append(f"{path}: a type in force can be deprecated, but not removed or made a draft: {name}")
            continue
        before = known[name]
        if lost := [status for status in before.loses(types[name]) if status not in before.retired_statuses]:
            named = ", ".join(lost)
            said.append(f"{path}: {name} loses statuses; name their successors in former_statuses: {named}")
    return said


def _refuse_removal(known: ActionTypes, types: ActionTypes, folder: Path) -> None:
    raise_complaints(removals(known, types, folder))
