"""Other values of the registry for a measurement, e.g. `search.weights.text=0`.

What a part brings is seen without it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.errors import CatalogError

_FOLDER = "PREFRONTAL_REGISTRY_DIR"


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that changes values."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FILE.KEY=VALUE",
        dest="changes",
        help="measure with another value of the registry, e.g. search.weights.text=0",
    )


def change(folder: Path, text: str) -> None:
    """Change a value of a registry; `text` is e.g. `search.weights.text=0`.

    Raises:
        ValueError: If there is no such value, or the new one is no YAML.
    """
    name, separator, value = text.partition("=")
    file, *keys = name.split(".")
    path = folder / f"{file}.yaml"
    if not (separator and keys and path.exists()):
        raise ValueError(f"{text!r}: give FILE.KEY=VALUE, with a file of the registry")
    yaml = YAML()
    document = yaml.load(path)
    place = document
    for key in keys:
        if not isinstance(place, dict) or key not in place:
            raise ValueError(f"{path.name} has no {'.'.join(keys)}")
        inner, place = place, place[key]
    try:
        inner[keys[-1]] = YAML(typ="safe").load(value)
    except YAMLError as error:
        raise ValueError(f"{value!r} is no YAML: {error}") from error
    yaml.dump(document, path)


@contextmanager
def changed_registry(changes: Sequence[str]) -> Iterator[None]:
    """Let the settings inside the block, also of new processes, name a copy of the registry with changes.

    Raises:
        ValueError: If there is no such value, or the registry is invalid with the new one.
    """
    if not changes:
        yield
        return
    before = os.environ.get(_FOLDER)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "registry"
        shutil.copytree(load_settings().registry_dir, folder)
        for text in changes:
            change(folder, text)
        try:
            load_catalog(folder)
        except CatalogError as error:
            # The copy is gone when somebody reads this.
            raise ValueError(str(error).replace(f"{parent}{os.sep}", "")) from error
        os.environ[_FOLDER] = str(folder)
        try:
            yield
        finally:
            os.environ.pop(_FOLDER)
            if before is not None:
                os.environ[_FOLDER] = before


@contextmanager
def registry_of(parser: argparse.ArgumentParser, changes: Sequence[str]) -> Iterator[None]:
    """Do as `changed_registry`; end the command with a message if the changes cannot be made."""
    with ExitStack() as stack:
        try:
            stack.enter_context(changed_registry(changes))
        except ValueError as error:
            parser.error(f"--set: {error}")
        yield
