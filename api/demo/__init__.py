"""The demo story: example data for the first start, written through the same use cases that clients call."""

from prefrontal.api.demo.load import ACTORS, ORGANISATION, clear, is_loaded, load

__all__ = ["ACTORS", "ORGANISATION", "clear", "is_loaded", "load"]
