"""Puts a changed registry of action types in force without a restart.

looked at    names, sizes and times of the files; they are read only when one differs
right        the new types replace the old ones at once; what is under way keeps those it began with
wrong        the old types stay in force, and `problem` says why until the files are right
draft        is not loaded, whatever it says, and may go again; but no type in force becomes one
id missing   is wrong: actions have the type, so it is deprecated, never removed
status       that is missing is wrong, too, unless `former_statuses` says what actions that have it count as
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.errors import CatalogError
from prefrontal.graph.registry.load import load_action_types

if TYPE_CHECKING:
    from collections.abc import Callable

    from prefrontal.graph.clock import Clock
    from prefrontal.graph.registry.definitions import ActionTypes

log = structlog.get_logger(__name__)

EVERY_SECONDS = 2.0


class RegistryWatch:
    """Looks at the registry's action types and exchanges those in force."""

    def __init__(
        self,
        folder: Path,
        types: ActionTypes,
        *,
        clock: Clock | None = None,
        on_load: Callable[[bool], None] | None = None,
    ) -> None:
        """Take the registry's folder, the types in force, the time, and who counts what was loaded."""
        self._folder = folder
        self._types = types
        self._clock = clock
        self._on_load = on_load
        self._seen = self._state()
        self.problem: str | None = None

    def look(self) -> bool:
        """Return whether other types are in force now; reads files, so run it beside the event loop."""
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
        # Last: files that could not even be refused are read again the next time.
        self._seen = state
        if self._on_load is not None:
            self._on_load(self.problem is None)
        return self.problem is None

    def _state(self) -> frozenset[tuple[str, int, int]]:
        found = set()
        for path in (self._folder / "actions.yaml", *(self._folder / "action_types").glob("*.yaml")):
            try:
                known = path.stat()
            except OSError:
                continue
            found.add((str(path), known.st_size, known.st_mtime_ns))
        return frozenset(found)


def _refuse_removal(known: ActionTypes, types: ActionTypes, folder: Path) -> None:
    said = []
    for name in sorted(known):
        path = folder / "action_types" / f"{name}.yaml"
        if name not in types:
            said.append(f"{path}: a type in force is deprecated, never removed or made a draft: {name}")
        elif lost := known[name].loses(types[name]):
            named = ", ".join(lost)
            said.append(f"{path}: {name} loses statuses; say in former_statuses what they became: {named}")
    if said:
        raise CatalogError("the registry is wrong:\n  " + "\n  ".join(said))
