"""Configuration as frozen values: the settings from the environment, and the numbers that the rules use.

Formulas read their weights from the tables under `registry/`. A number is therefore changed in one YAML
file, without a change of code.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prefrontal.graph.config.load import load_catalog
    from prefrontal.graph.config.tables import Catalog

__all__ = ["Catalog", "load_catalog"]


def __getattr__(name: str) -> Any:
    """Return `Catalog` or `load_catalog`: the models of all tables are imported by who asks for one."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from prefrontal.graph.config import load  # noqa: PLC0415 - when it is asked for

    return getattr(load, name)
